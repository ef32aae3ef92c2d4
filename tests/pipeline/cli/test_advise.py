"""What `advise` plans, and that the first screen says the same."""

import json
import re

import pytest

from pipeline.config.options import Options
from pipeline.stages.run import run
from tests.foam_cases import write_foam_case

AT = ("--at", "p=64")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The results of a program that no formula follows exactly; not to be changed."""
    folder = tmp_path_factory.mktemp("bent")
    for p, bump in zip((1, 2, 4, 8, 16), (1.0, 1.15, 0.9, 1.1, 1.3), strict=True):
        for r, wobble in enumerate((1.0, 1.01, 0.98), 1):
            times = {"solve": 64 / p * bump * wobble, "sum": 0.5 * p**0.7 * wobble, "main": 0.25 / p}
            write_foam_case(folder / "study" / f"app.p{p}.r{r}", times, processes=p)
    run(folder / "study", Options(out=folder / "out", at=({"p": 64.0},)))
    return folder / "out"


@pytest.mark.slow
def test_a_plan_stays_within_its_budget_and_narrows_the_interval(call, results):
    code, told, _ = call("advise", results, *AT, "--budget", "100000", "--json", "-")
    assert code == 0
    plan = json.loads(told)
    assert plan and sum(step["cost"] for step in plan) <= 100000
    widths = [step["relative_width_after"] for step in plan]
    assert widths == sorted(widths, reverse=True)
    assert all(0.2 <= step["reduction"] <= 1 for step in plan)
    assert {step["repetitions"] for step in plan} == {2}


def test_a_tiny_budget_buys_nothing_but_says_what_would_help(call, results):
    code, told, _ = call("advise", results, *AT, "--budget", "0.001")
    assert code == 0
    text = " ".join(told.split())
    assert text.startswith("Note: No measurement for up to 0.00100 core-s would make the interval at p = 64")
    assert "clearly narrower and useful; p = " in text and ", 1 run (about " in text


def test_run_and_advise_and_the_page_say_the_same(call, results, tmp_path):
    _, screen, _ = call("run", results.parent / "study", "--out", results, *AT)
    _, table, _ = call("advise", results)
    sentence = re.search(r"Measure p = .* to about ±[\d.]+ %\.", " ".join(screen.split())).group()
    assert sentence in " ".join(table.split())
    page = (results / "report.html").read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", " ")
    assert sentence.partition(":")[0] in page
    stored = json.loads((results / "summary.json").read_text())["next_measurement"]
    assert json.loads(call("advise", results, "--json", "-")[1]) == stored["plan"]
    assert stored["target"] == {"p": 64}


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
        return call("advise", results, *AT, "--budget", text, "--json", "-")[1]

    assert plan(budget) == plan("7200.0") != plan("0.02core-h")


def test_without_a_budget_the_study_may_cost_once_more(call, results):
    code, told, _ = call("advise", results, *AT, "--json", "-")
    summary = json.loads((results / "summary.json").read_text())
    measured = sum(entry["effort"]["value"] for entry in summary["runtime"]["at"] if entry["measured"])
    repetitions = summary["total"]["quality"]["repetitions"]
    assert code == 0
    assert 0 < sum(step["cost"] for step in json.loads(told)) <= measured * repetitions * 1.001
