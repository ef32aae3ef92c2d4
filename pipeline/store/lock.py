"""One writer at a time in a results directory."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ingest.errors import UsageError
from pipeline.store.atomic import not_writable

LOCK = ".lock"


@contextmanager
def only_writer(directory: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Hold a results directory for one run; another run waits until this one has ended, however it ends.

    Args:
        directory: made where it is not there.
        tell: takes a sentence for the user where there is something to wait for or to doubt.

    Raises:
        UsageError: where the directory cannot be made or written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_writable(directory, error) from error
    with _opened(directory) as handle:
        if not _acquired(handle, directory, tell):
            tell(f"another run is writing to {directory}; waiting")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextmanager
def between_runs(directory: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Hold a results directory for a moment, unless a run does: what it writes is no whole result yet.

    Args:
        directory: one that is there.
        tell: as for `only_writer`.

    Raises:
        UsageError: where a run holds it, or it cannot be written.
    """
    with _opened(directory) as handle:
        if not _acquired(handle, directory, tell):
            what, hint = "a run is writing to it", "try again when that run has ended"
            raise UsageError(what, where=str(directory), hint=hint)
        yield


@contextmanager
def _opened(directory: Path) -> Iterator[int]:
    """Open the file that stands for a directory's lock; closing it gives the lock back."""
    try:
        handle = os.open(directory / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise not_writable(directory, error) from error
    try:
        yield handle
    finally:
        os.close(handle)  # the system does the same when the process is killed


def _acquired(handle: int, directory: Path, tell: Callable[[str], None]) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:  # file systems mounted without locks, such as Lustre without -o flock
        tell(f"{directory} cannot be locked ({error.strerror}): let no other run write to it")
    return True
