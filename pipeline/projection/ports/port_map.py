"""Port maps: which execution ports take which class of instruction, and variants of a kernel.

A map has the cycles that an instruction of a class occupies its port according to the vendor's manual; what
it really costs is fitted to the variants. A new processor is a TOML file in ``maps/``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import InputError, UsageError
from ingest.toml_table import TomlTable, read_toml
from pipeline.projection.expressions.shipped_files import find
from pipeline.projection.expressions.units import NONE
from pipeline.projection.fitting.measured_columns import MeasuredColumns

_KEYS = ("name", "isa", "source", "ports", "classes", "wide")
CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "division": ("div",),
    "floating point": ("mul", "add", "compare"),
    "integer": ("shuffle", "cross", "vector", "logic", "predicate", "alu", "branch", "idiv"),
    "store": ("store",),
}
"""The paper's four categories for the superscalar model; loads are in none."""

_DIVISIONS = tuple(
    f"{kind}{single}{width}"
    for kind in ("div", "sqrt")
    for single in ("", "_single")
    for width in ("", "_128", "_256", "_512")
    if kind + single + width != "div"
)
REFINES: Mapping[str, str] = {
    **dict.fromkeys((*_DIVISIONS, "idiv"), "div"),
    **{"compare": "add", "cross": "shuffle", "logic": "vector"},
}
"""Classes that a map need not have: their instructions then count for the class on the right."""
WIDENED = frozenset(("mul", "add", "compare", "shuffle", "cross", "vector", "logic"))
"""Classes whose 512-bit instructions count `wide` times."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PortMap:
    """The ports of a processor core and the classes of instructions that may use them.

    Attributes:
        isa: the instruction set whose class table fits, ``x86-64`` or ``aarch64``.
        allowed: bool[class, port], whether a class may be issued to a port.
        occupancy: float64[class], cycles an instruction occupies its port by the manual, at least 1.
        counted_as: for instructions that occupy the ports of a class for other cycles, such as wider
            divisions: the class, and how many of its instructions one counts as.
        wide: how many 256-bit instructions a 512-bit one counts as.
    """

    name: str
    isa: str
    source: str
    ports: tuple[str, ...]
    classes: tuple[str, ...]
    allowed: BoolArray
    occupancy: FloatArray
    counted_as: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    wide: float = 1.0

    def weighted(self, name: str) -> tuple[str, float]:
        """Return the class of the map that instructions of a class count for, and how many times.

        A class that the map does not have and that refines none of its classes is returned as it is.
        """
        if name in self.classes:
            return name, 1.0
        if name in self.counted_as:
            return self.counted_as[name]
        return self.weighted(REFINES[name]) if name in REFINES else (name, 1.0)


def read_port_map(name: str | Path) -> PortMap:
    """Return the port map in that TOML file or, if there is none, the shipped one of that name.

    Raises:
        UsageError: there is neither.
        InputError: the file is not a port map.
    """
    return port_map(read_toml(find("port map", name)))


def port_map(table: TomlTable) -> PortMap:
    """Return the map that a TOML table describes.

    Raises:
        InputError: a key is missing or unknown, or a class names no port or one that is not listed.
    """
    table.check_keys(_KEYS)
    ports, entries = table.names("ports"), table.table("classes").named_tables()
    if not entries:
        raise table.error("classes", "is missing", "write [classes]")
    for entry in entries.values():
        entry.check_keys(("ports", "cycles", "like"))
    likes = {name: entry for name, entry in entries.items() if "like" in entry}
    entries = {name: entry for name, entry in entries.items() if name not in likes}
    return PortMap(
        name=table.text("name"),
        isa=table.text("isa"),
        source=table.text("source", ""),
        ports=ports,
        classes=tuple(entries),
        allowed=np.array([_allowed(name, entry, ports) for name, entry in entries.items()], dtype=bool),
        occupancy=np.array([_occupancy(entry) for entry in entries.values()], dtype=np.float64),
        counted_as={name: _counted_as(name, entry, entries) for name, entry in likes.items()},
        wide=table.number("wide", 1, least=1),
    )


def _counted_as(name: str, entry: TomlTable, entries: Mapping[str, TomlTable]) -> tuple[str, float]:
    like = entry.text("like")
    if like not in entries or "ports" in entry:
        hint = "name a class that has ports, and give no ports"
        raise InputError(f"class '{name}' is like '{like}'", where=entry.where, hint=hint)
    return like, _occupancy(entry) / _occupancy(entries[like])


def _allowed(name: str, entry: TomlTable, ports: Sequence[str]) -> list[bool]:
    given = entry.content.get("ports")
    if not isinstance(given, list) or not given or not all(port in ports for port in given):
        hint = f"list some of {', '.join(ports)}"
        raise InputError(f"class '{name}' does not name its ports", where=entry.where, hint=hint)
    return [port in given for port in ports]


def _occupancy(entry: TomlTable) -> float:
    return entry.number("cycles", 1, least=1)


def superscalar(
    portmap: PortMap, categories: Mapping[str, tuple[str, ...]] = CATEGORIES
) -> tuple[PortMap, FloatArray]:
    """Return a map in which each category of classes has one port of its own (paper 000, Eq. 6).

    The second value, float64[class, category], turns counts of the map's classes into counts of categories.
    """
    names = tuple(categories)
    members = np.array([[kind in categories[name] for name in names] for kind in portmap.classes])
    least = np.where(members, portmap.occupancy[:, None], np.inf).min(axis=0)
    occupancy = np.where(np.isfinite(least), least, 1.0)
    ports = np.eye(len(names), dtype=bool)
    apart = PortMap(
        name=f"{portmap.name}, superscalar",
        isa=portmap.isa,
        source="",
        ports=names,
        classes=names,
        allowed=ports,
        occupancy=occupancy,
    )
    return apart, members.astype(np.float64)


def class_vector(portmap: PortMap, values: Mapping[str, float], *, missing: float = 0.0) -> FloatArray:
    """Return float64[class] in the map's order from values by class name.

    Raises:
        UsageError: a class is not in the map.
    """
    unknown = sorted(set(values) - set(portmap.classes))
    if unknown:
        hint = f"its classes are {', '.join(portmap.classes)}"
        raise UsageError(f"{portmap.name} has no instruction class '{unknown[0]}'", hint=hint)
    return np.array([float(values.get(name, missing)) for name in portmap.classes])


@dataclass(frozen=True, eq=False)
class Variants:
    """n variants of one kernel on one machine and instruction set.

    Attributes:
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


def variants_in(
    columns: MeasuredColumns, portmap: PortMap, *, where: Mapping[str, object] | None = None
) -> Variants:
    """Return the variants in a table with ``variant``, ``instructions``, ``cycles`` and one column per class.

    Args:
        columns: the table; further columns are ignored. The column of a class that refines another may be
            missing.
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


def _counts(columns: MeasuredColumns, kind: str, rows: BoolArray) -> FloatArray:
    """Return the counts of a class, 0 if the table has counted it in the class that it refines."""
    if kind not in columns.cells and REFINES.get(kind) in columns.cells:
        return np.zeros(int(np.count_nonzero(rows)))
    return columns.numbers(kind, NONE, rows)
