"""The probability of every hypothesis for every kernel, given the data."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.error_structure import ErrorStructure
from pipeline.models.generalised_fits import Columns, Fits, fit_all
from pipeline.models.search_space import SearchSpace
from pipeline.models.shrinkage import MOST_DEGREES, PooledVariance, pool_variances

DETRENDED = 15.0  # variance of a random walk at its end over what a straight line leaves of it on average
SMALLEST_VARIANCE = 1e-10  # relative errors below 1e-5 are rounding of the profile
SIGNIFICANT = 2.0  # standard errors by which residuals must exceed the noise to count as misfit
LEAST_RESIDUALS = 2  # with one residual left, some formula always fits
UNKNOWN_MISFIT = 0.1  # relative error assumed where residuals cannot tell


@dataclass(frozen=True, eq=False)
class Sample:
    """Means of K kernels, each divided by its largest, `weight`.

    Attributes:
        points: float64[P], ascending.
        level: float64[K, P], the scaled means, 0 where nothing was measured.
        count: int64[K, P], repetitions.
        squares: float64[K, P], scaled sums of squared deviations of the repetitions.
        falls: bool[K], whether the kernel's values fall at first.
        weight: float64[K], what the means were divided by: the kernel's largest mean.
    """

    points: FloatArray
    level: FloatArray
    count: IntArray
    squares: FloatArray
    falls: BoolArray
    weight: FloatArray

    @property
    def measured(self) -> BoolArray:
        """bool[K, P]."""
        return self.count > 0

    def take(self, kernels: IntArray | slice) -> "Sample":
        """Return some of the kernels."""
        return Sample(
            self.points,
            self.level[kernels],
            self.count[kernels],
            self.squares[kernels],
            self.falls[kernels],
            self.weight[kernels],
        )

    def before(self, last: int) -> "Sample":
        """Return the first points only."""
        return Sample(
            self.points[:last],
            self.level[:, :last],
            self.count[:, :last],
            self.squares[:, :last],
            self.falls,
            self.weight,
        )


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the data say about H hypotheses for K kernels.

    Attributes:
        fits: the fitted hypotheses; coefficients belong to the scaled means.
        weight: float64[K, H], probabilities, each row sums to 1.
        variance: float64[K, H], estimated variance of an error of unit size.
        degrees: float64[K], degrees of freedom of that estimate.
        drift: float64[K], relative variance that a prediction gains with every doubling beyond the points.
        misfit_share: float64[K], the share of the error's variance that the repetitions do not explain.
    """

    fits: Fits
    weight: FloatArray
    variance: FloatArray
    degrees: FloatArray
    drift: FloatArray
    misfit_share: FloatArray


@dataclass(frozen=True, eq=False)
class Judge:
    """All that is fixed before the kernels are looked at one by one.

    Attributes:
        space: the hypotheses.
        columns: their designs at the points.
        structure: the shape of the errors.
        pool: the size of the errors over all kernels, from the residuals; of variance 0 where these are no
            larger, within `SIGNIFICANT` standard errors, than the repetitions explain.
        repetition: variance of a single repetition over all kernels; 0 where nothing was repeated.
        nonnegative: whether coefficients may not be negative.
    """

    space: SearchSpace
    columns: list[Columns]
    structure: ErrorStructure
    pool: PooledVariance
    repetition: PooledVariance
    nonnegative: bool

    def weigh(self, sample: Sample) -> Evidence:
        """Return the evidence on the kernels of a sample.

        The likelihood of a hypothesis is that of normal errors of unknown variance with the pool as prior:
        (1 + misfit / (d0 s0^2))^(-(d0 + n - 1) / 2), a Student t distribution of the residuals. Every
        coefficient costs half a logarithm of the number of points (the unit information prior; Kass and
        Wasserman 1995). s0^2 is never below what the repetitions alone explain.
        """
        fits = fit(self, sample)
        points = sample.measured.sum(axis=1)[:, None]
        noise, noise_degrees = self._noise(sample)
        fitting = noise >= self.pool.variance
        typical = np.maximum(np.where(fitting, noise, self.pool.variance), SMALLEST_VARIANCE)[:, None]
        surest = np.maximum(noise_degrees, self.pool.degrees)
        degrees = np.where(fitting, surest, self.pool.degrees)[:, None]
        power = 0.5 * (degrees + np.maximum(points - 1, 0))
        prior = np.where(sample.falls[:, None] | ~self.space.falling, self.space.log_prior, -np.inf)
        score = prior - power * np.log1p(fits.misfit / (degrees * typical))
        score -= 0.5 * np.log(np.maximum(points, 1)) * fits.size
        weight = np.exp(score - score.max(axis=1, keepdims=True))
        weight /= weight.sum(axis=1, keepdims=True)
        variance = self._variance(fits, points, degrees, typical, noise)
        expected = np.maximum((weight * variance).sum(axis=1), noise)
        return Evidence(
            fits=fits,
            weight=weight,
            variance=variance,
            degrees=(degrees + np.maximum(points - 2.0, 0.0))[:, 0],
            drift=self._drift(expected, noise, sample.points),
            misfit_share=1 - noise / np.maximum(expected, SMALLEST_VARIANCE),
        )

    def _variance(
        self, fits: Fits, points: IntArray, degrees: FloatArray, typical: FloatArray, noise: FloatArray
    ) -> FloatArray:
        """float64[K, H], the posterior variance of an error of unit size, not below the noise."""
        left = np.where(np.isfinite(fits.misfit), fits.misfit, 0.0)
        variance = (degrees * typical + left) / (degrees + np.maximum(points - fits.size, 0))
        bounded: FloatArray = np.maximum(variance, noise[:, None])
        return bounded

    def _drift(self, variance: FloatArray, noise: FloatArray, points: FloatArray) -> FloatArray:
        """Return how far behaviour drifts from the formula per doubling, as the misfit in the range tells.

        What the repetitions do not explain is taken for a random walk over the doublings. A fitted trend
        follows such a walk: it leaves only 1/15 of the variance that the walk gathers over the range.
        """
        if self.structure.walk:
            return self.structure.walk**2 * variance
        doublings = np.log2(points[-1] / points[0])
        return DETRENDED / doublings * (variance - noise) if doublings > 0 else np.ones(len(variance))

    def _noise(self, sample: Sample) -> tuple[FloatArray, FloatArray]:
        """float64[K] each: variance of a mean of unit size that the repetitions explain, and its degrees."""
        squares, degrees = repetition_noise(sample, self.structure)
        total = degrees + self.repetition.degrees
        single = (squares + self.repetition.degrees * self.repetition.variance) / total
        repetitions = sample.count.sum(axis=1) / np.maximum(sample.measured.sum(axis=1), 1)
        return single / np.maximum(repetitions, 1), np.minimum(total, MOST_DEGREES)


def fit(judge: Judge, sample: Sample) -> Fits:
    """Fit all hypotheses to all kernels of a sample."""
    precision = precision_of(judge.structure, sample)
    return fit_all(judge.space, judge.columns, sample.level, precision, judge.nonnegative)


def precision_of(structure: ErrorStructure, sample: Sample) -> FloatArray:
    """Return the inverse covariance of the errors at unit variance, float64[K, P, P]."""
    return structure.precision(sample.points, structure.scale(sample.level), sample.measured)


def repetition_noise(sample: Sample, structure: ErrorStructure) -> tuple[FloatArray, FloatArray]:
    """Return the repetitions' sum of squares in units of the errors, and its degrees: float64[K] each."""
    scale = structure.scale(sample.level)
    degrees = np.maximum(sample.count - 1, 0).sum(axis=1).astype(np.float64)
    return (sample.squares / scale**2).sum(axis=1), degrees


def appoint(
    space: SearchSpace, columns: list[Columns], structure: ErrorStructure, sample: Sample, nonnegative: bool
) -> Judge:
    """Estimate the size of the errors over the kernels of a sample.

    The residuals of the best hypothesis of each kernel, with as many degrees of freedom as points less two,
    hold noise and misfit of the formulas alike. Two points or one leave no residuals; then the repetitions
    alone tell the noise.
    """
    squares, degrees = repetition_noise(sample, structure)
    repeated = (degrees > 0) & (squares > 0)
    repetition = PooledVariance(0.0, 1.0)
    if repeated.any():
        variances = squares[repeated] / degrees[repeated]
        repetition = pool_variances(np.maximum(variances, SMALLEST_VARIANCE), degrees[repeated])
    guess = PooledVariance(max(repetition.variance, UNKNOWN_MISFIT**2), 2.0)
    judge = Judge(space, columns, structure, guess, repetition, nonnegative)
    count = sample.measured.sum(axis=1)
    enough = np.flatnonzero((count >= LEAST_RESIDUALS + 2) & (sample.level.max(axis=1, initial=0) > 0))
    if not len(enough):
        return judge
    fits, best = _best(judge, sample.take(enough))
    left = count[enough] - fits.size[best]
    residual = fits.misfit[np.arange(len(best)), best] / left
    pool = pool_variances(np.maximum(residual, SMALLEST_VARIANCE), left.astype(np.float64))
    doubt = np.sqrt(2 / left.sum() + 2 / max(degrees.sum(), 1.0))
    single = sample.count[enough].sum() / count[enough].sum()
    if pool.variance < (1 + SIGNIFICANT * doubt) * repetition.variance / single:
        pool = PooledVariance(0.0, repetition.degrees)
    return Judge(space, columns, structure, pool, repetition, nonnegative)


def _best(judge: Judge, sample: Sample) -> tuple[Fits, IntArray]:
    evidence = judge.weigh(sample)
    return evidence.fits, evidence.weight.argmax(axis=1)
