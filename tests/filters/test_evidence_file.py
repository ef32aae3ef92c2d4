"""The file of evidence beside a filter."""

import pytest

from filters.budget import decide_by_budget
from filters.cost import EventCost
from filters.evidence import evidence_from_profile
from filters.evidence_file import evidence_json
from filters.options import Application, Budget
from filters.overhead import predict, prediction_json
from filters.paper_rule import decide_by_paper

ROWS = [
    (0, "main", 1, 0.1),
    (1, "solve", 10, 9.0),
    (2, "tool", 100_000, 1.0),
    (1, "tool", 1, 20.0),
    (1, "MPI_Wait", 3, 1.0),
]
LARGER = [
    (0, "main", 1, 0.1),
    (1, "MPI_Wait", 9, 1.0),
    (1, "solve", 10, 80.0),
    (1, "late", 1, 90.0),
    (2, "tool", 9, 0.001),
    (2, "more", 9, 0.001),
    (2, "other", 9, 0.001),
    (2, "third", 9, 0.001),
]


@pytest.fixture
def runs(make_profile):
    pairs = (("small", ROWS), ("large", LARGER))
    return [evidence_from_profile(make_profile(rows, source=source)) for source, rows in pairs]


def test_counts_and_times_are_those_of_the_last_run_and_runs_are_named(runs):
    decision = decide_by_paper(runs)
    evidence = evidence_json(decision)
    assert set(evidence) == {"method", "runs", "notices", "regions"}
    assert evidence["runs"] == ["small", "large"] and evidence["notices"] == []
    regions = {entry["region"]: entry for entry in evidence["regions"]}
    assert regions["tool"] == {
        "region": "tool",
        "mangled": "_Z4tool",
        "paradigm": "compiler",
        "file": "code.cc",
        "kept": True,
        "reason": "time_per_visit",
        "why": "its time per visit is among the longest",
        "visits": 9.0,
        "time": 0.001,
        "time_per_visit": 0.001 / 9.0,
        "callpaths": 1,
        "callpaths_kept": 0,
        "callpaths_overlapped": 1,
        "runs": ["small"],
    }
    assert {name: entry["runs"] for name, entry in regions.items()} == {
        "late": ["large"],
        "main": ["small", "large"],
        "more": [],
        "other": [],
        "solve": ["large"],
        "third": [],
        "tool": ["small"],
    }
    assert not regions["more"]["kept"] and regions["more"]["callpaths_overlapped"] == 0


def test_predictions_and_dropped_regions_of_the_last_run(runs):
    decision = decide_by_paper(runs)
    predictions = [predict(run, decision.recorded(i), EventCost(spread=1e-6)) for i, run in enumerate(runs)]
    evidence = evidence_json(decision, predictions)
    assert evidence["predictions"] == [prediction_json(prediction) for prediction in predictions]
    plain = {entry["region"]: entry["plain_time"] for entry in evidence["regions"]}
    assert plain["late"] == pytest.approx(90.0, rel=1e-4) and plain["tool"] == pytest.approx(0.001, rel=1e-2)
    lost = evidence["given_up"]
    assert [entry["region"] for entry in lost] == ["more", "other", "third"]
    assert lost[0] == {
        "region": "more",
        "share": pytest.approx(0.001 / 170.1, rel=1e-2),
        "visits": 9.0,
        "told_of": "late",
    }


def test_the_budget_with_its_bound(runs):
    decision, outcome = decide_by_budget(runs, Budget(1e-6, Application.COMPILE_TIME))
    assert evidence_json(decision, (), outcome)["budget"] == {
        "overhead": 1e-6,
        "applied": "compile time",
        "met": True,
        "predicted": list(outcome.overhead),
        "value": outcome.packing.value,
        "bound": outcome.packing.bound,
        "gap": outcome.packing.gap,
    }
