"""The values of a machine that vector loops need, by the names its machine file gives them.

vector_length = 64                    elements of a vector register
element = "8 B"
peak.vector.m1 = "18 Gflop/s"         m1 multistreamed, m0 not; peak.scalar likewise
bandwidth.tl2.mv11.sl0 = "14 GB/s"    by temporal locality, MV score and spatial locality
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.projection.model import Model, symbol
from pipeline.projection.parse import Function
from pipeline.projection.quantity import Quantity
from pipeline.projection.units import BANDWIDTH, BYTES, FLOP_RATE, NONE, Dimension
from pipeline.projection.vector_loops.loop import LEVELS

Values: TypeAlias = Callable[[str], Model]
"""The model behind one of the names above."""


def cell(score: str, spatial: int, temporal: int) -> str:
    """Return the name of one cell of the bandwidth table."""
    return f"bandwidth.tl{temporal}.mv{score}.sl{spatial}"


def free_values(prefix: str = "mach") -> Values:
    """Return every value as a free symbol ``<prefix>.<name>``, to be bound to a machine later."""
    dimensions: tuple[tuple[str, Dimension], ...] = (
        ("peak", FLOP_RATE),
        ("bandwidth", BANDWIDTH),
        ("element", BYTES),
    )

    def value(name: str) -> Model:
        dimension = next((unit for start, unit in dimensions if name.startswith(start)), NONE)
        return symbol(f"{prefix}.{name}", dimension)

    return value


def machine_values(names: Mapping[str, Model | Function], prefix: str = "mach") -> Values:
    """Return the values of a machine among the names that an application's expressions may use."""

    def value(name: str) -> Model:
        found = names.get(f"{prefix}.{name}")
        if not isinstance(found, Model):
            raise UsageError(
                f"the machine does not state '{name}'",
                hint="take one with a bandwidth table, such as x1e, or add it to the machine file",
            )
        return found

    return value


def bandwidth_table(values: Mapping[str, Quantity], score: str) -> FloatArray:
    """Return float64[temporal, spatial], bytes per second of loops with an MV score.

    Args:
        values: the values of a machine by name.
        score: the MV score.

    Raises:
        UsageError: where the machine does not state a cell.
    """
    names = [[cell(score, sl, tl) for sl in range(LEVELS)] for tl in range(LEVELS)]
    missing = next((name for row in names for name in row if name not in values), None)
    if missing:
        raise UsageError(f"the machine does not state '{missing}'", hint=f'write {missing} = "8 GB/s"')
    return np.array([[values[name].value for name in row] for row in names])
