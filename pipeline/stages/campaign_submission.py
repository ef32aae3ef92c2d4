"""The submit stage: starts the runs of a campaign that are not done and not under way."""

import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from ingest.errors import UsageError, one_line
from ingest.reading.packed import content_of
from pipeline.campaign.campaign_design import PlannedRun, write_design
from pipeline.campaign.description import FOLDER, Campaign, read_campaign, resources
from pipeline.campaign.folders import JOBS, RunFolder, set_aside
from pipeline.campaign.run_costs import CampaignProgress, affordable
from pipeline.campaign.run_script import Job, jobs, run_script, submit_command
from pipeline.campaign.run_state import read_facts, run_state, write_facts
from pipeline.stages.campaign import (
    collect_again,
    error_line,
    read_progress,
    read_queue,
    reset_runs,
    watch_runs,
    with_states,
)
from pipeline.store.atomic import not_writable, write_json, write_text
from pipeline.store.generation import digest_of
from pipeline.store.lock import Notify, between_runs, only_campaign_here, only_writer
from pipeline.store.made_from import installed_version
from pipeline.wording.quantities import counted, quantity

_MADE_FROM = "made_from.json"
_SHOWN = 12  # digits of a digest


def _require_unchanged(progress: CampaignProgress) -> None:
    """Refuse to go on with runs that would be made of something else than those before; note what it is.

    A build without instrumentation, and that the program is built anew with a filter, may come later.
    UsageError if command, inputs or machine differ from those of earlier runs, or a file cannot be read.
    """
    campaign = progress.campaign
    file, now = campaign.work / _MADE_FROM, _made_from(campaign)
    begun = [state for state in progress.states.values() if state.status != "planned"]
    if not begun or not file.exists():
        write_json(file, now)
        return
    try:
        before = dict(json.loads(content_of(file)))
    except (OSError, ValueError, TypeError):
        before = {}
    for name, words in _commands(campaign).items():
        if words and before.get(name) == shlex.join(_in_folder(campaign, words[:1]) + words[1:]):
            before[name] = now[name]  # as earlier versions wrote it
    later = {"plain"} - set(before)
    if campaign.measurement.rebuild:
        later |= {Path(word).name for word in _program_files(campaign)}
    changes = [
        f"{name} was {before.get(name, 'not there')}, is {now.get(name, 'not there')}"
        for name in dict.fromkeys((*before, *now))
        if before.get(name) != now.get(name) and name not in later
    ]
    if changes:
        what = f"changed since {counted(len(begun), 'run')} began: {'; '.join(changes)}"
        hint = "change it back, or put these runs away and make all anew with --accept-change"
        raise UsageError(what, where=str(campaign.path), hint=hint)
    write_json(file, now)


def accept_change(path: Path, notify: Notify) -> None:
    """Put all runs away that were made before a change; what they cost stays spent."""
    with only_writer(read_campaign(path).work, notify):
        progress = read_progress(path)
        begun = [name for name, state in progress.states.items() if state.status != "planned"]
        design = progress.design
        rounds = tuple(replace(one, answer=None) for one in design.rounds)
        progress = replace(progress, design=replace(design, rounds=rounds))
        write_design(progress.campaign.work, progress.design)
        reset_runs(progress, begun, notify)
        write_json(progress.campaign.work / _MADE_FROM, _made_from(progress.campaign))


def _made_from(campaign: Campaign) -> Mapping[str, str]:
    """Return what all runs have in common, by what users call it; files by their digests.

    Of a program that is built anew with a filter the files are no reason to stop, nor is that the folder of
    the campaign was moved or copied.
    """
    application, measurement, launcher = campaign.application, campaign.measurement, campaign.launcher
    texts = {
        **{name: shlex.join(words) for name, words in _commands(campaign).items()},
        "prepare": "; ".join(application.prepare),
        "environment": " ".join(f"{name}={value}" for name, value in measurement.environment.items()),
        "launcher": shlex.join((launcher.program, *launcher.options)),
        "threads": launcher.threads,
        "machine": os.uname().nodename if campaign.scheduler.kind == "shell" else "",
    }
    files = {str(one.path) for one in application.inputs}
    if not measurement.rebuild:
        files |= _program_files(campaign)
    return {name: text for name, text in texts.items() if text} | dict(map(_digest, sorted(files)))


def _commands(campaign: Campaign) -> dict[str, tuple[str, ...]]:
    return {"command": campaign.application.command, "plain": campaign.measurement.plain}


def _in_folder(campaign: Campaign, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return words with the folder of the campaign in place of its placeholder."""
    return tuple(word.replace(f"{{{FOLDER}}}", str(campaign.path.parent)) for word in words)


def _program_files(campaign: Campaign) -> set[str]:
    words = _in_folder(campaign, campaign.application.command)
    return {word for word in words if "/" in word and Path(word).is_file()}


def _digest(name: str) -> tuple[str, str]:
    path, digest = Path(name), hashlib.sha256()
    try:
        for file in _files(path):
            digest.update(f"{file.relative_to(path)}\0{digest_of(file)}\0".encode(errors="surrogateescape"))
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})", where=name) from error
    return path.name, digest.hexdigest()[:_SHOWN]


def _files(path: Path) -> Iterator[Path]:
    yield from sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]


_SUBMITTERS = {"slurm": "sbatch", "pbs": "qsub"}
_MOST_FAILURES = 3
"""Runs that may fail in sequence before the rest is not tried."""

_POLL = 1.0  # seconds

Retry: TypeAlias = Callable[[str], bool]
"""Tells whether a failed run is started again, from its name."""


def no_retry(_: str) -> bool:
    """Start no failed run again."""
    return False


def every_retry(_: str) -> bool:
    """Start all failed runs again."""
    return True


def plan_campaign(path: Path, results: Path | None = None) -> CampaignProgress:
    """Return the design of a campaign with its expected cost, and store the design."""
    work = read_campaign(path).work
    make_folder(work)
    with between_runs(work, lambda _: None):
        progress = read_progress(path, results)
        _require_budget(progress)
        write_design(work, progress.design)
    return progress


def _waiting_runs(progress: CampaignProgress, retry: Retry) -> list[PlannedRun]:
    """Return the runs that may be started, in order: planned, interrupted and, on request, failed ones."""

    def waits(run: PlannedRun) -> bool:
        state = progress.states[run.name]
        again = state.status == "failed" and (state.interrupted or retry(run.name))
        return state.status == "planned" or again

    return [run for run in progress.design.runs if waits(run)]


def dry_run(path: Path, retry: Retry = no_retry) -> Iterator[str]:
    """Yield what submitting would write and call, as text; nothing is written."""
    progress = read_progress(path)
    campaign = progress.campaign
    runs = allowed_runs(progress, retry)
    for run in runs:
        yield f"# {_folder(campaign, run).script}\n{_script(campaign, run)}"
    if campaign.scheduler.kind == "shell":
        yield from (shlex.join(["bash", str(_folder(campaign, run).script)]) + "\n" for run in runs)
        return
    for number, job in enumerate(jobs(campaign, runs), start=1):
        file = campaign.work / JOBS / f"{job.name}.sh"
        after = [f"JOB{before + 1}" for before in job.after]
        yield f"# {file}\n{job.script}"
        yield f"{shlex.join(submit_command(campaign, job, file, after))}  # prints JOB{number}\n"


def submit_campaign(path: Path, notify: Notify, retry: Retry = no_retry) -> CampaignProgress:
    """Start the runs of a campaign that are neither done nor under way; none is started twice.

    Without a scheduler they are run here, one at a time, until all have ended.
    """
    work = read_campaign(path).work
    make_folder(work)
    with only_writer(work, notify):
        progress = read_progress(path)
        _require_budget(progress)
        _require_programs(progress.campaign)
        make_folder(progress.campaign.profiles)
        _require_unchanged(progress)
        write_design(work, progress.design)
        if again := collect_again(progress):
            progress = _now(progress)
            good = sum(progress.states[run.name].status == "done" for run in again)
            notify(f"collected again what {counted(len(again), 'run')} wrote: {good} can be read")
        if progress.campaign.scheduler.kind == "shell":
            _wait_for_running(progress, notify)
            progress = _now(progress)
            machine = only_campaign_here(progress.campaign.path, notify)
            with machine if allowed_runs(progress, retry) else nullcontext(()) as lock:
                return _run_here(progress, notify, lock, retry)
        return _submit_jobs(_with_named_jobs(progress), notify, retry)


def _now(progress: CampaignProgress) -> CampaignProgress:
    return with_states(progress, watch_runs(progress.campaign))


def allowed_runs(progress: CampaignProgress, retry: Retry) -> list[PlannedRun]:
    """Return the runs to start now, as the budget allows."""
    return affordable(progress, _waiting_runs(progress, retry))


def _require_budget(progress: CampaignProgress) -> None:
    """Refuse to begin with a pilot that is known to cost more than the budget."""
    budget, design = progress.campaign.budget, progress.design
    cost, unknown = progress.remaining
    if budget is None or unknown or progress.spent or [one.purpose for one in design.rounds] != ["pilot"]:
        return
    if cost > budget:
        spend, needed = (quantity(value, "core-s") for value in (budget, cost))
        what = f"the budget of {spend} does not pay for the pilot, which costs about {needed}"
        raise UsageError(
            what, where=str(progress.campaign.path), hint="allow more, or begin with smaller scales"
        )


def _require_programs(campaign: Campaign) -> None:
    """Refuse to start without the scheduler or, on this machine, the launcher."""
    kind, launcher = campaign.scheduler.kind, campaign.launcher.program
    needed = _SUBMITTERS.get(kind)
    if needed and shutil.which(needed) is None:
        hint = 'call it on a login node, or write kind = "shell" in [scheduler]'
        raise UsageError(f"no {needed} here", where=str(campaign.path), hint=hint)
    if not needed and launcher != "none" and shutil.which(launcher) is None:
        hint = "load its module, or choose another program in [launcher]"
        raise UsageError(f"no {launcher} here", where=str(campaign.path), hint=hint)


def make_folder(folder: Path) -> None:
    """Create a folder if it is not there; UsageError if it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_writable(folder, error) from error


def _folder(campaign: Campaign, run: PlannedRun) -> RunFolder:
    return RunFolder(campaign.work / run.name)


def _script(campaign: Campaign, run: PlannedRun) -> str:
    cpus = _pinned_cpus(campaign, run) if campaign.scheduler.kind == "shell" else []
    version = installed_version("callpath-pipeline")
    return run_script(campaign, run, _folder(campaign, run), version=version, cpus=cpus)


def _pinned_cpus(campaign: Campaign, run: PlannedRun) -> list[int]:
    """Return as many of the usable CPUs as a run needs; none if there are fewer, or no `taskset`."""
    if shutil.which("taskset") is None or not hasattr(os, "sched_getaffinity"):
        return []
    usable, cores = sorted(os.sched_getaffinity(0)), resources(campaign.launcher, run.point).cores
    return usable[:cores] if cores <= len(usable) else []


def _prepare(campaign: Campaign, run: PlannedRun) -> RunFolder:
    """Write the script of a run; files of an earlier attempt are kept beside."""
    folder = _folder(campaign, run)
    if folder.path.exists():
        set_aside(folder)
    write_text(folder.script, _script(campaign, run))
    return folder


def _run_here(
    progress: CampaignProgress, notify: Notify, lock: Sequence[int], retry: Retry
) -> CampaignProgress:
    """Make runs on this machine, one at a time."""
    campaign = progress.campaign
    tried: set[str] = set()
    failures = 0
    while runs := affordable(
        progress, [one for one in _waiting_runs(progress, retry) if one.name not in tried]
    ):
        run = runs[0]
        tried.add(run.name)
        folder = _prepare(campaign, run)
        _execute(folder, lock)
        progress = _now(progress)
        notify_of_end(progress, run, notify)
        failures = failures + 1 if progress.states[run.name].status == "failed" else 0
        if failures == _MOST_FAILURES:
            notify(f"{failures} runs failed in sequence: the others are not tried")
            break
    _notify_of_budget(progress, notify, retry)
    return progress


def notify_of_end(progress: CampaignProgress, run: PlannedRun, notify: Notify) -> None:
    """Say how a run has ended."""
    state = progress.states[run.name]
    why = one_line(": ".join((state.reason, *state.log[-1:])))
    seconds = state.seconds if state.status == "done" else None
    ended = f"failed: {why}" if seconds is None else quantity(seconds, "s")
    notify(f"{run.name}: {ended} ({progress.count('done')} of {len(progress.design.runs)} done)")


def _notify_of_budget(progress: CampaignProgress, notify: Notify, retry: Retry) -> None:
    waiting = len(_waiting_runs(progress, retry))
    left_out = waiting - len(allowed_runs(progress, retry))
    if left_out:
        spent, (ahead, _) = progress.spent, progress.remaining
        notify(
            f"{left_out} of the runs are left for later: the budget does not allow them, or a first run has "
            f"to tell their cost; {quantity(spent, 'core-s')} are spent, and runs of known cost need "
            f"{quantity(ahead, 'core-s')}: raise budget in [campaign], or submit again when runs have ended"
        )


def _wait_for_running(progress: CampaignProgress, notify: Notify) -> None:
    """Wait for runs that a killed submission left behind, since runs must not disturb each other."""
    campaign = progress.campaign
    for run in progress.design.runs:
        folder, notified = _folder(campaign, run), False
        while run_state(folder, watch_runs(campaign)).status == "running":
            if not notified:
                notify(f"{run.name} is still running; waiting")
            notified = True
            time.sleep(_POLL)


def _execute(folder: RunFolder, lock: Sequence[int]) -> None:
    """Run the script of a run, which inherits a lock; if this process is stopped, the run is, and says so."""
    *_, log = folder.logs
    try:
        output = log.open("wb")
    except OSError as error:
        raise not_writable(log, error) from error
    with output, _terminated_as_interrupted():
        process = subprocess.Popen(
            ["bash", str(folder.script)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=lock,
        )
        try:
            process.wait()
        except KeyboardInterrupt:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
            process.wait()
            raise


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Let SIGTERM and SIGHUP stop this process as Ctrl-C does."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    signals = (signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, interrupt) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _submit_jobs(progress: CampaignProgress, notify: Notify, retry: Retry) -> CampaignProgress:
    """Hand runs to the scheduler, each job after those before it and after what is in the queue already."""
    campaign = progress.campaign
    runs = allowed_runs(progress, retry)
    for run in runs:
        _prepare(campaign, run)
    queued = sorted({state.job for state in progress.states.values() if state.job and state.under_way})
    make_folder(campaign.work / JOBS)
    names: list[str] = []
    for job in jobs(campaign, runs):
        file = campaign.work / JOBS / f"{job.name}.sh"
        write_text(file, job.script)
        after = [names[before] for before in job.after] or (
            queued if campaign.scheduler.one_at_a_time else []
        )
        _note_submission(campaign, job, file, "")
        names.append(_submitted(submit_command(campaign, job, file, after)))
        _note_submission(campaign, job, file, names[-1])
        notify(f"submitted {job.name} as {names[-1]}")
    progress = _now(progress) if runs else progress
    _notify_of_budget(progress, notify, retry)
    return progress


def _note_submission(campaign: Campaign, job: Job, file: Path, name: str) -> None:
    """Note the job of its runs; before it has a name the script, by which it is found if this is stopped."""
    for number, run in enumerate(job.runs):
        facts = {"script": str(file), "task": str(number), "time": f"{time.time():.3f}"}
        if name:
            facts["job"] = f"{name}_{number}" if campaign.scheduler.kind == "slurm" else name
        write_facts(_folder(campaign, run).submitted, facts)


def _with_named_jobs(progress: CampaignProgress) -> CampaignProgress:
    """Note the names of jobs whose submission was stopped before it could; runs without a job have none."""
    campaign = progress.campaign
    files = [_folder(campaign, run).submitted for run in progress.design.runs]
    nameless = {file: facts for file in files if (facts := read_facts(file)) and not facts.get("job")}
    if not nameless:
        return progress
    queue = read_queue(campaign.scheduler.kind)
    for file, facts in nameless.items():
        if name := queue.name(facts):
            write_facts(file, {**facts, "job": name})
        elif queue.jobs is not None:
            file.unlink()
    return _now(progress)


def _submitted(command: Sequence[str]) -> str:
    """Submit a job; return what the scheduler calls it."""
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    name = result.stdout.strip().partition(";")[0]
    if result.returncode or not name:
        why = error_line(result.stderr) or f"exit status {result.returncode}"
        hint = "correct [scheduler] or submit again later; jobs submitted before go on"
        raise UsageError(f"{command[0]} failed: {why}", where=command[-1], hint=hint)
    return name
