"""The call tree in the terminal: inclusive values as bars, growth in colour."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from ingest.arrays import FloatArray
from pipeline.models.kernels import callpath_id
from pipeline.questions.analysis import Analysis
from pipeline.report.tables.tree import own_growth, shown_tree
from pipeline.report.terminal.results import growth_style
from pipeline.report.terminal.tables import Column, named_table
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import counted, display_unit, figure, percent, shorten_middle

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
    kernels, tree = analysis.callpaths.kernels, shown_tree(analysis, values, least)
    factor, unit = display_unit(kernels.unit, tree.total)
    shares = tree.share.tolist()
    columns = [
        Column(header="", cells=[bar(s).ljust(BAR_WIDTH) for s in shares], justify="left", dispensable=1),
        Column(header="inclusive", cells=[figure(value) for value in (tree.inclusive * factor).tolist()]),
        Column(header="share", cells=[percent(share) for share in shares]),
        Column(header="own", cells=[figure(value) for value in (tree.own * factor).tolist()]),
        Column(header="own growth", cells=[_growth(analysis, n) for n in tree.nodes], justify="left"),
    ]
    title = f"{kernels.metric} [{unit}] {origin}"
    out.print(
        named_table(
            f"{'id':>{len(callpath_id(len(analysis.experiment.tree)))}}  call path",
            lambda width: _names(analysis, tree.nodes, width),
            columns,
            width=out.width,
            title=title,
            shortest=SHORTEST,
        )
    )
    if tree.hidden:
        out.print(f"{counted(tree.hidden, 'call path')} below {percent(least)} left out", style="dim")


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
        name = shorten_middle(shown_name(regions.name[int(tree.region[node])]), width - len(indent))
        names.append(f"{callpath_id(node + 1):>{digits}}  {indent}{name}")
    return names


def _growth(analysis: Analysis, node: int) -> Text:
    models = analysis.callpaths.models
    style = growth_style(
        models.formula(node).growth, float(models.quality.probability_growing[node]), models.notes(node)
    )
    return Text(own_growth(analysis, node), style=style)
