"""Target points as users write them."""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path

from ingest.errors import UsageError

HINT = "write p=4096 or p=4096,n=32"
METAVAR = "POINT"
RANGE = (1e-30, 1e30)  # powers of other numbers are not finite
HELP = "Target point, such as p=4096 or p=4096,n=32; repeatable."


def parse_at(texts: Sequence[str]) -> tuple[Mapping[str, float], ...]:
    """Read target points of the command line, such as ``p=4096`` or ``p=4096,n=32``.

    Raises:
        UsageError: a text is not of that form.
    """
    try:
        return tuple(_point(text) for text in texts)
    except UsageError as error:
        raise UsageError(error.what, where="--at", hint=error.hint) from error


def broadcast_points(
    values: Mapping[str, float | Sequence[float]],
) -> tuple[Mapping[str, float], ...]:
    """Return target points from a number or a list of numbers per parameter; lists have one length.

    Raises:
        UsageError: a value is not a positive number, or lists differ in length.
    """
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


def read_targets(value: object, folder: Path) -> tuple[Mapping[str, float], ...]:
    """Read target points of a configuration file: texts as above, or tables of parameter and value.

    Raises:
        UsageError: an entry is neither.
    """
    if not isinstance(value, list | tuple):
        raise UsageError(f"{value!r} is not a list of points", hint='write at = ["p=4096"] or [{p = 4096}]')
    return tuple(_point(entry) if isinstance(entry, str) else _table(entry) for entry in value)


def _point(text: str) -> Mapping[str, float]:
    point = {}
    for part in text.split(","):
        name, equals, number = part.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = 0.0
        if not name.strip() or not equals or not _usable(value):
            raise UsageError(f"'{text}' is not a target point", hint=HINT)
        point[name.strip()] = value
    return point


def _usable(value: float) -> bool:
    return RANGE[0] <= value <= RANGE[1]


def _table(entry: object) -> Mapping[str, float]:
    if not isinstance(entry, Mapping) or not entry:
        raise UsageError(f"{entry!r} is not a target point", hint=HINT)
    for value in entry.values():
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not number or not _usable(float(value)):
            raise UsageError(f"{dict(entry)!r} is not a target point", hint=HINT)
    return {str(name): float(value) for name, value in entry.items()}
