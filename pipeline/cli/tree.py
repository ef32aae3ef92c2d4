"""`pipeline tree`: the call tree of a stored result."""

from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import At, Format, Json, Metric, Out
from pipeline.cli.output import require_table_alone, write_summary, write_table


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
    table_format: Format = "table",
) -> None:
    """Show the call tree with shares and growth, measured at the largest scale or predicted (--at)."""
    from pipeline.config.targets import parse_at
    from pipeline.config.values import read_option_share
    from pipeline.report.tables.tree import tree_table
    from pipeline.report.terminal import console
    from pipeline.report.terminal.tree import show_tree
    from pipeline.stages.model import summary_of, tree_point, tree_values
    from pipeline.store.results import read_analysis

    require_table_alone(table_format, {"--json": json})
    share = read_option_share("--least", least)
    analysis, targets = read_analysis(out, metric), parse_at(at or [])
    if write_summary(json, summary_of(analysis, targets) if json else {}):
        return
    shown = [[target] for target in targets] or [[]]
    trees = [(tree_point(analysis, at), *tree_values(analysis, at)) for at in shown]
    if write_table(table_format, lambda: tree_table(analysis, [tree[:2] for tree in trees], share)):
        return
    for _, values, origin in trees:
        show_tree(console(), analysis, values, origin, share)
