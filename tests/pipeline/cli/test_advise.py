import json

import pytest


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
    [
        (["--budget", "-1"], "--budget: invalid budget '-1'"),
        (["--budget", "3h"], "--budget: unknown unit 'h'"),
        (["--budget", "1", "--at", "q=1"], "'q'"),
    ],
)
def test_wrong_input_is_one_line(refused, results, arguments, message):
    assert message in refused("advise", results, *arguments)


@pytest.mark.parametrize("budget", ["7200", "7200core-s", "2 core-h", "2core-hours"])
def test_budgets_have_units(call, results, budget):
    def plan(text):
        return call("advise", results, "--at", "p=256", "--budget", text, "--json", "-")[1]

    assert plan(budget) == plan("7200.0") != plan("0.5core-h")


def test_without_a_budget_the_study_may_cost_once_more(call, results):
    code, told, _ = call("advise", results, "--at", "p=256", "--json", "-")
    summary = json.loads((results / "summary.json").read_text())
    measured = sum(entry["effort"]["value"] for entry in summary["runtime"]["at"] if entry["measured"])
    repetitions = summary["total"]["quality"]["repetitions"]
    assert code == 0
    assert 0 < sum(step["cost"] for step in json.loads(told)) <= measured * repetitions * 1.001
