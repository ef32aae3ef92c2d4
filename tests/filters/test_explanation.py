from pathlib import Path

import pytest

from filters.budget import decide_by_budget
from filters.evidence import evidence_from_profile
from filters.evidence_file import evidence_json
from filters.explanation import dropped_regions, explain, next_commands
from filters.options import Application, Budget
from filters.overhead import predict
from filters.paper_rule import decide_by_paper
from ingest.errors import UsageError

ROWS = [
    (0, "main", 1, 0.1),
    (1, "setup", 1, 8.0),
    (1, "step", 10, 9.0),
    (2, "tool", 100_000, 12.0),
    (2, "MPI_Wait", 3, 1.0),
    (1, "small", 20, 0.001),
    (1, "rest", 20, 0.001),
]


@pytest.fixture
def made(make_profile):
    run = evidence_from_profile(make_profile(ROWS))
    decision = decide_by_paper([run])
    return decision, predict(run, decision.recorded(0))


def test_a_dropped_region_is_explained(made):
    told = explain(*made, "tool")
    assert told[0] == "tool: dropped, no rule keeps it"
    assert "100000 visits" in told[1].replace("1e+05", "100000")
    assert "main > step > tool" in told[-1] and told[-1].endswith(
        "its time is attributed to step, represented by step"
    )


def test_patterns_and_kept_regions(made):
    assert any(line.startswith("step: kept") for line in explain(*made, "s*"))
    with pytest.raises(UsageError, match="no called, filterable region is named 'MPI_Wait'"):
        explain(*made, "MPI_Wait")


def test_a_dropped_region_comes_with_the_caller_that_gets_its_time(made):
    first = dropped_regions(*made)[0]
    assert (first.region, first.attributed_to, first.visits) == ("tool", "step", 100_000)
    assert 0.39 < first.share < 0.42


def test_the_evidence_holds_predictions_and_the_budget(made, make_profile):
    decision, outcome = decide_by_budget([evidence_from_profile(make_profile(ROWS))], Budget(1e-5))
    evidence = evidence_json(decision, [made[1]], outcome)
    assert evidence["budget"]["met"] and evidence["budget"]["applied"] == "run time"
    assert evidence["predictions"][0]["coverage"] <= 1.0
    assert {"region", "share", "visits", "told_of"} == set(evidence["given_up"][0])
    assert all("plain_time" in entry for entry in evidence["regions"])


def test_the_next_commands_name_the_file_by_its_absolute_path():
    path = Path("my filters/app.filter")
    (run_time,) = next_commands(path, Application.RUN_TIME)
    assert run_time == f"export SCOREP_FILTERING_FILE='{path.absolute()}'"
    assert all(str(path.absolute()) in line for line in next_commands(path, Application.COMPILE_TIME))
