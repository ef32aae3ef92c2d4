"""rocprofv3's JSON: ``77_results.json`` with every kernel, copy, call and range of process 77.

``rocprofiler-sdk-tool`` lists processes. Records refer to kernels by their number, to devices by the handle
of their agent, and to names of calls and copies by kind and operation, which ``strings`` lists. Times are
nanoseconds since the node was started; a process states when it was initialised and finalised. Files of a
folder that are called after processes and overlap in time are one run.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ingest.errors import InputError
from ingest.profile import CPU, NODE, Profile
from ingest.readers import ProfileReader
from ingest.readers.gpu.timeline import (
    NO_DURATION,
    Activities,
    Timeline,
    extent,
    require_one_run,
    span,
    timeline_profile,
    understood,
)
from ingest.reading.files import entries, head, read_bytes, writable
from ingest.reading.json_values import load_json
from ingest.reading.stacks import UNKNOWN
from ingest.region_class import GPU_COPY, GPU_KERNEL

_MARK = b'"rocprofiler-sdk-tool"'
_FILE = re.compile(r"(?:.*_)?\d{1,9}_results\.json", re.DOTALL)
_GPU = 2  # type of an agent
_CALLS = {"hip_api": "hip", "hsa_api": "hip", "rccl_api": "", "marker_api": ""}

Record = Mapping[str, Any]


def _matches(path: Path) -> bool:
    """Return whether a file begins as such a file does, or a folder has those of processes."""
    return bool(_files(path)) if path.is_dir() else path.is_file() and _MARK in head(path, READER.head_bytes)


def _files(path: Path) -> Sequence[Path]:
    """Return the files of a run: the file itself, or those of the processes in a folder."""
    if not path.is_dir():
        return [path]
    return [entry for entry in entries(path) if _FILE.fullmatch(entry.name) and _matches(entry)]


def read(path: Path) -> Profile:
    """Read the records of a file, or of all processes whose files lie in a folder."""
    timeline, attributes, stated = Timeline(), dict[str, str](), list[tuple[int, int]]()
    for file in _files(path):
        content = read_bytes(file, READER.max_bytes).decode("utf-8", "replace")
        with understood(file):
            for process in load_json(content, str(file))["rocprofiler-sdk-tool"]:
                parts = [_activities(process, timeline)]
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


def _activities(process: Record, timeline: Timeline) -> Activities:
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
        device = _device(agents, info["agent_id"]["handle"])
        queue = _stream(record, info["queue_id"]["handle"])
        rows.append((queue, device, region(name, GPU_KERNEL), *_times(record), 0))
    for record in records.get("memory_copy") or ():
        ends = [record[f"{end}_agent_id"]["handle"] for end in ("dst", "src")]
        target = next((end for end in ends if agents.get(end, {}).get("type") == _GPU), ends[0])
        name = operations.get((record.get("kind"), record.get("operation")), "memory copy")
        moved = int(record.get("bytes") or 0)
        copy = region(name, GPU_COPY)
        rows.append((_stream(record, 0), _device(agents, target), copy, *_times(record), moved))
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


def _device(agents: Mapping[int, Record], handle: int) -> int:
    """Return the number of an agent on its node, or its place among those that are listed."""
    agent = agents.get(handle)
    if agent is None:
        return 0
    number = agent.get("node_id")
    return int(number) if number is not None else list(agents).index(handle)


def _stream(record: Record, otherwise: int) -> int:
    """Return the stream of a record, or else its queue."""
    stream = record.get("stream_id")
    return int(stream["handle"]) if isinstance(stream, dict) else otherwise


def _times(record: Record) -> tuple[int, int]:
    return int(record["start_timestamp"]), int(record["end_timestamp"])


READER = ProfileReader(
    name="rocprofv3 JSON",
    pattern="*_results.json",
    matches=_matches,
    read=read,
    files=_files,
    fallback=1,
    max_bytes=1 << 30,
    head_bytes=1 << 12,
)
