"""Inputs of applications as users write them, and sweeps of one of them: docs/explanations/projection.md."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ingest.errors import UsageError
from ingest.units import NONE, Quantity, parse_quantity

Value: TypeAlias = float | str

_MOST = 1000
_ROUNDING = 1e-9
_RANGE = re.compile(r"(?P<first>[^:]+):(?P<last>[^:]+)(?::(?P<times>x?)(?P<step>[^:]+))?")
_HINT = "write it like L=4:14, n=100:500:50, P=64:4096:x2 or P=64,96,1024"


@dataclass(frozen=True)
class Inputs:
    """What `--at` states."""

    values: tuple[Mapping[str, Value], ...]  # of every input at every point, one or more
    swept: str = ""  # the input that has several; empty if none has


def read_inputs(texts: Sequence[str]) -> Inputs:
    """Return the inputs that texts state; numbers without a unit as numbers, others as texts.

    UsageError if a part has no name or no value, an input is given twice, or a range is invalid.
    """
    found: dict[str, list[Value]] = {}
    for text in texts:
        name = ""
        for part in filter(None, map(str.strip, text.split(","))):
            stated, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals and name and (part[0].isdigit() or part[0] in "+-."):
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
    if steps >= _MOST:
        raise UsageError(f"a range of more than {_MOST} values", where=where, hint="choose a larger step")
    return int(steps + _ROUNDING * max(1.0, steps)) + 1
