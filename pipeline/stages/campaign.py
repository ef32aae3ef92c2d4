"""The campaign stage: what is planned, how far it is, and what it costs."""

import os
import re
import secrets
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ingest.errors import UsageError, one_line
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
from pipeline.campaign.description import Campaign, SchedulerName
from pipeline.campaign.folders import RunFolder
from pipeline.campaign.read_description import read_campaign
from pipeline.campaign.run_costs import CampaignProgress, Values, expected_costs, values_of
from pipeline.campaign.run_state import STATUSES, Alive, RunState, output_notices, run_state
from pipeline.columns.campaigns import AskedQuantity, ShownCampaign, ShownRound, ShownRun
from pipeline.questions.analysis import named_targets
from pipeline.questions.planning import rounds
from pipeline.questions.planning.next_measurement import TIMES, run_costs
from pipeline.stages.campaign_output import judge_output, reset_runs
from pipeline.store.lock import Notify, only_writer
from pipeline.store.results import read_analysis
from pipeline.wording.quantities import counted

_QUEUES = {
    "slurm": ["squeue", "--me", "--noheader", "--array", "--format=%i|%r|%o"],
    "pbs": ["qselect", "-u", "{user}"],
}
_QUEUE_SECONDS = 30.0
_SUBMITTING_SECONDS = 60.0  # after which a job without a name is none that is just being submitted
_ORDINARY = {"", "None", "Dependency", "JobArrayTaskLimit", "Priority", "Resources", "BeginTime", "Cleaning"}
"""Why jobs wait if nothing is wrong: squeue(1), "JOB REASON CODES"."""


@dataclass(frozen=True, kw_only=True)
class QueuedJob:
    """A job in the queue: why it waits, and the script that it was submitted with, as far as known."""

    waits: str = ""
    script: str = ""


@dataclass(frozen=True, kw_only=True)
class Queue:
    """The user's jobs at one moment.

    Attributes:
        jobs: by what the scheduler calls them; None if it cannot be asked.
        asked: when, in seconds since 1970.
        problem: why it cannot be asked.
    """

    jobs: Mapping[str, QueuedJob] | None
    asked: float
    problem: str = ""

    def __call__(self, facts: Mapping[str, str]) -> bool | None:
        """Return whether the job of a run is there; None if unknown, as it is for jobs submitted later."""
        if self.jobs is None:
            return None
        if self.name(facts) in self.jobs:
            return True
        submitted = float(facts.get("time") or 0.0)
        return None if submitted > self.asked - (0.0 if facts.get("job") else _SUBMITTING_SECONDS) else False

    def name(self, facts: Mapping[str, str]) -> str:
        """Return what the scheduler calls the job of a run; empty if that is not known.

        A submission that is stopped may have no time to note it: then the job is known by its script.
        """
        if facts.get("job") or not facts.get("script"):
            return facts.get("job", "")
        task = f"_{facts.get('task')}"
        return next(
            (
                name
                for name, job in (self.jobs or {}).items()
                if job.script == facts["script"] and name.endswith(task)
            ),
            "",
        )


def watch_runs(campaign: Campaign) -> Alive:
    """Return what tells whether runs are queued or running, from the queue as it is now."""
    kind = campaign.scheduler.kind
    return _process_alive if kind == "shell" else read_queue(kind)


def read_queue(kind: SchedulerName) -> Queue:
    """Ask the scheduler for the user's jobs."""
    user = os.environ.get("USER", str(os.getuid()))
    command = [word.format(user=user) for word in _QUEUES[kind]]
    asked = time.time()
    if shutil.which(command[0]) is None:
        return Queue(jobs=None, asked=asked, problem=f"no {command[0]} here")
    try:
        result = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_QUEUE_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Queue(jobs=None, asked=asked, problem=one_line(str(error)))
    if result.returncode:
        return Queue(jobs=None, asked=asked, problem=error_line(result.stderr))
    return Queue(jobs=dict(map(_read_job, result.stdout.splitlines())), asked=asked)


def error_line(text: str) -> str:
    """Return the last line that a program of a scheduler printed as its error, without its own name."""
    lines = [line for line in text.splitlines() if line.strip()]
    return one_line(re.sub(r"^\w+: ((error|fatal): )?", "", lines[-1])) if lines else ""


def _read_job(line: str) -> tuple[str, QueuedJob]:
    name, *others = line.strip().split("|", 2)
    return name, QueuedJob(**dict(zip(("waits", "script"), others, strict=False)))


def queue_notices(alive: Alive, states: Mapping[str, RunState]) -> tuple[str, ...]:
    """Return sentences about runs that are not known to be queued, or that the scheduler holds back."""
    under_way = [state.job for state in states.values() if state.under_way]
    if not isinstance(alive, Queue) or not under_way:
        return ()
    if alive.jobs is None:
        unknown = counted(len(under_way), "run")
        return (f"The queue cannot be read ({alive.problem}): {unknown} may still be queued or running.",)
    reasons = Counter(alive.jobs[job].waits for job in under_way if job in alive.jobs)
    return tuple(
        f"Held back by the scheduler: {counted(number, 'run')} ({reason})."
        for reason, number in reasons.items()
        if reason not in _ORDINARY
    )


def _process_alive(facts: Mapping[str, str]) -> bool | None:
    """Return whether the script of a run is a process of this machine; None for those of others."""
    if facts.get("host", os.uname().nodename) != os.uname().nodename:
        return None
    if not facts.get("pid", "").isdecimal():
        return False
    try:
        command = Path("/proc", facts["pid"], "cmdline").read_bytes()
    except OSError:
        return False
    return RunFolder(Path()).script.name.encode() in command


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
