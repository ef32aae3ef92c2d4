"""How far a mean may lie from the truth, before and after a model has been seen.

All kernels are scaled to 1 at their largest mean here.
"""

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.observations import Observations

_LEAST_NOISE = 2e-4  # relative; below it rounding and clock resolution rule
_UNKNOWN_NOISE = 0.02  # relative, of single repetitions: only a start, the misfit sets the scale
_POOL = 10.0  # degrees of freedom that the other kernels are worth


def relative_variance(data: Observations, floor: float) -> FloatArray:
    """Variance of one repetition relative to its expected square, float64[K].

    Pooled over points, and shrunk towards the median of all kernels.

    Args:
        data: the measurements, each kernel scaled to 1 at its largest mean.
        floor: share of a kernel's largest value that stands in for smaller ones, so that values near zero
            do not rule the fit.
    """
    size = squared_size(data, floor)
    degrees = np.maximum(data.count - 1, 0).sum(axis=1)
    squares = (data.squares / size).sum(axis=1)
    known = degrees > 0
    if not known.any():
        return np.full(len(size), _UNKNOWN_NOISE**2)
    pool = float(np.median(squares[known] / degrees[known]))
    shrunk = (_POOL * pool + squares) / (_POOL + degrees)
    least: FloatArray = np.maximum(shrunk, _LEAST_NOISE**2)
    return least


def squared_size(data: Observations, floor: float) -> FloatArray:
    """Return y^2 + floor^2, float64[K, P]."""
    size: FloatArray = data.mean**2 + floor**2
    return size


def inverse_variances(data: Observations, floor: float) -> FloatArray:
    """Weights of the means, float64[K, P], 0 where nothing was measured."""
    relative = relative_variance(data, floor)[:, None]
    weights: FloatArray = data.count / (relative * squared_size(data, floor))
    return weights


def size_ratio(mean: FloatArray, fitted: FloatArray, floor: float) -> FloatArray:
    """What weights from means scaled to 1 must be multiplied with to become weights from fitted values.

    At most a factor 4 either way, so that a model that does not fit cannot silence a point.
    """
    ratio: FloatArray = np.clip((mean**2 + floor**2) / (fitted**2 + floor**2), 0.25, 4.0)
    return ratio


def pooled_misfit(chi2: FloatArray, degrees: FloatArray, repeated: bool) -> float:
    """How much larger residuals are than the noise says, as a ratio of variances: the median of all kernels.

    Args:
        chi2: float64[K], weighted squares left by each kernel's best model.
        degrees: float64[K], points less coefficients.
        repeated: the noise is known from repetitions, so that residuals cannot be smaller for good.
    """
    judged = degrees > 0
    if not judged.any():
        return 1.0
    ratio = float(np.median(chi2[judged] / degrees[judged]))
    return max(ratio, 1.0 if repeated else 1e-4)
