"""The question of a campaign: what the runs so far answer, and which runs narrow the answer most."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from filters.correction import correction_sentence
from ingest.arrays import FloatArray, IntArray
from ingest.errors import InputError, UsageError
from pipeline.campaign.campaign_design import (
    Answer,
    CampaignDesign,
    CampaignRound,
    Purpose,
    Wanted,
    with_round,
)
from pipeline.campaign.description import Campaign, CampaignQuestion, Point, resources
from pipeline.campaign.run_costs import CampaignProgress, values_of
from pipeline.config.options import Options, load_options
from pipeline.questions.analysis import Analysis
from pipeline.questions.planning import foresight, rounds
from pipeline.questions.planning.lifted_limit import LiftedLimit, limit_to_lift
from pipeline.stages.advise import TIMES, run_costs
from pipeline.stages.plain_runs import measured_runs, plain_times
from pipeline.stages.run import run as run_all_stages
from pipeline.store.lock import Notify
from pipeline.store.results import read_analysis
from pipeline.wording.quantities import point_text

LEAST_INSIDE = 0.1  # of the time inside a program that its command takes, whatever else is estimated


def next_for_question(
    progress: CampaignProgress, question: CampaignQuestion, again: Sequence[Wanted], notify: Notify
) -> CampaignDesign:
    """Return the design of a campaign whose runs have ended: the answer so far, the next round or the end.

    `again` are runs that the next round has to repeat.

    Raises:
        UsageError: the question cannot be answered, or results cannot be written.
        InputError: what was measured cannot be read or modelled.
    """
    campaign, design = progress.campaign, replace(progress.design, ending="", way_on=None)
    options = replace(load_options(None, campaign.profiles), at=(question.at,), out=campaign.results)
    options = _with_evidence(options, progress, notify)
    analysis = _analysed(campaign, options, notify)
    at = np.array([question.at[name] for name in analysis.experiment.parameters])
    asked = foresight.Question(at=at, quantity=question.quantity, width=question.width)
    *earlier, last = design.rounds
    design = replace(design, rounds=(*earlier, replace(last, answer=_answer(analysis, asked))))
    budget = float("inf") if campaign.budget is None else campaign.budget - progress.spent
    points = _candidates(progress, notify)
    known = _known_so_far(progress, analysis, points, budget)
    models = None if analysis.is_profile else analysis
    found = rounds.next_round(known, asked, models, options.models)
    if budget <= 0 and found.purpose is not None:
        found = rounds.Round(repetitions=np.zeros_like(found.repetitions), end=rounds.End.BUDGET)
    if found.purpose is not None:
        purpose: Purpose = "extra" if found.purpose is rounds.Purpose.EXTRA else "series"
        added = CampaignRound(purpose=purpose, width=_finite(found.expected))
        return with_round(design, campaign, added, _wanted(points, found, known.cost, again))
    if again and found.end is not rounds.End.BUDGET:
        return with_round(design, campaign, CampaignRound(purpose="again"), again)
    if analysis.experiment.correction is not None:
        notify(correction_sentence(analysis.experiment.correction))
    way_on = None
    if found.end in (rounds.End.BUDGET, rounds.End.NOTHING_HELPS):
        way_on = LiftedLimit(limit="budget")
        if models is not None:
            way_on = limit_to_lift(known, asked, models, _Costs(progress, models), options.models)
    return replace(design, ending=found.end.value if found.end else "", way_on=way_on)


def _with_evidence(options: Options, progress: CampaignProgress, notify: Notify) -> Options:
    """Return options with what the campaign itself knows of plain times, unless the user gives something.

    These are plain runs, and before a filter at run time the pilot, which tells how many visits it rejects.
    """
    campaign, given = progress.campaign, options.filter
    baseline = given.baseline_time or plain_times(progress, notify)
    calibrate = given.calibrate
    if campaign.measurement.pilot_filter and not campaign.measurement.rebuild and calibrate is None:
        before, under = (measured_runs(progress, unfiltered=one) for one in (True, False))
        common = any(run.point == other.point for run in before for other in under)
        calibrate = campaign.pilot_profiles if common else None
    return replace(options, filter=replace(given, baseline_time=baseline, calibrate=calibrate))


def _known_so_far(
    progress: CampaignProgress, analysis: Analysis, points: Sequence[Point], budget: float
) -> rounds.Progress:
    """Return what may be measured, was measured and may be spent, in the order of the study's parameters."""
    table = np.array([[point[name] for name in analysis.experiment.parameters] for point in points])
    return rounds.Progress(
        points=table,
        done=np.array([_count_done(progress, point) for point in points]),
        cost=_Costs(progress, analysis)(table),
        repetitions=progress.campaign.repetitions,
        budget=budget,
    )


def _analysed(campaign: Campaign, options: Options, notify: Notify) -> Analysis:
    """Model what was measured so far, with results as `pipeline run` writes them."""
    result = run_all_stages(campaign.profiles, options)
    for entry in result.damaged:
        notify(f"skipped {entry['path']}: {entry['reason']}")
    analysis = read_analysis(campaign.results)
    kernels, names = analysis.callpaths.kernels, analysis.experiment.parameters
    if kernels.metric not in TIMES:
        hint = "measure time, or ask no question"
        raise InputError(
            f"its values are {kernels.metric}, not time", where=str(campaign.profiles), hint=hint
        )
    if unknown := [name for name in names if name not in campaign.scales]:
        what = f"its runs have a parameter {unknown[0]}, which the campaign has not"
        raise InputError(what, where=str(campaign.profiles), hint="move runs of other campaigns away")
    return analysis


def _candidates(progress: CampaignProgress, notify: Notify) -> list[Point]:
    """Return the points that may be measured: all but those at which no run ever ended well."""
    states = progress.states
    bad = []
    for point in progress.campaign.points:
        there = [states[run.name].status for run in progress.design.runs if run.point == point]
        if "failed" in there and "done" not in there:
            bad.append(point)
            notify(f"{point_text(point)} is left out: all runs failed there")
    return [point for point in progress.campaign.points if point not in bad]


def _count_done(progress: CampaignProgress, point: Point) -> int:
    design = progress.design
    return sum(
        run.point == point
        and progress.states[run.name].status == "done"
        and run.in_series
        and run.name not in design.outlying
        for run in design.runs
    )


@dataclass(frozen=True)
class _Costs:
    """Core-seconds of a run at points float64[Q, D], float64[Q]: measured, else predicted; NaN if unknown.

    What models predict is time inside the program. What commands take beside it is a constant time, as of
    start-up, or a share, whichever the measured scales agree about better.
    """

    progress: CampaignProgress
    analysis: Analysis

    def __call__(self, points: FloatArray) -> FloatArray:
        measured = self._measured(points)
        if self.analysis.is_profile:
            return measured
        costs: FloatArray = np.where(np.isfinite(measured), measured, self._predicted(points))
        return costs

    def _predicted(self, points: FloatArray) -> FloatArray:
        known = self.analysis.experiment.points
        took, inside = self._measured(known), run_costs(self.analysis, known)
        usable = np.isfinite(took) & (took > 0) & (inside > 0)
        ahead = np.maximum(run_costs(self.analysis, points), 0.0)
        if not usable.any():
            return ahead
        took, inside, cores = took[usable], inside[usable], self._cores(known)[usable]
        share, beside = float(np.median(took / inside)), float(np.median((took - inside) / cores))
        scaled, shifted = inside * share, np.maximum(inside + beside * cores, inside * LEAST_INSIDE)
        if np.abs(np.log(took / shifted)).max() < np.abs(np.log(took / scaled)).max():
            return np.maximum(ahead + beside * self._cores(points), 0.0)
        return ahead * share

    def _named(self, points: FloatArray) -> list[Point]:
        names = self.analysis.experiment.parameters
        rows = (dict(zip(names, row, strict=True)) for row in points.tolist())
        return [{name: row[name] for name in self.progress.campaign.scales} for row in rows]

    def _measured(self, points: FloatArray) -> FloatArray:
        return np.array([self.progress.costs.get(values_of(one), np.nan) for one in self._named(points)])

    def _cores(self, points: FloatArray) -> FloatArray:
        launcher = self.progress.campaign.launcher
        return np.array([float(resources(launcher, one).cores) for one in self._named(points)])


def _answer(analysis: Analysis, asked: foresight.Question) -> Answer | None:
    """Return the answer so far; None if there is no model or no interval yet."""
    if analysis.is_profile:
        return None
    estimate = foresight.answer(analysis, asked)
    value, lower, upper = (float(end[0]) for end in (estimate.value, estimate.lower, estimate.upper))
    if not np.isfinite(value):
        hint = "ask for another quantity, or set scaling in pipeline.toml of the profiles"
        raise UsageError(f"{asked.quantity} is unknown in this study", where="[question]", hint=hint)
    return Answer(value=value, lower=lower, upper=upper) if np.isfinite([lower, upper]).all() else None


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _wanted(
    points: Sequence[Point], found: rounds.Round, cost: FloatArray, again: Sequence[Wanted]
) -> list[Wanted]:
    """Return the further repetitions at all points; those to repeat come on top of those that are missing."""
    repetitions: IntArray = found.repetitions.copy()
    for one in again:
        place = points.index(one.point)
        repetitions[place] = max(repetitions[place], one.repetitions)
    return [
        Wanted(points[place], int(repetitions[place]), _finite(float(cost[place])))
        for place in np.flatnonzero(repetitions).tolist()
    ]
