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

import csv
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
class Table:
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


def read_tables(text: str) -> list[Table]:
    """Return all tables but those of statistics."""
    lines = text.splitlines()
    return [*_csv_tables(lines), *_text_tables(lines)]


def _csv_tables(lines: Sequence[str]) -> Iterator[Table]:
    starts = [k for k, line in enumerate(lines) if line.startswith(("TABLE,", "STRUCT,"))]
    for start, end in pairwise([*starts, len(lines)]):
        title = _CSV_TABLE.match(lines[start])
        if title and not title["stat"]:
            cells = [[cell.strip() for cell in row] for row in csv.reader(lines[start + 1 : end])]
            yield _table(title["region"], title["group"], cells)


def _text_tables(lines: Sequence[str]) -> Iterator[Table]:
    region, group, block = None, "", list[list[str]]()
    for line in [*lines, "end"]:
        cells = [cell.strip() for cell in line.strip("| \n").split("|")] if line.startswith("|") else []
        ends = not cells and not line.startswith("+")
        if block and (ends or cells[:1] in [[header] for header in _HEADERS]):
            if "Sum" not in block[0]:
                yield _table(region, group, block)
            block = []
        if title := _TEXT_TITLE.match(line.strip()):
            region, group = title["region"], title["group"]
        elif group and cells:
            block.append(cells)


def _table(region: str | None, group: str, cells: Sequence[Sequence[str]]) -> Table:
    """Return a table; rows of one name, such as those of memory channels, are added up."""
    rows: dict[str, FloatArray] = {}
    events: set[str] = set()
    first, cores = 1, tuple[str, ...]()
    for row in cells:
        if row and row[0] in _HEADERS:
            first = 2 if row[0] == "Event" else 1
            cores = tuple(cell for cell in row[first:] if cell)
        elif len(row) > first and cores:
            values = np.full(len(cores), np.nan)
            values[: len(row) - first] = [_value(cell) for cell in row[first : first + len(cores)]]
            known = rows.get(row[0])
            of_channels = known is not None and first == 2 and len(known) == len(cores)
            rows[row[0]] = _sum(known, values) if known is not None and of_channels else values
            if first == 2:
                events.add(row[0])
    return Table(region=region, group=group, cores=cores, rows=rows, events=frozenset(events))


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
