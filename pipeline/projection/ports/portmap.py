"""Port maps: which execution ports take which class of instruction, read from small TOML files.

A map holds structure (ports, classes, which class may go where) and one number a class, the cycles that the
vendor's manual says an instruction of it keeps its port. What it really costs is fitted from measurements.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import InputError, UsageError

_SHIPPED = resources.files(__package__) / "maps"
_KEYS = {"name", "isa", "source", "ports", "classes"}


@dataclass(frozen=True, eq=False)
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
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in _SHIPPED.iterdir() if entry.is_file()))


def read_port_map(name: str) -> PortMap:
    """Return the shipped map of that name, or the one in the TOML file at that path.

    Raises:
        InputError: where the file is missing, no TOML, or not a port map.
    """
    shipped = name in shipped_port_maps()
    try:
        text = (_SHIPPED / f"{name}.toml" if shipped else Path(name)).read_text(encoding="utf-8")
        table = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(shipped_port_maps())
        raise InputError("cannot be read", where=name, mend=f"give a TOML file or one of {known}") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not TOML: {error}", where=name, mend="correct the file") from error
    return port_map(table, where=name)


def port_map(table: Mapping[str, Any], *, where: str = "port map") -> PortMap:
    """Return the map that a TOML table describes.

    Raises:
        InputError: where a key is missing or unknown, or a class names no port or one that is not listed.
    """
    if set(table) != _KEYS:
        wrong = ", ".join(sorted(set(table) ^ _KEYS))
        raise InputError(
            f"missing or unknown: {wrong}", where=where, mend=f"it holds {', '.join(sorted(_KEYS))}"
        )
    ports = tuple(table["ports"])
    classes: dict[str, Any] = table["classes"]
    allowed = np.array([_ports_of(name, entry, ports, where) for name, entry in classes.items()], dtype=bool)
    occupancy = np.array(
        [_occupancy(name, entry, where) for name, entry in classes.items()], dtype=np.float64
    )
    return PortMap(table["name"], table["isa"], table["source"], ports, tuple(classes), allowed, occupancy)


def _ports_of(name: str, entry: object, ports: tuple[str, ...], where: str) -> list[bool]:
    given = entry.get("ports") if isinstance(entry, dict) else None
    if not isinstance(given, list) or not given or not set(given) <= set(ports):
        raise InputError(
            f"class '{name}' does not name its ports", where=where, mend=f"list some of {', '.join(ports)}"
        )
    return [port in given for port in ports]


def _occupancy(name: str, entry: dict[str, Any], where: str) -> float:
    cycles = entry.get("cycles", 1)
    if isinstance(cycles, bool) or not isinstance(cycles, int | float) or not 1 <= cycles < float("inf"):
        raise InputError(
            f"class '{name}' has cycles = {cycles!r}", where=where, mend="give a number of at least 1"
        )
    return float(cycles)


def dedicated(portmap: PortMap) -> PortMap:
    """Return the map in which every class has a port of its own: the paper's superscalar model, Eq. (6)."""
    allowed = np.eye(len(portmap.classes), dtype=bool)
    return PortMap(
        f"{portmap.name}, a port a class",
        portmap.isa,
        portmap.source,
        portmap.classes,
        portmap.classes,
        allowed,
        portmap.occupancy,
    )


def class_vector(portmap: PortMap, values: Mapping[str, float], *, missing: float = 0.0) -> FloatArray:
    """Return float64[class] in the map's order from values by class name.

    Raises:
        UsageError: where a class is not in the map.
    """
    unknown = sorted(set(values) - set(portmap.classes))
    if unknown:
        raise UsageError(
            f"{portmap.name} has no instruction class '{unknown[0]}'",
            mend=f"its classes are {', '.join(portmap.classes)}",
        )
    return np.array([float(values.get(name, missing)) for name in portmap.classes])
