"""Measurements reduced to what fitting needs: means per point, and the noise of the repetitions."""

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import ModelError
from pipeline.models.error_model import ErrorModel, Precision

Number = TypeVar("Number", np.float64, np.int64)

NEGATIVE = 0.01  # of the largest value: more below zero means that the quantity can be negative
LARGEST_PARAMETER = 1e30  # powers of larger ones overflow
FEWEST_LEFT = 2  # points of a kernel that begins behind the first ones
LARGEST = 1e70  # larger values are not measurements, and their fourth powers overflow


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

    def take(self, kernels: IntArray) -> "Observations":
        """Return some of the kernels."""
        return Observations(self.points, self.mean[kernels], self.count[kernels], self.squares[kernels])

    def at(self, points: BoolArray) -> "Observations":
        """Return some of the points."""
        return Observations(
            self.points[points], self.mean[:, points], self.count[:, points], self.squares[:, points]
        )

    def begun(self) -> "Observations":
        """Return the same without the first points of one parameter, at which a kernel took no time.

        It was not there yet, as messages are not on one process: its law begins behind. Kernels that would
        have fewer than `FEWEST_LEFT` points stay as they are.
        """
        there = self.measured & (self.mean != 0)
        first = np.where(there.sum(axis=1) >= FEWEST_LEFT, there.argmax(axis=1), 0)
        absent = np.arange(len(self.points)) < first[:, None]
        return replace(self, count=np.where(absent, 0, self.count))

    def distinct(self) -> tuple[IntArray, IntArray]:
        """Return the first of all kernels with the same values, int64[U], and which of these each is.

        Counters are often the same for many call paths, which need to be fitted only once.

        Returns:
            int64[U] and int64[K], indices into kernels and into the first array.
        """
        known: dict[bytes, int] = {}
        rows = np.concatenate([self.mean, self.squares, self.count.astype(np.float64)], axis=1)
        values, size = rows.tobytes(), rows.itemsize * rows.shape[1]
        keys = (values[at : at + size] for at in range(0, len(values), size))
        place = np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)
        return np.unique(place, return_index=True)[1], place

    @property
    def nonnegative(self) -> bool:
        """Whether no value lies clearly below zero: then coefficients and predictions do not either."""
        largest = np.abs(self.mean).max(axis=1, initial=0)
        return bool((self.mean.min(axis=1, initial=0) >= -NEGATIVE * largest).all())


def observe(points: FloatArray, values: FloatArray) -> Observations:
    """Reduce measurements to means and noise; the same point given twice counts as repetitions.

    Args:
        points: float64[P, D], parameter values.
        values: float64[K, P, R], NaN where nothing was measured.

    Raises:
        ModelError: the arrays do not fit together, a parameter is not positive, a value is infinite,
            or a number is so large that its powers would be.
    """
    points, values = np.asarray(points, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if points.ndim != 2 or values.ndim != 3 or len(points) != values.shape[1] or len(points) == 0:
        raise ModelError(f"points of shape {points.shape} do not fit values of shape {values.shape}")
    if not ((points > 0) & np.isfinite(points)).all():
        raise ModelError(
            "a parameter value is not a positive number", hint="leave out such runs or count from 1"
        )
    if points.max() > LARGEST_PARAMETER or points.min() < 1 / LARGEST_PARAMETER:
        raise ModelError("a parameter value is too large or too small", hint="give it in another unit")
    if (np.abs(values) > LARGEST).any():
        raise ModelError(
            "a measured value is infinite or too large", hint="leave out the run that it comes from"
        )
    unique, place = np.unique(points, axis=0, return_inverse=True)
    place = place.reshape(-1)
    there = ~np.isnan(values)
    known = np.where(there & (np.abs(values) > SMALLEST), values, 0.0)
    count = _summed(there.sum(axis=2), place)
    mean = _summed(known.sum(axis=2), place) / np.maximum(count, 1)
    deviation = np.where(there, known - mean[:, place, None], 0.0)
    return Observations(unique, mean, count, _summed((deviation**2).sum(axis=2), place))


def _summed(values: NDArray[Number], place: IntArray) -> NDArray[Number]:
    """Sum [K, P] over what belongs to the same place, numbered from 0 without a gap."""
    order = np.argsort(place, kind="stable")
    first = np.searchsorted(place[order], np.arange(place.max() + 1))
    return np.asarray(np.add.reduceat(values[:, order], first, axis=1))


SMALLEST = 1e-70  # a kernel that never exceeds it is zero
FALLS = 1.2  # the first value over the smallest later one, from which a kernel is tried as falling


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """Means of K kernels, each divided by its largest.

    Attributes:
        points: float64[P], ascending.
        largest: float64[K], what the means were divided by, in the unit of the data.
        level: float64[K, P], the scaled means, 0 where nothing was measured.
        count: int64[K, P], repetitions.
        squares: float64[K, P], scaled sums of squared deviations of the repetitions.
        falls: bool[K], whether the kernel's values fall behind its first measured point.
    """

    points: FloatArray
    largest: FloatArray
    level: FloatArray
    count: IntArray
    squares: FloatArray
    falls: BoolArray

    def __len__(self) -> int:
        """Return the number of kernels K."""
        return len(self.level)

    @property
    def measured(self) -> BoolArray:
        """bool[K, P]."""
        return self.count > 0

    def take(self, kernels: IntArray) -> "Sample":
        """Return some of the kernels."""
        kept = {name: values[kernels] for name, values in vars(self).items() if name != "points"}
        return Sample(points=self.points, **kept)

    def between(self, first: int, last: int) -> "Sample":
        """Return some points only, still relative to the largest of all means."""
        return replace(
            self,
            points=self.points[first:last],
            level=self.level[:, first:last],
            count=self.count[:, first:last],
            squares=self.squares[:, first:last],
        )

    def heaviest(self, count: int) -> "Sample":
        """Return the kernels of most effort."""
        if len(self) <= count:
            return self
        return self.take(np.sort(np.argpartition(-self.largest, count)[:count]))

    def precision(self, structure: ErrorModel, sharpness: float = 1.0) -> Precision:
        """Return the inverse covariance of the errors of the levels to a power, at unit variance.

        An error d of the level y is one of s y^(s - 1) d of y^s.
        """
        scale = structure.scale(self.level)
        if sharpness != 1:
            scale = scale * sharpness * np.maximum(np.abs(self.level), structure.floor) ** (sharpness - 1)
        return structure.precision(self.points, scale, self.measured)

    def repetition_noise(self, structure: ErrorModel) -> tuple[FloatArray, FloatArray]:
        """Return the repetitions' sum of squares in units of the errors, and its degrees, float64[K] each."""
        degrees = np.maximum(self.count - 1, 0).sum(axis=1).astype(np.float64)
        return (self.squares / structure.scale(self.level) ** 2).sum(axis=1), degrees


def sample_of(data: Observations) -> Sample:
    """Scale each kernel to a largest mean of 1; those that are zero throughout stay so."""
    largest = np.abs(data.mean).max(axis=1)
    largest = np.where(largest > SMALLEST, largest, 0.0)
    size = np.where(largest > 0, largest, 1.0)[:, None]
    level = np.where(largest[:, None] > 0, data.mean, 0.0) / size
    first = data.measured.argmax(axis=1)[:, None]
    behind = data.measured & (np.arange(level.shape[1]) > first)
    later = np.where(behind, level, np.inf).min(axis=1, initial=np.inf)
    falls = np.take_along_axis(level, first, axis=1)[:, 0] > FALLS * later
    squares = np.where(largest[:, None] > 0, data.squares, 0.0) / size**2
    return Sample(
        points=data.points[:, 0], largest=largest, level=level, count=data.count, squares=squares, falls=falls
    )
