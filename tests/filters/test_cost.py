import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.cost import EventCost, calibrate_by_baseline, calibrate_by_pair, child_visits, computing_time
from filters.evidence import evidence_from_profile
from filters.options import Application
from filters.overhead import estimate_plain_time, predict, prediction_json
from ingest.errors import UsageError
from tests.profiles import profile_from_rows as make_rows

C = 100e-9


def measured(plain_rows, cost=C, inside=0.4):
    """Add to plain exclusive times what measuring costs, where it shows."""
    rows = [list(row) for row in plain_rows]
    callers = []
    for i, (depth, _, visits, _) in enumerate(plain_rows):
        del callers[depth:]
        rows[i][3] += inside * cost * visits
        if callers:
            rows[callers[-1]][3] += (1 - inside) * cost * visits
        callers.append(i)
    return [tuple(row) for row in rows]


KERNELS = [
    (0, "main", 1, 0.5),
    (1, "setup", 1, 0.5),
    (1, "step", 100, 0.01),
    (2, "kernel", 1000, 2.0),
    (3, "small", 1000000, 0.5),
    (2, "MPI_Allreduce", 1000, 3.0),
]
ACCESSORS = [
    (0, "main", 1, 0.001),
    (1, "kernel", 10, 0.01),
    (2, "x", 100000000, 0.06),
    (2, "y", 100000000, 0.07),
]


def evidence(rows, make_profile, **more):
    return evidence_from_profile(make_profile(measured(rows), **more))


def test_communication_does_not_compute(make_profile):
    run = evidence_from_profile(make_profile([(0, "main", 1, 1.0), (1, "MPI_Send", 1, 5.0)]))
    assert computing_time(run) == 1.0
    assert child_visits(run.tree, run.visits).tolist() == [1.0, 0.0]


def test_plain_time_is_found_again_where_events_cost_little(make_profile):
    run = evidence(KERNELS, make_profile)
    plain = estimate_plain_time(run, EventCost())
    assert plain.total == pytest.approx(3.51, rel=0.01)
    assert plain.low < 3.51 < plain.high
    assert plain.callpath == pytest.approx([row[3] for row in KERNELS], rel=0.05)
    assert plain.cost[0] == pytest.approx(C, rel=0.02)


def test_where_events_are_nearly_all_the_order_of_magnitude_is_found_and_the_range_wide(make_profile):
    plain = estimate_plain_time(evidence(ACCESSORS, make_profile), EventCost(recorded=90e-9))
    assert plain.total == pytest.approx(0.141, rel=0.4)
    assert plain.high > 5 * plain.low
    assert plain.cost[0] == pytest.approx(C, rel=0.02)  # what the profile shows, not what was assumed


def test_accessors_are_attributed_to_their_callers(make_profile):
    plain = estimate_plain_time(evidence(ACCESSORS, make_profile), EventCost())
    assert plain.attributed[2:].tolist() == [0.0, 0.0]
    assert plain.attributed.sum() == pytest.approx(plain.callpath.sum())


@given(
    st.floats(1e-8, 1e-6),
    st.lists(st.tuples(st.integers(0, 10**8), st.floats(0, 100.0)), min_size=1, max_size=5),
)
def test_the_estimate_stays_within_the_measured_time(cost, leaves):
    run = evidence_from_profile(
        make_rows([(0, "main", 1, 0.0), *((1, f"r{i}", v, t) for i, (v, t) in enumerate(leaves))])
    )
    plain = estimate_plain_time(run, EventCost(cost, 0.0))
    assert 0.0 <= plain.low <= plain.total <= plain.high <= run.time.sum() * (1 + 1e-9)
    assert plain.callpath.sum() == pytest.approx(plain.total, abs=1e-12)
    assert (plain.callpath >= 0).all() and (plain.callpath <= run.time + 1e-12).all()


def test_prediction_before_and_after(make_profile):
    run = evidence(KERNELS, make_profile)
    recorded = np.array([name != "small" for name in run.regions.name])[run.tree.region]
    found = predict(run, recorded)
    before, at_run_time, at_compile_time = (found.dilation(a) for a in (None, *Application))
    assert before.value == pytest.approx(1 + 0.1002 / 3.51, rel=0.01)
    assert before.low < before.value < before.high
    assert at_compile_time.value == pytest.approx(1 + 2102 * C / 3.51, rel=1e-4)
    assert found.overhead(Application.RUN_TIME) == pytest.approx(2102 * C + 1e6 * 1.4e-9, rel=0.02)
    assert 1.0 < at_compile_time.value < at_run_time.value < before.value
    assert found.coverage == pytest.approx(1 - 0.5 / 3.51, rel=0.01)
    assert prediction_json(found)["visits"] == {"unfiltered": 1002102.0, "filtered": 2102.0}


def test_a_baseline_settles_cost_and_plain_time(make_profile):
    run = evidence(ACCESSORS, make_profile)
    cost = calibrate_by_baseline(run, 0.141)
    assert cost.recorded == pytest.approx(C, rel=1e-3)
    found = predict(run, np.ones(4, dtype=np.bool_), cost, 0.141)
    assert found.dilation(None).value == pytest.approx(run.wall / 0.141, rel=1e-3)
    assert found.plain.low == found.plain.high


def test_two_measurements_calibrate_the_cost(make_profile):
    full = evidence(ACCESSORS, make_profile)
    reduced = evidence([(0, "main", 1, 0.001), (1, "kernel", 10, 0.14)], make_profile)
    assert calibrate_by_pair(full, reduced).recorded == pytest.approx(C, rel=1e-3)
    with pytest.raises(UsageError, match="the full measurement first"):
        calibrate_by_pair(reduced, full)


@pytest.mark.parametrize("baseline", [0.0, -1.0, 1e9])
def test_impossible_baselines_are_refused(make_profile, baseline):
    run = evidence(KERNELS, make_profile)
    with pytest.raises(UsageError):
        calibrate_by_baseline(run, baseline)


def test_a_run_without_visits_costs_nothing(make_profile):
    run = evidence_from_profile(make_profile([(0, "main", 0, 1.0)]))
    found = predict(run, np.ones(1, dtype=np.bool_))
    assert found.dilation(None).value == 1.0 and found.coverage == 1.0


@pytest.mark.parametrize("numbers", [(0.0, 0.0), (1e-7, 1e-6), (1e-7, -1.0)])
def test_impossible_costs_are_refused(numbers):
    with pytest.raises(UsageError):
        EventCost(*numbers)
