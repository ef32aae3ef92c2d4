"""The roofline: attainable flop rate by computational intensity, and what limits a measured group.

`pipeline.report` draws it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.projection.counters import work
from pipeline.projection.machine import Machine
from pipeline.projection.profile import Group
from pipeline.projection.units import BANDWIDTH, FLOP_RATE, Dimension, Quantity

BANDWIDTHS = {"threaded": "bw_node", "serial": "bw_numa"}
"""The value of a machine that limits a group, by its kind."""
PEAK = "peak_dp"
_ENOUGH = 0.5


@dataclass(frozen=True)
class Ceiling:
    """A limit of the machine, named as in its file: bytes/s, or flop/s."""

    name: str
    value: float


@dataclass(frozen=True)
class Point:
    """A region as measured: flop/B at a memory level, and flop/s."""

    name: str
    level: str
    intensity: float
    flop_rate: float


@dataclass(frozen=True)
class Roofline:
    """Ceilings and points of one machine, fastest ceiling first."""

    machine: str
    bandwidths: tuple[Ceiling, ...]
    peaks: tuple[Ceiling, ...]
    points: tuple[Point, ...] = ()

    def attainable(self, intensity: FloatArray, bandwidth: str, peak: str) -> FloatArray:
        """Return min(peak, bandwidth x intensity) in flop/s for intensities in flop/B."""
        flow = next(ceiling.value for ceiling in self.bandwidths if ceiling.name == bandwidth)
        top = next(ceiling.value for ceiling in self.peaks if ceiling.name == peak)
        limit: FloatArray = np.minimum(top, flow * intensity)
        return limit


def roofline(machine: str, values: Mapping[str, Quantity], points: Sequence[Point] = ()) -> Roofline:
    """Return the roofline of a machine.

    Args:
        machine: its name.
        values: its values; those in B/s named ``bw...`` and in flop/s named ``peak...`` are ceilings.
        points: regions to show in it.

    Raises:
        UsageError: it has no ceiling of one kind.
    """
    flows = _ceilings(values, "bw", BANDWIDTH)
    peaks = _ceilings(values, "peak", FLOP_RATE)
    if not flows or not peaks:
        lacking = "bandwidth 'bw_...' in B/s" if not flows else "peak 'peak_...' in flop/s"
        hint = "add it to the machine's [values]"
        raise UsageError(f"no {lacking} for a roofline", where=machine, hint=hint)
    return Roofline(machine, flows, peaks, tuple(points))


def _ceilings(values: Mapping[str, Quantity], prefix: str, dimension: Dimension) -> tuple[Ceiling, ...]:
    found = [
        Ceiling(name, quantity.value)
        for name, quantity in values.items()
        if name.startswith(prefix) and quantity.dimension == dimension
    ]
    return tuple(sorted(found, key=lambda ceiling: -ceiling.value))


class Bound(Enum):
    """What limits a group's time."""

    ASSUMED = "memory bandwidth, as assumed (no counters)"
    MEMORY = "memory bandwidth"
    COMPUTE = "compute"
    NEITHER = "neither memory bandwidth nor compute"


@dataclass(frozen=True, kw_only=True)
class GroupBound:
    """What limits a group, and the figures behind it.

    Attributes:
        group: its name.
        bound: what limits it.
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
        """What limits the group, in words."""
        if self.bound is Bound.ASSUMED:
            return f"{self.group}: assumed to be memory-bound; no counters to confirm it"
        figures = f"{self.intensity:.3g} flop/B at {self.level}, {100 * self.fraction:.0f} % of the bandwidth"
        return f"{self.group}: limited by {self.bound.value} ({figures})"


def bound_of(group: Group, machine: Machine) -> GroupBound:
    """Return what limits a group on the machine it was measured on.

    Left of the ridge of the roofline and with at least half of the measured bandwidth it is memory; right of
    the ridge it is arithmetic; left of it with less bandwidth it is neither (latency, imbalance, waiting).

    Raises:
        UsageError: the machine lacks the bandwidth, or the peak that counters are compared with.
    """
    limit = _value(machine, BANDWIDTHS[group.kind], BANDWIDTH)
    done = work(group.counters)
    level = done.farthest
    if level is None or np.isnan(done.flop):
        return GroupBound(group=group.name, bound=Bound.ASSUMED)
    flow = done.bytes[level] / group.time.value
    intensity = done.intensity(level)
    if intensity >= _value(machine, PEAK, FLOP_RATE) / limit:
        bound = Bound.COMPUTE
    else:
        bound = Bound.MEMORY if flow >= _ENOUGH * limit else Bound.NEITHER
    return GroupBound(
        group=group.name, bound=bound, intensity=intensity, bandwidth=flow, fraction=flow / limit, level=level
    )


def _value(machine: Machine, name: str, dimension: Dimension) -> float:
    if name not in machine.values:
        raise UsageError(f"no value '{name}'", where=str(machine.path), hint="add it to [values]")
    quantity = machine.values[name]
    if quantity.dimension != dimension:
        what = f"unit mismatch: '{name}' has to be in {dimension}, it is in {quantity.dimension}"
        raise UsageError(what, where=str(machine.path), hint="correct its unit")
    return quantity.value
