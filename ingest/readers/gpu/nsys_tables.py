"""Tables of Nsight Systems' SQLite export: kernels, copies, calls and ranges as columns.

A `globalTid` packs a process (bits 24 to 47) and a thread (0 to 23); a `globalPid` has no thread. Texts are
in ``StringIds``. Tables and columns exist only in exports of versions that had something to put there.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator

import numpy as np

from ingest.arrays import IntArray
from ingest.profile import CPU
from ingest.readers.gpu.sqlite_files import Tables, columns_of, integers, text_of
from ingest.readers.gpu.timeline import Activities, Timeline
from ingest.reading.stacks import UNKNOWN
from ingest.region_class import GPU_COPY, GPU_KERNEL

NUMBER_BITS = 24  # of a process and of a thread
PUSHED_RANGES = (59, 70)  # kinds of NVTX ranges that nest: they are pushed and popped

_KERNELS, _COPIES, _FILLS, _GRAPHS = (
    f"CUPTI_ACTIVITY_KIND_{kind}" for kind in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE")
)
DEVICE_TABLES = (_KERNELS, _COPIES, _FILLS, _GRAPHS)
RANGES = "NVTX_EVENTS"
CALLS = {  # table -> column of the name, paradigm
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


def device_activities(
    connection: sqlite3.Connection, tables: Tables, table: str, timeline: Timeline
) -> Activities:
    """Read kernels, copies, fills or graphs; devices have the numbers of the file."""
    columns = tables[table]
    name = {
        _KERNELS: "demangledName" if "demangledName" in columns else "shortName",
        _COPIES: "copyKind",
    }.get(table, "0")
    expressions = (
        f"ifnull(globalPid, 0) >> {NUMBER_BITS} & {(1 << NUMBER_BITS) - 1}"
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


def host_calls(connection: sqlite3.Connection, table: str, timeline: Timeline) -> Activities:
    """Read the calls in a table; MPI's waiting has a row for each request of one call."""
    name, paradigm = CALLS[table]
    distinct = "DISTINCT" if table.startswith("MPI") else ""
    query = f"SELECT {distinct} ifnull(globalTid, 0), {name}, start, [end] FROM {table}"
    thread, named, start, end = columns_of(connection, query, 4)
    return _on_host(thread, _named(connection, named, table, name, paradigm, timeline), start, end)


def host_ranges(connection: sqlite3.Connection, tables: Tables, timeline: Timeline) -> Activities:
    """Read the ranges that were pushed and popped; a text is in the table or among those of the file.

    PyTorch numbers each of its ranges: ``aten::mm, seq = 7, op_id = 8``. These are one region.
    """
    text = "(SELECT value FROM StringIds WHERE id = textId)" if "textId" in tables[RANGES] else "NULL"
    named = f"coalesce(text, {text}, '')"
    query = (
        f"SELECT ifnull(globalTid, 0), {text_of(named)}, start, [end] FROM {RANGES}"
        f" WHERE eventType IN {PUSHED_RANGES} AND [end] IS NOT NULL"
    )
    rows = (
        (thread, timeline.regions.number(_COUNTED.sub("", str(name)) or UNKNOWN, ""), start, end)
        for thread, name, start, end in connection.execute(query)
    )
    return _on_host(*integers(rows, 4))


def unread(connection: sqlite3.Connection, tables: Tables) -> Iterator[str]:
    """Say what was recorded and is not read."""
    found = [
        f"{what} ({table})"
        for table, what in _NOT_READ.items()
        if table in tables and connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone()
    ]
    if found:
        yield f"not read: {', '.join(found)}"
    ranges = {
        f"eventType NOT IN {PUSHED_RANGES} AND [end] > start": "that need not nest",
        f"eventType IN {PUSHED_RANGES} AND [end] IS NULL": "without an end",
    }
    for condition, what in ranges.items() if RANGES in tables else ():
        (number,) = connection.execute(f"SELECT count(*) FROM {RANGES} WHERE {condition}").fetchone()
        if number:
            yield f"not read: NVTX ranges {what} ({number})"


def _on_host(thread: IntArray, region: IntArray, start: IntArray, end: IntArray) -> Activities:
    mask = (1 << NUMBER_BITS) - 1
    process = thread >> NUMBER_BITS & mask
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
    """Return the regions of texts of the file."""
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
