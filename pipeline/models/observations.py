"""Measurements reduced to what fitting needs: means per point, and the noise of the repetitions."""

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from ingest.errors import ModelError
from pipeline.statistics import MOST_DEGREES, PooledVariance, pool_variances


@dataclass(frozen=True, eq=False)
class Precision:
    """The inverse covariances G of the errors of K kernels at P points.

    The first axis of what does not depend on the kernel is 1.
    """

    size: FloatArray  # float64[K, P], one over the size of the errors, 0 where nothing was measured
    # float64[1 or K, P], what share of a surprise moves the walk; 0 where errors are independent
    gain: FloatArray
    # float64[1 or K, P], one over the variance of a surprise, 0 where nothing was measured
    certainty: FloatArray

    @property
    def diagonal(self) -> FloatArray:
        """float64[K, P], the diagonals of G."""
        alone = self.certainty.copy()
        later = np.zeros(len(alone))
        for p in range(alone.shape[1]):
            alone[:, p] += self.gain[:, p] ** 2 * later
            later = self.certainty[:, p] + (1 - self.gain[:, p]) ** 2 * later
        return alone * self.size**2

    def times(self, values: FloatArray) -> FloatArray:
        """Return G v, float64[..., K, P] as the values are."""
        if not self.gain.any():
            return values * self.size**2
        surprise = values * self.size
        walk = np.zeros(surprise.shape[:-1])
        for p in reversed(range(surprise.shape[-1])):
            ahead = surprise[..., p] - walk
            surprise[..., p] = ahead * self.certainty[:, p]
            walk += ahead * self.gain[:, p]
        later = np.zeros(surprise.shape[:-1])
        for p in range(surprise.shape[-1]):
            seen = surprise[..., p].copy()
            surprise[..., p] -= self.gain[:, p] * later
            later = seen + (1 - self.gain[:, p]) * later
        return surprise * self.size

    def gram(self, basis: FloatArray) -> dict[tuple[int, int], FloatArray]:
        """Return the products a' G b of columns of designs float64[h, P, c]: float64[K, h] for all a >= b."""
        hypotheses, points, count = basis.shape
        pairs = [(a, b) for a in range(count) for b in range(a + 1)]
        if not self.gain.any():
            weight = self.size**2
            return {(a, b): weight @ (basis[:, :, a] * basis[:, :, b]).T for a, b in pairs}
        gram = {pair: np.zeros((len(self.size), hypotheses)) for pair in pairs}
        walk, root = np.zeros((count, len(self.size), hypotheses)), np.sqrt(self.certainty)
        ahead = np.empty(walk.shape)  # used again for every point: new memory costs more than the sums
        for p in reversed(range(points)):
            np.multiply(basis[:, p].T[:, None], self.size[:, p, None], out=ahead)
            ahead -= walk
            walk += ahead * self.gain[:, p, None]
            ahead *= root[:, p, None]
            for a, b in pairs:
                gram[a, b] += ahead[a] * ahead[b]
        return gram


@dataclass(frozen=True)
class ErrorModel:
    """The shape of the errors; their size is estimated.

    The error at a point is ``s * sqrt(y^2 + floor^2)``, y relative to the kernel's largest mean, times a
    standard normal variable plus ``walk`` times a random walk over the doublings from the last point back.
    Without the walk, points err independently of each other. With it, behaviour drifts away from any formula
    as the scale changes: the last points count most, and doubt grows beyond them.
    """

    floor: float = 1e-3  # the share of a kernel's largest value below which values need not be explained
    # standard deviation of the walk per square root of a doubling, in units of the independent part
    walk: float = 0.0

    def scale(self, level: FloatArray) -> FloatArray:
        """Return the size of an error of unit variance at values relative to the largest, any shape."""
        return np.sqrt((level**2 + self.floor**2) / (1 + self.floor**2))

    def precision(self, points: FloatArray, scale: FloatArray, measured: BoolArray) -> Precision:
        """Return the inverse covariance of the errors at unit variance, at points float64[P], ascending.

        The scale, float64[K, P], is above 0.
        """
        doublings = np.diff(np.log2(points), append=np.log2(points[-1]))
        # what the walk gains from the next point back to this one, in units of the independent part
        steps = self.walk**2 * doublings
        there = measured[:1] if measured.all() else measured
        gain, certainty = np.zeros(there.shape), np.zeros(there.shape)
        doubt = np.zeros(len(there))
        for p in reversed(range(len(steps))):
            doubt = doubt + steps[p]
            certainty[:, p] = there[:, p] / (doubt + 1)
            gain[:, p] = doubt * certainty[:, p]
            doubt = doubt * (1 - gain[:, p])
        return Precision(measured / scale, gain, certainty)


Number = TypeVar("Number", np.float64, np.int64)

_NEGATIVE = 0.01  # of the largest value: more below zero means that the quantity can be negative
_LARGEST_PARAMETER = 1e30  # powers of larger ones overflow
_FEWEST_LEFT = 2  # points of a kernel that begins behind the first ones
_LARGEST = 1e70  # larger values are not measurements, and their fourth powers overflow


@dataclass(frozen=True, eq=False)
class Observations(Rows):
    """K kernels at P distinct points."""

    _of_all = frozenset({"points"})

    points: FloatArray  # float64[P, D], ascending in the first parameter
    mean: FloatArray  # float64[K, P], mean over repetitions, 0 where nothing was measured
    count: IntArray  # int64[K, P], repetitions measured
    squares: FloatArray  # float64[K, P], sum of squared deviations of the repetitions from their mean

    @property
    def measured(self) -> BoolArray:
        """bool[K, P]."""
        return self.count > 0

    def at(self, points: BoolArray) -> "Observations":
        """Return some of the points."""
        return Observations(
            self.points[points], self.mean[:, points], self.count[:, points], self.squares[:, points]
        )

    def begun(self) -> "Observations":
        """Return the same without the first points of one parameter, at which a kernel took no time.

        It was not there yet, as messages are not on one process: its law begins behind. Kernels that would
        have fewer than `_FEWEST_LEFT` points stay as they are.
        """
        there = self.measured & (self.mean != 0)
        first = np.where(there.sum(axis=1) >= _FEWEST_LEFT, there.argmax(axis=1), 0)
        absent = np.arange(len(self.points)) < first[:, None]
        return replace(self, count=np.where(absent, 0, self.count))

    def distinct(self) -> tuple[IntArray, IntArray]:
        """Return int64[U], the first of kernels with the same values, and int64[K], which of these each has.

        Counters are often the same for many call paths, which need to be fitted only once.
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
        return bool((self.mean.min(axis=1, initial=0) >= -_NEGATIVE * largest).all())


def observe(points: FloatArray, values: FloatArray) -> Observations:
    """Reduce measurements float64[K, P, R] to means and noise; a point given twice counts as repetitions.

    NaN is where nothing was measured. ModelError if the arrays do not fit together, a parameter is not
    positive, a value is infinite, or a number is so large that its powers would be.
    """
    points, values = np.asarray(points, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if points.ndim != 2 or values.ndim != 3 or len(points) != values.shape[1] or len(points) == 0:
        raise ModelError(f"points of shape {points.shape} do not fit values of shape {values.shape}")
    if not ((points > 0) & np.isfinite(points)).all():
        raise ModelError(
            "a parameter value is not a positive number", hint="leave out such runs or count from 1"
        )
    if points.max() > _LARGEST_PARAMETER or points.min() < 1 / _LARGEST_PARAMETER:
        raise ModelError("a parameter value is too large or too small", hint="give it in another unit")
    if (np.abs(values) > _LARGEST).any():
        raise ModelError(
            "a measured value is infinite or too large", hint="leave out the run that it comes from"
        )
    unique, place = np.unique(points, axis=0, return_inverse=True)
    place = place.reshape(-1)
    there = ~np.isnan(values)
    known = np.where(there & (np.abs(values) > ZERO_KERNEL), values, 0.0)
    count = _summed(there.sum(axis=2), place)
    mean = _summed(known.sum(axis=2), place) / np.maximum(count, 1)
    deviation = np.where(there, known - mean[:, place, None], 0.0)
    return Observations(unique, mean, count, _summed((deviation**2).sum(axis=2), place))


def _summed(values: NDArray[Number], place: IntArray) -> NDArray[Number]:
    """Sum [K, P] over what belongs to the same place, numbered from 0 without a gap."""
    order = np.argsort(place, kind="stable")
    first = np.searchsorted(place[order], np.arange(place.max() + 1))
    return np.asarray(np.add.reduceat(values[:, order], first, axis=1))


ZERO_KERNEL = 1e-70  # a kernel that never exceeds it is zero
_FALLS = 1.2  # the first value over the smallest later one, from which a kernel is tried as falling


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample(Rows):
    """Means of K kernels, each divided by its largest."""

    _of_all = frozenset({"points"})

    points: FloatArray  # float64[P], ascending
    largest: FloatArray  # float64[K], what the means were divided by, in the unit of the data
    level: FloatArray  # float64[K, P], the scaled means, 0 where nothing was measured
    count: IntArray  # int64[K, P], repetitions
    squares: FloatArray  # float64[K, P], scaled sums of squared deviations of the repetitions
    falls: BoolArray  # bool[K], whether the kernel's values fall behind its first measured point

    @property
    def measured(self) -> BoolArray:
        """bool[K, P]."""
        return self.count > 0

    def between(self, first: int, last: int) -> "Sample":
        """Return some points only, still relative to the largest of all means."""
        return replace(
            self,
            points=self.points[first:last],
            level=self.level[:, first:last],
            count=self.count[:, first:last],
            squares=self.squares[:, first:last],
        )

    def heaviest(self, count: int) -> IntArray:
        """Return which kernels have most effort, at most so many."""
        if len(self) <= count:
            return np.arange(len(self))
        return np.sort(np.argpartition(-self.largest, count)[:count])

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
    largest = np.where(largest > ZERO_KERNEL, largest, 0.0)
    size = np.where(largest > 0, largest, 1.0)[:, None]
    level = np.where(largest[:, None] > 0, data.mean, 0.0) / size
    first = data.measured.argmax(axis=1)[:, None]
    behind = data.measured & (np.arange(level.shape[1]) > first)
    later = np.where(behind, level, np.inf).min(axis=1, initial=np.inf)
    falls = np.take_along_axis(level, first, axis=1)[:, 0] > _FALLS * later
    squares = np.where(largest[:, None] > 0, data.squares, 0.0) / size**2
    return Sample(
        points=data.points[:, 0], largest=largest, level=level, count=data.count, squares=squares, falls=falls
    )


SMALLEST_VARIANCE = 1e-10  # relative errors below 1e-5 are rounding of the profile
_SIGNIFICANT = 3.0  # standard errors by which residuals must exceed the noise to count as misfit
_LEAST_RESIDUALS = 2  # with one residual left, some formula always fits
LEAST_MISFIT = 0.025**2  # relative variance that formulas miss of real programs beside noise
EXACT_MISFIT = 0.003**2  # and of data that are as good as exact
MISFIT_DEGREES = 2.0  # of freedom of a misfit: it differs from kernel to kernel
_UNKNOWN_MISFIT = PooledVariance(0.1**2, 2.0)  # assumed if residuals say nothing


@dataclass(frozen=True)
class NoiseEstimate:
    """The variance of errors of unit size, pooled over kernels."""

    # from residuals: noise and misfit together. Of variance 0 if the residuals are no larger than the
    # repetitions explain: then repetitions alone count
    residual: PooledVariance
    repetition: PooledVariance  # of a single repetition; of variance 0 if nothing was repeated

    def noise(self, sample: Sample, structure: ErrorModel) -> tuple[FloatArray, FloatArray]:
        """float64[K] each: variance of a mean that its repetitions explain, and its degrees of freedom.

        A kernel's own repetitions and the pool count by their degrees of freedom.
        """
        squares, degrees = sample.repetition_noise(structure)
        total = degrees + self.repetition.degrees
        single = (squares + self.repetition.degrees * self.repetition.variance) / total
        repetitions = sample.count.sum(axis=1) / np.maximum(sample.measured.sum(axis=1), 1)
        return single / np.maximum(repetitions, 1), np.minimum(total, MOST_DEGREES)

    def typical(
        self, noise: FloatArray, noise_degrees: FloatArray, structure: ErrorModel
    ) -> tuple[FloatArray, FloatArray]:
        """float64[K] each: the variance expected of a kernel, not below its noise, and its degrees.

        Errors that walk are misfit already, and a unit of their variance stands for a hundred at the end.
        """
        explained = noise >= self.residual.variance
        excess = np.maximum(self.residual.variance - noise, 0.0)
        least = LEAST_MISFIT / (1 + structure.walk**2)
        misfit = self.residual.variance + least * excess / (excess + noise + EXACT_MISFIT)
        variance = np.maximum(np.where(explained, noise, misfit), SMALLEST_VARIANCE)
        surest = np.maximum(noise_degrees, self.residual.degrees)
        return variance, np.where(explained, surest, min(self.residual.degrees, MISFIT_DEGREES))


def initial_noise(sample: Sample, structure: ErrorModel) -> NoiseEstimate:
    """Return the size of the errors before any model was fitted."""
    squares, degrees = sample.repetition_noise(structure)
    repeated = (degrees > 0) & (squares > 0)
    if not repeated.any():
        return NoiseEstimate(_UNKNOWN_MISFIT, PooledVariance(0.0, 1.0))
    variances = np.maximum(squares[repeated] / degrees[repeated], SMALLEST_VARIANCE)
    repetition = pool_variances(variances, degrees[repeated])
    larger = max(repetition.variance, _UNKNOWN_MISFIT.variance)
    return NoiseEstimate(PooledVariance(larger, _UNKNOWN_MISFIT.degrees), repetition)


def refined_noise(guess: NoiseEstimate, sample: Sample, misfit: FloatArray, size: IntArray) -> NoiseEstimate:
    """Estimate the size of the errors of K kernels from the residuals of the best models.

    What the guess, from `initial_noise`, says of repetitions is kept; all of it if residuals say nothing.
    These are the weighted sums of squares of each kernel's best model, float64[K], of `size` int64[K]
    coefficients.
    """
    count = sample.measured.sum(axis=1)
    telling = (count >= _LEAST_RESIDUALS + 2) & (sample.largest > 0)
    if not telling.any():
        return guess
    left = (count - size)[telling].astype(np.float64)
    repeats = np.maximum(sample.count - 1, 0).sum()
    doubt = np.sqrt(2 / left.sum() + 2 / max(repeats, 1))
    noise = guess.repetition.variance * count[telling].sum() / sample.count[telling].sum()
    if misfit[telling].sum() < left.sum() * (1 + _SIGNIFICANT * doubt) * noise:
        return NoiseEstimate(PooledVariance(0.0, guess.repetition.degrees), guess.repetition)
    variances = np.maximum(misfit[telling] / left, SMALLEST_VARIANCE)
    return NoiseEstimate(pool_variances(variances, left), guess.repetition)
