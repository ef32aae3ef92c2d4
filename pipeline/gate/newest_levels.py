"""Whether a series has come to a new level: a test after every entry that speaks from the second one on.

The `MOST` newest entries or fewer are compared with those before them. They are a new level if

* they lie on one side of the entries before: all of two or three of the last 200 that are as far off, of
  more entries all but a tenth of the last 40, so that what has happened before, such as a second clock or
  slow nights, is no change, and
* the shift of the median reaches the limit of so many entries, in standard deviations. The more entries,
  the lower the limit: evidence accumulates. The standard deviation is that of nine tenths of the entries
  around the medians before and after; if it is known from few entries, or if neighbours are alike, the
  limit rises. Two or three entries may differ by rounding alone if all before them are equal.

A level of two or three entries counts as long as they are the newest: if the next return, it was none.
Later entries correct as well: of all pairs of an entry before and one after, up to the levels before and
after those, four fifths must differ the same way.

The limits are such that of series of 60 entries that are looked at after each entry about one in a
hundred has an alarm at any look if nothing changes: `python -m benchmarks.history`.
"""

from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ingest.arrays import BoolArray, FloatArray

BEFORE = 5  # entries that must have been at the old level
FEWEST = BEFORE + 2  # entries with which anything can be said
RECENT = 40  # entries before that noise and level are taken from
REMEMBERED = 200  # entries before of which none may be as far off as two or three new ones
LIMITS = {2: 12.0, 3: 4.6, 4: 10 / 3, 5: 2.5, 6: 2.3, 7: 2.3}  # standard deviations, per number of entries
MOST = max(LIMITS)
CONFIRMED = 0.8  # share of pairs of an entry before and one after that differ the same way
SETTLED = 4  # entries of a level that stays a level if others follow
EXCEPTIONS = 10  # one entry in so many before, and one in half as many after, may lie elsewhere
NORMAL_90 = (
    1.6448536  # distance from the mean that nine tenths of normal entries keep, in standard deviations
)
FEW = 12.0, 1.5  # of d + 1 entries the limit is 1 + 12 / d^1.5 times as large
FARTHEST = 2.5  # standard deviations that an entry counts at most for the correlation
DOUBT = 0.5  # standard errors that are added to the correlation
LEAST = 1e-6  # standard deviation; smaller ones are rounding


def new_levels(logs: FloatArray, noise: FloatArray, widening: FloatArray) -> list[list[int]]:
    """Return where new levels begin, as indices of their first entries.

    Args:
        logs: float64[S, n], series of logarithms.
        noise: float64[S], standard deviations that are known from repetitions, NaN if none are; that of
            entries is not below them.
        widening: float64[S], by which correlation widens the statistic of a mean of many entries.
    """
    least = np.fmax(noise, LEAST)
    raised = np.sqrt(widening)  # of few entries
    possible = _possible(logs)
    rows = np.flatnonzero(possible.any(axis=1)).tolist()
    found: list[list[int]] = [[] for _ in logs]
    for row in rows:
        begins = list(_of_one(logs[row], possible[row], float(least[row]), float(raised[row])))
        found[row] = _lasting(logs[row], begins)
    return found


def _of_one(logs: FloatArray, possible: BoolArray, least: float, raised: float) -> Iterator[int]:
    start = 0
    while True:
        places = (start + np.flatnonzero(possible)).tolist()
        at = next((place for place in places if _begins(logs[start:], place - start, least, raised)), None)
        if at is None:
            return
        yield at
        start = at
        possible = _possible(logs[None, start:])[0]


def _lasting(logs: FloatArray, begins: list[int]) -> list[int]:
    """Leave out levels that later entries do not confirm, the least confirmed first."""
    kept = list(begins)
    while kept:
        ends = [0, *kept, len(logs)]
        shares = [_same_way(logs, *ends[k : k + 3]) for k in range(len(kept))]
        if min(shares) >= CONFIRMED:
            break
        del kept[int(np.argmin(shares))]
    return kept


def _same_way(logs: FloatArray, start: int, at: int, end: int) -> float:
    """Return the share of pairs of entries before and after that differ as most of them do."""
    before, after = np.sort(logs[max(start, at - RECENT) : at]), logs[at : min(end, at + RECENT)]
    pairs = len(before) * len(after)
    higher = int(np.searchsorted(before, after).sum())
    lower = pairs - int(np.searchsorted(before, after, side="right").sum())
    return max(higher, lower) / pairs


def _possible(logs: FloatArray) -> BoolArray:
    """Tell at which entries a new level may begin, bool[S, n].

    Two entries in sequence are beyond all but a tenth of the `RECENT` entries before them.
    """
    count, n = logs.shape
    found = np.zeros((count, n), dtype=np.bool_)
    if n < FEWEST:
        return found
    low, high = np.minimum(logs[:, 1:], logs[:, :-1]), np.maximum(logs[:, 1:], logs[:, :-1])
    for at in range(BEFORE, min(RECENT, n - 1)):
        ends = _usual(logs[:, :at])
        found[:, at] = (low[:, at] > ends[1]) | (high[:, at] < ends[0])
    if n > RECENT + 1:
        lower, upper = _usual(sliding_window_view(logs, RECENT, axis=1)[:, : n - RECENT - 1])
        found[:, RECENT : n - 1] = (low[:, RECENT:] > upper) | (high[:, RECENT:] < lower)
    return found


def _usual(before: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ends of entries, float64[..., m], without the tenth that is farthest up or down."""
    kept = before.shape[-1] // EXCEPTIONS
    last = before.shape[-1] - 1
    ordered = np.partition(before, (kept, last - kept), axis=-1)
    return ordered[..., kept], ordered[..., last - kept]


def _begins(logs: FloatArray, at: int, least: float, raised: float) -> bool:
    """Tell whether a new level begins at an entry; what comes before is all of one level."""
    known = min(len(logs) - at, MOST)
    if at < BEFORE:
        return False
    fewest = SETTLED if known >= SETTLED else 2
    return any(_shift(logs, at, m, least) >= raised * LIMITS[m] for m in range(fewest, known + 1))


def _shift(logs: FloatArray, at: int, count: int, least: float) -> float:
    """Return by how many standard deviations so many entries lie elsewhere than those before; 0 if mixed."""
    before, after = logs[max(at - RECENT, 0) : at], logs[at : at + count]
    old, new = float(np.median(before)), float(np.median(after))
    sign = 1.0 if new > old else -1.0
    off, on = sign * (before - old), sign * (after - old)
    strays = count // (EXCEPTIONS // 2)
    nearest = min(float(np.sort(on)[strays]), float(on[:2].min()))
    if nearest <= 0:
        return 0.0
    if count < SETTLED:
        mixed = bool((sign * (logs[max(at - REMEMBERED, 0) : at] - old) >= nearest).any())
    else:
        mixed = int((off >= nearest).sum()) > len(before) // EXCEPTIONS
    if mixed:
        return 0.0
    apart = np.abs(after - new)
    sides = [np.concatenate([before, after])] if count < SETTLED else [before, after]
    spread = max(
        float(np.quantile(np.concatenate([np.abs(off), apart]), 0.9)) / NORMAL_90,
        float(np.sort(apart)[count - 1 - strays]) / NORMAL_90,
        *map(_resolution, sides),
        least,
    )
    return sign * (new - old) / (spread * _doubt(off / spread))


def _resolution(logs: FloatArray) -> float:
    """Return the standard deviation that rounding to the nearest of the values makes; 0 if all are equal."""
    gaps = np.diff(np.sort(logs))
    gaps = gaps[gaps > LEAST]
    return float(gaps.min()) / np.sqrt(12) if len(gaps) else 0.0


def _doubt(off: FloatArray) -> float:
    """Return by how much few entries, and such that resemble their neighbours, widen the limit."""
    size = len(off)
    counted = np.clip(off, -FARTHEST, FARTHEST)
    squares = float((counted**2).sum())
    alike = float((counted[1:] * counted[:-1]).sum()) / squares if squares > 0 else 0.0
    alike = min(max(alike + DOUBT / size**0.5, 0.0), 0.9)
    factor, power = FEW
    return float((1 + factor / (size - 1) ** power) * ((1 + alike) / (1 - alike)) ** 0.25)
