"""rocprofv3's traces: CSV files of kernels, copies, calls and markers, named after the process they are of.

``77_kernel_trace.csv``, ``77_memory_copy_trace.csv``, ``77_hip_api_trace.csv``, ``77_hsa_api_trace.csv`` and
``77_marker_api_trace.csv`` are those of process 77. Agents are numbered over the node; a copy has two, one of
which is a device. Times are nanoseconds since the node was started. Processes whose traces lie in one folder
and overlap in time are one run; how long it took is not stated.
"""

import re
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ingest.arrays import IntArray
from ingest.errors import InputError
from ingest.formats import ProfileReader
from ingest.profile import CPU, Profile
from ingest.readers.gpu.timeline import NO_DURATION, Activities, Timeline, span, timeline_profile
from ingest.readers.gpu.trace_events import understood, whole
from ingest.reading.csv_files import csv_header, read_csv
from ingest.reading.stacks import UNKNOWN
from ingest.region_class import GPU_COPY, GPU_KERNEL

if TYPE_CHECKING:
    import pandas as pd

BEGIN, END = "Start_Timestamp", "End_Timestamp"

_NAMES = {  # kind of trace -> column of the name, paradigm
    "kernel": ("Kernel_Name", GPU_KERNEL),
    "memory_copy": ("Direction", GPU_COPY),
    "hip_api": ("Function", "hip"),
    "hsa_api": ("Function", "hip"),
    "marker_api": ("Function", ""),
}
_FILE = re.compile(rf"(?P<run>.*?)_?(?P<kind>{'|'.join(_NAMES)})_trace\.csv", re.DOTALL)
_NUMBERS = (BEGIN, END, "Process_Id", "Thread_Id", "Stream_Id")
_DIGITS = re.compile(r"\d{1,9}")
_TO_HOST = "DEVICE_TO_HOST"


def matches(path: Path) -> bool:
    """Return whether a file is called like such a trace and has its columns, or a folder has such files."""
    if path.is_dir():
        return bool(files(path))
    found = _FILE.fullmatch(path.name)
    return found is not None and {_NAMES[found["kind"]][0], BEGIN, END} <= set(csv_header(path))


def files(path: Path) -> Sequence[Path]:
    """Return the traces of a run: those in a folder, or those of the process that a file is of."""
    try:
        found = [(entry, _FILE.fullmatch(entry.name)) for entry in sorted(_folder(path).iterdir())]
    except OSError:
        return []
    named = [(entry, match["run"]) for entry, match in found if match and matches(entry)]
    if path.is_dir():
        runs = {run for _, run in named}
        return [entry for entry, _ in named] if len(runs) == 1 or all(map(str.isdecimal, runs)) else []
    own = _FILE.fullmatch(path.name)
    return [entry for entry, run in named if own and run == own["run"]]


def beside(path: Path) -> Sequence[Path]:
    """Return the other traces of the process that a trace is of."""
    return [file for file in files(path) if file != path]


def content(path: Path) -> Hashable:
    """Return what is equal for the traces of one process."""
    found = _FILE.fullmatch(path.name)
    return (_folder(path), found["run"]) if found else path


def read(path: Path) -> Profile:
    """Read the traces of a process, or of all processes whose traces lie in a folder.

    Raises:
        InputError: if one cannot be read, is damaged, or they are of several runs.
    """
    timeline = Timeline()
    by_run: dict[str, list[Activities]] = {}
    for file in files(path):
        found = _FILE.fullmatch(file.name)
        if found:
            process = int(found["run"]) if _DIGITS.fullmatch(found["run"]) else 0
            with understood(file):
                part = _read(file, found["kind"], process, timeline)
            by_run.setdefault(found["run"], []).append(part)
    spans = [_span(parts) for parts in by_run.values() if any(map(len, parts))]
    if not spans:
        raise InputError("no traces of rocprofv3 in it", where=str(path))
    if max(begin for begin, _ in spans) > min(end for _, end in spans):
        what = "the traces in it do not overlap in time: they are of several runs"
        raise InputError(what, where=str(path), hint="put those of each run into a folder of its own")
    timeline.parts = [part for parts in by_run.values() for part in parts]
    timeline.duration = span(timeline.parts)
    return timeline_profile(str(path), "rocprofv3", timeline, notices=[NO_DURATION])


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def _span(parts: Sequence[Activities]) -> tuple[int, int]:
    lasting = [part for part in parts if len(part)]
    return min(int(part.start.min()) for part in lasting), max(int(part.end.max()) for part in lasting)


def _read(path: Path, kind: str, process: int, timeline: Timeline) -> Activities:
    """Read one trace; what runs on devices is of the process in the name of the file."""
    name, paradigm = _NAMES[kind]
    table = read_csv(path, numbers=_NUMBERS).table
    if kind == "marker_api":  # ranges that were started and stopped have no thread, and need not nest
        table = table[whole(table["Thread_Id"].tolist()) != 0]
    on_device = paradigm in (GPU_KERNEL, GPU_COPY)
    return Activities(
        process=np.full(len(table), process) if on_device else _whole(table, "Process_Id"),
        thread=_whole(table, "Stream_Id" if on_device else "Thread_Id"),
        device=_devices(table, kind) if on_device else np.full(len(table), CPU),
        region=_numbered(table[name], lambda text: timeline.regions.number(text or UNKNOWN, paradigm)),
        start=_whole(table, BEGIN),
        end=_whole(table, END),
        bytes=np.zeros(len(table), dtype=np.int64),
    )


def _whole(table: "pd.DataFrame", column: str) -> IntArray:
    """Return a column of whole numbers, zero if it is not there."""
    return whole(table[column].tolist()) if column in table else np.zeros(len(table), dtype=np.int64)


def _devices(table: "pd.DataFrame", kind: str) -> IntArray:
    """Return the numbers of agents, which may be named like ``Agent 7``; of copies, that of the device."""
    if kind == "kernel":
        return _numbered(table["Agent_Id"], agent_number)
    to_host = _numbered(table["Direction"], lambda text: text.endswith(_TO_HOST))
    source, target = (_numbered(table[f"{end}_Agent_Id"], agent_number) for end in ("Source", "Destination"))
    return np.where(to_host > 0, source, target)


def agent_number(text: str) -> int:
    """Return the number in the name of an agent, such as ``Agent 7``, or 0."""
    found = _DIGITS.search(text)
    return int(found[0]) if found else 0


def _numbered(column: "pd.Series[str]", number: Callable[[str], int]) -> IntArray:
    """Return a number for each text of a column of few different ones, empty for cells without text."""
    texts = [*map(str, column.cat.categories), ""]
    return np.array([number(text) for text in texts], dtype=np.int64)[column.cat.codes.to_numpy()]


READER = ProfileReader(
    name="rocprofv3",
    pattern="*_kernel_trace.csv",
    matches=matches,
    read=read,
    files=files,
    beside=beside,
    content=content,
    fallback=1,
)
