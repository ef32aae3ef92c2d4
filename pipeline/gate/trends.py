"""How every kernel developed over the entries of a history: four measures and their change points."""

import datetime
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.stats import kendalltau, norm

from ingest.arrays import FloatArray, IntArray
from pipeline.gate.change_points import (
    ENOUGH,
    EVIDENT,
    LEAST_DEVIATION,
    ChangePoint,
    change_points_of_each,
    evidence,
)
from pipeline.gate.kernel_values import KernelId, Scope

_SHORTEST = 10  # entries of a drift; what takes fewer is a step
_DRIFT_LEVEL = 1e-4  # two-sided, since a series is looked at after every entry
_ENDS = 12  # places that either end of a drift is looked for at
_AROUND = 5  # entries whose median shows which of them are far off
_FAR = 4.0  # standard deviations from that median, from which an entry counts as the median
_NORMAL_MEDIAN = 0.6744898  # median distance of normal entries from their mean, in standard deviations
_MOST_PAIRED = 500  # entries of which all pairs count for the slope
_TINY = 1e-12


@dataclass(frozen=True, kw_only=True)
class Drift:
    """A change at the same rate from entry to entry."""

    first: int  # and `last`: indices of the entries between which it is
    last: int
    factor: float  # last over first value of the median slope (Theil and Sen) through their logarithms
    p: float  # two-sided p-value of Mann and Kendall's test, of these entries without the steps in them


@dataclass(frozen=True, kw_only=True)
class Development:
    """What a series did."""

    steps: tuple[ChangePoint, ...] = ()  # its changes of level, in order
    drift: Drift | None = None  # None if it does not drift


def development(values: FloatArray) -> Development:
    """Say what a series did, float64[n] above zero."""
    return development_of_each(np.asarray(values, dtype=np.float64)[None])[0]


def development_of_each(values: FloatArray) -> list[Development]:
    """Say what series of the same length did, float64[S, n] above zero."""
    if values.shape[1] < ENOUGH:
        return [Development()] * len(values)
    found = change_points_of_each(values)
    return [_chosen(np.log(row), steps) for row, steps in zip(values, found, strict=True)]


def _chosen(logs: FloatArray, steps: tuple[ChangePoint, ...]) -> Development:
    """Choose between the steps that were found and a line, alone or with the steps that explain most."""
    n = len(logs)
    without = Development(steps=steps)
    if n < _SHORTEST or np.ptp(logs) == 0 or not (steps or _trend(logs)[1] <= _DRIFT_LEVEL):
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
    """Return a drift and the remaining steps, as they are in the series without the drift; None if none."""
    heights = np.linalg.lstsq(
        np.column_stack([_levels(len(logs), places), _lines(len(logs), [ends])[0]]), logs
    )[0]
    first, last = ends
    part = (logs - _levels(len(logs), places) @ heights[:-1])[first : last + 1]
    slope, p = _trend(part)
    if p > _DRIFT_LEVEL:
        return None
    drift = Drift(first=first, last=last, factor=float(np.exp(slope * (last - first))), p=p)
    level = np.exp(logs - slope * (last - first) * _lines(len(logs), [ends])[0])
    return Development(steps=change_points_of_each(level[None])[0] if places else (), drift=drift)


def _trend(logs: FloatArray) -> tuple[float, float]:
    """Return the median slope, and Mann and Kendall's p-value with what correlation takes from it.

    The latter is 1 if a line is not evident.
    """
    n = len(logs)
    first, second = np.triu_indices(n, 1) if n <= _MOST_PAIRED else _some_pairs(n)
    slope = float(np.median((logs[second] - logs[first]) / (second - first)))
    p = float(kendalltau(np.arange(n), logs).pvalue)
    evident, alike = evidence(_without_far(logs), np.arange(n, dtype=np.float64))
    if evident < EVIDENT:
        return slope, 1.0
    return slope, float(2 * norm.sf(norm.isf(p / 2) * np.sqrt((1 - alike) / (1 + alike))))


def _some_pairs(n: int) -> tuple[IntArray, IntArray]:
    """Return the pairs of entries of a long series that are half of it apart."""
    first = np.arange(n - n // 2)
    return first, first + n // 2


def _without_far(logs: FloatArray) -> FloatArray:
    """Put entries that are far from the median of those around them there."""
    around = np.pad(logs, _AROUND // 2, mode="reflect")
    middle = np.median(sliding_window_view(around, _AROUND), axis=1)
    off = np.abs(logs - middle)
    usual = float(np.median(off)) / _NORMAL_MEDIAN
    return np.where(off > _FAR * usual, middle, logs) if usual > 0 else logs


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
    """Return the squares that the best line with steps at some places leaves, and the ends of that line."""
    n = len(logs)
    at = np.unique(np.linspace(0, n - 1, _ENDS).round().astype(np.int64)).tolist()
    ends = [(a, b) for a in at for b in at if b - a >= _SHORTEST - 1]
    columns = _levels(n, places)
    left, lines = _left_by(columns, logs), _left_by(columns, _lines(n, ends))
    size = np.maximum((lines**2).sum(axis=1), _TINY)
    explained = (lines @ left) ** 2 / size
    best = int(explained.argmax())
    return float((left**2).sum() - explained[best]), ends[best]


def _criterion(squares: float, fitted: int, n: int) -> float:
    """Return Schwarz's criterion, the smaller the better."""
    return float(n * np.log(max(squares / n, LEAST_DEVIATION**2)) + fitted * np.log(n))


class Measure(Enum):
    """What is followed over the entries."""

    MEASURED = "measured"  # the value at the largest measured scale
    TARGET = "target"  # the prediction at the target, as wall time if the number of locations is known
    GROWTH = "growth"  # the factor per doubling of the scale from there to the target
    EFFICIENCY = "efficiency"  # at the target, relative to the smallest measured scale

    @property
    def better(self) -> int:
        """Return the sign of a change for the better."""
        return 1 if self is Measure.EFFICIENCY else -1


@dataclass(frozen=True, eq=False, kw_only=True)
class HistoryRow:
    """A row of a history file: a kernel in one entry. Files of earlier versions lack what has a default."""

    label: str  # name of the state of the code
    added: datetime.datetime
    level: str
    callpath: tuple[str, ...]
    metric: str
    unit: str
    at: str  # and `target`: the largest measured point, and the one predicted, as JSON
    value: float  # and `share`, `wall_seconds`, `efficiency`: measured there
    share: float
    growth: str
    target: str
    predicted: float
    verdict: str  # of a check; empty without one
    overhead: str = ""  # and `machine`: those of `Origin`
    recorded: str = ""  # digest of the functions recorded
    commit: str = ""  # of this state, for links
    machine: str = ""
    predicted_lower: float = np.nan
    predicted_upper: float = np.nan
    wall_seconds: float = np.nan
    predicted_wall_seconds: float = np.nan
    efficiency: float = np.nan
    predicted_efficiency: float = np.nan
    previous: str = ""  # label of the entry that this one was tested against; empty if it was not
    # `step` and `said`: verdict of that test, and what it rests on in words; of the total what doubts and
    # which kernel there are, too
    step: str = ""
    said: str = ""
    baseline: str = ""  # of the total the text of a baseline file, which only the newest entries keep


@dataclass(frozen=True, eq=False, kw_only=True)
class Entries:
    """N entries of a history that can be compared, and the K kernels in them; the newest entry comes last."""

    labels: tuple[str, ...]  # names of the states of the code
    commits: tuple[str, ...]  # their commits; empty if unknown
    added: IntArray  # int64[N], when they were added, seconds since 1970
    machine: str  # that they were measured on; empty if unknown
    metric: str  # and `unit`: what was measured
    unit: str
    at: Mapping[str, float]  # the largest measured point
    target: Mapping[str, float]  # the point predicted in the newest entry
    kernels: tuple[KernelId, ...]  # the total first, then by share
    # `value` and `share`: float64[K, N], at the largest measured point; NaN if a kernel has no such entry
    value: FloatArray
    share: FloatArray
    # `predicted`, `lower` and `upper`: float64[K, N], at the target with a 90 % interval; NaN if unknown, or
    # if the target was another one
    predicted: FloatArray
    lower: FloatArray
    upper: FloatArray
    wall_seconds: FloatArray  # and `efficiency`: float64[K, N], predicted at the target; NaN if unknown
    efficiency: FloatArray
    # texts of growth, such as ``p^(1/2)``, and `growth`, int64[K, N], which one; -1 if none
    growths: tuple[str, ...]
    growth: IntArray
    verdicts: tuple[str, ...]  # of checks, and `verdict`, int64[K, N], which one; -1 if none
    verdict: IntArray
    steps: tuple[str, ...]  # and `step`: the same of tests against the entry before
    step: IntArray
    totals: tuple[HistoryRow, ...]  # the row of the total in every entry
    notices: tuple[str, ...]  # what was left out, one sentence each

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def seconds_per_value(self) -> float:
        """Seconds of wall time per unit of a prediction at the target; NaN if unknown."""
        known = np.isfinite(self.wall_seconds) & (self.predicted > 0)
        return float(np.median(self.wall_seconds[known] / self.predicted[known])) if known.any() else np.nan


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureTrend:
    """One measure of one kernel."""

    measure: Measure
    values: FloatArray  # float64[N], NaN if unknown
    changes: tuple[ChangePoint, ...]  # its change points, as indices of entries
    drift: Drift | None = None  # as indices of entries; None if it does not drift

    def levels(self) -> list[tuple[int, int, float]]:
        """Return first entry, end and median of every stretch between change points."""
        known = np.isfinite(self.values)
        bounds = [0, *(change.at for change in self.changes), len(self.values)]
        return [
            (start, end, float(np.median(self.values[start:end][known[start:end]])))
            for start, end in pairwise(bounds)
            if known[start:end].any()
        ]


@dataclass(frozen=True, eq=False)
class KernelTrends:
    """A kernel and how it developed."""

    kernel: KernelId
    row: int  # its row in the entries
    measures: Mapping[Measure, MeasureTrend]


@dataclass(frozen=True, kw_only=True)
class KernelStep:
    """Change points of several measures of one kernel at the same place."""

    at: int  # index of the first entry after it
    first: int  # and `last`: the indices it may have, by the measure that says it best
    last: int
    changes: Mapping[Measure, ChangePoint]

    @property
    def better(self) -> bool:
        """Whether the kernel got better, by the first measure that changed of target, measured, and so on."""
        order = (Measure.TARGET, Measure.MEASURED, Measure.GROWTH, Measure.EFFICIENCY)
        measure = next(measure for measure in order if measure in self.changes)
        return (self.changes[measure].factor - 1) * measure.better > 0


def steps(kernel: KernelTrends) -> list[KernelStep]:
    """Put together the change points of a kernel that may be one, in the order of entries."""
    every = [(change, measure) for measure, trend in kernel.measures.items() for change in trend.changes]
    groups: list[list[tuple[ChangePoint, Measure]]] = []
    for change, measure in sorted(every, key=lambda one: (one[0].first, one[0].at)):
        last = groups[-1] if groups else []
        if last and change.first <= min(c.last for c, _ in last) and measure not in {m for _, m in last}:
            last.append((change, measure))
        else:
            groups.append([(change, measure)])
    return [_step(group) for group in groups]


def _step(group: list[tuple[ChangePoint, Measure]]) -> KernelStep:
    surest = min((change for change, _ in group), key=lambda c: c.last - c.first)
    changes = {measure: change for change, measure in group}
    return KernelStep(at=surest.at, first=surest.first, last=surest.last, changes=changes)


def trends(entries: Entries) -> list[KernelTrends]:
    """Follow every kernel of a history and find its change points."""
    found = {measure: _trends(measure, values) for measure, values in _measures(entries).items()}
    return [
        KernelTrends(kernel, k, {measure: of_all[k] for measure, of_all in found.items()})
        for k, kernel in enumerate(entries.kernels)
    ]


def _measures(entries: Entries) -> dict[Measure, FloatArray]:
    """Return the values of every measure, float64[K, N]; NaN if unknown or not above zero."""
    seconds = entries.predicted * entries.seconds_per_value
    target = seconds if np.isfinite(entries.seconds_per_value) else entries.predicted
    found = {
        Measure.MEASURED: entries.value,
        Measure.TARGET: target,
        Measure.GROWTH: _per_doubling(entries),
        Measure.EFFICIENCY: entries.efficiency,
    }
    return {
        measure: np.where((values > 0) & np.isfinite(values), values, np.nan)
        for measure, values in found.items()
    }


def _per_doubling(entries: Entries) -> FloatArray:
    """Return the factor per doubling of the scale between measured point and target; NaN if neither differs.

    If several parameters differ, it is that per doubling of the product of all.
    """
    factor = np.prod([entries.target[name] / value for name, value in entries.at.items()])
    if not factor > 1:
        return np.full(entries.value.shape, np.nan)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        growth: FloatArray = (entries.predicted / entries.value) ** (np.log(2) / np.log(factor))
    return growth


def _trends(measure: Measure, values: FloatArray) -> list[MeasureTrend]:
    """Find the change points of all kernels; those with the same entries together, which is much faster."""
    alike = defaultdict(list)
    for k, known in enumerate(np.isfinite(values)):
        alike[known.tobytes()].append(k)
    found: dict[int, MeasureTrend] = {}
    for rows in alike.values():
        places = np.flatnonzero(np.isfinite(values[rows[0]]))
        for k, one in zip(rows, development_of_each(values[rows][:, places]), strict=True):
            found[k] = _among_all(measure, values[k], one, places)
    return [found[k] for k in range(len(values))]


def _among_all(measure: Measure, values: FloatArray, found: Development, places: IntArray) -> MeasureTrend:
    """Return what a series did, with indices among all entries instead of those that have a value."""
    changes = tuple(
        replace(one, at=int(places[one.at]), first=int(places[one.first]), last=int(places[one.last]))
        for one in found.steps
    )
    drift = found.drift
    if drift is not None:
        drift = replace(drift, first=int(places[drift.first]), last=int(places[drift.last]))
    return MeasureTrend(measure=measure, values=values, changes=changes, drift=drift)


def by_share(kernels: tuple[KernelId, ...], share: FloatArray) -> IntArray:
    """Return the order of kernels: the total, then by the mean share of the last entries, float64[K, N]."""
    recent = share[:, -10:]
    known = np.isfinite(recent)
    mean = np.where(known, recent, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    first = [kernel.level is not Scope.TOTAL for kernel in kernels]
    order: IntArray = np.lexsort((-mean, first))
    return order


def entries_text(count: int) -> str:
    """Write how many entries: ``1 entry``, ``2 entries``."""
    return "1 entry" if count == 1 else f"{count} entries"


def too_few(count: int) -> str:
    """Say that so many entries are too few to find how a series developed; empty if they are enough."""
    if count >= ENOUGH:
        return ""
    return f"too few entries to find drifts: {count}, at least {ENOUGH} are needed"


_WIDER = 0.4  # of its length that an interval of 99 % reaches farther on either side than one of 90 %


@dataclass(frozen=True, kw_only=True)
class ProgramChange:
    """One change of the program."""

    at: int  # and `first`, `last`: indices of the entry it is at and of those it may be at
    first: int
    last: int
    row: int  # of the kernel that shows it most clearly
    # per kernel that changed, its row and its change; all are at the same place
    changed: tuple[tuple[int, KernelStep], ...]

    def of(self, row: int) -> KernelStep | None:
        """Return the change of a kernel; None if it did not change here."""
        return next((step for other, step in self.changed if other == row), None)


def findings(kernels: Sequence[KernelTrends]) -> list[ProgramChange]:
    """Put together the changes of all kernels that may be one, in the order of entries."""
    every = [(kernel, step) for kernel in kernels for step in steps(kernel)]
    left = sorted(every, key=lambda one: (one[1].last - one[1].first, -_certainty(one[1])))
    found = []
    while left:
        leader, place = left[0]
        same = [(kernel, step) for kernel, step in left if _may_be_one(leader, place, kernel, step)]
        found.append(_finding(leader, place, same))
        left = [one for one in left if one not in same]
    return sorted(found, key=lambda one: one.at)


def steps_by_kernel(
    kernels: Sequence[KernelTrends], found: Sequence[ProgramChange]
) -> list[list[KernelStep]]:
    """Return the changes of each kernel, each at the place of its finding."""
    return [[step for one in found if (step := one.of(kernel.row)) is not None] for kernel in kernels]


def at_their_places(
    kernels: Sequence[KernelTrends], steps_of_each: Sequence[Sequence[KernelStep]]
) -> list[KernelTrends]:
    """Return trends with change points at the places of the findings, given the changes of each kernel."""
    return [_at_places(kernel, steps) for kernel, steps in zip(kernels, steps_of_each, strict=True)]


def _at_places(kernel: KernelTrends, steps: Sequence[KernelStep]) -> KernelTrends:
    measures = {
        measure: replace(
            trend, changes=tuple(step.changes[measure] for step in steps if measure in step.changes)
        )
        for measure, trend in kernel.measures.items()
    }
    return replace(kernel, measures=measures)


def measured_places(entries: Entries) -> dict[KernelId, list[tuple[ProgramChange, KernelId]]]:
    """Return per kernel the findings in which its measured value changed, and the kernels that name them."""
    kernels = trends(entries)
    found: dict[KernelId, list[tuple[ProgramChange, KernelId]]] = {kernel.kernel: [] for kernel in kernels}
    for finding in findings(kernels):
        for row, step in finding.changed:
            if Measure.MEASURED in step.changes:
                found[kernels[row].kernel].append((finding, kernels[finding.row].kernel))
    return found


def _certainty(step: KernelStep) -> float:
    """Return the largest change relative to its interval."""
    widths = [
        abs(np.log(change.factor)) / max(np.log(change.upper / change.lower), 1e-9)
        for change in step.changes.values()
    ]
    return float(max(widths))


def _may_be_one(leader: KernelTrends, place: KernelStep, kernel: KernelTrends, step: KernelStep) -> bool:
    farther = int(np.ceil(_WIDER * (step.last - step.first)))
    farther += _is_caller(leader.kernel, kernel.kernel) or _is_caller(kernel.kernel, leader.kernel)
    return step is place or (step.first - farther <= place.last and step.last + farther >= place.first)


def _is_caller(kernel: KernelId, callee: KernelId) -> bool:
    """Return whether the time of one kernel is in that of another: of the total, its region or a caller."""
    if kernel.level is Scope.TOTAL:
        return True
    if kernel.level is Scope.REGION:
        return kernel.region == callee.region
    return callee.callpath[: len(kernel.callpath)] == kernel.callpath


def _finding(
    leader: KernelTrends, place: KernelStep, same: Sequence[tuple[KernelTrends, KernelStep]]
) -> ProgramChange:
    of_rows: dict[int, KernelStep] = {}
    for kernel, step in same:  # the most certain first
        of_both = {**step.changes, **(of_rows[kernel.row].changes if kernel.row in of_rows else {})}
        of_both = {measure: _at_place(change, place) for measure, change in of_both.items()}
        of_rows[kernel.row] = replace(step, at=place.at, first=place.first, last=place.last, changes=of_both)
    rows = tuple(sorted(of_rows.items()))
    return ProgramChange(at=place.at, first=place.first, last=place.last, row=leader.row, changed=rows)


def _at_place(change: ChangePoint, place: KernelStep) -> ChangePoint:
    return replace(change, at=place.at, first=place.first, last=place.last)
