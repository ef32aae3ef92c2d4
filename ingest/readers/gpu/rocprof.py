"""rocprof of ROCm: databases, traces and tables of version 1, tables and JSON of rocprofv3.

Version 1 writes ``results.db`` or ``results.json`` with every kernel, copy and call of HIP and HSA. The files
of a run have one name before their endings and repeat each other: of a folder, the database is read, or else
the trace. Folders with sums alone (``results.stats.csv``) are left to `summary_tables`. The database has the
tables OPS (kernels), COPY, HIP and HSA; a trace has the same columns in ``args``, as texts. No file states
how long the run took.

``77_kernel_trace.csv``, ``77_memory_copy_trace.csv``, ``77_hip_api_trace.csv``, ``77_hsa_api_trace.csv`` and
``77_marker_api_trace.csv`` are rocprofv3's traces of process 77. Agents are numbered over the node; a copy
has two, one of which is a device. Times are nanoseconds since the node was started. Processes whose traces
lie in one folder and overlap in time are one run; how long it took is not stated.

Launches: rocprof 1 writes ``KernelName``, ``BeginNs`` and ``EndNs`` to ``results.csv`` if they are timed
(``--timestamp on``, ``--stats``), rocprof 2, Omniperf and the counters of rocprofv3 ``Kernel_Name``,
``Start_Timestamp`` and ``End_Timestamp``. Other columns differ by version. Tables with one row per launch and
counter repeat the times of the launch.

rocprofv3's JSON, ``77_results.json``, has every kernel, copy, call and range of process 77:
``rocprofiler-sdk-tool`` lists processes. Records refer to kernels by their number, to devices by the handle
of their agent, and to names of calls and copies by kind and operation, which ``strings`` lists. A process
states when it was initialised and finalised. Files of a folder that are called after processes and overlap in
time are one run.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ingest.arrays import IntArray
from ingest.errors import InputError
from ingest.profile import CPU, NODE, Profile
from ingest.readers import ProfileReader
from ingest.readers.gpu.sqlite_files import Tables, integers, opened, quoted, tables_in, tables_of, text_of
from ingest.readers.gpu.timeline import (
    NO_DURATION,
    Activities,
    Event,
    Timeline,
    beginning,
    extent,
    has_events,
    load,
    require_one_run,
    span,
    timeline_profile,
    understood,
    whole,
)
from ingest.reading.csv_files import csv_cells, csv_header, read_csv
from ingest.reading.files import entries, head, head_lines, is_folder, read_bytes, writable
from ingest.reading.json_values import load_json
from ingest.reading.stacks import UNKNOWN
from ingest.region_class import GPU_COPY, GPU_KERNEL

if TYPE_CHECKING:
    import pandas as pd

_ENDINGS = frozenset((".db", ".json"))

_PARADIGMS: Mapping[str, str] = {"OPS": GPU_KERNEL, "COPY": GPU_COPY, "HIP": "hip", "HSA": "hip"}
_COLUMNS = ("BeginNs", "EndNs", "pid", "tid", "Name")
_ON_DEVICE = ("dev-id", "stream-id")
_TABLES = {"COPY": "COPY", "CPU HIP API": "HIP", "CPU HSA API": "HSA"}  # by the name of a process of a trace
_MARK = b'"BeginNs"'

Row = tuple[int, int, int, int, int, int, int]  # begin, end, process, thread, device, stream, region


def matches(path: Path) -> bool:
    """Return whether a file is such a database or trace, or a folder has those of one run."""
    return bool(_richest(path)) if is_folder(path) else _is_database(path) or _is_trace(path)


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
        if not isinstance(values, dict):
            raise TypeError("no arguments")
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


_HEAD_BYTES = 1 << 16
ONLY_KERNELS = "only kernels are in it: copies and calls are in other files of rocprof"

_TRACES = {  # kind of trace -> column of the name, paradigm
    "kernel": ("Kernel_Name", GPU_KERNEL),
    "memory_copy": ("Direction", GPU_COPY),
    "hip_api": ("Function", "hip"),
    "hsa_api": ("Function", "hip"),
    "marker_api": ("Function", ""),
}
_FILE = re.compile(rf"(?P<run>.*?)_?(?P<kind>{'|'.join(_TRACES)})_trace\.csv", re.DOTALL)
_DIGITS = re.compile(r"\d{1,9}")
_TO_HOST = "DEVICE_TO_HOST"

# Names of columns by version.
_KERNEL = ("KernelName", "Kernel_Name")
_BEGIN, _END = ("BeginNs", "Start_Timestamp"), ("EndNs", "End_Timestamp")
_PROCESS = ("pid", "PID", "Process_Id")
_DEVICE = ("gpu-id", "GPU_ID", "Agent_Id")
_QUEUE = ("queue-id", "Queue_ID", "Queue_Id")
_STREAM, _THREAD = ("Stream_Id",), ("Thread_Id",)
_LAUNCH, _COUNTER = ("Dispatch_Id", "Dispatch_ID"), "Counter_Name"
_NUMBERS = (*_BEGIN, *_END, *_PROCESS, *_QUEUE, *_STREAM, *_THREAD, *_LAUNCH)


def is_trace(path: Path) -> bool:
    """Return whether a file is called like a trace and has its columns, or a folder has such files."""
    if path.is_dir():
        return bool(_traces(path))
    found = _FILE.fullmatch(path.name)
    wanted = (_TRACES[found["kind"]][0], _BEGIN[-1], _END[-1]) if found else ()
    return found is not None and set(wanted) <= set(csv_header(path))


def _traces(path: Path) -> Sequence[Path]:
    """Return the traces of a run: those in a folder, or those of the process that a file is of."""
    found = [(entry, _FILE.fullmatch(entry.name)) for entry in entries(_folder(path))]
    named = [(entry, match["run"]) for entry, match in found if match and is_trace(entry)]
    if path.is_dir():
        runs = {run for _, run in named}
        return [entry for entry, _ in named] if len(runs) == 1 or all(map(str.isdecimal, runs)) else []
    own = _FILE.fullmatch(path.name)
    return [entry for entry, run in named if own and run == own["run"]]


def read_traces(path: Path) -> Profile:
    """Read the traces of a process, or of all processes whose traces lie in a folder."""
    timeline = Timeline()
    by_run: dict[str, list[Activities]] = {}
    for file in _traces(path):
        if found := _FILE.fullmatch(file.name):
            process = int(found["run"]) if _DIGITS.fullmatch(found["run"]) else 0
            with understood(file):
                part = _trace(file, found["kind"], process, timeline)
            by_run.setdefault(found["run"], []).append(part)
    spans = [lasted for parts in by_run.values() if (lasted := extent(parts))]
    if not spans:
        raise InputError("no traces of rocprofv3 in it", where=str(path))
    require_one_run(spans, "traces", str(path))
    timeline.parts = [part for parts in by_run.values() for part in parts]
    timeline.duration = span(timeline.parts)
    return timeline_profile(str(path), "rocprofv3", timeline, notices=[NO_DURATION])


def _is_launches(path: Path) -> bool:
    """Return whether the first line of a file names the kernel, the start and the end of launches."""
    first = next(iter(head_lines(path, _HEAD_BYTES)), "")
    names = [name.strip() for name in csv_cells(first)] if any(map(first.__contains__, _KERNEL)) else []
    return all(_first(names, known) for known in (_KERNEL, _BEGIN, _END))


def read_launches(path: Path) -> Profile:
    """Read the launches of a table."""
    timeline = Timeline()
    with understood(path):
        timeline.parts = [_launches(read_csv(path, numbers=_NUMBERS).table, timeline)]
    timeline.duration = span(timeline.parts)
    return timeline_profile(str(path), "rocprof", timeline, notices=[NO_DURATION, ONLY_KERNELS])


def _agent_number(text: str) -> int:
    """Return the number in the name of an agent, such as ``Agent 7``, or 0."""
    found = _DIGITS.search(text)
    return int(found[0]) if found else 0


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def _trace(path: Path, kind: str, process: int, timeline: Timeline) -> Activities:
    """Read one trace; what runs on devices is of the process in the name of the file."""
    name, paradigm = _TRACES[kind]
    table = read_csv(path, numbers=_NUMBERS).table
    if kind == "marker_api":  # ranges that were started and stopped have no thread, and need not nest
        table = table[_whole(table, _THREAD) != 0]
    on_device = paradigm in (GPU_KERNEL, GPU_COPY)
    return Activities.of(
        process=process if on_device else _whole(table, _PROCESS),
        thread=_whole(table, _STREAM if on_device else _THREAD),
        device=_devices(table, kind) if on_device else CPU,
        region=_numbered(table[name], lambda text: timeline.regions.number(text or UNKNOWN, paradigm)),
        start=_whole(table, _BEGIN),
        end=_whole(table, _END),
    )


def _devices(table: "pd.DataFrame", kind: str) -> IntArray:
    """Return the numbers of agents, which may be named like ``Agent 7``; of copies, that of the device."""
    if kind == "kernel":
        return _numbered(table["Agent_Id"], _agent_number)
    to_host = _numbered(table["Direction"], lambda text: text.endswith(_TO_HOST))
    source, target = (_numbered(table[f"{end}_Agent_Id"], _agent_number) for end in ("Source", "Destination"))
    return np.where(to_host > 0, source, target)


def _launches(table: "pd.DataFrame", timeline: Timeline) -> Activities:
    """Return one activity for each launch: the rows of other counters repeat it."""
    if _COUNTER in table and _first(table, _LAUNCH):
        table = table.drop_duplicates(
            [name for known in (_PROCESS, _LAUNCH) if (name := _first(table, known))]
        )
    agents = _first(table, _DEVICE)
    return Activities.of(
        process=_whole(table, _PROCESS),
        thread=_whole(table, _QUEUE),
        device=_numbered(table[agents], _agent_number) if agents else 0,
        region=_numbered(
            table[_first(table, _KERNEL)], lambda text: timeline.regions.number(text or UNKNOWN, GPU_KERNEL)
        ),
        start=_whole(table, _BEGIN),
        end=_whole(table, _END),
    )


def _whole(table: "pd.DataFrame", known: Sequence[str]) -> IntArray:
    """Return a column of whole numbers, zero if none of the known ones is there."""
    name = _first(table, known)
    return whole(table[name].tolist()) if name else np.zeros(len(table), dtype=np.int64)


def _first(names: "Sequence[str] | pd.DataFrame", known: Sequence[str]) -> str:
    """Return the first known name of a column that is there, or nothing."""
    return next((name for name in known if name in names), "")


def _numbered(column: "pd.Series[str]", number: Callable[[str], int]) -> IntArray:
    """Return a number for each text of a column of few different ones, empty for cells without text."""
    texts = [*map(str, column.cat.categories), ""]
    return np.array([number(text) for text in texts], dtype=np.int64)[column.cat.codes.to_numpy()]


_TOOL = b'"rocprofiler-sdk-tool"'
_RESULTS = re.compile(r"(?:.*_)?\d{1,9}_results\.json", re.DOTALL)
_MAX_BYTES = 1 << 30
_TOOL_HEAD_BYTES = 1 << 12
_GPU = 2  # type of an agent
_CALLS = {"hip_api": "hip", "hsa_api": "hip", "rccl_api": "", "marker_api": ""}

Record = Mapping[str, Any]


def _is_results(path: Path) -> bool:
    """Return whether a file begins as such a file does, or a folder has those of processes."""
    return bool(_results(path)) if is_folder(path) else _TOOL in head(path, _TOOL_HEAD_BYTES)


def _results(path: Path) -> Sequence[Path]:
    """Return the files of a run: the file itself, or those of the processes in a folder."""
    if not path.is_dir():
        return [path]
    return [entry for entry in entries(path) if _RESULTS.fullmatch(entry.name) and _is_results(entry)]


def read_results(path: Path) -> Profile:
    """Read the records of a file, or of all processes whose files lie in a folder."""
    timeline, attributes, stated = Timeline(), dict[str, str](), list[tuple[int, int]]()
    for file in _results(path):
        content = read_bytes(file, _MAX_BYTES).decode("utf-8", "replace")
        with understood(file):
            for process in load_json(content, str(file))["rocprofiler-sdk-tool"]:
                parts = [_process_activities(process, timeline)]
                timeline.parts += parts
                metadata = process.get("metadata") or {}
                begin, end = (metadata.get(name) or 0 for name in ("init_time", "fini_time"))
                if recorded := extent(parts):
                    stated.append((int(begin), int(end)) if 0 < begin < end else recorded)
                if host := (metadata.get("node") or {}).get("hostname"):
                    attributes[NODE] = writable(host)
    if not stated:
        raise InputError("no kernel, copy or call in it", where=str(path), hint="was anything traced?")
    require_one_run(stated, "processes", str(path))
    timeline.duration = max(end for _, end in stated) - min(begin for begin, _ in stated)
    notices = [NO_DURATION] if timeline.duration == span(timeline.parts) else []
    return timeline_profile(str(path), "rocprofv3", timeline, attributes=attributes, notices=notices)


def _process_activities(process: Record, timeline: Timeline) -> Activities:
    """Return what ran in a process: kernels, copies, and calls and ranges of its threads."""
    number = int((process.get("metadata") or {}).get("pid") or 0)
    records = process["buffer_records"]
    agents = {agent["id"]["handle"]: agent for agent in process.get("agents") or ()}
    kernels = {symbol["kernel_id"]: _kernel_name(symbol) for symbol in process.get("kernel_symbols") or ()}
    operations = _operations(process)
    region, rows = timeline.regions.number, list[tuple[int, ...]]()
    for record in records.get("kernel_dispatch") or ():
        info = record["dispatch_info"]
        name = kernels.get(info.get("kernel_id"), UNKNOWN)
        device = _agent_device(agents, info["agent_id"]["handle"])
        queue = _stream(record, info["queue_id"]["handle"])
        rows.append((queue, device, region(name, GPU_KERNEL), *_times(record), 0))
    for record in records.get("memory_copy") or ():
        ends = [record[f"{end}_agent_id"]["handle"] for end in ("dst", "src")]
        target = next((end for end in ends if agents.get(end, {}).get("type") == _GPU), ends[0])
        name = operations.get((record.get("kind"), record.get("operation")), "memory copy")
        moved = int(record.get("bytes") or 0)
        copy = region(name, GPU_COPY)
        rows.append((_stream(record, 0), _agent_device(agents, target), copy, *_times(record), moved))
    for kind, paradigm in _CALLS.items():
        for record in records.get(kind) or ():
            name = operations.get((record.get("kind"), record.get("operation")), UNKNOWN)
            rows.append((int(record["thread_id"]), CPU, region(name, paradigm), *_times(record), 0))
    thread, on, regions, start, end, size = np.array(rows, dtype=np.int64).reshape(-1, 6).T
    return Activities.of(
        process=number, thread=thread, device=on, region=regions, start=start, end=end, bytes=size
    )


def _operations(process: Record) -> dict[tuple[object, object], str]:
    listed = (process.get("strings") or {}).get("buffer_records") or ()
    return {
        (kind, number): writable(name)
        for place, entry in enumerate(listed)
        for number, name in enumerate(entry.get("operations") or ())
        for kind in (place, entry.get("kind"))
    }


def _kernel_name(symbol: Record) -> str:
    names = (symbol.get(f"{form}kernel_name") for form in ("formatted_", "demangled_", ""))
    return next((writable(name) for name in names if name), UNKNOWN)


def _agent_device(agents: Mapping[int, Record], handle: int) -> int:
    """Return the number of an agent on its node, or its place among those that are listed."""
    agent = agents.get(handle)
    if agent is None:
        return 0
    number = agent.get("node_id")
    return int(number) if number is not None else list(agents).index(handle)


def _stream(record: Record, otherwise: int) -> int:
    stream = record.get("stream_id")
    return int(stream["handle"]) if isinstance(stream, dict) else otherwise


def _times(record: Record) -> tuple[int, int]:
    return int(record["start_timestamp"]), int(record["end_timestamp"])


READERS = (
    ProfileReader(
        name="rocprof",
        pattern="results.db, results.json",
        matches=matches,
        read=read,
        files=files,
        fallback=1,
    ),
    ProfileReader(
        name="rocprofv3",
        pattern="*_kernel_trace.csv",
        matches=is_trace,
        read=read_traces,
        files=_traces,
        beside=lambda path: [file for file in _traces(path) if file != path],
        content=lambda path: (_folder(path), found["run"]) if (found := _FILE.fullmatch(path.name)) else path,
        fallback=1,
    ),
    ProfileReader(
        name="rocprof launches",
        pattern="results.csv",
        matches=_is_launches,
        read=read_launches,
        fallback=2,
        precedence=1,
    ),
    ProfileReader(
        name="rocprofv3 JSON",
        pattern="*_results.json",
        matches=_is_results,
        read=read_results,
        files=_results,
        fallback=1,
        max_bytes=_MAX_BYTES,
        head_bytes=_TOOL_HEAD_BYTES,
    ),
)
