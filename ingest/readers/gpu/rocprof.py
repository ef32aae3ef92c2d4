"""rocprof, version 1: ``results.db`` or ``results.json`` with every kernel, copy and call of HIP and HSA.

The files of a run have one name before their endings and repeat each other: of a folder, the database is
read, or else the trace. Folders with sums alone (``results.stats.csv``) are left to `summary_tables`. The
database has the tables OPS (kernels), COPY, HIP and HSA; a trace has the same columns in ``args``, as texts.
No file states how long the run took.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ingest.errors import InputError
from ingest.profile import CPU, Profile
from ingest.readers import ProfileReader
from ingest.readers.gpu.sqlite_files import Tables, integers, opened, quoted, tables_in, tables_of, text_of
from ingest.readers.gpu.timeline import (
    NO_DURATION,
    Activities,
    Event,
    Timeline,
    beginning,
    has_events,
    load,
    span,
    timeline_profile,
    understood,
)
from ingest.reading.files import entries, writable
from ingest.reading.stacks import UNKNOWN
from ingest.region_class import GPU_COPY, GPU_KERNEL

_ENDINGS = frozenset((".db", ".json"))

_PARADIGMS: Mapping[str, str] = {"OPS": GPU_KERNEL, "COPY": GPU_COPY, "HIP": "hip", "HSA": "hip"}
_COLUMNS = ("BeginNs", "EndNs", "pid", "tid", "Name")
_ON_DEVICE = ("dev-id", "stream-id")
_TABLES = {"COPY": "COPY", "CPU HIP API": "HIP", "CPU HSA API": "HSA"}  # by the name of a process of a trace
_MARK = b'"BeginNs"'

Row = tuple[int, int, int, int, int, int, int]  # begin, end, process, thread, device, stream, region


def matches(path: Path) -> bool:
    """Return whether a file is such a database or trace, or a folder has those of one run."""
    return bool(_richest(path)) if path.is_dir() else _is_database(path) or _is_trace(path)


def files(path: Path) -> Sequence[Path]:
    """Return what is read of a run: the file itself, or one of its folder."""
    return _richest(path) if path.is_dir() else [path]


def read(path: Path) -> Profile:
    """Read a database or a trace, or the better one of those in a folder."""
    chosen = next(iter(files(path)), None)
    if chosen is None:
        raise InputError("no database or trace of one run of rocprof in it", where=str(path))
    timeline = Timeline()
    timeline.parts, unread = (_of_database if _is_database(chosen) else _of_trace)(chosen, timeline)
    timeline.duration = span(timeline.parts)
    notices = [NO_DURATION, *([f"not read: {', '.join(unread)}"] if unread else [])]
    return timeline_profile(str(path), "rocprof", timeline, notices=notices)


def _richest(folder: Path) -> list[Path]:
    """Return the database of a folder, or else its trace, if it has those of one run."""
    found = [file for file in entries(folder) if file.suffix.lower() in _ENDINGS]
    known = [file for file in found if _is_database(file)] or [file for file in found if _is_trace(file)]
    return known if len(known) == 1 else []


def _is_database(path: Path) -> bool:
    return bool(_recorded(tables_of(path) or {}))


def _is_trace(path: Path) -> bool:
    return has_events(path) and _MARK in beginning(path)


def _recorded(tables: Tables) -> list[str]:
    return [table for table in _PARADIGMS if tables.get(table, frozenset()).issuperset(_COLUMNS)]


def _of_database(path: Path, timeline: Timeline) -> tuple[list[Activities], list[str]]:
    """Return what ran, and the tables of something else that lasted."""
    with opened(path) as connection:
        tables = tables_in(connection)
        parts = [
            _activities(_rows(connection, table, tables[table], timeline), _PARADIGMS[table])
            for table in _recorded(tables)
        ]
        others = [name for name, columns in tables.items() if "BeginNs" in columns and name not in _PARADIGMS]
        found = (connection.execute(f"SELECT count(*) FROM {quoted(name)}").fetchone() for name in others)
        counted = zip(others, found, strict=True)
        return parts, [f"{name} ({number})" for name, (number,) in counted if number]


def _rows(
    connection: sqlite3.Connection, table: str, columns: frozenset[str], timeline: Timeline
) -> Iterator[Row]:
    device, stream = (quoted(name) if name in columns else "0" for name in _ON_DEVICE)
    query = f"SELECT BeginNs, EndNs, pid, tid, {device}, {stream}, {text_of('Name')} FROM {table}"
    for begin, end, process, thread, on, of, name in connection.execute(query):
        region = timeline.regions.number(str(name or UNKNOWN), _PARADIGMS[table])
        yield begin, end, process, thread, on, of, region


def _of_trace(path: Path, timeline: Timeline) -> tuple[list[Activities], list[str]]:
    """Return what ran, and what else lasted, by the names that the trace has for it."""
    trace = load(path)
    with understood(path):
        names = trace.process_names()
        found: dict[str, list[Event]] = {}
        unread: Counter[str] = Counter()
        for event in trace.of_phase("X"):
            name = names.get(str(event.get("pid")), "other events")
            if table := "OPS" if name.startswith("GPU") else _TABLES.get(name):
                found.setdefault(table, []).append(event)
            else:
                unread[name] += 1
        parts = [
            _activities(_of_events(events, _PARADIGMS[table], timeline), _PARADIGMS[table])
            for table, events in found.items()
        ]
    return parts, [f"{name} ({number})" for name, number in unread.items()]


def _of_events(events: Iterable[Event], paradigm: str, timeline: Timeline) -> Iterator[Row]:
    for event in events:
        values = event["args"]
        begin, end, process, thread = (int(values[name]) for name in _COLUMNS[:4])
        device, stream = (int(values.get(name, 0)) for name in _ON_DEVICE)
        name = writable(str(event.get("name") or UNKNOWN))
        yield begin, end, process, thread, device, stream, timeline.regions.number(name, paradigm)


def _activities(rows: Iterator[Row], paradigm: str) -> Activities:
    begin, end, process, thread, device, stream, region = integers(rows, 7)
    on_host = paradigm not in (GPU_KERNEL, GPU_COPY)
    return Activities.of(
        process=process,
        thread=thread if on_host else stream,
        device=CPU if on_host else device,
        region=region,
        start=begin,
        end=end,
    )


READER = ProfileReader(
    name="rocprof", pattern="results.db, results.json", matches=matches, read=read, files=files, fallback=1
)
