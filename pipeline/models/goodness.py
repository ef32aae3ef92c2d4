"""Whether formulas and noise are all there is: how well formulas fit where runs were repeated."""

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.error_model import ErrorModel
from pipeline.models.observations import SMALLEST, Observations
from pipeline.models.scaling_models import ScalingModels
from pipeline.statistics.empirical_bayes import pool_variances

MISFIT = 0.05  # relative, of formulas that are not all there is, typical of real programs
SMALLEST_NOISE = 1e-10  # relative variance; smaller errors are rounding of the profile
WORST, BEST = -20.0, 8.0  # log odds that one kernel gives at least and at most


def odds_of_fit(models: ScalingModels, data: Observations) -> tuple[float, float]:
    """Hold the residuals of the chosen formulas against the noise that repetitions show.

    If formulas hold, residuals are as large as the noise of the means; otherwise `MISFIT` adds to it.

    Args:
        models: of K kernels.
        data: what they were fitted to.

    Returns:
        Mean log odds per kernel that formulas hold, and the number of kernels that say so; 0 and 0 if
        nothing was repeated.
    """
    used = data.measured & (data.mean > 0)
    largest = np.where(used, data.mean, SMALLEST).max(axis=1, keepdims=True)
    unit = largest * ErrorModel().scale(np.where(used, data.mean, 0.0) / largest)
    degrees = (np.maximum(data.count - 1, 0) * used).sum(axis=1).astype(np.float64)
    terms = (models.rivals.coefficients[models.rivals.chosen][:, 1:] != 0).sum(axis=1)
    spare = used.sum(axis=1) - 1 - 2 * terms  # exponents were chosen, too
    telling = (degrees > 0) & (spare > 0)
    if not telling.any():
        return 0.0, 0.0
    single = np.where(used, data.squares / unit**2, 0.0).sum(axis=1)[telling]
    degrees, spare = degrees[telling], spare[telling]
    pool = pool_variances(np.maximum(single / degrees, SMALLEST_NOISE), degrees)
    noise = (single + pool.degrees * pool.variance) / (degrees + pool.degrees)
    squares = _squares(models, data, np.where(used, np.sqrt(data.count) / unit, 0.0))[telling] / noise
    count = np.where(used, data.count, 0)[telling].sum(axis=1) / used[telling].sum(axis=1)
    gain = MISFIT**2 * count / noise
    odds = (spare * np.log1p(gain) - squares * gain / (1 + gain)) / 2
    return float(np.clip(odds, WORST, BEST).mean()), float(len(odds))


def _squares(models: ScalingModels, data: Observations, weight: FloatArray) -> FloatArray:
    """Squared residuals of the chosen formulas by weights float64[K, P], fitted anew by these: float64[K].

    Models may have been fitted as if small values counted less.
    """
    chosen = models.rivals.hypothesis[models.rivals.chosen]
    left = ((models.values(data.points) - data.mean) * weight) ** 2
    design = models.hypotheses.design(data.points)[chosen] * weight[..., None]
    target = (data.mean * weight)[..., None]
    refitted = ((target - design @ (np.linalg.pinv(design) @ target)) ** 2)[..., 0]
    straight = (models.hypotheses.sharpness[chosen] == 1)[:, None]
    return np.asarray(np.where(straight, refitted, left).sum(axis=1))
