"""Visits that a filter rejects at run time, and what their hooks take."""

import numpy as np
import pytest

from filters.correction import correct_overhead, correction_sentence
from filters.event_cost import EventCost, Visited, visited
from filters.evidence import evidence_from_profile
from filters.rejected_visits import RejectedVisits, hook_times, rejected_visits, uncounted_visits
from ingest.alignment import MeasuredRun, align
from ingest.reduction import reduce_profile
from tests.filters.test_plain_time import known_of
from tests.profiles import profile_from_rows

COST = EventCost()
FULL = [
    (0, "main", 1, 0.0),
    (1, "solve", 10, 1.0),
    (2, "get", 3 * 10**8, 0.0),
    (3, "check", 10**8, 0.0),
    (2, "MPI_Send", 10, 0.1),
    (1, "tidy", 5, 0.5),
    (2, "get", 10**7, 0.0),
]
UNDER = [(0, "main", 1, 0.0), (1, "solve", 10, 1.0), (2, "MPI_Send", 10, 0.1), (1, "tidy", 5, 0.5)]
REJECTED = [0, 4 * 10**8, 0, 10**7]


def run_of(rows, scale=1.0):
    return visited(
        evidence_from_profile(profile_from_rows([(d, n, v * scale, t * scale) for d, n, v, t in rows]))
    )


def hooked(rows=UNDER, rejected=REJECTED, hook=COST.filtered):
    """Add what hooks take to plain times."""
    return [(d, n, v, t + hook * number) for (d, n, v, t), number in zip(rows, rejected, strict=True)]


def runs(*scales, rows=None):
    found = [run_of(rows or hooked(), scale) for scale in scales]
    visits, time = (
        np.concatenate([getattr(run, name) for run in found], axis=1) for name in ("visits", "time")
    )
    return Visited(tree=found[0].tree, regions=found[0].regions, visits=visits, time=time)


def counted(under, *places):
    fuller = [(run_of(FULL, scale), np.array(numbers)) for scale, numbers in places]
    return rejected_visits(under, fuller)


def test_rejected_visits_belong_to_their_nearest_recorded_caller():
    found = counted(runs(1.0), (1.0, [0]))
    assert found.visits[:, 0].tolist() == REJECTED
    assert (found.spread, found.counted) == (0.0, True)


def test_at_other_scales_they_go_with_the_time_of_the_call_path():
    found = counted(runs(1.0, 2.0, 8.0), (1.0, [0]), (2.0, [1]))
    assert found.visits == pytest.approx(np.outer(REJECTED, [1.0, 2.0, 8.0]))
    one = counted(runs(1.0, 8.0), (1.0, [0]))
    assert 0.0 < found.spread < one.spread


def test_hooks_cost_what_they_do_elsewhere_unless_a_plain_time_tells():
    under = runs(1.0, 4.0)
    few = RejectedVisits(visits=0.01 * counted(under, (1.0, [0])).visits, spread=0.0)
    found = hook_times(under, few, COST)
    assert found.time[1] == pytest.approx(COST.filtered * few.visits[1], rel=0.2)
    assert found.least < 0.1 and 5.0 < found.most < 1.3 * COST.recorded / COST.filtered
    dear = runs(1.0, 4.0, rows=hooked(hook=4e-9))
    known = known_of([1.5, np.nan], [0.03, 1.0])
    told = hook_times(dear, counted(dear, (1.0, [0])), COST, known)
    assert told.time.sum(axis=0) == pytest.approx(4e-9 * sum(REJECTED) * np.array([1.0, 4.0]), rel=0.15)
    assert told.most / told.least < 3.0


def test_hooks_leave_the_known_plain_time():
    under = runs(1.0)
    known = known_of([2.0])  # less than the usual cost of hooks leaves
    found = hook_times(under, counted(under, (1.0, [0])), COST, known)
    assert (under.measured - found.time.sum(axis=0))[0] >= 2.0 - 1e-9


def corrected(rejected, known=None, rows=None):
    measured = [
        MeasuredRun(
            (s,),
            0,
            reduce_profile(
                profile_from_rows([(d, n, v * s, t * s) for d, n, v, t in rows or hooked()]),
                ("time", "visits"),
            ),
        )
        for s in (1.0, 2.0, 4.0)
    ]
    return correct_overhead(align(("s",), measured), known=known, rejected=rejected)


def total_of(experiment):
    return np.array([run.useful_time.sum() for run in experiment.runs])


def interval(experiment):
    factor = np.exp(1.645 * experiment.correction.total_deviation)
    return total_of(experiment) / factor, total_of(experiment) * factor


def test_hooks_fit_into_the_time_of_every_call_path():
    rows = [(d, n, v, 0.1 if n == "tidy" else t) for d, n, v, t in hooked(hook=1e-9)]
    under = runs(1.0, rows=rows)  # 10 ns for each visit that was rejected below tidy
    loose, tight = (
        hook_times(under, RejectedVisits(visits=visits, spread=0.0), COST)
        for visits in (0.1 * np.array(REJECTED)[:, None], np.array(REJECTED)[:, None])
    )
    assert tight.time.sum() < 5.0 * loose.time.sum()
    assert (tight.time <= under.time).all() and tight.most < 0.6 * loose.most


@pytest.mark.parametrize("hook", [0.7e-9, 1.4e-9, 2.8e-9, 10e-9])
def test_corrected_times_hold_the_plain_time_without_hooks(hook):
    under = runs(1.0, 2.0, 4.0, rows=hooked(hook=hook))
    found = corrected(counted(under, (1.0, [0])), rows=hooked(hook=hook))
    low, high = interval(found)
    assert (low < 1.5 * np.array([1, 2, 4])).all() and (1.5 * np.array([1, 2, 4]) < high).all()
    assert "by hooks of visits that the filter rejects at run time)" in correction_sentence(found.correction)


def test_rejected_visits_that_nothing_counts_widen_the_interval_and_are_named():
    under = runs(1.0, 2.0, 4.0)
    found, sure = corrected(uncounted_visits(under)), corrected(None)
    assert found.correction.total_deviation > sure.correction.total_deviation + 0.05
    assert found.correction.hooks_counted is False and found.correction.hooks == pytest.approx(0.1, rel=0.3)
    assert "nothing tells how many: give runs without the filter" in correction_sentence(found.correction)
    assert sure.correction.hooks is None and "hooks" not in correction_sentence(sure.correction)


def test_a_known_plain_time_tells_what_uncounted_hooks_take():
    under = runs(1.0, 2.0, 4.0)
    known = known_of([1.5, np.nan, np.nan], [0.03, 1.0, 1.0])
    found = corrected(uncounted_visits(under), known)
    assert total_of(found) == pytest.approx([1.5, 3.0, 6.0], rel=0.06)
    none = RejectedVisits(visits=np.zeros(under.visits.shape), spread=0.0)
    assert hook_times(under, none, COST, known).time.sum() == 0.0
