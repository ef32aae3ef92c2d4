"""One defect at a time put into a copy of the project, and the tests run on it."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.operators import Defect

PREPARE = "numpy scipy.special scipy.stats scipy.optimize pandas pyarrow.parquet typer rich hypothesis pytest"
PATIENCE = 4.0  # times the usual duration of the tests, until a defect counts as an endless loop
START_UP = 30.0  # seconds beside that
NOT_NOTICED = 0  # exit code of pytest if all tests pass
NONE_FOUND, BROKEN = 5, 70  # no test of these names, and no answer from pytest: faults of the campaign
PYTEST_OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-cov"]
PYTEST_OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # what is imported before the fork


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a defect.

    Attributes:
        defect: which.
        caught: whether a test failed, or did not end.
        tests: how many could have noticed.
        seconds: how long it took.
    """

    defect: Defect
    caught: bool
    tests: int
    seconds: float


def copy_of(root: Path, folder: Path) -> Path:
    """Copy the files that git knows of, as they are in the working tree."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name, follow_symlinks=True)
    return folder


def prepare() -> None:
    """Import what most tests need, once: every trial is a fork of this process."""
    for name in PREPARE.split():
        __import__(name)


def try_defect(
    tree: Path, defect: Defect, tests: Sequence[str], usual: float, options: Sequence[str] = ()
) -> Outcome:
    """Put a defect into a copy of the project, run the tests until one fails, and take the defect out."""
    start = time.monotonic()
    if not tests:
        return Outcome(defect=defect, caught=False, tests=0, seconds=0.0)
    file = tree / defect.path
    source = file.read_text(encoding="utf-8")
    file.write_text(defect.applied(source), encoding="utf-8")
    try:
        code = run_tests(tree, [*options, *tests], (PATIENCE * usual + START_UP) * _busy())
    finally:
        file.write_text(source, encoding="utf-8")
    return Outcome(
        defect=defect, caught=code != NOT_NOTICED, tests=len(tests), seconds=time.monotonic() - start
    )


def _busy() -> float:
    """Return how many processes of the machine share a core."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def run_tests(tree: Path, tests: Sequence[str], patience: float) -> int:
    """Run pytest in a fork that leads its own group of processes.

    Returns:
        Its exit code, -1 if it takes too long.

    Raises:
        RuntimeError: pytest did not run the tests.
    """
    code = _forked(tree, tests, patience)
    if code in (NONE_FOUND, BROKEN):
        raise RuntimeError(f"pytest could not run {tests[0]} and {len(tests) - 1} more in {tree}: {code}")
    return code


def _forked(tree: Path, tests: Sequence[str], patience: float) -> int:
    child = os.fork()
    if child == 0:
        os.setsid()
        _run_tests(tree, tests)
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            _end_group(child)
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    _end_group(child)
    os.waitpid(child, 0)
    return -1


def _end_group(child: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


def _run_tests(tree: Path, tests: Sequence[str]) -> None:
    import pytest

    os.chdir(tree)
    os.environ["PYTHONPATH"] = str(tree)
    sys.dont_write_bytecode = True
    sys.path[:] = [str(tree), *(entry for entry in sys.path if entry not in ("", os.curdir))]
    for name in [
        name for name in sys.modules if name.split(".")[0] in ("ingest", "filters", "pipeline", "tests")
    ]:
        del sys.modules[name]
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    code = BROKEN
    try:
        code = int(pytest.main([*PYTEST_OPTIONS, *tests]))
    finally:
        os._exit(code)
