"""Quantiles of normal distributions, and of mixtures of Student t distributions."""

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, stdtrit

from ingest.arrays import FloatArray

TWO_SIDED = 1.645  # standard deviations to either end of a 90 % interval
NEGLIGIBLE = 1e-3  # weight below which a component moves no requested quantile
MANY_DEGREES = 30.0  # of freedom, from which a simpler approximation is as good
STEPS = 10  # of the inversion: exact to about 1e-3 of the interval's width
FARTHER, MARGIN = 1.01, 0.1  # by how much, of quantile and scale, it starts outside those of the components


def mixture_quantiles(
    center: FloatArray, scale: FloatArray, weight: FloatArray, degrees: FloatArray, probability: FloatArray
) -> FloatArray:
    """Return quantiles of K x Q mixtures of M Student t distributions.

    Where one component counts, they are its own. Else the distribution functions are inverted between the
    least and the largest quantile of the components, on an asinh scale: rivals may be decades apart.

    Args:
        center: float64[K, M, Q].
        scale: float64[K, M, Q], not below 0.
        weight: float64[K, M], sums to 1 over M, with one component above `NEGLIGIBLE` in every row.
        degrees: float64[K], degrees of freedom.
        probability: float64[n], between 0 and 1.

    Returns:
        float64[n, K, Q].
    """
    several = (weight > NEGLIGIBLE).sum(axis=1) > 1
    result = np.empty((len(probability), len(weight), center.shape[2]))
    result[:, several] = _of_several(
        center[several], scale[several], weight[several], degrees[several], probability
    )
    (alone,) = np.nonzero(~several)
    best = weight[alone].argmax(axis=1)
    reach = stdtrit(degrees[alone, None], probability).T[:, :, None]
    result[:, alone] = center[alone, best] + scale[alone, best] * reach
    return result


def _of_several(
    center: FloatArray, scale: FloatArray, weight: FloatArray, degrees: FloatArray, probability: FloatArray
) -> FloatArray:
    """Return the quantiles if more than one component counts, arguments as above."""
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

    reach = stdtrit(degrees[:, None], probability).T[:, kernel, None] * FARTHER
    ends = middle + spread * reach
    margin = MARGIN * spread
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
    """Solve below(x) = probability for x = unit * sinh(u), u between low and high.

    Every other step halves the bracket, the others follow the secant: fast where the function is smooth,
    and sure where it has steps.
    """
    before, after = below(unit * np.sinh(low)), below(unit * np.sinh(high))
    for step in range(STEPS):
        share = np.clip(_crossing(before, after, probability), 0.02, 0.98) if step % 2 else 0.5
        middle = low + share * (high - low)
        value = below(unit * np.sinh(middle))
        over = value >= probability
        low, high = np.where(over, low, middle), np.where(over, middle, high)
        before, after = np.where(over, before, value), np.where(over, value, after)
    left, right = unit * np.sinh(low), unit * np.sinh(high)
    root: FloatArray = left + np.clip(_crossing(before, after, probability), 0, 1) * (right - left)
    return root


def _crossing(before: FloatArray, after: FloatArray, probability: FloatArray) -> FloatArray:
    """Where between two values a straight line reaches a probability, as a share of the way."""
    rise = after - before
    return np.where(rise > 0, (probability - before) / np.where(rise > 0, rise, 1.0), 0.5)


def student_cdf(value: FloatArray, degrees: FloatArray) -> FloatArray:
    """Return the Student t distribution function, to about 0.002 from 2 degrees of freedom on.

    Normal approximations, several times faster than the incomplete beta function and exact in the limit:
    Wallace, "Bounds on normal approximations to Student's and the chi-square distributions", 1959, and with
    many degrees of freedom Abramowitz and Stegun 26.7.8.
    """
    if degrees.min(initial=np.inf) >= MANY_DEGREES:
        normal = value * (1 - 0.25 / degrees) / np.sqrt(1 + value * value / (2 * degrees))
    else:
        squeeze = (8 * degrees + 1) / (8 * degrees + 3)
        normal = squeeze * np.copysign(np.sqrt(degrees * np.log1p(value * value / degrees)), value)
    result: FloatArray = ndtr(normal)
    return result
