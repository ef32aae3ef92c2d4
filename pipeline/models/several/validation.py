"""How far models stray beyond the points they were made from, seen by hiding the largest scales from them."""

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.observations import Observations
from pipeline.models.scaling_models import ScalingModels

_FEWEST_VALUES = 3  # of every parameter that must be left inside
_FEWEST_POINTS = 6
_TO_DEVIATION = 1 / 3.29  # of the width of a 90 % interval


def inside(points: FloatArray) -> BoolArray:
    """Tell which points float64[P, D] have no varying parameter at its largest value, bool[P].

    None where too few are left to make models from.
    """
    largest = points.max(axis=0)
    varies = points.min(axis=0) < largest
    inner: BoolArray = np.logical_and.reduce((points < largest) | ~varies, axis=1)
    values = [len(np.unique(column[inner])) for column in points.T[varies]]
    if inner.sum() < _FEWEST_POINTS or min(values, default=0) < _FEWEST_VALUES:
        return np.zeros(len(points), dtype=bool)
    return inner


def part_of(data: Observations, kernels: IntArray, points: BoolArray) -> Observations:
    """Return some kernels at some points."""
    return Observations(
        data.points[points],
        data.mean[kernels][:, points],
        data.count[kernels][:, points],
        data.squares[kernels][:, points],
    )


def shown_drift(models: ScalingModels, hidden: Observations) -> float:
    """Relative variance per doubling by which kernels stray from models made without the points hidden.

    What the models' own intervals and the noise of the hidden means explain is taken off. The mean of all
    kernels: they are too few at the largest scales to tell whose behaviour strays and whose does not.

    Args:
        models: of K kernels.
        hidden: the same kernels at points beyond those of the models.
    """
    prediction = models.predict(hidden.points)
    size = np.where(prediction.value != 0, np.abs(prediction.value), 1.0)
    expected = ((prediction.upper - prediction.lower) * _TO_DEVIATION / size) ** 2
    error = np.clip((hidden.mean - prediction.value) / size, -1.0, 1.0)
    repeated = np.maximum(hidden.count - 1, 1) * np.maximum(hidden.count, 1)
    noise = hidden.squares / repeated / size / size
    doublings = np.log2(np.maximum(hidden.points / models.last, 1.0)).sum(axis=1)
    counted = hidden.measured & (doublings > 0) & (prediction.value != 0)
    total = np.where(counted, (error**2 - expected - noise) / np.maximum(doublings, 1e-9), 0.0).sum(axis=1)
    each = total / np.maximum(counted.sum(axis=1), 1)
    known = counted.any(axis=1)
    return max(float(each[known].mean()), 0.0) if known.any() else 0.0
