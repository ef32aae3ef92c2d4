"""The call tree in the terminal: inclusive values as bars, growth in colour."""

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ingest.arrays import FloatArray
from ingest.cpp_names import short_name
from pipeline.models.analysis import Analysis
from pipeline.report.names import shorten_middle
from pipeline.report.quantities import figure, percent
from pipeline.report.terminal import growth_style

BAR_WIDTH = 12
EIGHTHS = " ▏▎▍▌▋▊▉█"


def show_tree(out: Console, analysis: Analysis, values: FloatArray, title: str, least: float) -> None:
    """Print the call tree.

    Args:
        out: where to.
        analysis: the modelled experiment.
        values: float64[call path], exclusive values to show, measured or predicted.
        title: what the values are.
        least: call paths with a smaller inclusive share are left out, with a count of them.
    """
    tree = analysis.experiment.tree
    inclusive = tree.inclusive(np.nan_to_num(values)[:, None])[:, 0]
    total = float(inclusive[tree.parent < 0].sum())
    share = inclusive / total if total > 0 else np.zeros_like(inclusive)
    table = Table(title=Text(title), title_justify="left", box=None, pad_edge=False)
    table.add_column("call path", no_wrap=True)
    table.add_column("", no_wrap=True, width=BAR_WIDTH)
    for name in ("inclusive", "share", "own"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("own growth", no_wrap=True)
    shown = np.flatnonzero(share >= least)
    width = max(24, out.width - 66)
    for node in shown.tolist():
        table.add_row(
            _name(analysis, node, width),
            bar(float(share[node])),
            figure(float(inclusive[node])),
            percent(float(share[node])),
            figure(float(np.nan_to_num(values[node]))),
            _growth(analysis, node),
        )
    out.print(table)
    if len(shown) < len(tree):
        out.print(f"{len(tree) - len(shown)} call paths below {percent(least)} left out", style="dim")


def bar(share: float) -> str:
    """Draw a share of one as a bar of eighths of a character."""
    eighths = round(min(max(share, 0.0), 1.0) * BAR_WIDTH * 8)
    return EIGHTHS[8] * (eighths // 8) + (EIGHTHS[eighths % 8] if eighths % 8 else "")


def _name(analysis: Analysis, node: int, width: int) -> Text:
    tree = analysis.experiment.tree
    indent = "  " * int(tree.depth[node])
    name = short_name(analysis.experiment.regions.name[int(tree.region[node])])
    return Text(indent[: width // 2] + shorten_middle(name, max(width - len(indent), width // 2)))


def _growth(analysis: Analysis, node: int) -> Text:
    models = analysis.callpaths.models
    growth = models.growth(node)
    style = growth_style(growth, float(models.probability_growing[node]), models.notes(node))
    return Text("constant" if growth == "1" else growth, style=style)
