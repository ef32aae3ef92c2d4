"""The values of a machine that vector loops need, and its bandwidth table read both ways.

vector_length = 64                    elements of a vector register
element = "8 B"
peak.vector.m1 = "18 Gflop/s"         m1 multistreamed, m0 not; peak.scalar likewise
bandwidth.tl2.mv11.sl0 = "14 GB/s"    by temporal locality, MV score and spatial locality

The paper assigns levels of locality by hand from observed bandwidths (section 4.1); `nearest_localities`
does the same. The table has cells of equal value, so the answer need not be unique.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.projection.model import Model
from pipeline.projection.parse import Names
from pipeline.projection.units import Quantity

LEVELS = 3
"""Levels of spatial and of temporal locality: 0 extremely low, 1 moderate, 2 extremely high."""
Values: TypeAlias = Callable[[str], Model]
"""Returns the value of a machine by one of the names above."""

_EQUAL = 1e-6


def cell(score: str, spatial: int, temporal: int) -> str:
    """Return the name of one cell of the bandwidth table."""
    return f"bandwidth.tl{temporal}.mv{score}.sl{spatial}"


def machine_values(names: Names) -> Values:
    """Return the values of the target machine among the names that an application's expressions may use."""

    def value(name: str) -> Model:
        found = names.get(f"mach.{name}")
        if not isinstance(found, Model):
            hint = "choose one with a bandwidth table, such as x1e, or add it to the machine file"
            raise UsageError(f"the machine does not define '{name}'", hint=hint)
        return found

    return value


def bandwidth_table(values: Mapping[str, Quantity], score: str) -> FloatArray:
    """Return float64[temporal, spatial], bytes per second of loops with an MV score.

    Args:
        values: the values of a machine by name.
        score: the MV score.

    Raises:
        UsageError: the machine does not state a cell.
    """
    names = [[cell(score, sl, tl) for sl in range(LEVELS)] for tl in range(LEVELS)]
    missing = next((name for row in names for name in row if name not in values), None)
    if missing:
        raise UsageError(f"the machine does not define '{missing}'", hint=f'write {missing} = "8 GB/s"')
    return np.array([[values[name].value for name in row] for row in names])


@dataclass(frozen=True)
class Locality:
    """A cell of the bandwidth table: levels of spatial and temporal locality, and its bandwidth in B/s."""

    spatial: int
    temporal: int
    bandwidth: float


def nearest_localities(table: FloatArray, observed: float) -> tuple[Locality, ...]:
    """Return the cells whose bandwidth is nearest to the observed one by ratio, all of them if several are.

    Args:
        table: float64[temporal, spatial], bandwidths for the loop's MV score, B/s.
        observed: the loop's bandwidth, B/s.

    Raises:
        UsageError: it is not positive.
    """
    if not observed > 0:
        raise UsageError(f"an observed bandwidth of {observed:g} B/s", hint="give a positive number")
    distance = np.abs(np.log(table / observed))
    cells = np.argwhere(distance <= distance.min() + _EQUAL)
    return tuple(Locality(int(sl), int(tl), float(table[tl, sl])) for tl, sl in cells)


def share_of_peak(table: FloatArray, observed: float) -> float:
    """Return an observed bandwidth as a fraction of the highest of its MV score."""
    return observed / float(table.max())
