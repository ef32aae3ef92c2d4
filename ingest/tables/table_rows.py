"""The rows of tables in one form: arrays of points, kernels, times, and what describes the runs."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import CallPath
from ingest.errors import InputError, one_line
from ingest.experiment import TIME, VISITS
from ingest.number_text import value_text
from ingest.parameter_roles import letters
from ingest.readers.timer_tables.timer_kind import WHOLE_RUN
from ingest.reading.csv_files import NO_VALUE, Frame, is_unnamed
from ingest.table_mapping import TableMapping
from ingest.tables.headings import (
    COLUMN_NAMES,
    MOST_LETTERS,
    TIME_UNITS,
    TWO_PARTS,
    is_number,
    number,
    read_headings,
    seconds_of,
    split_unit,
)
from ingest.tables.table_columns import (
    MOST_HEADINGS,
    TableColumns,
    TimeColumn,
    UnknownColumnError,
    find_columns,
)
from ingest.units import RATE_METRIC

if TYPE_CHECKING:
    import pandas as pd

BadCells = list[tuple[int, str]]
"""Rows, and what is wrong with one of their cells."""
_MOST_SUMMARIES = 6  # rows at the end that sum up the others
_MOST_KERNELS = 10_000  # of which a total may be one

Texts: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class TableRows:
    """N rows of one table."""

    frame: Frame
    row: IntArray  # int64[N], the row of the table each is from
    parameters: tuple[str, ...]
    points: FloatArray  # float64[N, D]
    # names of the kernels, as the table has them; DataFrames may have call paths
    kernels: tuple[str | CallPath, ...]
    kernel: IntArray  # int64[N], index into `kernels`
    repetition: Texts | None  # what distinguishes runs of one point, one text per row; None if nothing does
    rank: IntArray | None  # int64[N], the process each was measured on; None if values are of all
    locations: FloatArray  # float64[N], the number of locations of the run; NaN if unknown
    process: FloatArray  # float64[N], the number of processes; NaN if unknown
    # ``time`` in seconds and other metrics, float64[N]; NaN if there is no value
    values: Mapping[str, FloatArray]
    described: Mapping[str, Texts]  # what describes the run, per name one text per row
    unknown: Mapping[str, Texts]  # columns of numbers that nothing is known about, one text per row
    bad: tuple[tuple[int, str], ...]  # index into the N rows, and what is wrong with a cell of it
    roles: tuple[str, ...]  # what was decided on columns and rows, in words

    def only(self, kept: BoolArray) -> "TableRows":
        """Return some of the rows, bool[N]."""

        def cut(value: Any) -> Any:  # noqa: ANN401 - of a field
            if isinstance(value, dict):
                return {name: cut(column) for name, column in value.items()}
            return value[kept] if isinstance(value, np.ndarray) else value

        place = np.cumsum(kept) - 1
        bad = tuple((int(place[row]), what) for row, what in self.bad if kept[row])
        return replace(
            self, **{one.name: cut(getattr(self, one.name)) for one in fields(self)} | {"bad": bad}
        )


class FileName(NamedTuple):
    """What names say of a table: parameters, those that count in addition to columns, and the repetition."""

    parameters: Mapping[str, float]
    beside: Mapping[str, float]
    repetition: int | None


_NO_NAME = FileName({}, {}, None)


def read_rows(frame: Frame, mapping: TableMapping, named: FileName = _NO_NAME) -> TableRows:
    """Bring the rows of a table into one form, with what the names of its file and folders say."""
    frame = _tidy(frame)
    try:
        columns = find_columns(list(frame.table.columns), _with_texts(frame, mapping), frame.source)
        columns = _with_kernels(frame, columns)
    except UnknownColumnError as error:
        raise _unknown(frame, error.what, error.hint) from error
    frame, said = _without_summary(frame, columns.parameters)
    frame, odd = _without_odd_rows(frame, columns.repetition)
    if not len(frame.table):
        raise InputError("it has no rows", where=frame.source)
    frame, time, bad = _below_each_other(frame, columns)
    size = len(frame.table)
    kernels, kernel = _kernels(frame, columns)
    points = _points(frame, columns, named)
    others = ({VISITS: columns.visits} if columns.visits else {}) | {
        split_unit(n)[0]: n for n in columns.metrics
    }
    values = {TIME: time} | {name: _numbers_of(frame, of, bad, needed=False) for name, of in others.items()}
    locations, process = _locations(frame, columns, points, bad)
    if columns.locations and _vary(points, kernel, locations):
        points[read_headings([columns.locations])[0].shown] = locations
    described, unknown = _described(frame, columns)
    return TableRows(
        frame=frame,
        row=np.arange(size),
        parameters=tuple(points),
        points=np.column_stack(list(points.values())),
        kernels=kernels,
        kernel=kernel,
        repetition=_repetition(frame, columns, named),
        rank=_codes_of(frame.table[columns.rank])[0] if columns.rank else None,
        locations=locations,
        process=process,
        values=values,
        described=described,
        unknown=unknown,
        bad=tuple(bad),
        roles=(*frame.said, *columns.roles, *said, *odd),
    )


def _with_kernels(frame: Frame, columns: TableColumns) -> TableColumns:
    """Take a column that has a total among its texts for that of the kernels if no heading is called so."""
    if columns.kernel or len(columns.times) > 1:
        return columns
    for name in columns.others:
        texts = _codes_of(frame.table[name])[1]
        if 2 < len(texts) < _MOST_KERNELS and not {letters(text) for text in texts}.isdisjoint(
            COLUMN_NAMES["totals"]
        ):
            others = tuple(other for other in columns.others if other != name)
            return replace(columns, kernel=name, others=others)
    return columns


def _with_texts(frame: Frame, mapping: TableMapping) -> TableMapping:
    """Take columns of words that are called as counts or sizes are for metadata: ``cpu``, ``size``."""
    if mapping.parameters or mapping.metadata:
        return mapping
    words = []
    for heading in read_headings(list(frame.table.columns)):
        if heading.counts("cores", "cpu", "gpus", "sizes"):
            texts = _codes_of(frame.table[heading.header])[1]
            sizes = heading.counts("sizes") and any(text[:1].isdecimal() for text in texts)  # 64 kB
            words += [] if sizes or any(map(is_number, texts)) else [heading.header]
    return replace(mapping, metadata=tuple(words))


def _below_each_other(frame: Frame, columns: TableColumns) -> tuple[Frame, FloatArray, BadCells]:
    """Return the rows once for each column of times, its seconds, and what is wrong with its cells."""
    import pandas as pd

    bad: BadCells = []
    found: list[FloatArray] = []
    size, units = len(frame.table), _units_of(frame, columns.unit) if columns.unit else None
    for place, time in enumerate(columns.times):
        own: BadCells = []
        found.append(_seconds_in(frame, time, own, units))
        negative = np.flatnonzero(found[-1] < 0).tolist()
        own += [(r, f"'{time.header}' is negative: {value_text(found[-1][r])} s") for r in negative]
        bad += [(place * size + row, what) for row, what in own]
    table = frame.table if len(found) == 1 else pd.concat([frame.table] * len(found), ignore_index=True)
    return replace(frame, table=table, place=lambda row: frame.place(row % size)), np.concatenate(found), bad


def _points(frame: Frame, columns: TableColumns, named: FileName) -> dict[str, FloatArray]:
    """Return the parameters: those of columns, those that names have for all rows."""
    size = len(frame.table)
    points = {shown: _parameter_in(frame, name) for name, shown in columns.parameters.items()}
    given = named.beside if columns.parameters else named.parameters
    points |= {name: np.full(size, value) for name, value in given.items() if name not in points}
    if points:
        return points
    raise _unknown(frame, "no column of a parameter is recognised", "call it p or n")


def _unknown(frame: Frame, what: str, hint: str) -> InputError:
    """Return the error on a table that is not understood, with a line of pipeline.toml that explains it."""
    texts = {name: _texts_of(frame.table[name]).tolist() for name in frame.table.columns}
    numbers = [name for name in texts if _is_numeric(texts[name])]
    whole = [
        name for name in numbers if len(set(texts[name])) > 1 and not any("." in text for text in texts[name])
    ]
    counted = any(
        h.counts("processes", "cores", "gpus", "threads", "nodes", "sizes")
        for h in read_headings(list(texts))
    )
    values = sorted((name for name in numbers if name not in whole[:1]), key=lambda name: name in whole)
    if whole and values:
        named = "" if counted else f'parameters = ["{whole[0]}"], locations = "{whole[0]}", '
        hint += f', or put table = {{{named}value = "{values[0]}"}} into pipeline.toml (--config)'
    return InputError(f"{what} ({', '.join(list(texts)[:MOST_HEADINGS])})", where=frame.source, hint=hint)


def _repetition(frame: Frame, columns: TableColumns, named: FileName) -> Texts | None:
    """Return what distinguishes runs of one point, None if the order of the rows does."""
    if not columns.repetition and named.repetition is None:
        return None
    size, numbers = len(frame.table), [time.repetition for time in columns.times]
    texts: Texts = np.full(size, str(named.repetition), dtype=object)
    if columns.repetition:
        texts = _texts_of(frame.table[columns.repetition])
    several = np.repeat(np.array([f".{number}" for number in numbers], dtype=object), size // len(numbers))
    return texts + several if len(set(numbers)) > 1 else texts


def _vary(points: Mapping[str, FloatArray], kernel: IntArray, locations: FloatArray) -> bool:
    """Return whether a kernel was measured with several numbers of locations at the same point."""
    import pandas as pd

    rows = pd.DataFrame(dict(points) | {"\0kernel": kernel}).assign(**{"\0locations": locations})
    return len(rows.drop_duplicates()) > len(rows.drop(columns="\0locations").drop_duplicates())


def _kernels(frame: Frame, columns: TableColumns) -> tuple[tuple[str | CallPath, ...], IntArray]:
    """Return the names of the kernels and that of each row; without a column of them, columns are kernels."""
    if not columns.kernel:
        timed = [time.kernel for time in columns.times]
        names = list(dict.fromkeys(timed))
        kernel = np.repeat([names.index(name) for name in timed], len(frame.table) // len(timed))
        return tuple(names) if len(names) > 1 else (WHOLE_RUN,), kernel
    column = frame.table[columns.kernel]
    if isinstance(column.iloc[0], tuple):
        return _callpaths(column, frame, columns.kernel)
    codes, texts = _codes_of(column)
    if missing := np.flatnonzero(codes < 0).tolist():
        raise InputError(
            f"{frame.place(missing[0])}: no {columns.kernel} is stated",
            where=frame.source,
            hint="name it, or delete the row",
        )
    _refuse_mixture(frame, columns.kernel, texts)
    return tuple(one_line(text) for text in texts), codes


def _refuse_mixture(frame: Frame, header: str, texts: Sequence[str]) -> None:
    """Refuse texts that all are clocks or statistics: their rows are not parts of a run, nor repetitions."""
    headings = read_headings(texts) if 1 < len(texts) < len(COLUMN_NAMES) else []
    if headings and all((heading.clock or heading.statistic) and not heading.base for heading in headings):
        what = (
            f"the rows of '{header}' are of several clocks or statistics ({', '.join(texts[:MOST_HEADINGS])})"
        )
        raise InputError(what, where=frame.source, hint="keep those of one, such as real or mean")


def _callpaths(column: "pd.Series[Any]", frame: Frame, name: str) -> tuple[tuple[CallPath, ...], IntArray]:
    import pandas as pd

    codes, found = pd.factorize(column)
    odd = [not isinstance(path, tuple) or not path for path in found]
    if wrong := np.flatnonzero((codes < 0) | np.array([*odd, True])[codes]).tolist():
        raise InputError(f"{frame.place(wrong[0])}: '{name}' is not a tuple of regions", where=frame.source)
    return tuple(tuple(one_line(str(region)) for region in path) for path in found), codes


def _locations(
    frame: Frame, columns: TableColumns, points: Mapping[str, FloatArray], bad: BadCells
) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of locations and of processes per row, NaN if unknown."""
    size = len(frame.table)
    process = points.get(
        columns.parameters.get(columns.processes, ""), _named(points, columns, "processes", "nodes")
    )
    threads = points.get(columns.parameters.get(columns.threads, ""), _named(points, columns, "threads"))
    nothing = np.full(size, np.nan)
    if columns.locations.isdecimal():
        locations = np.full(size, float(columns.locations))
    elif columns.locations:
        locations = _numbers_of(frame, columns.locations, bad)
    elif process is None and threads is None:
        locations = nothing
    else:
        locations = (
            np.ones(size) * (1.0 if process is None else process) * (1.0 if threads is None else threads)
        )
    return locations, nothing if process is None else process


def _named(points: Mapping[str, FloatArray], columns: TableColumns, *meanings: str) -> FloatArray | None:
    """Return what names of files count, None if they do not."""
    names = [name for name in points if name not in columns.parameters.values()]
    headings = read_headings(names)
    return next((points[h.header] for meaning in meanings for h in headings if h.counts(meaning)), None)


def _described(frame: Frame, columns: TableColumns) -> tuple[dict[str, Texts], dict[str, Texts]]:
    """Separate what describes runs, as stated or as text, from numbers that nothing is known about."""
    described = {name: _texts_of(frame.table[name]) for name in columns.metadata}
    if columns.times[0].rate:
        described[RATE_METRIC] = np.full(len(frame.table), columns.times[0].rate, dtype=object)
    unknown: dict[str, Texts] = {}
    for name in (*columns.others, *columns.aside):
        texts = _texts_of(frame.table[name])
        different = list(dict.fromkeys(texts.tolist()))
        if not _is_numeric(different):
            described[name] = texts
            _refuse_mixture(frame, name, different)
        elif name in columns.others:
            unknown[name] = texts
    return described, unknown


def _tidy(frame: Frame) -> Frame:
    """Leave out columns and rows that hold nothing, and take a row of units into the headings."""
    table = frame.table
    if table.columns.nlevels > 1 or any(name is not None for name in table.index.names):
        what = "the table has an index with names, or columns of several levels"
        raise InputError(what, where=frame.source, hint="use reset_index(), and columns of one level")
    unnamed = [place for place, name in enumerate(table.columns) if is_unnamed(str(name))]
    numbers = (
        [[str(row + first) for row in range(len(table))] for first in (0, 1)] if unnamed[:1] == [0] else []
    )
    for place in unnamed:
        cells = table.iloc[:, place]
        if not _empty(cells).all() and (place or list(map(str, cells)) not in numbers):
            what = f"the column {place + 1} has no name"
            raise InputError(what, where=frame.source, hint="name it in the first line")
    table = table.iloc[:, [i for i in range(table.shape[1]) if i not in unnamed]].reset_index(drop=True)
    table.columns = list(map(str, table.columns))
    kept = np.ones(len(table), dtype=np.bool_)
    if table.shape[1] and _empty(table.iloc[:, 0]).any():
        kept = ~np.all([_empty(table.iloc[:, place]) for place in range(table.shape[1])], axis=0)
    if units := _units(table):
        kept[0] = False
        table.columns = [f"{name} [{units[name]}]" if units[name] else name for name in table.columns]
    if kept.all():
        return replace(frame, table=table)
    return _only(replace(frame, table=table), np.flatnonzero(kept).tolist())


def _without_summary(frame: Frame, parameters: Collection[str]) -> tuple[Frame, tuple[str, ...]]:
    """Leave out rows at the end that are averages or sums of those above, and say so.

    In such a row no parameter has a number, and a cell says what it is.
    """
    names: list[str] = []
    for row in range(len(frame.table) - 1, 0, -1)[:_MOST_SUMMARIES]:
        cells = {name: str(frame.table[name].iat[row]).strip() for name in frame.table.columns}
        words = read_headings([text for text in cells.values() if len(text) < MOST_LETTERS])
        said = [h.header for h in words if h.statistic or h.total or h.means("sums")]
        if not said or not parameters or any(is_number(cells[name]) for name in parameters):
            break
        names.insert(0, said[0])
    if not names:
        return frame, ()
    what = f"row{'s' if len(names) > 1 else ''} {', '.join(names)}: left out"
    return replace(frame, table=frame.table.iloc[: -len(names)]), (what,)


def _without_odd_rows(frame: Frame, repetition: str) -> tuple[Frame, tuple[str, ...]]:
    """Leave out rows of runs that failed, as a column of states has it, and those of averages; say so.

    An average has no number in the column that numbers the runs of a point, empty without.
    """
    states = [h.header for h in read_headings(list(map(str, frame.table.columns))) if h.means("states")]
    found: dict[int, str] = {}
    for name in filter(None, (*states, repetition)):
        codes, texts = _codes_of(frame.table[name])
        failed = [name != repetition and letters(text) in COLUMN_NAMES["failed"] for text in texts]
        means = [name == repetition and bool(read_headings([text])[0].statistic) for text in texts]
        left = np.array([*map(any, zip(failed, means, strict=True)), False])[codes]
        found |= {row: f"{name} = {texts[codes[row]]}" for row in np.flatnonzero(left).tolist()}
    if not found or len(found) == len(frame.table):
        return frame, ()
    rows = [row for row in range(len(frame.table)) if row not in found]
    counted = Counter(found.values())
    said = tuple(f"{n} row{'s' if n > 1 else ''} with {what}: left out" for what, n in counted.items())
    return _only(frame, rows), said


def _only(frame: Frame, rows: list[int]) -> Frame:
    """Return some rows, which know their places in the file."""
    table = frame.table.iloc[rows].reset_index(drop=True)
    return replace(frame, table=table, place=lambda row: frame.place(rows[row]))


def _empty(cells: "pd.Series[Any]") -> BoolArray:
    texts = cells.isin(NO_VALUE) if cells.dtype.kind not in "fiub" else False
    return np.asarray(cells.isna() | texts)


def _units(table: "pd.DataFrame") -> dict[str, str]:
    """Return the units that stand below the headings, such as ``[s]`` below ``time``; nothing if none do."""
    first = (str(table.iloc[0, place]).strip() for place in range(table.shape[1]))
    cells = dict(zip(table.columns, first, strict=True)) if len(table) > 1 else {}
    units = {name: "" if cell in NO_VALUE else cell.strip("[]() ") for name, cell in cells.items()}
    known = any(unit.lower() in TIME_UNITS for unit in units.values())
    return units if known and not any(map(is_number, cells.values())) else {}


def _codes_of(column: "pd.Series[Any]") -> tuple[IntArray, list[str]]:
    """Number the different texts of a column; -1 for none."""
    import pandas as pd

    codes, found = pd.factorize(column)
    texts = [str(text).strip() for text in found]
    known = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    place = np.array([-1 if text in NO_VALUE else known[text] for text in texts] + [-1], dtype=np.int64)
    return place[codes], list(known)


def _texts_of(column: "pd.Series[Any]") -> "np.ndarray[Any, Any]":
    """Return a column as texts, empty if there is none."""
    codes, texts = _codes_of(column)
    return np.array([*texts, ""], dtype=object)[codes]


def _numbers_of(
    frame: Frame, name: str, bad: BadCells, *, needed: bool = True, read: Callable[[str], float] = number
) -> FloatArray:
    """Return a column as numbers, NaN if there is none; what is not one goes to `bad`, and gaps if needed.

    `read` makes a number of a text, or raises ValueError.
    """
    import pandas as pd

    column = frame.table[name]
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        found = column.to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
        codes = np.arange(len(found))
        values, odd = found, dict.fromkeys(np.flatnonzero(np.isinf(found)).tolist(), "inf")
    else:
        codes, texts = pd.factorize(column)
        values, odd = np.full(len(texts) + 1, np.nan), {}
        for i, text in enumerate(texts):
            try:
                values[i] = read(str(text))
            except ValueError:
                odd[i] = str(text)
            else:
                if math.isinf(values[i]):
                    odd[i] = str(text)
    for code, text in odd.items():
        rows = np.flatnonzero(codes == code)
        values[code] = np.nan
        bad.extend((row, f"'{name}' is not a number: '{text[:40]}'") for row in rows.tolist())
    result: FloatArray = values[codes]
    missing = np.isnan(result) & ~np.isin(codes, list(odd)) & needed
    bad.extend((row, f"'{name}' has no value") for row in np.flatnonzero(missing).tolist())
    return result


def _seconds_in(
    frame: Frame, column: TimeColumn, bad: BadCells, units: FloatArray | None = None
) -> FloatArray:
    """Return times in seconds, NaN if there is none; of a rate, those of one unit of work.

    `units` has the seconds per unit of each row, if a column states them. Cells that may be minutes and
    seconds as well as hours and minutes are refused.
    """
    unit = 1.0 if column.seconds is None else column.seconds
    ambiguous: list[str] = []

    def read(text: str) -> float:
        try:
            return number(text)
        except ValueError:
            if column.rate or units is not None:
                raise
            ambiguous.append(text if TWO_PARTS.fullmatch(text) and not column.form else "")
            return seconds_of(text, column.form) / unit

    values = _numbers_of(frame, column.header, bad, read=read)
    if ambiguous and all(ambiguous):
        raise InputError(
            f"'{column.header}': {ambiguous[0]} may be minutes and seconds or hours and minutes",
            where=frame.source,
            hint=f"call the column '{column.header} [mm:ss]' or '{column.header} [hh:mm]'",
        )
    if not column.rate:
        return (unit if units is None else units) * values
    bad.extend((row, f"'{column.header}' is 0") for row in np.flatnonzero(values == 0).tolist())
    return unit / np.where(values == 0, np.nan, values)


def _units_of(frame: Frame, header: str) -> FloatArray:
    """Return the seconds per unit that a column states for each row; InputError if one is no unit of time."""
    codes, texts = _codes_of(frame.table[header])
    found = np.array([*(TIME_UNITS.get(text.strip("[]()").lower(), math.nan) for text in texts), math.nan])[
        codes
    ]
    if wrong := np.flatnonzero(np.isnan(found)).tolist():
        text = [*texts, ""][codes[wrong[0]]]
        what = f"{frame.place(wrong[0])}: the unit '{text}' is not known"
        raise InputError(what, where=frame.source, hint="known: s, ms, us, ns, min, h")
    return found


def _parameter_in(frame: Frame, name: str) -> FloatArray:
    """Return the values of a parameter; InputError if a row has none, or what is not a number."""
    bad: BadCells = []
    found = _numbers_of(frame, name, bad)
    if bad:
        row, what = bad[0]
        raise InputError(
            f"{frame.place(row)}: the parameter {what}",
            where=frame.source,
            hint="give each row a number, or name the column under metadata in [table]",
        )
    return found


def _is_numeric(texts: Iterable[str]) -> bool:
    """Return whether all texts that are not empty are numbers."""
    try:
        found = [number(text) for text in dict.fromkeys(texts) if text]
    except ValueError:
        return False
    return any(map(math.isfinite, found))
