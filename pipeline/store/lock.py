"""Locks: one writer at a time of a results directory or a file, one campaign at a time on a machine."""

import errno
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from ingest.errors import UsageError, one_line
from pipeline.store.atomic import not_writable

_POLL_SECONDS = 0.1
LOCK = ".lock"
Notify: TypeAlias = Callable[[str], None]
"""Is called at once with a sentence that the user should know; it changes no result."""


@contextmanager
def only_writer(directory: Path, notify: Notify) -> Iterator[None]:
    """Hold the lock of a results directory, made if it does not exist; wait while another run holds it.

    The lock ends with the process, even if that is killed. `notify` is called with a sentence for the user if
    there is something to wait for or to doubt. UsageError if the directory cannot be created or written.
    """
    with _opened(directory / LOCK, directory) as handle:
        if not _acquired(handle, directory, notify):
            notify(f"another run is writing to {directory}; waiting")
            _lock_when_free(handle)
        yield


@contextmanager
def only_writer_of(file: Path, notify: Notify) -> Iterator[None]:
    """Hold the lock of a file, which lies beside it; wait while another command holds it, as `only_writer`.

    What is no regular file, such as /dev/null, has none. UsageError if the directory cannot be written.
    """
    if file.exists() and not file.is_file():
        yield
        return
    with _opened(file.with_name(f".{file.name}{LOCK}"), file) as handle:
        if not _acquired(handle, file, notify):
            notify(f"another command is writing to {file}; waiting")
            _lock_when_free(handle)
        yield


@contextmanager
def between_runs(directory: Path, notify: Notify) -> Iterator[None]:
    """Hold the lock of a results directory; UsageError if a run holds it, or it cannot be written."""
    with _opened(directory / LOCK, directory) as handle:
        if not _acquired(handle, directory, notify):
            what, hint = "a run is writing to it", "try again when that run has ended"
            raise UsageError(what, where=str(directory), hint=hint)
        yield


@contextmanager
def only_campaign_here(description: Path, notify: Notify) -> Iterator[tuple[int, ...]]:
    """Hold the lock of this machine and user under which runs are measured; wait while another holds it.

    Yields what the runs have to inherit (none if there is no lock): a run that outlives this process keeps
    the lock until it ends. The description of the campaign is for the notice to another that waits.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    folder = Path(runtime if runtime and Path(runtime).is_dir() else tempfile.gettempdir())
    path = folder / f"pipeline-campaign-{os.getuid()}{LOCK}"
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        notify(f"{path} cannot be locked ({error.strerror}): make sure that no other campaign runs here")
        yield ()
        return
    try:
        if not _acquired(handle, path, notify):
            holder = one_line(os.pread(handle, 4096, 0).decode(errors="replace"))
            notify(f"{holder or 'another campaign'} is running on this machine; waiting")
            _lock_when_free(handle)
        os.ftruncate(handle, 0)
        os.pwrite(handle, os.fsencode(description), 0)
        yield (handle,)
    finally:
        os.close(handle)


@contextmanager
def _opened(lock: Path, locked: Path) -> Iterator[int]:
    """Open a lock file, in a directory that is made if it is missing; closing it releases the lock."""
    try:
        of_another_user = lock.exists() and not os.access(lock, os.W_OK)
        lock.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(lock, os.O_RDONLY if of_another_user else os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise not_writable(locked, error) from error
    try:
        yield handle
    finally:
        os.close(handle)  # the system does the same when the process is killed


def _acquired(handle: int, locked: Path, notify: Notify) -> bool:
    try:
        return _lock_at_once(handle)
    except OSError as error:  # file systems mounted without locks, such as Lustre without -o flock
        notify(f"{locked} cannot be locked ({error.strerror}): make sure that no other run writes to it")
    return True


def _lock_at_once(handle: int) -> bool:
    """Take the lock of an open file; return whether it is held now, or another process holds it."""
    try:
        import fcntl
    except ModuleNotFoundError:
        return _lock_on_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_when_free(handle: int) -> None:
    """Wait until no other process holds the lock of an open file, and take it."""
    try:
        import fcntl
    except ModuleNotFoundError:
        while not _lock_on_windows(handle):
            time.sleep(_POLL_SECONDS)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX)


def _lock_on_windows(handle: int) -> bool:
    """Lock the first byte, which may lie beyond the end of the file."""
    import msvcrt

    windows: Any = msvcrt  # whose functions are declared for Windows only
    try:
        windows.locking(handle, windows.LK_NBLCK, 1)
    except OSError as error:
        if error.errno in {errno.EACCES, errno.EDEADLK}:
            return False
        raise
    return True
