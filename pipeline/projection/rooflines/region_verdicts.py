"""What limits a region: every counted memory level against its own ceiling, arithmetic against its own peak.

Whatever comes nearest to its ceiling limits the region if it reaches at least half of it: additions without
multiplications reach half of the peak, and STREAM's own kernels differ by a third. A region that comes near
to none spends its time on latency, or at a level that was not counted.
"""

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from ingest.counters.counted_work import LEVELS, Width, Work
from ingest.errors import UsageError
from ingest.units import BANDWIDTH, FLOP_RATE, NONE, Dimension, require_dimension

if TYPE_CHECKING:  # it would load the symbolic models, which reports do without
    from pipeline.projection.machines.machine_values import Machine

MEMORY_VALUES = {"threaded": "bw_node", "serial": "bw_numa"}
"""The value of a machine that limits traffic with memory, by the kind of a group."""
_LEVEL_VALUES = {"L3": "bw_l3", "L2": "bw_l2", "L1": "bw_l1"}
"""The values of a machine that limit traffic at the caches, all cores together."""
PEAK, SCALAR_PEAK, LATENCY = "peak_dp", "peak_scalar", "latency_memory"
ARITHMETIC = "arithmetic"
_ENOUGH = 0.5
_IMPOSSIBLE = 1.5  # of a ceiling: traffic beyond what STREAM shows, or a wrong counter or machine


class Resource(Enum):
    """What may limit computing."""

    MEMORY = "memory bandwidth"
    ARITHMETIC = "arithmetic"
    LATENCY = "memory latency"
    L3 = "third-level cache"
    L2 = "second-level cache"
    L1 = "first-level cache"
    CLOCK = "clock"


RESOURCES = tuple(Resource)
_LEVELS = {"DRAM": Resource.MEMORY} | {level: Resource[level] for level in _LEVEL_VALUES}
_COMPARED_BY: Mapping[Resource, tuple[str, ...]] = {
    Resource.MEMORY: (MEMORY_VALUES["threaded"],),
    Resource.ARITHMETIC: (PEAK, "hz"),
    Resource.LATENCY: (LATENCY, "hz"),
    **{Resource[level]: (value, "hz") for level, value in _LEVEL_VALUES.items()},
    Resource.CLOCK: ("hz",),
}


def compared_by(resource: Resource, here: Container[str], there: Container[str]) -> str | None:
    """Return by which value time that a resource limits goes over: the first that both machines state."""
    return next((value for value in _COMPARED_BY[resource] if value in here and value in there), None)


def own_value(resource: Resource) -> str:
    """Return the value that is the resource itself; another one only takes its place."""
    return _COMPARED_BY[resource][0]


TESTED_ERROR, UNTESTED_ERROR = 0.13, 0.42
"""Standard deviations (logarithm) of projections by resources, with and without counters that show which.

Latency is untested: counters show it by excluding all else. Tested: three projections of paper 003, of a
code known to be memory-bound, were 9.2 % off (rms); one more follows Student's t with three degrees of
freedom, as wide as a normal distribution of 13 %. Untested: OpenSBLI between seven public systems,
tests/pipeline/projection/test_public_pairs.py.
"""
COMMON_VARIANCE = 0.5
"""Of these errors: compilers and processors are the same for all of a program."""


class Bound(Enum):
    """What limits a region's time."""

    ASSUMED = "memory bandwidth, as assumed"
    MEMORY = "memory bandwidth"
    ARITHMETIC = "arithmetic"
    LATENCY = "latency"


@dataclass(frozen=True)
class Use:
    """What a region used of one resource: B/s or flop/s, and the ceiling of the cores it ran on."""

    rate: float
    ceiling: float

    @property
    def fraction(self) -> float:
        """Of the ceiling."""
        return self.rate / self.ceiling


@dataclass(frozen=True, kw_only=True)
class RegionVerdict:
    """What limits a region, and the figures behind it."""

    bound: Bound
    # where memory limits it, else the counted level that comes nearest to its ceiling; empty without one
    level: str = ""
    # by memory level and `ARITHMETIC`, those that were counted and for which the machine has a ceiling
    uses: Mapping[str, Use] = field(default_factory=dict)
    intensity: float = float("nan")  # flop/B at `level`; NaN if either was not counted
    # levels and `ARITHMETIC`, if they were not counted or have no ceiling and may be the limit
    not_judged: tuple[str, ...] = (*LEVELS, ARITHMETIC)
    # whether some cores' memory bandwidth is their share of the node's, for want of the bandwidth of one core
    proportional: bool = False

    @property
    def sentence(self) -> str:
        """What limits the region, with the figures, in words."""
        figures = [_figures(name, use) for name, use in self.uses.items()]
        if not math.isnan(self.intensity):
            figures.append(f"{self.intensity:.3g} flop/B at {self.level}")
        shown = f" ({', '.join(figures)})" if figures else ""
        if self.bound is Bound.ASSUMED:
            reason = "traffic with memory was not counted" if figures else "no counters to confirm it"
            if self.proportional:
                reason = "the machine has no bw_core for a run on some of its cores"
            return f"assumed to be memory-bound; {reason}{shown}"
        where = f" at {self.level}" if self.bound is Bound.MEMORY and self.level != "DRAM" else ""
        is_open = self.bound is Bound.LATENCY and self.not_judged
        others = f", or by {' or '.join(self.not_judged)}, not counted" if is_open else ""
        return f"limited by {self.bound.value}{where}{others}{shown}"

    @property
    def resource(self) -> Resource | None:
        """What its time follows on another machine; None if nothing was found."""
        if self.bound is Bound.MEMORY:
            return _LEVELS[self.level]
        return {Bound.ARITHMETIC: Resource.ARITHMETIC, Bound.LATENCY: Resource.LATENCY}.get(self.bound)

    @property
    def decides(self) -> bool:
        """Whether counters leave nothing open about `resource`."""
        is_open = self.bound is Bound.ASSUMED or (self.bound is Bound.LATENCY and bool(self.not_judged))
        return not is_open and all(use.fraction <= _IMPOSSIBLE for use in self.uses.values())

    @property
    def method_error(self) -> float:
        """Standard deviation of the logarithm of a projection by what limits the region."""
        tested = self.decides and self.bound is not Bound.LATENCY
        return TESTED_ERROR if tested else UNTESTED_ERROR

    @property
    def doubts(self) -> tuple[str, ...]:
        """A sentence for each thing that makes the verdict doubtful."""
        found = [
            f"{100 * use.fraction:.0f} % of the ceiling of {name}: a counter or the machine's value is wrong"
            for name, use in self.uses.items()
            if use.fraction > _IMPOSSIBLE
        ]
        if self.proportional:
            found.append(
                "memory bandwidth of some cores was taken as their share of the node's; state bw_core"
            )
        return tuple(found)


def _figures(name: str, use: Use) -> str:
    unit, of = ("Gflop/s", "peak") if name == ARITHMETIC else ("GB/s", "ceiling")
    fraction = 100 * use.fraction
    percent = f"{fraction:.0f}" if fraction >= 9.95 else f"{fraction:.2g}"
    rate = use.rate / 1e9
    shown = f"{rate:.3g}" if rate < 1000 else f"{rate:.0f}"
    return f"{name} {shown} {unit}, {percent} % of its {of}"


def verdict(
    work: Work, seconds: float, machine: "Machine", *, cores: int | None = None, kind: str = "threaded"
) -> RegionVerdict:
    """Return what limits a region on the machine it was measured on.

    Work is that of the cores of one node together, seconds are of the wall. The machine states ceilings of
    one node: ``bw_node``, and as far as levels were counted ``bw_l3``, ``bw_l2``, ``bw_l1``, ``peak_dp``;
    ``peak_scalar`` for narrower instructions; ``cores``, ``bw_core`` for runs on some cores; ``bw_numa`` for
    serial regions. The caches and peaks of k of n cores are k/n of the node's, memory is at most k times
    ``bw_core``. A ``threaded`` kind uses the memory of the node, a ``serial`` one of one NUMA domain.
    """
    share = _share(machine, kind, cores)
    ceilings = _ceilings(machine, kind, cores, share)
    uses = {
        level: Use(work.bytes[level] / seconds, ceilings[level])
        for level in LEVELS
        if level in work.bytes and level in ceilings
    }
    peak = _peak(work, machine, share)
    if not math.isnan(work.flop) and peak is not None:
        uses[ARITHMETIC] = Use(work.flop / seconds, peak)
    not_judged = _open_levels(work, seconds, ceilings) + (() if ARITHMETIC in uses else (ARITHMETIC,))
    apportioned = kind == "threaded" and share < 1 and "bw_core" not in machine.values
    proportional = "DRAM" in uses and apportioned
    nearest = max(
        (level for level in uses if level != ARITHMETIC), key=lambda n: uses[n].fraction, default=""
    )
    return RegionVerdict(
        bound=_bound(uses, not_judged, proportional),
        level=nearest,
        uses=uses,
        intensity=work.intensity(nearest) if nearest else float("nan"),
        not_judged=not_judged,
        proportional=proportional,
    )


def _bound(uses: Mapping[str, Use], not_judged: Sequence[str], proportional: bool) -> Bound:
    binding = max(uses, key=lambda name: uses[name].fraction, default="")
    if not binding or uses[binding].fraction < _ENOUGH:
        return Bound.ASSUMED if "DRAM" in not_judged else Bound.LATENCY
    if binding == "DRAM" and proportional:  # some cores may have more of the bandwidth than their share
        return Bound.ASSUMED
    return Bound.ARITHMETIC if binding == ARITHMETIC else Bound.MEMORY


def _open_levels(work: Work, seconds: float, ceilings: Mapping[str, float]) -> tuple[str, ...]:
    """Return the levels that may be the limit although they were not judged.

    What comes from farther away goes through the levels nearer to the core: traffic that was counted there
    bounds that of a level which was not counted.
    """
    found = []
    for place, level in enumerate(LEVELS):
        counted = [work.bytes[nearer] / seconds for nearer in LEVELS[place:] if nearer in work.bytes]
        judged = level in work.bytes and level in ceilings
        excluded = level in ceilings and counted and min(counted) < _ENOUGH * ceilings[level]
        if not judged and not excluded:
            found.append(level)
    return tuple(found)


def _ceilings(machine: "Machine", kind: str, cores: int | None, share: float) -> dict[str, float]:
    """Return the ceilings in B/s of the memory levels for some cores of a node."""
    name = MEMORY_VALUES[kind]
    memory = _value(machine, name, BANDWIDTH)
    if memory is None:
        raise UsageError(f"no value '{name}'", where=str(machine.path), hint="add it to [values]")
    one = _value(machine, "bw_core", BANDWIDTH)
    if kind == "threaded" and share < 1:
        memory = memory * share if one is None else min(memory, one * (cores or 1))
    caches = {level: _value(machine, name, BANDWIDTH) for level, name in _LEVEL_VALUES.items()}
    return {"DRAM": memory} | {level: top * share for level, top in caches.items() if top is not None}


def _share(machine: "Machine", kind: str, cores: int | None) -> float:
    """Return the share of the node's cores that ran; for a serial region that of a NUMA domain."""
    if kind == "serial":
        return 1 / (_value(machine, "numa_domains", NONE) or 1.0)
    every = _value(machine, "cores", NONE)
    return 1.0 if every is None or cores is None else min(cores / every, 1.0)


def _peak(work: Work, machine: "Machine", share: float) -> float | None:
    """Return the flop/s that the work's own mix of instructions can reach on that share of a node.

    Double precision in the widest vectors is the peak unless counters state the widths: an instruction on n
    elements reaches n times the scalar peak at most, single precision twice the peak of double precision.
    """
    widest, scalar = (_value(machine, name, FLOP_RATE) for name in (PEAK, SCALAR_PEAK))
    if widest is None:
        return None
    if not work.widths or work.flop <= 0:
        return widest * share
    least_time = sum(flop / width_peak(width, widest, scalar) for width, flop in work.widths.items())
    return share * work.flop / least_time


def width_peak(width: Width, widest: float, scalar: float | None) -> float:
    """Return the flop/s that instructions of a width can reach, from those of the widest and scalar."""
    precision, elements = width
    top = widest * (2.0 if precision == "sp" and elements > 1 else 1.0)
    return top if scalar is None else min(top, scalar * elements)


def _value(machine: "Machine", name: str, dimension: Dimension) -> float | None:
    """Return a value of the machine, None if it has none of that name."""
    quantity = machine.values.get(name)
    if quantity is None:
        return None
    return require_dimension(quantity, dimension, name, str(machine.path)).value
