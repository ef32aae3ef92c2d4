"""Measurements reduced to what fitting needs: one mean per point, and the noise of the repetitions."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import ModelError

LARGEST = 1e150  # what lies beyond is no measurement, and its square no number


@dataclass(frozen=True, eq=False)
class Observations:
    """K kernels at P distinct points.

    Attributes:
        points: float64[P, D], ascending in the first parameter.
        mean: float64[K, P], mean over repetitions, 0 where nothing was measured.
        count: int64[K, P], repetitions measured.
        squares: float64[K, P], sum of squared deviations of the repetitions from their mean.
    """

    points: FloatArray
    mean: FloatArray
    count: IntArray
    squares: FloatArray

    @property
    def measured(self) -> BoolArray:
        """bool[K, P]."""
        return self.count > 0


def observe(points: FloatArray, values: FloatArray) -> Observations:
    """Reduce measurements to means and noise; the same point given twice counts as repetitions.

    Args:
        points: float64[P, D], parameter values.
        values: float64[K, P, R], NaN where nothing was measured.

    Raises:
        ModelError: the arrays do not fit together, a parameter is not positive, or a value is infinite.
    """
    points, values = np.asarray(points, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if points.ndim != 2 or values.ndim != 3 or len(points) != values.shape[1] or len(points) == 0:
        raise ModelError(f"points of shape {points.shape} do not fit values of shape {values.shape}")
    if not (np.isfinite(points) & (points > 0)).all():
        raise ModelError(
            "a parameter value is not a positive number", mend="leave out such runs or count from 1"
        )
    if (np.abs(values) > LARGEST).any():
        raise ModelError("a measured value is infinite", mend="leave out the run that it comes from")
    unique, place = np.unique(points, axis=0, return_inverse=True)
    place = place.reshape(-1)
    there = ~np.isnan(values)
    known = np.where(there, values, 0.0)
    same = place[:, None] == np.arange(len(unique))
    count = there.sum(axis=2) @ same.astype(np.int64)
    mean = known.sum(axis=2) @ same.astype(np.float64) / np.maximum(count, 1)
    deviation = np.where(there, known - mean[:, place, None], 0.0)
    squares = (deviation**2).sum(axis=2) @ same.astype(np.float64)
    return Observations(unique, mean, count, squares)
