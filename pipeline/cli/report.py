"""`pipeline report`: write the HTML report of a stored result again."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.arguments import At, tell


@app.command("report")
def report_command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Results directory of `pipeline run`.")],
    at: At = None,
) -> None:
    """Write report.html again, for other target points if any are given."""
    from pipeline.config.targets import parse_at
    from pipeline.stages.report import report_stored

    path = report_stored(out, parse_at(at or []), lambda notice: tell([notice]))
    typer.echo(f"Report in {path}")
