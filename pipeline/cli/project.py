"""`pipeline project`: a program on another machine, from a semi-analytical model or from measured results."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pipeline.cli.options import (
    MACHINE_HELP,
    Details,
    InputTexts,
    KernelPresentation,
    chosen_efficiency,
    command,
    refuse_beside,
    shared,
    switch,
    valued,
)
from pipeline.cli.output import STANDARD_OUTPUT, image_form, write_output

if TYPE_CHECKING:
    from rich.console import Console

    from pipeline.projection.expressions.expression_text import Language

Application = Annotated[
    str | None,
    typer.Argument(
        metavar="[APPLICATION | OUT]",
        help="Application: a TOML file, or a shipped one (see --list); or a results directory of "
        "`pipeline run`, all of whose kernels are projected.",
    ),
]
FromMachine = Annotated[str | None, shared("--from", MACHINE_HELP + ", of a results directory")]
OnMachine = Annotated[str | None, shared("--on", MACHINE_HELP + "; by default the application's own")]
Variant = Annotated[
    str | None,
    valued("--variant", "NAME", "Variant of the machine, such as ideal or noiseless (see --list)."),
]
Output = Annotated[
    str | None,
    shared(
        "--out",
        ": a figure of what is swept, or else the roofline of a projection by bandwidth ratios, as .png or "
        ".svg, '-' for SVG on standard output. Of results their report",
    ),
]
Show = Annotated[
    str,
    valued(
        "--show",
        "WHAT",
        "What to show: parts, or sensitivities (percent of the total for a percent of each value).",
    ),
]
Export = Annotated[
    Literal["octave", "python", "latex"] | None,
    shared("--to", ": print the total as source text for octave (also MATLAB), python or latex"),
]
HoldOut = Annotated[
    list[str] | None,
    valued("--hold-out", "CONDITION", "Predict runs that are left out, such as 'p > 624'; repeatable."),
]
Listed = Annotated[bool, switch("--list", "Show the shipped applications and machines.")]


@command("project")
def project(
    application: Application = None,
    from_machine: FromMachine = None,
    on: OnMachine = None,
    at: InputTexts = None,
    variant: Variant = None,
    output: Output = None,
    show: Show = "parts",
    export: Export = None,
    hold_out: HoldOut = None,
    listed: Listed = False,
    details: Details = False,
    shown: KernelPresentation = KernelPresentation(),
) -> None:
    """Predict results, or an application, on another machine."""
    from ingest.errors import UsageError

    if listed:
        if any((application, from_machine, on, at, variant, output, export)):
            raise UsageError(
                "lists everything", where="--list", hint="omit other arguments than --json and --format"
            )
        _list_shipped(shown)
        return
    if application is None:
        raise UsageError("no application given", hint="`pipeline project --list` shows the shipped ones")
    if Path(application).is_dir():
        options = {"--to": export, "--show": show != "parts", "--hold-out": hold_out}
        if given := next(filter(options.get, options), None):
            raise UsageError("is for applications", where=given)
        _project_results(Path(application), (from_machine, on, variant), at or [], output, shown, details)
        return
    if from_machine is not None:
        hint = "give a results directory of `pipeline run`"
        raise UsageError("an application is not measured on a machine", where="--from", hint=hint)
    if hold_out:
        others = {"--variant": variant, "--out": output, "--to": export, "--show": show != "parts"}
        refuse_beside("--hold-out", others)
        _show_held_out(application, on, at or [], hold_out, shown)
    elif export is not None:
        _export(application, on, variant, export, others=bool(at or shown.json or output or show != "parts"))
    elif show == "parts":
        _show_parts(application, (on, variant), at or [], output, shown, details)
    else:
        _show_sensitivities(application, (on, variant), show, at or [], output, shown)


def _list_shipped(shown: KernelPresentation) -> None:
    """Show the applications and machines that come with the package, or write them in another form."""
    from pipeline.columns.shipped import shipped_table, tables_of_shipped
    from pipeline.report.render.terminal_tables import show_tables
    from pipeline.stages.shipped import shipped_files

    found = shipped_files()
    shown.present(
        found, lambda: shipped_table(found), lambda screen: show_tables(screen, tables_of_shipped(found))
    )


def _project_results(
    out: Path,
    machines: tuple[str | None, str | None, str | None],
    at: list[str],
    output: str | None,
    shown: KernelPresentation,
    details: bool,
) -> None:
    """Project the kernels of a results directory, and show or write what becomes of them."""
    from pipeline.columns.two_machines import study_projection_table
    from pipeline.config.option_readers import parse_at
    from pipeline.report.terminal.study_projection import show_more_of_projection, show_study_projection
    from pipeline.stages.projected_results import places_of, project_results

    efficiency = chosen_efficiency(out, {})
    found = project_results(out, places_of(*machines), tuple(map(parse_at, at)), efficiency)
    if output is not None:
        write_output(output, found.page)
        if output == STANDARD_OUTPUT:
            return
    both, rows = found.two_machines, shown.rows

    def draw(screen: "Console") -> None:
        show_study_projection(screen, both, by=rows["by"], details=details)
        if details:
            show_more_of_projection(screen, both, name=out.resolve().name, **rows)

    shown.present(both, lambda: study_projection_table(both, **rows), draw)


def _show_parts(
    application: str,
    machine: tuple[str | None, str | None],
    at: list[str],
    output: str | None,
    shown: KernelPresentation,
    details: bool,
) -> None:
    from pipeline.columns.projections import projection_table, sweep_table
    from pipeline.config.application_inputs import read_inputs
    from pipeline.projection.applications.projections import Sweep
    from pipeline.report.projections import show_projection, show_sweep
    from pipeline.stages.project import crossovers_of, files, projection_image, sweep

    inputs, (on, variant) = read_inputs(at), machine
    form = None if output is None else image_form(output)
    projections = sweep(application, on, inputs.values, variant=variant)
    found = Sweep(swept=inputs.swept, projections=projections)
    if output is not None and form is not None:
        write_output(output, projection_image(form, found))
        if output == STANDARD_OUTPUT:
            return
    if inputs.swept:

        def draw(screen: "Console") -> None:
            show_sweep(screen, found, crossovers_of(*files(application, on), inputs, variant))

        shown.present(found, lambda: sweep_table(found), draw)
        return
    (alone,) = projections
    shown.present(alone, lambda: projection_table(alone), lambda out: show_projection(out, alone, details))


def _show_held_out(
    application: str, machine: str | None, at: list[str], conditions: list[str], shown: KernelPresentation
) -> None:
    from pipeline.columns.answers import held_out_tables
    from pipeline.config.application_inputs import read_inputs
    from pipeline.report.terminal.results import show_held_out_tables
    from pipeline.stages.project import files, held_out_of

    found = held_out_of(*files(application, machine), read_inputs(at), conditions)
    tables = held_out_tables(found, "term")
    shown.present(found, lambda: tables[0], lambda screen: show_held_out_tables(screen, tables))


def _export(
    application: str, machine: str | None, variant: str | None, language: "Language", *, others: bool
) -> None:
    from ingest.errors import UsageError
    from pipeline.stages.project import export_application

    if others:
        hint = "omit other options than --on and --variant"
        raise UsageError("prints the formula, with its inputs as arguments", where="--to", hint=hint)
    print(export_application(application, machine, language, variant=variant).rstrip())


def _show_sensitivities(
    application: str,
    machine: tuple[str | None, str | None],
    show: str,
    at: list[str],
    output: str | None,
    shown: KernelPresentation,
) -> None:
    from ingest.errors import UsageError
    from pipeline.columns.projections import sensitivities_table
    from pipeline.config.application_inputs import read_inputs
    from pipeline.report.render.terminal_tables import show_table
    from pipeline.stages.project import files, sensitivities_of

    inputs = read_inputs(at)
    if show != "sensitivities":
        raise UsageError(f"'{show}' is not known", where="--show", hint="choose one of parts, sensitivities")
    if inputs.swept or output is not None:
        raise UsageError(f"{show} are shown at one point", where="--show", hint="omit the sweep and --out")
    on, variant = machine
    found = sensitivities_of(*files(application, on), inputs.values[0], variant=variant)
    table = sensitivities_table(found)
    shown.present(found, lambda: table, lambda screen: show_table(screen, table))
