"""`pipeline project`: a program on another machine, from a semi-analytical model or from measured results."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pipeline.cli.options import (
    MACHINE,
    KernelPresentation,
    chosen_efficiency,
    command,
    shared,
    switch,
    valued,
)
from pipeline.cli.output import STANDARD_OUTPUT, image_form, write_output
from pipeline.config.option_readers import TARGET_HELP, TARGET_METAVAR

if TYPE_CHECKING:
    from rich.console import Console

    from pipeline.columns.cells import DataTable
    from pipeline.config.application_inputs import Inputs
    from pipeline.projection.expressions.expression_text import Language

DETAILS = ("sensitivities", "ports", "models", "threads", "counters")

Application = Annotated[
    str | None,
    typer.Argument(
        metavar="[APPLICATION | OUT]",
        help="Application: a TOML file, or a shipped one (see --list); or a results directory of "
        "`pipeline run`, all of whose kernels are projected.",
    ),
]
FromMachine = Annotated[
    str | None,
    shared("--from", MACHINE + ", of a results directory"),
]
OnMachine = Annotated[
    str | None,
    shared("--on", MACHINE + "; by default the application's own"),
]
InputTexts = Annotated[
    list[str] | None,
    valued(
        "--at",
        TARGET_METAVAR,
        f"{TARGET_HELP} Of an application its inputs, such as L=8,P=1024 or 'halo=64 KiB'; one may be swept: "
        "L=4:14, P=64:4096:x2 or P=64,96,1024.",
    ),
]
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
        "What to show: parts, sensitivities (percent of the total for a percent of each value), "
        "or of port models: ports (loads), models (four compared), threads, "
        "counters (mini-app and target).",
    ),
]
Export = Annotated[
    Literal["octave", "python", "latex"] | None,
    shared("--to", ": print the total as source text for octave (also MATLAB), python or latex"),
]
Listed = Annotated[bool, switch("--list", "Show the shipped applications and machines.")]


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What is projected to which machine, and where the results go, as the command line gives it."""

    source: str
    machine: str | None
    variant: str | None
    at: list[str]
    output: str | None
    shown: KernelPresentation


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
    listed: Listed = False,
    shown: KernelPresentation = KernelPresentation(),
) -> None:
    """Predict an application, or measured results, on another machine, part by part, with intervals."""
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
    asked = _Asked(source=application, machine=on, variant=variant, at=at or [], output=output, shown=shown)
    if Path(application).is_dir():
        if export is not None or show != "parts":
            raise UsageError("is for applications", where="--show" if export is None else "--to")
        _project_results(asked, from_machine)
        return
    if from_machine is not None:
        hint = "give a results directory of `pipeline run`"
        raise UsageError("an application is not measured on a machine", where="--from", hint=hint)
    if export is not None:
        _export(asked, export, others=bool(at or shown.json or output or show != "parts"))
        return
    _project_application(asked, show)


def _list_shipped(shown: KernelPresentation) -> None:
    """Show the applications and machines that come with the package, or write them in another form."""
    from pipeline.columns.projections import shipped_table
    from pipeline.report.projections import shipped_json, show_shipped
    from pipeline.stages.project import shipped_applications, shipped_machines

    applications, machines = shipped_applications(), shipped_machines()
    document = shipped_json(applications, machines)
    shown.present(document, lambda: shipped_table(document), lambda screen: show_shipped(screen, document))


def _project_results(asked: _Asked, measured_on: str | None) -> None:
    """Project the kernels of a results directory, and show or write what becomes of them."""
    from pipeline.columns.two_machines import study_projection_table
    from pipeline.config.option_readers import parse_at
    from pipeline.report.terminal.study_projection import show_study_projection
    from pipeline.stages.projected_results import places_of, project_results

    out = Path(asked.source)
    efficiency = chosen_efficiency(out, {})
    places = places_of(measured_on, asked.machine, asked.variant)
    found = project_results(out, places, tuple(map(parse_at, asked.at)), efficiency)
    if asked.output is not None:
        write_output(asked.output, found.page)
        if asked.output == STANDARD_OUTPUT:
            return
    show = partial(show_study_projection, name=out.resolve().name)
    asked.shown.present_rows(found.document, study_projection_table, show)


def _project_application(asked: _Asked, show: str) -> None:
    """Project an application and show or write what was asked for."""
    from ingest.errors import UsageError
    from pipeline.config.application_inputs import read_inputs
    from pipeline.report.render.terminal_tables import show_table

    inputs = read_inputs(asked.at)
    if show == "parts":
        _show_parts(asked, inputs)
        return
    if show not in DETAILS:
        hint = f"choose one of parts, {', '.join(DETAILS)}"
        raise UsageError(f"'{show}' is not known", where="--show", hint=hint)
    if inputs.swept or asked.output is not None:
        raise UsageError(f"{show} are shown at one point", where="--show", hint="omit the sweep and --out")
    document, table = _details(asked, show, inputs)
    asked.shown.present(document, table, lambda screen: show_table(screen, table()))


def _show_parts(asked: _Asked, inputs: "Inputs") -> None:
    from pipeline.columns.projections import projection_table, sweep_table
    from pipeline.report.projections import projection_json, show_projection, show_sweep, sweep_json
    from pipeline.stages.project import projection_image, sweep

    form = None if asked.output is None else image_form(asked.output)
    found = sweep(asked.source, asked.machine, inputs.values, variant=asked.variant)
    if asked.output is not None and form is not None:
        write_output(asked.output, projection_image(form, found, inputs.swept))
        if asked.output == STANDARD_OUTPUT:
            return
    document: Mapping[str, Any]
    table: Callable[[], DataTable]
    draw: Callable[[Console], None]
    if inputs.swept:
        document = sweep_json(found, inputs.swept)
        table, draw = lambda: sweep_table(document), lambda out: show_sweep(out, found, inputs.swept)
    else:
        document = projection_json(found[0])
        table, draw = lambda: projection_table(document), lambda out: show_projection(out, found[0])
    asked.shown.present(document, table, draw)


def _export(asked: _Asked, language: "Language", *, others: bool) -> None:
    from ingest.errors import UsageError
    from pipeline.stages.project import export_application

    if others:
        hint = "omit other options than --on and --variant"
        raise UsageError("prints the formula, with its inputs as arguments", where="--to", hint=hint)
    print(export_application(asked.source, asked.machine, language, variant=asked.variant).rstrip())


def _details(
    asked: _Asked, show: str, inputs: "Inputs"
) -> tuple[Mapping[str, Any], "Callable[[], DataTable]"]:
    """Return what stands behind a projection as plain data, and what makes a table of it."""
    from pipeline.columns import port_models, projections
    from pipeline.projection.ports.threads import (
        counter_comparisons,
        model_comparisons,
        port_loads,
        thread_times,
    )
    from pipeline.stages.project import files, sensitivities_of

    source, machine, variant, at = asked.source, asked.machine, asked.variant, inputs.values[0]
    both = files(source, machine)
    document: Mapping[str, Any]
    if show == "sensitivities":
        document = projections.sensitivities_json(sensitivities_of(*both, at, variant=variant))
        return document, lambda: projections.sensitivities_table(document)
    if show == "ports":
        document = port_models.loads_json(port_loads(*both))
        return document, lambda: port_models.loads_table(document)
    if show == "models":
        document = port_models.comparisons_json(model_comparisons(*both))
        return document, lambda: port_models.comparisons_table(document)
    if show == "counters":
        document = port_models.counters_json(counter_comparisons(*both))
        return document, lambda: port_models.counters_table(document)
    document = port_models.threads_json(thread_times(*both))
    return document, lambda: port_models.threads_table(document)
