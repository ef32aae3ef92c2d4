"""The lock of a results directory: one writer at a time."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ingest.errors import UsageError
from pipeline.store.atomic import not_writable

LOCK = ".lock"


@contextmanager
def only_writer(directory: Path, notify: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a results directory; wait while another run holds it.

    The lock ends with the process, even if that is killed.

    Args:
        directory: is created if it does not exist.
        notify: is called with a sentence for the user if there is something to wait for or to doubt.

    Raises:
        UsageError: the directory cannot be created or written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_writable(directory, error) from error
    with _opened(directory) as handle:
        if not _acquired(handle, directory, notify):
            notify(f"another run is writing to {directory}; waiting")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextmanager
def between_runs(directory: Path, notify: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a results directory; refuse if a run holds it, since its result is not complete yet.

    Args:
        directory: an existing one.
        notify: as for `only_writer`.

    Raises:
        UsageError: a run holds the lock, or the directory cannot be written.
    """
    with _opened(directory) as handle:
        if not _acquired(handle, directory, notify):
            what, hint = "a run is writing to it", "try again when that run has ended"
            raise UsageError(what, where=str(directory), hint=hint)
        yield


@contextmanager
def _opened(directory: Path) -> Iterator[int]:
    """Open the lock file of a directory; closing it releases the lock."""
    try:
        handle = os.open(directory / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise not_writable(directory, error) from error
    try:
        yield handle
    finally:
        os.close(handle)  # the system does the same when the process is killed


def _acquired(handle: int, directory: Path, notify: Callable[[str], None]) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:  # file systems mounted without locks, such as Lustre without -o flock
        notify(f"{directory} cannot be locked ({error.strerror}): make sure that no other run writes to it")
    return True
