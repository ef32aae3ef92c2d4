"""Measurements reduced to what fitting needs: one mean per point, and the noise of the repetitions."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import ModelError

Number = TypeVar("Number", np.float64, np.int64)

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
    count = _summed(there.sum(axis=2), place)
    mean = _summed(known.sum(axis=2), place) / np.maximum(count, 1)
    deviation = np.where(there, known - mean[:, place, None], 0.0)
    return Observations(unique, mean, count, _summed((deviation**2).sum(axis=2), place))


def _summed(values: NDArray[Number], place: IntArray) -> NDArray[Number]:
    """Sum [K, P] over what belongs to the same place, numbered from 0 without a gap."""
    order = np.argsort(place, kind="stable")
    first = np.searchsorted(place[order], np.arange(place.max() + 1))
    return np.asarray(np.add.reduceat(values[:, order], first, axis=1))
