"""What limits a group on the machine it was measured on: memory, arithmetic, or neither."""

from dataclasses import dataclass
from enum import Enum

from ingest.errors import UsageError
from pipeline.projection.counters import Work, work
from pipeline.projection.groups import Group
from pipeline.projection.machine import Machine
from pipeline.projection.units import BANDWIDTH, FLOP_RATE, Dimension

BANDWIDTHS = {"threaded": "bw_node", "serial": "bw_numa"}
PEAK = "peak_dp"
_ENOUGH = 0.5


class Bound(Enum):
    """What a group's time follows."""

    ASSUMED = "memory bandwidth, as assumed: no counters"
    MEMORY = "memory bandwidth"
    COMPUTE = "arithmetic"
    NEITHER = "neither memory bandwidth nor arithmetic"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What limits a group, and the figures it is judged by.

    Attributes:
        group: its name.
        bound: the verdict.
        intensity: flop/B at the counted level nearest to memory; NaN without counters.
        bandwidth: bytes/s there; NaN without counters.
        fraction: of the machine's bandwidth of that kind.
        level: where bytes were counted; empty without counters.
    """

    group: str
    bound: Bound
    intensity: float = float("nan")
    bandwidth: float = float("nan")
    fraction: float = float("nan")
    level: str = ""

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.bound is Bound.ASSUMED:
            return f"{self.group}: taken to be limited by memory bandwidth, not tested (no counters)"
        figures = f"{self.intensity:.3g} flop/B at {self.level}, {self.fraction:.0%} of the bandwidth"
        return f"{self.group}: limited by {self.bound.value} ({figures})"


def judge(group: Group, machine: Machine) -> Verdict:
    """Return what limits a group on the machine it was measured on.

    Left of the ridge of the roofline and with at least half of the measured bandwidth it is memory; right of
    the ridge it is arithmetic; left of it with less bandwidth it is neither (latency, imbalance, waiting).

    Raises:
        UsageError: where the machine lacks the bandwidth, or the peak that counters are compared with.
    """
    limit = value_of(machine, BANDWIDTHS[group.kind], BANDWIDTH)
    done: Work = work(group.counters)
    level = done.farthest
    if level is None or done.flop != done.flop:
        return Verdict(group=group.name, bound=Bound.ASSUMED)
    flow = done.bytes[level] / group.time.value
    peak = value_of(machine, PEAK, FLOP_RATE)
    intensity = done.intensity(level)
    if intensity >= peak / limit:
        bound = Bound.COMPUTE
    else:
        bound = Bound.MEMORY if flow >= _ENOUGH * limit else Bound.NEITHER
    return Verdict(
        group=group.name, bound=bound, intensity=intensity, bandwidth=flow, fraction=flow / limit, level=level
    )


def value_of(machine: Machine, name: str, dimension: Dimension) -> float:
    """Return a value of a machine in SI units.

    Raises:
        UsageError: where it has none, or one that measures something else.
    """
    if name not in machine.values:
        raise UsageError(f"no value '{name}'", where=str(machine.path), hint="add it to [values]")
    quantity = machine.values[name]
    if quantity.dimension != dimension:
        what = f"unit mismatch: '{name}' has to be in {dimension}, it is in {quantity.dimension}"
        raise UsageError(what, where=str(machine.path), hint="correct its unit")
    return quantity.value
