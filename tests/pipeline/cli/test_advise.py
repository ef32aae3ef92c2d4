import json

import pytest


@pytest.fixture
def results(call, strong_study, tmp_path):
    out = tmp_path / "results"
    assert call("run", strong_study, "--out", out)[0] == 0
    return out


def test_a_plan_stays_within_its_budget_and_narrows_the_interval(call, results):
    code, told, _ = call("advise", results, "--at", "p=256", "--budget", "100000", "--json", "-")
    assert code == 0
    plan = json.loads(told)
    assert sum(step["cost"] for step in plan) <= 100000
    widths = [step["relative_width_after"] for step in plan]
    assert widths == sorted(widths, reverse=True)
    assert all(0 < step["reduction"] <= 1 for step in plan)


def test_a_tiny_budget_buys_nothing(call, results):
    code, told, _ = call("advise", results, "--at", "p=256", "--budget", "0.001")
    assert code == 0
    assert "No measurement within the budget" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--budget", "-1"], "pays for no measurement"), (["--budget", "1", "--at", "q=1"], "'q'")],
)
def test_wrong_input_is_one_line(call, results, arguments, message):
    code, told, error = call("advise", results, *arguments)
    assert (code, told) == (2, "")
    assert message in error and error.count("\n") == 1
