"""Nsight Systems: reports exported to SQLite (``nsys export --type sqlite``), one per node or per rank.

Time that the host spends in a call is often time in which it waits for the device: both stand in the profile,
on different locations. Several reports in a folder whose names differ in one number, and whose captures
overlap in time, are the ranks of one run; captures of repetitions follow each other.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ingest.arrays import IntArray
from ingest.errors import InputError
from ingest.profile import CPU, NODE, Profile
from ingest.readers import ProfileReader
from ingest.readers.gpu.sqlite_files import (
    Tables,
    columns_of,
    integers,
    opened,
    tables_in,
    tables_of,
    text_of,
)
from ingest.readers.gpu.timeline import (
    MAX_TIME,
    NO_DURATION,
    Activities,
    Timeline,
    groups_of,
    span,
    stated_models,
    timeline_profile,
)
from ingest.reading.files import all_of_run, entries, is_folder, numbered_files
from ingest.reading.stacks import UNKNOWN
from ingest.region_class import GPU_COPY, GPU_KERNEL

_NUMBER_BITS = 24  # of a process and of a thread
_PUSHED_RANGES = (59, 70)  # kinds of NVTX ranges that nest: they are pushed and popped

_KERNELS, _COPIES, _FILLS, _GRAPHS = (
    f"CUPTI_ACTIVITY_KIND_{kind}" for kind in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE")
)
_DEVICE_TABLES = (_KERNELS, _COPIES, _FILLS, _GRAPHS)
_RANGES = "NVTX_EVENTS"
_CALLS = {  # table -> column of the name, paradigm
    "CUPTI_ACTIVITY_KIND_RUNTIME": ("nameId", "cuda"),
    "CUPTI_ACTIVITY_KIND_DRIVER": ("nameId", "cuda"),
    "CUBLAS_EVENTS": ("nameId", ""),
    "CUDNN_EVENTS": ("nameId", ""),
    **{f"MPI_{kind}_EVENTS": ("textId", "mpi") for kind in ("P2P", "COLLECTIVES", "START_WAIT", "OTHER")},
}
_NOT_READ = {
    "OSRT_API": "calls of the operating system's libraries",
    "COMPOSITE_EVENTS": "samples of the processors",
    "SCHED_EVENTS": "context switches",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": "synchronisation of streams",
    "OPENACC_LAUNCH_EVENTS": "OpenACC",
    "GPU_METRICS": "metrics of devices over time",
}
_COPY_KINDS = {1: "Host-to-Device", 2: "Device-to-Host", 8: "Device-to-Device", 10: "Peer-to-Peer"}
_COUNTED = re.compile(r", (?:seq|op_id|sizes|input_op_ids) = .*", re.DOTALL)
_ENDINGS = frozenset((".sqlite", ".sqlite3", ".db"))
_OWN_ENDINGS = frozenset((".nsys-rep", ".qdrep"))  # of reports as they are measured
_MAX_COMMAND = 1000
NO_DEVICE = "no activity of a device was recorded: only calls and ranges of the host are read"

_BEFORE_RANK = re.compile(r"(?:.*[._-])?(?:rank|report|proc|process|task)?", re.IGNORECASE | re.DOTALL)
_MARKS = ("META_DATA_CAPTURE", "ANALYSIS_DETAILS", "TARGET_INFO_SESSION_START_TIME", *_DEVICE_TABLES, _RANGES)


@dataclass(frozen=True)
class _Device:
    host: str  # the node; empty if the device has an identifier of its own
    identifier: str  # unique on the node
    name: str  # its model


@dataclass(kw_only=True)
class _Report:
    # activities; numbers of devices are indices into `devices`, those of processes are the file's
    parts: list[Activities] = field(default_factory=list)
    devices: list[_Device] = field(default_factory=list)  # those that were used
    begin: int | None = None  # of the capture, nanoseconds since 1970; None if not stated
    duration: int | None = None  # of the capture, nanoseconds; None if not stated
    attributes: dict[str, str] = field(default_factory=dict)  # what the file says of the run
    notices: list[str] = field(default_factory=list)  # what is not read


def matches(path: Path) -> bool:
    """Return whether a file has the tables of a report, or a folder the reports of the ranks of one run.

    Reports that were not exported match, too, so that reading them says what to do.
    """
    if is_folder(path):
        return bool(_reports_of_ranks(path))
    return _is_report(path) or (_is_own(path) and not path.with_suffix(".sqlite").exists())


def read(path: Path) -> Profile:
    """Read a report, or those of all ranks of a run."""
    if _is_own(path):
        hint = f"export it: nsys export --type sqlite {path.name}"
        raise InputError("only Nsight Systems can read it", where=str(path), hint=hint)
    timeline, ranks = Timeline(), _reports_of_ranks(path)
    reports = [_read(file, timeline) for file in (all_of_run(ranks) if path.is_dir() else [path])]
    if not reports:
        raise InputError("no reports of the ranks of one run in it", where=str(path))
    begins = [report.begin or 0 for report in reports]
    numbers: dict[_Device, int] = {}
    for rank, (report, begin) in enumerate(zip(reports, begins, strict=True)):
        of = np.array([*(numbers.setdefault(device, len(numbers)) for device in report.devices), CPU])
        timeline.parts += [_in_run(part, rank, begin - min(begins), of) for part in report.parts]
    stated = [report.duration for report in reports if report.duration is not None]
    timeline.duration = max(stated) if stated else span(timeline.parts)
    notices = dict.fromkeys(notice for report in reports for notice in report.notices)
    notices |= dict.fromkeys([*([] if stated else [NO_DURATION]), *([] if numbers else [NO_DEVICE])])
    attributes = reports[0].attributes | stated_models(device.name for device in numbers)
    generator = attributes.pop("generator")
    return timeline_profile(str(path), generator, timeline, attributes=attributes, notices=notices)


def _is_own(path: Path) -> bool:
    return path.suffix in _OWN_ENDINGS and path.is_file()


def _is_report(path: Path) -> bool:
    """Return whether a file is a report, or may be one: a damaged database with its ending."""
    tables = tables_of(path)
    if tables is None:
        return path.suffix.lower() == ".sqlite"
    return "StringIds" in tables and any(mark in tables for mark in _MARKS)


def _reports_of_ranks(folder: Path) -> dict[int, Path]:
    """Return the reports in a folder by rank if they are of one run; a damaged one does not change that."""
    found = [file for file in entries(folder) if file.suffix.lower() in _ENDINGS and file.is_file()]
    before, reports = numbered_files(found)
    known = [file for file in reports.values() if _BEFORE_RANK.fullmatch(before) and _is_report(file)]
    return reports if known and _overlap(known) else {}


def _overlap(reports: Sequence[Path]) -> bool:
    """Return whether there is a moment in all captures."""
    begins, ends = [], []
    for file in reports:
        try:
            with opened(file) as connection:
                begin, duration = _capture(connection, tables_in(connection))
        except InputError:
            continue
        if begin is None or duration is None:
            return False
        begins.append(begin)
        ends.append(begin + duration)
    return bool(begins) and max(begins) < min(ends)


def _in_run(part: Activities, rank: int, later: int, devices: IntArray) -> Activities:
    """Return activities with numbers of processes and devices, and times, of the whole run."""
    first = rank << _NUMBER_BITS
    on_host = part.device == CPU
    return replace(
        part,
        process=part.process + first,
        thread=np.where(on_host, part.thread + first, part.thread),
        device=devices[part.device],
        start=part.start + later,
        end=part.end + later,
    )


def _read(path: Path, timeline: Timeline) -> _Report:
    report = _Report()
    with opened(path) as connection:
        tables = tables_in(connection)
        report.begin, report.duration = _capture(connection, tables)
        report.attributes = _attributes(connection, tables)
        host = report.attributes.get(NODE, str(path))
        for table in _DEVICE_TABLES:
            if table in tables:
                part = _device_activities(connection, tables, table, timeline)
                report.parts.append(_with_devices(part, connection, tables, host, report.devices))
        report.parts += [_host_calls(connection, table, timeline) for table in _CALLS if table in tables]
        if _RANGES in tables:
            report.parts.append(_host_ranges(connection, tables, timeline))
        report.notices += _unread(connection, tables)
    if not any(map(len, report.parts)):
        what = "no activity of a device, CUDA, MPI or NVTX was recorded in it"
        raise InputError(what, where=str(path), hint="nsys profile --trace=cuda,nvtx,mpi records them")
    return report


def _with_devices(
    part: Activities, connection: sqlite3.Connection, tables: Tables, host: str, devices: list[_Device]
) -> Activities:
    """Number the accelerators that processes call by numbers of their own, and add them to those known."""
    if not len(part):
        return part
    physical, names, identifiers = _accelerators(connection, tables)
    found, group = groups_of([part.process, part.device])
    places = []
    for process, number in found:
        of = physical.get((process, number), number)
        unique = identifiers.get(of, "")
        device = _Device("" if unique else host, unique or str(of), names.get(of, ""))
        if device not in devices:
            devices.append(device)
        places.append(devices.index(device))
    return replace(part, device=np.array(places, dtype=np.int64)[group])


def _accelerators(
    connection: sqlite3.Connection, tables: Tables
) -> tuple[dict[tuple[int, int], int], dict[int, str], dict[int, str]]:
    physical: dict[tuple[int, int], int] = {}
    if {"pid", "cudaId", "gpuId"} <= tables.get("TARGET_INFO_CUDA_DEVICE", frozenset()):
        query = "SELECT pid, cudaId, gpuId FROM TARGET_INFO_CUDA_DEVICE"
        physical = {(pid, cuda): gpu for pid, cuda, gpu in connection.execute(query)}
    names: dict[int, str] = {}
    identifiers: dict[int, str] = {}
    columns = tables.get("TARGET_INFO_GPU", frozenset())
    if {"id", "name"} <= columns:
        unique = text_of("uuid") if "uuid" in columns else "NULL"
        query = f"SELECT id, {text_of('name')}, {unique} FROM TARGET_INFO_GPU"
        for number, name, uuid in connection.execute(query):
            names[number], identifiers[number] = str(name or ""), str(uuid or "")
    return physical, names, identifiers


def _capture(connection: sqlite3.Connection, tables: Tables) -> tuple[int | None, int | None]:
    """Return when the capture began, nanoseconds since 1970, and how long it took, if stated."""
    found = []
    for table, column in (("TARGET_INFO_SESSION_START_TIME", "utcEpochNs"), ("ANALYSIS_DETAILS", "duration")):
        value = None
        if column in tables.get(table, frozenset()):
            (value,) = connection.execute(f"SELECT max({column}) FROM {table}").fetchone()
        found.append(value if isinstance(value, int) and 0 <= value < MAX_TIME else None)
    return found[0], found[1]


def _attributes(connection: sqlite3.Connection, tables: Tables) -> dict[str, str]:
    texts: dict[str, str] = {}
    for table in ("META_DATA_CAPTURE", "META_DATA_EXPORT", "TARGET_INFO_SYSTEM_ENV"):
        if {"name", "value"} <= tables.get(table, frozenset()):
            kept = "name LIKE 'PROCESS_0:%' OR name IN ('EXPORT_PRODUCT_VERSION', 'Hostname')"
            query = f"SELECT {text_of('name')}, {text_of('value')} FROM {table} WHERE {kept}"
            for name, value in connection.execute(query):
                texts.setdefault(str(name), str(value or ""))
    arguments = (texts[key] for n in range(len(texts)) if (key := f"PROCESS_0:ARGUMENT_{n}") in texts)
    command = " ".join([texts.get("PROCESS_0:COMMAND", ""), *arguments]).strip()[:_MAX_COMMAND]
    found = {
        "generator": f"Nsight Systems {texts.get('EXPORT_PRODUCT_VERSION', '')}".strip(),
        "command": command,
        NODE: texts.get("Hostname", ""),
    }
    return {name: text for name, text in found.items() if text}


READER = ProfileReader(
    name="Nsight Systems",
    pattern="*.sqlite",
    matches=matches,
    read=read,
    files=lambda path: _reports_of_ranks(path).values() if path.is_dir() else [path],
    fallback=1,
)


# Tables of Nsight Systems' SQLite export: kernels, copies, calls and ranges as columns.
#
# A `globalTid` packs a process (bits 24 to 47) and a thread (0 to 23); a `globalPid` has no thread. Texts are
# in ``StringIds``. Tables and columns exist only in exports of versions that had something to put there.


def _device_activities(
    connection: sqlite3.Connection, tables: Tables, table: str, timeline: Timeline
) -> Activities:
    """Read kernels, copies, fills or graphs; devices have the numbers of the file."""
    columns = tables[table]
    name = {
        _KERNELS: "demangledName" if "demangledName" in columns else "shortName",
        _COPIES: "copyKind",
    }.get(table, "0")
    expressions = (
        f"ifnull(globalPid, 0) >> {_NUMBER_BITS} & {(1 << _NUMBER_BITS) - 1}"
        if "globalPid" in columns
        else "0",
        "ifnull(streamId, 0)" if "streamId" in columns else "0",
        "deviceId",
        name,
        "start",
        "[end]",
        "ifnull(bytes, 0)" if "bytes" in columns else "0",
    )
    rows = columns_of(connection, f"SELECT {', '.join(expressions)} FROM {table}", len(expressions))
    process, stream, device, named, start, end, moved = rows
    if table == _KERNELS:
        regions = _named(connection, named, table, name, GPU_KERNEL, timeline)
    elif table == _COPIES:
        labels = _COPY_KINDS | _labels(connection, tables)
        regions = _numbered(named, lambda kind: f"[CUDA memcpy {labels.get(kind, kind)}]", GPU_COPY, timeline)
    elif table == _FILLS:
        regions = _numbered(named, lambda _: "[CUDA memset]", GPU_COPY, timeline)
    else:
        regions = _numbered(named, lambda _: "[CUDA graph]", GPU_KERNEL, timeline)
    return Activities(
        process=process, thread=stream, device=device, region=regions, start=start, end=end, bytes=moved
    )


def _host_calls(connection: sqlite3.Connection, table: str, timeline: Timeline) -> Activities:
    """Read the calls in a table; MPI's waiting has a row for each request of one call."""
    name, paradigm = _CALLS[table]
    distinct = "DISTINCT" if table.startswith("MPI") else ""
    query = f"SELECT {distinct} ifnull(globalTid, 0), {name}, start, [end] FROM {table}"
    thread, named, start, end = columns_of(connection, query, 4)
    return _on_host(thread, _named(connection, named, table, name, paradigm, timeline), start, end)


def _host_ranges(connection: sqlite3.Connection, tables: Tables, timeline: Timeline) -> Activities:
    """Read the ranges that were pushed and popped; a text is in the table or among those of the file.

    PyTorch numbers each of its ranges: ``aten::mm, seq = 7, op_id = 8``. These are one region.
    """
    text = "(SELECT value FROM StringIds WHERE id = textId)" if "textId" in tables[_RANGES] else "NULL"
    named = f"coalesce(text, {text}, '')"
    query = (
        f"SELECT ifnull(globalTid, 0), {text_of(named)}, start, [end] FROM {_RANGES}"
        f" WHERE eventType IN {_PUSHED_RANGES} AND [end] IS NOT NULL"
    )
    rows = (
        (thread, timeline.regions.number(_COUNTED.sub("", str(name)) or UNKNOWN, ""), start, end)
        for thread, name, start, end in connection.execute(query)
    )
    return _on_host(*integers(rows, 4))


def _unread(connection: sqlite3.Connection, tables: Tables) -> Iterator[str]:
    """Say what was recorded and is not read."""
    found = [
        f"{what} ({table})"
        for table, what in _NOT_READ.items()
        if table in tables and connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone()
    ]
    if found:
        yield f"not read: {', '.join(found)}"
    ranges = {
        f"eventType NOT IN {_PUSHED_RANGES} AND [end] > start": "that need not nest",
        f"eventType IN {_PUSHED_RANGES} AND [end] IS NULL": "without an end",
    }
    for condition, what in ranges.items() if _RANGES in tables else ():
        (number,) = connection.execute(f"SELECT count(*) FROM {_RANGES} WHERE {condition}").fetchone()
        if number:
            yield f"not read: NVTX ranges {what} ({number})"


def _on_host(thread: IntArray, region: IntArray, start: IntArray, end: IntArray) -> Activities:
    mask = (1 << _NUMBER_BITS) - 1
    process = thread >> _NUMBER_BITS & mask
    return Activities.of(
        process=process, thread=thread & mask, device=CPU, region=region, start=start, end=end
    )


def _named(
    connection: sqlite3.Connection,
    identifiers: IntArray,
    table: str,
    column: str,
    paradigm: str,
    timeline: Timeline,
) -> IntArray:
    used = f"SELECT id, {text_of('value')} FROM StringIds WHERE id IN (SELECT {column} FROM {table})"
    texts = {number: str(text) for number, text in connection.execute(used)}
    return _numbered(identifiers, lambda number: texts.get(number) or UNKNOWN, paradigm, timeline)


def _numbered(keys: IntArray, name: Callable[[int], str], paradigm: str, timeline: Timeline) -> IntArray:
    """Return the regions of keys, given the name for each."""
    known, place = np.unique(keys, return_inverse=True)
    regions = [timeline.regions.number(name(key), paradigm) for key in known.tolist()]
    return np.array(regions, dtype=np.int64)[place.reshape(-1)]


def _labels(connection: sqlite3.Connection, tables: Tables) -> dict[int, str]:
    """Return the kinds of copies as the file calls them."""
    if not {"id", "label"} <= tables.get("ENUM_CUDA_MEMCPY_OPER", frozenset()):
        return {}
    query = f"SELECT id, {text_of('label')} FROM ENUM_CUDA_MEMCPY_OPER"
    return {number: str(label) for number, label in connection.execute(query)}
