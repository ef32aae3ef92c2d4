"""Variants of a kernel: instruction counts and measured cycles, read from a CSV file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError
from pipeline.projection.csv_columns import read_columns
from pipeline.projection.ports.portmap import PortMap
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
            InputError: where there is none.
        """
        if name not in self.names:
            raise InputError(f"no variant '{name}'", hint=f"variants: {', '.join(self.names)}")
        return self.names.index(name)


def read_variants(path: Path, portmap: PortMap, *, where: Mapping[str, object] | None = None) -> Variants:
    """Return the variants in a CSV with ``variant``, ``instructions``, ``cycles`` and a column a class.

    Args:
        path: the file; further columns are ignored.
        portmap: whose classes are wanted.
        where: values that other columns have to hold, such as ``{"isa": "AVX2"}``.

    Raises:
        InputError: where the file cannot be read, a column is missing, or two variants have one name.
    """
    columns = read_columns(path)
    names = np.array(columns.texts("variant"))
    rows = columns.where(dict(where)) if where else np.ones(len(names), dtype=bool)
    chosen = tuple(names[rows].tolist())
    if len(set(chosen)) < len(chosen):
        repeated = next(name for name in chosen if chosen.count(name) > 1)
        raise InputError(
            f"variant '{repeated}' is there twice",
            where=str(path),
            hint="choose one instruction set and machine, or average repetitions",
        )
    return Variants(
        chosen,
        columns.numbers("instructions", NONE, rows),
        np.column_stack([columns.numbers(kind, NONE, rows) for kind in portmap.classes]),
        columns.numbers("cycles", NONE, rows),
    )
