"""One record per column: which kind of values it holds, how these are written, and who sees them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from pipeline.columns.cells import Audience, Cells, DataTable, with_unit
from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.quantities import (
    display_unit,
    figure,
    growth_text,
    interval_text,
    number,
    numbers,
    percent,
    probability_text,
    value_text,
)

_NAME_WIDTH = 60
ENDS = ("value", "lower", "upper")
INTERVAL = "90 % interval"
ABSENT = "-"

Found = TypeVar("Found", contravariant=True)  # noqa: PLC0105  # a word for readers
Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of values."""

    name: str  # by which the page finds the function that writes one
    write: Callable[[Any], str]  # writes a value for people
    json: Mapping[str, Any]  # what JSON holds, as a JSON schema
    is_number: bool = True  # whether texts are aligned as numbers
    may_lack: bool = False  # whether JSON leaves out a value that there is not, instead of writing null


def percentage(value: float) -> str:
    """Write what is in per cent already: ``4.2 %``."""
    return f"{value:.1f} %"


_SHARE_OF_ONE = {"$ref": "#/$defs/share"}
TEXT = Kind(name="text", write=str, json={"type": "string"}, is_number=False)
TEXTS = Kind(
    name="texts", write=" ".join, json={"type": "array", "items": {"type": "string"}}, is_number=False
)
ANSWER = Kind(
    name="answer", write=lambda yes: "yes" if yes else "no", json={"type": "boolean"}, is_number=False
)
PATH = Kind(
    name="path",
    write="/".join,
    json={"type": "array", "items": {"type": "string"}, "minItems": 1},
    is_number=False,
)
GROWTH = Kind(name="growth", write=growth_text, json={"type": "string"}, is_number=False)
FIGURE = Kind(name="figure", write=figure, json={"type": "number"})
QUANTITY = Kind(name="quantity", write=figure, json={"type": "number"})
"""Numbers of one column, shown in the unit that all are easy to read in."""
ESTIMATE = Kind(name="estimate", write=figure, json={"$ref": "#/$defs/figure"})
"""``value``, ``lower`` and ``upper``, shown as two columns: the value and the interval."""
EXACT_KIND = Kind(name="exact", write=value_text, json={"type": "number"})
WHOLE_KIND = Kind(name="whole", write=value_text, json={"type": "integer", "minimum": 0})
SHARE = Kind(name="share", write=percent, json=_SHARE_OF_ONE)
SHARE_OF_SUM = Kind(name="share", write=percent, json={"oneOf": [_SHARE_OF_ONE, {"type": "null"}]})
"""A share of a total, None if there is no total."""
PROBABILITY = Kind(name="probability", write=probability_text, json=_SHARE_OF_ONE)
ERROR = Kind(name="error", write=percentage, json={"type": "number", "minimum": 0, "maximum": 200})
"""A symmetric mean absolute percentage error."""


MOST_SPAN = 1000.0
"""From the lower to the upper end of an interval: a wider one says that nothing is known."""


@dataclass(frozen=True, kw_only=True)
class Column(Generic[Found]):
    """A column of a table, whatever it is written to."""

    # of the values, for programs: in CSV, DataFrames, ``summary.json``, where ``quality.smape`` is deeper
    key: str
    kind: Kind = TEXT
    # one per row of what is found, in full; None for one that is not available. By default, what is found are
    # rows that have the key: plain data, or records
    values: Callable[[Found], Iterable[Any]] | None = None
    each: Callable[[Any], Any] | None = None  # the value of one row instead, if what is found are rows
    heading: str = ""  # what people read above it; by default the key in words
    about: str = ""
    # of the values; of estimates and quantities, people see the one that is easy to read
    unit: str | Callable[[Found], str] = ""
    write: Callable[[Any], str] | None = None  # how a value is written, if not as its kind is
    # what people read, if it depends on more than the value
    texts: Callable[[Found], Iterable[str]] | None = None
    styles: Callable[[Found], Iterable[str]] | None = None  # colours of the texts in the terminal
    # 0 if it is always shown; of the others the largest is left out first in narrow terminals
    dispensable: int = 0
    folds: bool = False  # whether texts may continue on a second line
    audience: Audience = Audience.ALL
    name: str = ""  # of the values in files, if it is not the end of the key
    interval: str = INTERVAL  # heading of the intervals of estimates
    interval_for: Audience | None = None  # who sees those, if not the audience of the values
    vague: str = ""  # what people read in place of intervals that span more than `MOST_SPAN`, if that is said
    unit_in_title: bool = False  # whether the title of the table has the unit
    is_parameter: bool = False  # whether the key is the user's; it yields to any other column of that name

    @property
    def as_stored(self) -> "Column[Sequence[Row]]":
        """The column of rows that have its key, such as those of ``summary.json``."""
        return replace(self, values=None, each=None)  # type: ignore[return-value]

    @property
    def file_name(self) -> str:
        """The name of the values in files."""
        return self.name or self.key.rpartition(".")[2]

    def of(self, found: Found) -> list[Any]:
        """Return the values of what is found, one per row."""
        if self.values is not None:
            return list(self.values(found))
        rows: Sequence[Any] = found  # type: ignore[assignment]  # without `values`, rows are what is found
        return stored(self.key, rows) if self.each is None else list(map(self.each, rows))

    def filled(self, found: Found) -> list[Cells]:
        """Return the column with its cells; an estimate has three, of which people see two."""
        values, unit = self.of(found), self.unit if isinstance(self.unit, str) else self.unit(found)
        name = self.file_name
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
        known = list(map(self.in_files, values))
        headed = cells.heading if self.heading or self.unit_in_title else with_unit(cells.heading, unit)
        return [replace(cells, values=known, texts=tuple(texts), heading=headed)]

    def in_files(self, value: Any) -> Any:  # noqa: ANN401  # whatever the kind holds
        """Return a value as a cell of a file holds it: several as one text."""
        return self.kind.write(value) if isinstance(value, list | tuple | dict) else value

    def _text(self, value: Any) -> str:  # noqa: ANN401  # whatever the kind holds
        absent = "" if self.kind.may_lack else ABSENT
        return absent if value is None else (self.write or self.kind.write)(value)

    def _estimate(self, cells: Cells, entries: Sequence[Row | None]) -> list[Cells]:
        """Return values and both ends of their intervals; people see an interval as one text."""
        plain = cells.name == ENDS[0]
        names = ENDS if plain else (cells.name, *(f"{cells.name}_{end}" for end in ENDS[1:]))
        ends = [stored(end, entries) for end in ENDS]
        shown = _readable(ends[0], cells.unit)
        value, lower, upper = (
            _in_one_unit(replace(cells, name=name, values=of_end), shown, self.write)
            for name, of_end in zip(names, ends, strict=True)
        )
        intervals = tuple(
            ABSENT
            if low is None or high is None
            else self.vague
            if self.vague and high > MOST_SPAN * low
            else _interval(found, low, high, shown[0], self.write)
            for found, low, high in zip(*ends, strict=True)
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


def _interval(
    found: float | None, low: float, high: float, factor: float, write: Callable[[float], str] | None
) -> str:
    inside = math.nan if found is None else found
    if write is None:
        return interval_text(low * factor, high * factor, of=inside * factor)
    return interval_text(low, high, write, of=inside)


def stored(key: str, rows: Sequence[Any]) -> list[Any]:
    """Return what rows have of a key such as ``quality.smape``; None where plain data lack it.

    Numbers of records are rounded as in documents.
    """
    values: list[Any] = list(rows)
    for part in key.split("."):
        values = [None if value is None else _of(value, part) for value in values]
    return values


def _of(row: Any, key: str) -> Any:  # noqa: ANN401
    if isinstance(row, Mapping):
        return row.get(key)
    value = getattr(row, key)
    if not isinstance(value, float):
        return value
    return None if math.isnan(value) else number(value)


def _path(cells: Cells, paths: Sequence[Sequence[str]]) -> Cells:
    values = tuple("/".join(path) for path in paths)
    return replace(cells, values=values, texts=tuple(distinct_texts(paths, _NAME_WIDTH)), paths=paths)


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
    names: Iterable[str], points: Sequence[Mapping[str, float]], audience: Audience = Audience.ALL
) -> list[Column[Any]]:
    """Return a column per parameter with its value at the point of every row; a point may lack some."""

    def of(name: str) -> list[float | None]:
        return [None if (value := point.get(name)) is None else number(value) for point in points]

    return [
        Column(
            key=name,
            kind=EXACT_KIND,
            values=lambda _, name=name: of(name),  # type: ignore[misc]
            audience=audience,
            is_parameter=True,
        )
        for name in names
    ]


def json_rows(columns: Sequence[Column[Found]], found: Found) -> list[dict[str, Any]]:
    """Return one object per row; ``quality.smape`` lies in an object ``quality``, ``id`` may be left out."""
    rows: list[dict[str, Any]] | None = None
    for column in columns:
        values = column.of(found)
        if values and isinstance(values[0], np.floating):  # JSON has fewer digits
            values = numbers(values)
        rows = rows if rows is not None else [{} for _ in values]
        *outer, key = column.key.split(".")
        for row, value in zip(rows, values, strict=True):
            if value is None and column.kind.may_lack:
                continue
            place = row
            for name in outer:
                place = place.setdefault(name, {})
            place[key] = value
    return rows or []
