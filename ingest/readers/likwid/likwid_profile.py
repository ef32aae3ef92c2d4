"""From likwid-perfctr's tables to a profile: a process per file, a location per core, events as metrics.

Regions of the marker interface are functions; without it the program is one. likwid-mpirun writes all ranks
into one file, with columns such as ``node1:3:12`` for rank 3. Groups of events that take turns count for
part of the time each: times are added, and events are scaled up to the whole. Files of a folder that are
called alike but for a number (``proc_0.out``, ``proc_1.out``) are the processes of one run if the name says
so, or if each was measured on cores of its own; otherwise they are repetitions.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ingest.arrays import FloatArray
from ingest.calltree import ROOT
from ingest.errors import InputError
from ingest.format_readers import ProfileReader
from ingest.profile import Metric, Profile
from ingest.readers.likwid.likwid_tables import CALLS, RUNTIMES, LikwidTable, is_output, read_tables
from ingest.reading.stacks import PROGRAM, TIME, VISITS, Stacks
from ingest.reading.textfile import ends_of, entries, numbered_files, read_text
from ingest.run_names import PROCESSES
from ingest.run_settings import SETTING

MAX_BYTES = 1 << 28
MAX_SHOWN = 4  # names of events in a notice
HINT = "write it with: likwid-perfctr -O -g GROUP PROGRAM"

_PROCESS = re.compile(r"(?:^|[^a-z])(?:proc|process|rank|task|pe|mpi)[._-]?$", re.IGNORECASE)
_RANK = re.compile(r".*:(?P<rank>[0-9]{1,9}):[0-9]+")
_CPU = re.compile(r"^CPU name:[\t ,]*([^,\n]*[^,\s])", re.MULTILINE)


@dataclass
class _Run:
    """What the files of a run hold, by place: region and location.

    Attributes:
        regions: name -> number.
        cores: (process, name of the core) -> location.
        values: metric -> place -> value.
        unreadable: events that some process could not read.
        cpu: its name, if it is stated.
    """

    regions: dict[str, int] = field(default_factory=dict)
    cores: dict[tuple[int, str], int] = field(default_factory=dict)
    values: dict[str, dict[tuple[int, int], float]] = field(default_factory=dict)
    unreadable: dict[str, None] = field(default_factory=dict)
    cpu: str = ""

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
    return _is_file(path) if not path.is_dir() else len(files(path)) > 1


def files(path: Path) -> list[Path]:
    """Return the files of a run in the order of its processes: a file itself, those of a folder, or none."""
    if not path.is_dir():
        return [path]
    before, found = numbered_files([file for file in entries(path) if not file.name.startswith(".")])
    if not all(map(_is_file, found)):
        return []
    return found if _PROCESS.search(before) or _are_on_different_cores(found) else []


def _is_file(path: Path) -> bool:
    """Return whether the beginning or the end of a file has a title of a table."""
    if not path.is_file():
        return False
    content = ends_of(path)
    return b"RDTSC" in content and is_output(content.decode("utf-8", "replace"))


def _are_on_different_cores(found: list[Path]) -> bool:
    known: set[str] = set()
    for path in found:
        tables = read_tables(ends_of(path).decode("utf-8", "replace"))
        cores = {core for table in tables for core in table.cores}
        if not cores or not known.isdisjoint(cores):
            return False
        known |= cores
    return True


def read(path: Path) -> Profile:
    """Read the output of one run: a file, or a folder with a file for each process."""
    run = _Run()
    for process, file in enumerate(files(path)):
        text = read_text(file, MAX_BYTES)
        of_region: dict[str | None, list[LikwidTable]] = {}
        for table in read_tables(text):
            of_region.setdefault(table.region, []).append(table)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
            for name, tables in of_region.items():
                _add_region(run, process, name, tables)
        cpu = _CPU.search(text)
        run.cpu = run.cpu or (cpu[1] if cpu else "")
    if not run.values.get(TIME.name):
        raise InputError("no table of likwid with a runtime", where=str(path), hint=HINT)
    return _profile(run, str(path))


def parameters(path: Path) -> Mapping[str, float]:
    """Return the number of processes, if there are several."""
    processes = {_process(number, core) for number, core in _columns(path)}
    return {PROCESSES: float(len(processes))} if len(processes) > 1 else {}


def _columns(path: Path) -> Iterator[tuple[int, str]]:
    found = files(path)
    for process, file in enumerate(found):
        if len(found) > 1:
            yield process, ""
        else:
            tables = read_tables(read_text(file, MAX_BYTES))
            yield from ((process, core) for table in tables for core in table.cores)


def _process(file: int, core: str) -> int:
    """Return the process of a column: the rank of likwid-mpirun, or the number of the file."""
    rank = _RANK.fullmatch(core)
    return int(rank["rank"]) if rank else file


def _add_region(run: _Run, process: int, name: str | None, tables: Sequence[LikwidTable]) -> None:
    """Add the times and events of a region in one file; nothing if no runtime is stated."""
    cores = {core: at for at, core in enumerate(dict.fromkeys(core for t in tables for core in t.cores))}
    seconds: dict[str, FloatArray] = {}
    calls = np.zeros(len(cores))
    for row in (*RUNTIMES, CALLS):
        for group, values in _rows(tables, row, cores):
            if row == CALLS:
                calls += np.nan_to_num(values)
            elif np.isfinite(values).any():
                seconds.setdefault(group, values)
    whole = np.sum([np.nan_to_num(values) for values in seconds.values()], axis=0) if seconds else np.zeros(0)
    if not whole.any():
        return
    region = run.regions.setdefault(name if name is not None else PROGRAM, len(run.regions))
    locations = [run.cores.setdefault((_process(process, core), core), len(run.cores)) for core in cores]
    run.put(TIME.name, region, locations, whole)
    if calls.any():
        run.put(VISITS.name, region, locations, calls)
    known = {TIME.name, VISITS.name, *RUNTIMES}
    for event in dict.fromkeys(event for table in tables for event in sorted(table.events - known)):
        found = [(group, values) for group, values in _rows(tables, event, cores) if group in seconds]
        readable = [(group, values) for group, values in found if np.isfinite(values).any()]
        if found and not readable:
            run.unreadable[event] = None
        for group, values in readable[:1]:
            share = np.nan_to_num(seconds[group])
            scale = np.divide(whole, share, out=np.ones_like(whole), where=share > 0)
            run.put(event, region, locations, np.nan_to_num(values) * scale)


def _rows(
    tables: Sequence[LikwidTable], row: str, cores: Mapping[str, int]
) -> Iterator[tuple[str, FloatArray]]:
    """Yield a row of each group, float64[core], NaN for cores that none of its tables has."""
    found: dict[str, FloatArray] = {}
    for table in tables:
        if row in table.rows:
            values = found.setdefault(table.group, np.full(len(cores), np.nan))
            values[[cores[core] for core in table.cores]] = table.rows[row]
    yield from found.items()


def _profile(run: _Run, source: str) -> Profile:
    if min(run.values[TIME.name].values()) < 0:
        raise InputError("a runtime is negative", where=source)
    stacks = Stacks()
    nodes = [stacks.callpaths.callee(ROOT, name) for name in run.regions]
    by_process = sorted(run.cores, key=lambda core: core[0])
    location = {run.cores[core]: stacks.location(core[0], at) for at, core in enumerate(by_process)}
    for name, values in run.values.items():
        if name not in run.unreadable:
            known = stacks.of({TIME.name: TIME}.get(name, Metric(name, "occ")))
            known |= {(location[core], nodes[region]): value for (region, core), value in values.items()}
    return stacks.profile(
        source,
        "LIKWID",
        f"runtimes {stacks.total(TIME):.10g} s on {len(run.cores)} cores, no total is stated",
        sampled=False,
        paradigms=dict.fromkeys(run.regions, "user"),
        attributes={SETTING + "CPU": run.cpu} if run.cpu else {},
        notices=_notices(run),
    )


def _notices(run: _Run) -> list[str]:
    notices = []
    if run.unreadable:
        names = list(run.unreadable)
        more = f" and {len(names) - MAX_SHOWN} more" if len(names) > MAX_SHOWN else ""
        shown = f"{', '.join(names[:MAX_SHOWN])}{more}"
        notices.append(f"events that could not be read are left out: {shown}")
    if len(run.regions) > 1:
        notices.append("the time of regions that lie inside each other is in all of them: none is stated")
    return notices


READER = ProfileReader(
    name="LIKWID",
    pattern="proc_<k>.out",
    matches=matches,
    read=read,
    files=files,
    unnamed_parameters=parameters,
    fallback=1,
)
