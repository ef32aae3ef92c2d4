"""Which runs are queued or running: by the queue of the scheduler, or by the processes of this machine."""

import os
import re
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import one_line
from pipeline.campaign.description import Campaign, SchedulerName
from pipeline.campaign.folders import RunFolder
from pipeline.campaign.run_state import Alive, RunState
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
    return process_alive if kind == "shell" else read_queue(kind)


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


def process_alive(facts: Mapping[str, str]) -> bool | None:
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
