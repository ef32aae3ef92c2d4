import numpy as np
import pytest

from filters.budget import decide_by_budget
from filters.cost import EventCost
from filters.decision import Reason
from filters.evidence import evidence_from_profile
from filters.evidence_file import evidence_json
from filters.options import Application, Budget, Overrides
from filters.overhead import predict
from ingest.errors import UsageError

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
    assert outcome.met and outcome.overhead[0] < 0.05
    tight, _ = decide_by_budget([run], Budget(0.005, Application.COMPILE_TIME))
    assert kept_names(tight) == {"main", "setup", "step", "kernel"}
    entry = {e["region"]: e for e in evidence_json(tight)["regions"]}
    assert entry["part"]["reason"] == "too_costly" and entry["step"]["reason"] == "structure"


def test_the_promised_overhead_is_the_predicted_one(make_profile):
    run = run_of(make_profile)
    for applied in Application:
        decision, outcome = decide_by_budget([run], Budget(0.3, applied))
        found = predict(run, decision.recorded(0))
        assert found.dilation(applied).value - 1 == pytest.approx(outcome.overhead[0], rel=1e-9)


def test_if_the_hooks_alone_are_too_expensive_the_filter_is_for_compile_time(make_profile):
    decision, outcome = decide_by_budget([run_of(make_profile)], Budget(0.01))
    assert outcome.applied is Application.COMPILE_TIME
    assert "only if the filter is applied at compile time" in decision.notices[0]
    _, roomy = decide_by_budget([run_of(make_profile)], Budget(0.5))
    assert roomy.applied is Application.RUN_TIME


def test_a_budget_that_cannot_be_met_says_so_and_keeps_only_what_must_be(make_profile):
    decision, outcome = decide_by_budget(
        [run_of(make_profile)], Budget(0.001), overrides=Overrides(protect=("accessor",))
    )
    assert not outcome.met and kept_names(decision) == {"main", "accessor"}
    assert "cannot be met" in decision.notices[0]


def test_each_of_several_runs_stays_within_the_budget_and_small_runs_count(make_profile):
    small = run_of(make_profile, source="small")
    rows = [(d, n, v * 40 if n == "part" else v, t * 10 if n == "kernel" else t) for d, n, v, t in ROWS]
    large = run_of(make_profile, rows, source="large")
    budget = Budget(0.05, Application.COMPILE_TIME)
    decision, outcome = decide_by_budget([small, large], budget)
    assert "part" in kept_names(decide_by_budget([small], budget)[0])
    assert outcome.met and len(outcome.overhead) == 2
    assert "part" not in kept_names(decision)
    protected, _ = decide_by_budget([small, large], budget, overrides=Overrides(protect=("par?",)))
    assert Reason.PROTECTED in protected.reason


def test_recursion_counts_once(make_profile):
    rows = [(0, "main", 1, 0.0), (1, "f", 10, 1.0), (2, "f", 10, 1.0), (3, "g", 10, 1.0)]
    decision, outcome = decide_by_budget(
        [run_of(make_profile, rows)], Budget(0.05), cost=EventCost(1e-9, 0.0)
    )
    assert kept_names(decision) == {"main", "f", "g"}
    assert outcome.packing.value == pytest.approx(1.0 + 0.1 / 3, rel=1e-6)


def test_two_decisions_are_the_same(make_profile):
    first, second = (decide_by_budget([run_of(make_profile)], Budget(0.02))[0] for _ in range(2))
    assert evidence_json(first) == evidence_json(second)


def test_a_budget_must_be_positive():
    with pytest.raises(UsageError, match="invalid overhead budget 0; give a share"):
        Budget(0.0)
