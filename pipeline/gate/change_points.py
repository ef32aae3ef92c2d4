"""Change points in a series of measurements over commits.

A single check compares with one baseline, so many small steps pass. Here the whole series counts, in two
ways:

* After every entry it is asked whether the newest ones are a new level (`newest_levels`): large steps
  show from the second entry on.
* Windows of many lengths are laid over the series (seeded binary segmentation: Kovács, Bühlmann, Li and
  Munk, Biometrika 110, 2023), and every split of every window is tested by the normal scores of its
  ranks. What the largest of all these statistics reaches by chance depends on the length of the series
  alone, whatever the noise is distributed like. The narrowest windows above the limit are reported, each
  of which holds a change (narrowest over threshold: Baranowski, Chen and Fryzlewicz, JRSS B 81, 2019).
  Ranks make single slow runs harmless; small steps that last show in windows.

A series is looked at after every entry, so what counts is the probability of a change point at any look
while nothing changes: about `FALSE_ALARMS` for series of 60 entries. Where in its window a change is follows
from the likelihood (Hansen, Econometrica 68, 2000), so that a place that was named early is corrected by
later entries.

Entries that resemble the ones before, as on a machine with good and bad days, make steps by chance more
probable. So a step of either kind has to be evident, too: autoregressive noise of first order with a step
must explain the entries much better than without one, whatever the correlation is (`evidence`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import ndtri

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.statistics import NORMAL_90

BEFORE = 5  # entries that must have been at the old level
FEWEST_ENTRIES = BEFORE + 2  # entries with which anything can be said
_RECENT = 40  # entries before that noise and level are taken from
_REMEMBERED = 200  # entries before of which none may be as far off as two or three new ones
_FEWEST_LIMITS = {2: 12.0, 3: 4.6}  # standard deviations, per number of entries
_SETTLED = 4  # entries of a level that stays a level if others follow
_NEWEST = (4, 5, 6, 7, 8, 10, 12)  # entries that are together asked for a new level
_EXCEPTIONS = 10  # one entry in so many before, and one in half as many after, may lie elsewhere
_FEW = 12.0, 1.5  # of d + 1 entries the limit is 1 + 12 / d^1.5 times as large
_KNOWN = 60  # entries on either side of a step that tell how surely it is one
_FARTHEST_NEWEST = 3.5  # standard deviations that such an entry counts at most
EVIDENT = 9.0  # of `evidence`; 4 of 100 series of 60 entries of correlation 0.6 reach it, no independent one
_CORRELATIONS = np.linspace(0, 0.8, 17)  # of neighbours, that are thought possible
_PRIOR = np.array([0.2, *[0.05] * 16])  # their probabilities
LEAST_DEVIATION = 1e-6  # standard deviation; smaller ones are rounding


def new_levels(logs: FloatArray) -> list[list[int]]:
    """Return where new levels begin in series of logarithms, float64[S, n], as indices of first entries."""
    possible = _possible(logs)
    found: list[list[int]] = [[] for _ in logs]
    for row in np.flatnonzero(possible.any(axis=1)).tolist():
        begins = list(_of_one(logs[row], possible[row]))
        found[row] = [begins[k] for k, _ in _confirmed(logs[row], begins)]
    return found


def _of_one(logs: FloatArray, possible: BoolArray) -> Iterator[int]:
    start = 0
    while True:
        places = (start + np.flatnonzero(possible)).tolist()
        at = next((place for place in places if _begins(logs[start:], place - start)), None)
        if at is None:
            return
        yield at
        start = at
        possible = _possible(logs[None, start:])[0]


def _confirmed(logs: FloatArray, begins: Sequence[int]) -> list[tuple[int, float]]:
    """Leave out levels that are not evident, the least evident first; return indices and correlations."""
    kept = list(range(len(begins)))
    while kept:
        ends = [0, *(begins[k] for k in kept), len(logs)]
        known = [_step(logs[ends[k] : ends[k + 2]], ends[k + 1] - ends[k]) for k in range(len(kept))]
        if min(known)[0] >= EVIDENT:
            return [(k, correlation) for k, (_, correlation) in zip(kept, known, strict=True)]
        del kept[known.index(min(known))]
    return []


def _step(logs: FloatArray, at: int) -> tuple[float, float]:
    """Return how evident a step at an entry is, and the correlation of neighbours beside it."""
    sides = logs[max(at - _KNOWN, 0) : at], logs[at : at + _KNOWN]
    off = [side - np.median(side) for side in sides]
    farthest = _FARTHEST_NEWEST * float(np.quantile(np.abs(np.concatenate(off)), 0.9)) / NORMAL_90
    near = [np.median(side) + np.clip(o, -farthest, farthest) for side, o in zip(sides, off, strict=True)]
    return evidence(np.concatenate(near), np.repeat([0.0, 1.0], [len(side) for side in sides]))


def evidence(logs: FloatArray, shape: FloatArray) -> tuple[float, float]:
    """Return how evident it is that a series has a shape, both float64[n], and the likeliest correlation.

    That is twice the logarithm of the ratio of the likelihoods with and without it, over the root of the
    logarithm of n. Likelihoods are those of autoregressive noise of first order, means over what its
    correlation may be: what entries share with the ones before is taken from them (whitening).
    """
    rows = np.array([np.ones(len(logs)), shape, logs])
    share = _CORRELATIONS[:, None]
    first = rows[:, None, :1] * np.sqrt(1 - share**2)
    white = np.concatenate([first, rows[:, None, 1:] - share * rows[:, None, :-1]], axis=2)
    products = np.einsum("apn,bpn->abp", white, white)
    products = products[1:, 1:] - products[1:, :1] * products[:1, 1:] / products[0, 0]
    squares = np.array([products[1, 1], products[1, 1] - products[0, 1] ** 2 / products[0, 0]])
    squares = np.maximum(squares, len(logs) * LEAST_DEVIATION**2)
    likelihood = np.log(_PRIOR) + np.log(1 - _CORRELATIONS**2) / 2 - (len(logs) - 3) / 2 * np.log(squares)
    without, with_it = np.logaddexp.reduce(likelihood, axis=1)
    explained = 2 * float(with_it - without) / float(np.sqrt(np.log(len(logs))))
    return explained, float(_CORRELATIONS[likelihood[1].argmax()])


def _possible(logs: FloatArray) -> BoolArray:
    """Return at which entries a new level may begin, bool[S, n].

    Two entries in sequence are beyond all but a tenth of the `_RECENT` entries before them.
    """
    count, n = logs.shape
    found = np.zeros((count, n), dtype=np.bool_)
    if n < FEWEST_ENTRIES:
        return found
    low, high = np.minimum(logs[:, 1:], logs[:, :-1]), np.maximum(logs[:, 1:], logs[:, :-1])
    for at in range(BEFORE, min(_RECENT, n - 1)):
        ends = _usual(logs[:, :at])
        found[:, at] = (low[:, at] > ends[1]) | (high[:, at] < ends[0])
    if n > _RECENT + 1:
        lower, upper = _usual(sliding_window_view(logs, _RECENT, axis=1)[:, : n - _RECENT - 1])
        found[:, _RECENT : n - 1] = (low[:, _RECENT:] > upper) | (high[:, _RECENT:] < lower)
    return found


def _usual(before: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ends of entries, float64[..., m], without the tenth that is farthest up or down."""
    kept = before.shape[-1] // _EXCEPTIONS
    last = before.shape[-1] - 1
    ordered = np.partition(before, (kept, last - kept), axis=-1)
    return ordered[..., kept], ordered[..., last - kept]


def _begins(logs: FloatArray, at: int) -> bool:
    """Return whether a new level begins at an entry; all entries before it are of one level."""
    if at < BEFORE:
        return False
    known = len(logs) - at
    if known < _SETTLED:
        return _shifted(logs, at, known) >= _FEWEST_LIMITS[known] and _evident(logs[: at + known], at)
    return any(
        _shifted(logs, at, count) > 0 and _evident(logs[: at + count], at)
        for count in _NEWEST
        if count <= known
    )


def _evident(logs: FloatArray, at: int) -> bool:
    return _step(logs, at)[0] >= EVIDENT


def _shifted(logs: FloatArray, at: int, count: int) -> float:
    """Return by how many standard deviations so many entries lie elsewhere than those before; 0 if mixed."""
    before, after = logs[max(at - _RECENT, 0) : at], logs[at : at + count]
    old, new = float(np.median(before)), float(np.median(after))
    sign = 1.0 if new > old else -1.0
    off, on = sign * (before - old), sign * (after - old)
    strays = count // (_EXCEPTIONS // 2)
    nearest = min(float(np.sort(on)[strays]), float(on[:2].min()))
    if nearest <= 0:
        return 0.0
    if count < _SETTLED:
        mixed = bool((sign * (logs[max(at - _REMEMBERED, 0) : at] - old) >= nearest).any())
    else:
        mixed = int((off >= nearest).sum()) > len(before) // _EXCEPTIONS
    if mixed:
        return 0.0
    apart = np.abs(after - new)
    sides = [np.concatenate([before, after])] if count < _SETTLED else [before, after]
    spread = max(
        float(np.quantile(np.concatenate([np.abs(off), apart]), 0.9)) / NORMAL_90,
        float(np.sort(apart)[count - 1 - strays]) / NORMAL_90,
        *map(_resolution, sides),
        LEAST_DEVIATION,
    )
    factor, power = _FEW
    return float(sign * (new - old) / (spread * (1 + factor / (len(before) - 1) ** power)))


def _resolution(logs: FloatArray) -> float:
    """Return the standard deviation that rounding to the nearest of the values makes; 0 if all are equal."""
    gaps = np.diff(np.sort(logs))
    gaps = gaps[gaps > LEAST_DEVIATION]
    return float(gaps.min()) / np.sqrt(12) if len(gaps) else 0.0


_SHORTEST = 8  # entries of a window
_RATIO = 2**0.5  # of the lengths of windows
_TOLERANCE = 1e-4  # of statistics, which have seven digits
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


FALSE_ALARMS = (
    0.01  # probability of a change point at any look at a series of independent entries without change
)
ENOUGH = FEWEST_ENTRIES  # measurements; with fewer nothing can be said
_WINDOW_LEVEL = 0.001  # probability that any window reaches its limit at one look
_CAUTION = 1.15  # by which the limit of windows is raised
_DIGITS = 6  # significant digits that count: further ones are rounding
_NEAREST = 50  # entries on either side of a change point that its factor is taken from
_NORMAL_QUARTILE = 0.6744898  # median distance from the mean, in standard deviations
_FARTHEST = 4.0  # standard deviations that an entry counts at most for where a change is
_PLACE_QUANTILE = 5.94  # 90 %: P(twice the likelihood lost < x) = (1 - exp(-x / 2))^2 (Hansen 2000)
_SURE_QUANTILE = 10.6  # 99 %
_TIE = 1e-6
_NEW_LEVEL = 0.0  # statistic of windows that are around the beginning of a new level
_AT_ONCE = 64  # series that are looked at together, for memory


@dataclass(frozen=True, kw_only=True)
class ChangePoint:
    """A change of level."""

    at: int  # index of the first measurement at the new level
    first: int  # and `last`: ends of the 90 % interval of that index
    last: int
    factor: float  # of the level: the median ratio of a measurement after to one before
    lower: float  # and `upper`: its 90 % interval, by the ranks of these ratios (Hodges and Lehmann)
    upper: float
    # probability of such a step anywhere in a series without change; not below the last of `PROBABILITIES`
    p: float


def change_points_of_each(values: FloatArray) -> list[tuple[ChangePoint, ...]]:
    """Find changes of level in series of the same length, float64[S, n] above zero, in order."""
    count, n = values.shape
    if n < ENOUGH:
        return [()] * count
    parts = (slice(start, start + _AT_ONCE) for start in range(0, count, _AT_ONCE))
    return [found for part in parts for found in _of_part(np.log(values[part]))]


def _of_part(logs: FloatArray) -> list[tuple[ChangePoint, ...]]:
    logs = np.round(logs, _DIGITS)
    ranks = _ranks_of(logs)
    limit = _CAUTION * limits(logs.shape[1])[PROBABILITIES.index(_WINDOW_LEVEL)]
    windows = _windows_above(ranks, np.where(np.ptp(logs, axis=1) > 0, limit, np.inf))
    found = []
    for one, order, levels, above in zip(logs, ranks, new_levels(logs), windows, strict=True):
        likely = _separate(one, _with_splits(order, above, levels))
        sure = _confirmed(one, [at for _, at in likely])
        found.append(tuple(_located(one, [(*likely[k], correlation) for k, correlation in sure])))
    return found


def _with_splits(
    ranks: IntArray, windows: Sequence[Window], levels: Sequence[int]
) -> list[tuple[Window, int]]:
    """Return windows with their best splits: those around the beginnings of new levels come first."""
    ends = [0, *levels, len(ranks)]
    around = [Window(max(ends[k], at - _RECENT), ends[k + 2], _NEW_LEVEL) for k, at in enumerate(levels)]
    return [*zip(around, levels, strict=True), *((one, _best_split(ranks, one)) for one in windows)]


def _separate(logs: FloatArray, windows: Sequence[tuple[Window, int]]) -> list[tuple[Window, int]]:
    """Choose windows of different changes, the first one of each; return them in order.

    A window in which a change may be that was found already says nothing new.
    """
    chosen: list[tuple[Window, int]] = []
    places: list[tuple[int, int]] = []
    for one, split in windows:
        if one.statistic != _NEW_LEVEL and any(
            first < one.end and last > one.start for first, last in places
        ):
            continue
        first, at, last = _likely(logs, one, split, (one.start, one.end), _SURE_QUANTILE)
        chosen.append((one, at))
        places.append((first, last))
    return sorted(chosen, key=lambda found: found[1])


def _located(logs: FloatArray, windows: Sequence[tuple[Window, int, float]]) -> Iterator[ChangePoint]:
    """Yield the change point of each window; levels reach from one change point to the next.

    Correlation widens intervals as it widens that of a mean of many entries.
    """
    at = [place for _, place, _ in windows]
    for k, (window, _, correlation) in enumerate(windows):
        widening = float(np.sqrt((1 + correlation) / (1 - correlation)))
        start, end = [0, *at][k], [*at, len(logs)][k + 1]
        first, at[k], last = _likely(logs, window, at[k], (start, end), _PLACE_QUANTILE * widening**2)
        before, after = logs[start : at[k]][-_NEAREST:], logs[at[k] : end][:_NEAREST]
        lower, middle, upper = np.exp(_shift(before, after, widening)).tolist()
        yield ChangePoint(
            at=at[k],
            first=first,
            last=last,
            factor=middle,
            lower=lower,
            upper=upper,
            p=FALSE_ALARMS
            if window.statistic == _NEW_LEVEL
            else probability(window.statistic / widening, len(logs)),
        )


def _likely(
    logs: FloatArray, window: Window, at: int, levels: tuple[int, int], quantile: float
) -> tuple[int, int, int]:
    """Return the ends of the interval of a place, and the place itself in the middle.

    Args:
        at: where it may be.
        levels: where the level before it begins and the one after it ends.
        quantile: of twice the likelihood lost.
    """
    start, end = levels
    excess = _excess(logs[start:end], at - start)
    excess[at - start] -= _TIE  # if places are equally likely, that of the ranks counts
    least, most = max(window.start, start) + 1, min(window.end, end)
    excess = excess[least - start : most - start]
    possible = least + np.flatnonzero(excess <= excess.min() + quantile)
    return int(possible[0]), least + int(excess.argmin()), int(possible[-1])


def _excess(logs: FloatArray, at: int) -> FloatArray:
    """Return twice the log-likelihood that is lost if the level changed at 0, 1, ... n, float64[n + 1].

    Levels and spread are medians, and no entry counts as more than `_FARTHEST` standard deviations off.
    """
    before, after = np.median(logs[:at]), np.median(logs[at:])
    residuals = np.concatenate([logs[:at] - before, logs[at:] - after])
    spread = max(float(np.median(np.abs(residuals))) / _NORMAL_QUARTILE, 10.0**-_DIGITS)
    of_old, of_new = (np.minimum(np.abs(logs - level) / spread, _FARTHEST) ** 2 for level in (before, after))
    excess: FloatArray = np.append(0.0, np.cumsum(of_old)) + np.append(np.cumsum(of_new[::-1])[::-1], 0.0)
    return excess


def _shift(before: FloatArray, after: FloatArray, widening: float) -> FloatArray:
    """Return lower end, middle and upper end of the shift between two samples, by Hodges and Lehmann."""
    differences = np.sort((after[:, None] - before[None, :]).ravel())
    pairs = len(differences)
    half = NORMAL_90 * widening * np.sqrt(pairs * (len(before) + len(after) + 1) / 12)
    low = min(max(int(np.floor(pairs / 2 - half)), 0), (pairs - 1) // 2)
    return np.array([differences[low], np.median(differences), differences[pairs - 1 - low]])


def _ranks_of(logs: FloatArray) -> IntArray:
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
    lengths = dict.fromkeys(round(n / _RATIO**k) for k in range(2 * n.bit_length()))
    for length in (m for m in lengths if m >= _SHORTEST):
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


def _windows_above(ranks: IntArray, limit: FloatArray) -> list[list[Window]]:
    """Return the windows of each series that reach its limit, float64[S], the narrowest first."""
    found: list[list[Window]] = [[] for _ in ranks]
    for length, starts, statistic in _layers(ranks, float(limit.min())):
        for s, w in zip(*np.nonzero(statistic >= limit[:, None] - _TOLERANCE), strict=True):
            start = int(starts[w])
            found[s].append(Window(start, start + length, float(statistic[s, w])))
    return [sorted(one, key=lambda w: (w.end - w.start, -w.statistic)) for one in found]


def _best_split(ranks: IntArray, window: Window) -> int:
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
