"""Tables of rocprof with one row per launch of a kernel: ``results.csv`` and their like.

rocprof 1 writes ``KernelName``, ``BeginNs`` and ``EndNs`` if launches are timed (``--timestamp on``,
``--stats``), rocprof 2, Omniperf and the counters of rocprofv3 ``Kernel_Name``, ``Start_Timestamp`` and
``End_Timestamp``. Other columns differ by version. Tables with one row per launch and counter repeat the
times of the launch.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ingest.arrays import IntArray
from ingest.formats import ProfileReader
from ingest.profile import Profile
from ingest.readers.gpu.rocprofv3 import agent_number
from ingest.readers.gpu.timeline import NO_DURATION, Activities, Timeline, span, timeline_profile
from ingest.readers.gpu.trace_events import understood, whole
from ingest.reading.csv_files import csv_cells, read_csv
from ingest.reading.stacks import UNKNOWN
from ingest.reading.textfile import head_lines
from ingest.region_class import GPU_KERNEL

if TYPE_CHECKING:
    import pandas as pd

HEAD_BYTES = 1 << 16
ONLY_KERNELS = "only kernels are in it: copies and calls are in other files of rocprof"

_KERNEL = ("KernelName", "Kernel_Name")
_BEGIN, _END = ("BeginNs", "Start_Timestamp"), ("EndNs", "End_Timestamp")
_PROCESS = ("pid", "PID", "Process_Id")
_DEVICE = ("gpu-id", "GPU_ID", "Agent_Id")
_QUEUE = ("queue-id", "Queue_ID", "Queue_Id")
_LAUNCH, _COUNTER = ("Dispatch_Id", "Dispatch_ID"), "Counter_Name"


def matches(path: Path) -> bool:
    """Return whether the first line of a file names the kernel, the start and the end of launches."""
    first = next(iter(head_lines(path, HEAD_BYTES)), "")
    names = [name.strip() for name in csv_cells(first)]
    return all(_first(names, known) for known in (_KERNEL, _BEGIN, _END))


def read(path: Path) -> Profile:
    """Read the launches of a table.

    Raises:
        InputError: if it cannot be read, is damaged, or has no launch.
    """
    timeline = Timeline()
    with understood(path):
        timeline.parts = [_activities(_launches(read_csv(path, numbers=_numbers()).table), timeline)]
    timeline.duration = span(timeline.parts)
    return timeline_profile(str(path), "rocprof", timeline, notices=[NO_DURATION, ONLY_KERNELS])


def _numbers() -> list[str]:
    return [name for names in (_BEGIN, _END, _PROCESS, _QUEUE, _LAUNCH) for name in names]


def _launches(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return one row for each launch: those of other counters repeat it."""
    launch = [name for name in (_first(table, _PROCESS), _first(table, _LAUNCH)) if name]
    return table.drop_duplicates(launch) if _COUNTER in table and _first(table, _LAUNCH) else table


def _activities(table: "pd.DataFrame", timeline: Timeline) -> Activities:
    kernels = table[_first(table, _KERNEL)].astype(str).tolist()
    known = {name: timeline.regions.number(name or UNKNOWN, GPU_KERNEL) for name in dict.fromkeys(kernels)}
    return Activities(
        process=_whole(table, _PROCESS),
        thread=_whole(table, _QUEUE),
        device=_devices(table),
        region=np.array([known[name] for name in kernels], dtype=np.int64),
        start=_whole(table, _BEGIN),
        end=_whole(table, _END),
        bytes=np.zeros(len(table), dtype=np.int64),
    )


def _devices(table: "pd.DataFrame") -> IntArray:
    """Return the numbers of accelerators, some named like ``Agent 7``; zero if they are not stated."""
    name = _first(table, _DEVICE)
    texts = table[name].astype(str).tolist() if name else [""] * len(table)
    known = {text: agent_number(text) for text in dict.fromkeys(texts)}
    return np.array([known[text] for text in texts], dtype=np.int64)


def _whole(table: "pd.DataFrame", known: Sequence[str]) -> IntArray:
    """Return a column of whole numbers, zero if none of the known ones is there."""
    name = _first(table, known)
    return whole(table[name].tolist()) if name else np.zeros(len(table), dtype=np.int64)


def _first(names: "Sequence[str] | pd.DataFrame", known: Sequence[str]) -> str:
    """Return the first known name of a column that is there, or nothing."""
    return next((name for name in known if name in names), "")


READER = ProfileReader(
    name="rocprof launches", pattern="results.csv", matches=matches, read=read, fallback=2, precedence=1
)
