"""A table as data: columns with full values for programs, and with the texts that people read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.quantities import display_unit, figure, number, percent, value_text

Value: TypeAlias = str | int | float | bool | None

ABSENT = "-"
LARGEST = 1e300  # larger numbers are infinite: JSON has no other
NAME_WIDTH = 60
ESTIMATE = ("value", "lower", "upper")
INTERVAL = "90 % interval"


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table.

    Attributes:
        name: of the values, for programs.
        values: one per row, in full; None if there is none.
        shown: the same rounded, for people; None for a column that is for programs only.
        unit: of the values.
        heading: title of what is shown; by default name and unit.
        paths: the call paths that the values name, if they do.
        is_parameter: whether the name is the user's; it yields to any other column of that name.
    """

    name: str
    values: Sequence[Value]
    shown: Sequence[str] | None
    unit: str = ""
    heading: str = ""
    paths: Sequence[Sequence[str]] = ()
    is_parameter: bool = False

    @property
    def title(self) -> str:
        """What people read above the column."""
        return self.heading or with_unit(self.name.replace("_", " "), self.unit)

    def headed(self, heading: str) -> "Column":
        """Return the column under another title."""
        return replace(self, heading=heading)

    @property
    def is_number(self) -> bool:
        """Whether all values are numbers."""
        return not any(isinstance(value, str | bool) for value in self.values)


@dataclass(frozen=True, kw_only=True)
class DataTable:
    """The main table that a command prints.

    Attributes:
        columns: all of the same length.
        notes: what a reader should know besides, one sentence each.
    """

    columns: Sequence[Column]
    notes: Sequence[str] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """Names with units, such as ``value [core-s]``; ``_`` is appended to a parameter's that is taken."""
        own = [column for column in self.columns if not column.is_parameter]
        taken = {with_unit(column.name, column.unit) for column in own} | {"callpath"}
        return tuple(
            f"{column.name}_"
            if column.is_parameter and column.name in taken
            else with_unit(column.name, column.unit)
            for column in self.columns
        )


def with_unit(name: str, unit: str) -> str:
    """Write a name with its unit in brackets, if there is one."""
    return f"{name} [{unit}]" if unit else name


def words(name: str, values: Iterable[str], shown: Iterable[str] | None = None) -> Column:
    """Return a column of texts; an empty one is shown as it is."""
    values = tuple(values)
    return Column(name=name, values=values, shown=values if shown is None else tuple(shown))


def answers(name: str, values: Iterable[bool]) -> Column:
    """Return a column of yes or no."""
    values = tuple(values)
    return Column(name=name, values=values, shown=tuple("yes" if value else "no" for value in values))


def amounts(
    name: str,
    values: Iterable[float | int | None],
    unit: str = "",
    show: Callable[[float], str] = figure,
) -> Column:
    """Return a column of numbers.

    Args:
        name: of the column.
        values: the numbers; None for what is not available.
        unit: of the numbers.
        show: how they are written for people.
    """
    values = tuple(values)
    return Column(name=name, unit=unit, values=values, shown=tuple(_shown(value, show) for value in values))


def _shown(value: float | None, show: Callable[[float], str]) -> str:
    if value is None:
        return ABSENT
    return "∞" if value > LARGEST else show(value)


def shares(name: str, values: Iterable[float | None]) -> Column:
    """Return a column of shares of one, shown as percentages."""
    return amounts(name, values, show=percent)


def kernels(paths: Iterable[Sequence[str]], name: str = "kernel") -> Column:
    """Return a column of call paths, or of regions as call paths of one name."""
    paths = tuple(tuple(path) for path in paths)
    return Column(
        name=name,
        values=tuple("/".join(path) for path in paths),
        shown=tuple(distinct_texts(paths, NAME_WIDTH)),
        paths=paths,
    )


def parameters(names: Iterable[str], points: Sequence[Mapping[str, float]]) -> list[Column]:
    """Return a column per parameter with its value at the point of every row; a point may lack some."""
    columns = []
    for name in names:
        values = tuple(None if (value := point.get(name)) is None else number(value) for point in points)
        shown = tuple(ABSENT if value is None else value_text(value) for value in values)
        columns.append(Column(name=name, values=values, shown=shown, heading=name, is_parameter=True))
    return columns


def quantities(name: str, values: Iterable[float | None], unit: str) -> Column:
    """Return a column of numbers, shown in one unit that all are easy to read in."""
    values = tuple(values)
    return _scaled(name, values, unit, *_readable(values, unit))


def estimates(
    entries: Sequence[Mapping[str, Any] | None],
    unit: str = "",
    *,
    names: Sequence[str] = ESTIMATE,
    show: Callable[[float], str] | None = None,
    interval: str = INTERVAL,
) -> list[Column]:
    """Return three columns: values and both ends of their intervals; people see an interval as one text.

    Args:
        entries: one per row with ``value``, ``lower`` and ``upper``; None for what is not available.
        unit: of the values.
        names: of the columns.
        show: how the numbers are written for people, if not as quantities in one unit.
        interval: what people read above the intervals.
    """
    ends = [tuple(None if entry is None else entry[end] for entry in entries) for end in ESTIMATE]
    factor, readable = _readable(ends[0], unit)
    value, lower, upper = (
        _scaled(name, values, unit, factor, readable) if show is None else amounts(name, values, unit, show)
        for name, values in zip(names, ends, strict=True)
    )
    both = zip(lower.shown or (), upper.shown or (), strict=True)
    texts = tuple(ABSENT if pair == (ABSENT, ABSENT) else " .. ".join(pair) for pair in both)
    return [value, for_programs(lower), replace(upper, shown=texts, heading=interval)]


def for_programs(column: Column) -> Column:
    """Return a column that people do not see."""
    return replace(column, shown=None)


def _readable(values: Sequence[float | None], unit: str) -> tuple[float, str]:
    return display_unit(unit, max((abs(value) for value in values if value is not None), default=0.0))


def _scaled(name: str, values: Sequence[float | None], unit: str, factor: float, readable: str) -> Column:
    """Return a column of values in their unit, shown in another one."""
    return Column(
        name=name,
        unit=unit,
        values=values,
        shown=tuple(_shown(value, lambda known: figure(known * factor)) for value in values),
        heading=with_unit(name.replace("_", " "), readable),
    )
