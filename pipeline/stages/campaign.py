"""The campaign stage: what is planned, how far it is, and what it costs."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ingest.errors import UsageError
from pipeline.campaign import read_description
from pipeline.campaign.campaign_design import (
    CampaignDesign,
    CampaignRound,
    PlannedRun,
    Wanted,
    extended,
    read_design,
    with_round,
)
from pipeline.campaign.description import Campaign
from pipeline.campaign.folders import RunFolder
from pipeline.campaign.read_description import read_campaign
from pipeline.campaign.run_costs import CampaignProgress, Values, expected_costs, values_of
from pipeline.campaign.run_state import STATUSES, Alive, RunState, output_notices, run_state
from pipeline.columns.campaigns import AskedQuantity, ShownCampaign, ShownRound, ShownRun
from pipeline.questions.analysis import named_targets
from pipeline.questions.planning import rounds
from pipeline.stages.advise import TIMES, run_costs
from pipeline.stages.campaign_output import judge_output, reset_runs
from pipeline.stages.job_queue import queue_notices, watch_runs
from pipeline.store.lock import Notify, only_writer
from pipeline.store.results import read_analysis


def template() -> str:
    """Return the commented `campaign.toml` with which a campaign begins; it is valid as it is."""
    shipped = Path(read_description.__file__).with_name(read_description.CAMPAIGN_FILE)
    return shipped.read_text(encoding="utf-8")


def read_progress(path: Path, results: Path | None = None) -> CampaignProgress:
    """Return what a campaign plans and how far it is; nothing is written.

    The models of stored results tell the cost of scales that were not measured yet.
    """
    campaign = read_campaign(path)
    stored = read_design(campaign.work)
    modelled = _modelled_costs(campaign, results) if results else _planned_costs(stored)
    alive = watch_runs(campaign)
    states = _states(campaign, stored.runs, alive) if stored else {}
    begun = [name for name, state in states.items() if state.status != "planned"]
    design = stored if stored and begun else _undrawn(campaign, stored)
    if not campaign.in_rounds:
        design = extended(design, campaign, begun)
    elif not design.rounds:
        design = _pilot(design, campaign, modelled)
    states |= _states(campaign, [run for run in design.runs if run.name not in states], alive)
    progress = CampaignProgress(campaign=campaign, design=design, states={}, costs=modelled)
    return _in_states(progress, {run.name: states[run.name] for run in design.runs}, alive)


def _planned_costs(design: CampaignDesign | None) -> dict[Values, float]:
    runs = design.runs if design else ()
    return {values_of(run.point): run.cost for run in runs if run.cost is not None}


def _pilot(design: CampaignDesign, campaign: Campaign, modelled: Mapping[Values, float]) -> CampaignDesign:
    """Return a design that begins with a pilot."""
    points = campaign.points
    table = np.array([values_of(point) for point in points])
    cost = np.array([modelled.get(values_of(point), np.nan) for point in points])
    nothing = np.zeros(len(points), dtype=np.int64)
    found = rounds.next_round(rounds.Progress(points=table, done=nothing, cost=cost))
    chosen = [points[place] for place in np.flatnonzero(found.repetitions)]
    wanted = [Wanted(point, 1, modelled.get(values_of(point))) for point in chosen]
    unfiltered = campaign.measurement.pilot_filter
    return with_round(design, campaign, CampaignRound(purpose="pilot"), wanted, unfiltered=unfiltered)


def _undrawn(campaign: Campaign, stored: CampaignDesign | None) -> CampaignDesign:
    """Return a design without runs, whose seed is the user's, or one drawn before."""
    if campaign.seed is not None:
        return CampaignDesign(campaign.seed)
    return CampaignDesign(stored.seed if stored else secrets.randbelow(1 << 32))


def reset_campaign(path: Path, names: Sequence[str], notify: Notify) -> CampaignProgress:
    """Put runs away by their names, so that they are made anew; return the campaign afterwards."""
    with only_writer(read_campaign(path).work, notify):
        reset_runs(read_progress(path), names, notify)
    return read_progress(path)


def with_states(progress: CampaignProgress, alive: Alive) -> CampaignProgress:
    """Return a campaign with the present states of its runs, and the costs that follow from them."""
    return _in_states(progress, _states(progress.campaign, progress.design.runs, alive), alive)


def _in_states(progress: CampaignProgress, states: Mapping[str, RunState], alive: Alive) -> CampaignProgress:
    costs = expected_costs(progress.campaign, progress.design, states, progress.costs)
    notices = (*queue_notices(alive, states), *output_notices(states))
    return replace(progress, states=states, costs=costs, notices=notices)


def _states(campaign: Campaign, runs: Iterable[PlannedRun], alive: Alive) -> dict[str, RunState]:
    runs = list(runs)
    for run in runs:
        judge_output(campaign, run)
    return {run.name: run_state(RunFolder(campaign.work / run.name), alive) for run in runs}


def _modelled_costs(campaign: Campaign, results: Path) -> dict[Values, float]:
    """Return the predicted core-seconds of a run by the values of its point."""
    analysis = read_analysis(results)
    experiment = analysis.experiment
    names, left_out = experiment.parameters, experiment.left_out
    if {*names, *left_out.values} != set(campaign.scales):
        what = f"has models of {', '.join(names)}, the campaign has {', '.join(campaign.scales)}"
        raise UsageError(what, where=str(results), hint="give results with the same parameters")
    if analysis.callpaths.kernels.metric not in TIMES:
        hint = analysis.how_to_model_time
        raise UsageError("its models are not of time", where=str(results), hint=hint)
    points = campaign.points
    table = named_targets(names, experiment.points, points, str(results), left_out)
    costs = run_costs(analysis, table).tolist()
    return {values_of(point): cost for point, cost in zip(points, costs, strict=True)}


def shown_campaign(progress: CampaignProgress) -> ShownCampaign:
    """Return what is said of a campaign."""
    campaign, asked = progress.campaign, progress.campaign.question
    known, unknown = progress.remaining
    return ShownCampaign(
        name=campaign.application.name,
        seed=progress.design.seed,
        question=AskedQuantity(at=asked.at, quantity=asked.quantity, width=asked.width) if asked else None,
        rounds=tuple(_round(progress, number) for number in range(1, len(progress.design.rounds) + 1)),
        ending=progress.design.ending,
        way_on=progress.design.way_on,
        request=progress.request,
        counts={status: progress.count(status) for status in STATUSES},
        spent_core_seconds=progress.spent,
        remaining_core_seconds=known,
        runs_without_known_cost=unknown,
        budget_core_seconds=campaign.budget,
        notices=progress.notices,
        runs=tuple(_run(progress, run) for run in progress.design.runs),
    )


def _round(progress: CampaignProgress, number: int) -> ShownRound:
    """Return a round with what it was to cost and to reach, and what it did."""

    def done(run: PlannedRun) -> bool:
        return progress.states[run.name].status == "done"

    one = progress.design.rounds[number - 1]
    runs = [run for run in progress.design.runs if run.round == number]
    ahead = {run.name: progress.costs.get(values_of(run.point)) for run in runs if not done(run)}
    costs = [ahead.get(run.name) if run.cost is None else run.cost for run in runs]
    return ShownRound(
        purpose=one.purpose,
        runs=len(runs),
        done=sum(map(done, runs)),
        expected_core_seconds=None if None in costs else sum(filter(None, costs)) + one.build,
        spent_core_seconds=one.build + progress.spent_on(runs),
        expected_width=one.width,
        width=one.answer.width if one.answer else None,
        answer=one.answer,
    )


def _run(progress: CampaignProgress, run: PlannedRun) -> ShownRun:
    state = progress.states[run.name]
    return ShownRun(
        name=run.name,
        round=run.round,
        repetition=run.repetition,
        point=run.point,
        status=state.status,
        seconds=state.seconds,
        measured_seconds=state.measured,
        expected_core_seconds=progress.costs.get(values_of(run.point)),
        reason=state.reason,
        job=state.job,
        log=state.log,
    )
