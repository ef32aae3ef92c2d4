"""Quantiles of normal distributions, and of mixtures of Student t distributions."""

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, stdtrit

from ingest.arrays import FloatArray, IntArray

TWO_SIDED = 1.645  # standard deviations to either end of a 90 % interval
NEGLIGIBLE = 1e-3  # weight below which a component moves no requested quantile
MANY_DEGREES = 30.0  # of freedom, from which a simpler approximation is as good
STEPS = 10  # of the inversion: exact to about 1e-3 of the interval's width
FARTHER, MARGIN = 1.01, 0.1  # by how much, of quantile and scale, it starts outside those of the components


def mixture_quantiles(
    center: FloatArray,
    scale: FloatArray,
    weight: FloatArray,
    count: IntArray,
    degrees: FloatArray,
    probability: FloatArray,
) -> FloatArray:
    """Return quantiles of K x Q mixtures of Student t distributions, R components in all.

    Where one component counts, they are its own. Else the distribution functions are inverted between the
    least and the largest quantile of the components, on an asinh scale: rivals may be decades apart.

    Args:
        center: float64[R, Q], those of the first mixture, then those of the second ...
        scale: float64[R, Q], not below 0.
        weight: float64[R], sums to 1 over a mixture, with one component above `NEGLIGIBLE` in each.
        count: int64[K], components of each mixture, at least one.
        degrees: float64[K], degrees of freedom.
        probability: float64[n], between 0 and 1.

    Returns:
        float64[n, K, Q].
    """
    result = np.empty((len(probability), len(count), center.shape[1]))
    if not result.size:
        return result
    mixture, first = np.repeat(np.arange(len(count)), count), np.cumsum(count) - count
    counts = weight > NEGLIGIBLE
    several = np.add.reduceat(counts.astype(np.int64), first) > 1
    some = counts & several[mixture]
    result[:, several] = _of_several(
        center[some],
        scale[some],
        weight[some],
        (np.cumsum(several) - 1)[mixture[some]],
        degrees[several],
        probability,
    )
    best = weight == np.maximum.reduceat(weight, first)[mixture]
    rows = np.flatnonzero(best & ~several[mixture])
    alone, place = np.unique(mixture[rows], return_index=True)
    rows = rows[place]
    reach = _student_quantiles(degrees[alone], probability)[:, :, None]
    result[:, alone] = center[rows] + scale[rows] * reach
    return result


def _student_quantiles(degrees: FloatArray, probability: FloatArray) -> FloatArray:
    """Return float64[n, K]; few degrees of freedom differ, and each takes a microsecond."""
    different, which = np.unique(degrees, return_inverse=True)
    found: FloatArray = stdtrit(different, probability[:, None])[:, which]
    return found


def _of_several(
    center: FloatArray,
    scale: FloatArray,
    share: FloatArray,
    kernel: IntArray,
    degrees: FloatArray,
    probability: FloatArray,
) -> FloatArray:
    """Return the quantiles if more than one component counts; `kernel`, int64[R], tells whose each is.

    Inside, points stand before kernels: what is next to each other in memory is added and looked up.
    """
    if not center.size:
        return np.zeros((len(probability), len(degrees), center.shape[1]))
    first = np.searchsorted(kernel, np.arange(len(degrees)))
    share = share / np.add.reduceat(share, first)[kernel]
    middle, scale = np.ascontiguousarray(center.T), np.ascontiguousarray(scale.T)
    smallest = np.maximum.reduceat(np.abs(middle), first, axis=1) * 1e-12 + 1e-300
    spread = np.maximum(scale, smallest[:, kernel])
    freedom = degrees[kernel]

    reach = _student_quantiles(degrees, probability)[:, None, kernel] * FARTHER
    ends = middle + spread * reach
    margin = MARGIN * spread
    low = np.minimum.reduceat(ends - margin, first, axis=2)
    high = np.maximum.reduceat(ends + margin, first, axis=2)
    unit = np.minimum.reduceat(spread, first, axis=1)

    def below(place: FloatArray) -> FloatArray:
        standard = np.take(place, kernel, axis=2)
        standard -= middle
        standard /= spread
        part = student_cdf(standard, freedom)
        part *= share
        total: FloatArray = np.add.reduceat(part, first, axis=2)
        return total

    found = _invert(below, np.arcsinh(low / unit), np.arcsinh(high / unit), unit, probability[:, None, None])
    return found.transpose(0, 2, 1)


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
    squared: FloatArray = value * value
    if degrees.min(initial=np.inf) >= MANY_DEGREES:
        squared /= 2 * degrees
        squared += 1
        normal = np.divide(value * (1 - 0.25 / degrees), np.sqrt(squared, out=squared), out=squared)
    else:
        squared /= degrees
        normal = np.log1p(squared, out=squared)
        normal *= degrees
        np.copysign(np.sqrt(normal, out=normal), value, out=normal)
        normal *= (8 * degrees + 1) / (8 * degrees + 3)
    result: FloatArray = ndtr(normal, out=normal)
    return result
