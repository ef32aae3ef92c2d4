"""The call tree as a table, and which of its call paths are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.questions.analysis import Analysis
from pipeline.report.tables.data_table import (
    Column,
    DataTable,
    amounts,
    kernels,
    parameters,
    quantities,
    shares,
    words,
)
from pipeline.wording.quantities import counted, numbers, percent, value_text


@dataclass(frozen=True, kw_only=True)
class ShownTree:
    """The call paths of a tree that are shown, n of them.

    Attributes:
        nodes: int64[n], in preorder.
        own: float64[n], exclusive values.
        inclusive: float64[n], with all callees.
        share: float64[n], inclusive values as shares of the total.
        total: of the whole tree.
        hidden: the number of call paths that are not shown.
    """

    nodes: Sequence[int]
    own: FloatArray
    inclusive: FloatArray
    share: FloatArray
    total: float
    hidden: int


def shown_tree(analysis: Analysis, values: FloatArray, least: float) -> ShownTree:
    """Choose the call paths whose inclusive share is large enough.

    Args:
        analysis: the modelled experiment.
        values: float64[call path], exclusive values, measured or predicted.
        least: the smallest inclusive share.
    """
    tree = analysis.experiment.tree
    own = np.nan_to_num(values)
    inclusive = tree.inclusive(own[:, None])[:, 0]
    total = float(inclusive[tree.parent < 0].sum())
    share = inclusive / total if total > 0 else np.zeros_like(inclusive)
    nodes = np.flatnonzero(share >= least)
    return ShownTree(
        nodes=nodes.tolist(),
        own=own[nodes],
        inclusive=inclusive[nodes],
        share=share[nodes],
        total=total,
        hidden=len(tree) - len(nodes),
    )


def tree_table(
    analysis: Analysis, trees: Sequence[tuple[Mapping[str, float], FloatArray]], least: float
) -> DataTable:
    """Return one row per point and call path, in preorder.

    Args:
        analysis: the modelled experiment.
        trees: points, and there the exclusive values of all call paths, float64[call path].
        least: the smallest inclusive share that is shown.
    """
    found = [(point, shown_tree(analysis, values, least)) for point, values in trees]
    nodes = [node for _, one in found for node in one.nodes]
    tree, level = analysis.experiment.tree, analysis.callpaths
    own, inclusive, share = (
        numbers(np.concatenate([getattr(one, name) for _, one in found]))
        for name in ("own", "inclusive", "share")
    )
    columns: list[Column] = [
        kernels((level.kernels.callpaths[node] for node in nodes), "callpath"),
        amounts("depth", (int(tree.depth[node]) for node in nodes), show=value_text),
        *parameters(analysis.experiment.parameters, [point for point, one in found for _ in one.nodes]),
        quantities("inclusive", inclusive, level.kernels.unit),
        shares("share", share),
        quantities("own", own, level.kernels.unit),
        words("own_growth", [own_growth(analysis, node) for node in nodes]),
    ]
    notes = [
        f"{counted(one.hidden, 'call path')} below {percent(least)} left out"
        for _, one in found[-1:]
        if one.hidden
    ]
    return DataTable(columns=columns, notes=notes)


def own_growth(analysis: Analysis, node: int) -> str:
    """Return the growth of the exclusive value of a call path."""
    growth = analysis.callpaths.models.formula(node).growth
    return "constant" if growth == "1" else growth
