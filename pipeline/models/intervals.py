"""Quantiles of mixtures of Student t distributions."""

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, stdtrit

from ingest.arrays import FloatArray

NEGLIGIBLE = 1e-4  # weight below which a component moves no quantile that is asked for
_HALVINGS = 18  # of a bracket of about 30 units of asinh, then one linear step: exact to 1e-4 of the scale


def mixture_quantiles(
    center: FloatArray, scale: FloatArray, weight: FloatArray, degrees: FloatArray, probability: FloatArray
) -> FloatArray:
    """Return quantiles of K x Q mixtures of M Student t distributions.

    The distribution functions are inverted by bisection, between the least and the largest quantile of the
    components, on an asinh scale: rivals may be decades apart.

    Args:
        center: float64[K, M, Q].
        scale: float64[K, M, Q], not below 0.
        weight: float64[K, M], sums to 1 over M, with one component above `NEGLIGIBLE` in every row.
        degrees: float64[K], degrees of freedom.
        probability: float64[n], between 0 and 1.

    Returns:
        float64[n, K, Q].
    """
    if not center.size:
        return np.zeros((len(probability), *center.shape[::2]))
    kernel, rival = np.nonzero(weight > NEGLIGIBLE)
    first = np.searchsorted(kernel, np.arange(len(weight)))
    share = weight[kernel, rival]
    share = (share / np.add.reduceat(share, first)[kernel])[:, None]
    middle = center[kernel, rival]
    smallest = np.maximum.reduceat(np.abs(middle), first, axis=0) * 1e-12 + 1e-300
    spread = np.maximum(scale[kernel, rival], smallest[kernel])
    freedom = degrees[kernel, None]

    reach = stdtrit(degrees[:, None], probability).T[:, kernel, None] * 1.01
    ends = middle + spread * reach
    margin = 0.1 * spread
    low = np.minimum.reduceat(ends - margin, first, axis=1)
    high = np.maximum.reduceat(ends + margin, first, axis=1)
    unit = np.minimum.reduceat(spread, first, axis=0)

    def below(place: FloatArray) -> FloatArray:
        standard = (place[:, kernel] - middle) / spread
        total: FloatArray = np.add.reduceat(share * student_cdf(standard, freedom), first, axis=1)
        return total

    return _invert(below, np.arcsinh(low / unit), np.arcsinh(high / unit), unit, probability[:, None, None])


def _invert(
    below: Callable[[FloatArray], FloatArray],
    low: FloatArray,
    high: FloatArray,
    unit: FloatArray,
    probability: FloatArray,
) -> FloatArray:
    """Solve below(x) = probability for x = unit * sinh(u), u between low and high."""
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        over = below(unit * np.sinh(middle)) >= probability
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    left, right = unit * np.sinh(low), unit * np.sinh(high)
    before, after = below(left), below(right)
    rise = after - before
    share = np.where(rise > 0, (probability - before) / np.where(rise > 0, rise, 1.0), 0.5)
    root: FloatArray = left + np.clip(share, 0.0, 1.0) * (right - left)
    return root


def student_cdf(value: FloatArray, degrees: FloatArray) -> FloatArray:
    """Return the Student t distribution function, to about 0.002 from 2 degrees of freedom on.

    Wallace, "Bounds on normal approximations to Student's and the chi-square distributions", 1959: several
    times faster than the incomplete beta function, and exact in the normal limit.
    """
    squeeze = (8 * degrees + 1) / (8 * degrees + 3)
    normal = squeeze * np.copysign(np.sqrt(degrees * np.log1p(value * value / degrees)), value)
    result: FloatArray = ndtr(normal)
    return result
