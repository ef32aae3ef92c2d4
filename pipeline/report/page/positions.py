"""The positions that the page knows predictions of: where its slider stops.

With too few scales to predict from they are the measured scales, and what the page shows there was measured.

They lie on lines along the parameter that scales, one per value of the other parameters. In between the page
predicts nothing; it names the command that does.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.questions.analysis import Analysis, along_parameter, largest_point

BEYOND_TARGET = 4.0  # positions are dense up to this many times the largest target
FARTHEST = 1024.0  # times the largest measured scale, up to where there are any
_STEP = 2.0  # between those beyond the dense ones
MOST, FEWEST_POSITIONS = 24, 14  # of a line, if not more are required
_ON_LINES = 72  # of all lines together, if there are several
_MOST_LINES = 12
_NOWHERE: FloatArray = np.empty(0)
_MOST_VALUES = 1_000_000  # positions times kernels, to bound the cost of large studies


@dataclass(frozen=True, eq=False, kw_only=True)
class Positions:
    """Where the page knows predictions."""

    column: int  # index of the parameter that scales
    scales: FloatArray  # float64[S], values of that parameter, ascending
    lines: FloatArray  # float64[L, D], the points that the lines pass through; the first is the target
    reach: float  # the largest scale that curves are drawn to
    required: IntArray  # int64[F], the measured and the requested positions
    measured_only: bool = False  # whether nothing is predicted

    @cached_property
    def points(self) -> FloatArray:
        """All positions, line by line, float64[L * S, D]."""
        return _positions(self.lines, self.column, self.scales)

    @property
    def target(self) -> FloatArray:
        """The target that the page opens with, float64[D]."""
        return np.asarray(self.lines[0])

    def on_line(self, line: int) -> slice:
        """Return where the positions of a line stand among all."""
        return slice(line * len(self.scales), (line + 1) * len(self.scales))


def positions_of(analysis: Analysis, targets: FloatArray) -> Positions:
    """Choose the positions for targets float64[Q, D]; the last is the one that the page opens with."""
    points, models = analysis.experiment.points, analysis.callpaths.models
    return positions_along(
        points,
        analysis.column,
        targets,
        len(models),
        measured_only=analysis.is_profile,
        common=models.common_scales,
    )


def positions_along(
    points: FloatArray,
    column: int,
    targets: FloatArray,
    kernels: int,
    *,
    measured_only: bool,
    common: FloatArray = _NOWHERE,
) -> Positions:
    """Choose positions along a parameter; `points` are the measured ones, float64[P, D].

    In large studies they are those scales, float64[n], at which all kernels are predicted anyway.
    """
    if measured_only:
        return Positions(
            column=column,
            scales=np.unique(points[:, column]),
            lines=_lines(points, points[[largest_point(points, column)]], column),
            reach=float(points[:, column].max()),
            required=np.arange(0),
            measured_only=True,
        )
    lines = _lines(points, targets, column)
    asked = np.unique([*points[:, column], *targets[:, column]])
    reach = float(asked[-1]) * BEYOND_TARGET
    farthest = float(points[:, column].max()) * FARTHEST
    steps = int(np.floor(np.log(max(farthest / reach, 1.0)) / np.log(_STEP)))
    far = [reach * _STEP**n for n in range(1, steps + 1)]  # beyond the dense ones
    most = MOST if len(lines) == 1 else _ON_LINES // len(lines)
    most = min(most, _MOST_VALUES // (kernels * len(lines) + 1))
    near = filled(np.unique([*asked, reach]), max(most - len(far), FEWEST_POSITIONS))
    scales = np.unique([*asked, *common] if len(common) else [*near, *far])
    known = {tuple(point) for point in np.vstack([points, targets]).tolist()}
    positions = _positions(lines, column, scales).tolist()
    required = np.array([i for i, point in enumerate(positions) if tuple(point) in known], dtype=np.int64)
    return Positions(column=column, scales=scales, lines=lines, reach=reach, required=required)


def _positions(lines: FloatArray, column: int, scales: FloatArray) -> FloatArray:
    return np.vstack([along_parameter(line, column, scales) for line in lines])


def _lines(points: FloatArray, targets: FloatArray, column: int) -> FloatArray:
    """Return the points that differ in the other parameters, those most often measured, the target first."""
    moved = np.vstack([targets[-1:], targets, points])
    moved[:, column] = targets[-1, column]
    lines, first, count = np.unique(moved, axis=0, return_index=True, return_counts=True)
    order = np.lexsort((first, -count, first > 0))[:_MOST_LINES]
    return np.asarray(lines[[order[0], *sorted(order[1:])]])


def filled(required: FloatArray, count: int) -> FloatArray:
    """Halve the widest gaps, by ratio, between scales until there are `count`, if possible: float64[n].

    Between whole numbers there are whole numbers only.
    """
    scales = sorted(required.tolist())
    whole = all(scale.is_integer() for scale in scales)
    closed: set[float] = set()
    while len(scales) < count:
        gaps = [0.0 if low in closed else high / low for low, high in pairwise(scales)]
        widest = int(np.argmax(gaps)) if gaps else 0
        if not gaps or gaps[widest] == 0.0:
            break
        low, high = scales[widest], scales[widest + 1]
        middle = (low * high) ** 0.5
        middle = float(round(middle)) if whole else float(f"{middle:.4g}")
        if low < middle < high:
            scales.insert(widest + 1, middle)
        else:
            closed.add(low)
    return np.array(scales)
