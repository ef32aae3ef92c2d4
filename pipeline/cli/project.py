"""`pipeline project`: a program on another machine, from a semi-analytical model."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import LEVELS, By, Format, Json, Limit, chosen_efficiency
from pipeline.cli.output import (
    STANDARD_OUTPUT,
    require_table_alone,
    show_written,
    write_output,
    write_summary,
    write_table,
)

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
    typer.Option(
        "--from",
        metavar="MACHINE",
        help="Machine that a results directory was measured on: a TOML file, or a shipped one.",
    ),
]
OnMachine = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="MACHINE",
        help="Machine: a TOML file, or a shipped one (see --list); default: the application's own.",
    ),
]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--at",
        metavar="NAME=VALUE,...",
        help="Inputs of the application, such as L=8,P=1024 or 'halo=64 KiB', or a target point of the "
        "results; may be repeated.",
    ),
]
Variant = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Variant of the machine, such as ideal or noiseless (see --list)."),
]
RooflineFile = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        "--roofline",
        metavar="FILE",
        help="Draw the roofline of a projection by bandwidth ratios: a .png or .svg file, '-' for SVG on "
        "standard output; of results, write their report on the other machine, an .html file.",
    ),
]
Listed = Annotated[bool, typer.Option("--list", help="Show the shipped applications and machines.")]


@app.command("project")
def project_command(
    application: Application = None,
    from_machine: FromMachine = None,
    on: OnMachine = None,
    at: Inputs = None,
    variant: Variant = None,
    json: Json = None,
    roofline: RooflineFile = None,
    by: By = "region",
    limit: Limit = 15,
    listed: Listed = False,
    table_format: Format = "table",
) -> None:
    """Predict an application, or measured results, on another machine, part by part, with intervals."""
    from ingest.errors import UsageError
    from pipeline.report.projection_table import projection_json, show_projection
    from pipeline.report.standard_output import write_standard_output
    from pipeline.report.tables.projection import projection_table
    from pipeline.report.terminal import console
    from pipeline.stages.project import draw_roofline, project, roofline_image

    require_table_alone(table_format, {"--output": roofline, "--json": json})
    if listed:
        if any((application, from_machine, on, at, variant, roofline)):
            raise UsageError(
                "lists everything", where="--list", hint="omit other arguments than --json and --format"
            )
        list_shipped(json, table_format)
        return
    if application is None:
        raise UsageError("no application given", hint="`pipeline project --list` shows the shipped ones")
    if Path(application).is_dir():
        project_directory(
            Path(application), from_machine, on, at or [], variant, json, roofline, by, limit, table_format
        )
        return
    if from_machine is not None:
        hint = "give a results directory of `pipeline run`"
        raise UsageError("an application is not measured on a machine", where="--from", hint=hint)
    projection = project(application, on, inputs_of(at or []), variant=variant)
    if roofline == STANDARD_OUTPUT:
        write_standard_output(roofline_image("svg", projection))
        return
    if roofline is not None:
        draw_roofline(Path(roofline), projection)
        show_written(roofline)
    document = projection_json(projection)
    if not (write_summary(json, document) or write_table(table_format, lambda: projection_table(document))):
        show_projection(console(), projection)


def project_directory(
    out: Path,
    source: str | None,
    target: str | None,
    at: list[str],
    variant: str | None,
    json: str | None,
    page: str | None,
    by: str,
    limit: int,
    table_format: str,
) -> None:
    """Project the kernels of a results directory, and show or write what becomes of them."""
    from pipeline.config.targets import parse_at
    from pipeline.report.tables.study_projection import study_projection_table
    from pipeline.report.terminal import console
    from pipeline.report.terminal.study_projection import show_study_projection
    from pipeline.stages.project_study import project_results

    found = project_results(
        out, source, target, parse_at(at), variant=variant, min_efficiency=chosen_efficiency(out, {})
    )
    if page is not None:
        write_output(page, found.page)
        if page == STANDARD_OUTPUT:
            return
    level = LEVELS[by]
    if not (
        write_summary(json, found.document)
        or write_table(table_format, lambda: study_projection_table(found.document, by=level, limit=limit))
    ):
        name = out.resolve().name
        show_study_projection(console(), found.document, name=name, by=level, limit=limit)


def list_shipped(json: str | None, table_format: str) -> None:
    """Show the applications and machines that come with the package, or write them in another form."""
    from pipeline.report.projection_table import shipped_json, show_shipped
    from pipeline.report.tables.projection import shipped_table
    from pipeline.report.terminal import console
    from pipeline.stages.project import shipped_applications, shipped_machines

    applications, machines = shipped_applications(), shipped_machines()
    document = shipped_json(applications, machines)
    if not (write_summary(json, document) or write_table(table_format, lambda: shipped_table(document))):
        show_shipped(console(), applications, machines)


def inputs_of(texts: list[str]) -> dict[str, float | str]:
    """Read inputs like ``L=8,P=1024`` or ``work=2 GB``; values with a unit are returned as texts.

    Raises:
        UsageError: a part has no name or no value.
    """
    from ingest.errors import UsageError

    found: dict[str, float | str] = {}
    for part in ",".join(texts).split(","):
        if not part.strip():
            continue
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise UsageError(f"'{part}' is not an input", where="--at", hint="write it like L=8,P=1024")
        if name in found:
            raise UsageError(
                f"{name} is given twice", where="--at", hint="run the command once per value of an input"
            )
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = value
    return found
