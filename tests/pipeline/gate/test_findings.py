import numpy as np

from pipeline.gate.change_points import ChangePoint
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.trends import (
    KernelTrends,
    Measure,
    MeasureTrend,
    at_their_places,
    findings,
    steps_by_kernel,
)

TOTAL = KernelId(Scope.TOTAL, ("total",))
CALLER, SOLVE, OTHER = (KernelId(Scope.CALLPATH, path) for path in (("main",), ("main", "solve"), ("io",)))


def change(at, first, last, factor=1.2, width=1.05):
    return ChangePoint(
        at=at, first=first, last=last, factor=factor, lower=factor / width, upper=factor * width, p=0.01
    )


def kernels(*given):
    return [
        KernelTrends(
            kernel,
            row,
            {
                measure: MeasureTrend(measure=measure, values=np.ones(40), changes=tuple(found))
                for measure, found in changes.items()
            },
        )
        for row, (kernel, changes) in enumerate(given)
    ]


def test_the_kernel_names_the_commit_and_not_the_total():
    every = kernels(
        (TOTAL, {Measure.MEASURED: [change(22, 20, 25, 1.05)]}),
        (CALLER, {Measure.MEASURED: [change(21, 21, 21, 1.1)]}),
        (SOLVE, {Measure.MEASURED: [change(20, 20, 20, 1.5)], Measure.TARGET: [change(21, 20, 22)]}),
        (OTHER, {}),
    )
    (found,) = findings(every)
    assert (found.row, found.first, found.at, found.last) == (2, 20, 20, 20)
    assert [row for row, _ in found.changed] == [0, 1, 2]
    assert set(found.of(2).changes) == {Measure.MEASURED, Measure.TARGET}
    assert [[step.at for step in steps] for steps in steps_by_kernel(every, [found])] == [
        [20],
        [20],
        [20],
        [],
    ]
    assert found.of(3) is None
    total = at_their_places(every, steps_by_kernel(every, [found]))[0].measures[Measure.MEASURED]
    assert [(c.first, c.at, c.last, c.factor) for c in total.changes] == [(20, 20, 20, 1.05)]


def test_changes_of_other_kernels_at_other_places_are_other_changes():
    every = kernels(
        (SOLVE, {Measure.MEASURED: [change(20, 20, 20)]}),
        (OTHER, {Measure.MEASURED: [change(21, 21, 21, 1.3), change(30, 28, 33)]}),
    )
    assert [(one.at, one.row) for one in findings(every)] == [(20, 0), (21, 1), (30, 1)]


def test_a_wide_interval_counts_wider():
    every = kernels(
        (SOLVE, {Measure.MEASURED: [change(20, 20, 20)]}),
        (OTHER, {Measure.MEASURED: [change(25, 22, 28)]}),
    )
    assert [one.at for one in findings(every)] == [20]
