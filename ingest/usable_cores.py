"""How many cores this process may use."""

import os


def usable_cores() -> int:
    """Return the number of cores of this process; those of the machine where the system keeps no such set.

    Linux has one, macOS and Windows do not.
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
