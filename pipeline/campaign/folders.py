"""Where the files of a run are, and its name as discovery reads it: ``app.p4.n32.r1``.

In the working folder of the campaign a run has a folder of its own name: the script that starts it, the files
that hold its state, its log, and ``files``, the working directory of the program. When the run is done, what
it measured appears at once in the folder of the profiles.
"""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from ingest.errors import RunNameError, UsageError
from ingest.run_names import RunName, parse_run_name
from pipeline.campaign.description import Point, value_in_name

PLAIN_NAME = "-plain"
"""Behind that of runs without instrumentation."""

JOBS = "jobs"
"""Folder of the scripts that go to a scheduler."""

PILOT_NAME = "-pilot"
"""Behind the leading name of runs that are measured before a filter is made."""


class RunFolder:
    """The files of a run below its folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.script = path / "run.sh"  # starts the run
        self.submitted = path / "submitted"  # which job it belongs to
        self.started = path / "started"  # when and where the script was; making it decides between two starts
        self.finished = path / "finished"  # its exit status and its seconds
        self.collecting = path / "collect.sh"  # collects once more what the program wrote
        # whether what was collected can be read; made when somebody first looks after the end
        self.output = path / "output"
        self.unreadable = path / "unreadable"  # what was collected and cannot be read
        # what the program printed, what was printed before it, and what the script itself printed
        self.logs = path / "run.log", path / "prepare.log", path / "script.log"

    def job_outputs(self, job: str) -> tuple[Path, ...]:
        """Return where the output of its job may be: Slurm's is named after the job, PBS's after the run."""
        return tuple(self.path.parent / JOBS / f"{name}.out" for name in (job, self.path.name) if name)


def run_name(name: str, point: Point, repetition: int) -> str:
    """Return the name of a run; UsageError if discovery would read other parameters from it."""
    pairs = (f"{parameter}{value_in_name(value)}" for parameter, value in point.items())
    written = ".".join((name, *pairs, f"r{repetition}"))
    meant = RunName(name, tuple((key, float(value)) for key, value in point.items()), repetition)
    try:
        read = parse_run_name(written)
    except RunNameError as error:
        raise UsageError(error.what, where=written, hint="rename the application or a parameter") from error
    if read != meant:
        hint = "rename the application or a parameter"
        raise UsageError(f"the name of a run would be read as {read}", where=written, hint=hint)
    return written


def earlier_attempts(folder: RunFolder) -> Iterator[RunFolder]:
    """Yield the folders of the earlier attempts at a run, from the first on."""
    for number in count(1):
        attempt = RunFolder(folder.path.with_name(f"{folder.path.name}.attempt{number}"))
        if not attempt.path.exists():
            return
        yield attempt


def set_aside(folder: RunFolder) -> None:
    """Rename the folder of an earlier attempt, so that the run can be started again and nothing is lost.

    UsageError if it cannot be renamed.
    """
    number = 1 + sum(1 for _ in earlier_attempts(folder))
    try:
        folder.path.rename(folder.path.with_name(f"{folder.path.name}.attempt{number}"))
    except OSError as error:
        raise UsageError(f"cannot be renamed ({error.strerror})", where=str(folder.path)) from error
