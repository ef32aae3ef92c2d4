"""The call tree in the terminal: inclusive values as bars, growth in colour."""

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.text import Text

from ingest.arrays import FloatArray
from ingest.cpp_names import short_name
from pipeline.models.analysis import Analysis
from pipeline.models.kernels import callpath_id
from pipeline.report.formatting import counted, display_unit, figure, percent, shorten_middle
from pipeline.report.terminal.results import growth_style
from pipeline.report.terminal.tables import Column, named_table

BAR_WIDTH = 12
SHORTEST = 28  # characters that ids and names get before columns are left out
EIGHTHS = " ▏▎▍▌▋▊▉█"


def show_tree(out: Console, analysis: Analysis, values: FloatArray, origin: str, least: float) -> None:
    """Print the call tree.

    Args:
        out: where to.
        analysis: the modelled experiment.
        values: float64[call path], exclusive values to show, measured or predicted.
        origin: what the values are, such as ``measured at p = 8``.
        least: call paths with a smaller inclusive share are left out and counted.
    """
    tree, kernels = analysis.experiment.tree, analysis.callpaths.kernels
    own = np.nan_to_num(values)
    inclusive = tree.inclusive(own[:, None])[:, 0]
    total = float(inclusive[tree.parent < 0].sum())
    share = inclusive / total if total > 0 else np.zeros_like(inclusive)
    nodes = np.flatnonzero(share >= least).tolist()
    factor, unit = display_unit(kernels.unit, total)
    bars = [bar(float(share[n])).ljust(BAR_WIDTH) for n in nodes]
    columns = [
        Column(header="", cells=bars, justify="left", dispensable=1),
        Column(header="inclusive", cells=[figure(float(inclusive[n]) * factor) for n in nodes]),
        Column(header="share", cells=[percent(float(share[n])) for n in nodes]),
        Column(header="own", cells=[figure(float(own[n]) * factor) for n in nodes]),
        Column(header="own growth", cells=[_growth(analysis, n) for n in nodes], justify="left"),
    ]
    title = f"{kernels.metric} [{unit}] {origin}"
    out.print(
        named_table(
            f"{'id':>{len(callpath_id(len(tree)))}}  call path",
            lambda width: _names(analysis, nodes, width),
            columns,
            width=out.width,
            title=title,
            shortest=SHORTEST,
        )
    )
    if len(nodes) < len(tree):
        hidden = counted(len(tree) - len(nodes), "call path")
        out.print(f"{hidden} below {percent(least)} left out", style="dim")


def bar(share: float) -> str:
    """Draw a share of one as a bar of eighths of a character."""
    eighths = round(min(max(share, 0.0), 1.0) * BAR_WIDTH * 8)
    return EIGHTHS[8] * (eighths // 8) + (EIGHTHS[eighths % 8] if eighths % 8 else "")


def _names(analysis: Analysis, nodes: Sequence[int], width: int) -> list[str]:
    """Return ids and names of call paths, indented by their depth up to half of the width."""
    tree, regions = analysis.experiment.tree, analysis.experiment.regions
    digits = len(callpath_id(len(tree)))
    width -= digits + 2
    names = []
    for node in nodes:
        indent = ("  " * int(tree.depth[node]))[: width // 2]
        name = shorten_middle(short_name(regions.name[int(tree.region[node])]), width - len(indent))
        names.append(f"{callpath_id(node + 1):>{digits}}  {indent}{name}")
    return names


def _growth(analysis: Analysis, node: int) -> Text:
    models = analysis.callpaths.models
    growth = models.growth(node)
    style = growth_style(growth, float(models.probability_growing[node]), models.notes(node))
    return Text("constant" if growth == "1" else growth, style=style)
