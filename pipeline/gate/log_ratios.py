"""Two measurements of the same kernels: the logarithm of their ratio at every common point."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class LogMeans:
    """Logarithms of K kernels at P points; noise of run times multiplies, so it adds here.

    Attributes:
        mean: float64[K, P], mean over repetitions, NaN where nothing above zero was measured.
        count: int64[K, P], repetitions above zero.
        squares: float64[K, P], sum of squared deviations from the mean.
    """

    mean: FloatArray
    count: IntArray
    squares: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class LogRatios:
    """Candidate over baseline for K kernels at P common points.

    Attributes:
        points: float64[P, D].
        change: float64[K, P], natural logarithm of the ratio; NaN where one side was not measured.
        size: float64[K, P], what the variance of a single repetition is multiplied by: 1/n + 1/m.
        squares: float64[K, P], squared deviations of the repetitions of both sides, each from its own mean.
        degrees: float64[K, P], their degrees of freedom.
    """

    points: FloatArray
    change: FloatArray
    size: FloatArray
    squares: FloatArray
    degrees: FloatArray


def log_means(values: FloatArray) -> LogMeans:
    """Reduce repetitions, float64[K, P, R]; what is not above zero has no logarithm and is left out."""
    there = np.isfinite(values) & (np.nan_to_num(values) > 0)
    logs = np.log(np.where(there, values, 1.0))
    count = there.sum(axis=2)
    mean = np.full(count.shape, np.nan)
    np.divide(logs.sum(axis=2), count, out=mean, where=count > 0)
    deviation = np.where(there, logs - np.nan_to_num(mean)[:, :, None], 0.0)
    return LogMeans(mean, count, (deviation**2).sum(axis=2))


def common_points(baseline: FloatArray, candidate: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the indices of the points, float64[P, D], that occur in both, in the order of the baseline."""
    same = (np.abs(baseline[:, None, :] - candidate[None, :, :]) <= 1e-9 * np.abs(baseline)[:, None, :]).all(
        2
    )
    first, second = np.nonzero(same)
    return first, second


def log_ratios(points: FloatArray, baseline: FloatArray, candidate: FloatArray) -> LogRatios:
    """Compare values at common points.

    Args:
        points: float64[P, D].
        baseline: float64[K, P, R], NaN where nothing was measured.
        candidate: float64[K, P, S], the same kernels and points.
    """
    one, two = log_means(baseline), log_means(candidate)
    both = (one.count > 0) & (two.count > 0)
    size = np.full(both.shape, np.nan)
    size[both] = 1.0 / one.count[both] + 1.0 / two.count[both]
    degrees = np.maximum(one.count - 1, 0) + np.maximum(two.count - 1, 0)
    return LogRatios(
        points=points,
        change=two.mean - one.mean,
        size=size,
        squares=one.squares + two.squares,
        degrees=degrees.astype(np.float64),
    )
