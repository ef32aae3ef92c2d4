"""`pipeline report`: write the HTML report of a stored result again."""

from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import At, Given, Out, chosen_efficiency, declared_options
from pipeline.cli.output import STANDARD_OUTPUT, show_notice, write_output
from pipeline.config.options import Options


@app.command("report")
@declared_options("report", Options)
def report_command(
    out: Out,
    given: Given,
    at: At = None,
    measured_on: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="MACHINE",
            help="Show the roofline of the machine measured on: a file, or a name of `project --list`.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write a copy to this file, '-' for standard output."
        ),
    ] = None,
) -> None:
    """Write report.html again, for other target points if any are given."""
    from pipeline.config.targets import parse_at
    from pipeline.stages.report import report_stored

    efficiency = chosen_efficiency(out, given)
    path = report_stored(out, parse_at(at or []), show_notice, efficiency, measured_on=measured_on)
    if output is not None:
        write_output(output, path.read_text(encoding="utf-8", errors="surrogateescape"))
    if output != STANDARD_OUTPUT:
        typer.echo(f"Report in {path}")
