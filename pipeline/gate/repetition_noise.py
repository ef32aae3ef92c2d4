"""Few repetitions of many kernels: means in which outlying values count for little, and their noise.

Noise of run times is multiplicative, so everything here is in logarithms. Single variances from 3 or 5
repetitions are so uncertain that tests built on them either miss changes or raise false alarms. As in the
analysis of gene expression, each is shrunk towards the common one, by as much as the data say that they
agree: Smyth, "Linear models and empirical Bayes methods for assessing differential expression", Statistical
Applications in Genetics and Molecular Biology 3, 2004, sections 4 and 6.2.

Run times are disturbed upwards: by other jobs, a slow node, a late page fault. Disturbed values are found by
spreads that one value cannot move: medians of the differences between repetitions, as in Rousseeuw and Croux,
"Alternatives to the median absolute deviation", Journal of the American Statistical Association 88, 1993.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
from scipy.special import ndtri

from ingest.arrays import BoolArray, FloatArray
from pipeline.statistics.empirical_bayes import pool_variances

LEAST = 1e-3  # relative noise below this is due to the resolution of timers or to chance
PROFILE_PRIOR = 20.0  # degrees of freedom of the prior that the noise of all points is alike
ROUNDS = 3  # alternations between the noise of kernels and of points; converged by then
FEWEST = 3  # variances needed to estimate how much they differ
CERTAIN = 1e6  # degrees of freedom of a variance that is as good as known
MEDIAN_DIFFERENCE = 0.9538726  # median of |a - b| for two standard normal variables
PRECISE = 3.0  # kernels with a spread up to this many times the lower quartile say what all have in common
REACH = 3.5  # spreads from the center up to which a value counts in full
MOST_OUTLYING = 1 / 3  # of the values of a kernel in one study: beyond, that is how it behaves


@dataclass(frozen=True, eq=False)
class LogMeans:
    """Repetitions of K kernels at P points, in natural logarithms.

    Attributes:
        mean: float64[K, P], mean over repetitions, NaN if none is above zero.
        count: float64[K, P], repetitions above zero; less if some count for little.
        squares: float64[K, P], sum of squared deviations from the mean.
        freedom: float64[K, P], degrees of freedom of `squares`; None: one less than the repetitions.
        rounding: float64[K, P], standard deviation of what the resolution of values has wrong in the mean;
            None if nothing.
    """

    mean: FloatArray
    count: FloatArray
    squares: FloatArray
    freedom: FloatArray | None = None
    rounding: FloatArray | None = None

    @property
    def degrees(self) -> FloatArray:
        """Degrees of freedom of `squares`, float64[K, P]."""
        if self.freedom is not None:
            return self.freedom
        degrees: FloatArray = np.maximum(self.count - 1.0, 0.0)
        return degrees


@dataclass(frozen=True, eq=False)
class Noise:
    """Variance of the logarithm of one repetition.

    Attributes:
        variance: float64[K, P].
        degrees: float64[K, P], degrees of freedom behind it; 0 if it is unknown.
        limit: float64[K], degrees of freedom behind all points of a kernel together.
    """

    variance: FloatArray
    degrees: FloatArray
    limit: FloatArray


def natural_logs(values: FloatArray) -> FloatArray:
    """Return natural logarithms; NaN for values that are unknown or not above zero."""
    logs = np.full(values.shape, np.nan)
    np.log(values, out=logs, where=np.isfinite(values) & (np.nan_to_num(values) > 0))
    return logs


def log_means(values: FloatArray) -> LogMeans:
    """Reduce repetitions, float64[K, P, R]; values not above zero have no logarithm and are left out."""
    logs = natural_logs(values)
    return _reduced(logs, np.isfinite(logs).astype(np.float64))


def moderated_noise(squares: FloatArray, degrees: FloatArray) -> Noise:
    """Estimate noise from sums of squares over repetitions.

    Args:
        squares: float64[K, P], sums of squared deviations of logarithms.
        degrees: float64[K, P], their degrees of freedom, 0 without repetitions.
    """
    known = degrees.sum(axis=1)
    profile, pooled = np.ones(squares.shape[1]), np.zeros(len(squares))
    for _ in range(ROUNDS):
        pooled = np.maximum(_divide((squares / profile).sum(axis=1), known), LEAST**2)
        relative = (squares / pooled[:, None]).sum(axis=0)
        profile = (relative + PROFILE_PRIOR) / (degrees.sum(axis=0) + PROFILE_PRIOR)
    center, weight = common_variance(pooled, known)
    kernel = _divide(weight * center + known * pooled, weight + known)
    limit = np.minimum(weight + known, float(known.sum()))

    expected = kernel[:, None] * profile
    ratio = np.maximum(_divide(squares, degrees * expected), 1e-12)
    _, agreement = common_variance(ratio.reshape(-1), degrees.reshape(-1))
    variance = _divide(agreement * expected + squares, agreement + degrees)
    freedom = np.minimum(agreement + degrees, limit[:, None])
    return Noise(np.maximum(variance, LEAST**2), freedom, limit)


def common_variance(variance: FloatArray, degrees: FloatArray) -> tuple[float, float]:
    """Pool independent variances.

    Args:
        variance: float64[n], above zero where `degrees` is.
        degrees: float64[n], their degrees of freedom.

    Returns:
        The common variance, and how many degrees of freedom it counts for beside each; `CERTAIN` if the
        variances differ by no more than chance, 0 if there are too few to know.
    """
    seen = degrees > 0
    if not seen.any():
        return 0.0, 0.0
    pooled = pool_variances(variance[seen], degrees[seen], CERTAIN)
    return pooled.variance, pooled.degrees if seen.sum() >= FEWEST else 0.0


def _divide(above: FloatArray, below: FloatArray) -> FloatArray:
    """Divide; 0 where the divisor is 0."""
    out = np.zeros(np.broadcast_shapes(above.shape, below.shape))
    np.divide(above, below, out=out, where=below > 0)
    return out


def precise_kernels(spread: FloatArray) -> BoolArray:
    """Return which kernels, float64[K] spreads or errors, are precise enough to show what all share."""
    known = np.isfinite(spread)
    if not known.any():
        return known
    precise: BoolArray = known & (spread <= PRECISE * np.maximum(np.quantile(spread[known], 0.25), LEAST))
    return precise


def robust_log_means(*studies: FloatArray, rounding: Sequence[FloatArray] = ()) -> tuple[LogMeans, ...]:
    """Reduce repetitions to means of logarithms in which outlying values count for little.

    The center of a point starts at its lower repetitions, since up to half of them may be disturbed and
    upwards only. A kernel many of whose values lie far out is noisy rather than disturbed: they all count.

    Args:
        studies: float64[K, P, R] each, the same kernels and points.
        rounding: float64[K, P] each, what their resolution has wrong in the logarithms; nothing by default.
    """
    logs = [natural_logs(values) for values in studies]
    scale = _spread(np.concatenate([_differences(one) for one in logs], axis=2))
    for error in rounding:  # a value beside the others by one step is no outlier
        scale = np.hypot(scale, error)
    means = (_reduced(one, repetition_weights(one, scale)) for one in logs)
    return tuple(
        replace(one, rounding=error) for one, error in zip_longest(means, rounding, fillvalue=None) if one
    )


def _reduced(logs: FloatArray, weight: FloatArray) -> LogMeans:
    whole, squares = weight.sum(axis=2), (weight**2).sum(axis=2)
    mean, count = np.full(whole.shape, np.nan), np.zeros(whole.shape)
    np.divide((weight * np.nan_to_num(logs)).sum(axis=2), whole, out=mean, where=whole > 0)
    np.divide(whole**2, squares, out=count, where=squares > 0)
    deviation = np.where(weight > 0, logs - mean[:, :, None], 0.0)
    return LogMeans(mean, count, (weight * deviation**2).sum(axis=2))


def repetition_weights(logs: FloatArray, scale: FloatArray) -> FloatArray:
    """Weight of every repetition, 0 to 1; 0 if it is unknown.

    Args:
        logs: float64[K, P, R], NaN if unknown.
        scale: float64[K, P], standard deviations.
    """
    known = np.isfinite(logs)
    center = _low_center(logs, scale)
    weight = known.astype(np.float64)
    for _ in range(ROUNDS):
        distance = np.abs(logs - center[:, :, None]) / scale[:, :, None]
        weight = np.where(known, np.minimum(1.0, (REACH / np.maximum(distance, REACH)) ** 4), 0.0)
        whole = weight.sum(axis=2)
        moved = (weight * np.nan_to_num(logs)).sum(axis=2)
        np.divide(moved, whole, out=center, where=whole > 0)
    out = ((weight < 0.5) & known).sum(axis=(1, 2)) > MOST_OUTLYING * known.sum(axis=(1, 2))
    weight[out] = known[out]
    return weight


def _low_center(logs: FloatArray, scale: FloatArray) -> FloatArray:
    """Estimate the level of undisturbed repetitions from one of the lowest, float64[K, P]."""
    count = np.isfinite(logs).sum(axis=2)
    rank = np.maximum(count - 1, 0) // 4
    lowest = np.take_along_axis(np.sort(logs, axis=2), rank[:, :, None], axis=2)[:, :, 0]
    expected = ndtri((rank + 0.625) / (count + 0.25))  # Blom's approximation to the mean order statistic
    center: FloatArray = lowest - expected * scale
    return center


def _differences(logs: FloatArray) -> FloatArray:
    """Return the absolute differences of all pairs of repetitions, float64[K, P, R (R - 1) / 2]."""
    first, second = np.triu_indices(logs.shape[2], 1)
    difference: FloatArray = np.abs(logs[:, :, first] - logs[:, :, second])
    return difference


def _spread(difference: FloatArray) -> FloatArray:
    """Standard deviation of single values per kernel and point, float64[K, P], from their differences.

    A kernel's noise counts over all points, and a point's over all kernels.
    """
    kernel = np.maximum(known_median(_flat(difference), 1) / MEDIAN_DIFFERENCE, LEAST)
    relative = known_median(difference, 2) / MEDIAN_DIFFERENCE / kernel[:, None]
    profile = np.nan_to_num(known_median(relative, 0), nan=1.0)
    scale = np.nan_to_num(kernel[:, None] * profile, nan=LEAST)
    return np.maximum(scale, LEAST)


def kernel_spread(logs: FloatArray) -> FloatArray:
    """Standard deviation of single values per kernel, float64[K]; NaN without repetitions."""
    spread: FloatArray = known_median(_flat(_differences(logs)), 1) / MEDIAN_DIFFERENCE
    return spread


def known_median(values: FloatArray, axis: int) -> FloatArray:
    """Median of what is known along an axis; NaN if nothing is."""
    known = np.isfinite(values)
    count = known.sum(axis=axis, keepdims=True)
    if not values.shape[axis]:
        return np.full(np.delete(values.shape, axis), np.nan)
    ordered = np.sort(np.where(known, values, np.inf), axis=axis)
    pair = [np.take_along_axis(ordered, np.maximum(count - 1 + up, 0) // 2, axis=axis) for up in (0, 1)]
    median = np.where(count > 0, (pair[0] + pair[1]) / 2, np.nan)
    return np.squeeze(median, axis=axis)


def _flat(values: FloatArray) -> FloatArray:
    """Put points and repetitions into one row per kernel."""
    return values.reshape(len(values), int(np.prod(values.shape[1:])))
