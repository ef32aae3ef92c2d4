"""What else runs on this machine while something is measured, as Linux counts it."""

import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

from pipeline.projection.machines.node_figures import OtherLoad

_STAT = Path("/proc/stat")
_USED, _STOLEN = (0, 1, 2, 5, 6), 7  # user, nice, system, interrupts; steal
_LEAST_SECONDS = 1.0  # the times of processors are counted in hundredths of a second


def watch_other_load(stat: Path = _STAT) -> Callable[[], OtherLoad | None]:
    """Watch what other programs take of the processors, beside the children that are waited for meanwhile.

    Returns:
        A function that says it of the time up to then; None of less than a second, or if nothing counts it.
    """
    began, before, own = time.monotonic(), _counted(stat), _of_children()

    def found() -> OtherLoad | None:
        seconds, after = time.monotonic() - began, _counted(stat)
        if before is None or after is None or seconds < _LEAST_SECONDS:
            return None
        return OtherLoad(
            programs=(after[0] - before[0] - (_of_children() - own)) / seconds,
            stolen=(after[1] - before[1]) / seconds,
            processors=os.cpu_count() or 1,
            waiting=os.getloadavg()[0],
        )

    return found


def _counted(stat: Path) -> tuple[float, float] | None:
    """Return the seconds that all processors were used, and that they were stolen."""
    try:
        name, *ticks = stat.read_text().splitlines()[0].split()
        used, stolen = sum(int(ticks[place]) for place in _USED), int(ticks[_STOLEN])
    except (OSError, ValueError, IndexError):
        return None
    second = os.sysconf("SC_CLK_TCK")
    return (used / second, stolen / second) if name == "cpu" else None


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
