"""The rounds of a campaign: make runs, read them, decide on the next round, until it ends.

A round may make a filter from the pilot, build the program anew, and verify what the filter does.
"""

import resource
import shlex
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from filters.correction import correction_sentence
from filters.evidence import evidence_from_profile
from filters.filter_options import Application
from filters.known_plain import LONGER
from filters.make_filter import FilterResult
from ingest.arrays import FloatArray, IntArray
from ingest.errors import InputError, UsageError, one_line
from ingest.number_text import percent
from pipeline.campaign.campaign_design import (
    CampaignDesign,
    CampaignRound,
    PlannedRun,
    Purpose,
    Wanted,
    extended,
    with_round,
    write_design,
)
from pipeline.campaign.description import (
    BY_HAND,
    FILTER_KEY,
    FOLDER,
    Campaign,
    CampaignQuestion,
    Point,
    fill,
    point_values,
    read_campaign,
    resources,
)
from pipeline.campaign.run_costs import CampaignProgress, expected_costs, outlying, values_of
from pipeline.campaign.run_script import profiles_of
from pipeline.campaign.run_state import RunState, last_lines, output_notices
from pipeline.columns.campaigns import CampaignAnswer
from pipeline.config.options import Options, load_options
from pipeline.questions.analysis import Analysis
from pipeline.questions.planning import plan, rounds
from pipeline.questions.planning.next_measurement import PLAIN_RUNS, TIMES, plain_runs, run_costs
from pipeline.questions.planning.rounds import LiftedLimit, limit_to_lift
from pipeline.report.terminal.filter import effect_sentence
from pipeline.stages.campaign import read_progress
from pipeline.stages.campaign_submission import (
    allowed_runs,
    make_folder,
    no_retry,
    notify_of_end,
    submit_campaign,
)
from pipeline.stages.filter import filter_of_path, runs_at, store_filter, verify_filter
from pipeline.stages.overhead import SECONDS_COLUMN, STARTUP
from pipeline.stages.run import run as run_all_stages
from pipeline.store.atomic import write_text
from pipeline.store.lock import Notify, only_writer
from pipeline.store.results import read_analysis
from pipeline.wording.quantities import counted, point_text, quantity


def _plain_times(progress: CampaignProgress, notify: Notify, *, unfiltered: bool = False) -> Path | None:
    """Write the table of plain run times that ``--baseline-time`` takes; None if there are none yet.

    Commands take longer than what they measure: what an instrumented run of the same scale took beside its
    profile, or that of any scale, may be start-up of the plain one, too. `unfiltered`: whether the table is
    for the runs before the filter, or for those of the series.
    """
    campaign, rows = progress.campaign, [",".join((*progress.campaign.scales, SECONDS_COLUMN, STARTUP))]
    for plain in (run for run in progress.design.runs if run.plain):
        measured = _measured_runs(progress, unfiltered=unfiltered)
        alike = [run for run in measured if run.point == plain.point]
        seconds = progress.states[plain.name].seconds
        if not measured or seconds is None or progress.states[plain.name].status != "done":
            continue
        beside, wall = min(_beside(progress, run) for run in alike or measured)
        if alike and seconds - beside > LONGER * wall:
            took, only = (quantity(value, "s") for value in (seconds, wall))
            notify(f"{plain.name} took {took}, the instrumented run only {only}: it is left out")
            continue
        rows.append(
            ",".join((*point_values(plain.point).values(), repr(seconds), repr(min(beside, seconds))))
        )
    if len(rows) == 1:
        return None
    write_text(campaign.plain_times, "\n".join((*rows, "")))
    return campaign.plain_times


def _measured_runs(progress: CampaignProgress, *, unfiltered: bool) -> list[PlannedRun]:
    """Return the runs before the filter, or those of the series, that are done and not set aside."""
    return [
        run
        for run in progress.design.runs
        if run.unfiltered == unfiltered
        and not run.plain
        and progress.states[run.name].status == "done"
        and run.name not in progress.design.outlying
    ]


def _beside(progress: CampaignProgress, run: PlannedRun) -> tuple[float, float]:
    """Return the seconds of a run's command that its profile does not have, and those that it has."""
    (found,) = runs_at(profiles_of(progress.campaign, run) / run.name)
    wall = evidence_from_profile(found.reader.read(found.path)).wall
    return max((progress.states[run.name].seconds or 0.0) - wall, 0.0), wall


_LEAST_INSIDE = 0.1  # of the time inside a program that its command takes, whatever else is estimated
_ATTEMPTS = 2
"""How often a run that fails is made in one loop."""

_OF_TOTALS = ("time", "core-hours")  # what the error that all corrected times share does not cancel in

_LEAST_RELATIVE_COST = 0.01
"""Of a run before the filter, that one with it costs; what is beside the program stays."""

_LOST = 5
"""How often a run may be stopped or lost with its machine in one loop."""


def loop_campaign(path: Path, notify: Notify, *, interval: float, rebuilt: bool = False) -> CampaignProgress:
    """Make the runs of a campaign round by round until its question is answered or it ends otherwise.

    It may be stopped and called again at any time: everything that it knows is in files. The interval is
    that between two looks at runs that a scheduler makes, in seconds; other arguments, results and errors are
    those of `submit_campaign` and `next_round`.
    """
    attempts: Counter[str] = Counter()
    while True:
        progress = _made(path, notify, attempts, interval)
        if request := _blocked(progress, attempts):
            return replace(progress, request=request)
        before = len(progress.design.rounds)
        progress = next_round(path, notify, rebuilt=rebuilt)
        if progress.request or progress.design.ending or len(progress.design.rounds) == before:
            return progress
        last = progress.design.rounds[-1]
        runs = [run for run in progress.design.runs if run.round == len(progress.design.rounds)]
        notify(f"round {before + 1} ({last.purpose}): {counted(len(runs), 'run')}")


def _made(path: Path, notify: Notify, attempts: Counter[str], interval: float) -> CampaignProgress:
    """Make runs until none is left that may be started; those that fail get another attempt."""
    progress = read_progress(path)
    if any(state.collectable for state in progress.states.values()):
        submit_campaign(path, notify, no_retry)

    def retry(name: str) -> bool:
        written = progress.count("done") or not progress.states[name].collectable
        return attempts[name] < _ATTEMPTS and bool(written)

    while True:
        progress = read_progress(path)
        started = {run.name for run in allowed_runs(progress, retry)}
        if (not started and not progress.under_way) or _blocked(progress, attempts):
            return progress
        progress = submit_campaign(path, notify, retry)
        while progress.under_way:
            time.sleep(interval)
            progress = _watched(read_progress(path), progress, notify)
        attempts.update(name for name in started if progress.states[name].status == "failed")


def _watched(now: CampaignProgress, before: CampaignProgress, notify: Notify) -> CampaignProgress:
    """Say which runs have ended between two looks."""
    for run in now.design.runs:
        state = now.states[run.name]
        if state.status != before.states[run.name].status and state.status in ("done", "failed"):
            notify_of_end(now, run, notify)
    return now


def _blocked(progress: CampaignProgress, attempts: Counter[str]) -> str:
    """Return why further runs cannot help before the user does something; empty if they can."""
    states = progress.states
    lost = [name for name, count in attempts.items() if count >= _LOST and states[name].interrupted]
    if _gave_nothing(progress) and (notices := output_notices(states)):
        return notices[0]
    if lost:
        return f"{lost[0]} was stopped {_LOST} times: find out why, then call `pipeline campaign loop` again"
    if attempts and _gave_nothing(progress):
        return "no run of the round ended well: correct what failed, then call `pipeline campaign loop` again"
    return ""


def _gave_nothing(progress: CampaignProgress) -> bool:
    """Return whether all runs of the last round failed, and not only at scales that are too large."""
    states, runs = progress.states, progress.design.runs
    last = [run for run in runs if run.round == len(progress.design.rounds)]
    failed = [run for run in last if states[run.name].status == "failed" and not states[run.name].interrupted]
    good = {values_of(run.point) for run in runs if states[run.name].status == "done"}
    if not failed or any(states[run.name].status == "done" for run in last):
        return False
    return not good or any(values_of(run.point) in good for run in failed)


def next_round(path: Path, notify: Notify, *, rebuilt: bool = False) -> CampaignProgress:
    """Read what was measured, and plan the next round of a campaign or end it; return it as it is then.

    Its design says why it ends, or its request what the user has to do. `rebuilt` says that the program was
    built with the new filter.
    """
    with only_writer(read_campaign(path).work, notify):
        progress = read_progress(path)
        _require_ended(progress)
        runs = (run for run in progress.design.runs if progress.states[run.name].status != "planned")
        progress = replace(progress, design=replace(progress.design, runs=tuple(runs)))
        design, request = _decided(progress, notify, rebuilt=rebuilt)
        if len(design.runs) > len(progress.design.runs) and not _affords(replace(progress, design=design)):
            design = _unaffordable(progress, design)
        write_design(progress.campaign.work, design)
    return replace(read_progress(path), request=request)


def _require_ended(progress: CampaignProgress) -> None:
    """Refuse to decide while runs are missing that may still be made."""
    where = str(progress.campaign.path)
    if progress.under_way:
        what, hint = f"runs under way: {progress.under_way}", "see `pipeline campaign status`"
        raise UsageError(what, where=where, hint=hint)
    hint = "start them with `pipeline campaign submit`"
    if waiting := len(allowed_runs(progress, no_retry)):
        raise UsageError(f"runs not made yet: {waiting}", where=where, hint=hint)
    if not progress.count("done"):
        raise UsageError("no run is done", where=where, hint=hint)


def _affords(progress: CampaignProgress) -> bool:
    """Return whether the budget allows one of the planned runs at least."""
    states = {run.name: RunState(status="planned") for run in progress.design.runs} | dict(progress.states)
    costs = expected_costs(progress.campaign, progress.design, states, progress.costs)
    return bool(allowed_runs(replace(progress, states=states, costs=costs), no_retry))


def _unaffordable(progress: CampaignProgress, wanted: CampaignDesign) -> CampaignDesign:
    """Return the design without a round that the budget does not allow, and what it would gain."""
    runs = wanted.runs[len(progress.design.runs) :]
    costs, width = [run.cost for run in runs], wanted.rounds[-1].width
    way_on = None
    if None not in costs:
        cost = sum(filter(None, costs))
        way_on = LiftedLimit(limit="budget", runs=len(runs), cost=cost, width=width)
    return replace(progress.design, ending="budget", way_on=way_on)


def _decided(progress: CampaignProgress, notify: Notify, *, rebuilt: bool) -> tuple[CampaignDesign, str]:
    """Return the design with its next round or its end, and what the user has to do first."""
    campaign = progress.campaign
    made = any(one.purpose == "filter" for one in progress.design.rounds)
    if campaign.measurement.pilot_filter and not made:
        return _filter_round(progress, notify, rebuilt=rebuilt)
    if request := _unverified(progress, notify):
        return progress.design, request
    design, again = _without_outlying(progress, notify)
    if campaign.question is None:
        design = extended(design, campaign, [run.name for run in design.runs])
        if again and len(design.rounds) == len(progress.design.rounds):
            design = with_round(design, campaign, CampaignRound(purpose="again"), again)
        over = len(design.rounds) == len(progress.design.rounds)
        return replace(design, ending="measured" if over else ""), ""
    return _next_for_question(replace(progress, design=design), campaign.question, again, notify), ""


def _without_outlying(progress: CampaignProgress, notify: Notify) -> tuple[CampaignDesign, list[Wanted]]:
    """Set outlying runs aside; return which points need another run."""
    campaign, design = progress.campaign, progress.design
    aside, unclear = outlying(progress)
    for run in aside:
        source, target = campaign.profiles / run.name, campaign.outlying_profiles / run.name
        try:
            target.parent.mkdir(exist_ok=True)
            if source.exists():  # not if this was killed after it had moved it
                source.rename(target)
        except OSError as error:
            raise UsageError(f"cannot be set aside ({error.strerror})", where=run.name) from error
        notify(f"{run.name} is outlying: it is in {target.parent.name}/ now and made again")
    for run in unclear:
        notify(f"{run.name} differs much from the other run at its scale: one more is made")
    names = (*design.outlying, *(run.name for run in aside))
    again = [Wanted(run.point, 1, progress.costs.get(values_of(run.point))) for run in (*aside, *unclear)]
    return replace(design, outlying=names), again


def _filter_round(progress: CampaignProgress, notify: Notify, *, rebuilt: bool) -> tuple[CampaignDesign, str]:
    """Make the filter and, unless it is rebuilt, the program; plan a round that verifies it.

    Return the design and what the user has to do first, empty if nothing.
    """
    campaign, file = progress.campaign, progress.campaign.pilot_filter
    options = load_options(None, campaign.profiles)
    built = bool(campaign.measurement.rebuild)
    applied: Literal["run-time", "compile-time"] = "compile-time" if built else "run-time"
    asked = replace(
        options.filter,
        applied=applied,
        max_overhead=campaign.measurement.max_overhead,
        baseline_time=options.filter.baseline_time or _plain_times(progress, notify, unfiltered=True),
    )
    options = replace(options, filter=asked)
    result, skipped = filter_of_path(campaign.pilot_profiles, options)
    for entry in skipped:
        notify(f"skipped {entry['path']}: {entry['reason']}")
    make_folder(file.parent)
    store_filter(file, result)
    notify(f"{file.name} {effect_sentence(result)}; {_why_there(result, built=built)}")
    if campaign.measurement.rebuild == BY_HAND and not rebuilt:
        return progress.design, (
            f"build the program with the filter {file}, then call `pipeline campaign loop --rebuilt`"
        )
    build = 0.0
    if campaign.measurement.rebuild not in ("", BY_HAND):
        notify("building the program with the filter")
        build = _build(campaign, file)
    relative = _relative_cost(result)
    pilot = _measured_runs(progress, unfiltered=True)
    run = max(pilot, key=lambda run: progress.costs[values_of(run.point)])
    wanted = [Wanted(run.point, 1, relative * progress.costs[values_of(run.point)])]
    added = CampaignRound(purpose="filter", build=build, relative_cost=relative)
    return with_round(progress.design, campaign, added, wanted), ""


def _why_there(result: FilterResult, *, built: bool) -> str:
    """Say why a filter is applied where it is."""
    if built:
        return "that is where it is applied, since [measurement] has rebuild"
    prediction = result.prediction
    hooks = [prediction.overhead.at(one) for one in (Application.RUN_TIME, Application.COMPILE_TIME)]
    share = percent((hooks[0] - hooks[1]) / prediction.plain.total if prediction.plain.total > 0 else 0.0)
    return f"that is where it is applied, since [measurement] has no rebuild, which would save {share}"


def _relative_cost(result: FilterResult) -> float:
    """Predict what a run with a filter costs, relative to one without it."""
    prediction, time = result.prediction, float(result.decision.runs[-1].time.sum())
    saved = prediction.overhead.at(None) - prediction.overhead.at(result.application)
    return float(np.clip(1.0 - saved / time, _LEAST_RELATIVE_COST, 1.0)) if time > 0 else 1.0


def _build(campaign: Campaign, filter_file: Path) -> float:
    """Build the program with a filter; return the core-seconds that took."""
    folder = campaign.path.parent
    places = {FILTER_KEY: filter_file, FOLDER: folder}
    command = fill(campaign.measurement.rebuild, {key: shlex.quote(str(one)) for key, one in places.items()})
    before = _children_seconds()
    log = filter_file.with_name("rebuild.log")
    with log.open("wb") as output:
        ended = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
        )
    if ended.returncode:
        hint = f"correct rebuild in [measurement]; see {log}"
        last = one_line(" ".join(last_lines([log])[-1:]))
        raise UsageError(f"exit status {ended.returncode}: {last}", where=command, hint=hint)
    return _children_seconds() - before


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _unverified(progress: CampaignProgress, notify: Notify) -> str:
    """Return what the user has to do because the filter was not applied, or nothing."""
    campaign, rounds = progress.campaign, progress.design.rounds
    if not rounds or rounds[-1].purpose != "filter":
        return ""
    file = campaign.pilot_filter
    options = load_options(None, campaign.profiles)
    options = replace(options, filter=replace(options.filter, baseline_time=None, calibrate=None))
    found = verify_filter(campaign.pilot_profiles, campaign.profiles, options, file)
    last = found.points[-1]
    if found.agrees:
        notify(f"the filter works: visits differ by {percent(last.deviation)} from what it should leave")
        return ""
    if last.incomplete == last.full:
        return (
            f"{last.full} lost visits, so the filter cannot be verified: raise SCOREP_TOTAL_MEMORY in "
            "environment of [measurement], then call `pipeline campaign loop --accept-change`"
        )
    name = next(run.name for run in progress.design.runs if run.round == len(rounds) and not run.plain)
    by_hand = "" if campaign.measurement.rebuild else f'write rebuild = "{BY_HAND}" in [measurement], '
    return (
        f"the filter {file} does not work: visits differ by {percent(last.deviation)} from what it should "
        f"leave; {by_hand}build the program with it, see `pipeline filter --verify`, then call "
        f"`pipeline campaign reset {name}` and `pipeline campaign loop`"
    )


def _next_for_question(
    progress: CampaignProgress, question: CampaignQuestion, again: Sequence[Wanted], notify: Notify
) -> CampaignDesign:
    """Return the design of a campaign whose runs have ended: the answer so far, the next round or the end.

    `again` are runs that the next round has to repeat.
    """
    campaign, design = progress.campaign, replace(progress.design, ending="", way_on=None)
    options = replace(load_options(None, campaign.profiles), at=(question.at,), out=campaign.results)
    options = _with_evidence(options, progress, notify)
    analysis = _analysed(campaign, options, notify)
    at = np.array([question.at[name] for name in analysis.experiment.parameters])
    asked = plan.WantedFigure(at=at, quantity=question.quantity, width=question.width)
    *earlier, last = design.rounds
    design = replace(design, rounds=(*earlier, replace(last, answer=_answer(analysis, asked))))
    budget = float("inf") if campaign.budget is None else campaign.budget - progress.spent
    points = _candidates(progress, notify)
    known = _known_so_far(progress, analysis, points, budget, _made_rounds(design, question))
    models = None if analysis.is_profile else analysis
    found = rounds.next_round(known, asked, models, options.models)
    if budget <= 0 and found.purpose is not None:
        found = rounds.Round(repetitions=np.zeros_like(found.repetitions), end=rounds.End.BUDGET)
    plain: list[Wanted] = []
    open_yet = found.end is not rounds.End.ANSWERED and found.purpose is not rounds.Purpose.SERIES
    if models is not None and open_yet:
        plain = _plain_runs(design, models, asked, points, budget)
    if plain and campaign.measurement.plain:
        return with_round(
            design, campaign, CampaignRound(purpose="extra", question=question), [], plain=plain
        )
    if found.purpose is not None:
        purpose: Purpose = "extra" if found.purpose is rounds.Purpose.EXTRA else "series"
        added = CampaignRound(purpose=purpose, width=_finite(found.expected), question=question)
        wanted = _wanted_points(points, found, known.cost, again)
        return with_round(design, campaign, added, wanted, plain_share=progress.plain_share)
    if again and found.end is not rounds.End.BUDGET:
        return with_round(design, campaign, CampaignRound(purpose="again"), again)
    if analysis.experiment.correction is not None:
        notify(correction_sentence(analysis.experiment.correction))
    way_on = None
    if found.end in (rounds.End.BUDGET, rounds.End.NOTHING_HELPS):
        way_on = LiftedLimit(limit="budget")
        if plain:
            cost = sum(one.repetitions * (one.cost or 0.0) for one in plain)
            way_on = LiftedLimit(limit="plain", runs=sum(one.repetitions for one in plain), cost=cost)
        elif models is not None:
            way_on = limit_to_lift(known, asked, models, _Costs(progress, models), options.models)
    return replace(design, ending=found.end.value if found.end else "", way_on=way_on)


def _plain_runs(
    design: CampaignDesign,
    analysis: Analysis,
    asked: plan.WantedFigure,
    points: Sequence[Point],
    budget: float,
) -> list[Wanted]:
    """Return the runs without instrumentation that narrow the answer most; none of a ratio of two times.

    They tell what is uncertain however often instrumented runs are repeated, and cost less than these.
    """
    made = Counter(values_of(run.point) for run in design.runs if run.plain)
    left = [point for point in points if made[values_of(point)] < PLAIN_RUNS]
    if not left or asked.quantity not in _OF_TOTALS:
        return []
    table = np.array([[point[name] for name in analysis.experiment.parameters] for point in left])
    found = plain_runs(analysis, asked.at, budget, table)
    chosen = [point for point in left if found and all(found.at[name] == point[name] for name in found.at)]
    return [
        Wanted(point, PLAIN_RUNS - made[values_of(point)], found.cost / found.repetitions)
        for point in chosen
        if found
    ]


def _with_evidence(options: Options, progress: CampaignProgress, notify: Notify) -> Options:
    """Return options with what the campaign itself knows of plain times, unless the user gives something.

    These are plain runs, and before a filter at run time the pilot, which shows how many visits it rejects.
    """
    campaign, given = progress.campaign, options.filter
    baseline = given.baseline_time or _plain_times(progress, notify)
    calibrate = given.calibrate
    if campaign.measurement.pilot_filter and not campaign.measurement.rebuild and calibrate is None:
        before, under = (_measured_runs(progress, unfiltered=one) for one in (True, False))
        common = any(run.point == other.point for run in before for other in under)
        calibrate = campaign.pilot_profiles if common else None
    return replace(options, filter=replace(given, baseline_time=baseline, calibrate=calibrate))


def _known_so_far(
    progress: CampaignProgress,
    analysis: Analysis,
    points: Sequence[Point],
    budget: float,
    made: Sequence[rounds.MadeRound],
) -> rounds.Progress:
    """Return what may be measured, was measured and may be spent, in the order of the study's parameters."""
    table = np.array([[point[name] for name in analysis.experiment.parameters] for point in points])
    return rounds.Progress(
        points=table,
        done=np.array([_count_done(progress, point) for point in points]),
        cost=_Costs(progress, analysis)(table),
        repetitions=progress.campaign.repetitions,
        budget=budget,
        rounds=made,
    )


def _made_rounds(design: CampaignDesign, question: CampaignQuestion) -> list[rounds.MadeRound]:
    """Return the rounds that were decided on for the same figure, however narrow it was to be."""
    unknown = float("nan")
    return [
        rounds.MadeRound(
            extra=one.purpose == "extra",
            foreseen=unknown if one.width is None else one.width,
            width=unknown if one.answer is None else one.answer.width,
        )
        for one in design.rounds
        if one.question is not None and replace(one.question, width=question.width) == question
    ]


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
        return np.where(np.isfinite(measured), measured, self._predicted(points))

    def _predicted(self, points: FloatArray) -> FloatArray:
        known = self.analysis.experiment.points
        took, inside = self._measured(known), run_costs(self.analysis, known)
        usable = np.isfinite(took) & (took > 0) & (inside > 0)
        ahead = np.maximum(run_costs(self.analysis, points), 0.0)
        if not usable.any():
            return ahead
        took, inside, cores = took[usable], inside[usable], self._cores(known)[usable]
        share, beside = float(np.median(took / inside)), float(np.median((took - inside) / cores))
        scaled, shifted = inside * share, np.maximum(inside + beside * cores, inside * _LEAST_INSIDE)
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


def _answer(analysis: Analysis, asked: plan.WantedFigure) -> CampaignAnswer | None:
    """Return the answer so far; None if there is no model or no interval yet."""
    if analysis.is_profile:
        return None
    estimate = plan.answer(analysis, asked)
    value, lower, upper = (float(end[0]) for end in (estimate.value, estimate.lower, estimate.upper))
    if not np.isfinite(value):
        hint = "ask for another quantity, or set scaling in pipeline.toml of the profiles"
        raise UsageError(f"{asked.quantity} is unknown in this study", where="[question]", hint=hint)
    return (
        CampaignAnswer(value=value, lower=lower, upper=upper) if np.isfinite([lower, upper]).all() else None
    )


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _wanted_points(
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
