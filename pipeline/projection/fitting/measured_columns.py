"""Measurements by column, and which of them a term is fitted to.

They come from CSV files and from output of network benchmarks, recognised by content. Which ones a term is
fitted to say its keys ``data``, ``where``, ``time`` and ``weights``: docs/explanations/projection.md.

Column names of CSV files carry their units, ``time [us]`` or ``time_us``. All benchmarks become the columns
``benchmark``, ``x`` (message size in bytes), ``time`` and, if it is printed, ``P`` (processes): half a round
trip, the mean over processes of an allreduce, or of osu_bw the size over the bandwidth (in 10^6 B/s).
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import InputError, UsageError
from ingest.run_conditions import read_condition
from ingest.tables.message_benchmarks import MESSAGE_TITLE, MessageTime, message_times
from ingest.toml_table import TomlTable
from ingest.units import BYTES, NONE, TIME_DIMENSION, Dimension, parse_quantity, parse_unit
from pipeline.projection.expressions.shipped_files import beside, read_text
from pipeline.projection.fitting.resampling import Measurements, Weights

_MICRO = 1e-6
_LARGEST = 1e100  # its square is a number, as a fit needs it
_SHORT = re.compile(r"\s*(?P<size>\d+) bytes\s+->\s+(?P<time>[\d.]+) us\s+==\s+[\d.]+ Mbit/s\s*")
_TITLE = re.compile(r"##\s*Netgauge v\S+ .*")
_MEDIAN = re.compile(r"##\s*(?P<letter>[A-Z])\.\.\.median RTT/2\s*")
_LOGGP = re.compile(r"#\s*size\s+n\s+PRTT\(1,0,s\).*")
_PROGRESS = re.compile(r"Testing \d+ bytes \d+ times:")
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|nan|inf)")
_HEADER = re.compile(r"\s*(?P<name>[^\[\]]*?)\s*(?:\[(?P<unit>[^\[\]]*)\])?\s*")
_SUFFIXES = frozenset({"s", "ms", "us", "ns", "B", "KiB", "MiB", "GiB"})


@dataclass(frozen=True)
class MeasuredColumns:
    """The columns of a CSV file by name without unit: texts, and factors to SI with dimensions."""

    where: str
    cells: dict[str, tuple[str, ...]]
    units: dict[str, tuple[float, Dimension]]

    def numbers(
        self, name: str, dimension: Dimension, rows: BoolArray | None = None, *, positive: bool = False
    ) -> FloatArray:
        """Return the numbers of a column in SI units, of the rows marked (all by default), all finite."""
        texts = self.texts(name)
        factor, found = self.units[name]
        if found != dimension:
            raise InputError(
                f"column '{name}' is in {found}, not in {dimension}",
                where=self.where,
                hint="give its unit in the header, such as 'time [us]'",
            )
        wanted = [True] * len(texts) if rows is None else rows.tolist()
        numbered = zip(range(2, len(texts) + 2), texts, wanted, strict=True)
        return factor * np.array(
            [self._number(cell, line, name, positive=positive) for line, cell, want in numbered if want]
        )

    def _number(self, cell: str, line: int, name: str, *, positive: bool) -> float:
        try:
            value = float(cell)
        except ValueError:
            value = float("nan")
        if not np.isfinite(value):
            what = f"line {line}: '{cell}' in column '{name}' is not a number"
            raise InputError(what, where=self.where, hint="correct or remove the line")
        if abs(value) > _LARGEST:
            what = f"line {line}: '{cell}' in column '{name}' is too large to be measured"
            raise InputError(what, where=self.where, hint="correct or remove the line")
        if positive and value <= 0:
            what = f"line {line}: '{cell}' in column '{name}' is not above 0"
            raise InputError(what, where=self.where, hint="correct or remove the line")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the cells of a column; InputError if there is no such column."""
        if name not in self.cells:
            hint = f"columns here: {', '.join(self.cells)}"
            raise InputError(f"no column '{name}'", where=self.where, hint=hint)
        return self.cells[name]

    def matching(self, conditions: Mapping[str, object]) -> BoolArray:
        """Return bool[row], which rows hold the value given in every named column: at least one."""
        marked = np.ones(len(next(iter(self.cells.values()))), dtype=bool)
        for name, value in conditions.items():
            marked &= np.array([cell == str(value) for cell in self.texts(name)])
        if not marked.any():
            wanted = ", ".join(f"{name} = {value}" for name, value in conditions.items())
            raise InputError(f"no rows with {wanted}", where=self.where, hint="check the condition")
        return marked


def read_columns(path: Path, verbatim: Callable[[str], bool] = lambda _: False) -> MeasuredColumns:
    """Return the columns of a CSV file.

    A `verbatim` header is a plain name although it looks as if it had a unit, such as likwid's ``Memory data
    volume [GBytes]``.
    """
    rows = [row for row in csv.reader(io.StringIO(read_text(path))) if any(map(str.strip, row))]
    if len(rows) < 2:
        raise InputError("a header and at least one line are needed", where=str(path))
    for line, row in enumerate(rows[1:], 2):
        if len(row) != len(rows[0]):
            what = f"line {line} has {len(row)} cells, the header {len(rows[0])}"
            raise InputError(what, where=str(path), hint="correct the line")
    headers = [(t, (1.0, NONE)) if verbatim(t) else _header(t, path) for t in rows[0]]
    twice = [name for name, times in Counter(name for name, _ in headers).items() if times > 1]
    if twice:
        what = f"column '{twice[0]}' is there twice"
        raise InputError(what, where=str(path), hint="remove or rename one")
    cells = zip(*([cell.strip() for cell in row] for row in rows[1:]), strict=True)
    named = dict(zip((name for name, _ in headers), cells, strict=True))
    return MeasuredColumns(str(path), named, dict(headers))


def _header(text: str, path: Path) -> tuple[str, tuple[float, Dimension]]:
    match = _HEADER.fullmatch(text)
    if match is None or not match["name"]:
        raise InputError(f"'{text}' is not a column name", where=str(path), hint="write it like 'time [us]'")
    if match["unit"] is not None:
        try:
            return match["name"], parse_unit(match["unit"])
        except UsageError as error:
            raise InputError(error.what, where=f"{path}: column '{text}'", hint=error.hint) from error
    stem, _, suffix = match["name"].rpartition("_")
    if stem and suffix in _SUFFIXES:
        return stem, parse_unit(suffix)
    return match["name"], (1.0, NONE)


MESSAGES = ("PingPong", "osu_latency", "one_one", "loggp")
"""Benchmarks that time one message at a time, there and back."""
STREAMS = ("osu_bw",)
"""Benchmarks that time messages sent in sequence without waiting."""
ALLREDUCES = ("Allreduce", "osu_allreduce")

_KNOWN = (*MESSAGES, *STREAMS, *ALLREDUCES)


def read_benchmark(path: Path) -> MeasuredColumns | None:
    """Return the measurements in a benchmark's output, or None if the file is something else."""
    lines = read_text(path).splitlines()
    read = netgauge_times if is_netgauge(lines, path) else message_times
    if read is message_times and not any(MESSAGE_TITLE.fullmatch(line.strip()) for line in lines):
        return None
    found = [one for one in read(lines) if one.benchmark in _KNOWN]
    if not found:
        hint = f"benchmarks are {', '.join(_KNOWN)}"
        raise InputError("none of its benchmarks is known here", where=str(path), hint=hint)
    cells: dict[str, tuple[str, ...]] = {
        "benchmark": tuple(sample.benchmark for sample in found),
        "x": tuple(f"{sample.size:.15g}" for sample in found),
        "time": tuple(repr(sample.seconds) for sample in found),
    }
    if all(sample.processes is not None for sample in found):
        cells["P"] = tuple(str(sample.processes) for sample in found)
    dimensions = {"benchmark": NONE, "x": BYTES, "time": TIME_DIMENSION, "P": NONE}
    return MeasuredColumns(str(path), cells, {name: (1.0, dimensions[name]) for name in cells})


# What Netgauge writes of messages: the patterns one_one and loggp.
#
# The time of a message is half a round trip: of one_one the median, or the least where only that is printed;
# of loggp, from its output file, PRTT(1,0,s) / 2.


def is_netgauge(lines: Sequence[str], path: Path) -> bool:
    """Return whether lines are measured times of Netgauge; InputError if they are its fits."""
    if any(form.fullmatch(line.strip()) for line in lines for form in (_TITLE, _LOGGP, _SHORT)):
        return True
    if any(map(_PROGRESS.match, lines)):
        hint = "name the file that Netgauge writes with --output"
        raise InputError("Netgauge's loggp prints fits, not measured times", where=str(path), hint=hint)
    return False


def netgauge_times(lines: Sequence[str]) -> Iterator[MessageTime]:
    """Yield what the lines of an output state; tables name their columns by letters above them."""
    column, of_loggp = 0, any(_LOGGP.fullmatch(line.strip()) for line in lines)
    for number, line in enumerate(map(str.strip, lines), 1):
        words = re.sub(r"[()]|(?<=\s)-(?=\s)", " ", line).split()
        numbers = [float(word) for word in words] if all(map(_NUMBER.fullmatch, words)) else []
        if of_loggp:
            if len(numbers) > 2:
                yield _time(number, "loggp", numbers[0], numbers[2] / 2)
        elif match := _SHORT.fullmatch(line):
            yield _time(number, "one_one", float(match["size"]), float(match["time"]))
        elif match := _MEDIAN.fullmatch(line):
            column = ord(match["letter"]) - ord("A")
        elif column and len(numbers) > column:
            yield _time(number, "one_one", numbers[0], numbers[column])


def _time(line: int, benchmark: str, size: float, microseconds: float) -> MessageTime:
    return MessageTime(line=line, benchmark=benchmark, size=size, seconds=microseconds * _MICRO, processes=2)


DATA_KEYS = ("data", "where", "without", "time", "weights")

_SMALL = "8"  # bytes: what programs sum most often, one number
_ROW_HINT = 'write data = "file.csv", a list of files, or rows such as { n = 8, time = "2.1 ms" }'


def read_measurements(
    table: TomlTable,
    inputs: Mapping[str, Dimension],
    dimension: Dimension = TIME_DIMENSION,
    *,
    benchmarks: Collection[str] = (),
    held_out: bool = False,
) -> Measurements:
    """Return the measurements that a term names.

    Of output with several benchmarks those named are taken, all if none is. `held_out` are those that meet a
    condition of ``without``, in place of the others.
    """
    weights = _weights(table)
    parts = _parts(table)
    for part in parts:
        _check_benchmarks(part, benchmarks)
    columns = _joined(parts, table)
    missing = sorted(set(inputs) - set(columns.cells))
    if missing:
        have = ", ".join(columns.cells)
        hint = f'columns here: {have}; state it with data = [{{ file = "...", {missing[0]} = 256 }}]'
        raise InputError(f"no column '{missing[0]}'", where=columns.where, hint=hint)
    rows = _chosen(columns, table, inputs, benchmarks)
    held = rows_meeting(columns, rows, table.names("without") if "without" in table else ())
    rows[rows] = held if held_out else ~held
    return Measurements(
        {name: columns.numbers(name, unit, rows) for name, unit in inputs.items()},
        columns.numbers(table.text("time", "time"), dimension, rows, positive=held_out),
        weights,
    )


def rows_meeting(columns: MeasuredColumns, rows: BoolArray, conditions: Sequence[str]) -> BoolArray:
    """Return which of n marked rows meet any of some conditions on their columns, in SI units, bool[n].

    A condition on a column that is not there is met by none.
    """
    found = np.zeros(int(rows.sum()), dtype=np.bool_)
    for one in map(read_condition, conditions):
        if one.name in columns.cells:
            found |= one.met(columns.numbers(one.name, columns.units[one.name][1], rows))
    return found


def _check_benchmarks(columns: MeasuredColumns, benchmarks: Collection[str]) -> None:
    """Refuse output that has nothing to fit to: a file that is named is not left out in silence."""
    if not benchmarks or "benchmark" not in columns.cells:
        return
    kinds = sorted(set(columns.texts("benchmark")))
    if not set(kinds) & set(benchmarks):
        what = f"none of {', '.join(benchmarks)} in this output: only {', '.join(kinds)}"
        raise InputError(what, where=columns.where, hint="name another file")


def _weights(table: TomlTable) -> Weights:
    weights = table.text("weights", "relative")
    if weights not in ("relative", "equal"):
        raise table.error("weights", f"invalid weights '{weights}'", "choose relative or equal")
    return "equal" if weights == "equal" else "relative"


def _parts(table: TomlTable) -> list[MeasuredColumns]:
    given = table.content["data"]
    entries = given if isinstance(given, list) else [given]
    if not entries or not all(isinstance(entry, str | dict) for entry in entries):
        raise table.error("data", "holds neither files nor rows", _ROW_HINT)
    rows = [table.inside(e, "data", n) for n, e in enumerate(entries) if isinstance(e, dict)]
    stated = [row for row in rows if "file" not in row]
    return [
        *(_of_file(table, entry) for entry in entries if isinstance(entry, str)),
        *(_of_file(table, row.text("file"), row) for row in rows if "file" in row),
        *([_of_rows(stated)] if stated else []),
    ]


def _of_file(table: TomlTable, name: str, stated: TomlTable | None = None) -> MeasuredColumns:
    path = beside(table.path, name)
    columns = read_benchmark(path) or read_columns(path)
    if stated is None:
        return columns
    count = len(next(iter(columns.cells.values())))
    row = _of_rows([stated.without("file")])
    cells = {name: texts * count for name, texts in row.cells.items()}
    return MeasuredColumns(columns.where, {**columns.cells, **cells}, {**columns.units, **row.units})


def _of_rows(rows: Sequence[TomlTable]) -> MeasuredColumns:
    """Return stated measurements as columns in SI units."""
    names = list(rows[0].content)
    for row in rows:
        row.check_keys(names)
        lacking = [name for name in names if name not in row]
        if lacking:
            raise row.error(lacking[0], "is missing", "give every row the same keys")
    read = {
        name: [parse_quantity(row.content[name], where=row.place(name)) for row in rows] for name in names
    }
    for name, quantities in read.items():
        if len({quantity.dimension for quantity in quantities}) > 1:
            hint = "give all its values the same unit"
            raise rows[0].error(name, "has several units", hint)
    return MeasuredColumns(
        rows[0].where,
        {name: tuple(f"{q.value:.15g}" for q in quantities) for name, quantities in read.items()},
        {name: (1.0, quantities[0].dimension) for name, quantities in read.items()},
    )


def _joined(parts: Sequence[MeasuredColumns], table: TomlTable) -> MeasuredColumns:
    """Return all rows of parts that have the same columns, in the units of the first."""
    first = parts[0]
    for part in parts[1:]:
        differing = set(first.cells) ^ set(part.cells)
        differing |= {name for name in first.units if first.units[name] != part.units.get(name)}
        if differing:
            what = f"{first.where} and {part.where} differ in column '{min(differing)}'"
            raise InputError(what, where=table.where, hint="give all files the same columns and units")
    cells = {name: tuple(cell for part in parts for cell in part.cells[name]) for name in first.cells}
    return MeasuredColumns(", ".join(dict.fromkeys(part.where for part in parts)), cells, first.units)


def _chosen(
    columns: MeasuredColumns, table: TomlTable, inputs: Collection[str], benchmarks: Collection[str]
) -> BoolArray:
    """Return bool[row], True for the rows to fit to.

    An allreduce is that of 8 bytes unless `where` says otherwise.
    """
    conditions = table.table("where").content
    rows = columns.matching(conditions)
    if "benchmark" not in columns.cells:
        return rows
    kinds, sizes = np.array(columns.texts("benchmark")), np.array(columns.texts("x"))
    if benchmarks:
        rows &= np.isin(kinds, list(benchmarks))
    found = sorted(set(kinds[rows].tolist()))
    if not found:
        what = f"no rows of {', '.join(benchmarks)} are left"
        raise InputError(what, where=columns.where, hint="check the condition")
    if len(found) > 1:
        what = f"several benchmarks in this output: {', '.join(found)}"
        hint = f'choose one with where = {{ benchmark = "{found[0]}" }}'
        raise InputError(what, where=columns.where, hint=hint)
    if found[0] in ALLREDUCES and "x" not in conditions and "x" not in inputs:
        small: BoolArray = rows & (sizes == _SMALL)
        if not small.any():
            hint = f"choose a size, such as where = {{ x = {sizes[rows][0]} }}"
            raise InputError(f"no allreduce of {_SMALL} bytes", where=columns.where, hint=hint)
        return small
    return rows
