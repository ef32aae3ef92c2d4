"""`pipeline tree`: the call tree of a stored result."""

from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import At, Json, Out
from pipeline.cli.output import write_summary


@app.command("tree")
def tree_command(
    out: Out,
    at: At = None,
    least: Annotated[
        float,
        typer.Option(
            "--least", metavar="SHARE", min=0, max=1, help="Hide call paths below this inclusive share."
        ),
    ] = 0.01,
    json: Json = None,
) -> None:
    """Show the call tree with shares and growth, measured at the largest scale or predicted (--at)."""
    from pipeline.config.targets import parse_at
    from pipeline.report.terminal import console
    from pipeline.report.terminal.tree import show_tree
    from pipeline.stages.model import summary_of, tree_values
    from pipeline.store.results import read_analysis

    analysis, targets = read_analysis(out), parse_at(at or [])
    if write_summary(json, summary_of(analysis, targets) if json else {}):
        return
    values, origin = tree_values(analysis, targets)
    show_tree(console(), analysis, values, origin, least)
