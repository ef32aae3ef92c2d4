"""The rows of tables in one form: arrays of points, kernels, times, and what describes the runs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.callpaths import CallPath
from ingest.errors import InputError, one_line
from ingest.number_text import value_text
from ingest.readers.timer_tables.timer_kind import WHOLE
from ingest.reading.csv_files import NO_VALUE, Frame
from ingest.table_mapping import TableMapping
from ingest.tables.table_columns import PROCESSES, THREADS, TableColumns, TimeColumn, find_columns, split_unit
from ingest.work_rates import RATE

if TYPE_CHECKING:
    import pandas as pd

TIME, VISITS = "time", "visits"


@dataclass(frozen=True, eq=False, kw_only=True)
class TableRows:
    """N rows of one table.

    Attributes:
        row: int64[N], the row of the table each is from.
        points: float64[N, D].
        kernels: names of the kernels, as the table has them; DataFrames may have call paths.
        kernel: int64[N], index into `kernels`.
        repetition: what distinguishes runs of one point, one text per row; None if nothing does.
        rank: int64[N], the process each was measured on; None if values are of all.
        locations: float64[N], the number of locations of the run; NaN if unknown.
        process: float64[N], the number of processes; NaN if unknown.
        values: ``time`` in seconds and other metrics, float64[N]; NaN if there is no value.
        described: what describes the run, per name one text per row.
        unknown: columns of numbers that nothing is known about, one text per row.
        bad: row, and what is wrong with one of its cells.
    """

    frame: Frame
    row: IntArray
    parameters: tuple[str, ...]
    points: FloatArray
    kernels: tuple[str | CallPath, ...]
    kernel: IntArray
    repetition: "np.ndarray[Any, Any] | None"
    rank: IntArray | None
    locations: FloatArray
    process: FloatArray
    values: Mapping[str, FloatArray]
    described: Mapping[str, "np.ndarray[Any, Any]"]
    unknown: Mapping[str, "np.ndarray[Any, Any]"]
    bad: tuple[tuple[int, str], ...]


def read_rows(
    frame: Frame, mapping: TableMapping, named: Mapping[str, float], repetition: int | None
) -> TableRows:
    """Bring the rows of a table into one form.

    Args:
        named: parameters in the names of the file and its folder; they count if no column is called so.

    Raises:
        InputError: a column is missing or not recognised, or a parameter or kernel is not stated in a row.
    """
    table = frame.table
    columns = find_columns([str(name) for name in table.columns], mapping, frame.source)
    if not len(table):
        raise InputError("it has no rows", where=frame.source)
    times = len(columns.times)
    row = np.tile(np.arange(len(table)), times)
    kernels, kernel = _kernels(frame, columns)
    names = [split_unit(name)[0] for name in columns.parameters]
    given = {name: value for name, value in named.items() if name not in names}
    points = [_parameter(frame, name) for name in columns.parameters]
    points += [np.full(len(table), value) for value in given.values()]
    if not points:
        raise InputError(
            "no column of a parameter is recognised",
            where=frame.source,
            hint='call it p or n, or write parameters = ["..."] in [table] of pipeline.toml',
        )
    bad: list[tuple[int, str]] = []
    time = np.concatenate([_seconds(frame, column, bad) for column in columns.times])
    others = {VISITS: columns.visits} if columns.visits else {}
    others |= {split_unit(name)[0]: name for name in columns.metrics}
    values = {TIME: time} | {
        name: np.tile(_numbers(frame, header, bad, needed=False), times) for name, header in others.items()
    }
    bad += _negative(frame, columns, row, values)
    locations, process = _locations(frame, columns, dict(zip(names, points, strict=False)), given, bad)
    runs = _texts(table[columns.repetition]) if columns.repetition else None
    if runs is None and repetition is not None:
        runs = np.full(len(table), str(repetition), dtype=object)
    described, unknown = _described(table, columns)
    return TableRows(
        frame=frame,
        row=row,
        parameters=(*names, *given),
        points=np.tile(np.column_stack(points), (times, 1)),
        kernels=kernels,
        kernel=kernel,
        repetition=None if runs is None else np.tile(runs, times),
        rank=np.tile(_codes(table[columns.rank])[0], times) if columns.rank else None,
        locations=np.tile(locations, times),
        process=np.tile(process, times),
        values=values,
        described={name: np.tile(column, times) for name, column in described.items()},
        unknown={name: np.tile(column, times) for name, column in unknown.items()},
        bad=tuple(bad),
    )


def _kernels(frame: Frame, columns: TableColumns) -> tuple[tuple[str | CallPath, ...], IntArray]:
    """Return the names of the kernels and that of each row; without a column of them, columns are kernels."""
    size = len(frame.table)
    if not columns.kernel:
        names = [split_unit(column.header)[0] for column in columns.times]
        return tuple(names) if len(names) > 1 else (WHOLE,), np.repeat(np.arange(len(names)), size)
    column = frame.table[columns.kernel]
    if isinstance(column.iloc[0], tuple):
        return _callpaths(column, frame, columns.kernel)
    codes, texts = _codes(column)
    if missing := np.flatnonzero(codes < 0).tolist():
        raise InputError(
            f"{frame.place(missing[0])}: no {columns.kernel} is stated",
            where=frame.source,
            hint="name it, or delete the row",
        )
    return tuple(one_line(text) for text in texts), codes


def _callpaths(column: "pd.Series[Any]", frame: Frame, name: str) -> tuple[tuple[CallPath, ...], IntArray]:
    import pandas as pd

    codes, found = pd.factorize(column)
    odd = [not isinstance(path, tuple) or not path for path in found]
    if wrong := np.flatnonzero((codes < 0) | np.array([*odd, True])[codes]).tolist():
        raise InputError(f"{frame.place(wrong[0])}: '{name}' is not a tuple of regions", where=frame.source)
    return tuple(tuple(one_line(str(region)) for region in path) for path in found), codes


def _codes(column: "pd.Series[Any]") -> tuple[IntArray, list[str]]:
    """Number the different texts of a column; -1 for none."""
    import pandas as pd

    codes, found = pd.factorize(column)
    texts = [str(text).strip() for text in found]
    known = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    place = np.array([-1 if text in NO_VALUE else known[text] for text in texts] + [-1], dtype=np.int64)
    return place[codes], list(known)


def _texts(column: "pd.Series[Any]") -> "np.ndarray[Any, Any]":
    codes, texts = _codes(column)
    return np.array([*texts, ""], dtype=object)[codes]


def _number(text: str) -> float:
    """Return a number; NaN if there is none."""
    text = text.strip()
    if text in NO_VALUE:
        return math.nan
    if "_" in text:  # Python accepts 1_000
        raise ValueError(text)
    return float(text)


def _numbers(frame: Frame, name: str, bad: list[tuple[int, str]], *, needed: bool = True) -> FloatArray:
    """Return a column as numbers, NaN if there is none; what is not one goes to `bad`, and gaps if needed."""
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
                values[i] = _number(str(text))
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


def _seconds(frame: Frame, column: TimeColumn, bad: list[tuple[int, str]]) -> FloatArray:
    """Return times in seconds, NaN if there is none; of a rate, those of one unit of work."""
    values = _numbers(frame, column.header, bad)
    if not column.rate:
        return column.seconds * values
    bad.extend((row, f"'{column.header}' is 0") for row in np.flatnonzero(values == 0).tolist())
    return column.seconds / np.where(values == 0, np.nan, values)


def _negative(
    frame: Frame, columns: TableColumns, row: IntArray, values: Mapping[str, FloatArray]
) -> list[tuple[int, str]]:
    headers = np.repeat([column.header for column in columns.times], len(frame.table))
    return [
        (int(row[i]), f"'{headers[i]}' is negative: {value_text(values[TIME][i])} s")
        for i in np.flatnonzero(values[TIME] < 0).tolist()
    ]


def _parameter(frame: Frame, name: str) -> FloatArray:
    bad: list[tuple[int, str]] = []
    numbers = _numbers(frame, name, bad)
    if bad:
        row, what = bad[0]
        raise InputError(
            f"{frame.place(row)}: the parameter {what}",
            where=frame.source,
            hint="give each row a number, or name the column under metadata in [table]",
        )
    return numbers


def _locations(
    frame: Frame,
    columns: TableColumns,
    parameters: Mapping[str, FloatArray],
    named: Mapping[str, float],
    bad: list[tuple[int, str]],
) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of locations and of processes per row, NaN if unknown."""
    size = len(frame.table)
    known = dict(parameters) | {name: np.full(size, value) for name, value in named.items()}
    process = next((column for name, column in known.items() if name.lower() in PROCESSES), None)
    threads = next((column for name, column in known.items() if name.lower() in THREADS), None)
    nothing = np.full(size, np.nan)
    if columns.locations.isdecimal():
        locations = np.full(size, float(columns.locations))
    elif columns.locations:
        locations = _numbers(frame, columns.locations, bad)
    elif process is None and threads is None:
        locations = nothing
    else:
        locations = (
            np.ones(size) * (1.0 if process is None else process) * (1.0 if threads is None else threads)
        )
    return locations, nothing if process is None else process


def _described(
    table: "pd.DataFrame", columns: TableColumns
) -> tuple[dict[str, "np.ndarray[Any, Any]"], dict[str, "np.ndarray[Any, Any]"]]:
    """Separate what describes runs, as stated or as text, from numbers that nothing is known about."""
    described = {name: _texts(table[name]) for name in columns.metadata}
    if rate := next((column.rate for column in columns.times), ""):
        described[RATE] = np.full(len(table), rate, dtype=object)
    unknown: dict[str, np.ndarray[Any, Any]] = {}
    for name in columns.others:
        texts = _texts(table[name])
        (unknown if _numeric(texts) else described)[name] = texts
    return described, unknown


def _numeric(texts: "np.ndarray[Any, Any]") -> bool:
    try:
        numbers = [_number(text) for text in dict.fromkeys(texts.tolist()) if text]
    except ValueError:
        return False
    return any(map(math.isfinite, numbers))
