from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.event_cost import INSIDE, EventCost, Visited, usual_cost, usual_costs, visited
from filters.evidence import evidence_from_profile
from filters.known_plain import KNOWN_SPREAD, TAIL, KnownPlain
from filters.plain_time import TRIVIAL, estimate_plain_times, measurable_callers, read_times
from ingest.arrays import weighted_quantile
from tests.profiles import profile_from_rows

COST = 80e-9
LOOP, TINY = 10, 10**6  # visits of a loop and of the tiny functions that it calls
PROGRAM = [
    (0, "main", 1, 0.001),
    (1, "heavy", 100, 2.0),
    (1, "sweep", LOOP, 0.1),
    (2, "get", 20 * TINY, 0.0),
    (2, "set", 10 * TINY, 0.0),
    (1, "copy", LOOP, 0.0),
    (2, "get", 20 * TINY, 0.0),
    (1, "MPI_Send", 100, 0.5),
]


def instrumented(rows, cost=COST, visits=1.0):
    """Add to plain exclusive times what measuring costs, where it shows; all visits times a factor."""
    found = [[depth, name, count * visits, time * visits] for depth, name, count, time in rows]
    callers = []
    for i, (depth, *_) in enumerate(rows):
        del callers[depth:]
        found[i][3] += INSIDE * cost * found[i][2]
        if callers:
            found[callers[-1]][3] += (1 - INSIDE) * cost * found[i][2]
        callers.append(i)
    return [tuple(row) for row in found]


def runs(*scales, rows=PROGRAM, cost=COST):
    found = [visited(evidence_from_profile(profile_from_rows(instrumented(rows, cost, v)))) for v in scales]
    first = found[0]
    return Visited(
        tree=first.tree,
        regions=first.regions,
        visits=np.concatenate([run.visits for run in found], axis=1),
        time=np.concatenate([run.time for run in found], axis=1),
    )


def known_of(total, spread=KNOWN_SPREAD, whole=np.nan, stated=False):
    given = {
        "point": np.arange(len(total)),
        "total": total,
        "spread": spread,
        "whole": whole,
        "stated": stated,
    }
    return KnownPlain(**{name: np.broadcast_to(value, len(total)).copy() for name, value in given.items()})


def test_the_cost_of_a_visit_shows_in_cheapest_leaves_and_callers():
    inside, outside = usual_costs(runs(1.0), EventCost())
    assert inside == pytest.approx([INSIDE * COST])
    assert outside == pytest.approx([(1 - INSIDE) * COST], rel=1e-3)
    for cost in (40e-9, COST, 150e-9):
        found = usual_cost(runs(1.0, cost=cost))
        assert found.recorded == pytest.approx(cost, rel=0.15) and found.spread < 0.25
        assert found.filtered == pytest.approx(0.1 * found.recorded)
        assert found.source == "the cheapest leaves and callers"


def test_leaves_with_work_do_not_pass_for_the_cost():
    rows = [
        (depth, name, visits, time + 60e-9 * visits * (name in ("get", "set")))
        for depth, name, visits, time in PROGRAM
    ]
    some = runs(1.0, rows=rows)
    assert usual_cost(some).recorded == pytest.approx(COST, rel=0.35)
    found = estimate_plain_times(some, usual_cost(some))
    truth = 2.101 + 50 * TINY * 60e-9
    assert found.low[0] < truth < found.high[0] and found.total == pytest.approx([truth], rel=0.2)


def test_if_everything_has_work_the_cost_is_that_of_other_machines():
    rows = [(0, "main", 1, 0.1), (1, "sweep", LOOP, 5.0), (2, "kernel", TINY, 1.0)]
    found = usual_cost(runs(1.0, rows=rows))
    assert found.recorded == pytest.approx(EventCost().recorded, rel=0.1)
    assert found.spread == pytest.approx(EventCost().spread, rel=0.2)


def test_what_is_called_seldom_tells_no_cost():
    assert usual_cost(runs(1.0, rows=[(0, "main", 1, 1.0), (1, "f", 999, 1.0)])) == EventCost()


def test_what_callers_take_beyond_the_cost_of_their_callees_is_their_own():
    (shown,) = read_times(runs(1.0), EventCost(COST, 1e-9))
    names = ("main", "heavy", "sweep", "get", "set", "copy", "get2", "MPI_Send")
    by_name = dict(zip(names, shown.callpath, strict=True))
    assert by_name["heavy"] == pytest.approx([2.0], rel=1e-3)
    assert by_name["MPI_Send"] == pytest.approx([0.5], rel=1e-3)  # communication as measured
    assert by_name["get"][0] < 0.1 * by_name["sweep"][0]
    assert by_name["sweep"][0] > 5 * by_name["copy"][0]
    # what is doubtful is combined with what 50 million visits take in other programs: 0.4 and 0.6 of the way
    doubtful = sum(by_name[name][0] for name in ("sweep", "get", "set", "copy", "get2"))
    assert doubtful == pytest.approx(0.1**0.6 * (50 * TINY * TRIVIAL) ** 0.4, rel=0.25)


def test_leaves_that_may_have_work_are_read_in_two_ways():
    rows = [
        (0, "main", 1, 0.1),
        (1, "sweep", LOOP, 0.1),
        (2, "get", TINY, 0.0),
        (2, "find", TINY, 30e-9 * TINY),
    ]
    with_work, without = read_times(runs(1.0, rows=rows), EventCost(COST, 1e-9))
    assert with_work.weight + without.weight == pytest.approx(1.0) and 0.1 < with_work.weight < 0.9
    assert with_work.callpath[3] == pytest.approx([30e-9 * TINY], rel=1e-3)
    assert without.callpath[3][0] < 1e-9 * TINY
    assert with_work.clear[3] and not without.clear[3]


def test_a_disturbed_run_does_not_move_what_all_runs_show():
    quiet = runs(1.0, 1.0, 1.0)
    time = quiet.time.copy()
    time[2, 1] += 0.3  # an interruption in the loop
    disturbed = replace(quiet, time=time)
    before, after = (read_times(some, EventCost(COST, 1e-9))[0].callpath[2] for some in (quiet, disturbed))
    assert after == pytest.approx(before, rel=0.05)


def test_if_events_cost_little_the_cost_decides():
    some = runs(1.0, rows=[(0, "main", 1, 0.5), (1, "kernel", 10**4, 2.0), (1, "tiny", 10**5, 0.5)])
    found = estimate_plain_times(some, EventCost(COST, 1e-9))
    assert found.total == pytest.approx([3.0], rel=0.01)
    assert found.low[0] < 3.0 < found.high[0] < 1.2 * found.low[0]
    assert found.cost == pytest.approx([COST], rel=0.1)
    assert found.measurable.all()


def test_if_events_are_nearly_all_the_order_of_magnitude_is_found():
    rows = [row for row in PROGRAM if row[1] not in ("heavy", "MPI_Send")]
    found = estimate_plain_times(runs(1.0, rows=rows), usual_cost(runs(1.0, rows=rows)))
    assert found.low[0] < 0.101 < found.high[0]
    assert 5 < found.high[0] / found.low[0] < 13
    assert found.total_deviation == pytest.approx(np.log(found.high[0] / found.low[0]) / (2 * TAIL), rel=0.1)


def test_a_known_plain_time_corrects_the_other_runs():
    rows = [row for row in PROGRAM if row[1] not in ("heavy", "MPI_Send")]
    some = runs(1.0, 2.0, 4.0, rows=rows)
    truth = np.array([0.101, 0.202, 0.404])
    found = estimate_plain_times(some, EventCost(COST, 1e-9), known_of([np.nan, truth[1], np.nan]))
    assert found.total == pytest.approx(truth, rel=0.1)
    assert found.high[1] / found.low[1] == pytest.approx(np.exp(2 * TAIL * KNOWN_SPREAD))
    assert (found.high / found.low)[[0, 2]] == pytest.approx([3.2, 3.2], rel=0.2)


def test_a_known_plain_time_is_not_above_the_measured_one():
    some = runs(1.0)
    found = estimate_plain_times(some, EventCost(), known_of(some.measured * 2))
    assert found.total == pytest.approx(some.measured) and found.high == pytest.approx(some.measured)


def test_a_heavy_kernel_beside_trivial_functions_is_not_in_doubt():
    found = estimate_plain_times(runs(1.0, 1.0), EventCost(COST, 1e-9))
    assert found.callpath[1] == pytest.approx([2.0, 2.0], rel=0.01)
    assert found.deviation[1] < 0.02 < 0.3 < found.deviation[2]


def test_what_the_correction_leaves_uncertain_is_not_measurable():
    found = estimate_plain_times(runs(1.0), EventCost(COST, 1e-9))
    assert found.measurable.tolist() == [True, True, True, False, False, False, False, True]


def test_short_visits_are_measured_in_the_nearest_caller_that_can():
    some = runs(1.0)
    found = estimate_plain_times(some, EventCost(COST, 1e-9))
    home = measurable_callers(some, found.callpath, found.cost, found.measurable)
    assert home.tolist() == [0, 1, 2, 2, 2, 0, 0, 7]
    everything = measurable_callers(some, found.callpath, found.cost, np.ones(8, dtype=np.bool_))
    assert everything.tolist()[3:5] == [2, 2]  # too short whatever else is known


@given(
    st.floats(1e-8, 1e-6),
    st.lists(st.tuples(st.integers(0, 10**8), st.floats(0, 100.0)), min_size=1, max_size=5),
)
def test_estimates_stay_within_the_measured_times_and_add_up(cost, leaves):
    rows = [(0, "main", 1, 0.0), *((1, f"r{i}", v, t) for i, (v, t) in enumerate(leaves))]
    some = visited(evidence_from_profile(profile_from_rows(rows)))
    found = estimate_plain_times(some, EventCost(cost, 0.0))
    assert 0.0 <= found.low[0] <= found.total[0] <= found.high[0] <= some.measured[0] * (1 + 1e-9)
    assert found.callpath.sum() == pytest.approx(found.total[0], abs=1e-9)
    assert (found.callpath >= 0).all() and (found.callpath <= some.time + 1e-12).all()


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0.1, 10)), min_size=1, max_size=9), st.floats(0, 1))
def test_a_weighted_quantile_has_its_share_of_the_weight_up_to_it(pairs, share):
    values, weight = (np.array(column) for column in zip(*pairs, strict=True))
    found = weighted_quantile(values, weight, share)
    assert weight[values <= found].sum() >= share * weight.sum() * (1 - 1e-9)
    assert weight[values < found].sum() <= share * weight.sum() * (1 + 1e-9)
