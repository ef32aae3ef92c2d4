"""How every kernel developed over the entries of a history: four measures and their change points."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import pairwise

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.gate.change_points import ENOUGH, ChangePoint
from pipeline.gate.developments import Development, Drift, development_of_each
from pipeline.gate.kernel_values import KernelId, Scope


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
class Entries:
    """N entries of a history that can be compared, and the K kernels in them; the newest entry comes last.

    Attributes:
        labels: names of the states of the code.
        commits: their commits; empty if unknown.
        added: int64[N], when they were added, seconds since 1970.
        machine: that they were measured on; empty if unknown.
        metric, unit: what was measured.
        at: the largest measured point.
        target: the point predicted in the newest entry.
        kernels: the total first, then by share.
        value, share: float64[K, N], at the largest measured point; NaN if a kernel has no such entry.
        predicted, lower, upper: float64[K, N], at the target with a 90 % interval; NaN if unknown, or if the
            target was another one.
        wall_seconds, efficiency: float64[K, N], predicted at the target; NaN if unknown.
        growths: texts of growth, such as ``p^(1/2)``, and `growth`, int64[K, N], which one; -1 if none.
        verdicts: of checks, and `verdict`, int64[K, N], which one; -1 if none.
        notices: what was left out, one sentence each.
    """

    labels: tuple[str, ...]
    commits: tuple[str, ...]
    added: IntArray
    machine: str
    metric: str
    unit: str
    at: Mapping[str, float]
    target: Mapping[str, float]
    kernels: tuple[KernelId, ...]
    value: FloatArray
    share: FloatArray
    predicted: FloatArray
    lower: FloatArray
    upper: FloatArray
    wall_seconds: FloatArray
    efficiency: FloatArray
    growths: tuple[str, ...]
    growth: IntArray
    verdicts: tuple[str, ...]
    verdict: IntArray
    notices: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of entries N."""
        return len(self.labels)

    @cached_property
    def seconds_per_value(self) -> float:
        """Seconds of wall time per unit of a prediction at the target; NaN if unknown."""
        known = np.isfinite(self.wall_seconds) & (self.predicted > 0)
        return float(np.median(self.wall_seconds[known] / self.predicted[known])) if known.any() else np.nan


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureTrend:
    """One measure of one kernel.

    Attributes:
        measure: which.
        values: float64[N], NaN if unknown.
        changes: its change points, as indices of entries.
        drift: as indices of entries; None if it does not drift.
    """

    measure: Measure
    values: FloatArray
    changes: tuple[ChangePoint, ...]
    drift: Drift | None = None

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
    """A kernel and how it developed.

    Attributes:
        kernel: which.
        row: its row in the entries.
        measures: its trends.
    """

    kernel: KernelId
    row: int
    measures: Mapping[Measure, MeasureTrend]


@dataclass(frozen=True, kw_only=True)
class KernelStep:
    """Change points of several measures of one kernel at the same place.

    Attributes:
        at: index of the first entry after it.
        first, last: the indices it may have, by the measure that says it best.
        changes: by measure.
    """

    at: int
    first: int
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


def too_few(count: int, where: str = "") -> str:
    """Say that so many entries are too few to tell whether anything changed; empty if they are enough."""
    if count >= ENOUGH:
        return ""
    return f"too few entries{where} to tell: {count}, at least {ENOUGH} are needed"
