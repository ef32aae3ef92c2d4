"""`pipeline tree`: the call tree of a stored result."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.arguments import At, Json, write_summary


@app.command("tree")
def tree_command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Results directory of `pipeline run`.")],
    at: At = None,
    least: Annotated[float, typer.Option("--least", help="Smallest inclusive share shown.")] = 0.01,
    json: Json = None,
) -> None:
    """Show the call tree with bars and growth, as measured at the largest scale or as predicted (--at)."""
    from pipeline.config.targets import parse_at
    from pipeline.report.terminal import console
    from pipeline.report.tree import show_tree
    from pipeline.stages.model import summary_of, target_points
    from pipeline.store.results import read_analysis

    analysis = read_analysis(out)
    targets = parse_at(at or [])
    if write_summary(json, summary_of(analysis, targets) if json else {}):
        return
    kernels = analysis.callpaths.kernels
    if targets:
        points = target_points(analysis, targets)[-1:]
        values = analysis.callpaths.models.predict(points).value[:, 0]
        where, how = points[0], "predicted"
    else:
        values = kernels.mean[:, -1]
        where, how = analysis.experiment.points[-1], "measured"
    place = ", ".join(f"{n} = {v:g}" for n, v in zip(analysis.experiment.parameters, where, strict=True))
    show_tree(console(), analysis, values, f"{kernels.metric} [{kernels.unit}] {how} at {place}", least)
