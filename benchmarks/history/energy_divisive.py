"""The rule of apache-otava 0.8 (Hunter: Fleming et al., ICPE 2023), written anew as a reference.

Splits are those of largest energy distance (Matteson and James, JASA 109, 2014) in windows of 50 entries;
those of which a t-test says p < 0.01 are kept, then the weakest is removed until all have p < 0.001.
"""

from itertools import pairwise

import numpy as np
from scipy.stats import ttest_ind_from_stats

WINDOW = 50
P = 0.001


def steps(series: np.ndarray) -> list[int]:
    """Return the indices of the first entries at new levels of a series, float64[n]."""
    found: set[int] = set()
    start = 0
    while start < len(series):
        newest = [start + at for at in _divided(series[start : start + WINDOW], 10 * P)]
        found.update(newest)
        start = max(newest[-1] if newest else 0, start + WINDOW // 2)
    kept = sorted(found)
    weights = [_p(series, [0, *kept, len(series)], k) for k in range(len(kept))]
    while kept and max(weights) >= P:
        weakest = int(np.argmax(weights))
        del kept[weakest], weights[weakest]
        for k in range(weakest, min(weakest + 2, len(kept))):  # as there: not the one before
            weights[k] = _p(series, [0, *kept, len(series)], k)
    return kept


def _divided(series: np.ndarray, p: float) -> list[int]:
    """Divide a series at the best split of all its parts while a t-test finds that one significant."""
    kept: list[int] = []
    while True:
        bounds = [0, *kept, len(series)]
        parts = [(a, *_best(series[a:b])) for a, b in pairwise(bounds) if b - a > 1]
        if not parts:
            return kept
        start, at, _ = max(parts, key=lambda part: part[2])
        tried = sorted([*kept, start + at])
        if not _p(series, [0, *tried, len(series)], tried.index(start + at)) <= p:
            return kept
        kept = tried


def _p(series: np.ndarray, bounds: list[int], k: int) -> float:
    left, right = series[bounds[k] : bounds[k + 1]], series[bounds[k + 1] : bounds[k + 2]]
    if len(left) + len(right) <= 2:
        return 1.0
    of_both = [(float(np.mean(x)), float(np.std(x)), len(x)) for x in (left, right)]
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(ttest_ind_from_stats(*of_both[0], *of_both[1]).pvalue)


def _best(series: np.ndarray) -> tuple[int, float]:
    """Return the split of largest energy distance between what is before it and any stretch after it."""
    m = len(series)
    sums = np.zeros((m + 1, m + 1))  # of distances between the first entries and the first entries
    sums[1:, 1:] = np.abs(series[:, None] - series).cumsum(axis=0).cumsum(axis=1)
    split, end = np.arange(1, m)[:, None], np.arange(2, m + 1)[None, :]
    before, after = split, end - split
    inside = after > 0
    own_before = sums[split, split] / 2
    own_after = (sums[end, end] - 2 * sums[split, end] + sums[split, split]) / 2
    between = sums[split, end] - sums[split, split]
    distance = 2 * between
    distance = distance - np.where(before > 1, 2 * after * own_before / np.maximum(before - 1, 1), 0)
    distance = distance - np.where(after > 1, 2 * before * own_after / np.maximum(after - 1, 1), 0)
    energy = np.where(inside, distance / (before + np.maximum(after, 0)), -np.inf)
    at = np.unravel_index(np.argmax(energy), energy.shape)
    return int(at[0]) + 1, float(energy[at])
