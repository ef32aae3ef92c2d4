"""The state of every run, from the files that its script leaves, and why its job ended.

Sources of what schedulers write into the output of a job: Slurm's slurmstepd (``*** JOB 7 ON node CANCELLED
AT ... DUE TO TIME LIMIT ***``), OpenPBS's pbs_mom (``=>> PBS: job killed: walltime 152 exceeded limit 120``).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias, get_args

from ingest.reading.packed import content_of, open_regular
from pipeline.campaign.folders import RunFolder, earlier_attempts
from pipeline.campaign.run_script import CLOCK_SET, NO_MATCH, NO_SPACE
from pipeline.columns.campaigns import RunStatus
from pipeline.store.atomic import write_text

STATUSES: tuple[RunStatus, ...] = get_args(RunStatus)
_LOG_LINES = 3
_LOG_BYTES = 1 << 14
_INTERRUPTED = ("stopped by SIGHUP", "stopped by SIGINT", NO_SPACE)
_LOST = "ended without an exit status"
_NEVER_STARTED = "left the queue without being started"
Alive: TypeAlias = Callable[[Mapping[str, str]], bool | None]
"""Tells from ``job``, ``host`` and ``pid`` of a run whether it is queued or running; None if unknown."""


@dataclass(frozen=True)
class JobEnd:
    """Why a scheduler ended a job, and whether that was by no fault of the run."""

    reason: str
    interrupted: bool


_ENDS = tuple(
    (re.compile(pattern, re.MULTILINE), JobEnd(reason, interrupted))
    for pattern, reason, interrupted in (
        (
            r"^slurmstepd.*: error: .*\b([Ee]xceeded (job |step )?memory limit|oom_kill)",
            "memory limit exceeded",
            False,
        ),
        (r"^=>> PBS: job killed: v?mem ", "memory limit exceeded", False),
        (r"^slurmstepd.*: error: \*\*\* JOB .* DUE TO TIME LIMIT", "time limit reached", False),
        (r"^=>> PBS: job killed: (walltime|cput) ", "time limit reached", False),
        (r"^slurmstepd.*: error: \*\*\* JOB .* DUE TO NODE FAILURE", "its node failed", True),
        (r"^slurmstepd.*: error: \*\*\* JOB .* DUE TO PREEMPTION", "preempted by another job", True),
        (r"^slurmstepd.*: error: \*\*\* JOB .* CANCELLED AT", "job was cancelled", True),
    )
)


def job_end(output: str) -> JobEnd | None:
    """Return why the scheduler ended a job; None if its output says nothing of that."""
    return next((end for pattern, end in _ENDS if pattern.search(output)), None)


@dataclass(frozen=True, kw_only=True)
class RunState:
    """The state of a run."""

    status: RunStatus
    seconds: float | None = None  # that the command took, None before its end
    # seconds of the program as its profile or log states them, without what the command does before and
    # after; None if that is unknown
    measured: float | None = None
    reason: str = ""
    # whether it failed by no fault of its own: stopped by the user, lost with its machine, without space on
    # the disk, or while the clock was set
    interrupted: bool = False
    # whether it failed though its command ended well: what that wrote can be collected again
    collectable: bool = False
    log: tuple[str, ...] = ()  # the last lines of its log if it failed
    job: str = ""  # what the scheduler calls it, empty without one
    started: float | None = None  # when, in seconds since 1970; None before
    earlier_seconds: float = 0.0  # that the command took in earlier attempts

    @property
    def under_way(self) -> bool:
        """Whether it is queued or running."""
        return self.status in ("submitted", "running")


def run_state(folder: RunFolder, alive: Alive) -> RunState:
    """Return the state of a run.

    `alive` is asked about a run that has not finished; it has to know the queue as it was *before* this call,
    since a run may finish meanwhile.
    """
    attempts = (_number(read_facts(attempt.finished).get("seconds")) for attempt in earlier_attempts(folder))
    return replace(_present_state(folder, alive), earlier_seconds=sum(seconds or 0.0 for seconds in attempts))


def _present_state(folder: RunFolder, alive: Alive) -> RunState:
    submitted, started, finished = map(read_facts, (folder.submitted, folder.started, folder.finished))
    job = started.get("job") or submitted.get("job", "")
    begun = _number(started.get("time"))
    if finished:
        return _ended(folder, finished, job, begun)
    if folder.started.exists():
        if alive({**submitted, **started}) is False:
            return _failed(folder, _LOST if started else NO_SPACE, True, job, begun)
        return RunState(status="running", job=job, started=begun)
    if submitted:
        if alive(submitted) is False:
            return _failed(folder, _NEVER_STARTED, True, job, begun)
        return RunState(status="submitted", job=job)
    return RunState(status="planned")


def output_notices(states: Mapping[str, RunState]) -> tuple[str, ...]:
    """Return what to do about runs whose commands ended well without output that can be read."""
    if not any(state.collectable for state in states.values()):
        return ()
    return (
        "Name the files that the program writes in `collect` of [application]: `pipeline campaign submit` "
        "then collects them, and runs nothing twice; `pipeline campaign reset RUN` makes a run anew.",
    )


def write_facts(path: Path, facts: Mapping[str, str]) -> None:
    """Write one ``name=value`` per line, as the scripts do."""
    write_text(path, "".join(f"{name}={value}\n" for name, value in facts.items()))


def _ended(folder: RunFolder, finished: Mapping[str, str], job: str, begun: float | None) -> RunState:
    seconds = _number(finished.get("seconds"))
    reason = finished.get("reason", "")
    ended_well = finished.get("status") == "0" and not reason
    judged = read_facts(folder.output)
    if ended_well and not (reason := judged.get("reason", "")):
        measured = _number(judged.get("measured"))
        return RunState(status="done", seconds=seconds, measured=measured, job=job, started=begun)
    interrupted = reason in _INTERRUPTED or reason.startswith(CLOCK_SET)
    failed = _failed(folder, reason or "failed", interrupted, job, begun, seconds)
    collectable = failed.reason == reason and (ended_well or reason.startswith(NO_MATCH))
    return replace(failed, collectable=collectable)


def _failed(
    folder: RunFolder,
    reason: str,
    interrupted: bool,
    job: str,
    begun: float | None,
    seconds: float | None = None,
) -> RunState:
    end = next(filter(None, map(job_end, map(_end_of, folder.job_outputs(job)))), None)
    return RunState(
        status="failed",
        seconds=seconds,
        reason=end.reason if end else reason,
        interrupted=end.interrupted if end else interrupted,
        log=last_lines((*folder.logs, *folder.job_outputs(job))),
        job=job,
        started=begun,
    )


def last_lines(logs: Iterable[Path]) -> tuple[str, ...]:
    """Return the last lines of the first log that has any."""
    for path in logs:
        if lines := [line.rstrip() for line in _end_of(path).splitlines() if line.strip()]:
            return tuple(lines[-_LOG_LINES:])
    return ()


def _end_of(path: Path) -> str:
    """Return the end of a text file; empty if it cannot be read."""
    try:
        with open_regular(path) as file:
            file.seek(max(0, path.stat().st_size - _LOG_BYTES))
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def read_facts(path: Path) -> dict[str, str]:
    """Return what a file of ``name=value`` lines says; nothing if it is not there."""
    try:
        text = content_of(path).decode(errors="replace")
    except OSError:
        return {}
    pairs = (line.partition("=") for line in text.splitlines())
    return {name: value for name, equals, value in pairs if equals}


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
