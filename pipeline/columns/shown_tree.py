"""The call tree as a table, and which of its call paths are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import PATH, QUANTITY, SHARE, WHOLE_KIND, Column, filled, parameters
from pipeline.columns.kernels import IDENTITY, growth_style
from pipeline.models.growth import growth_cell, growth_classes
from pipeline.questions.analysis import Analysis
from pipeline.wording.quantities import counted, numbers, percent


@dataclass(frozen=True, kw_only=True)
class ShownTree:
    """The call paths of a tree that are shown, n of them."""

    nodes: Sequence[int]  # int64[n], in preorder
    own: FloatArray  # float64[n], exclusive values
    inclusive: FloatArray  # float64[n], with all callees
    share: FloatArray  # float64[n], inclusive values as shares of the total
    total: float  # of the whole tree
    hidden: int  # the number of call paths that are not shown


def shown_tree(analysis: Analysis, values: FloatArray, least: float) -> ShownTree:
    """Choose the call paths whose inclusive share of exclusive float64[call path] is at least `least`."""
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


_BAR_WIDTH = 12
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def bar(share: float) -> str:
    """Draw a share of one as a bar of eighths of a character."""
    eighths = round(min(max(share, 0.0), 1.0) * _BAR_WIDTH * 8)
    return (_EIGHTHS[8] * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")).ljust(_BAR_WIDTH)


def tree_table(
    analysis: Analysis, trees: Sequence[tuple[Mapping[str, float], FloatArray]], least: float, title: str = ""
) -> DataTable:
    """Return one row per point and call path of at least some inclusive share, in preorder.

    Trees are points, and there the exclusive values of all call paths, float64[call path].
    """
    found = [(point, shown_tree(analysis, values, least)) for point, values in trees]
    points = [point for point, one in found for _ in one.nodes]
    nodes = [node for _, one in found for node in one.nodes]
    models, kernels = analysis.callpaths.models, analysis.callpaths.kernels
    depth = analysis.experiment.tree.depth
    growths = growth_classes(models.take(np.array(nodes, dtype=np.int64)))

    def of(name: str) -> list[float | int]:
        return numbers(np.concatenate([getattr(one, name) for _, one in found]))

    columns: list[Column[Sequence[int]]] = [
        Column(key="id", kind=IDENTITY, each=lambda node: node + 1),
        Column(key="callpath", heading="call path", kind=PATH, each=lambda node: kernels.callpaths[node]),
        Column(
            key="bar",
            heading=" ",
            values=lambda _: map(bar, of("share")),
            audience=Audience.TERMINAL,
            dispensable=1,
        ),
        Column(key="depth", kind=WHOLE_KIND, each=lambda node: int(depth[node]), audience=Audience.FILES),
        *parameters(analysis.experiment.parameters, points, Audience.FILES),
        Column(key="inclusive", kind=QUANTITY, unit=kernels.unit, values=lambda _: of("inclusive")),
        Column(key="share", kind=SHARE, values=lambda _: of("share")),
        Column(key="own", kind=QUANTITY, unit=kernels.unit, values=lambda _: of("own")),
        Column(
            key="own_growth",
            values=lambda _: growths,
            write=growth_cell,
            styles=lambda nodes: map(growth_style, growths, map(models.notes, nodes)),
        ),
    ]
    hidden = found[-1][1].hidden
    notes = [f"{counted(hidden, 'call path')} below {percent(least)} left out"] if hidden else []
    return filled(columns, nodes, notes=notes, title=title)
