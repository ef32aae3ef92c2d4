"""Port maps: which execution ports take which class of instruction, read from small TOML files.

A map holds structure (ports, classes, which class may go where) and one number a class, the cycles that the
vendor's manual says an instruction of it keeps its port. What it really costs is fitted from measurements.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import InputError, UsageError
from pipeline.projection.toml_tables import Table, check_keys, read_toml, table_at, text_at

_SHIPPED = Path(__file__).parent / "maps"
_KEYS = ("name", "isa", "source", "ports", "classes")
CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "division": ("div",),
    "floating point": ("mul", "add"),
    "integer": ("shuffle", "vector", "predicate", "alu", "branch"),
    "store": ("store",),
}
"""The paper's four categories for the superscalar model; loads are in none."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PortMap:
    """The ports of a processor core and the classes of instructions that may use them.

    Attributes:
        name: the microarchitecture.
        isa: the instruction set whose class table fits, ``x86-64`` or ``aarch64``.
        source: where the map was taken from.
        ports: names of the ports.
        classes: names of the instruction classes.
        allowed: bool[class, port], whether a class may be issued to a port.
        occupancy: float64[class], cycles an instruction keeps its port by the manual, at least 1.
    """

    name: str
    isa: str
    source: str
    ports: tuple[str, ...]
    classes: tuple[str, ...]
    allowed: BoolArray
    occupancy: FloatArray


def shipped_port_maps() -> tuple[str, ...]:
    """Return the names of the maps that come with this package, in alphabetical order."""
    return tuple(sorted(path.stem for path in _SHIPPED.glob("*.toml")))


def read_port_map(name: str | Path) -> PortMap:
    """Return the port map in that TOML file or, where there is none, the shipped one of that name.

    Raises:
        UsageError: where there is neither.
        InputError: where the file is no TOML or not a port map.
    """
    path = Path(name)
    if not path.is_file():
        path = _SHIPPED / f"{path.name.removesuffix('.toml')}.toml"
    if not path.is_file():
        known = ", ".join(shipped_port_maps())
        raise UsageError("no such port map", where=str(name), hint=f"give a TOML file or one of {known}")
    return port_map(read_toml(path), where=str(path))


def port_map(table: Table, *, where: str = "port map") -> PortMap:
    """Return the map that a TOML table describes.

    Raises:
        InputError: where a key is missing or unknown, or a class names no port or one that is not listed.
    """
    check_keys(table, _KEYS, where)
    ports, classes = table.get("ports"), table_at(table, "classes", where)
    if not isinstance(ports, list) or not ports or not all(isinstance(port, str) for port in ports):
        raise InputError("'ports' has to be a list of names", where=where, hint='write ports = ["P0", "P1"]')
    if not classes:
        raise InputError("'classes' is missing", where=where, hint="write [classes]")
    entries = {name: table_at(classes, name, f"{where}: [classes]") for name in classes}
    for name, entry in entries.items():
        check_keys(entry, ("ports", "cycles"), f"{where}: [classes] {name}")
    return PortMap(
        name=text_at(table, "name", where),
        isa=text_at(table, "isa", where),
        source=text_at(table, "source", where, ""),
        ports=tuple(ports),
        classes=tuple(entries),
        allowed=np.array(
            [_ports_of(name, entry, ports, where) for name, entry in entries.items()], dtype=bool
        ),
        occupancy=np.array(
            [_occupancy(name, entry, where) for name, entry in entries.items()], dtype=np.float64
        ),
    )


def _ports_of(name: str, entry: Table, ports: list[str], where: str) -> list[bool]:
    given = entry.get("ports")
    if not isinstance(given, list) or not given or not all(port in ports for port in given):
        raise InputError(
            f"class '{name}' does not name its ports", where=where, hint=f"list some of {', '.join(ports)}"
        )
    return [port in given for port in ports]


def _occupancy(name: str, entry: Table, where: str) -> float:
    cycles = entry.get("cycles", 1)
    if isinstance(cycles, bool) or not isinstance(cycles, int | float) or not 1 <= cycles < float("inf"):
        raise InputError(
            f"class '{name}' has cycles = {cycles!r}", where=where, hint="give a number of at least 1"
        )
    return float(cycles)


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
        UsageError: where a class is not in the map.
    """
    unknown = sorted(set(values) - set(portmap.classes))
    if unknown:
        raise UsageError(
            f"{portmap.name} has no instruction class '{unknown[0]}'",
            hint=f"its classes are {', '.join(portmap.classes)}",
        )
    return np.array([float(values.get(name, missing)) for name in portmap.classes])
