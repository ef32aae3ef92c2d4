"""Application files: what they state of a program, and the inputs given to it.

Their keys are explained in docs/explanations/projection.md.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar

from ingest.errors import InputError, UsageError
from ingest.record_codec import NO_ENTRY, entry
from ingest.toml_table import TomlTable, read_toml
from ingest.units import NONE, TIME_DIMENSION, Dimension, parse_quantity, stated, unit_text
from pipeline.projection.expressions.shipped_files import find, name_of

_NOT_A_TIME = ("a measured total has to be a time above 0", 'write it like "12.3 s"')
_PROGRAM_KEYS = ("inputs", "terms", "define", "parts", "total")
_KEYS = (
    "title",
    "source",
    "reproduces",
    "machine",
    "scaling",
    *_PROGRAM_KEYS,
    "measured",
    "counters",
    "bandwidth",
)


@dataclass(frozen=True, kw_only=True)
class ApplicationInput:
    """An input of an application."""

    document_name: ClassVar[str] = "input"
    name: str
    meaning: str
    dimension: Dimension = field(metadata=entry("unit", made=unit_text))
    default: Annotated[float | None, "null if it must be given"]  # in SI units
    factor: float = field(metadata=NO_ENTRY)  # SI value of one of the unit that a plain number is in


def _listed(inputs: Mapping[str, ApplicationInput]) -> tuple[ApplicationInput, ...]:
    return tuple(inputs.values())


@dataclass(frozen=True, kw_only=True)
class ApplicationFile:
    """A program as its file states it."""

    document_name: ClassVar[str] = "shipped_application"
    path: Path = field(metadata=entry("name", made=name_of))
    title: str
    source: str
    reproduces: str  # which tables and figures it gives; empty if none
    machine: Annotated[str | None, "that it is projected to by default"]
    inputs: Mapping[str, ApplicationInput] = field(metadata=entry(made=_listed))
    terms: Mapping[str, TomlTable] = field(metadata=NO_ENTRY)
    define: Mapping[str, str] = field(metadata=NO_ENTRY)
    # expressions, or tables that state ``ports``
    parts: Mapping[tuple[str, ...], str | TomlTable] = field(metadata=NO_ENTRY)
    # ``strong`` or ``weak``: whether the problem stays the same as processes are added; empty if not stated
    scaling: str = field(default="", metadata=NO_ENTRY)
    # expression of the whole; None if it is the sum of the parts
    total: str | None = field(metadata=NO_ENTRY)
    measured: Mapping[str, float] = field(metadata=NO_ENTRY)
    # a table of wall times by inputs, if they were measured so
    measured_times: Path | None = field(metadata=NO_ENTRY)
    # the table of a run whose counters its loops are compared with, if it has one
    counters: TomlTable | None = field(metadata=NO_ENTRY)
    # the table of a projection by bandwidth ratios; None if it has parts
    bandwidth: TomlTable | None = field(metadata=NO_ENTRY)


def load_application(name: str | Path) -> ApplicationFile:
    """Return the application of that file, else the shipped one of that name; InputError if it is damaged."""
    table = read_toml(find("application", name))
    table.check_keys(_KEYS)
    parts = {
        path: one.table(path[-1]) if isinstance(one.content[path[-1]], dict) else one.text(path[-1])
        for path, one in _leaves(table.table("parts"))
    }
    if bool(parts) == ("bandwidth" in table):
        hint = 'write [parts] and name = "expression", or [bandwidth]'
        raise InputError("the file needs either [parts] or [bandwidth]", where=table.where, hint=hint)
    inputs, listed = table.table("inputs"), isinstance(table.content.get("measured"), str)
    if not isinstance(table.content.get("measured", ""), str | dict):
        hint = 'write measured = "times.csv", or [measured] and machine = "12.3 s"'
        raise table.error("measured", "is neither a file nor a table", hint)
    measured = table.inside({}, "measured") if listed else table.table("measured")
    return ApplicationFile(
        title=table.text("title", table.path.stem),
        path=table.path,
        source=table.text("source", ""),
        reproduces=table.text("reproduces", ""),
        machine=table.text("machine") if "machine" in table else None,
        inputs={name: _input(inputs, name) for name in inputs.content},
        terms=table.table("terms").named_tables(),
        define={".".join(path): one.text(path[-1]) for path, one in _leaves(table.table("define"))},
        parts=parts,
        scaling=_scaling(table),
        total=table.text("total") if "total" in table else None,
        measured={
            name: stated(value, TIME_DIMENSION, measured.place(name), _NOT_A_TIME, _possible)
            for name, value in measured.content.items()
        },
        measured_times=_readable(table) if listed else None,
        counters=table.table("counters") if "counters" in table else None,
        bandwidth=table.table("bandwidth") if "bandwidth" in table else None,
    )


def _possible(seconds: float) -> bool:
    return math.isfinite(seconds) and seconds > 0


def _readable(table: TomlTable) -> Path:
    """Return the file of measured wall times, which has to be there and to hold some."""
    path = table.file("measured")
    from pipeline.projection.fitting.measured_columns import read_columns

    read_columns(path).numbers("time", TIME_DIMENSION, positive=True)
    return path


def _scaling(table: TomlTable) -> str:
    stated = table.text("scaling", "")
    if stated not in ("", "strong", "weak"):
        raise table.error("scaling", f"'{stated}' is neither strong nor weak", 'write scaling = "weak"')
    return stated


def input_values(application: ApplicationFile, at: Mapping[str, float | str]) -> dict[str, float]:
    """Return all inputs in SI units, given or default; UsageError if unknown, missing or in another unit."""
    for name in at:
        if name not in application.inputs:
            hint = f"inputs are {', '.join(application.inputs) or 'none'}"
            raise UsageError(f"no input '{name}'", where=str(application.path), hint=hint)
    found = {name: _input_value(entry, at.get(name)) for name, entry in application.inputs.items()}
    missing = [name for name, value in found.items() if value is None]
    if missing:
        named = ", ".join(f"{n} ({application.inputs[n].meaning or 'no default'})" for n in missing)
        hint = f"give {'it' if len(missing) == 1 else 'them'} with --at {','.join(f'{n}=8' for n in missing)}"
        raise UsageError(f"no value for {named}", where=str(application.path), hint=hint)
    return {name: value for name, value in found.items() if value is not None}


def _input_value(entry: ApplicationInput, given: float | str | None) -> float | None:
    if given is None:
        return entry.default
    where = f"--at {entry.name}"
    quantity = parse_quantity(given, where=where)
    if quantity.dimension == NONE and quantity.factor == 1.0:
        return quantity.value * entry.factor
    if quantity.dimension != entry.dimension:
        what = f"unit mismatch: '{entry.name}' is in {entry.dimension}, the value in {quantity.dimension}"
        raise UsageError(what, where=where, hint="correct its unit")
    return quantity.value


def _input(inputs: TomlTable, name: str) -> ApplicationInput:
    given, where = inputs.content[name], inputs.place(name)
    table = inputs.inside(given if isinstance(given, dict) else {"value": given}, name)
    table.check_keys(("value", "unit", "meaning"))
    stated = "value" in table
    value = parse_quantity(table.content["value"] if stated else f"1 {table.text('unit', '1')}", where=where)
    return ApplicationInput(
        name=name,
        factor=value.factor,
        dimension=value.dimension,
        default=value.value if stated else None,
        meaning=table.text("meaning", ""),
    )


def _leaves(table: TomlTable, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], TomlTable]]:
    """Return all values that are no tables, or that state ``ports``, by their path, each with its table."""
    for key, value in table.content.items():
        if isinstance(value, dict) and not isinstance(value.get("ports"), dict):
            yield from _leaves(table.table(key), (*above, key))
        else:
            yield (*above, key), table
