"""One record per column: what it is called, what it holds, how that is written, and who sees it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

from pipeline.columns.cells import Audience, Cells, DataTable, with_unit
from pipeline.columns.kinds import ABSENT, ESTIMATE, EXACT, PATH, QUANTITY, TEXT, Kind
from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.quantities import display_unit, figure, interval_text, number

NAME_WIDTH = 60
ENDS = ("value", "lower", "upper")
INTERVAL = "90 % interval"

Found = TypeVar("Found", contravariant=True)  # noqa: PLC0105  # a word for readers
Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Column(Generic[Found]):
    """A column of a table, whatever it is written to.

    Attributes:
        key: of the values, for programs: in CSV, in DataFrames, in ``summary.json``, where ``quality.smape``
            lies one deeper.
        kind: of the values.
        values: one per row of what is found, in full; None for one that is not available. By default, what
            is found are rows that have the key.
        heading: what people read above it; by default the key in words.
        about: what it means, in a sentence.
        unit: of the values; of estimates and quantities, people see the one that is easy to read.
        write: how a value is written, if not as its kind is.
        texts: what people read, if it depends on more than the value.
        styles: colours of the texts in the terminal.
        dispensable: 0 if it is always shown; of the others the largest is left out first in narrow terminals.
        folds: whether texts may continue on a second line.
        audience: who sees it.
        name: of the values in files, if it is not the end of the key.
        interval: heading of the intervals of estimates.
        interval_for: who sees those, if not the audience of the values.
        unit_in_title: whether the title of the table has the unit.
        is_parameter: whether the key is the user's; it yields to any other column of that name.
    """

    key: str
    kind: Kind = TEXT
    values: Callable[[Found], Iterable[Any]] | None = None
    heading: str = ""
    about: str = ""
    unit: str | Callable[[Found], str] = ""
    write: Callable[[Any], str] | None = None
    texts: Callable[[Found], Iterable[str]] | None = None
    styles: Callable[[Found], Iterable[str]] | None = None
    dispensable: int = 0
    folds: bool = False
    audience: Audience = Audience.ALL
    name: str = ""
    interval: str = INTERVAL
    interval_for: Audience | None = None
    unit_in_title: bool = False
    is_parameter: bool = False

    @property
    def as_stored(self) -> "Column[Sequence[Row]]":
        """The column of rows that have its key, such as those of ``summary.json``."""
        return replace(self, values=None)  # type: ignore[return-value]

    def of(self, found: Found) -> list[Any]:
        """Return the values of what is found, one per row."""
        if self.values is not None:
            return list(self.values(found))
        rows: Sequence[Row] = found  # type: ignore[assignment]  # without `values`, rows are what is found
        return stored(self.key, rows)

    def filled(self, found: Found) -> list[Cells]:
        """Return the column with its cells; an estimate has three, of which people see two."""
        values, unit = self.of(found), self.unit if isinstance(self.unit, str) else self.unit(found)
        name = self.name or self.key.rpartition(".")[2]
        cells = Cells(
            name=name,
            values=values,
            texts=(),
            unit=unit,
            heading=self.heading or (name if self.is_parameter else name.replace("_", " ")),
            styles=() if self.styles is None else tuple(self.styles(found)),
            is_number=self.kind.is_number,
            is_parameter=self.is_parameter,
            dispensable=self.dispensable,
            folds=self.folds,
            audience=self.audience,
            unit_in_title=self.unit_in_title,
        )
        if self.kind is ESTIMATE:
            return self._estimate(cells, values)
        if self.kind is PATH:
            return [_path(cells, values)]
        if self.kind is QUANTITY:
            return [_in_one_unit(cells, _readable(values, unit), self.write)]
        texts = self.texts(found) if self.texts is not None else (self._text(value) for value in values)
        known = [
            self.kind.write(value) if isinstance(value, list | tuple | dict) else value for value in values
        ]
        headed = cells.heading if self.heading or self.unit_in_title else with_unit(cells.heading, unit)
        return [replace(cells, values=known, texts=tuple(texts), heading=headed)]

    def _text(self, value: Any) -> str:  # noqa: ANN401  # whatever the kind holds
        absent = "" if self.kind.may_lack else ABSENT
        return absent if value is None else (self.write or self.kind.write)(value)

    def _estimate(self, cells: Cells, entries: Sequence[Row | None]) -> list[Cells]:
        """Return values and both ends of their intervals; people see an interval as one text."""
        plain = cells.name == ENDS[0]
        names = ENDS if plain else (cells.name, *(f"{cells.name}_{end}" for end in ENDS[1:]))
        ends = [[None if entry is None else entry[end] for entry in entries] for end in ENDS]
        shown = _readable(ends[0], cells.unit)
        value, lower, upper = (
            _in_one_unit(replace(cells, name=name, values=of_end), shown, self.write)
            for name, of_end in zip(names, ends, strict=True)
        )
        intervals = tuple(
            ABSENT if low is None or high is None else _interval(low, high, shown[0], self.write)
            for low, high in zip(ends[1], ends[2], strict=True)
        )
        return [
            value,
            replace(lower, audience=Audience.PROGRAMS),
            replace(
                upper,
                texts=intervals,
                heading=self.interval,
                dispensable=0,
                audience=self.interval_for or cells.audience,
            ),
        ]


def _interval(low: float, high: float, factor: float, write: Callable[[float], str] | None) -> str:
    return interval_text(low * factor, high * factor) if write is None else interval_text(low, high, write)


def stored(key: str, rows: Sequence[Row]) -> list[Any]:
    """Return what rows of plain data have of a key such as ``quality.smape``; None where they lack it."""
    first, *more = key.split(".")
    values: list[Any] = [row.get(first) for row in rows]
    for part in more:
        values = [None if value is None else value[part] for value in values]
    return values


def _path(cells: Cells, paths: Sequence[Sequence[str]]) -> Cells:
    """Return the cells of call paths, or of regions as call paths of one name."""
    values = tuple("/".join(path) for path in paths)
    return replace(cells, values=values, texts=tuple(distinct_texts(paths, NAME_WIDTH)), paths=paths)


def _readable(values: Iterable[float | None], unit: str) -> tuple[float, str]:
    return display_unit(unit, max((abs(value) for value in values if value is not None), default=0.0))


def _in_one_unit(cells: Cells, shown: tuple[float, str], write: Callable[[float], str] | None) -> Cells:
    """Return the cells of numbers, shown in a unit that they are multiplied by a factor for."""
    factor, unit = shown if write is None else (1.0, cells.unit)
    texts = tuple(
        ABSENT if value is None else (write or figure)(float(value) * factor) for value in cells.values
    )
    return replace(cells, texts=texts, heading=with_unit(cells.heading, unit))


def filled(
    columns: Sequence[Column[Found]], found: Found, *, notes: Sequence[str] = (), title: str = ""
) -> DataTable:
    """Fill a list of columns with what is found."""
    cells = [cell for column in columns for cell in column.filled(found)]
    return DataTable(columns=cells, notes=notes, title=title)


def parameters(
    names: Iterable[str],
    points: Sequence[Mapping[str, float]],
    audience: Audience = Audience.ALL,
) -> list[Column[Any]]:
    """Return a column per parameter with its value at the point of every row; a point may lack some."""

    def of(name: str) -> list[float | None]:
        return [None if (value := point.get(name)) is None else number(value) for point in points]

    return [
        Column(
            key=name,
            kind=EXACT,
            values=lambda _, name=name: of(name),  # type: ignore[misc]
            audience=audience,
            is_parameter=True,
        )
        for name in names
    ]
