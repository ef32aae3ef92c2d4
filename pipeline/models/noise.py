"""How large errors are: noise that repetitions show, and misfit that residuals show beyond it."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.error_model import ErrorModel
from pipeline.models.observations import Sample
from pipeline.statistics.empirical_bayes import MOST_DEGREES, PooledVariance, pool_variances

SMALLEST_VARIANCE = 1e-10  # relative errors below 1e-5 are rounding of the profile
SIGNIFICANT = 3.0  # standard errors by which residuals must exceed the noise to count as misfit
LEAST_RESIDUALS = 2  # with one residual left, some formula always fits
LEAST_MISFIT = 0.025**2  # relative variance that formulas miss of real programs beside noise
EXACT_MISFIT = 0.003**2  # and of data that are as good as exact
MISFIT_DEGREES = 2.0  # of freedom of a misfit: it differs from kernel to kernel
UNKNOWN_MISFIT = PooledVariance(0.1**2, 2.0)  # assumed if residuals say nothing


@dataclass(frozen=True)
class NoiseEstimate:
    """The variance of errors of unit size, pooled over kernels.

    Attributes:
        residual: from residuals: noise and misfit together. Of variance 0 if the residuals are no larger
            than the repetitions explain: then repetitions alone count.
        repetition: of a single repetition; of variance 0 if nothing was repeated.
    """

    residual: PooledVariance
    repetition: PooledVariance

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
        return NoiseEstimate(UNKNOWN_MISFIT, PooledVariance(0.0, 1.0))
    variances = np.maximum(squares[repeated] / degrees[repeated], SMALLEST_VARIANCE)
    repetition = pool_variances(variances, degrees[repeated])
    larger = max(repetition.variance, UNKNOWN_MISFIT.variance)
    return NoiseEstimate(PooledVariance(larger, UNKNOWN_MISFIT.degrees), repetition)


def refined_noise(guess: NoiseEstimate, sample: Sample, misfit: FloatArray, size: IntArray) -> NoiseEstimate:
    """Estimate the size of the errors from the residuals of the best models.

    Args:
        guess: from `initial_noise`; what it says of repetitions is kept; all of it if residuals say nothing.
        sample: K kernels.
        misfit: float64[K], the weighted sum of squared residuals of each kernel's best model.
        size: int64[K], that model's number of coefficients.
    """
    count = sample.measured.sum(axis=1)
    telling = (count >= LEAST_RESIDUALS + 2) & (sample.largest > 0)
    if not telling.any():
        return guess
    left = (count - size)[telling].astype(np.float64)
    repeats = np.maximum(sample.count - 1, 0).sum()
    doubt = np.sqrt(2 / left.sum() + 2 / max(repeats, 1))
    noise = guess.repetition.variance * count[telling].sum() / sample.count[telling].sum()
    if misfit[telling].sum() < left.sum() * (1 + SIGNIFICANT * doubt) * noise:
        return NoiseEstimate(PooledVariance(0.0, guess.repetition.degrees), guess.repetition)
    variances = np.maximum(misfit[telling] / left, SMALLEST_VARIANCE)
    return NoiseEstimate(pool_variances(variances, left), guess.repetition)
