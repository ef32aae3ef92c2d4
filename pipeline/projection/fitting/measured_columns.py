"""Measurements by column: CSV files, and the output of network benchmarks, recognised by content.

Column names of CSV files carry their units, ``time [us]`` or ``time_us``. All benchmarks become the columns
``benchmark``, ``x`` (message size in bytes), ``time`` and, if it is printed, ``P`` (processes). Which there
are, and what their time is:

IMB-MPI1   PingPong (half a round trip) and Allreduce (the mean over processes, ``t_avg``)
OSU        osu_latency, osu_allreduce (the mean over processes), and osu_bw, whose time of a message is its
           size over the bandwidth (MB/s are 10^6 B/s); OSU does not print the number of processes
Netgauge   the patterns one_one (half a round trip: the median, or the least where only that is printed) and
           loggp (its output file: PRTT(1,0,s) / 2)
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import InputError, UsageError
from ingest.tables.message_benchmarks import MESSAGE_TITLE, message_times
from pipeline.projection.expressions.toml_tables import read_text
from pipeline.projection.expressions.units import BYTES, NONE, TIME, Dimension, parse_unit

_HEADER = re.compile(r"\s*(?P<name>[^\[\]]*?)\s*(?:\[(?P<unit>[^\[\]]*)\])?\s*")
_SUFFIXES = frozenset({"s", "ms", "us", "ns", "B", "KiB", "MiB", "GiB"})


@dataclass(frozen=True)
class MeasuredColumns:
    """The rows of a CSV file by column.

    Attributes:
        cells: the text of every column by its name without unit.
        units: factor to SI and dimension of every column.
    """

    where: str
    cells: dict[str, tuple[str, ...]]
    units: dict[str, tuple[float, Dimension]]

    def numbers(self, name: str, dimension: Dimension, rows: BoolArray | None = None) -> FloatArray:
        """Return the numbers of a column in SI units, of the rows marked (all by default).

        Raises:
            InputError: the column is missing or in another unit, or a cell is not a finite number.
        """
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
        return factor * np.array([self._number(cell, line, name) for line, cell, want in numbered if want])

    def _number(self, cell: str, line: int, name: str) -> float:
        try:
            value = float(cell)
        except ValueError:
            value = float("nan")
        if not np.isfinite(value):
            what = f"line {line}: '{cell}' in column '{name}' is not a number"
            raise InputError(what, where=self.where, hint="correct or remove the line")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the cells of a column.

        Raises:
            InputError: there is no such column.
        """
        if name not in self.cells:
            hint = f"columns here: {', '.join(self.cells)}"
            raise InputError(f"no column '{name}'", where=self.where, hint=hint)
        return self.cells[name]

    def matching(self, conditions: Mapping[str, object]) -> BoolArray:
        """Return bool[row], True for rows that hold the value given in every named column.

        Raises:
            InputError: a column is missing or no row is left.
        """
        marked = np.ones(len(next(iter(self.cells.values()))), dtype=bool)
        for name, value in conditions.items():
            marked &= np.array([cell == str(value) for cell in self.texts(name)])
        if not marked.any():
            wanted = ", ".join(f"{name} = {value}" for name, value in conditions.items())
            raise InputError(f"no rows with {wanted}", where=self.where, hint="check the condition")
        return marked


def read_columns(path: Path, verbatim: Callable[[str], bool] = lambda _: False) -> MeasuredColumns:
    """Return the columns of a CSV file.

    Args:
        verbatim: whether a header is a plain name although it looks as if it had a unit, such as likwid's
            ``Memory data volume [GBytes]``.

    Raises:
        InputError: it cannot be read, has no rows, or has lines of different length.
    """
    rows = [row for row in csv.reader(io.StringIO(read_text(path))) if any(map(str.strip, row))]
    if len(rows) < 2:
        raise InputError("a header and at least one line are needed", where=str(path))
    for line, row in enumerate(rows[1:], 2):
        if len(row) != len(rows[0]):
            what = f"line {line} has {len(row)} cells, the header {len(rows[0])}"
            raise InputError(what, where=str(path), hint="correct the line")
    headers = [(t, (1.0, NONE)) if verbatim(t) else _header(t, path) for t in rows[0]]
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
"""Benchmarks that time messages sent one after the other without waiting."""
ALLREDUCES = ("Allreduce", "osu_allreduce")

_MICRO = 1e-6
_NETGAUGE_SHORT = re.compile(r"\s*(?P<size>\d+) bytes\s+->\s+(?P<time>[\d.]+) us\s+==\s+[\d.]+ Mbit/s\s*")
_NETGAUGE_TITLE = re.compile(r"##\s*Netgauge v\S+ .*")
_NETGAUGE_MEDIAN = re.compile(r"##\s*(?P<letter>[A-Z])\.\.\.median RTT/2\s*")
_NETGAUGE_LOGGP = re.compile(r"#\s*size\s+n\s+PRTT\(1,0,s\).*")
_NETGAUGE_PROGRESS = re.compile(r"^Testing \d+ bytes \d+ times:", re.MULTILINE)
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|nan|inf)")


@dataclass(frozen=True)
class _Sample:
    benchmark: str
    size: float
    seconds: float
    processes: int | None = None


Line: TypeAlias = tuple[str, list[float]]
"""A line of a file, and its numbers if it holds nothing else, apart from - ( )."""


def read_benchmark(path: Path) -> MeasuredColumns | None:
    """Return the measurements in a benchmark's output, or None if the file is something else.

    Raises:
        InputError: the file cannot be read, or its benchmarks are others than those above.
    """
    text = read_text(path)
    lines = [(line.strip(), _numbers(line)) for line in text.splitlines()]
    for recognised, samples in _READERS.items():
        if any(recognised.fullmatch(line) for line, _ in lines):
            found = list(samples(lines))
            if not found:
                hint = f"benchmarks are {', '.join((*MESSAGES, *STREAMS, *ALLREDUCES))}"
                raise InputError("none of its benchmarks is known here", where=str(path), hint=hint)
            return _columns(path, found)
    if _NETGAUGE_PROGRESS.search(text):
        hint = "name the file that Netgauge writes with --output"
        raise InputError("Netgauge's loggp prints fits, not measured times", where=str(path), hint=hint)
    return None


def _numbers(line: str) -> list[float]:
    """Return the numbers of a line that has only numbers between - ( ), else nothing."""
    words = re.sub(r"[()]|(?<=\s)-(?=\s)", " ", line).split()
    return [float(word) for word in words] if all(map(_NUMBER.fullmatch, words)) else []


def _messages(lines: list[Line]) -> Iterator[_Sample]:
    """Take the benchmarks of OSU and IMB that terms of messages are fitted to."""
    for one in message_times(line for line, _ in lines):
        if one.benchmark in (*MESSAGES, *STREAMS, *ALLREDUCES):
            yield _Sample(one.benchmark, one.size, one.seconds, one.processes)


def _netgauge_short(lines: list[Line]) -> Iterator[_Sample]:
    for match in filter(None, (_NETGAUGE_SHORT.fullmatch(line) for line, _ in lines)):
        yield _Sample("one_one", float(match["size"]), float(match["time"]) * _MICRO, 2)


def _netgauge_table(lines: list[Line]) -> Iterator[_Sample]:
    """Read the table whose columns the lines above it name by letters."""
    column = 0
    for line, numbers in lines:
        if match := _NETGAUGE_MEDIAN.fullmatch(line):
            column = ord(match["letter"]) - ord("A")
        elif column and len(numbers) > column:
            yield _Sample("one_one", numbers[0], numbers[column] * _MICRO, 2)


def _netgauge_loggp(lines: list[Line]) -> Iterator[_Sample]:
    for _, numbers in lines:
        if len(numbers) > 2:
            yield _Sample("loggp", numbers[0], numbers[2] / 2 * _MICRO, 2)


_READERS = {
    MESSAGE_TITLE: _messages,
    _NETGAUGE_TITLE: _netgauge_table,
    _NETGAUGE_LOGGP: _netgauge_loggp,
    _NETGAUGE_SHORT: _netgauge_short,
}


def _columns(path: Path, samples: list[_Sample]) -> MeasuredColumns:
    cells: dict[str, tuple[str, ...]] = {
        "benchmark": tuple(sample.benchmark for sample in samples),
        "x": tuple(f"{sample.size:.15g}" for sample in samples),
        "time": tuple(repr(sample.seconds) for sample in samples),
    }
    if all(sample.processes is not None for sample in samples):
        cells["P"] = tuple(str(sample.processes) for sample in samples)
    dimensions = {"benchmark": NONE, "x": BYTES, "time": TIME, "P": NONE}
    return MeasuredColumns(str(path), cells, {name: (1.0, dimensions[name]) for name in cells})
