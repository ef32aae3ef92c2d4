"""Tiny TAU profiles, written as TAU and ParaProf write them."""

import gzip
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

Row = tuple[str, float, float, float, str]  # name, calls, exclusive, inclusive, group

CPI: tuple[Row, ...] = (
    (".TAU application", 1, 400, 1500, "TAU_DEFAULT"),
    ("MPI_Init()  ", 1, 1000, 1000, "MPI"),
    (".TAU application => MPI_Init()  ", 1, 1000, 1000, "TAU_CALLPATH|MPI"),
    ("int work(int) C [{a.c} {30,1}-{40,2}]", 5, 100, 100, "TAU_USER"),
    (".TAU application => int work(int) C [{a.c} {30,1}-{40,2}]", 5, 100, 100, "TAU_CALLPATH|TAU_USER"),
)

NOTHING: Mapping[str, str] = MappingProxyType({})


def write_text(
    folder: Path,
    thread: str,
    rows: Sequence[Row],
    metric: str = "TIME",
    metadata: Mapping[str, str] = NOTHING,
) -> Path:
    """Write profile.<thread>, where `thread` is such as 0.0.0."""
    more = "".join(
        f"<attribute><name>{name}</name><value>{value}</value></attribute>"
        for name, value in metadata.items()
    )
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        f"{len(rows)} templated_functions_MULTI_{metric}",
        "# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>CPU Type</name>"
        f"<value>A &amp; B</value></attribute>{more}</metadata>",
    ]
    lines += [
        f'"{name}" {calls:g} 0 {own:g} {all_:g} 0 GROUP="{group}" ' for name, calls, own, all_, group in rows
    ]
    lines += [
        "0 aggregates",
        "1 userevents",
        "# eventname numevents max min mean sumsqr",
        '"Size" 1 4 4 4 16',
    ]
    file = folder / f"profile.{thread}"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def text(value: str) -> bytes:
    encoded = value.encode()
    return struct.pack(">H", len(encoded)) + encoded


def counted(items: Sequence[bytes]) -> bytes:
    return struct.pack(">i", len(items)) + b"".join(items)


def packed(
    functions: Sequence[tuple[str, Sequence[int]]],
    threads: Mapping[tuple[int, int, int], Mapping[int, tuple[float, ...]]],
    metrics: Sequence[str] = ("Time",),
    groups: Sequence[str] = ("MPI", "TAU_USER"),
    compatible: int = 1,
) -> bytes:
    """Return the records of a packed profile; a thread's rows are calls and exclusive values."""
    header = counted([text("CPU Type") + text("A")]) + counted([struct.pack(">3i", 0, 0, 0) + counted([])])
    data = (
        b"\0P\0P\0K"
        + struct.pack(">2i", 2, compatible)
        + struct.pack(">2i", len(header), 3)
        + b"xyz"
        + header
    )
    data += counted([text(metric) for metric in metrics]) + counted([text(group) for group in groups])
    data += counted([text(name) + counted([struct.pack(">i", g) for g in own]) for name, own in functions])
    data += counted([text("Size")])
    blocks = []
    for location, rows in threads.items():
        values = [
            struct.pack(">i2d", function, calls, 0)
            + b"".join(struct.pack(">2d", own, own) for own in exclusive)
            for function, (calls, *exclusive) in rows.items()
        ]
        event = struct.pack(">2i4d", 0, 1, 4, 4, 4, 16)
        blocks.append(struct.pack(">3i", *location) + counted(values) + counted([event]))
    return data + counted(blocks)


def write_packed(file: Path, data: bytes) -> Path:
    file.write_bytes(gzip.compress(data))
    return file


FUNCTIONS = [
    ("main [{m.c} {1,1}-{9,1}]", [1]),
    ("MPI_Send()", [0]),
    ("main [{m.c} {1,1}-{9,1}] => MPI_Send()", [0, 1]),
]


THREADS = {
    (0, 0, 0): {0: (1, 1e6), 1: (4, 2e6), 2: (4, 2e6)},
    (1, 0, 0): {0: (1, 3e6), 1: (4, 5e6), 2: (4, 5e6)},
}

WHOLE = packed(FUNCTIONS, THREADS)
