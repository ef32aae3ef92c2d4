"""The probability of every hypothesis for every kernel, given the data."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.error_size import SMALLEST_VARIANCE, ErrorSize, refined
from pipeline.models.error_structure import ErrorStructure
from pipeline.models.generalised_fits import Fits
from pipeline.models.sample import Sample

DETRENDED = 15.0  # variance of a random walk at its end over what a straight line leaves of it on average


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the data say about H hypotheses for K kernels.

    Attributes:
        weight: float64[K, H], probabilities, each row sums to 1.
        variance: float64[K, H], estimated variance of an error of unit size.
        degrees: float64[K], degrees of freedom of that estimate.
        drift: float64[K], relative variance that a prediction gains with every doubling beyond the points.
        misfit_share: float64[K], the share of the error's variance that the repetitions do not explain.
    """

    weight: FloatArray
    variance: FloatArray
    degrees: FloatArray
    drift: FloatArray
    misfit_share: FloatArray


def estimate_errors(
    sample: Sample, structure: ErrorStructure, fits: Fits, log_prior: FloatArray, guess: ErrorSize
) -> ErrorSize:
    """Estimate the size of the errors from the most probable model of each kernel, given a `first_guess`."""
    best = weigh(sample, structure, fits, log_prior, guess).weight.argmax(axis=1)
    return refined(guess, sample, fits.misfit[np.arange(len(best)), best], fits.size[best])


def weigh(
    sample: Sample, structure: ErrorStructure, fits: Fits, log_prior: FloatArray, errors: ErrorSize
) -> Evidence:
    """Weigh hypotheses.

    The likelihood is that of normal errors of unknown variance whose prior is the pool's, s0^2 with d0
    degrees: (1 + misfit / (d0 s0^2))^(-(d0 + n - 1) / 2) for n points, a Student t distribution of the
    residuals. Every coefficient costs half a logarithm of n (the unit information prior; Kass and Wasserman,
    "A reference Bayesian test for nested hypotheses", 1995).

    Args:
        sample: K kernels.
        structure: the shape of the errors that the fits assumed.
        fits: of H hypotheses.
        log_prior: float64[K or 1, H].
        errors: the size of the errors over all kernels.
    """
    points = sample.measured.sum(axis=1)[:, None]
    noise, noise_degrees = errors.noise(sample, structure)
    typical, degrees = (a[:, None] for a in errors.typical(noise, noise_degrees))
    power = 0.5 * (degrees + np.maximum(points - 1, 0))
    score = log_prior - power * np.log1p(fits.misfit / (degrees * typical))
    score -= 0.5 * np.log(np.maximum(points, 1)) * fits.size
    weight = np.exp(score - score.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)

    left = np.where(np.isfinite(fits.misfit), fits.misfit, 0.0)
    variance = (degrees * typical + left) / (degrees + np.maximum(points - fits.size, 0))
    variance = np.maximum(variance, noise[:, None])
    expected = np.maximum((weight * variance).sum(axis=1), noise)
    return Evidence(
        weight=weight,
        variance=variance,
        degrees=(degrees + np.maximum(points - 2.0, 0.0))[:, 0],
        drift=_drift(structure, sample.points, expected, noise),
        misfit_share=1 - noise / np.maximum(expected, SMALLEST_VARIANCE),
    )


def _drift(
    structure: ErrorStructure, points: FloatArray, variance: FloatArray, noise: FloatArray
) -> FloatArray:
    """Return how far behaviour drifts from the formula per doubling, as the misfit in the range tells.

    What the repetitions do not explain is taken for a random walk over the doublings. A fitted trend follows
    such a walk: it leaves only 1/15 of the variance that the walk gathers over the range.
    """
    if structure.walk:
        return structure.walk**2 * variance
    doublings = float(np.log2(points[-1] / points[0]))
    return DETRENDED / doublings * (variance - noise) if doublings > 0 else np.ones(len(variance))
