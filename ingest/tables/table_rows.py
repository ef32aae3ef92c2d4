"""The rows of tables in one form: arrays of points, kernels, times, and what describes the runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.callpaths import CallPath
from ingest.errors import InputError, one_line
from ingest.number_text import value_text
from ingest.readers.timer_tables.timer_kind import WHOLE
from ingest.reading.csv_files import Frame
from ingest.table_mapping import TableMapping
from ingest.tables.cells import is_number
from ingest.tables.column_values import (
    BadCells,
    codes_of,
    is_numeric,
    numbers_of,
    parameter_in,
    seconds_in,
    texts_of,
    units_of,
)
from ingest.tables.headings import NAMES, read_headings, split_unit
from ingest.tables.table_columns import TableColumns, find_columns
from ingest.tables.tidy_frames import tidy, without_odd_rows, without_summary
from ingest.tables.time_columns import MOST_NAMES, UnknownColumnError
from ingest.usual_names import letters
from ingest.work_rates import RATE

if TYPE_CHECKING:
    import pandas as pd

TIME, VISITS = "time", "visits"
MOST_KERNELS = 10_000  # of which a total may be one

Texts: TypeAlias = np.ndarray[Any, Any]


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
        bad: index into the N rows, and what is wrong with a cell of it.
        roles: what was decided on columns and rows, in words.
    """

    frame: Frame
    row: IntArray
    parameters: tuple[str, ...]
    points: FloatArray
    kernels: tuple[str | CallPath, ...]
    kernel: IntArray
    repetition: Texts | None
    rank: IntArray | None
    locations: FloatArray
    process: FloatArray
    values: Mapping[str, FloatArray]
    described: Mapping[str, Texts]
    unknown: Mapping[str, Texts]
    bad: tuple[tuple[int, str], ...]
    roles: tuple[str, ...]

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
    """What names say of a table: parameters, those that count beside columns, and the repetition."""

    parameters: Mapping[str, float]
    beside: Mapping[str, float]
    repetition: int | None


NO_NAME = FileName({}, {}, None)


def read_rows(frame: Frame, mapping: TableMapping, named: FileName = NO_NAME) -> TableRows:
    """Bring the rows of a table into one form.

    Args:
        named: what the names of the file and its folders say.

    Raises:
        InputError: a column is missing or not recognised, what it means is ambiguous, or a row states no
            parameter or kernel.
    """
    frame = tidy(frame)
    try:
        columns = find_columns(list(frame.table.columns), _with_texts(frame, mapping), frame.source)
        columns = _with_kernels(frame, columns)
    except UnknownColumnError as error:
        raise _unknown(frame, error.what, error.hint) from error
    frame, said = without_summary(frame, columns.parameters)
    frame, odd = without_odd_rows(frame, columns.repetition)
    if not len(frame.table):
        raise InputError("it has no rows", where=frame.source)
    frame, time, bad = _below_each_other(frame, columns)
    size = len(frame.table)
    kernels, kernel = _kernels(frame, columns)
    points = _points(frame, columns, named)
    others = ({VISITS: columns.visits} if columns.visits else {}) | {
        split_unit(n)[0]: n for n in columns.metrics
    }
    values = {TIME: time} | {name: numbers_of(frame, of, bad, needed=False) for name, of in others.items()}
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
        rank=codes_of(frame.table[columns.rank])[0] if columns.rank else None,
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
        texts = codes_of(frame.table[name])[1]
        if 2 < len(texts) < MOST_KERNELS and not {letters(text) for text in texts}.isdisjoint(
            NAMES["totals"]
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
            texts = codes_of(frame.table[heading.header])[1]
            sizes = heading.counts("sizes") and any(text[:1].isdecimal() for text in texts)  # 64 kB
            words += [] if sizes or any(map(is_number, texts)) else [heading.header]
    return replace(mapping, metadata=tuple(words))


def _below_each_other(frame: Frame, columns: TableColumns) -> tuple[Frame, FloatArray, BadCells]:
    """Return the rows once for each column of times, its seconds, and what is wrong with its cells."""
    import pandas as pd

    bad: BadCells = []
    found: list[FloatArray] = []
    size, units = len(frame.table), units_of(frame, columns.unit) if columns.unit else None
    for place, time in enumerate(columns.times):
        own: BadCells = []
        found.append(seconds_in(frame, time, own, units))
        negative = np.flatnonzero(found[-1] < 0).tolist()
        own += [(r, f"'{time.header}' is negative: {value_text(found[-1][r])} s") for r in negative]
        bad += [(place * size + row, what) for row, what in own]
    table = frame.table if len(found) == 1 else pd.concat([frame.table] * len(found), ignore_index=True)
    return replace(frame, table=table, place=lambda row: frame.place(row % size)), np.concatenate(found), bad


def _points(frame: Frame, columns: TableColumns, named: FileName) -> dict[str, FloatArray]:
    """Return the parameters: those of columns, those that names have for all rows."""
    size = len(frame.table)
    points = {shown: parameter_in(frame, name) for name, shown in columns.parameters.items()}
    given = named.beside if columns.parameters else named.parameters
    points |= {name: np.full(size, value) for name, value in given.items() if name not in points}
    if points:
        return points
    raise _unknown(frame, "no column of a parameter is recognised", "call it p or n")


def _unknown(frame: Frame, what: str, hint: str) -> InputError:
    """Return the error on a table that is not understood, with a line of pipeline.toml that explains it."""
    texts = {name: texts_of(frame.table[name]).tolist() for name in frame.table.columns}
    numbers = [name for name in texts if is_numeric(texts[name])]
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
    return InputError(f"{what} ({', '.join(list(texts)[:MOST_NAMES])})", where=frame.source, hint=hint)


def _repetition(frame: Frame, columns: TableColumns, named: FileName) -> Texts | None:
    """Return what distinguishes runs of one point, None if the order of the rows does."""
    if not columns.repetition and named.repetition is None:
        return None
    size, numbers = len(frame.table), [time.repetition for time in columns.times]
    texts: Texts = np.full(size, str(named.repetition), dtype=object)
    if columns.repetition:
        texts = texts_of(frame.table[columns.repetition])
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
        return tuple(names) if len(names) > 1 else (WHOLE,), kernel
    column = frame.table[columns.kernel]
    if isinstance(column.iloc[0], tuple):
        return _callpaths(column, frame, columns.kernel)
    codes, texts = codes_of(column)
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
    headings = read_headings(texts) if 1 < len(texts) < len(NAMES) else []
    if headings and all((heading.clock or heading.statistic) and not heading.base for heading in headings):
        what = f"the rows of '{header}' are of several clocks or statistics ({', '.join(texts[:MOST_NAMES])})"
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
        locations = numbers_of(frame, columns.locations, bad)
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
    described = {name: texts_of(frame.table[name]) for name in columns.metadata}
    if columns.times[0].rate:
        described[RATE] = np.full(len(frame.table), columns.times[0].rate, dtype=object)
    unknown: dict[str, Texts] = {}
    for name in (*columns.others, *columns.aside):
        texts = texts_of(frame.table[name])
        different = list(dict.fromkeys(texts.tolist()))
        if not is_numeric(different):
            described[name] = texts
            _refuse_mixture(frame, name, different)
        elif name in columns.others:
            unknown[name] = texts
    return described, unknown
