"""`pipeline project`: a program on another machine, from a semi-analytical model."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import By, Format, Json, Limit
from pipeline.cli.output import require_table_alone, write_summary, write_table

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
        help="Inputs of the application, such as L=8,P=1024 or 'halo=64 KiB'; one may be swept: L=4:14, "
        "P=64:4096:x2 or P=64,96,1024. Of results, a target point. May be repeated.",
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
        help="Draw what is swept, or else the roofline of a projection by bandwidth ratios: a .png or .svg "
        "file, '-' for SVG on standard output. Of results, write their report there, an .html file.",
    ),
]
Show = Annotated[
    str,
    typer.Option(
        metavar="WHAT",
        help="What to show: parts, sensitivities (percent of the total for a percent of each value), "
        "strategies (of vector loops), or of port models: ports (loads), models (four compared), threads.",
    ),
]
Export = Annotated[
    str | None,
    typer.Option(
        metavar="LANGUAGE", help="Print the total as source text: octave (also MATLAB), python or latex."
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
    show: Show = "parts",
    export: Export = None,
    by: By = "region",
    limit: Limit = 15,
    listed: Listed = False,
    table_format: Format = "table",
) -> None:
    """Predict an application, or measured results, on another machine, part by part, with intervals."""
    from ingest.errors import UsageError
    from pipeline.cli.project_application import Targets, project_application
    from pipeline.cli.project_results import project_directory

    require_table_alone(table_format, {"--output": roofline, "--json": json})
    if listed:
        if any((application, from_machine, on, at, variant, roofline, export)):
            raise UsageError(
                "lists everything", where="--list", hint="omit other arguments than --json and --format"
            )
        list_shipped(json, table_format)
        return
    if application is None:
        raise UsageError("no application given", hint="`pipeline project --list` shows the shipped ones")
    targets = Targets(json=json, plot=roofline, form=table_format)
    if Path(application).is_dir():
        if export is not None or show != "parts":
            raise UsageError("is for applications", where="--show" if export is None else "--export")
        project_directory(Path(application), from_machine, on, at or [], variant, by, limit, targets)
        return
    if from_machine is not None:
        hint = "give a results directory of `pipeline run`"
        raise UsageError("an application is not measured on a machine", where="--from", hint=hint)
    project_application(application, on, at or [], variant, show=show, export=export, targets=targets)


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
