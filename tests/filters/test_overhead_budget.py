import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from filters.decision import Motive
from filters.event_cost import EventCost
from filters.evidence import evidence_from_profile
from filters.explanation import filter_evidence
from filters.filter_effect import predict
from filters.filter_options import Application, Budget, Overrides
from filters.known_plain import KnownPlain
from filters.overhead_budget import Packing, decide_by_budget, pack
from ingest.number_text import percent
from ingest.record_codec import document

ITEMS = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 30)), max_size=12)


def best_choice(value, weight, capacity):
    """Return the best value of a 0/1 choice within the capacity."""
    if not len(value):
        return 0.0
    found = milp(
        -value,
        constraints=LinearConstraint(weight[None, :], ub=capacity),
        integrality=np.ones(len(value)),
        bounds=Bounds(0, 1),
    )
    return -found.fun


def best_fractional_choice(value, weight, capacity):
    if not len(value):
        return 0.0
    return -linprog(-value, A_ub=weight[None, :], b_ub=[capacity], bounds=(0, 1)).fun


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(ITEMS, st.integers(0, 120))
@example([(10, 6), (9, 5), (9, 5)], 10)
@example([(1, 1), (30, 30)], 30)
@example([(4, 3), (3, 3), (2, 3)], 6)
def test_against_an_exact_solver(items, capacity):
    value, weight = (np.array([item[i] for item in items], dtype=np.float64) for i in (0, 1))
    found = pack(value, weight, float(capacity))
    best = best_choice(value, weight, capacity)
    largest = value[weight <= capacity].max(initial=0.0)
    assert weight[found.taken].sum() <= capacity
    assert found.value == value[found.taken].sum()
    assert max(best / 2, best - largest) - 1e-9 <= found.value <= best + 1e-9
    assert best - 1e-9 <= found.bound
    fitting = weight <= capacity
    expected = best_fractional_choice(value[fitting], weight[fitting], capacity)
    assert found.bound == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_items_are_taken_by_value_per_weight_and_what_no_longer_fits_is_skipped():
    value = np.array([1.0, 8.0, 6.0, 3.0, 2.0])
    weight = np.array([1.0, 5.0, 4.0, 3.0, 1.0])
    found = pack(value, weight, 9.0)
    assert found.taken.tolist() == [False, True, False, True, True]
    assert found.value == 13.0
    assert found.bound == 2.0 + 8.0 + 3.0 / 4.0 * 6.0


def test_ties_are_broken_by_value_then_by_place():
    found = pack(np.array([1.0, 2.0, 1.0]), np.array([1.0, 2.0, 1.0]), 3.0)
    assert found.taken.tolist() == [True, True, False]


def test_one_large_item_beats_many_small_ones():
    found = pack(np.array([3.0, 100.0]), np.array([1.0, 60.0]), 60.0)
    assert found.taken.tolist() == [False, True]


@pytest.mark.parametrize("capacity", [-1.0, 0.0])
def test_nothing_fits_without_capacity_but_what_weighs_nothing(capacity):
    found = pack(np.array([1.0, 2.0]), np.array([1.0, 0.0]), capacity)
    assert found.taken.tolist() == [False, capacity == 0.0]


def test_the_gap_is_the_largest_share_that_may_be_missing():
    assert Packing(np.zeros(1, dtype=np.bool_), 0.375, 0.5).gap == 0.25
    assert Packing(np.zeros(1, dtype=np.bool_), 4.0, 4.0 - 1e-12).gap == 0.0
    assert Packing(np.zeros(0, dtype=np.bool_), 0.0, 0.0).gap == 0.0


ROWS = [
    (0, "main", 1, 0.1),
    (1, "setup", 1, 1.0),
    (1, "step", 100, 0.001),
    (2, "kernel", 10_000, 5.0),
    (3, "part", 1_000_000, 2.0),  # 2 us a visit: one part in twenty of the plain time
    (3, "accessor", 100_000_000, 4.1),  # 41 ns a visit: hardly more than its own measurement
    (2, "MPI_Allreduce", 100, 3.0),
]


def kept_names(decision):
    return {decision.regions.table.name[i] for i in np.flatnonzero(decision.kept)}


def run_of(make_profile, rows=ROWS, **more):
    return evidence_from_profile(make_profile(rows, **more))


def test_what_fits_is_measured_and_accessors_are_not(make_profile):
    run = run_of(make_profile)
    decision, outcome = decide_by_budget([run], Budget(0.05, Application.COMPILE_TIME))
    assert kept_names(decision) == {"main", "setup", "step", "kernel", "part"}
    assert outcome.met and outcome.predicted[0] < 0.05
    tight, _ = decide_by_budget([run], Budget(0.005, Application.COMPILE_TIME))
    assert kept_names(tight) == {"main", "setup", "step", "kernel"}
    reasons = {entry.region: entry.reason for entry in filter_evidence(tight).regions}
    assert reasons["part"] == "too_costly" and reasons["step"] == "structure"


def test_the_promised_overhead_is_the_predicted_one(make_profile):
    run = run_of(make_profile)
    for applied in Application:
        decision, outcome = decide_by_budget([run], Budget(0.3, applied))
        found = predict(run, decision.recorded(0))
        assert found.dilation.at(applied).value - 1 == pytest.approx(outcome.predicted[0], rel=1e-9)


def test_each_of_several_runs_stays_within_the_budget_and_small_runs_count(make_profile):
    small = run_of(make_profile, source="small")
    rows = [(d, n, v * 40 if n == "part" else v, t * 10 if n == "kernel" else t) for d, n, v, t in ROWS]
    large = run_of(make_profile, rows, source="large")
    budget = Budget(0.05, Application.COMPILE_TIME)
    decision, outcome = decide_by_budget([small, large], budget)
    assert "part" in kept_names(decide_by_budget([small], budget)[0])
    assert outcome.met and len(outcome.predicted) == 2
    assert "part" not in kept_names(decision)
    protected, _ = decide_by_budget([small, large], budget, overrides=Overrides(protect=("par?",)))
    assert Motive.PROTECTED in protected.reason


def test_recursion_counts_once(make_profile):
    rows = [(0, "main", 1, 0.0), (1, "f", 10, 1.0), (2, "f", 10, 1.0), (3, "g", 10, 1.0)]
    decision, outcome = decide_by_budget(
        [run_of(make_profile, rows)], Budget(0.05), cost=EventCost(1e-9, 0.0)
    )
    assert kept_names(decision) == {"main", "f", "g"}
    assert outcome.value == pytest.approx(1.0 + 0.1 / 3, rel=1e-6)


def test_two_decisions_are_the_same(make_profile):
    first, second = (decide_by_budget([run_of(make_profile)], Budget(0.02))[0] for _ in range(2))
    assert document(filter_evidence(first)) == document(filter_evidence(second))


def test_shares_of_regions_by_hand(make_profile):
    rows = [
        (0, "main", 1, 1.0),
        (1, "a", 10, 2.0),
        (2, "b", 20, 4.0),
        (2, "MPI_Send", 30, 8.0),
        (1, "b", 40, 3.0),
    ]
    run = run_of(make_profile, rows)
    cost = EventCost(1e-9, 1e-10, 1e-6)  # so small that plain times are measured times
    decision, outcome = decide_by_budget([run], Budget(0.5, Application.RUN_TIME), cost=cost)
    assert kept_names(decision) == {"main", "a", "b"}
    # worth: a 2 + 0.1 (4 + 8), b 4 + 3, of 10 core-s of computing
    assert outcome.value == pytest.approx((2.0 + 1.2 + 7.0) / 10.0, rel=1e-3)
    assert outcome.predicted[0] == pytest.approx(101 * 1e-9 / 10.0, rel=0.1)
    _, structured = decide_by_budget([run], Budget(0.5, Application.RUN_TIME, structure=0.5), cost=cost)
    assert structured.value == pytest.approx((2.0 + 6.0 + 7.0) / 10.0, rel=1e-3)
    _, nothing = decide_by_budget(
        [run], Budget(0.5, Application.RUN_TIME), cost=cost, overrides=Overrides(drop=("a", "b"))
    )
    assert nothing.predicted[0] == pytest.approx((31 * 1e-9 + 70 * 1e-10) / 10.0, rel=0.1)
    _, compiled = decide_by_budget(
        [run], Budget(0.5, Application.COMPILE_TIME), cost=cost, overrides=Overrides(drop=("a", "b"))
    )
    assert compiled.predicted[0] == pytest.approx(31 * 1e-9 / 10.0, rel=0.1)


def reasons_of(decision):
    names = decision.regions.table.name
    return {name: Motive(int(code)).name for name, code in zip(names, decision.reason, strict=True)}


def test_what_is_selected_has_the_reason_that_counts_more(make_profile):
    rows = [
        (0, "main", 1, 0.1),
        (1, "own", 1, 1.0),
        (2, "x", 1, 9.9),
        (1, "below", 1, 1.0),
        (2, "x", 1, 10.1),
    ]
    decision, _ = decide_by_budget([run_of(make_profile, rows)], Budget(0.5), cost=EventCost(1e-12, 0.0))
    assert reasons_of(decision) == {"main": "ENTRY_POINT", "own": "TIME", "x": "TIME", "below": "STRUCTURE"}
    assert decision.callpaths[0].tolist() == [decision.reason[i] for i in (1, 2, 3, 0, 3)]
    assert decision.method == "overhead budget of 50.0 %, filter applied at run time"


def test_regions_that_are_not_called_are_not_selected(make_profile):
    profile = make_profile(ROWS)
    profile.tree.region[1] = 2
    decision, _ = decide_by_budget([evidence_from_profile(profile)], Budget(0.5))
    assert reasons_of(decision)["setup"] == "NEVER_CALLED"


def test_call_paths_of_a_run_in_which_a_region_is_worth_nothing(make_profile):
    small = run_of(make_profile, [(0, "main", 1, 1.0), (1, "a", 1, 1.0), (1, "b", 1, 0.0)], source="small")
    large = run_of(
        make_profile, [(0, "main", 1, 1.0), (1, "a", 1, 0.0), (1, "b", 1, 1.0), (1, "MPI_Send", 1, 1.0)]
    )
    decision, outcome = decide_by_budget([small, large], Budget(0.5), cost=EventCost(1e-12, 0.0))
    assert kept_names(decision) == {"main", "a", "b"}
    names = [[Motive(int(code)).name for code in codes] for codes in decision.callpaths]
    assert names == [["ENTRY_POINT", "TIME", "TOO_COSTLY"], ["ENTRY_POINT", "TOO_COSTLY", "TIME", "DROPPED"]]
    assert outcome.value == pytest.approx(1.0)  # of each its share in the run where that is largest


def test_the_hooks_decide_where_the_filter_is_applied(make_profile):
    rows = [(0, "main", 1, 1.0), (1, "a", 10**6, 1.0)]
    run = run_of(make_profile, rows)
    cost = EventCost(1e-7, 1e-8, 1e-6)
    hooks = predict(run, np.array([True, False]), cost).dilation.at(Application.RUN_TIME).value - 1.0
    _, above = decide_by_budget([run], Budget(hooks * 1.001), cost=cost)
    decision, below = decide_by_budget([run], Budget(hooks * 0.999), cost=cost)
    assert (above.applied, below.applied) == (Application.RUN_TIME, Application.COMPILE_TIME)
    assert decision.notices[-1].startswith("the filter has to be applied at compile time")
    assert decision.notices[-1].endswith(f"take {percent(hooks)} of the plain computing time")
    decision, _ = decide_by_budget([run], Budget(hooks * 0.999, Application.COMPILE_TIME), cost=cost)
    assert not any("compile time" in notice for notice in decision.notices)


def test_hooks_do_not_take_the_place_of_a_region_that_leads(make_profile):
    rows = [(0, "main", 1, 0.1), (1, "kernel", 30_000, 0.5), (1, "small", 270_000, 0.1)]
    run, cost = run_of(make_profile, rows), EventCost(1e-7, 1e-8, 1e-6)
    decision, outcome = decide_by_budget([run], Budget(0.008), cost=cost)
    assert outcome.applied is Application.COMPILE_TIME and "kernel" in kept_names(decision)
    at_run_time, _ = decide_by_budget([run], Budget(0.008, Application.RUN_TIME), cost=cost)
    assert "kernel" not in kept_names(at_run_time)


def test_a_run_too_short_to_matter_does_not_decide_and_is_named(make_profile):
    rows = [(d, n, 40 * v if n == "part" else v, t / 20) for d, n, v, t in ROWS]
    short, long = run_of(make_profile, rows, source="short"), run_of(make_profile, source="long")
    budget = Budget(0.05, Application.COMPILE_TIME)
    both, outcome = decide_by_budget([short, long], budget)
    assert kept_names(both) == kept_names(decide_by_budget([long], budget)[0])
    assert outcome.met and outcome.largest == outcome.predicted[1] < 0.05 < outcome.predicted[0]
    assert any(said.startswith("short: overhead ") for said in both.notices)
    assert not decide_by_budget([long, short], budget)[1].predicted[1] > 0.05  # the last run always counts


def test_a_budget_that_what_must_be_recorded_uses_up_leaves_nothing(make_profile):
    rows = [(0, "main", 1, 1.0), (1, "MPI_Send", 10**6, 1.0), (1, "a", 1, 1.0)]
    run = run_of(make_profile, rows)
    decision, outcome = decide_by_budget([run], Budget(0.01, Application.COMPILE_TIME))
    assert kept_names(decision) == {"main"} and not outcome.met
    assert decision.notices[-1] == (
        "the overhead budget of 1.0 % cannot be met: what must be recorded (MPI and protected regions) takes "
        f"{percent(outcome.predicted[0])}"
    )


def test_a_budget_is_met_up_to_its_last_digit(make_profile):
    run = evidence_from_profile(make_profile([(0, "main", 1000, 1.0), (1, "MPI_Send", 10**6, 1.0)]))
    needed = decide_by_budget([run], Budget(0.5, Application.COMPILE_TIME))[1].predicted[0]
    for budget, met in ((needed, True), (needed * (1 - 1e-12), False)):
        assert decide_by_budget([run], Budget(budget, Application.COMPILE_TIME))[1].met is met
    small = evidence_from_profile(make_profile([(0, "main", 1, 1.0)]))
    budget = Budget(needed / 2, Application.COMPILE_TIME)
    assert not decide_by_budget([run, small], budget)[1].met and decide_by_budget([small], budget)[1].met


def test_the_known_plain_time_is_that_of_the_last_run(make_profile):
    first, last = run_of(make_profile, source="first"), run_of(make_profile, source="last")
    known = KnownPlain.of(last.time.sum() - 5.0)
    applied = Application.COMPILE_TIME
    decision, outcome = decide_by_budget([first, last], Budget(0.3, applied), known=known)
    for run, plain in enumerate((None, known)):
        found = predict(decision.runs[run], decision.recorded(run), known=plain)
        assert outcome.predicted[run] == pytest.approx(found.dilation.at(applied).value - 1)
    assert outcome.predicted[0] != outcome.predicted[1]


def test_dropped_regions_instrumented_by_hand_cost_their_visits_at_compile_time(make_profile):
    run = evidence_from_profile(make_profile([(0, "main", 1, 1.0), (1, "USER phase", 100_000, 1.0)]))
    drop = Overrides(drop=("USER*",))

    def overhead(applied, overrides=None):
        return decide_by_budget([run], Budget(0.5, applied), overrides=overrides)[1].predicted[0]

    assert overhead(Application.COMPILE_TIME, drop) == overhead(Application.COMPILE_TIME)
    assert overhead(Application.RUN_TIME, drop) < 0.1 * overhead(Application.RUN_TIME)
