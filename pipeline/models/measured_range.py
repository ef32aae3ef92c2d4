"""Inside the measured range predictions stay near what was measured there.

A formula may miss a part of the range, as a constant does that a last, noisy point decides. How far points
lie from the line between their neighbours (in logarithms) tells how much of that may be noise; what a formula
misses beyond it, it is taken to miss between the points, too.
"""

import numpy as np
from scipy.special import ndtri

from ingest.arrays import FloatArray, IntArray
from pipeline.models.error_model import ErrorModel
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.trend import Trend, strays

LEAST = float(np.log(1.5))  # that predictions may miss a measured point by in any case: formulas smooth
FEWEST_POINTS = 5  # with fewer, a formula that leaves one has no others to tell that it should not
TINY = 1e-300
NARROW = 0.9  # level at which they may be off as far as points stray


def missed(models: ScalingModels, trend: Trend) -> FloatArray:
    """By what predictions miss the points of one parameter beyond what may be noise, float64[K, P].

    Args:
        models: of K kernels, without trends.
        trend: their measurements.

    Returns:
        Logarithms, to be added to those of predictions; 0 where nothing is missed, and with few points.
    """
    found = np.zeros(trend.logs.shape)
    if len(trend.points) < FEWEST_POINTS:
        return found
    allowed = np.maximum(LEAST, ndtri((1 + NARROW) / 2) * strays(trend))[:, None]
    suspects: IntArray = np.flatnonzero(
        (_beyond(trend.logs, models.values(trend.points), allowed) != 0).any(axis=1)
    )
    if len(suspects):
        medians = models.take(suspects).predict(trend.points).value
        found[suspects] = _beyond(trend.logs[suspects], medians, allowed[suspects])
    return found


def _beyond(logs: FloatArray, values: FloatArray, allowed: FloatArray) -> FloatArray:
    """How far logarithms exceed those of values by more than allowed; small ones need not be explained."""
    known = np.isfinite(logs) & (values >= 0)
    measured = np.where(known, np.exp(np.where(known, logs, 0.0)), 0.0)
    least = ErrorModel().floor * measured.max(axis=1, keepdims=True) + TINY
    off = np.where(known, np.log((measured + least) / (np.where(known, values, 0.0) + least)), 0.0)
    return np.asarray(off - np.clip(off, -allowed, allowed))
