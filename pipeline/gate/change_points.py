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
while nothing changes: about `LEVEL` for series of 60 entries. Where in its window a change is follows
from the likelihood (Hansen, Econometrica 68, 2000), so that a place that was named early is corrected by
later entries.

Entries that resemble the ones before, as on a machine with good and bad days, make steps by chance more
probable. In series that are long enough their correlation is estimated from differences, and raises the
limit as that of an autoregressive process of first order does, except for steps that are too large for
it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.gate.newest_levels import FEWEST, RECENT, new_levels
from pipeline.gate.rank_windows import (
    PROBABILITIES,
    TOLERANCE,
    Window,
    best_split,
    limits,
    probability,
    ranks_of,
    windows_above,
)

LEVEL = 0.01  # probability of a change point at any look at a series of independent entries without change
ENOUGH = FEWEST  # measurements; with fewer nothing can be said
WINDOW_LEVEL = 0.001  # probability that any window reaches its limit at one look
CAUTION = 1.15  # by which correlation widens at least; that of short series is unknown
DIGITS = 6  # significant digits that count: further ones are rounding
CORRELATED_FROM = 32  # entries from which their correlation is estimated
MOST_CORRELATED = 0.95
CLEAR = 10.0  # standard deviations, from neighbour to neighbour, of a step that no correlation explains
NEAREST = 50  # entries on either side of a change point that its factor is taken from
NORMAL_QUANTILE = 1.6448536  # half the width of a 90 % interval, in standard deviations
NORMAL_QUARTILE = 0.6744898  # median distance from the mean, in standard deviations
FARTHEST = 4.0  # standard deviations that an entry counts at most for where a change is
PLACE_QUANTILE = 5.94  # 90 %: P(twice the likelihood lost < x) = (1 - exp(-x / 2))^2 (Hansen 2000)
SURE_QUANTILE = 10.6  # 99 %
TIE = 1e-6
NEW_LEVEL = 0.0  # statistic of windows that are around the beginning of a new level
AT_ONCE = 64  # series that are looked at together, for memory


@dataclass(frozen=True, kw_only=True)
class ChangePoint:
    """A change of level.

    Attributes:
        at: index of the first measurement at the new level.
        first, last: ends of the 90 % interval of that index.
        factor: of the level: the median ratio of a measurement after to one before.
        lower, upper: its 90 % interval, by the ranks of these ratios (Hodges and Lehmann).
        p: probability of such a step anywhere in a series without change; not below the last of
            `PROBABILITIES`.
    """

    at: int
    first: int
    last: int
    factor: float
    lower: float
    upper: float
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
    """Find changes of level in a series, float64[n] above zero, in order."""
    return change_points_of_each(np.asarray(values, dtype=np.float64)[None])[0]


def change_points_of_each(
    values: FloatArray, noise: FloatArray | None = None
) -> list[tuple[ChangePoint, ...]]:
    """Find changes of level in series of the same length, float64[S, n] above zero.

    Args:
        values: the series.
        noise: float64[S], relative standard deviations of entries that repetitions show; NaN if unknown.
    """
    count, n = values.shape
    if n < ENOUGH:
        return [()] * count
    known = np.full(count, np.nan) if noise is None else noise
    parts = (slice(start, start + AT_ONCE) for start in range(0, count, AT_ONCE))
    return [found for part in parts for found in _of_part(np.log(values[part]), known[part])]


def _of_part(logs: FloatArray, noise: FloatArray) -> list[tuple[ChangePoint, ...]]:
    logs = np.round(logs, DIGITS)
    ranks = ranks_of(logs)
    limit = limits(logs.shape[1])[PROBABILITIES.index(WINDOW_LEVEL)]
    windows = windows_above(ranks, np.where(np.ptp(logs, axis=1) > 0, limit, np.inf))
    clear = CLEAR * np.sqrt(_spread(logs, 1) / 2) / (2 * NORMAL_QUARTILE)
    widened = _widening(logs, ranks, windows, clear)
    newest, widening = new_levels(logs, noise, widened), widened.tolist()
    found = []
    every = zip(logs, ranks, newest, windows, widening, clear.tolist(), strict=True)
    for one, order, levels, above, wide, step in every:
        kept = [
            window
            for window in above
            if window.statistic >= limit * max(wide, CAUTION) - TOLERANCE or _step(one, order, window) > step
        ]
        likely = _separate(one, _with_splits(order, kept, levels), wide)
        found.append(tuple(_located(one, likely, wide)))
    return found


def _with_splits(
    ranks: IntArray, windows: Sequence[Window], levels: Sequence[int]
) -> list[tuple[Window, int]]:
    """Return windows with their best splits: those around the beginnings of new levels come first."""
    ends = [0, *levels, len(ranks)]
    around = [Window(max(ends[k], at - RECENT), ends[k + 2], NEW_LEVEL) for k, at in enumerate(levels)]
    return [*zip(around, levels, strict=True), *((one, best_split(ranks, one)) for one in windows)]


def _widening(
    logs: FloatArray, ranks: IntArray, windows: Sequence[Sequence[Window]], clear: FloatArray
) -> FloatArray:
    """Return by how much correlation between entries widens the statistic of each series, float64[S].

    The variance of differences between entries far apart is that of the noise, between neighbours it is less
    by their correlation. Quartiles are taken instead of variances, since differences across steps are few.
    The standard error is subtracted: widening what is not correlated would hide changes.
    """
    n = logs.shape[1]
    if n < CORRELATED_FROM:
        return np.ones(len(logs))
    flat = _without_clear_steps(logs, ranks, windows, clear)
    farthest = min(15, max(3, n // 12))
    far = np.median([_spread(flat, lag) for lag in range((farthest + 1) // 2, farthest + 1)], axis=0)
    ratio = np.divide(_spread(flat, 1), far, out=np.ones(len(logs)), where=far > 0)
    correlation = np.clip(1 - ratio - 1 / np.sqrt(n), 0.0, MOST_CORRELATED)
    widening: FloatArray = np.sqrt((1 + correlation) / (1 - correlation))
    return widening


def _without_clear_steps(
    logs: FloatArray, ranks: IntArray, windows: Sequence[Sequence[Window]], clear: FloatArray
) -> FloatArray:
    """Take out steps that are larger than correlation makes them, float64[S]."""
    flat = logs.copy()
    for one, order, found, least in zip(flat, ranks, windows, clear.tolist(), strict=True):
        for step in _located(one.copy(), _separate(one, _with_splits(order, found, ()), 1.0), 1.0):
            if abs(np.log(step.factor)) > least:
                one[step.at :] -= np.log(step.factor)
    return flat


def _step(logs: FloatArray, ranks: IntArray, window: Window) -> float:
    """Return the size of the step between the medians on either side of a window's best split."""
    at = best_split(ranks, window)
    return float(abs(np.median(logs[at : window.end]) - np.median(logs[window.start : at])))


def _spread(logs: FloatArray, lag: int) -> FloatArray:
    """Return the squared distance of the quartiles of differences between entries, float64[S]."""
    low, high = np.quantile(logs[:, lag:] - logs[:, :-lag], (0.25, 0.75), axis=1)
    spread: FloatArray = (high - low) ** 2
    return spread


def _separate(
    logs: FloatArray, windows: Sequence[tuple[Window, int]], widening: float
) -> list[tuple[Window, int]]:
    """Choose windows of different changes, the first one of each; return them in order.

    A window in which a change may be that was found already says nothing new.
    """
    chosen: list[tuple[Window, int]] = []
    places: list[tuple[int, int]] = []
    for one, split in windows:
        if one.statistic != NEW_LEVEL and any(first < one.end and last > one.start for first, last in places):
            continue
        first, at, last = _likely(logs, one, split, (one.start, one.end), SURE_QUANTILE * widening**2)
        chosen.append((one, at))
        places.append((first, last))
    return sorted(chosen, key=lambda found: found[1])


def _located(
    logs: FloatArray, windows: Sequence[tuple[Window, int]], widening: float
) -> Iterator[ChangePoint]:
    """Yield the change point of each window; levels reach from one change point to the next."""
    at = [place for _, place in windows]
    for k, (window, _) in enumerate(windows):
        start, end = [0, *at][k], [*at, len(logs)][k + 1]
        first, at[k], last = _likely(logs, window, at[k], (start, end), PLACE_QUANTILE * widening**2)
        before, after = logs[start : at[k]][-NEAREST:], logs[at[k] : end][:NEAREST]
        lower, middle, upper = np.exp(_shift(before, after, widening)).tolist()
        yield ChangePoint(
            at=at[k],
            first=first,
            last=last,
            factor=middle,
            lower=lower,
            upper=upper,
            p=LEVEL if window.statistic == NEW_LEVEL else probability(window.statistic / widening, len(logs)),
        )


def _likely(
    logs: FloatArray, window: Window, at: int, levels: tuple[int, int], quantile: float
) -> tuple[int, int, int]:
    """Return the ends of the interval of a place, and the place itself in the middle.

    Args:
        logs: the series.
        window: that the change is in.
        at: where it may be.
        levels: from where to where the levels before and after it reach.
        quantile: of twice the likelihood lost.
    """
    start, end = levels
    excess = _excess(logs[start:end], at - start)
    excess[at - start] -= TIE  # if places are equally likely, that of the ranks counts
    least, most = max(window.start, start) + 1, min(window.end, end)
    excess = excess[least - start : most - start]
    possible = least + np.flatnonzero(excess <= excess.min() + quantile)
    return int(possible[0]), least + int(excess.argmin()), int(possible[-1])


def _excess(logs: FloatArray, at: int) -> FloatArray:
    """Return twice the log-likelihood that is lost if the level changed at 0, 1, ... n, float64[n + 1].

    Levels and spread are medians, and no entry counts as more than `FARTHEST` standard deviations off.
    """
    before, after = np.median(logs[:at]), np.median(logs[at:])
    residuals = np.concatenate([logs[:at] - before, logs[at:] - after])
    spread = max(float(np.median(np.abs(residuals))) / NORMAL_QUARTILE, 10.0**-DIGITS)
    of_old, of_new = (np.minimum(np.abs(logs - level) / spread, FARTHEST) ** 2 for level in (before, after))
    excess: FloatArray = np.append(0.0, np.cumsum(of_old)) + np.append(np.cumsum(of_new[::-1])[::-1], 0.0)
    return excess


def _shift(before: FloatArray, after: FloatArray, widening: float) -> FloatArray:
    """Return lower end, middle and upper end of the shift between two samples, by Hodges and Lehmann."""
    differences = np.sort((after[:, None] - before[None, :]).ravel())
    pairs = len(differences)
    half = NORMAL_QUANTILE * widening * np.sqrt(pairs * (len(before) + len(after) + 1) / 12)
    low = min(max(int(np.floor(pairs / 2 - half)), 0), (pairs - 1) // 2)
    return np.array([differences[low], np.median(differences), differences[pairs - 1 - low]])
