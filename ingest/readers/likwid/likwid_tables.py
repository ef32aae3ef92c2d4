"""The tables of likwid-perfctr, as CSV (``-O``) and framed: events and derived metrics of every core.

A file holds, for every group of events and for every region of the marker interface, a table of how long the
region took, one of events and one of what likwid derives from them, with one column per core:

    TABLE,Region sweep,Group 1 Raw,MEM_DP,6
    Region Info,HWThread 0,HWThread 1,
    RDTSC Runtime [s],2.000000,2.100000,
    Event,Counter,HWThread 0,HWThread 1
    CAS_COUNT_RD,MBOX0C0,500000000,0
    TABLE,Region sweep,Group 1 Metric,MEM_DP,3
    Metric,HWThread 0,HWThread 1,
    Runtime (RDTSC) [s],2.000000,2.100000,
    DP [MFLOP/s],100.0,110.0,

Framed tables stand under ``Region sweep, Group 1: MEM_DP`` or ``Group 1: MEM_DP``; some versions leave no
blank line between them. What could not be read is ``-``, ``nan`` or the largest number of 48 bits.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ingest.arrays import FloatArray

RUNTIMES = ("RDTSC Runtime [s]", "Runtime (RDTSC) [s]")
"""Rows of the wall time of a region or a program on each core, the preferred one first."""

CALLS = "call count"

_CSV_TABLE = re.compile(
    r"^TABLE,(?:Region (?P<region>[^,]*),)?Group (?P<group>\d+) (?P<kind>Raw|Metric)(?P<stat> STAT)?,"
)
_TEXT_TITLE = re.compile(r"^(?:Region (?P<region>.*), )?Group (?P<group>\d+): \S+$")
_UNREADABLE = ("-", "nan", "-nan", str((1 << 48) - 1))
_HEADERS = ("Event", "Metric", "Region Info")


@dataclass(frozen=True, kw_only=True)
class LikwidTable:
    """Rows of one group of events.

    Attributes:
        region: of the marker interface; None stands for the whole program.
        group: its number.
        cores: names of the columns, such as ``HWThread 0``.
        rows: values by name, float64[core], NaN if unreadable.
        events: names of the rows that are events.
    """

    region: str | None
    group: str
    cores: tuple[str, ...]
    rows: dict[str, FloatArray]
    events: frozenset[str]


def is_output(text: str) -> bool:
    """Return whether a text has tables of likwid-perfctr."""
    lines = text.splitlines()
    return any(_CSV_TABLE.match(line) for line in lines) or (
        any(_TEXT_TITLE.match(line) for line in lines) and "+--" in text
    )


def read_tables(text: str) -> list[LikwidTable]:
    """Return all tables but those of statistics."""
    lines = text.splitlines()
    return [*_csv_tables(lines), *_text_tables(lines)]


def _csv_tables(lines: Sequence[str]) -> Iterator[LikwidTable]:
    starts = [k for k, line in enumerate(lines) if line.startswith(("TABLE,", "STRUCT,"))]
    for start, end in pairwise([*starts, len(lines)]):
        title = _CSV_TABLE.match(lines[start])
        if title and not title["stat"]:
            cells = [[cell.strip() for cell in line.split(",")] for line in lines[start + 1 : end]]
            yield from _tables(title["region"], title["group"], cells)


def _text_tables(lines: Sequence[str]) -> Iterator[LikwidTable]:
    region, group, block = None, "", list[list[str]]()
    for line in [*lines, "end"]:
        if group and line.startswith("|"):
            block.append([cell.strip() for cell in line.strip("| \n").split("|")])
        elif not line.startswith("+"):
            yield from _tables(region, group, block)
            block = []
            if title := _TEXT_TITLE.match(line.strip()):
                region, group = title["region"], title["group"]


def _tables(region: str | None, group: str, cells: Sequence[Sequence[str]]) -> Iterator[LikwidTable]:
    """Yield a table for each header in rows that follow each other, but not those of statistics."""
    starts = [at for at, row in enumerate(cells) if row[0] in _HEADERS]
    for start, end in pairwise([*starts, len(cells)]):
        header = cells[start]
        first = 2 if header[0] == "Event" else 1
        cores = tuple(cell for cell in header[first:] if cell)
        if cores and "Sum" not in cores:
            rows = _rows(cells[start + 1 : end], first, len(cores))
            events = frozenset(rows if header[0] == "Event" else ())
            yield LikwidTable(region=region, group=group, cores=cores, rows=rows, events=events)


def _rows(cells: Sequence[Sequence[str]], first: int, cores: int) -> dict[str, FloatArray]:
    """Return the values of rows by name; those of one event, such as of memory channels, are added up."""
    found: dict[str, FloatArray] = {}
    for row in cells:
        if len(row) > first:
            values = np.full(cores, np.nan)
            values[: len(row) - first] = [_value(cell) for cell in row[first : first + cores]]
            known = found.get(row[0])
            found[row[0]] = _sum(known, values) if known is not None and first == 2 else values
    return found


def _sum(known: FloatArray, values: FloatArray) -> FloatArray:
    """Add values of cores; those that are unreadable in both stay so."""
    both = np.isnan(known) & np.isnan(values)
    added: FloatArray = np.where(both, np.nan, np.nan_to_num(known) + np.nan_to_num(values))
    return added


def _value(cell: str) -> float:
    try:
        return float("nan") if cell in _UNREADABLE else float(cell)
    except ValueError:
        return float("nan")
