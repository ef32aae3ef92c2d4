"""The first runs of a campaign: a pilot at the cheapest scales, and the least series over the whole range."""

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray

PILOT_VALUES = 3  # of each parameter: the fewest that a model can be made from
SERIES_VALUES = 5  # of each parameter, that trust in a model asks for
SERIES_REPETITIONS = 2  # show the noise, and that a run was slow


def pilot_design(points: FloatArray) -> IntArray:
    """Run the smallest scales of a series once each, which tells what larger ones cost.

    Args:
        points: float64[Q, D], the candidates.

    Returns:
        Runs at each, int64[Q].
    """
    design = np.zeros(len(points), dtype=np.int64)
    for line in _lines(points):
        values = points[line].prod(axis=1)
        design[line[_spread(values, SERIES_VALUES)[:PILOT_VALUES]]] = 1
    return design


def series_design(
    points: FloatArray, done: IntArray, cost: FloatArray, repetitions: int, budget: float
) -> IntArray:
    """Run five values of every parameter twice, from the smallest to the largest that the budget allows.

    With several parameters they lie on lines through the cheapest point, which show every parameter for the
    least cost (Ritter and others, "Learning cost-effective sampling strategies for empirical performance
    modeling", 2020); one run where all are large shows whether they interact.

    Args:
        points: float64[Q, D], the candidates.
        done: int64[Q], runs so far; what was measured stays part of the design.
        cost: float64[Q], core-seconds of a run; those of unknown cost are left out if there is a budget.
        repetitions: at a point at most.
        budget: core-seconds left.

    Returns:
        Runs at each, those done included, int64[Q].
    """
    often = min(SERIES_REPETITIONS, repetitions)
    design = np.zeros(len(points), dtype=np.int64)
    left = max(budget, 0.0)
    for line in _lines(points):
        held = np.maximum(done, design)[line]
        chosen = _affordable_line(points[line].prod(axis=1), held, cost[line], often, left)
        design[line[chosen]] = often
        left -= float(np.nansum(np.maximum(often - held[chosen], 0) * cost[line[chosen]]))
    if points.shape[1] > 1:
        affordable = (
            (cost <= left) | (done > 0) if np.isfinite(left) else np.ones(len(points), dtype=np.bool_)
        )
        if affordable.any():
            size = np.where(affordable, np.log(points).sum(axis=1), -np.inf)
            joint = int(size.argmax())
            design[joint] = max(design[joint], 1)
    return design


def _lines(points: FloatArray) -> list[IntArray]:
    """Return the candidates along each parameter that varies, the others smallest; indices, ascending."""
    smallest = points == points.min(axis=0)
    lines = []
    for column in range(points.shape[1]):
        line = np.flatnonzero(np.delete(smallest, column, axis=1).all(axis=1))
        if len(line) > 1 or points.shape[1] == 1:
            lines.append(line[np.argsort(points[line, column], kind="stable")])
    return lines


def _spread(values: FloatArray, count: int) -> IntArray:
    """Choose some of ascending values, evenly in the logarithm, the first and last among them: indices."""
    if len(values) <= count:
        return np.arange(len(values))
    ideal = np.geomspace(values[0], values[-1], count)
    return np.unique(np.abs(np.log(values / ideal[:, None])).argmin(axis=1))


def _affordable_line(
    values: FloatArray, done: IntArray, cost: FloatArray, often: int, budget: float
) -> IntArray:
    """Choose the values of a line up to the largest one whose series is affordable: indices."""
    measured = np.flatnonzero(done > 0)
    lowest = int(measured.max(initial=0))
    for last in range(len(values) - 1, lowest - 1, -1):
        chosen = _filled(np.log(values), done > 0, last)
        price = np.maximum(often - done[chosen], 0) * cost[chosen]
        if not np.isfinite(budget) or price.sum() <= budget:
            return chosen
    return measured if len(measured) else np.zeros(1, dtype=np.int64)


def _filled(logs: FloatArray, measured: BoolArray, last: int) -> IntArray:
    """Add to the measured, the first and the last value those farthest from them until there are enough."""
    chosen = measured.copy()
    chosen[[0, last]] = True
    while chosen.sum() < min(SERIES_VALUES, last + 1):
        distance = np.abs(logs[: last + 1, None] - logs[chosen]).min(axis=1)
        chosen[int(distance.argmax())] = True
    return np.flatnonzero(chosen)
