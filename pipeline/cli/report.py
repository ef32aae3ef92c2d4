"""`pipeline report`: write the HTML report of a stored result again."""

import typer

from pipeline.cli.app import app
from pipeline.cli.options import At, Given, Out, chosen_efficiency, declared_options
from pipeline.cli.output import show_notice
from pipeline.config.options import Options


@app.command("report")
@declared_options("report", Options)
def report_command(out: Out, given: Given, at: At = None) -> None:
    """Write report.html again, for other target points if any are given."""
    from pipeline.config.targets import parse_at
    from pipeline.stages.report import report_stored

    path = report_stored(out, parse_at(at or []), show_notice, chosen_efficiency(out, given))
    typer.echo(f"Report in {path}")
