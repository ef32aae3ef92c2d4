"""How far a campaign is, what its runs cost, what a budget allows, and which runs took unlike the others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from pipeline.campaign.campaign_design import CampaignDesign, PlannedRun
from pipeline.campaign.description import Campaign, Point, resources
from pipeline.campaign.run_state import RunState
from pipeline.columns.campaigns import RunStatus
from pipeline.statistics import OF_MEDIAN_DEVIATION

Values: TypeAlias = tuple[float, ...]
States: TypeAlias = Mapping[str, RunState]
"""The states of runs by name."""
_FEWEST = 3
"""Runs at a scale from which one of them can be called outlying."""
_DEVIATIONS = 6.0  # robust standard deviations from the median of the scale
_LEAST = 0.1  # relative deviation that counts at all


def values_of(point: Point) -> Values:
    """Return the values of a point, in the order of its parameters."""
    return tuple(point.values())


def _spent(campaign: Campaign, run: PlannedRun, state: RunState) -> float:
    """Return what a run has cost so far with its earlier attempts, as far as their seconds are known."""
    seconds = (state.seconds or 0.0) + state.earlier_seconds
    return seconds * resources(campaign.launcher, run.point).cores


@dataclass(frozen=True, kw_only=True)
class CampaignProgress:
    """A campaign as it stands."""

    campaign: Campaign
    design: CampaignDesign
    states: Mapping[str, RunState]
    # expected core-seconds of a run by the values of its point; points without a known cost miss
    costs: Mapping[Values, float]
    request: str = ""  # what the user has to do before the campaign goes on; empty if there is nothing
    notices: tuple[str, ...] = ()  # sentences about its jobs in the queue

    def count(self, status: RunStatus) -> int:
        """Return how many runs are in a state."""
        return sum(state.status == status for state in self.states.values())

    @property
    def under_way(self) -> int:
        """How many runs are queued or running."""
        return sum(state.under_way for state in self.states.values())

    @property
    def spent(self) -> float:
        """Core-seconds of all runs that have ended, and of building the program for them."""
        return self.spent_on(self.design.runs) + sum(one.build for one in self.design.rounds)

    def spent_on(self, runs: Iterable[PlannedRun]) -> float:
        """Return the core-seconds of some of the runs."""
        return sum(_spent(self.campaign, run, self.states[run.name]) for run in runs)

    @cached_property
    def plain_share(self) -> float:
        """What a run without instrumentation costs of one with it: measured, at most as much without any."""
        done = [run for run in self.design.runs if run.plain and self.states[run.name].status == "done"]
        costs = [(self.spent_on([run]), self.costs.get(values_of(run.point), 0.0)) for run in done]
        shares = [plain / instrumented for plain, instrumented in costs if instrumented > 0]
        return min(float(np.median(shares)), 1.0) if shares else 1.0

    def cost_of(self, run: PlannedRun) -> float | None:
        """Return the expected core-seconds of a run; None if that is unknown."""
        cost = self.costs.get(values_of(run.point))
        return cost if cost is None or not run.plain else self.plain_share * cost

    @property
    def remaining(self) -> tuple[float, int]:
        """Expected core-seconds of the runs that are not done, and how many of them have no known cost."""
        ahead = [self.cost_of(run) for run in self.design.runs if self.states[run.name].status != "done"]
        known = [cost for cost in ahead if cost is not None]
        return sum(known), len(ahead) - len(known)


def planned_costs(design: CampaignDesign | None) -> dict[Values, float]:
    """Return what runs with instrumentation were planned to cost, by the values of their points."""
    runs = [run for run in design.runs if not run.plain] if design else []
    return {values_of(run.point): run.cost for run in runs if run.cost is not None}


def expected_costs(
    campaign: Campaign, design: CampaignDesign, states: States, modelled: Mapping[Values, float]
) -> dict[Values, float]:
    """Return what a run is expected to cost by the values of its point; nothing for points that are unknown.

    The mean of the runs that are done counts, of those of the series if there are any; of those before the
    filter what they would cost with it. Without any, what models predict.
    """
    planned = planned_costs(design)
    pilot, series = (
        _mean_costs(campaign, states, runs)
        for runs in (
            [run for run in design.runs if run.unfiltered],
            [run for run in design.runs if run.in_series],
        )
    )
    both = [series[values] / cost for values, cost in pilot.items() if values in series and cost > 0]
    predicted = next((one.relative_cost for one in design.rounds if one.purpose == "filter"), 1.0)
    factor = float(np.median(both)) if both else predicted
    return {**planned, **modelled, **{values: factor * cost for values, cost in pilot.items()}, **series}


def _mean_costs(campaign: Campaign, states: States, runs: Iterable[PlannedRun]) -> dict[Values, float]:
    """Return the mean core-seconds of the runs that are done, by the values of their points."""
    costs: dict[Values, list[float]] = {}
    for run in runs:
        if states[run.name].status == "done":
            cost = _spent(campaign, run, replace(states[run.name], earlier_seconds=0.0))
            costs.setdefault(values_of(run.point), []).append(cost)
    return {values: sum(several) / len(several) for values, several in costs.items()}


def affordable(progress: CampaignProgress, waiting: Sequence[PlannedRun]) -> list[PlannedRun]:
    """Return the waiting runs that the budget allows, in their order; without a budget all of them.

    Where nothing was measured yet, costs are unknown or predicted: of the runs at such scales one is under
    way at a time, and the next one waits until its cost is known. So the budget is exceeded at most
    by what one run costs more than it was expected to.
    """
    budget, costs = progress.campaign.budget, progress.costs
    if budget is None:
        return list(waiting)
    states, runs = progress.states, progress.design.runs
    made = [run for run in runs if states[run.name].status == "done" and not run.plain]
    measured = {values_of(run.point) for run in made}
    ahead = [run for run in runs if states[run.name].under_way]
    total = progress.spent + sum(progress.cost_of(run) or 0.0 for run in ahead)
    telling = not measured.issuperset(values_of(run.point) for run in ahead)
    allowed = []
    for run in waiting:
        values = values_of(run.point)
        if values not in measured and telling:
            continue
        total += progress.cost_of(run) or 0.0
        if total >= budget if values not in costs else total > budget:
            break
        allowed.append(run)
        telling = telling or values not in measured
    return allowed


def outlying(progress: CampaignProgress) -> tuple[list[PlannedRun], list[PlannedRun]]:
    """Return runs to be set aside and made again, and runs next to which another one is needed to decide.

    A run is outlying if the logarithm of its time is six robust standard deviations from the median of its
    scale and at least 10 % (Hampel, "The influence curve and its role in robust estimation", 1974); the
    deviation is that of all scales together. Of two runs it is undecided which one is outlying, so a third is
    needed. At most one run of a scale is ever set aside: taking them away in sequence would make any
    noise look small.
    """
    scales: dict[Values, list[PlannedRun]] = {}
    spoilt = set()
    design, states = progress.design, progress.states
    for run in (run for run in design.runs if run.in_series):
        if run.name in design.outlying:
            spoilt.add(values_of(run.point))
        elif states[run.name].status == "done" and states[run.name].seconds:
            scales.setdefault(values_of(run.point), []).append(run)
    deviations = {values: _deviations(same, states) for values, same in scales.items() if len(same) > 1}
    limit = max(_DEVIATIONS * _spread(list(deviations.values())), np.log1p(_LEAST))
    aside: list[PlannedRun] = []
    unclear: list[PlannedRun] = []
    for values, deviation in deviations.items():
        worst = int(np.abs(deviation).argmax())
        if values in spoilt or abs(deviation[worst]) <= limit:
            continue
        enough = len(deviation) >= _FEWEST
        (aside if enough else unclear).append(scales[values][worst])
    return aside, unclear


def _deviations(runs: list[PlannedRun], states: States) -> FloatArray:
    logs = np.log([states[run.name].seconds or np.nan for run in runs])
    return np.asarray(logs - np.median(logs))


def _spread(deviations: list[FloatArray]) -> float:
    """Return the robust standard deviation of a run, with the degrees of freedom that medians took."""
    if not deviations:
        return 0.0
    every = np.concatenate(deviations)
    lost = len(every) / max(len(every) - len(deviations), 1)
    return float(OF_MEDIAN_DEVIATION * np.median(np.abs(every)) * np.sqrt(lost))
