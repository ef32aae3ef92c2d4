"""The first runs of a campaign: a pilot at the cheapest scales, and the least series over the whole range."""

import itertools

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

    How far it reaches matters more than repetitions: the largest value is one whose series the budget allows
    once, and what is left then pays for repetitions, the cheapest first (`rounds`).

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
        chosen = _affordable_line(points[line].prod(axis=1), held, cost[line], left)
        design[line[chosen]] = often
        left -= float(np.nansum(cost[line[chosen]][held[chosen] == 0]))
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


def _affordable_line(values: FloatArray, done: IntArray, cost: FloatArray, budget: float) -> IntArray:
    """Choose the values of a line up to the largest one whose series is affordable once: indices."""
    measured = np.flatnonzero(done > 0)
    lowest = int(measured.max(initial=0))
    for last in range(len(values) - 1, lowest - 1, -1):
        chosen = _filled(np.log(values), done > 0, last)
        price = float(cost[chosen][done[chosen] == 0].sum())
        if not np.isfinite(budget) or price <= budget:
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


MOST_POINTS = 64


def candidate_points(measured: FloatArray, at: FloatArray) -> FloatArray:
    """Propose the measured points again, and points of values between and beyond the measured ones.

    None lies below the range, where growth does not show. Beyond it every parameter is doubled
    up to its value at the target. Parameters of which only whole numbers were measured keep to whole numbers.
    With several parameters the points closest to the line from the largest measured point to the target are
    kept, since they inform most about it.

    Args:
        measured: float64[P, D], positive.
        at: float64[D], the target.

    Returns:
        float64[Q, D], Q at most `MOST_POINTS`, the measured ones first.
    """
    axes = [_values(np.unique(column), float(target)) for column, target in zip(measured.T, at, strict=True)]
    grid = np.array(list(itertools.product(*axes)))
    known = np.unique(measured, axis=0)
    new = grid[~(grid[:, None, :] == known[None, :, :]).all(axis=2).any(axis=1)]
    room = max(MOST_POINTS - len(known), MOST_POINTS // 2)
    new = new[np.argsort(_distance_to_line(new, measured.max(axis=0), at), kind="stable")[:room]]
    return np.concatenate(
        [known[np.argsort(-known.prod(axis=1), kind="stable")][: MOST_POINTS - len(new)], new]
    )


def larger_points(measured: FloatArray, at: FloatArray) -> FloatArray:
    """Propose points on the way to a target that lies beyond the measured range, the target last.

    Parameters that the target has beyond the range are doubled up to it; the others are at the measured value
    nearest to the target, since elsewhere a run says less about it.

    Args:
        measured: float64[P, D], positive.
        at: float64[D], the target.

    Returns:
        float64[Q, D], none of them in the measured range.
    """
    axes = []
    for column, target in zip(measured.T, at.tolist(), strict=True):
        values = np.unique(column)
        if target > values[-1]:
            axes.append([value for value in _values(values, target) if value >= values[-1]])
        else:
            axes.append([float(values[np.abs(np.log(values / target)).argmin()])])
    found = np.array(list(itertools.product(*axes)))
    larger: FloatArray = found[(found > measured.max(axis=0)).any(axis=1)]
    return larger


def _values(measured: FloatArray, target: float) -> list[float]:
    """Return the values of one parameter worth a measurement, ascending."""
    beyond = measured[-1] * 2.0 ** np.arange(1, 1 + max(0, int(np.log2(max(target / measured[-1], 1.0)))))
    between = np.sqrt(measured[1:] * measured[:-1])
    values = np.concatenate([measured, between, beyond, [target]])
    if (measured == np.round(measured)).all():
        values = np.round(values)
    # A value that lies within a tenth of a measured one adds nothing that repetitions would not.
    near = (np.abs(np.log(np.maximum(values, 1e-300)[:, None] / measured)) < 0.1).any(axis=1)
    kept = values[(values > 0) & (np.isin(values, measured) | ~near)]
    return [float(v) for v in np.unique(kept)]


def _distance_to_line(points: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """Distance in doublings from the segment between two points, float64[Q]."""
    logs, origin = np.log2(points), np.log2(start)
    way = np.log2(end) - origin
    length = float(way @ way)
    share = np.clip((logs - origin) @ way / length, 0.0, 1.0) if length > 0 else np.zeros(len(points))
    distance: FloatArray = np.sqrt(((logs - origin - share[:, None] * way) ** 2).sum(axis=1))
    return distance
