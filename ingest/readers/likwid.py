"""Output of likwid-perfctr: a process per file, a location per core, events as metrics.

Regions of the marker interface are functions; without it the program is one. likwid-mpirun writes all ranks
into one file, with columns such as ``node1:3:12`` for rank 3. Groups of events that take turns count for
part of the time each: times are added, and events are scaled up to the whole. Files of a folder that are
called alike but for a number (``proc_0.out``, ``proc_1.out``) are the processes of one run if the name says
so, or if each was measured on cores of its own; otherwise they are repetitions.

Tables are CSV (``-O``) or framed. A file holds, for every group of events and for every region of the marker
interface, a table of how long the region took, one of events and one of what likwid derives from them, with
one column per core:

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

As counters of a node (`read_likwid`), events and volumes are summed over cores; rates in MFLOP/s become
operations by the core's runtime. Events of the uncore stand at one core of a socket and 0 or ``-`` at the
others. An event that could not be read on any core is left out, and so are the volumes of its group, which
likwid derives from it.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from ingest.arrays import FloatArray
from ingest.calltree import ROOT
from ingest.counter_report import TOTAL_ROW, CountedRegion, CounterReport
from ingest.cpp_names import short_list
from ingest.errors import InputError
from ingest.profile import Metric, Profile
from ingest.readers import ProfileReader
from ingest.reading.files import all_of_run, ends_of, entries, is_folder, numbered_files, read_text
from ingest.reading.stacks import PROGRAM, TIME_METRIC, VISITS_METRIC, Stacks
from ingest.resource_use import JOULES, energy_factor
from ingest.run_settings import SETTING

_RUNTIMES = ("RDTSC Runtime [s]", "Runtime (RDTSC) [s]")
"""Rows of the wall time of a region or a program on each core, the preferred one first."""

_CALLS = "call count"

_CSV_TABLE = re.compile(
    r"^TABLE,(?:Region (?P<region>[^,]*),)?Group (?P<group>\d+) (?P<kind>Raw|Metric)(?P<stat> STAT)?,"
)
_TEXT_TITLE = re.compile(r"^(?:Region (?P<region>.*), )?Group (?P<group>\d+): \S+$")
_UNREADABLE = ("-", "nan", "-nan", str((1 << 48) - 1))
_HEADERS = ("Event", "Metric", "Region Info")


@dataclass(frozen=True, kw_only=True)
class _Table:
    """Rows of one group of events."""

    region: str | None  # of the marker interface; None stands for the whole program
    group: str
    cores: tuple[str, ...]  # names of the columns, such as ``HWThread 0``
    rows: dict[str, FloatArray]  # values by name, float64[core], NaN if unreadable
    events: frozenset[str]  # names of the rows that are events


def is_output(text: str) -> bool:
    """Return whether a text has tables of likwid-perfctr."""
    lines = text.splitlines()
    return any(_CSV_TABLE.match(line) for line in lines) or (
        any(_TEXT_TITLE.match(line) for line in lines) and "+--" in text
    )


def _read_tables(text: str) -> list[_Table]:
    """Return all tables but those of statistics."""
    lines = text.splitlines()
    return [*_csv_tables(lines), *_text_tables(lines)]


def _csv_tables(lines: Sequence[str]) -> Iterator[_Table]:
    starts = [k for k, line in enumerate(lines) if line.startswith(("TABLE,", "STRUCT,"))]
    for start, end in pairwise([*starts, len(lines)]):
        title = _CSV_TABLE.match(lines[start])
        if title and not title["stat"]:
            cells = [[cell.strip() for cell in line.split(",")] for line in lines[start + 1 : end]]
            yield from _tables(title["region"], title["group"], cells)


def _text_tables(lines: Sequence[str]) -> Iterator[_Table]:
    region, group, block = None, "", list[list[str]]()
    for line in [*lines, "end"]:
        if group and line.startswith("|"):
            block.append([cell.strip() for cell in line.strip("| \n").split("|")])
        elif not line.startswith("+"):
            yield from _tables(region, group, block)
            block = []
            if title := _TEXT_TITLE.match(line.strip()):
                region, group = title["region"], title["group"]


def _tables(region: str | None, group: str, cells: Sequence[Sequence[str]]) -> Iterator[_Table]:
    """Yield a table for each header in rows that follow each other, but not those of statistics."""
    starts = [at for at, row in enumerate(cells) if row[0] in _HEADERS]
    for start, end in pairwise([*starts, len(cells)]):
        header = cells[start]
        first = 2 if header[0] == "Event" else 1
        cores = tuple(cell for cell in header[first:] if cell)
        if cores and "Sum" not in cores:
            rows = _values_by_name(cells[start + 1 : end], first, len(cores))
            events = frozenset(rows if header[0] == "Event" else ())
            yield _Table(region=region, group=group, cores=cores, rows=rows, events=events)


def _values_by_name(cells: Sequence[Sequence[str]], first: int, cores: int) -> dict[str, FloatArray]:
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
    return np.where(both, np.nan, np.nan_to_num(known) + np.nan_to_num(values))


def _value(cell: str) -> float:
    try:
        return float("nan") if cell in _UNREADABLE else float(cell)
    except ValueError:
        return float("nan")


_HINT = "write it with: likwid-perfctr -O -g GROUP PROGRAM"

_PROCESS = re.compile(r"(?:^|[^a-z])(?:proc|process|rank|task|pe|mpi)[._-]?$", re.IGNORECASE)
_RANK = re.compile(r".*:(?P<rank>[0-9]{1,9}):[0-9]+")
_CPU = re.compile(r"^CPU name:[\t ,]*([^,\n]*[^,\s])", re.MULTILINE)


@dataclass
class _Run:
    """What the files of a run hold, by place: region and location."""

    regions: dict[str, int] = field(default_factory=dict)
    cores: dict[tuple[int, str], int] = field(default_factory=dict)  # (process, name of the core) -> location
    values: dict[str, dict[tuple[int, int], float]] = field(default_factory=dict)  # metric -> place -> value
    unreadable: dict[str, None] = field(default_factory=dict)  # events that some process could not read
    cpu: str = ""  # its name, if it is stated

    def put(self, metric: str, region: int, locations: Sequence[int], values: FloatArray) -> None:
        """Set values of a region, where they are known."""
        known = self.values.setdefault(metric, {})
        known.update(
            ((region, location), value)
            for location, value in zip(locations, values.tolist(), strict=True)
            if not math.isnan(value)
        )


def matches(path: Path) -> bool:
    """Return whether a file has tables of likwid-perfctr, or a folder those of the processes of one run."""
    return _is_file(path) if not is_folder(path) else len(files(path)) > 1


def files(path: Path) -> list[Path]:
    """Return the files of a run in the order of its processes: a file itself, those of a folder, or none."""
    return [*_by_process(path).values()] if path.is_dir() else [path]


def _by_process(folder: Path) -> dict[int, Path]:
    """Return the files of the processes of a run by number, without those that have no table."""
    before, found = numbered_files([file for file in entries(folder) if not file.name.startswith(".")])
    written = {number: file for number, file in found.items() if _is_file(file)}
    named = _PROCESS.search(before) and 2 * len(written) > len(found)
    same = len(written) == len(found)
    return written if named or (same and _are_on_different_cores([*written.values()])) else {}


def _is_file(path: Path) -> bool:
    """Return whether the beginning or the end of a file has a title of a table."""
    content = ends_of(path)
    return b"RDTSC" in content and is_output(content.decode("utf-8", "replace"))


def _are_on_different_cores(found: list[Path]) -> bool:
    known: set[str] = set()
    for path in found:
        tables = _read_tables(ends_of(path).decode("utf-8", "replace"))
        cores = {core for table in tables for core in table.cores}
        if not cores or not known.isdisjoint(cores):
            return False
        known |= cores
    return True


def read(path: Path) -> Profile:
    """Read the output of one run: a file, or a folder with a file for each process."""
    run = _Run()
    for process, file in enumerate(all_of_run(_by_process(path)) if path.is_dir() else [path]):
        text = read_text(file, READER.max_bytes)
        of_region: dict[str | None, list[_Table]] = {}
        for table in _read_tables(text):
            of_region.setdefault(table.region, []).append(table)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
            for name, tables in of_region.items():
                _add_region(run, process, name, tables)
        cpu = _CPU.search(text)
        run.cpu = run.cpu or (cpu[1] if cpu else "")
    if not run.values.get(TIME_METRIC.name):
        raise InputError("no table of likwid with a runtime", where=str(path), hint=_HINT)
    return _profile(run, str(path))


def _processes(path: Path) -> int:
    """Return the number of processes if there are several: one may be a program without MPI."""
    found = files(path)
    if len(found) != 1:
        return len(found)
    tables = _read_tables(read_text(found[0], READER.max_bytes))
    processes = {_process(0, core) for table in tables for core in table.cores}
    return len(processes) if len(processes) > 1 else 0


def _process(file: int, core: str) -> int:
    """Return the process of a column: the rank of likwid-mpirun, or the number of the file."""
    rank = _RANK.fullmatch(core)
    return int(rank["rank"]) if rank else file


def _add_region(run: _Run, process: int, name: str | None, tables: Sequence[_Table]) -> None:
    """Add the times and events of a region in one file; nothing if no runtime is stated."""
    cores = {core: at for at, core in enumerate(dict.fromkeys(core for t in tables for core in t.cores))}
    seconds: dict[str, FloatArray] = {}
    calls = np.zeros(len(cores))
    for row in (*_RUNTIMES, _CALLS):
        for group, values in _rows(tables, row, cores):
            if row == _CALLS:
                calls += np.nan_to_num(values)
            elif np.isfinite(values).any():
                seconds.setdefault(group, values)
    whole = np.sum([np.nan_to_num(values) for values in seconds.values()], axis=0) if seconds else np.zeros(0)
    if not whole.any():
        return
    region = run.regions.setdefault(name if name is not None else PROGRAM, len(run.regions))
    locations = [run.cores.setdefault((_process(process, core), core), len(run.cores)) for core in cores]
    run.put(TIME_METRIC.name, region, locations, whole)
    if calls.any():
        run.put(VISITS_METRIC.name, region, locations, calls)
    known = {TIME_METRIC.name, VISITS_METRIC.name, *_RUNTIMES}
    for event in dict.fromkeys(event for table in tables for event in sorted(table.events - known)):
        found = [(group, values) for group, values in _rows(tables, event, cores) if group in seconds]
        readable = [(group, values) for group, values in found if np.isfinite(values).any()]
        if found and not readable:
            run.unreadable[event] = None
        for group, values in readable[:1]:
            share = np.nan_to_num(seconds[group])
            scale = np.divide(whole, share, out=np.ones_like(whole), where=share > 0)
            run.put(event, region, locations, np.nan_to_num(values) * scale)


def _rows(tables: Sequence[_Table], row: str, cores: Mapping[str, int]) -> Iterator[tuple[str, FloatArray]]:
    """Yield a row of each group, float64[core], NaN for cores that none of its tables has."""
    found: dict[str, FloatArray] = {}
    for table in tables:
        if row in table.rows:
            values = found.setdefault(table.group, np.full(len(cores), np.nan))
            values[[cores[core] for core in table.cores]] = table.rows[row]
    yield from found.items()


def _profile(run: _Run, source: str) -> Profile:
    if min(run.values[TIME_METRIC.name].values()) < 0:
        raise InputError("a runtime is negative", where=source)
    stacks = Stacks()
    nodes = [stacks.callpaths.callee(ROOT, name) for name in run.regions]
    by_process = sorted(run.cores, key=lambda core: core[0])
    location = {run.cores[core]: stacks.location(core[0], at) for at, core in enumerate(by_process)}
    for name, values in run.values.items():
        if name not in run.unreadable:
            energy = energy_factor(Metric(name, "")) is not None  # likwid writes these counters in joules
            known = stacks.of(
                {TIME_METRIC.name: TIME_METRIC}.get(name, Metric(name, JOULES if energy else "occ"))
            )
            known |= {(location[core], nodes[region]): value for (region, core), value in values.items()}
    notices = []
    if run.unreadable:
        notices.append(f"events that could not be read are left out: {short_list(list(run.unreadable))}")
    if len(run.regions) > 1:
        notices.append("the time of regions that lie inside each other is in all of them: none is stated")
    return stacks.built(source).profile(
        "LIKWID",
        f"runtimes {stacks.total(TIME_METRIC):.10g} s on {len(run.cores)} cores, no total is stated",
        sampled=False,
        paradigms=dict.fromkeys(run.regions, "user"),
        attributes={SETTING + "CPU": run.cpu} if run.cpu else {},
        notices=notices,
    )


READER = ProfileReader(
    name="LIKWID",
    pattern="proc_<k>.out",
    matches=matches,
    read=read,
    files=files,
    processes=_processes,
    fallback=1,
    max_bytes=1 << 28,
)


_RATE = re.compile(r"(?P<precision>[SD]P) \[MFLOP/s\]")


def read_likwid(text: str, where: str) -> CounterReport:
    """Return the content of output of likwid-perfctr; InputError if it has no table with a runtime."""
    tables = _read_tables(text)
    regions = tuple(
        found
        for name in dict.fromkeys(table.region for table in tables)
        if (found := _region(name, [table for table in tables if table.region == name])) is not None
    )
    if not regions:
        raise InputError("no table of likwid with a runtime", where=where, hint=_HINT)
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
    counted = [table for table in tables if table.events]
    doubtful = {table.group for table in counted if any(np.isnan(row).all() for row in table.rows.values())}
    counters: dict[str, float] = {}
    for table in (table for table in tables if seconds.get(table.group)):
        scale = whole / seconds[table.group]
        for counter, value in _counters(table, runtimes[table.group]).items():
            if table.group not in doubtful or not counter.endswith("[GBytes]"):
                counters.setdefault(counter, value * scale)
    return CountedRegion(path=TOTAL_ROW if name is None else (name,), seconds=whole, counters=counters)


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
