"""Tests of the ranks in windows of many lengths over a series, and what they reach by chance."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import ndtri

from ingest.arrays import FloatArray, IntArray

SHORTEST = 8  # entries of a window
RATIO = 2**0.5  # of the lengths of windows
TOLERANCE = 1e-4  # of statistics, which have seven digits
PROBABILITIES = (0.1, 0.01, 0.001)

LIMITS = {
    10: (2.144, 2.489, np.inf),
    11: (2.217, 2.609, np.inf),
    12: (2.286, 2.712, np.inf),
    13: (2.35, 2.736, np.inf),
    14: (2.434, 2.775, 2.964),
    15: (2.427, 2.787, 3.066),
    16: (2.466, 2.827, 3.11),
    18: (2.554, 2.881, 3.177),
    20: (2.607, 2.952, 3.263),
    22: (2.633, 3.039, 3.345),
    24: (2.705, 3.089, 3.401),
    28: (2.778, 3.184, 3.504),
    32: (2.828, 3.252, 3.61),
    40: (2.933, 3.382, 3.748),
    48: (3.012, 3.47, 3.848),
    64: (3.145, 3.61, 3.991),
    96: (3.3, 3.787, 4.192),
    128: (3.407, 3.89, 4.303),
    192: (3.55, 4.052, 4.495),
    256: (3.646, 4.16, 4.613),
    384: (3.773, 4.268, 4.701),
    512: (3.862, 4.346, 4.782),
    768: (3.978, 4.479, 4.858),
    1024: (4.053, 4.548, 4.941),
    1536: (4.16, 4.666, 5.105),
    2048: (4.234, 4.705, 5.252),
    4096: (4.396, 4.877, 5.369),
    8192: (4.555, 5.022, 5.458),
}
"""The statistic that series of so many entries reach by chance with probability 0.1, 0.01 and 0.001.

Simulated by ``python -m benchmarks.gate.change_point_limits``.
"""


@dataclass(frozen=True)
class Window:
    """Part of a series, from `start` to before `end`, and its largest statistic."""

    start: int
    end: int
    statistic: float


def ranks_of(logs: FloatArray) -> IntArray:
    """Return the ranks of each series, int64[S, n]; equal values are put in an order by chance."""
    tie_breaks = np.random.default_rng(logs.shape[1]).permutation(logs.shape[1])
    order = np.lexsort((np.broadcast_to(tie_breaks, logs.shape), logs), axis=-1)
    ranks = np.empty(logs.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(logs.shape[1]), logs.shape), axis=1)
    return ranks


def largest_statistics(ranks: IntArray) -> FloatArray:
    """Return the largest statistic of all windows of each series of ranks, int64[S, n], float64[S]."""
    every = [statistic.max(axis=1) for _, _, statistic in _layers(ranks)]
    largest: FloatArray = np.max(every, axis=0)
    return largest


def _layers(ranks: IntArray, least: float = 0.0) -> Iterator[tuple[int, IntArray, FloatArray]]:
    """Yield per length of windows that length, their starts int64[W], and their statistics float64[S, W].

    Windows overlap by three quarters. Lengths of which no window can reach `least` are left out.
    """
    n = ranks.shape[1]
    lengths = dict.fromkeys(round(n / RATIO**k) for k in range(2 * n.bit_length()))
    for length in (m for m in lengths if m >= SHORTEST):
        if _statistics(np.arange(length)[None])[0].max() < least:
            return
        count = -(-(n - length) // max(1, length // 4)) + 1
        starts = np.unique(np.round(np.linspace(0, n - length, count)).astype(np.int64))
        windows = sliding_window_view(ranks, length, axis=1)[:, starts]
        yield length, starts, _statistics(windows).max(axis=-1)


def _statistics(windows: IntArray) -> FloatArray:
    """Return the statistic of every split of windows of ranks, int64[..., m], float32[..., m - 1].

    It is the sum of the normal scores before the split, over its standard deviation in a random order.
    """
    length = windows.shape[-1]
    scores = ndtri((np.arange(length) + 0.625) / (length + 0.25)).astype(np.float32)  # Blom
    ordered = np.empty(windows.shape, dtype=np.float32)
    np.put_along_axis(ordered, np.argsort(windows, axis=-1), np.broadcast_to(scores, windows.shape), axis=-1)
    split = np.arange(1, length)
    deviation = np.sqrt(np.mean(scores**2) * split * (length - split) / (length - 1)).astype(np.float32)
    statistic: FloatArray = np.abs(np.cumsum(ordered, axis=-1)[..., :-1]) / deviation
    return statistic


def windows_above(ranks: IntArray, limit: FloatArray) -> list[list[Window]]:
    """Return the windows of each series that reach its limit, float64[S], the narrowest first."""
    found: list[list[Window]] = [[] for _ in ranks]
    for length, starts, statistic in _layers(ranks, float(limit.min())):
        for s, w in zip(*np.nonzero(statistic >= limit[:, None] - TOLERANCE), strict=True):
            start = int(starts[w])
            found[s].append(Window(start, start + length, float(statistic[s, w])))
    return [sorted(one, key=lambda w: (w.end - w.start, -w.statistic)) for one in found]


def best_split(ranks: IntArray, window: Window) -> int:
    """Return the index of the first entry after the best split of a window."""
    return window.start + 1 + int(_statistics(ranks[None, window.start : window.end])[0].argmax())


def limits(n: int) -> tuple[float, ...]:
    """Return what the statistic of n entries reaches by chance with each of `PROBABILITIES`.

    Between the lengths simulated the limits of the next longer series hold; beyond them their squares grow
    with the logarithm of the length.
    """
    longer = [length for length in LIMITS if length >= n]
    if longer:
        return LIMITS[min(longer)]
    last, before = sorted(LIMITS)[-1], sorted(LIMITS)[-5]
    factor = np.log(n / last) / np.log(last / before)
    pairs = zip(LIMITS[last], LIMITS[before], strict=True)
    return tuple(float(np.sqrt(high**2 + factor * (high**2 - low**2))) for high, low in pairs)


def probability(statistic: float, n: int) -> float:
    """Return the probability that a series of n entries reaches a statistic by chance.

    Logarithms are interpolated between `PROBABILITIES`, over the square of the statistic.
    """
    squares = np.square(limits(n))
    return float(np.exp(np.interp(statistic**2, squares, np.log(PROBABILITIES))))
