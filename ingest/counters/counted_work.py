"""Hardware counters by name: what one count is worth in floating-point operations or in bytes moved.

Tools name counters differently: `hardware_counters.canonical` brings the spellings of PAPI, Score-P, TAU,
Caliper, likwid and perf together. A set lists counters that add up to one quantity; the first set with a
measured counter is used, so that nothing is counted twice. A new counter is a row in one of the sets of
`counted_work.toml`.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TypeAlias

from ingest.hardware_counters import canonical

LEVELS = ("DRAM", "L3", "L2", "L1")
"""Where bytes are counted, the farthest first: between memory and caches, below L2, below L1, at the core."""

Width: TypeAlias = tuple[str, int]
"""Precision (``dp`` or ``sp``) and number of elements that one instruction works on."""

_SETS = tomllib.loads((files(__package__) / "counted_work.toml").read_text("utf-8"))
_FLOP_SETS: Sequence[Mapping[str, float]] = _SETS["flop"]
_BYTE_SETS: Mapping[str, Sequence[Mapping[str, float]]] = _SETS["bytes"]
_PRECISION = {"SINGLE": "sp", "DOUBLE": "dp", "X87": "dp"}
_WIDTHS: Mapping[str, Width] = {  # of every counter that states them
    name: (_PRECISION[name.rpartition("_")[2]], round(elements))
    for entry in _FLOP_SETS
    for name, elements in entry.items()
    if name.rpartition("_")[2] in _PRECISION
}


@dataclass(frozen=True)
class Work:
    """The work that counters show."""

    flop: float  # floating-point operations; NaN if not counted
    bytes: Mapping[str, float]  # bytes moved by level, only levels that were counted
    # how `flop` divides over instructions of different width; empty if the counters do not show it
    widths: Mapping[Width, float] = field(default_factory=dict)

    def intensity(self, level: str) -> float:
        """Return flop per byte at a level that was counted."""
        return self.flop / self.bytes[level] if self.bytes[level] > 0 else float("inf")

    def scaled(self, factor: float) -> "Work":
        """Return so many times the work, such as one node's part."""
        moved = {level: value * factor for level, value in self.bytes.items()}
        return Work(self.flop * factor, moved, {width: flop * factor for width, flop in self.widths.items()})

    @property
    def counted(self) -> bool:
        """Whether any counter was known."""
        return not math.isnan(self.flop) or bool(self.bytes)


def known(name: str) -> bool:
    """Return whether a counter of that name is in one of the sets."""
    sets = [*_FLOP_SETS, *(entry for level in _BYTE_SETS.values() for entry in level)]
    return any(canonical(name) in entry for entry in sets)


def work(counters: Mapping[str, float]) -> Work:
    """Return operations and bytes from counters by name; counters of other names are ignored.

    The names may be those of the metrics of a profile, so that this also serves for a kernel of a study.
    Several spellings of one counter, such as one for each memory controller, are added up.
    """
    values: dict[str, float] = {}
    for name, value in counters.items():
        values[canonical(name)] = values.get(canonical(name), 0.0) + value
    flop = _first(_FLOP_SETS, values)
    moved = {level: _first(sets, values) for level, sets in _BYTE_SETS.items()}
    widths: dict[Width, float] = {}
    for name, value in ({} if flop is None else flop).items():
        if name in _WIDTHS:
            widths[_WIDTHS[name]] = widths.get(_WIDTHS[name], 0.0) + value
    return Work(
        float("nan") if flop is None else sum(flop.values()),
        {level: sum(parts.values()) for level, parts in moved.items() if parts is not None},
        widths,
    )


def _first(sets: Sequence[Mapping[str, float]], values: Mapping[str, float]) -> dict[str, float] | None:
    """Return what the counters of the first set with a measured one are worth, by counter."""
    for entry in sets:
        if any(name in values for name in entry):
            return {name: worth * values[name] for name, worth in entry.items() if name in values}
    return None
