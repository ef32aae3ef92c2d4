"""The call tree in the terminal: inclusive values as bars, growth in colour."""

from collections.abc import Sequence

from rich.console import Console

from ingest.arrays import FloatArray
from pipeline.columns.shown_tree import shown_tree, tree_table
from pipeline.questions.analysis import Analysis
from pipeline.report.render.terminal_tables import terminal_table
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import shorten_middle


def show_tree(
    out: Console,
    analysis: Analysis,
    values: FloatArray,
    origin: str,
    least: float,
) -> None:
    """Print the call tree.

    Args:
        out: where to.
        analysis: the modelled experiment.
        values: float64[call path], exclusive values to show, measured or predicted.
        origin: what the values are, such as ``measured at p = 8``.
        least: call paths with a smaller inclusive share are left out and counted.
    """
    nodes = shown_tree(analysis, values, least).nodes
    table = tree_table(analysis, [({}, values)], least, f"{analysis.callpaths.kernels.metric} {origin}")
    out.print(terminal_table(table, out.width, names=lambda width: _names(analysis, nodes, width)))
    for note in table.notes:
        out.print(note, style="dim")


def _names(analysis: Analysis, nodes: Sequence[int], width: int) -> list[str]:
    """Return the names of call paths, indented by their depth up to half of the width."""
    tree, regions = analysis.experiment.tree, analysis.experiment.regions
    names = []
    for node in nodes:
        indent = ("  " * int(tree.depth[node]))[: width // 2]
        names.append(
            indent + shorten_middle(shown_name(regions.name[int(tree.region[node])]), width - len(indent))
        )
    return names
