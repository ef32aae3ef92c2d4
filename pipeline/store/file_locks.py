"""Locks of open files that end with the process, as the operating system has them."""

import errno
import time
from typing import Any

_POLL_SECONDS = 0.1


def lock_at_once(handle: int) -> bool:
    """Take the lock of an open file; return whether it is held now, or another process holds it.

    Raises:
        OSError: the file system has no locks.
    """
    try:
        import fcntl
    except ModuleNotFoundError:
        return _lock_on_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock_when_free(handle: int) -> None:
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
