"""Small outputs of profilers of accelerators, written as they write them."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

PID = 77
OTHER_THREAD = 78
GLOBAL_PID = (1 << 48) | PID << 24
BEGIN = 1_700_000_000_000_000_000  # of a capture, nanoseconds since 1970
TEXTS = ("void f<int>(int*)", "g", "cudaLaunchKernel", "cudaMemcpy", "step", "MPI_Wait", "cublasDgemm")

Rows = Mapping[str, tuple[str, Sequence[tuple[object, ...]]]]  # table -> columns, rows


def tid(thread: int = PID, process: int = PID) -> int:
    """A globalTid."""
    return (1 << 48) | process << 24 | thread


def text(value: str) -> int:
    """The number of a text."""
    return TEXTS.index(value) + 1


def nsys_tables(*, ranges: bool = True, duration: int | None = 10_000) -> dict[str, tuple[str, list]]:
    """Tables of a capture of 10 microseconds on two streams of device 0, by two threads.

    Kernels take 3000 + 2000 and 500 ns, copies 1000 and a fill 100; 5100 ns have something running.
    """
    f, g = text(TEXTS[0]), text("g")
    kernels = [
        (1000, 4000, 0, 7, GLOBAL_PID, f),
        (2000, 4000, 0, 8, GLOBAL_PID, f),
        (8000, 8500, 0, 8, GLOBAL_PID, g),
    ]
    launch, copy = text("cudaLaunchKernel"), text("cudaMemcpy")
    calls = [
        (900, 1100, tid(), launch),
        (1500, 1600, tid(OTHER_THREAD), launch),
        (4500, 6000, tid(), copy),
        (7900, 8000, tid(), launch),
    ]
    tables = {
        "StringIds": ("id INTEGER, value TEXT", list(enumerate(TEXTS, start=1))),
        "CUPTI_ACTIVITY_KIND_KERNEL": (
            "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, globalPid INTEGER,"
            " demangledName INTEGER",
            kernels,
        ),
        "CUPTI_ACTIVITY_KIND_MEMCPY": (
            "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, globalPid INTEGER,"
            " bytes INTEGER, copyKind INTEGER",
            [(4600, 5600, 0, 7, GLOBAL_PID, 4096, 1)],
        ),
        "CUPTI_ACTIVITY_KIND_MEMSET": (
            "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, globalPid INTEGER,"
            " bytes INTEGER",
            [(5550, 5650, 0, 8, GLOBAL_PID, 64)],
        ),
        "CUPTI_ACTIVITY_KIND_RUNTIME": (
            "start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER",
            calls,
        ),
        "META_DATA_CAPTURE": (
            "name TEXT, value TEXT",
            [("PROCESS_0:COMMAND", "./heat"), ("PROCESS_0:ARGUMENT_0", "8"), ("PROCESS_0:ARGUMENT_1", "5")],
        ),
        "META_DATA_EXPORT": ("name TEXT, value TEXT", [("EXPORT_PRODUCT_VERSION", "2023.3.1")]),
        "TARGET_INFO_GPU": (
            "id INTEGER, name TEXT, uuid TEXT",
            [(0, "Tesla T4", "a-b"), (1, "Tesla T4", "c")],
        ),
        "TARGET_INFO_SYSTEM_ENV": ("name TEXT, value TEXT", [("Hostname", "node1")]),
        "TARGET_INFO_SESSION_START_TIME": ("utcEpochNs INTEGER", [(BEGIN,)]),
    }
    if duration is not None:
        tables["ANALYSIS_DETAILS"] = ("duration INTEGER", [(duration,)])
    if ranges:
        tables["NVTX_EVENTS"] = (
            "start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER",
            [
                (500, 7000, 59, None, text("step"), tid()),
                (4400, 6500, 59, "inner", None, tid()),
                (600, None, 59, None, text("step"), tid()),
                (0, 9000, 60, "free", None, tid()),
            ],
        )
    return tables


def nsys(file: Path, tables: Rows | None = None) -> Path:
    """Write an export of Nsight Systems."""
    return database(file, nsys_tables() if tables is None else tables)


def database(file: Path, tables: Rows) -> Path:
    """Write an SQLite database."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as connection:
        for name, (columns, rows) in tables.items():
            connection.execute(f"CREATE TABLE {name} ({columns})")
            marks = ",".join("?" * (columns.count(",") + 1))
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
        connection.commit()
    return file


def by_path(profile, metric: str = "time") -> dict[tuple[str, ...], list[float]]:
    """The values of all call paths by location, without those that are zero everywhere."""
    paths = profile.tree.paths(profile.regions.name)
    values = profile.values(metric).tolist()
    return {path: row for path, row in zip(paths, values, strict=True) if any(row)}


def nanoseconds(values: Mapping[tuple[str, ...], Iterable[float]]) -> dict[tuple[str, ...], list[int]]:
    """Seconds as whole nanoseconds."""
    return {path: [round(1e9 * value) for value in row] for path, row in values.items()}


def event(
    name: str, ts: float, dur: float, *, cat: str = "cpu_op", pid: object = 5, tid: object = 5, **args: object
) -> dict[str, object]:
    """A trace event of phase X."""
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def kineto_events() -> list[dict[str, object]]:
    """A trace of 100 microseconds by PyTorch's profiler: two steps, two streams of device 0."""
    flow = {"ph": "s", "id": 1, "pid": 5, "tid": 5, "ts": 12.0, "cat": "ac2g", "name": "ac2g"}
    return [
        {"ph": "M", "name": "process_name", "pid": 5, "tid": 0, "ts": 0, "args": {"name": "python"}},
        event("ProfilerStep#2", 10, 30, cat="user_annotation"),
        event("aten::mm", 11.5, 10.25),
        event("cudaLaunchKernel", 12, 3, cat="cuda_runtime"),
        event("ProfilerStep#3", 40, 50, cat="user_annotation"),
        event("aten::mm", 41, 20),
        event("hipMemcpy", 42, 18, cat="cuda_runtime"),
        event("MmBackward0", 45, 5, tid=6),
        event("gemm<float>", 20, 10.5, cat="kernel", pid=0, tid=7, device=0, stream=7),
        event("gemm<float>", 25, 10, cat="kernel", pid=0, tid=20, device=0, stream=20),
        event("Memcpy DtoH (Device -> Pinned)", 50, 4, cat="gpu_memcpy", pid=0, tid=7, bytes=4096),
        event("Memset (Device)", 60, 1, cat="gpu_memset", pid=0, tid=7, bytes=64),
        event("ProfilerStep#2", 20, 20, cat="gpu_user_annotation", pid=0, tid=7),
        event("PyTorch Profiler (0)", 5, 100, cat="Trace", pid="Spans", tid="PyTorch Profiler"),
        flow,
    ]


def kineto(events: list[dict[str, object]] | None = None, **top: object) -> str:
    """A trace as PyTorch's profiler writes it."""
    properties = [{"id": 0, "name": "NVIDIA H200"}, {"id": 1, "name": "NVIDIA H200"}]
    content = {"schemaVersion": 1, "deviceProperties": properties, "host_name": "node1", **top}
    return json.dumps({**content, "traceEvents": kineto_events() if events is None else events}, indent=1)


def kineto_rank(rank: int, world: int = 2) -> str:
    """A trace of one rank."""
    return kineto(distributedInfo={"backend": "nccl", "rank": rank, "world_size": world})


def chrome(closed: bool = True) -> str:
    """A list of events of another program, with begins and ends."""
    both = [("B", "main", 0), ("B", "solve", 10), ("E", "solve", 30), ("E", None, 50), ("B", "open", 60)]
    events = [{"ph": ph, "name": name, "pid": 1, "tid": "io", "ts": ts} for ph, name, ts in both]
    events += [event("main", 0, 5, cat="app", pid=1, tid=2), {"ph": "C", "name": "memory", "ts": 1}]
    text = json.dumps(events)
    return text if closed else text[:-1] + ","


TRACES: Mapping[str, str] = {
    "kineto": kineto(),
    "no span": kineto([e for e in kineto_events() if e.get("cat") != "Trace"]),
    "list": chrome(),
    "not closed": chrome(closed=False),
}
