"""likwid-perfctr's CSV (``-O``) and framed tables: events and derived metrics of every core.

A file holds, for every group of events and for every region of the marker interface, a table ``Raw`` of
events and one ``Metric`` of what likwid derives from them, with one column per core:

    TABLE,Region sweep,Group 1 Raw,MEM_DP,6
    Region Info,HWThread 0,HWThread 1,
    RDTSC Runtime [s],2.000000,2.100000,
    Event,Counter,HWThread 0,HWThread 1
    CAS_COUNT_RD,MBOX0C0,500000000,0
    TABLE,Region sweep,Group 1 Metric,MEM_DP,3
    Metric,HWThread 0,HWThread 1,
    Runtime (RDTSC) [s],2.000000,2.100000,
    DP [MFLOP/s],100.0,110.0,

Events and volumes are summed over cores; rates in MFLOP/s become operations by the core's runtime. Events of
the uncore stand at one core of a socket and 0 or ``-`` at the others. Groups that take turns count for part
of the time each and are scaled up to the whole. An event that could not be read on any core (``-``, ``nan``
or the largest number of 48 bits) is left out, and so are the volumes of its group, which likwid derives from
it.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError
from pipeline.projection.counter_files.report import TOTAL, CountedRegion, CounterReport

_CSV_TABLE = re.compile(
    r"^TABLE,(?:Region (?P<region>[^,]*),)?Group (?P<group>\d+) (?P<kind>Raw|Metric)(?P<stat> STAT)?,"
)
_TEXT_TITLE = re.compile(r"^(?:Region (?P<region>.*), )?Group (?P<group>\d+): \S+$")
_RUNTIMES = ("RDTSC Runtime [s]", "Runtime (RDTSC) [s]")
_UNREADABLE = ("-", "nan", "-nan", str((1 << 48) - 1))
_RATE = re.compile(r"(?P<precision>[SD]P) \[MFLOP/s\]")


@dataclass(frozen=True)
class _Table:
    """Rows by name, a value for each core, NaN if unreadable; region None stands for the whole program."""

    region: str | None
    group: str
    rows: dict[str, FloatArray]
    events: bool


def is_likwid(head: str) -> bool:
    """Return whether a text begins like output of likwid-perfctr."""
    lines = head.splitlines()
    return any(_CSV_TABLE.match(line) for line in lines) or (
        any(_TEXT_TITLE.match(line) for line in lines) and "+--" in head
    )


def read_likwid(text: str, where: str) -> CounterReport:
    """Return the content of output of likwid-perfctr.

    Raises:
        InputError: it has no table with a runtime.
    """
    lines = text.splitlines()
    tables = [*_csv_tables(lines), *_text_tables(lines)]
    regions = tuple(
        found
        for name in dict.fromkeys(table.region for table in tables)
        if (found := _region(name, [table for table in tables if table.region == name])) is not None
    )
    if not regions:
        hint = "write it with: likwid-perfctr -O -g GROUP PROGRAM"
        raise InputError("no table of likwid with a runtime", where=where, hint=hint)
    cores = max(values.size for table in tables for values in table.rows.values())
    return CounterReport(where=where, processes=cores, cores=cores, regions=regions)


def _region(name: str | None, tables: Sequence[_Table]) -> CountedRegion | None:
    """Return a region from its tables of all groups; None if none states its runtime."""
    runtimes: dict[str, FloatArray] = {}
    for table in tables:
        for runtime in _RUNTIMES:
            if runtime in table.rows and np.isfinite(table.rows[runtime]).any():
                runtimes.setdefault(table.group, table.rows[runtime])
    seconds = {group: float(np.nanmean(values)) for group, values in runtimes.items()}
    whole = sum(seconds.values())
    if not whole > 0:
        return None
    doubtful = {table.group for table in tables if table.events and _unreadable(table)}
    counters: dict[str, float] = {}
    for table in (table for table in tables if seconds.get(table.group)):
        scale = whole / seconds[table.group]
        for counter, value in _counters(table, runtimes[table.group]).items():
            if table.group not in doubtful or not counter.endswith("[GBytes]"):
                counters.setdefault(counter, value * scale)
    return CountedRegion(path=TOTAL if name is None else (name,), seconds=whole, counters=counters)


def _unreadable(table: _Table) -> bool:
    """Return whether an event could not be read on any core."""
    return any(bool(np.isnan(values).all()) for values in table.rows.values())


def _counters(table: _Table, runtime: FloatArray) -> dict[str, float]:
    """Return sums over cores; rates of operations as operations, other rates and ratios left out."""
    found: dict[str, float] = {}
    for name, values in table.rows.items():
        if rate := _RATE.fullmatch(name):
            seconds = runtime if runtime.size == values.size else np.nanmean(runtime)
            found[f"{rate['precision']} [FLOP]"] = 1e6 * float(np.nansum(values * seconds))
        elif name not in _RUNTIMES and not np.isnan(values).all() and not _is_ratio(name):
            found[name] = float(np.nansum(values))
    return found


def _is_ratio(name: str) -> bool:
    return (
        "/s]" in name
        or name.endswith(("CPI", "[MHz]", "[%]", "[W]"))
        or "ratio" in name
        or "intensity" in name
    )


def _csv_tables(lines: Sequence[str]) -> Iterator[_Table]:
    """Yield the tables of CSV output but those of statistics."""
    starts = [k for k, line in enumerate(lines) if line.startswith(("TABLE,", "STRUCT,"))]
    for start, end in pairwise([*starts, len(lines)]):
        title = _CSV_TABLE.match(lines[start])
        if title and not title["stat"]:
            cells = [[cell.strip() for cell in row] for row in csv.reader(lines[start + 1 : end])]
            yield _Table(title["region"], title["group"], _rows(cells), events=title["kind"] == "Raw")


def _text_tables(lines: Sequence[str]) -> Iterator[_Table]:
    """Yield the framed tables of text output but those of statistics."""
    region, group, block = None, "", list[list[str]]()
    for line in [*lines, "end"]:
        if title := _TEXT_TITLE.match(line.strip()):
            region, group = title["region"], title["group"]
        elif group and line.startswith("|"):
            block.append([cell.strip() for cell in line.strip("| \n").split("|")])
        elif not line.startswith("+") and block:
            if not block[0][0].startswith(("Event", "Metric")) or "Sum" not in block[0]:
                yield _Table(region, group, _rows(block), events=block[0][0] == "Event")
            block = []


def _rows(cells: Sequence[Sequence[str]]) -> dict[str, FloatArray]:
    """Return the numbers of rows by name; those of one name, such as of memory channels, are added up."""
    found: dict[str, FloatArray] = {}
    first, cores = 1, 0
    for row in cells:
        if row and row[0] in ("Event", "Metric", "Region Info"):
            first = 2 if row[0] == "Event" else 1
            cores = len([cell for cell in row[first:] if cell])
        elif len(row) > first and cores:
            values = np.full(cores, np.nan)
            values[: len(row) - first] = [_value(cell) for cell in row[first : first + cores]]
            known = found.get(row[0])
            of_channels = known is not None and first == 2 and len(known) == cores
            found[row[0]] = _sum(known, values) if known is not None and of_channels else values
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
