"""The roofline: attainable flop rate by computational intensity under a machine's ceilings.

These are the data of a plot; `pipeline.report` draws it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.projection.quantity import Quantity
from pipeline.projection.units import BANDWIDTH, FLOP_RATE


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

    def ridge(self, bandwidth: str, peak: str) -> float:
        """Return the intensity, flop/B, where a bandwidth stops being the limit."""
        flow = next(ceiling.value for ceiling in self.bandwidths if ceiling.name == bandwidth)
        return next(ceiling.value for ceiling in self.peaks if ceiling.name == peak) / flow


def roofline(machine: str, values: Mapping[str, Quantity], points: Sequence[Point] = ()) -> Roofline:
    """Return the roofline of a machine.

    Args:
        machine: its name.
        values: its values; those in B/s named ``bw...`` and in flop/s named ``peak...`` are ceilings.
        points: regions to show in it.

    Raises:
        UsageError: where it has no ceiling of either kind.
    """
    flows = _ceilings(values, "bw", BANDWIDTH)
    peaks = _ceilings(values, "peak", FLOP_RATE)
    if not flows or not peaks:
        lacking = "bandwidth 'bw_...' in B/s" if not flows else "peak 'peak_...' in flop/s"
        raise UsageError(
            f"no {lacking} for a roofline", where=machine, hint="add it to the machine's [values]"
        )
    return Roofline(machine, flows, peaks, tuple(points))


def _ceilings(values: Mapping[str, Quantity], prefix: str, dimension: object) -> tuple[Ceiling, ...]:
    found = [
        Ceiling(name, quantity.value)
        for name, quantity in values.items()
        if name.startswith(prefix) and quantity.dimension == dimension
    ]
    return tuple(sorted(found, key=lambda ceiling: -ceiling.value))
