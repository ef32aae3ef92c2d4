"""Variants of a kernel: instruction counts and measured cycles, from a CSV file."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import InputError
from pipeline.projection.csv_columns import Columns
from pipeline.projection.ports.port_map import REFINES, PortMap
from pipeline.projection.units import NONE


@dataclass(frozen=True, eq=False)
class Variants:
    """n variants of one kernel on one machine and instruction set.

    Attributes:
        names: what each is called.
        instructions: float64[n], all instructions per iteration.
        counts: float64[n, class], instructions per iteration in the order of a port map's classes.
        cycles: float64[n], measured cycles per iteration.
    """

    names: tuple[str, ...]
    instructions: FloatArray
    counts: FloatArray
    cycles: FloatArray

    def index(self, name: str) -> int:
        """Return the place of the variant of that name.

        Raises:
            InputError: there is none.
        """
        if name not in self.names:
            raise InputError(f"no variant '{name}'", hint=f"variants: {', '.join(self.names)}")
        return self.names.index(name)


def variants_in(columns: Columns, portmap: PortMap, *, where: Mapping[str, object] | None = None) -> Variants:
    """Return the variants in a table with ``variant``, ``instructions``, ``cycles`` and one column per class.

    Args:
        columns: the table; further columns are ignored. The column of a class that refines another may be
            missing.
        portmap: whose classes are wanted.
        where: values that other columns have to hold, such as ``{"isa": "AVX2"}``.

    Raises:
        InputError: a column is missing, or two variants have the same name.
    """
    names = np.array(columns.texts("variant"))
    rows = columns.matching(where or {})
    chosen = tuple(names[rows].tolist())
    if len(set(chosen)) < len(chosen):
        repeated = next(name for name in chosen if chosen.count(name) > 1)
        hint = "choose one instruction set and machine, or average repetitions"
        raise InputError(f"variant '{repeated}' is defined twice", where=columns.where, hint=hint)
    return Variants(
        chosen,
        columns.numbers("instructions", NONE, rows),
        np.column_stack([_counts(columns, kind, rows) for kind in portmap.classes]),
        columns.numbers("cycles", NONE, rows),
    )


def _counts(columns: Columns, kind: str, rows: BoolArray) -> FloatArray:
    """Return the counts of a class, 0 if the table has counted it in the class that it refines."""
    if kind not in columns.cells and REFINES.get(kind) in columns.cells:
        return np.zeros(int(np.count_nonzero(rows)))
    return columns.numbers(kind, NONE, rows)
