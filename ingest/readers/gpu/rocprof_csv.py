"""rocprof's tables with one row per activity: rocprofv3's traces, and launches of kernels alone.

``77_kernel_trace.csv``, ``77_memory_copy_trace.csv``, ``77_hip_api_trace.csv``, ``77_hsa_api_trace.csv`` and
``77_marker_api_trace.csv`` are rocprofv3's traces of process 77. Agents are numbered over the node; a copy
has two, one of which is a device. Times are nanoseconds since the node was started. Processes whose traces
lie in one folder and overlap in time are one run; how long it took is not stated.

Launches: rocprof 1 writes ``KernelName``, ``BeginNs`` and ``EndNs`` to ``results.csv`` if they are timed
(``--timestamp on``, ``--stats``), rocprof 2, Omniperf and the counters of rocprofv3 ``Kernel_Name``,
``Start_Timestamp`` and ``End_Timestamp``. Other columns differ by version. Tables with one row per launch and
counter repeat the times of the launch.
"""

import re
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ingest.arrays import IntArray
from ingest.errors import InputError
from ingest.profile import CPU, Profile
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
    whole,
)
from ingest.reading.csv_files import csv_cells, csv_header, read_csv
from ingest.reading.files import entries, head_lines
from ingest.reading.stacks import UNKNOWN
from ingest.region_class import GPU_COPY, GPU_KERNEL

if TYPE_CHECKING:
    import pandas as pd

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


def _others(path: Path) -> Sequence[Path]:
    """Return the other traces of the process that a trace is of."""
    return [file for file in _traces(path) if file != path]


def _process_of(path: Path) -> Hashable:
    """Return what is equal for the traces of one process."""
    found = _FILE.fullmatch(path.name)
    return (_folder(path), found["run"]) if found else path


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
    names = [name.strip() for name in csv_cells(first)]
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


READERS = (
    ProfileReader(
        name="rocprofv3",
        pattern="*_kernel_trace.csv",
        matches=is_trace,
        read=read_traces,
        files=_traces,
        beside=_others,
        content=_process_of,
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
)
