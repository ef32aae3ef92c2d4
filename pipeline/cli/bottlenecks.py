"""`pipeline bottlenecks`: the ranked table of a stored result."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.arguments import At, By, Json, Limit, level_of, write_summary


@app.command("bottlenecks")
def bottlenecks_command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Results directory of `pipeline run`.")],
    at: At = None,
    json: Json = None,
    by: By = "region",
    limit: Limit = 15,
) -> None:
    """Rank the kernels at a target scale: growth, share, and who overtakes whom."""
    from pipeline.config.targets import parse_at
    from pipeline.report.terminal import console, show_result
    from pipeline.stages.model import summary_of
    from pipeline.store.results import read_analysis

    level = level_of(by)
    summary = summary_of(read_analysis(out), parse_at(at or []))
    if not write_summary(json, summary):
        show_result(console(), summary, by=level, limit=limit)
