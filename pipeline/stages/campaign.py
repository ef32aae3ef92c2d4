"""The campaign stage: what is planned, how far it is, what it costs, and whether its output can be read."""

import os
import re
import secrets
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from filters.evidence import sums_on_cpus
from ingest.discovery import Discovery
from ingest.errors import PipelineError, UsageError, one_line
from ingest.experiment import TIME
from ingest.locate import locate
from ingest.profile import Profile
from ingest.toml_table import unknown_hint
from pipeline.campaign import description
from pipeline.campaign.campaign_design import (
    CampaignDesign,
    CampaignRound,
    PlannedRun,
    Wanted,
    extended,
    read_design,
    with_round,
    write_design,
)
from pipeline.campaign.description import Campaign, SchedulerName, read_campaign
from pipeline.campaign.folders import RunFolder, set_aside
from pipeline.campaign.run_costs import CampaignProgress, Values, expected_costs, planned_costs, values_of
from pipeline.campaign.run_script import collect_script, profiles_of
from pipeline.campaign.run_state import (
    STATUSES,
    Alive,
    RunState,
    output_notices,
    read_facts,
    run_state,
    write_facts,
)
from pipeline.columns.campaigns import AskedQuantity, ShownCampaign, ShownRound, ShownRun
from pipeline.questions.analysis import named_targets
from pipeline.questions.planning import rounds
from pipeline.questions.planning.next_measurement import TIMES, run_costs
from pipeline.store.atomic import not_writable, write_text
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
    """The user's jobs at one moment."""

    jobs: Mapping[str, QueuedJob] | None  # by what the scheduler calls them; None if it cannot be asked
    asked: float  # when, in seconds since 1970
    problem: str = ""  # why it cannot be asked

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
    """Return what decides whether runs are queued or running, from the queue as it is now."""
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
    rows = [line.strip().split("|", 2) for line in result.stdout.splitlines()]
    jobs = {name: QueuedJob(**dict(zip(("waits", "script"), others, strict=False))) for name, *others in rows}
    return Queue(jobs=jobs, asked=asked)


def error_line(text: str) -> str:
    """Return the last line that a program of a scheduler printed as its error, without its own name."""
    lines = [line for line in text.splitlines() if line.strip()]
    return one_line(re.sub(r"^\w+: ((error|fatal): )?", "", lines[-1])) if lines else ""


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
    shipped = Path(description.__file__).with_name(description.CAMPAIGN_FILE)
    return shipped.read_text(encoding="utf-8")


def read_progress(path: Path, results: Path | None = None) -> CampaignProgress:
    """Return what a campaign plans and how far it is; nothing is written.

    The models of stored results give the cost of scales that were not measured yet.
    """
    campaign = read_campaign(path)
    stored = read_design(campaign.work)
    modelled = _modelled_costs(campaign, results) if results else planned_costs(stored)
    alive = watch_runs(campaign)
    states = _states(campaign, stored.runs, alive) if stored else {}
    begun = [name for name, state in states.items() if state.status != "planned"]
    design = stored if stored and begun else _undrawn(campaign, stored)
    if not campaign.in_rounds:
        design = extended(design, campaign, begun)
    elif not design.rounds:
        points = campaign.points
        table = np.array([values_of(point) for point in points])
        cost = np.array([modelled.get(values_of(point), np.nan) for point in points])
        nothing = np.zeros(len(points), dtype=np.int64)
        found = rounds.next_round(rounds.Progress(points=table, done=nothing, cost=cost))
        chosen = [points[place] for place in np.flatnonzero(found.repetitions)]
        wanted = [Wanted(point, 1, modelled.get(values_of(point))) for point in chosen]
        unfiltered = campaign.measurement.pilot_filter
        design = with_round(design, campaign, CampaignRound(purpose="pilot"), wanted, unfiltered=unfiltered)
    states |= _states(campaign, [run for run in design.runs if run.name not in states], alive)
    progress = CampaignProgress(campaign=campaign, design=design, states={}, costs=modelled)
    return _in_states(progress, {run.name: states[run.name] for run in design.runs}, alive)


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
    ahead = {run.name: progress.cost_of(run) for run in runs if not done(run)}
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
        expected_core_seconds=progress.cost_of(run),
        reason=state.reason,
        job=state.job,
        log=state.log,
    )


def judge_output(campaign: Campaign, run: PlannedRun) -> None:
    """Note whether a run that ended well wrote what can be read, unless that is known; if not, put it away.

    So no profile of a run that failed lies where `pipeline run` reads. Nothing is noted where the folder
    cannot be written: then the next look judges.
    """
    folder = RunFolder(campaign.work / run.name)
    finished = read_facts(folder.finished)
    if finished.get("status") != "0" or finished.get("reason") or folder.output.exists():
        return
    profiles = profiles_of(campaign, run) / run.name
    aside = campaign.outlying_profiles / run.name
    reason, measured = ("", None) if run.plain else _judged(profiles if profiles.exists() else aside)
    with suppress(UsageError, OSError):
        stated = {} if measured is None else {"measured": repr(measured)}
        write_facts(folder.output, {"reason": reason, **stated})
        if reason and profiles.exists():
            shutil.rmtree(folder.unreadable, ignore_errors=True)  # of an earlier collection
            profiles.rename(folder.unreadable)


def _judged(profiles: Path) -> tuple[str, float | None]:
    """Return why what a run wrote is no profile or log, empty if it is one, and the seconds in it."""
    if not profiles.exists():
        return f"what it wrote is not in {profiles.parent.name}/ any more", None
    written = sorted(one for one in profiles.iterdir() if one.suffix != ".toml" and one.name[0] != ".")
    if not any(one.is_dir() or one.stat().st_size for one in written):
        return "its output is empty", None
    try:
        found = locate(profiles).found
        runs = found.runs if isinstance(found, Discovery) else ()
        seconds = [_measured(one.reader.read(one.path)) for one in runs]
    except PipelineError as error:
        asked = f" ({error.hint})" if error.hint.endswith("?") else ""
        return one_line(f"its output cannot be read: {error.what}{asked}"), None
    return "", seconds[0] if len(seconds) == 1 else None


def _measured(profile: Profile) -> float | None:
    """Return the longest time of a CPU location in seconds; None if times of these were not measured."""
    if TIME not in {metric.name for metric in profile.metrics} or not profile.locations.cpu.any():
        return None
    return sums_on_cpus(profile, TIME)[1]


def collect_again(progress: CampaignProgress) -> list[PlannedRun]:
    """Collect what runs wrote whose commands ended well, but whose output failed them; return these runs.

    UsageError if their folders cannot be written.
    """
    campaign = progress.campaign
    failed = [run for run in progress.design.runs if progress.states[run.name].collectable]
    for run in failed:
        folder = RunFolder(campaign.work / run.name)
        write_text(folder.collecting, collect_script(campaign, run, folder))
        try:
            folder.output.unlink(missing_ok=True)
        except OSError as error:
            raise not_writable(folder.output, error) from error
        subprocess.run(
            ["bash", str(folder.collecting)], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    return failed


def reset_runs(progress: CampaignProgress, names: Sequence[str], notify: Notify) -> None:
    """Put runs away with all that they wrote, so that they are made anew; what they cost stays spent.

    UsageError if there is no such run, it is under way, or its folders cannot be written.
    """
    campaign, design = progress.campaign, progress.design
    runs = {run.name: run for run in design.runs}
    for name in names:
        if name not in runs:
            raise UsageError(f"no run {name}", where=str(campaign.path), hint=unknown_hint(name, tuple(runs)))
        if progress.states[name].under_way:
            hint = "cancel its job first, or wait until it has ended"
            raise UsageError(f"{name} is under way", where=str(campaign.path), hint=hint)
    for name in names:
        folder = RunFolder(campaign.work / name)
        kept = [profiles_of(campaign, runs[name]) / name, campaign.outlying_profiles / name]
        try:
            for profiles in filter(Path.exists, kept):
                profiles.rename(folder.path / "profiles.reset")
        except OSError as error:
            raise UsageError(f"cannot be put away ({error.strerror})", where=name) from error
        if folder.path.exists():
            set_aside(folder)
            notify(f"{name} is planned again; what it left is kept in {campaign.work.name}/{name}.attempt*")
    outlying = tuple(name for name in design.outlying if name not in names)
    write_design(campaign.work, replace(design, outlying=outlying, ending="", way_on=None))
