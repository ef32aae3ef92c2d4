"""Means of repetitions in which outlying values count for little.

Run times are disturbed upwards: by other jobs, a slow node, a late page fault. Disturbed values are found by
spreads that one value cannot move: medians of the differences between repetitions, as in Rousseeuw and Croux,
"Alternatives to the median absolute deviation", Journal of the American Statistical Association 88, 1993.
"""

import numpy as np
from scipy.special import ndtri

from ingest.arrays import BoolArray, FloatArray
from pipeline.gate.noise import LEAST, LogMeans, natural_logs

MEDIAN_DIFFERENCE = 0.9538726  # median of |a - b| for two standard normal variables
PRECISE = 3.0  # kernels with a spread up to this many times the lower quartile say what all have in common
REACH = 3.5  # spreads from the center up to which a value counts in full
MOST_OUTLYING = 1 / 3  # of the values of a kernel in one study: beyond, that is how it behaves
ROUNDS = 3


def precise_kernels(spread: FloatArray) -> BoolArray:
    """Return which kernels, float64[K] spreads or errors, are precise enough to show what all share."""
    known = np.isfinite(spread)
    if not known.any():
        return known
    precise: BoolArray = known & (spread <= PRECISE * np.maximum(np.quantile(spread[known], 0.25), LEAST))
    return precise


def robust_log_means(*studies: FloatArray) -> tuple[LogMeans, ...]:
    """Reduce repetitions to means of logarithms in which outlying values count for little.

    The center of a point starts at its lower repetitions, since up to half of them may be disturbed and
    upwards only. A kernel many of whose values lie far out is noisy rather than disturbed: they all count.

    Args:
        studies: float64[K, P, R] each, the same kernels and points.
    """
    logs = [natural_logs(values) for values in studies]
    scale = _spread(np.concatenate([_differences(one) for one in logs], axis=2))
    return tuple(_reduced(one, repetition_weights(one, scale)) for one in logs)


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
