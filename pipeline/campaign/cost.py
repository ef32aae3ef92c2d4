"""What runs cost, in core-seconds, and which of them a budget allows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from pipeline.campaign.campaign_design import CampaignDesign, PlannedRun
from pipeline.campaign.description import Campaign, Point, resources
from pipeline.campaign.state import RunState

Values: TypeAlias = tuple[float, ...]
States: TypeAlias = Mapping[str, RunState]
"""The states of runs by name."""


def values_of(point: Point) -> Values:
    """Return the values of a point, in the order of its parameters."""
    return tuple(point.values())


def spent(campaign: Campaign, run: PlannedRun, state: RunState) -> float:
    """Return what a run has cost so far with its earlier attempts, as far as their seconds are known."""
    seconds = (state.seconds or 0.0) + state.earlier_seconds
    return seconds * resources(campaign.launcher, run.point).cores


def expected_costs(
    campaign: Campaign, runs: Iterable[PlannedRun], states: States, modelled: Mapping[Values, float]
) -> dict[Values, float]:
    """Return what a run is expected to cost by the values of its point; nothing for points that are unknown.

    The mean of the runs that are done counts, of those with a filter if there are any; without any, what
    models predict.

    Args:
        campaign: the description.
        runs: all planned runs.
        states: theirs.
        modelled: predicted costs, if there are models.
    """
    planned = {values_of(run.point): run.cost for run in runs if run.cost is not None}
    pilot: dict[Values, list[float]] = {}
    series: dict[Values, list[float]] = {}
    for run in runs:
        if states[run.name].status == "done":
            cost = spent(campaign, run, replace(states[run.name], earlier_seconds=0.0))
            (pilot if run.unfiltered else series).setdefault(values_of(run.point), []).append(cost)
    means = {values: sum(costs) / len(costs) for values, costs in (pilot | series).items()}
    return {**planned, **modelled, **means}


def affordable(
    campaign: Campaign,
    design: CampaignDesign,
    waiting: Sequence[PlannedRun],
    states: States,
    costs: Mapping[Values, float],
) -> list[PlannedRun]:
    """Return the waiting runs that the budget allows, in their order.

    The first run at a scale without a known cost tells it: until then the scale gets no other.

    Args:
        campaign: the description; without a budget it allows all.
        design: all planned runs, and what was built for them.
        waiting: those to make.
        states: of all.
        costs: expected costs by values of the point.
    """
    if campaign.budget is None:
        return list(waiting)
    total = sum(one.build for one in design.rounds)
    unknown = set()
    for run in design.runs:
        state, values = states[run.name], values_of(run.point)
        under_way = state.status in ("submitted", "running")
        total += spent(campaign, run, state) + (costs.get(values, 0.0) if under_way else 0.0)
        if under_way and values not in costs:
            unknown.add(values)
    allowed = []
    for run in waiting:
        values = values_of(run.point)
        total += costs.get(values, 0.0)
        if total >= campaign.budget if values not in costs else total > campaign.budget:
            break
        if values in costs or values not in unknown:
            allowed.append(run)
        if values not in costs:
            unknown.add(values)
    return allowed
