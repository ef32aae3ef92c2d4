"""Values that users give, checked against what is declared of their option; among them those with a form of
their own: shares, patterns, files, run times, targets, priors, budgets.

Those named `read_...` take the value and the folder that relative paths start from. All raise UsageError if a
value is invalid.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import TypeAlias

from ingest.errors import UsageError, located
from ingest.number_text import given_percent, value_text
from ingest.run_conditions import read_condition
from ingest.units import CORE_TIME, parse_positive

_TARGET_HINT = "write p=4096 or p=4096,n=32"
TARGET_METAVAR = "POINT"
ONLY = ""  # the name of the parameter in a point of one number: the only one of the study
_TARGET_RANGE = (1e-30, 1e30)  # powers of other numbers are not finite
TARGET_HELP = "Target point, such as p=4096,n=32; repeatable."
Target: TypeAlias = Mapping[str, float]
"""A target point: values of parameters by name."""


def _read_share(value: object) -> float:
    """Read a share, ``5%`` or ``0.05``; a number above one is refused, since 5 would be 500 %."""
    text = str(value).strip()
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = math.nan
    share = number / 100.0 if text.endswith("%") else number
    if isinstance(value, bool) or not 0.0 <= share < math.inf:
        raise UsageError(f"invalid share {value!r}", hint="write 5% or 0.05")
    if share > 1.0 and not text.endswith("%"):
        raise UsageError(
            f"invalid share {value!r}: it is {given_percent(share)}",
            hint=f"write {value_text(number)}% or {value_text(number / 100)}",
        )
    return share


def read_option_share(flag: str, text: str) -> float:
    """Read the share that an option of the command line gives; UsageError if it is none, or above 100 %."""
    with located(flag):
        share = _read_share(text)
        if share > 1.0:
            raise UsageError(f"invalid share {text!r}", hint="write at most 100%")
    return share


def read_positive_share(value: object, folder: Path) -> float:
    """Read a share above zero: ``5%`` or ``0.05``."""
    share = _read_share(value)
    if share == 0.0:
        raise UsageError(f"invalid share {value!r}", hint="write 5% or 0.05")
    return share


def read_patterns(value: object, folder: Path) -> tuple[str, ...]:
    """Read patterns, each a text."""
    if not isinstance(value, list | tuple) or not all(isinstance(entry, str) for entry in value):
        raise UsageError(f"{value!r} is not a list of patterns", hint='write ["solve*", "main"]')
    return tuple(value)


def read_kernels(value: object, folder: Path) -> tuple[str, ...]:
    """Read patterns of kernels: texts, in each of which commas outside of brackets separate several."""
    texts = read_patterns([value] if isinstance(value, str) else value, folder)
    return tuple(found for text in texts for one in _split(text) if (found := one.strip()))


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def read_conditions(value: object, folder: Path) -> tuple[str, ...]:
    """Read conditions on runs, such as ``p > 624``."""
    texts = read_patterns([value] if isinstance(value, str) else value, folder)
    return tuple(read_condition(text).text for text in texts)


def read_file(value: object, folder: Path) -> Path:
    """Read the path of a file, relative to the configuration file."""
    if not isinstance(value, str | Path):
        raise UsageError(f"{value!r} is not a path", hint="write text in quotes")
    return folder / value


def read_baseline_time(value: object, folder: Path) -> float | Path:
    """Read seconds, or the path of a CSV file relative to the configuration file."""
    try:
        seconds = float(str(value))
    except ValueError:
        return read_file(value, folder)
    if isinstance(value, bool) or not 0.0 < seconds < float("inf"):
        raise UsageError(f"invalid run time {value!r}", hint="write seconds, or a CSV file of them")
    return seconds


def parse_at(text: str) -> Target:
    """Read a target point of the command line, such as ``p=4096`` or ``p=4096,n=32``."""
    with located("--at"):
        return _point(text)


def broadcast_points(values: Mapping[str, float | Sequence[float]]) -> tuple[Target, ...]:
    """Return target points from positive numbers or lists of them per parameter; lists have one length."""
    columns = {
        name: list(value) if isinstance(value, Iterable) else [value] for name, value in values.items()
    }
    count = max(map(len, columns.values()), default=0)
    for name, column in columns.items():
        if len(column) not in (1, count) or not column:
            what = f"{len(column)} values of {name}, but {count} of another parameter"
            raise UsageError(
                what if column else f"no value of {name}", hint="give numbers, or lists of the same length"
            )
    rows = ({name: column[i % len(column)] for name, column in columns.items()} for i in range(count))
    return tuple(_table(row) for row in rows)


def read_targets(value: object, folder: Path) -> tuple[Target, ...]:
    """Read target points of a configuration file, texts as above or tables; UsageError if one is neither."""
    if not isinstance(value, list | tuple):
        raise UsageError(f"{value!r} is not a list of points", hint='write at = ["p=4096"] or [{p = 4096}]')
    return tuple(_point(entry) if isinstance(entry, str) else _table(entry) for entry in value)


def _point(text: str) -> Target:
    point = {}
    for part in text.split(","):
        name, equals, number = part.partition("=") if "=" in part else (ONLY, "", part)
        try:
            value = float(number)
        except ValueError:
            value = 0.0
        if bool(name.strip()) != bool(equals) or not _usable(value) or (not equals and part != text):
            raise UsageError(f"'{text}' is not a target point", hint=_TARGET_HINT)
        point[name.strip()] = value
    return point


def _usable(value: float) -> bool:
    return _TARGET_RANGE[0] <= value <= _TARGET_RANGE[1]


def _table(entry: object) -> Target:
    if not isinstance(entry, Mapping) or not entry:
        raise UsageError(f"{entry!r} is not a target point", hint=_TARGET_HINT)
    for value in entry.values():
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not number or not _usable(float(value)):
            raise UsageError(f"{dict(entry)!r} is not a target point", hint=_TARGET_HINT)
    return {str(name): float(value) for name, value in entry.items()}


def parse_budget(text: str, *, unit: str = "", where: str = "") -> float:
    """Return core-seconds from a number with ``core-s`` or ``core-h``, as `parse_positive` does."""
    hint = 'write "500 core-h" or "500 core-s"'
    return parse_positive(text, CORE_TIME, "budget", hint, unit=unit, where=where)
