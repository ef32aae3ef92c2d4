"""Points at which a further measurement could be taken."""

import itertools

import numpy as np

from ingest.arrays import FloatArray

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
