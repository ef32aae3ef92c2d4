"""`pipeline tree`: the call tree of a stored result."""

from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import At, Json, Metric, Out
from pipeline.cli.output import write_summary


@app.command("tree")
def tree_command(
    out: Out,
    at: At = None,
    metric: Metric = None,
    least: Annotated[
        str,
        typer.Option(
            "--least", metavar="SHARE", help="Hide call paths below this inclusive share, such as 1% or 0.01."
        ),
    ] = "1%",
    json: Json = None,
) -> None:
    """Show the call tree with shares and growth, measured at the largest scale or predicted (--at)."""
    from pipeline.config.targets import parse_at
    from pipeline.config.values import read_option_share
    from pipeline.report.terminal import console
    from pipeline.report.terminal.tree import show_tree
    from pipeline.stages.model import summary_of, tree_values
    from pipeline.store.results import read_analysis

    share = read_option_share("--least", least)
    analysis, targets = read_analysis(out, metric), parse_at(at or [])
    if write_summary(json, summary_of(analysis, targets) if json else {}):
        return
    for chosen in [[target] for target in targets] or [[]]:
        values, origin = tree_values(analysis, chosen)
        show_tree(console(), analysis, values, origin, share)
