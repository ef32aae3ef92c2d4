from dataclasses import replace

import numpy as np
import pytest

from pipeline.campaign.campaign_design import CampaignDesign, CampaignRound, Wanted, extended, with_round
from pipeline.campaign.run_costs import CampaignProgress, affordable, expected_costs, outlying
from pipeline.campaign.run_state import RunState

PLANNED, RUNNING = RunState(status="planned"), RunState(status="running")


@pytest.fixture
def campaign(described):
    return replace(described(), scales={"p": (1.0, 4.0)}, repetitions=3)


def of(campaign, states=None, costs=None):
    design = extended(CampaignDesign(1), campaign)
    states = {run.name: (states or {}).get(run.name, PLANNED) for run in design.runs}
    return CampaignProgress(campaign=campaign, design=design, states=states, costs=costs or {})


def test_costs_are_means_of_core_seconds_and_models_fill_in(campaign):
    done = {
        "app.p4.r1": RunState(status="done", seconds=2.0),
        "app.p4.r2": RunState(status="done", seconds=3.0, earlier_seconds=9.0),
        "app.p1.r1": RunState(status="failed", seconds=50.0),
    }
    found = of(campaign, done)
    assert expected_costs(campaign, found.design, found.states, {}) == {(4.0,): 10.0}
    assert expected_costs(campaign, found.design, found.states, {(4.0,): 7.0, (1.0,): 8.0}) == {
        (4.0,): 10.0,
        (1.0,): 8.0,
    }


def test_without_a_budget_all_are_allowed(campaign):
    progress = of(campaign)
    assert affordable(progress, progress.design.runs) == list(progress.design.runs)


@pytest.mark.parametrize("costs", [{}, {(1.0,): 1.0, (4.0,): 4.0}])
def test_one_run_at_a_scale_tells_its_cost_before_the_next_scale_is_tried(campaign, costs):
    """Whether models predict it or not: with all at once, errors of the predictions would add up."""
    campaign = replace(campaign, budget=100.0)
    first, second, *others = of(campaign).design.runs
    assert first.point != second.point
    assert affordable(of(campaign, costs=costs), [first, second, *others]) == [first]
    assert affordable(of(campaign, {first.name: RUNNING}, costs), [second, *others]) == []
    done = {first.name: RunState(status="done", seconds=1.0)}
    known = {(first.point["p"],): 4.0, **costs}
    same = [run for run in others if run.point == first.point]
    assert affordable(of(campaign, done, known), [second, *others]) == [second, *same]


def test_the_budget_holds_for_what_was_spent_what_runs_and_what_comes(campaign):
    costs = {(1.0,): 10.0, (4.0,): 10.0}
    states_of = {
        "app.p1.r1": RunState(status="failed", seconds=9.0, earlier_seconds=6.0),
        "app.p4.r1": RUNNING,
        "app.p1.r2": RunState(status="done", seconds=0.0),
        "app.p4.r2": RunState(status="done", seconds=0.0),
    }
    waiting = [run for run in of(campaign).design.runs if run.name not in states_of]
    for budget, allowed in ((24.0, 0), (34.0, 0), (35.0, 1), (44.0, 1), (45.0, 2)):
        got = affordable(of(replace(campaign, budget=budget), states_of, costs), waiting)
        assert got == waiting[:allowed], budget


def test_nothing_is_tried_when_the_budget_is_spent(campaign):
    progress = of(replace(campaign, budget=30.0), {"app.p1.r1": RunState(status="failed", seconds=30.0)})
    assert affordable(progress, progress.design.runs[2:]) == []


def test_plain_runs_cost_what_they_take_and_tell_no_cost_of_instrumented_ones(described):
    campaign = described()
    campaign = replace(campaign, budget=62.0, measurement=replace(campaign.measurement, plain=("plain",)))
    small, large = ([Wanted({"p": p, "n": 8.0}, 1, 20.0 * p)] for p in (1.0, 2.0))
    pilot = with_round(CampaignDesign(1), campaign, CampaignRound(purpose="series"), small)
    states = {"app.p1.n8.r1": RunState(status="done", seconds=20.0)}
    states["app-plain.p1.n8.r1"] = RunState(status="done", seconds=0.5)
    costs = expected_costs(campaign, pilot, states, {})
    progress = CampaignProgress(campaign=campaign, design=pilot, states=states, costs=costs)
    assert progress.plain_share == 0.025
    design = with_round(pilot, campaign, CampaignRound(purpose="series"), large, plain_share=0.025)
    assert {run.name: run.cost for run in design.runs if run.round == 2} == {
        "app.p2.n8.r1": 40.0,
        "app-plain.p2.n8.r1": 1.0,
    }
    states |= {run.name: PLANNED for run in design.runs if run.round == 2}
    progress = replace(progress, design=design, costs=expected_costs(campaign, design, states, {}))
    assert progress.remaining == (41.0, 0)
    states["app-plain.p2.n8.r1"] = RunState(status="done", seconds=1.0)
    assert expected_costs(campaign, design, states, {})[2.0, 8.0] == 40.0
    waiting = [run for run in design.runs if run.name == "app.p2.n8.r1"]
    assert affordable(progress, waiting) == []
    assert affordable(replace(progress, campaign=replace(campaign, budget=63.0)), waiting) == waiting


def times_of(described, times, before=()):
    """What is outlying among runs at p = 1, 2, ... with these seconds; the names only."""
    campaign = described()
    wanted = [Wanted({"p": float(p), "n": 8.0}, len(some)) for p, some in enumerate(times, start=1)]
    design = with_round(CampaignDesign(1), campaign, CampaignRound(purpose="series"), wanted)
    design = replace(design, outlying=tuple(before))
    seconds = {f"app.p{p}.n8.r{r}": one for p, some in enumerate(times, 1) for r, one in enumerate(some, 1)}
    states = {
        name: RunState(status="done" if one else "failed", seconds=one) for name, one in seconds.items()
    }
    aside, unclear = outlying(CampaignProgress(campaign=campaign, design=design, states=states, costs={}))
    return [run.name for run in aside], [run.name for run in unclear]


EVEN = [[1.0, 1.01, 0.99], [2.0, 2.02, 1.98], [4.0, 4.03, 3.97]]


def test_even_runs_are_kept(described):
    assert times_of(described, EVEN) == ([], [])
    assert times_of(described, [[1.0], [2.0]]) == ([], [])


@pytest.mark.parametrize("factor", [1.5, 0.6])
def test_one_slow_or_fast_run_is_outlying(described, factor):
    times = [EVEN[0], [2.0, 2.02 * factor, 1.98], EVEN[2]]
    assert times_of(described, times) == (["app.p2.n8.r2"], [])


def test_a_scale_loses_one_run_at_most(described):
    times = [EVEN[0], [2.0, 3.0, 1.98, 2.01], EVEN[2]]
    assert times_of(described, times, before=["app.p2.n8.r4"]) == ([], [])


def test_of_two_runs_nobody_can_tell(described):
    aside, unclear = times_of(described, [EVEN[0], [2.0, 3.0], EVEN[2]])
    assert aside == []
    assert unclear in (["app.p2.n8.r1"], ["app.p2.n8.r2"])


def test_what_the_others_scatter_too_is_no_reason(described):
    assert times_of(described, [[1.0, 1.3, 0.8], [2.0, 2.9, 1.7], [4.0, 5.0, 3.0]]) == ([], [])


def test_runs_that_failed_do_not_count(described):
    assert times_of(described, [EVEN[0], [2.0, 2.02, None], EVEN[2]]) == ([], [])


def test_few_of_many_normal_runs_are_set_aside(described):
    random = np.random.default_rng(1)
    count = 0
    for _ in range(200):
        times = (np.exp(0.04 * random.standard_normal((5, 5)))).tolist()
        count += len(times_of(described, times)[0])
    assert count <= 10  # of 5000 runs; 5 here


def test_runs_before_a_filter_tell_what_those_with_it_cost(campaign):
    wanted = [Wanted({"p": p}, 1) for p in (1.0, 4.0)]
    pilot = with_round(CampaignDesign(1), campaign, CampaignRound(purpose="pilot"), wanted, unfiltered=True)
    states = {run.name: RunState(status="done", seconds=10.0) for run in pilot.runs}
    costs = expected_costs(campaign, pilot, states, {})
    assert set(costs) == {(1.0,), (4.0,)}
    added = CampaignRound(purpose="filter", relative_cost=0.1)
    design = with_round(pilot, campaign, added, [Wanted({"p": 1.0}, 1)])
    states["app.p1.r1"] = PLANNED
    expected = expected_costs(campaign, design, states, {})
    assert expected == {values: pytest.approx(0.1 * cost) for values, cost in costs.items()}
    states["app.p1.r1"] = RunState(status="done", seconds=2.0)  # a fifth, not the tenth that was predicted
    assert expected_costs(campaign, design, states, {})[4.0,] == pytest.approx(0.2 * costs[4.0,])
