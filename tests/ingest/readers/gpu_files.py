"""Small outputs of profilers of accelerators, written as they write them."""

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
