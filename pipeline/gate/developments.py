"""What a series did: it kept its level, changed it in steps, drifted, or both.

Steps are change points. Drift is a straight line through the logarithms over some of the entries or all
of them. Both explain a series that rises: a drift looks like a staircase, a step like a trend. Schwarz's
criterion chooses: the logarithm of the residual variance times the entries, and for each number that was
fitted the logarithm of the entries (a step has two, place and height; a line has one, and one for each
end within the series). Drift must be significant besides (Mann and Kendall, after the steps that stay).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.stats import kendalltau, norm

from ingest.arrays import FloatArray, IntArray
from pipeline.gate.change_points import ENOUGH, ChangePoint, change_points_of_each
from pipeline.gate.newest_levels import LEAST

SHORTEST = 10  # entries of a drift; what takes fewer is a step
DRIFT_LEVEL = 1e-4  # two-sided, since a series is looked at after every entry
ENDS = 12  # places that either end of a drift is looked for at
AROUND = 5  # entries whose median shows which of them are far off
FAR = 4.0  # standard deviations from that median, from which an entry counts as the median
NORMAL_MEDIAN = 0.6744898  # median distance of normal entries from their mean, in standard deviations
MOST_CORRELATED = 0.9
MOST_PAIRED = 500  # entries of which all pairs count for the slope
TINY = 1e-12


@dataclass(frozen=True, kw_only=True)
class Drift:
    """A change at the same rate from entry to entry.

    Attributes:
        first, last: indices of the entries between which it is.
        factor: last over first value of the median slope (Theil and Sen) through their logarithms.
        p: two-sided p-value of Mann and Kendall's test, of these entries without the steps in them.
    """

    first: int
    last: int
    factor: float
    p: float


@dataclass(frozen=True, kw_only=True)
class Development:
    """What a series did.

    Attributes:
        steps: its changes of level, in order.
        drift: None if it does not drift.
    """

    steps: tuple[ChangePoint, ...] = ()
    drift: Drift | None = None


def development(values: FloatArray) -> Development:
    """Say what a series did, float64[n] above zero."""
    return development_of_each(np.asarray(values, dtype=np.float64)[None])[0]


def development_of_each(values: FloatArray, noise: FloatArray | None = None) -> list[Development]:
    """Say what series of the same length did, float64[S, n] above zero; `noise` as for change points."""
    if values.shape[1] < ENOUGH:
        return [Development()] * len(values)
    found = change_points_of_each(values, noise)
    return [_chosen(np.log(row), steps) for row, steps in zip(values, found, strict=True)]


def _chosen(logs: FloatArray, steps: tuple[ChangePoint, ...]) -> Development:
    """Choose between the steps that were found and a line, alone or with the steps that explain most."""
    n = len(logs)
    without = Development(steps=steps)
    if n < SHORTEST or np.ptp(logs) == 0 or not (steps or _trend(logs)[1] <= DRIFT_LEVEL):
        return without
    smooth = _without_far(logs)
    places = [step.at for step in steps]
    least = _criterion(float((_left_by(_levels(n, places), smooth) ** 2).sum()), 2 * len(places), n)
    best: tuple[tuple[int, int], tuple[int, ...]] | None = None
    kept: tuple[int, ...] = ()
    for _ in range(len(places) + 1):
        squares, ends = _best_line(smooth, kept)
        value = _criterion(squares, 1 + (ends[0] > 0) + (ends[1] < n - 1) + 2 * len(kept), n)
        if value < least:
            least, best = value, (ends, kept)
        others = [(_best_line(smooth, (*kept, at))[0], at) for at in places if at not in kept]
        kept = (*kept, min(others)[1]) if others else kept
    return without if best is None else _with_line(logs, *best) or without


def _with_line(logs: FloatArray, ends: tuple[int, int], places: Sequence[int]) -> Development | None:
    """Return a drift and the steps beside it, as they are in the series without the drift; None if none."""
    heights = np.linalg.lstsq(
        np.column_stack([_levels(len(logs), places), _lines(len(logs), [ends])[0]]), logs
    )[0]
    first, last = ends
    part = (logs - _levels(len(logs), places) @ heights[:-1])[first : last + 1]
    slope, p = _trend(part)
    if p > DRIFT_LEVEL:
        return None
    drift = Drift(first=first, last=last, factor=float(np.exp(slope * (last - first))), p=p)
    level = np.exp(logs - slope * (last - first) * _lines(len(logs), [ends])[0])
    return Development(steps=change_points_of_each(level[None])[0] if places else (), drift=drift)


def _trend(logs: FloatArray) -> tuple[float, float]:
    """Return the median slope, and Mann and Kendall's p-value with what correlation takes from it."""
    n = len(logs)
    first, second = np.triu_indices(n, 1) if n <= MOST_PAIRED else _some_pairs(n)
    slope = float(np.median((logs[second] - logs[first]) / (second - first)))
    left = logs - slope * np.arange(n)
    left = _without_far(left) - np.median(left)
    squares = float((left**2).sum())
    alike = float((left[1:] * left[:-1]).sum()) / squares if squares > n * LEAST**2 else 0.0
    alike = min(max(alike, 0.0), MOST_CORRELATED)
    p = float(kendalltau(np.arange(n), logs).pvalue)
    return slope, float(2 * norm.sf(norm.isf(p / 2) * np.sqrt((1 - alike) / (1 + alike))))


def _some_pairs(n: int) -> tuple[IntArray, IntArray]:
    """Return the pairs of entries of a long series that are half of it apart."""
    first = np.arange(n - n // 2)
    return first, first + n // 2


def _without_far(logs: FloatArray) -> FloatArray:
    """Put entries that are far from the median of those around them there."""
    around = np.pad(logs, AROUND // 2, mode="reflect")
    middle = np.median(sliding_window_view(around, AROUND), axis=1)
    off = np.abs(logs - middle)
    usual = float(np.median(off)) / NORMAL_MEDIAN
    return np.where(off > FAR * usual, middle, logs) if usual > 0 else logs


def _levels(n: int, places: Sequence[int]) -> FloatArray:
    """Return a constant and the steps at some places as columns, float64[n, 1 + steps]."""
    return np.column_stack([np.ones(n), *(np.arange(n) >= at for at in places)]).astype(np.float64)


def _lines(n: int, ends: Sequence[tuple[int, int]]) -> FloatArray:
    """Return lines that rise from 0 to 1 between two entries each and are level elsewhere, float64[L, n]."""
    first, last = np.array(ends, dtype=np.float64).T[:, :, None]
    lines: FloatArray = np.clip((np.arange(n) - first) / (last - first), 0.0, 1.0)
    return lines


def _left_by(columns: FloatArray, rows: FloatArray) -> FloatArray:
    """Return what columns, float64[n, C], do not explain of rows, float64[..., n], by least squares."""
    basis = np.linalg.qr(columns)[0]
    left: FloatArray = rows - (rows @ basis) @ basis.T
    return left


def _best_line(logs: FloatArray, places: Sequence[int]) -> tuple[float, tuple[int, int]]:
    """Return the squares left by the best line beside steps at some places, and the ends of that line."""
    n = len(logs)
    at = np.unique(np.linspace(0, n - 1, ENDS).round().astype(np.int64)).tolist()
    ends = [(a, b) for a in at for b in at if b - a >= SHORTEST - 1]
    columns = _levels(n, places)
    left, lines = _left_by(columns, logs), _left_by(columns, _lines(n, ends))
    size = np.maximum((lines**2).sum(axis=1), TINY)
    explained = (lines @ left) ** 2 / size
    best = int(explained.argmax())
    return float((left**2).sum() - explained[best]), ends[best]


def _criterion(squares: float, fitted: int, n: int) -> float:
    """Return Schwarz's criterion, the smaller the better."""
    return float(n * np.log(max(squares / n, LEAST**2)) + fitted * np.log(n))
