"""Which changes of kernels are one: the commit that changed a kernel changed its callers and the total as
well.

Of all changes that may be at the same place the most certain one names it: that of the narrowest
interval, then of the largest factor relative to its interval. The others of that place follow, so that
one change has one commit. A caller or the total, in which other kernels add their noise, never names a
commit of its own beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pipeline.gate.change_points import ChangePoint
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.trends import Entries, KernelStep, KernelTrends, Measure, steps, trends

WIDER = 0.4  # of its length that an interval of 99 % reaches farther on either side than one of 90 %


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One change of the program.

    Attributes:
        at, first, last: indices of the entry it is at and of those it may be at.
        row: of the kernel that shows it most clearly.
        changed: per kernel that changed, its row and its change; all are at the same place.
    """

    at: int
    first: int
    last: int
    row: int
    changed: tuple[tuple[int, KernelStep], ...]

    def of(self, row: int) -> KernelStep | None:
        """Return the change of a kernel; None if it did not change here."""
        return next((step for other, step in self.changed if other == row), None)


def findings(kernels: Sequence[KernelTrends]) -> list[Finding]:
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


def steps_by_kernel(kernels: Sequence[KernelTrends], found: Sequence[Finding]) -> list[list[KernelStep]]:
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


def measured_places(entries: Entries) -> dict[KernelId, list[tuple[Finding, KernelId]]]:
    """Return per kernel the findings in which its measured value changed, and the kernels that name them."""
    kernels = trends(entries)
    found: dict[KernelId, list[tuple[Finding, KernelId]]] = {kernel.kernel: [] for kernel in kernels}
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
    farther = int(np.ceil(WIDER * (step.last - step.first)))
    farther += _is_caller(leader.kernel, kernel.kernel) or _is_caller(kernel.kernel, leader.kernel)
    return step is place or (step.first - farther <= place.last and step.last + farther >= place.first)


def _is_caller(kernel: KernelId, callee: KernelId) -> bool:
    """Tell whether the time of one kernel is in that of another: of the total, its region or a caller."""
    if kernel.level is Scope.TOTAL:
        return True
    if kernel.level is Scope.REGION:
        return kernel.region == callee.region
    return callee.callpath[: len(kernel.callpath)] == kernel.callpath


def _finding(
    leader: KernelTrends, place: KernelStep, same: Sequence[tuple[KernelTrends, KernelStep]]
) -> Finding:
    of_rows: dict[int, KernelStep] = {}
    for kernel, step in same:  # the most certain first
        of_both = {**step.changes, **(of_rows[kernel.row].changes if kernel.row in of_rows else {})}
        of_both = {measure: _at_place(change, place) for measure, change in of_both.items()}
        of_rows[kernel.row] = replace(step, at=place.at, first=place.first, last=place.last, changes=of_both)
    rows = tuple(sorted(of_rows.items()))
    return Finding(at=place.at, first=place.first, last=place.last, row=leader.row, changed=rows)


def _at_place(change: ChangePoint, place: KernelStep) -> ChangePoint:
    return replace(change, at=place.at, first=place.first, last=place.last)
