"""What runs cost, and which of them a budget allows."""

from dataclasses import replace

import pytest

from pipeline.campaign.campaign_design import CampaignDesign, extended
from pipeline.campaign.cost import affordable, expected_costs
from pipeline.campaign.state import RunState

PLANNED, RUNNING = RunState(status="planned"), RunState(status="running")


@pytest.fixture
def campaign(described):
    return replace(described(), scales={"p": (1.0, 4.0)}, repetitions=3)


def of(campaign, states=None):
    design = extended(CampaignDesign(1), campaign)
    return design, {run.name: (states or {}).get(run.name, PLANNED) for run in design.runs}


def test_costs_are_means_of_core_seconds_and_models_fill_in(campaign):
    done = {
        "app.p4.r1": RunState(status="done", seconds=2.0),
        "app.p4.r2": RunState(status="done", seconds=3.0, earlier_seconds=9.0),
        "app.p1.r1": RunState(status="failed", seconds=50.0),
    }
    design, states = of(campaign, done)
    assert expected_costs(campaign, design.runs, states, {}) == {(4.0,): 10.0}
    assert expected_costs(campaign, design.runs, states, {(4.0,): 7.0, (1.0,): 8.0}) == {
        (4.0,): 10.0,
        (1.0,): 8.0,
    }


def test_without_a_budget_all_are_allowed(campaign):
    design, states = of(campaign)
    assert affordable(campaign, design, design.runs, states, {}) == list(design.runs)


def test_one_run_per_scale_tells_the_cost_first(campaign):
    campaign = replace(campaign, budget=100.0)
    design, states = of(campaign)
    assert affordable(campaign, design, design.runs, states, {}) == list(design.runs[:2])
    states[design.runs[0].name] = RUNNING
    assert affordable(campaign, design, design.runs[1:], states, {}) == [design.runs[1]]


def test_the_budget_holds_for_what_was_spent_what_runs_and_what_comes(campaign):
    costs = {(1.0,): 10.0, (4.0,): 10.0}
    states_of = {
        "app.p1.r1": RunState(status="failed", seconds=9.0, earlier_seconds=6.0),
        "app.p4.r1": RUNNING,
    }
    design, states = of(campaign, states_of)
    waiting = [run for run in design.runs if run.name not in states_of]
    for budget, allowed in ((24.0, 0), (34.0, 0), (35.0, 1), (64.0, 3), (65.0, 4)):
        got = affordable(replace(campaign, budget=budget), design, waiting, states, costs)
        assert got == waiting[:allowed], budget


def test_nothing_is_tried_when_the_budget_is_spent(campaign):
    design, states = of(campaign, {"app.p1.r1": RunState(status="failed", seconds=30.0)})
    assert affordable(replace(campaign, budget=30.0), design, design.runs[2:], states, {}) == []
