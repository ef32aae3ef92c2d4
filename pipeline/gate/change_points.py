"""Change points and drift in a series of measurements over commits.

A single check compares with one baseline, so many small steps pass. Here the whole series counts: the test of
Pettitt, "A non-parametric approach to the change-point problem", Applied Statistics 28, 1979, repeated on
both sides of every change point (binary segmentation), and Mann and Kendall's test for a drift. Both use
ranks, so that a single slow run changes nothing.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import kendalltau, rankdata

from ingest.arrays import FloatArray

LEVEL = 0.01
PERMUTATIONS = 1999
ENOUGH = 8  # measurements; with fewer no series reaches the level


@dataclass(frozen=True)
class ChangePoint:
    """A change of level.

    Attributes:
        at: index of the first measurement at the new level.
        factor: median after over median before.
        p: p-value of Pettitt's test within its part of the series.
    """

    at: int
    factor: float
    p: float


@dataclass(frozen=True)
class Drift:
    """A monotone trend.

    Attributes:
        factor: last over first value of the median slope (Theil and Sen) through the logarithms.
        p: two-sided p-value of Mann and Kendall's test.
    """

    factor: float
    p: float


def change_points(values: FloatArray) -> tuple[ChangePoint, ...]:
    """Find changes of level in a series, float64[n] above zero, in order.

    Three or fewer measurements at one end are never significant: however long the series, the largest
    statistic that they can have occurs by chance in more than one of a hundred orders.
    """
    found: list[ChangePoint] = []
    parts = [(0, len(values))]
    while parts:
        start, end = parts.pop()
        part = values[start:end]
        if len(part) < ENOUGH:
            continue
        split, p = pettitt(part)
        if p > LEVEL:
            continue
        factor = float(np.median(part[split:]) / np.median(part[:split]))
        found.append(ChangePoint(start + split, factor, p))
        parts += [(start, start + split), (start + split, end)]
    return tuple(sorted(found, key=lambda c: c.at))


def pettitt(values: FloatArray) -> tuple[int, float]:
    """Return the most likely first index of a new level and its p-value by permutation of the ranks."""
    ranks = rankdata(values)
    observed = np.abs(_statistic(ranks[None, :]))[0]
    rng = np.random.default_rng(len(values))
    shuffled = np.abs(_statistic(rng.permuted(np.tile(ranks, (PERMUTATIONS, 1)), axis=1))).max(axis=1)
    largest = float(observed.max())
    p = (1 + int((shuffled >= largest - 1e-9).sum())) / (1 + PERMUTATIONS)
    return int(observed.argmax()) + 1, p


def _statistic(ranks: FloatArray) -> FloatArray:
    """Pettitt's U after 1 .. n - 1 measurements, by its form in rank sums, float64[m, n - 1]."""
    n = ranks.shape[1]
    k = np.arange(1, n)
    statistic: FloatArray = 2.0 * np.cumsum(ranks, axis=1)[:, :-1] - k * (n + 1)
    return statistic


def drift(values: FloatArray) -> Drift | None:
    """Test a series, float64[n] above zero, for a monotone trend; None if it is too short or constant."""
    n = len(values)
    if n < ENOUGH or np.ptp(values) == 0:
        return None
    logs = np.log(values)
    first, second = np.triu_indices(n, 1)
    slope = float(np.median((logs[second] - logs[first]) / (second - first)))
    return Drift(float(np.exp(slope * (n - 1))), float(kendalltau(np.arange(n), logs).pvalue))
