"""`pipeline report`: write the HTML report of a stored result again."""

from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import At, From, Given, On, Out, chosen_efficiency, declared_options
from pipeline.cli.output import STANDARD_OUTPUT, show_notice, write_output
from pipeline.config.options import Options


@app.command("report")
@declared_options("report", Options)
def report_command(
    out: Out,
    given: Given,
    at: At = None,
    from_machine: From = None,
    on: On = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write a copy to this file, '-' for standard output."
        ),
    ] = None,
) -> None:
    """Write report.html again, for other target points if any are given, or for another machine."""
    from ingest.errors import UsageError
    from pipeline.config.targets import parse_at
    from pipeline.stages.report import report_stored

    efficiency = chosen_efficiency(out, given)
    if on is not None:
        from pipeline.stages.project_study import places_of, project_results

        if output is None:
            hint = "give -o FILE: report.html stays that of the machine measured on"
            raise UsageError("a report on another machine needs a file", where="--on", hint=hint)
        found = project_results(out, places_of(from_machine, on), parse_at(at or []), efficiency)
        write_output(output, found.page)
        return
    path = report_stored(out, parse_at(at or []), show_notice, efficiency, measured_on=from_machine)
    if output is not None:
        write_output(output, path.read_text(encoding="utf-8", errors="surrogateescape"))
    if output != STANDARD_OUTPUT:
        typer.echo(f"Report in {path}")
