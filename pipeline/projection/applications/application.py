"""Application files: what a program does, as expressions over its inputs and a machine's values and terms.

Their keys, and inputs and sweeps as users write them, are explained in docs/explanations/projection.md.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ingest.errors import InputError, UsageError
from pipeline.projection.expressions.toml_tables import TomlTable, find, flattened, read_toml
from pipeline.projection.expressions.units import NONE, TIME, Dimension, Quantity, parse_quantity, stated

Value: TypeAlias = float | str

MOST = 1000
_ROUNDING = 1e-9
_RANGE = re.compile(r"(?P<first>[^:]+):(?P<last>[^:]+)(?::(?P<times>x?)(?P<step>[^:]+))?")
_HINT = "write it like L=4:14, n=100:500:50, P=64:4096:x2 or P=64,96,1024"


@dataclass(frozen=True)
class Inputs:
    """What `--at` states.

    Attributes:
        values: of every input at every point, one or more.
        swept: the input that has several; empty if none has.
    """

    values: tuple[Mapping[str, Value], ...]
    swept: str = ""


def read_inputs(texts: Sequence[str]) -> Inputs:
    """Return the inputs that texts state; numbers without a unit as numbers, others as texts.

    Raises:
        UsageError: a part has no name or no value, an input is given twice, or a range is invalid.
    """
    found: dict[str, list[Value]] = {}
    for text in texts:
        name = ""
        for part in filter(None, map(str.strip, text.split(","))):
            stated, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals and name and _is_number(part):
                found[name].append(_value(part))
                continue
            if not (stated and equals and value):
                raise UsageError(f"'{part}' is not an input", where="--at", hint="write it like L=8,P=1024")
            if stated in found:
                hint = "give an input once; several values are a sweep, such as L=4:14 or L=4,8,16"
                raise UsageError(f"{stated} is given twice", where="--at", hint=hint)
            name = stated
            found[name] = _values(name, value)
    swept = [name for name, values in found.items() if len(values) > 1]
    if len(swept) > 1:
        what = f"{' and '.join(swept)} have several values"
        raise UsageError(what, where="--at", hint="sweep one input at a time")
    count = max(map(len, found.values()), default=1)
    points = [{name: values[k % len(values)] for name, values in found.items()} for k in range(count)]
    return Inputs(tuple(points), *swept)


def _is_number(text: str) -> bool:
    return text[0].isdigit() or text[0] in "+-."


def _value(text: str) -> Value:
    try:
        return float(text)
    except ValueError:
        return text


def _values(name: str, text: str) -> list[Value]:
    if ":" not in text:
        return [_value(text)]
    where = f"--at {name}"
    match = _RANGE.fullmatch(text)
    if match is None:
        raise UsageError(f"'{text}' is not a range", where=where, hint=_HINT)
    first, last = (parse_quantity(_value(match[end].strip()), where=where) for end in ("first", "last"))
    if first.dimension != last.dimension:
        raise UsageError(f"the ends of '{text}' have different units", where=where, hint=_HINT)
    step = parse_quantity(_value((match["step"] or "1").strip()), where=where)
    grow = _growing if match["times"] else _stepped
    values = grow(first, last, step, where)
    unit = "" if first.dimension == NONE else f" {first.dimension}"
    return [f"{value:.15g}{unit}" if unit else value for value in values]


def _stepped(first: Quantity, last: Quantity, step: Quantity, where: str) -> list[float]:
    width = step.value if step.dimension == first.dimension else step.value * first.factor
    steps = _count((last.value - first.value) / width if width > 0 else -1.0, where)
    return [first.value + k * width for k in range(steps)]


def _growing(first: Quantity, last: Quantity, step: Quantity, where: str) -> list[float]:
    factor = step.value
    possible = factor > 1 and first.value > 0 and last.value > 0
    steps = _count(np.log(last.value / first.value) / np.log(factor) if possible else -1.0, where)
    return [first.value * factor**k for k in range(steps)]


def _count(steps: float, where: str) -> int:
    """Return how many values a range has, both ends counted."""
    if steps < 0:
        what = "a range goes upwards, by a step above 0 or a factor above 1"
        raise UsageError(what, where=where, hint=_HINT)
    if steps >= MOST:
        raise UsageError(f"a range of more than {MOST} values", where=where, hint="choose a larger step")
    return int(steps + _ROUNDING * max(1.0, steps)) + 1


_NOT_A_TIME = ("a measured total has to be a time", 'write it like "12.3 s"')
_KEYS = (
    "title",
    "source",
    "reproduces",
    "machine",
    "inputs",
    "terms",
    "define",
    "parts",
    "total",
    "measured",
    "bandwidth",
)


@dataclass(frozen=True, kw_only=True)
class ApplicationInput:
    """Something the user sets.

    Attributes:
        factor: value in SI units of one of the unit that a plain number is in.
        default: in SI units; None if it has to be given.
    """

    name: str
    factor: float
    dimension: Dimension
    default: float | None
    meaning: str


@dataclass(frozen=True, kw_only=True)
class ApplicationFile:
    """A program as its file states it; expressions are still text.

    Attributes:
        source: where the model comes from.
        reproduces: which tables and figures it gives; empty if none.
        machine: name or file of the machine to project to by default; None if it names none.
        terms: the tables of its own terms by name.
        define: expressions of intermediate quantities by name.
        parts: expressions of the breakdown by path.
        total: expression of the whole; None if it is the sum of the parts.
        measured: measured totals in seconds, by the stem of the machine's file.
        bandwidth: the table of a projection by bandwidth ratios; None if it has parts.
    """

    title: str
    path: Path
    source: str
    reproduces: str
    machine: str | None
    inputs: Mapping[str, ApplicationInput]
    terms: Mapping[str, TomlTable]
    define: Mapping[str, str]
    parts: Mapping[tuple[str, ...], str]
    total: str | None
    measured: Mapping[str, float]
    bandwidth: TomlTable | None


def load_application(name: str | Path) -> ApplicationFile:
    """Return the application of that file or, if there is none, the shipped one of that name.

    Raises:
        UsageError: there is neither, or a value is invalid.
        InputError: the file is damaged.
    """
    table = read_toml(find("application", name))
    table.check_keys(_KEYS)
    parts = _parts(table.table("parts"))
    if bool(parts) == ("bandwidth" in table):
        hint = 'write [parts] and name = "expression", or [bandwidth]'
        raise InputError("the file needs either [parts] or [bandwidth]", where=table.where, hint=hint)
    inputs, define, measured = (table.table(key) for key in ("inputs", "define", "measured"))
    return ApplicationFile(
        title=table.text("title", table.path.stem),
        path=table.path,
        source=table.text("source", ""),
        reproduces=table.text("reproduces", ""),
        machine=table.text("machine") if "machine" in table else None,
        inputs={name: _input(inputs, name) for name in inputs.content},
        terms=table.table("terms").tables(),
        define={
            name: _expression(define, name, text) for name, text in flattened(define.content, ()).items()
        },
        parts=parts,
        total=table.text("total") if "total" in table else None,
        measured={
            name: stated(value, TIME, measured.at(name), _NOT_A_TIME, math.isfinite)
            for name, value in measured.content.items()
        },
        bandwidth=table.table("bandwidth") if "bandwidth" in table else None,
    )


def input_values(application: ApplicationFile, at: Mapping[str, float | str]) -> dict[str, float]:
    """Return every input in SI units: those given, and the defaults of the others.

    Raises:
        UsageError: an input is unknown, has no value, or is in another unit.
    """
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
    given, where = inputs.content[name], inputs.at(name)
    table = TomlTable(
        given if isinstance(given, dict) else {"value": given}, inputs.path, (*inputs.name, name)
    )
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


def _parts(table: TomlTable, above: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    found: dict[tuple[str, ...], str] = {}
    for key, value in table.content.items():
        if isinstance(value, dict):
            found |= _parts(table.table(key), (*above, key))
        else:
            found[(*above, key)] = _expression(table, key, value)
    return found


def _expression(table: TomlTable, key: str, value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f"'{key}' has to be an expression", where=table.where, hint=f'write {key} = "..."')
    return value
