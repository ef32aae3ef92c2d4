"""What else runs on this machine while something is measured, as Linux counts it."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_STAT = Path("/proc/stat")
_USED, _STOLEN = (0, 1, 2, 5, 6), 7  # user, nice, system, interrupts; steal
_NOTED, _TOO_MUCH = 0.03, 0.2  # of the processors, used by others
_LEAST_SECONDS = 1.0  # the times of processors are counted in hundredths of a second


@dataclass(frozen=True, kw_only=True)
class OtherLoad:
    """What others used of a machine while it was measured, in processors.

    Attributes:
        programs: of this machine.
        stolen: by other virtual machines.
        processors: all of the machine.
        waiting: load average at the end, with what was measured.
    """

    programs: float
    stolen: float
    processors: int
    waiting: float

    @property
    def share(self) -> float:
        """Which part of the processors others used, below 1; what is hardly anything counts as nothing."""
        share = (self.programs + self.stolen) / self.processors
        return 0.0 if share <= _NOTED else min(share, 0.99)

    @property
    def too_much(self) -> bool:
        """Whether figures are not to be relied on."""
        return self.share > _TOO_MUCH

    def sentence(self) -> str:
        """Say who used how much, and what to do; nothing if that is little."""
        if not self.share:
            return ""
        stolen = f", other virtual machines {self.stolen:.1f}" if self.stolen >= 0.1 else ""
        used = (
            f"other programs used {max(self.programs, 0.0):.1f} of {self.processors} processors{stolen} "
            f"meanwhile (load average {self.waiting:.1f})"
        )
        if self.too_much:
            return (
                f"this machine is too busy to be measured: {used}; do not rely on these values, measure "
                "again on an idle node, such as in a job that has it alone (srun --exclusive)"
            )
        return f"this machine was busy: {used}; spreads hold what that may have cost, an idle node has less"


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
    used = os.times()
    return used.children_user + used.children_system
