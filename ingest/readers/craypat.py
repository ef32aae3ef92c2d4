"""From a CrayPat report to a profile: functions below their groups, with what is not listed as kernels.

Values are averaged over the processes, so that all have the same. A report lists functions above a threshold
only: what is left of a group is a kernel of its own, ``USER (other)``, and so are groups that are not listed.

What a text report of CrayPat's pat_report says: facts, the profile table, the time of the processes.

The profile table (``Profile by ...``, or the same as CSV, ``-s show_data=csv``) has ``Time%`` and ``Time``
of a traced run, ``Samp%`` and ``Samp`` of a sampled one, averaged over the processes (PEs). Leading bars
are the level: none for the whole, one for a group such as MPI, two for a function. A name too long for its
column goes on in the next line. Tables are found by their titles, since their numbers differ from report to
report; a title may stand in the line below the number. Samples are seconds once multiplied by the
``Sampling interval`` near the end.

Hardware counters of every region (`read_craypat`) stand in blocks::

    ==============================================================
      USER / solve
    --------------------------------------------------------------
      Time%                                     33.1%
      Time                                 997.600000 secs
      DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:
        GOOD               24.4M/sec    14,648,437,500 fills
      PAPI_FP_OPS        1,234.5M/sec     567,890,123 ops

They are those of a process's main thread (paper 003) or averages over threads; here they are summed over the
processes and threads of a node.
"""

import csv
import math
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from ingest.counter_report import TOTAL_ROW, CountedRegion, CounterReport, completed
from ingest.errors import InputError
from ingest.profile import Metric, Profile, require_possible
from ingest.readers import ProfileReader
from ingest.reading.files import head, read_text
from ingest.reading.stacks import NO_SECONDS, PARADIGM, SAMPLES, TIME_METRIC, VISITS_METRIC, Stacks, found_of
from ingest.run_settings import SETTING, STATISTIC, processes_text
from ingest.units import SECONDS

_BEGIN = re.compile(r"^[ \t]*CrayPat/X: (?: *Version +(?P<version>[\w.]+))?", re.MULTILINE)
_PROCESSES = re.compile(r"^[ \t]*Number of PEs \(MPI ranks\):\s+(\d[\d,]*)", re.MULTILINE)
_PER_NODE = re.compile(r"^[ \t]*Numbers of PEs per Node:\s+(\d[\d,]*)", re.MULTILINE)
_THREADS = re.compile(r"^[ \t]*Numbers of Threads per PE:\s+(\d[\d,]*)", re.MULTILINE)
_STARTED = re.compile(r"^[ \t]*Execution start time: +(\S.*)$", re.MULTILINE)
_DATA_FILE = re.compile(r"^[ \t]*Current path to data file:\s+(\S+)", re.MULTILINE)
_MOST_PROCESSES = 1e9
_INTERVAL = re.compile(r"^[ \t]*Sampling interval:\s+(\d[\d,]*(?:\.\d+)?)\s+(\w+)", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*Table \d+:(?P<title>.*)$")
_HEADER = re.compile(r"^\s*(?P<kind>Time|Samp)\s*%\s*\|\s*(?P=kind)\s*\|")
_CSV_HEADER = re.compile(r"^Level,(?P<kind>Time|Samp)%,(?P=kind),(?:.*,)?[^,]+$")
_ROW = re.compile(
    r"^ *(?:(?P<bars>\|{1,2}) *)?(?P<share>\d+(?:\.\d+)?)% *\| *(?P<value>\d[\d,]*(?:\.\d+)?) *\|"
    r"(?P<more>.*\|)? *(?P<name>[^|]+)$"
)
_CONTINUED = re.compile(r"^ *\|{1,2}(?: +\|)+ +(?P<name>\S[^|]*)$")
_CALLS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_PROCESS_TIME = re.compile(r"^ *(?P<seconds>\d[\d,]*\.\d+) *\|(?:.*\|)? *(?:Total|Avg of PE values) *$")
_MEMBER = re.compile(r"(?:pe|thread|th|nid|numanode|ssn|node)\.\d+")
"""Names of rows of single processes, threads or nodes."""


@dataclass(frozen=True, kw_only=True)
class _Facts:
    """What stands at the head of a report."""

    version: str
    processes: int
    per_node: int  # processes on a node
    threads: int
    started: str  # when, empty if not stated
    data_file: str  # name of the file that the report was made of, empty if not stated


@dataclass(frozen=True, kw_only=True)
class _ProfileRow:
    """A row of the profile table."""

    path: tuple[str, ...]  # ``(group,)`` or ``(group, function)``; ``("Total",)`` is the whole
    share: float  # of the whole, 0 to 1
    value: float  # seconds or samples, averaged over the processes
    calls: float | None = None  # averaged over the processes, None if not stated


@dataclass(frozen=True, kw_only=True)
class _ProfileTable:
    """The profile table of a report."""

    traced: bool  # whether values are seconds, not samples
    by_group: bool  # whether the first level are groups of functions
    rows: tuple[_ProfileRow, ...]  # in the order of the report, without those of single processes


def is_report(text: str) -> bool:
    """Return whether a text begins like a report of pat_report, possibly after output of the program."""
    return _BEGIN.search(text) is not None


def _read_facts(text: str) -> _Facts:
    """Return what stands at the head; numbers that are not stated are 1."""
    begin, data_file = _BEGIN.search(text), _stated(_DATA_FILE, text)
    return _Facts(
        version=(begin["version"] or "") if begin else "",
        processes=_count(_PROCESSES, text),
        per_node=_count(_PER_NODE, text),
        threads=_count(_THREADS, text),
        started=_stated(_STARTED, text),
        data_file=data_file.rsplit("/", 1)[-1],
    )


def _seconds_per_sample(text: str) -> float | None:
    """Return the sampling interval; None if it is not stated, or in a unit that is not known."""
    match = _INTERVAL.search(text)
    unit = SECONDS.get(match[2]) if match else None
    return number(match[1]) * unit if match and unit else None


def _process_seconds(lines: Sequence[str]) -> float | None:
    """Return the wall time of a process, averaged over them; None if no table has it."""
    for start, title in _titles(lines):
        if title.startswith("Wall Clock Time"):
            for line in lines[start + 1 :]:
                if match := _PROCESS_TIME.match(line):
                    return number(match["seconds"])
                if line.lstrip().startswith(("Table ", "|")):
                    break
    return None


def _profile_table(lines: Sequence[str]) -> _ProfileTable | None:
    """Return the first table of that kind, preferably one titled so; None if there is none."""
    start = _start_of_profile(lines)
    if start is None:
        return None
    if header := _CSV_HEADER.match(lines[start]):
        try:
            found = tuple(_csv_rows(lines[start + 1 :]))
        except csv.Error as error:
            raise ValueError(str(error)) from error
        return _ProfileTable(traced=header["kind"] == "Time", by_group=True, rows=found)
    names = [name.strip() for name in lines[start].split("|")]
    calls = names.index("Calls") if "Calls" in names else None
    return _ProfileTable(
        traced=names[1] == "Time",
        by_group=names[-1] != "Function",
        rows=tuple(_rows(lines[start + 1 :], calls)),
    )


def number(text: str) -> float:
    """Return a number with separators of thousands."""
    return float(text.replace(",", ""))


def _count(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.search(text)
    return int(min(max(number(match[1]), 1), _MOST_PROCESSES)) if match else 1


def _stated(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1].strip() if match else ""


def _titles(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for start, line in enumerate(lines):
        if match := _TABLE.match(line):
            below = next((other for other in lines[start + 1 : start + 3] if other.strip()), "")
            yield start, match["title"].strip() or below.strip()


def _start_of_profile(lines: Sequence[str]) -> int | None:
    """Return the line of the header of the first table of that kind, preferably of one titled so."""
    titles = dict(_titles(lines))
    title, others = "", []
    for k, line in enumerate(lines):
        title = titles.get(k, title)
        if _HEADER.match(line) or _CSV_HEADER.match(line):
            if title.startswith("Profile by"):
                return k
            others.append(k)
    return others[0] if others else None


def _rows(lines: Sequence[str], calls: int | None) -> Iterator[_ProfileRow]:
    found: list[tuple[re.Match[str], str]] = []
    for above, line in pairwise(["", *lines]):
        if line.lstrip().startswith(("Table ", "Notes for ")):
            break
        if match := _ROW.match(line):
            found.append((match, match["name"].strip()))
        elif found and (rest := _CONTINUED.match(line)) and (_ROW.match(above) or _CONTINUED.match(above)):
            found[-1] = found[-1][0], found[-1][1] + rest["name"].strip()
    group = ""
    for match, name in found:
        group = name if match["bars"] == "|" else group
        cells = (match["more"] or "").split("|")
        text = cells[calls - 2].strip() if calls is not None and 2 <= calls < len(cells) + 2 else ""
        yield _ProfileRow(
            path=(group, name) if match["bars"] == "||" else (name,),
            share=float(match["share"]) / 100,
            value=number(match["value"]),
            calls=number(text) if _CALLS.fullmatch(text) else None,
        )


def _csv_rows(lines: Sequence[str]) -> Iterator[_ProfileRow]:
    """Yield the rows of a table of CSV; those of single processes are left out."""
    for cells in csv.reader(lines):
        if len(cells) < 4 or not cells[0].isdecimal():
            return
        path = tuple(cells[-1].split("/", 1))
        if int(cells[0]) <= 2 and not _MEMBER.fullmatch(path[-1]):
            yield _ProfileRow(path=path, share=float(cells[1].rstrip("%")) / 100, value=float(cells[2]))


_MAX_NAME = 1 << 16
_SMALLEST, _ROUNDING = 1e-9, 1e-3  # shares of a whole that parts may leave, or exceed it by
_NOT_LISTED = "(groups not listed)"
_HINT = "write it with: pat_report -o FILE DATA"

_WHOLE = ("Total",)
_PARADIGMS = {
    "MPI": "mpi",
    "MPI_SYNC": "mpi",
    "SHMEM": "shmem",
    "PTHREAD": "pthread",
    "CUDA": "cuda",
    "HIP": "hip",
    "OPENACC": "openacc",
    "HEAP": "memory",
    "IO": "io",
    "STDIO": "io",
    "SYSIO": "io",
    "FFIO": "io",
}


def matches(path: Path) -> bool:
    """Return whether a file begins like a report with a profile table, maybe after the program's output."""
    start = head(path, READER.head_bytes)
    text = start.decode("utf-8", "replace") if b"CrayPat/X" in start else ""
    return is_report(text) and any(map(_HEADER.match, text.splitlines()))


def read(path: Path) -> Profile:
    """Read the profile table of a report."""
    text = read_text(path, READER.max_bytes)
    lines = text.splitlines()
    facts = _read_facts(text)
    try:
        table = _profile_table(lines)
    except ValueError as error:
        raise InputError(f"damaged: {error}", where=str(path), hint=_HINT) from error
    whole = next((row for row in table.rows if row.path == _WHOLE), None) if table else None
    if table is None or whole is None:
        raise InputError("no profile table with a total in it", where=str(path), hint=_HINT)
    require_possible(facts.processes, str(path))
    interval = 1.0 if table.traced else _seconds_per_sample(text)
    kernels, exceeding = _kernels(table, whole)
    return _profile(str(path), facts, table, kernels, interval, _process_seconds(lines), exceeding)


def _processes(path: Path) -> int:
    return _read_facts(read_text(path, READER.max_bytes)).processes


def _content(path: Path) -> Hashable:
    """Return the data that a report was made of: several reports are often written of the same."""
    facts = _read_facts(head(path, READER.head_bytes).decode("utf-8", "replace"))
    return (facts.data_file, facts.started) if facts.data_file and facts.started else path


def _kernels(table: _ProfileTable, whole: _ProfileRow) -> tuple[list[_ProfileRow], list[str]]:
    """Return functions and what is left of groups and the whole, and which of these their parts exceed."""
    groups: dict[str, list[_ProfileRow]] = {}
    functions: dict[str, list[_ProfileRow]] = {}
    for row in table.rows:
        if len(row.path) == 1 and row.path != _WHOLE:
            groups.setdefault(row.path[0], []).append(row)
        elif len(row.path) == 2 and not _MEMBER.fullmatch(row.path[1]):
            functions.setdefault(row.path[0], []).append(row)
    kernels, exceeding = list[_ProfileRow](), list[str]()
    for name, rows in groups.items():
        if table.by_group:
            parts = functions.get(name, [])
            left = _left(rows, parts, (name, f"{name} (other)"))
            kernels += [*parts, *left]
            exceeding += [name for rest in left if rest.value < 0]
        else:
            kernels += rows
    left = _left([whole], [row for rows in groups.values() for row in rows], (_NOT_LISTED,))
    exceeding += ["the total" for rest in left if rest.value < 0]
    return [kernel for kernel in (*kernels, *left) if kernel.value >= 0], exceeding


def _left(
    wholes: Sequence[_ProfileRow], parts: Sequence[_ProfileRow], path: tuple[str, ...]
) -> list[_ProfileRow]:
    """Return what parts leave of a whole, negative if they exceed it; nothing if they differ by rounding."""
    whole = math.fsum(row.value for row in wholes)
    left = whole - math.fsum(row.value for row in parts)
    rounding = _SMALLEST if left > 0 else _ROUNDING
    if parts and abs(left) <= rounding * whole:
        return []
    share = math.fsum(row.share for row in wholes) - math.fsum(row.share for row in parts)
    return [_ProfileRow(path=path, share=max(share, 0.0), value=left)]


def _profile(
    source: str,
    facts: _Facts,
    table: _ProfileTable,
    kernels: Sequence[_ProfileRow],
    interval: float | None,
    process_time: float | None,
    exceeding: Sequence[str],
) -> Profile:
    metric, scale = (SAMPLES, 1.0) if interval is None else (TIME_METRIC, interval)
    stacks = Stacks()
    location, counted = stacks.location(0, 0), any(kernel.calls for kernel in kernels)
    paradigms: dict[str, str] = {}
    for kernel in kernels:
        path = tuple(name[:_MAX_NAME] for name in kernel.path)
        place = location, stacks.callpaths.add(path)
        paradigms |= dict.fromkeys(path, _PARADIGMS.get(path[0], PARADIGM))
        stacks.of(metric)[place] += kernel.value * scale
        if counted:
            stacks.of(VISITS_METRIC)[place] += kernel.calls or 0.0
    return stacks.built(source, processes=facts.processes).profile(
        f"CrayPat {facts.version}".strip(),
        _reconciled(table, facts, metric, scale, process_time),
        sampled=not table.traced,
        paradigms=paradigms,
        attributes={
            STATISTIC: f"mean of processes ({processes_text(facts.processes)})",
            **({SETTING + "executable": facts.data_file.partition("+")[0]} if facts.data_file else {}),
            SETTING + "threads": str(facts.threads),
        },
        notices=_notices(facts, table, interval, exceeding),
    )


def _reconciled(
    table: _ProfileTable, facts: _Facts, metric: Metric, scale: float, process_time: float | None
) -> str:
    """Return how much of the whole is listed, and what the processes took."""
    depth = 2 if table.by_group else 1
    functions = [row.value for row in table.rows if len(row.path) == depth and row.path != _WHOLE]
    whole = next(row.value for row in table.rows if row.path == _WHOLE)
    listed, total = (scale * facts.processes * value for value in (math.fsum(functions), whole))
    text = found_of("functions", listed, total, metric.unit)
    if process_time is None:
        return text
    return f"{text}; wall time of the processes {process_time * facts.processes:.10g} s"


def _notices(
    facts: _Facts, table: _ProfileTable, interval: float | None, exceeding: Sequence[str]
) -> list[str]:
    notices = ["functions below the threshold of the report are in '(other)' of their group"]
    if interval is None:
        notices.append(NO_SECONDS)
    if facts.threads > 1:
        held = f"a run holds {facts.threads} times as many cores"
        notices.append(f"times are those of processes with {facts.threads} threads: {held}")
    if exceeding:
        notices.append(
            f"rows exceed what they are parts of ({', '.join(exceeding)}): the sum is more than stated"
        )
    return notices


READER = ProfileReader(
    name="CrayPat",
    pattern="RUNTIME.rpt",
    matches=matches,
    read=read,
    processes=_processes,
    content=_content,
    fallback=1,
    max_bytes=1 << 28,
    head_bytes=1 << 18,
)


_RULE = re.compile(r"^(=+|-+)$")
_ENTRY = re.compile(r"^ +(?P<name>\S.*?) {2,}(?P<values>\S.*?) *$")
_NAME_ALONE = re.compile(r"^ +(?P<name>\S(?:.*\S)?) *$")
_VALUE = re.compile(r"(?P<number>-?[\d,]*\.?\d+(?:[eE][-+]?\d+)?) *(?P<unit>%|[A-Za-z]\w*)?$")
_TOTALS = ("Total", "Avg of PE values", "Totals for program")
_TIMES = ("Time", "Thread Time")
_OTHER_TIMES = ("Imb. Time", "Average Time per Call")


def read_craypat(text: str, where: str) -> CounterReport:
    """Return the content of a text report of pat_report; InputError if it is none, or has no region."""
    if not is_report(text):
        raise InputError("not a CrayPat report", where=where, hint=_HINT)
    facts = _read_facts(text)
    cores = facts.per_node * facts.threads
    lines = text.splitlines()
    regions: dict[tuple[str, ...], CountedRegion] = {}
    for found in (*_profiled_regions(lines, _seconds_per_sample(text)), *_blocks(lines)):
        of_node = {name: value * cores for name, value in found.counters.items()}
        region = replace(found, counters=of_node)
        regions[found.path] = completed(regions.get(found.path, region), region)
    if not regions:
        hint = "write the report with its profile table, or with counters by region"
        raise InputError("the report has no region with a time, share or counters", where=where, hint=hint)
    return CounterReport(where=where, processes=facts.processes, cores=cores, regions=tuple(regions.values()))


def _profiled_regions(lines: list[str], per_sample: float | None) -> Iterator[CountedRegion]:
    """Yield the whole, groups and functions of the profile table."""
    table = _profile_table(lines)
    factor = 1.0 if table and table.traced else per_sample
    for row in table.rows if table else ():
        seconds = None if factor is None else row.value * factor
        yield CountedRegion(path=row.path, share=row.share, seconds=seconds)


def _blocks(lines: list[str]) -> Iterator[CountedRegion]:
    """Yield every block of values under a title between two rules, but those of single processes or nodes."""
    bare = [line.strip() for line in lines]
    for k, (above, title, below) in enumerate(zip(bare, bare[1:], bare[2:], strict=False)):
        if title and set(above) == {"="} and set(below) == {"-"}:
            path = TOTAL_ROW if title in _TOTALS else tuple(part.strip() for part in title.split(" / "))
            entries = {} if _MEMBER.fullmatch(path[-1]) else dict(_entries(lines[k + 3 :]))
            if entries:
                yield _counted_region(path, entries)


def _entries(lines: list[str]) -> Iterable[tuple[str, tuple[float, str]]]:
    begun = ""
    for line in lines:
        if _RULE.match(line.strip()):
            return
        entry, alone = _ENTRY.match(line), _NAME_ALONE.match(line)
        value = _value_in(entry["values"]) if entry else None
        if entry and value is not None:
            yield f"{begun}{entry['name']}" if line.startswith("    ") else entry["name"], value
        begun = ""
        if entry is None and alone:
            begun = alone["name"] if alone["name"].endswith(":") else f"{alone['name']} "


def _value_in(text: str) -> tuple[float, str] | None:
    """Return number and unit of the first column that is not a rate."""
    for column in re.split(r" {2,}", text):
        match = None if "/sec" in column else _VALUE.fullmatch(column.strip())
        if match:
            return number(match["number"]), match["unit"] or ""
    return None


def _counted_region(path: tuple[str, ...], entries: dict[str, tuple[float, str]]) -> CountedRegion:
    shares = (v / 100 for key, (v, unit) in entries.items() if key == "Time%" and unit == "%")
    times = (v for key, (v, unit) in entries.items() if key in _TIMES and unit.startswith("sec"))
    counters = {
        key: v for key, (v, unit) in entries.items() if unit != "%" and key not in (*_TIMES, *_OTHER_TIMES)
    }
    return CountedRegion(path=path, share=next(shares, None), seconds=next(times, None), counters=counters)
