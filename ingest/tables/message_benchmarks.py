"""What benchmarks of messages print: the OSU micro-benchmarks and Intel's IMB-MPI1.

OSU prints a title per test (``# OSU MPI Allreduce Latency Test v5.8``), a header and rows of which the first
number is the size in bytes and the second is the latency in microseconds, the mean over processes, or the
bandwidth in 10^6 B/s; without sizes, as for a barrier, the latency is the first. It does not print the number
of processes. IMB prints ``# Benchmarking Allreduce`` and ``# #processes = 16`` before the columns ``t[usec]``
or ``t_avg[usec]``.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.errors import InputError
from ingest.reading.csv_files import Frame
from ingest.reading.files import head_lines, is_page, lines_of
from ingest.run_names import PROCESSES
from ingest.table_mapping import TableMapping
from ingest.units import MICROSECOND

_HEAD_BYTES = 1 << 14
_KERNEL, _BYTES, _SECONDS = "benchmark", "bytes", "time [s]"

MESSAGE_TITLE = re.compile(r"#\s*(?:OSU \S+\s+(?P<osu>.+?)\s+Test\b.*|Benchmarking\s+(?P<imb>\S+)\s*)")
_OSU_NAMES = {
    "Latency": "osu_latency",
    "Bandwidth": "osu_bw",
    "Bi-Directional Bandwidth": "osu_bibw",
    "Multi Latency": "osu_multi_lat",
    "Multiple Bandwidth / Message Rate": "osu_mbw_mr",
    "Broadcast Latency": "osu_bcast",
}
_OSU_HEADER = re.compile(r"#\s*(?P<size>Size\s+)?(?P<value>\S.*?(?:\((?:us|MB/s)\)|MB/s))")
_IMB_PROCESSES = re.compile(r"#\s*#processes\s*=\s*(?P<count>\d{1,9}).*")
_IMB_TIMES = ("t_avg[usec]", "t[usec]")
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_CHECKED = re.compile(r"\s+(?:Pass|Fail)\s*$")  # OSU's column Validation


@dataclass(frozen=True, kw_only=True)
class MessageTime:
    """The time of one message or collective, of a size."""

    line: int  # where it stands, from 1
    benchmark: str
    size: float
    seconds: float
    processes: int | None = None  # None if they are not stated


def is_message_benchmark(path: Path) -> bool:
    """Return whether a file begins with a title of OSU or IMB."""
    if is_page(path):
        return False
    return any(MESSAGE_TITLE.fullmatch(line.strip()) for line in head_lines(path, _HEAD_BYTES))


def message_times(lines: Iterable[str]) -> Iterator[MessageTime]:
    """Yield what the lines of an output state."""
    name, processes, column, sized, is_rate = "", None, -1, True, False
    for number, raw in enumerate(lines, start=1):
        line = raw.strip()
        if line.startswith("#"):
            if match := MESSAGE_TITLE.fullmatch(line):
                osu = match["osu"] or ""
                name, processes, is_rate = match["imb"] or _osu_name(osu), None, "Bandwidth" in osu
                sized, column = True, 1 if osu else -1
            elif match := _IMB_PROCESSES.fullmatch(line):
                processes = int(match["count"])
            elif line.startswith("#bytes"):
                titles = line.split()
                column = next((titles.index(title) for title in _IMB_TIMES if title in titles), -1)
            elif name.startswith("osu_") and (match := _OSU_HEADER.match(line)):
                sized, is_rate = bool(match["size"]), "MB/s" in match["value"]
                column = 1 if sized else 0
            continue
        words = _CHECKED.sub("", line).split()
        if not name or column < 0 or len(words) <= column or not all(map(_NUMBER.fullmatch, words)):
            continue
        size, value = float(words[0]) if sized else 0.0, float(words[column])
        if value > 0:
            seconds = (size / value if is_rate else value) * MICROSECOND
            yield MessageTime(line=number, benchmark=name, size=size, seconds=seconds, processes=processes)


def _osu_name(title: str) -> str:
    """Return the name of the program by the title that it prints: ``Allreduce Latency`` is osu_allreduce."""
    short = title.removesuffix(" Latency").replace("Non-blocking ", "i")
    return _OSU_NAMES.get(title, "osu_" + re.sub(r"\W+", "_", short.lower()))


def read_messages(path: Path, mapping: TableMapping) -> tuple[Frame, TableMapping]:
    """Read a row per size and test; the parameters are the processes, if they are stated, and the bytes."""
    import pandas as pd

    found = list(message_times(lines_of(path)))
    if not found:
        raise InputError("no time of a message in it", where=str(path), hint="was the benchmark interrupted?")
    columns: dict[str, list[object]] = {
        _KERNEL: [one.benchmark for one in found],
        _BYTES: [one.size for one in found],
        _SECONDS: [one.seconds for one in found],
    }
    stated = all(one.processes for one in found)
    if stated:
        columns[PROCESSES] = [one.processes for one in found]
    named = replace(
        mapping,
        parameters=mapping.parameters or ((PROCESSES,) if stated else ()) + (_BYTES,),
        kernel=_KERNEL,
        value=(_SECONDS,),
        separator="",
    )
    table = pd.DataFrame(columns)
    return Frame(source=str(path), table=table, place=lambda row: f"line {found[row].line}"), named
