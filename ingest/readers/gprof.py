"""What ``gprof`` prints: seconds and calls of functions, by its flat profile and its call graph.

The flat profile gives sampled seconds of each function, and calls without those by itself; the graph has
these, too, in ``1+4``, and the total time. Its times of callers are estimates by the number of calls, and not
read. With the graph alone, its lines with an index at the beginning are the functions.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ingest.calltree import ROOT
from ingest.errors import InputError
from ingest.profile import Profile
from ingest.readers import ProfileReader
from ingest.reading.files import head, head_lines, lines_of
from ingest.reading.stacks import TIME_METRIC, VISITS_METRIC, Stacks, found_of

_FLAT = re.compile(r"Flat profile:\s*")
_INTERVAL = re.compile(r"Each sample counts as (?P<seconds>[\d.e+-]{1,20}) seconds\.")
_GRAPH = re.compile(
    r"granularity: each sample hit covers .*?(?: of (?P<total>\d{1,12}\.\d+) seconds| no time propagated)"
)
_FLAT_HEADER = re.compile(r"\s*time\s+seconds\s+seconds\s+calls\s+\S+/call\s+\S+/call\s+name\s*")
_GRAPH_HEADER = re.compile(r"index\s+%\s*time\s+self\s+children\s+called\s+name\s*")
_ROW = re.compile(
    r"\s*(?:\d{1,3}\.\d\d|-?nan)\s+\d{1,12}\.\d\d\s+(?P<seconds>\d{1,12}\.\d\d)"
    r"(?:\s+(?P<calls>\d{1,18})\s+\d{1,12}\.\d\d\s+\d{1,12}\.\d\d)?\s+(?P<name>(?:[^\s\d.]|\.\D).*)"
)
_NODE = re.compile(
    r"\[\d+\]\s+(?:\d{1,3}\.\d|-?nan)\s+(?P<seconds>\d{1,12}\.\d\d)\s+\d{1,12}\.\d\d"
    r"(?:\s+(?P<calls>\d{1,18})(?:\+(?P<own>\d{1,18}))?)?\s+(?P<name>[^\s\d].*?)(?: <cycle \d+>)? \[\d+\]"
)
_OWN = re.compile(  # the profiler itself: what counts calls and samples
    r"[._]*(?:mcount(?:_\w+)?|fentry__|mcleanup|moncontrol|monstartup|profil(?:_counter|e_frequency)?)"
)
_CYCLE = re.compile(r"<cycle \d+ as a whole>.*")


@dataclass(frozen=True)
class _Function:
    seconds: float
    calls: int


@dataclass
class _Report:
    """What was found: functions of the flat profile and of the graph, and the stated total."""

    flat: dict[str, _Function] = field(default_factory=dict)
    graph: dict[str, _Function] = field(default_factory=dict)
    total: float | None = None
    interval: str = ""


def matches(path: Path) -> bool:
    """Return whether a file has the beginning of a flat profile or of a call graph."""
    if b"ach sample" not in head(path, READER.head_bytes):  # `_INTERVAL` or `_GRAPH`
        return False
    lines = head_lines(path, READER.head_bytes)
    begun = any(_FLAT.fullmatch(line) or _FLAT_HEADER.fullmatch(line) for line in lines)
    flat = begun and any(map(_INTERVAL.match, lines))
    return flat or any(_GRAPH.match(line) for line in lines)


def read(path: Path) -> Profile:
    """Read the functions of a report: one location."""
    report = _read(path)
    stacks = Stacks()
    location = stacks.location(0, 0)
    time, visits, own = stacks.of(TIME_METRIC), stacks.of(VISITS_METRIC), 0.0
    for name, function in (report.flat or report.graph).items():
        if _OWN.fullmatch(name):
            own += function.seconds
            continue
        place = location, stacks.callpaths.callee(ROOT, name)
        in_graph = report.graph.get(name)
        time[place] = function.seconds
        visits[place] = float(max(function.calls, in_graph.calls if in_graph else 0))
    found, stated = stacks.total(TIME_METRIC), report.total or 0.0
    stated = min(stated, stated - own, key=lambda total: abs(total - found))  # not all versions count it
    reconciled = found_of("functions", found, stated if report.total else None, "s")
    interval = {"sampling interval": f"{report.interval} s"} if report.interval else {}
    notices = [f"functions of gprof itself are left out: {own:.10g} s"] if own else []
    return stacks.built(str(path)).profile("gprof", reconciled, attributes=interval, notices=notices)


def _read(path: Path) -> _Report:
    report = _Report()
    lines = iter(enumerate(lines_of(path), start=1))
    known = False
    for _, line in lines:
        if match := _INTERVAL.match(line):
            report.interval = match["seconds"]
            _flat_rows(report, lines, str(path))
            known = True
        elif match := _GRAPH.match(line):
            report.total = float(match["total"]) if match["total"] else report.total
            _graph_rows(report, lines, str(path))
            known = True
    if not known:
        raise InputError("no profile of gprof in it", where=str(path))
    if not (report.flat or report.graph):
        raise InputError(
            "no function in it took time", where=str(path), hint="did the program run long enough?"
        )
    return report


def _flat_rows(report: _Report, lines: Iterator[tuple[int, str]], source: str) -> None:
    """Read the flat profile up to the empty line after it."""
    for number, line in _table_rows(lines, "time", source):
        if match := _ROW.fullmatch(line.rstrip()):
            before = report.flat.get(match["name"], _Function(0.0, 0))
            seconds = before.seconds + float(match["seconds"])
            report.flat[match["name"]] = _Function(seconds, before.calls + int(match["calls"] or 0))
        else:
            raise InputError(f"line {number}: not a row of a flat profile: {line[:60]}", where=source)


def _graph_rows(report: _Report, lines: Iterator[tuple[int, str]], source: str) -> None:
    """Read the functions of the call graph up to the page that ends it, or the explanation after it."""
    for number, line in _table_rows(lines, "index", source):
        if line.startswith("["):
            match = _NODE.fullmatch(line.rstrip())
            if match is None:
                raise InputError(f"line {number}: not a row of a call graph: {line[:60]}", where=source)
            if not _CYCLE.match(match["name"]):
                before = report.graph.get(match["name"], _Function(0.0, 0))
                calls = before.calls + int(match["calls"] or 0) + int(match["own"] or 0)
                report.graph[match["name"]] = _Function(before.seconds + float(match["seconds"]), calls)


def _table_rows(lines: Iterator[tuple[int, str]], start: str, source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a table behind its header, up to the empty line after it."""
    header = False
    for number, line in lines:
        if not line.strip():
            if header:
                return
        elif header:
            yield number, line
        else:
            header = _is_header(number, line, start, source)


def _is_header(number: int, line: str, start: str, source: str) -> bool:
    """Return whether a line is the second line of a table's header; refuse one that is not known."""
    if line.split(maxsplit=1)[0] != start:
        return False
    known = _FLAT_HEADER if start == "time" else _GRAPH_HEADER
    if known.fullmatch(line) is None:
        raise InputError(
            f"line {number}: a header of gprof that is not known: {line.strip()[:80]}", where=source
        )
    return True


READER = ProfileReader(
    name="gprof", pattern="gprof.txt", matches=matches, read=read, fallback=1, head_bytes=1 << 18
)
