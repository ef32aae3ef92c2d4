"""Output of network benchmarks, recognised by content: Intel MPI Benchmarks, OSU micro-benchmarks, Netgauge.

All become the columns ``benchmark``, ``x`` (message size in bytes), ``time`` and, if it is printed, ``P``
(processes). Which benchmarks there are, and what their time is:

IMB-MPI1   PingPong (half a round trip) and Allreduce (the mean over processes, ``t_avg``)
OSU        osu_latency, osu_allreduce (the mean over processes), and osu_bw, whose time of a message is its
           size over the bandwidth (MB/s are 10^6 B/s); OSU does not print the number of processes
Netgauge   the patterns one_one (half a round trip: the median, or the least where only that is printed) and
           loggp (its output file: PRTT(1,0,s) / 2)
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ingest.errors import InputError
from pipeline.projection.expressions.toml_tables import read_text
from pipeline.projection.expressions.units import BYTES, NONE, TIME
from pipeline.projection.fitting.csv_columns import MeasuredColumns

MESSAGES = ("PingPong", "osu_latency", "one_one", "loggp")
"""Benchmarks that time one message at a time, there and back."""
STREAMS = ("osu_bw",)
"""Benchmarks that time messages sent one after the other without waiting."""
ALLREDUCES = ("Allreduce", "osu_allreduce")

_MICRO = 1e-6
_IMB_NAME = re.compile(r"#\s*Benchmarking\s+(?P<name>\S+)\s*")
_IMB_PROCESSES = re.compile(r"#\s*#processes\s*=\s*(?P<count>\d+).*")
_OSU_TITLE = re.compile(r"#\s*OSU MPI\S*\s+(?P<name>.+?)\s+Test\b.*")
_OSU_NAMES = {"Latency": "osu_latency", "Bandwidth": "osu_bw", "Allreduce Latency": "osu_allreduce"}
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


def _imb(lines: list[Line]) -> Iterator[_Sample]:
    name, processes = "", None
    titles: list[str] = []
    for line, numbers in lines:
        if match := _IMB_NAME.fullmatch(line):
            name, processes, titles = match["name"], None, []
        elif match := _IMB_PROCESSES.fullmatch(line):
            processes = int(match["count"])
        elif line.startswith("#bytes"):
            titles = line.split()
        elif name in ("PingPong", "Allreduce") and titles and len(numbers) == len(titles):
            column = titles.index("t[usec]" if name == "PingPong" else "t_avg[usec]")
            yield _Sample(name, numbers[0], numbers[column] * _MICRO, processes)


def _osu(lines: list[Line]) -> Iterator[_Sample]:
    name = ""
    for line, numbers in lines:
        if match := _OSU_TITLE.fullmatch(line):
            name = _OSU_NAMES.get(match["name"], "")
        elif name and len(numbers) > 1:
            size, value = numbers[:2]
            yield _Sample(name, size, size / value * _MICRO if name in STREAMS else value * _MICRO)


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
    _IMB_NAME: _imb,
    _OSU_TITLE: _osu,
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
