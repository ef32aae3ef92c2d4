from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.event_cost import (
    INSIDE,
    EventCost,
    Visited,
    calibrate_by_leaves,
    usual_costs,
    visited,
    weighted_quantile,
)
from filters.evidence import evidence_from_profile
from filters.plain_time import (
    KNOWN_SPREAD,
    TAIL,
    TRIVIAL,
    estimate_plain_times,
    measurable_callers,
    show_times,
)
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


def test_the_cost_of_a_visit_shows_in_cheapest_leaves_and_callers():
    inside, outside = usual_costs(runs(1.0), EventCost())
    assert inside == pytest.approx([INSIDE * COST])
    assert outside == pytest.approx([(1 - INSIDE) * COST], rel=1e-3)
    assert calibrate_by_leaves(runs(1.0)).recorded == pytest.approx(COST, rel=1e-3)


def test_cheapest_leaves_that_take_longer_than_expected_are_half_believed():
    cost = calibrate_by_leaves(runs(1.0, cost=150e-9))
    assert cost.recorded == pytest.approx(100e-9 * 1.5**0.5, rel=1e-3)
    assert cost.filtered == pytest.approx(0.014 * cost.recorded)
    assert cost.source == "the cheapest leaf regions"


@pytest.mark.parametrize("rows", [[(0, "main", 1, 1.0)], [(0, "main", 1, 1.0), (1, "f", 10**5, 1.0)]])
def test_without_cheap_leaves_the_default_cost_stays(rows):
    run = visited(evidence_from_profile(profile_from_rows(rows)))
    assert calibrate_by_leaves(run) == EventCost()
    inside, outside = usual_costs(run, EventCost())
    assert (inside[0], outside[0]) == (INSIDE * 100e-9, (1 - INSIDE) * 100e-9)


def test_what_callers_take_beyond_the_cost_of_their_callees_is_their_own():
    shown = show_times(runs(1.0), EventCost(COST, 1e-9))
    by_name = dict(
        zip(("main", "heavy", "sweep", "get", "set", "copy", "get2", "MPI_Send"), shown.callpath, strict=True)
    )
    assert by_name["heavy"] == pytest.approx([2.0], rel=1e-3)
    assert by_name["MPI_Send"] == pytest.approx([0.5], rel=1e-3)  # communication as measured
    assert by_name["get"][0] < 0.1 * by_name["sweep"][0]
    assert by_name["sweep"][0] > 5 * by_name["copy"][0]
    # what is doubtful is combined with what 50 million visits take in other programs: 0.4 and 0.6 of the way
    doubtful = shown.total[0] - 2.0 - 0.001
    assert doubtful == pytest.approx(0.1**0.6 * (50 * TINY * TRIVIAL) ** 0.4, rel=0.25)


def test_a_disturbed_run_does_not_move_what_all_runs_show():
    quiet = runs(1.0, 1.0, 1.0)
    time = quiet.time.copy()
    time[2, 1] += 0.3  # an interruption in the loop
    disturbed = replace(quiet, time=time)
    before, after = (show_times(some, EventCost(COST, 1e-9)).callpath[2] for some in (quiet, disturbed))
    assert after == pytest.approx(before, rel=0.05)


def test_if_events_cost_little_the_cost_decides():
    some = runs(1.0, rows=[(0, "main", 1, 0.5), (1, "kernel", 10**4, 2.0), (1, "tiny", 10**5, 0.5)])
    found = estimate_plain_times(some, EventCost(COST, 1e-9))
    assert found.total == pytest.approx([3.0], rel=0.01)
    assert found.low[0] < 3.0 < found.high[0] < 1.1 * found.low[0]
    assert found.cost == pytest.approx([COST], rel=0.1)
    assert found.measurable.all()


def test_if_events_are_nearly_all_the_order_of_magnitude_is_found():
    rows = [row for row in PROGRAM if row[1] not in ("heavy", "MPI_Send")]
    found = estimate_plain_times(runs(1.0, rows=rows), calibrate_by_leaves(runs(1.0, rows=rows)))
    assert found.low[0] < 0.101 < found.high[0]
    assert 5 < found.high[0] / found.low[0] < 12
    assert found.total_deviation == pytest.approx(np.log(found.high[0] / found.low[0]) / (2 * TAIL))


def test_a_known_plain_time_corrects_the_other_runs():
    rows = [row for row in PROGRAM if row[1] not in ("heavy", "MPI_Send")]
    some = runs(1.0, 2.0, 4.0, rows=rows)
    truth = np.array([0.101, 0.202, 0.404])
    found = estimate_plain_times(some, EventCost(COST, 1e-9), np.array([np.nan, truth[1], np.nan]))
    assert found.total == pytest.approx(truth, rel=0.1)
    assert found.high[1] / found.low[1] == pytest.approx(np.exp(2 * TAIL * KNOWN_SPREAD))
    assert (found.high / found.low)[[0, 2]] == pytest.approx([2.5, 2.5], rel=0.2)


def test_a_known_plain_time_is_not_above_the_measured_one():
    some = runs(1.0)
    found = estimate_plain_times(some, EventCost(), some.measured * 2)
    assert found.total == pytest.approx(some.measured) and found.high == pytest.approx(some.measured)
    assert found.cost == pytest.approx([0.0], abs=1e-15)


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
