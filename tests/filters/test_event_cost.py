import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.event_cost import EventCost, visited
from filters.evidence import evidence_from_profile
from filters.filter_effect import estimate_plain_time, predict
from filters.filter_options import Application
from ingest.errors import UsageError
from ingest.record_codec import document
from tests.profiles import profile_from_rows as make_rows

C = 100e-9


def measured(plain_rows, cost=C, inside=0.42):
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
    assert float(visited(run).measured[0]) == 1.0
    assert visited(run).callee_visits[:, 0].tolist() == [1.0, 0.0]


def test_plain_time_is_found_again_where_events_cost_little(make_profile):
    run = evidence(KERNELS, make_profile)
    plain = estimate_plain_time(run, EventCost())
    assert plain.total == pytest.approx(3.51, rel=0.01)
    assert plain.low < 3.51 < plain.high
    assert plain.callpath == pytest.approx([row[3] for row in KERNELS], rel=0.05)
    assert plain.cost[0] == pytest.approx(C, rel=0.1)


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
    before, at_run_time, at_compile_time = (found.dilation.at(a) for a in (None, *Application))
    assert before.value == pytest.approx(1 + 0.1002 / 3.51, rel=0.01)
    assert before.low < before.value < before.high
    assert at_compile_time.value == pytest.approx(1 + 2102 * C / 3.51, rel=1e-4)
    assert found.overhead.at(Application.RUN_TIME) == pytest.approx(
        2102 * C + 1e6 * found.event_cost.filtered_at_run_time, rel=0.1
    )
    assert 1.0 < at_compile_time.value < at_run_time.value < before.value
    assert found.coverage == pytest.approx(1 - 0.5 / 3.51, rel=0.01)
    assert document(found.visits, exact=True) == {
        "unfiltered": 1002102.0,
        "filtered": 2102.0,
        "filtered_at_compile_time": 2102.0,
    }


def test_a_run_without_visits_costs_nothing(make_profile):
    run = evidence_from_profile(make_profile([(0, "main", 0, 1.0)]))
    found = predict(run, np.ones(1, dtype=np.bool_))
    assert found.dilation.at(None).value == 1.0 and found.coverage == 1.0


def test_the_default_cost():
    assert EventCost() == EventCost(100e-9, 10e-9, 0.5, "default")


@pytest.mark.parametrize(
    ("numbers", "fine"),
    [
        ((1e-7, 0.0), True),
        ((1e-7, 1e-7), True),
        ((1e-7, 1.1e-7), False),
        ((0.0, 0.0), False),
        ((1e-7, 1e-9, 1e-12), True),
        ((1e-7, 1e-9, 0.0), False),
    ],
)
def test_what_costs_are_possible(numbers, fine):
    if fine:
        EventCost(*numbers)
    else:
        with pytest.raises(
            UsageError, match=r"invalid event cost .* s, filtered .* s; recording a visit costs time"
        ):
            EventCost(*numbers)


def test_measured_time_of_communication_is_left_as_it_is(make_profile):
    run = evidence(KERNELS, make_profile)
    plain = estimate_plain_time(run, EventCost())
    assert plain.computing.tolist() == [True] * 5 + [False]
    assert plain.callpath[5] == run.time[5]
    assert plain.attributed.sum() == pytest.approx(plain.callpath.sum())
    assert plain.callpath[plain.computing].sum() == pytest.approx(plain.total)


def test_nine_of_ten_times_the_plain_time_is_in_its_range(make_profile):
    random, hits = np.random.default_rng(5), 0
    run = evidence(KERNELS, make_profile)
    events = float(visited(run).events[:5].sum())
    measured = float(run.time[:5].sum())
    for _ in range(200):
        truth = measured - events * 100e-9 * np.exp(0.3 * random.standard_normal())
        cost = EventCost(recorded=(measured - truth) / events * np.exp(0.3 * random.standard_normal()))
        found = estimate_plain_time(run, cost)
        hits += found.low <= truth <= found.high
    assert hits >= 165  # optimisation across calls might have saved more, so intervals are wider


def test_short_visits_are_attributed_to_the_nearest_long_ones(make_profile):
    rows = [
        (0, "main", 1, 1.0),
        (1, "step", 1, 1.0),
        (2, "get", 10**8, 5.0),
        (3, "MPI_Send", 10**8, 0.1),
        (2, "get", 1, 1.0),
    ]
    run = evidence_from_profile(make_profile(rows))
    plain = estimate_plain_time(run, EventCost())
    assert plain.attributed[2] == 0.0
    assert plain.attributed[1] == pytest.approx(plain.callpath[1] + plain.callpath[2])
    assert plain.attributed[3] == plain.callpath[3]  # what cannot be filtered stays
    assert plain.attributed[0] == plain.callpath[0]


def test_without_its_root_no_call_path_is_whole(make_profile):
    run = evidence_from_profile(make_profile([(0, "main", 1, 1.0), (1, "a", 1, 1.0), (2, "b", 1, 1.0)]))
    assert predict(run, np.array([False, True, True])).whole_callpaths == 0.0
    assert predict(run, np.array([True, False, True])).whole_callpaths == pytest.approx(1 / 3)


def test_overhead_and_dilation_of_every_application(make_profile):
    run = evidence(KERNELS, make_profile)
    found = predict(run, np.array([name != "small" for name in run.regions.name])[run.tree.region])
    plain, hooks = found.plain, 1e6 * found.event_cost.filtered_at_run_time
    visits = {None: 1002102.0, Application.COMPILE_TIME: 2102.0}
    for applied, recorded in visits.items():
        assert found.overhead.at(applied) == pytest.approx(recorded * plain.cost[0])
        dilation = found.dilation.at(applied)
        ends = zip(plain.cost, (plain.total, plain.low, plain.high), strict=True)
        value, most, least = (1 + recorded * cost / total for cost, total in ends)
        assert dilation.value == pytest.approx(value)
        # other builds and runs differ by some per cent
        assert [dilation.low, dilation.high] == pytest.approx([least, most], rel=0.2)
        assert dilation.low < 0.95 * least and dilation.high > 1.05 * most
    assert found.overhead.run_time == pytest.approx(2102 * plain.cost[0] + hooks)
    assert found.dilation.run_time.value == pytest.approx(1 + found.overhead.run_time / plain.total)


def test_coverage_counts_what_is_recorded_and_whole_call_paths(make_profile):
    rows = [
        (0, "main", 1, 1.0),
        (1, "a", 1, 2.0),
        (2, "b", 1, 3.0),
        (1, "c", 1, 4.0),
        (1, "MPI_Send", 1, 9.0),
    ]
    run = evidence_from_profile(make_profile(rows))
    found = predict(run, np.array([True, False, True, True, True]))
    assert found.coverage == pytest.approx(0.8)
    assert found.whole_callpaths == pytest.approx(0.5)
    assert (found.visits.unfiltered, found.visits.run_time) == (5.0, 4.0)
    assert found.event_cost.filtered_at_run_time == EventCost().filtered
    cheap = predict(run, np.ones(5, dtype=np.bool_), EventCost(1e-9, 1e-9))
    assert cheap.event_cost.filtered_at_run_time == pytest.approx(1e-9, rel=1e-6)
    assert cheap.coverage == cheap.whole_callpaths == 1.0


def test_a_prediction_as_plain_data(make_profile):
    run = evidence(KERNELS, make_profile, source="a.cubex")
    found = predict(run, np.array([True, True, True, True, False, True]))
    data = document(found, exact=True)
    plain = found.plain
    assert data["source"] == "a.cubex"
    assert (data["coverage"], data["whole_callpaths"]) == (found.coverage, found.whole_callpaths)
    assert data["event_cost"] == {
        "recorded": plain.cost[0],
        "filtered_at_run_time": found.event_cost.filtered_at_run_time,
    }
    assert data["plain_computing_time"] == {"value": plain.total, "low": plain.low, "high": plain.high}
    for name, applied in (
        ("unfiltered", None),
        ("run_time", Application.RUN_TIME),
        ("compile_time", Application.COMPILE_TIME),
    ):
        assert data["overhead"][name] == found.overhead.at(applied)
        assert data["dilation"][name] == vars(found.dilation.at(applied))


def test_where_the_cost_of_events_lies(make_profile):
    run = evidence_from_profile(make_profile([(0, "main", 10, 1.0), (1, "a", 100, 1.0), (2, "b", 100, 1.0)]))
    assert visited(run).callee_visits[:, 0].tolist() == [100.0, 100.0, 0.0]
    assert visited(run).events[:, 0] == pytest.approx([4.2 + 58.0, 42.0 + 58.0, 42.0])


def test_dropped_regions_instrumented_by_hand_are_recorded_at_compile_time(make_profile):
    rows = [(0, "main", 1, 1.0), (1, "USER phase", 1000, 1.0), (1, "get", 100, 1.0)]
    run = evidence_from_profile(make_profile(rows))
    found = predict(run, np.array([True, False, False]))
    stages = (None, Application.RUN_TIME, Application.COMPILE_TIME)
    assert [found.visits.at(applied) for applied in stages] == [1101.0, 1.0, 1001.0]
    assert found.overhead.at(Application.COMPILE_TIME) == pytest.approx(1001 * found.plain.cost[0])
    at_hooks = 1100 * found.event_cost.filtered_at_run_time
    assert found.overhead.at(Application.RUN_TIME) == pytest.approx(found.plain.cost[0] + at_hooks)
