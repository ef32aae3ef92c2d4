"""The roofline: attainable flop rate by computational intensity, and the regions of measured runs in it.

`pipeline.report` draws it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.projection.counters import work
from pipeline.projection.units import BANDWIDTH, FLOP_RATE, Dimension, Quantity

if TYPE_CHECKING:  # profiles bring all readers of counters
    from pipeline.projection.profile import Group


_NETWORK = "bw_network"


@dataclass(frozen=True)
class Ceiling:
    """A limit of the machine, named as in its file: bytes/s, or flop/s."""

    name: str
    value: float


@dataclass(frozen=True)
class Point:
    """A region as measured: flop/B at a memory level and flop/s of a node; `run` labels one of several."""

    name: str
    level: str
    intensity: float
    flop_rate: float
    run: str = ""


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
        values: its values; those in B/s named ``bw...``, but of the network, and in flop/s named ``peak...``
            are ceilings.
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
        if name.startswith(prefix) and quantity.dimension == dimension and not name.startswith(_NETWORK)
    ]
    return tuple(sorted(found, key=lambda ceiling: -ceiling.value))


def points_of(groups: "Iterable[Group]", run: str = "") -> list[Point]:
    """Return a point for every group and memory level that was counted, if operations were."""
    done = [(group, work(group.counters)) for group in groups]
    return [
        Point(group.name, level, counted.intensity(level), counted.flop / group.time.value, run)
        for group, counted in done
        for level in counted.bytes
        if counted.flop > 0
    ]
