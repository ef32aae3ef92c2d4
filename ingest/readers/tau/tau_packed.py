"""TAU's packed profiles (``.ppk``): a gzip stream of big-endian records, as written by Java's DataOutput.

Order: ``PPK`` as three 16-bit characters, version, lowest compatible version; metadata (version 2); metrics,
groups, functions with their groups, user events; then per thread its function and user event values.
"""

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.errors import InputError
from ingest.profile import Profile
from ingest.readers import ProfileReader
from ingest.readers.tau.tau_text import DEVICE, MAX_ATTRIBUTES, MAX_VALUES, TauData, tau_profile
from ingest.reading.files import read_bytes
from ingest.reading.packed import plain_name

MAGIC = b"\0P\0P\0K"
NEWEST_VERSION = 2

_USER_EVENT_BYTES = 40  # id, number of samples, four doubles


def matches(path: Path) -> bool:
    """Return whether a file is called ``.ppk``."""
    return plain_name(path).suffix.lower() == ".ppk" and path.is_file()


def read(path: Path) -> Profile:
    """Read a packed profile; times come in seconds."""
    record = _Record(str(path), read_bytes(path, READER.max_bytes))
    if record.take(len(MAGIC)) != MAGIC:
        raise record.error("not a packed profile of TAU")
    version, compatible = record.integer(), record.integer()
    if compatible > NEWEST_VERSION:
        raise record.error(f"unknown version {version} of the format")
    attributes, devices = _metadata(record, version)
    metrics = [record.text() for _ in range(record.count(2))]
    groups = [record.text() for _ in range(record.count(2))]
    functions = [(record.text(), _groups(record, groups)) for _ in range(record.count(6))]
    for _ in range(record.count(2)):
        record.text()  # a user event
    locations, calls, exclusive = _threads(record, len(functions), len(metrics))
    return tau_profile(
        TauData(
            source=str(path),
            functions=[name for name, _ in functions],
            groups=[group for _, group in functions],
            metrics=metrics,
            locations=locations,
            calls=calls,
            exclusive=exclusive,
            attributes=attributes,
            devices=[devices.get(tuple(thread), "") for thread in locations.tolist()],
        )
    )


@dataclass
class _Record:
    """Bytes with a position, read like Java's DataInput does."""

    source: str
    data: bytes
    position: int = 0

    def error(self, what: str) -> InputError:
        return InputError(what, where=self.source)

    def take(self, size: int) -> bytes:
        end = self.position + size
        if size < 0 or end > len(self.data):
            raise self.error("the file ends too early: it is truncated or damaged")
        taken = self.data[self.position : end]
        self.position = end
        return taken

    def integer(self) -> int:
        return int(struct.unpack(">i", self.take(4))[0])

    def count(self, size: int) -> int:
        """Return the number of records, of at least `size` bytes each, that follow."""
        number = self.integer()
        if number < 0 or number * size > len(self.data) - self.position:
            raise self.error("the file ends too early: it is truncated or damaged")
        return number

    def text(self) -> str:
        length = struct.unpack(">H", self.take(2))[0]
        return self.take(length).decode("utf-8", "replace")


def _metadata(record: _Record, version: int) -> tuple[dict[str, str], dict[tuple[int, ...], str]]:
    """Read past the header; return the metadata of the run, and the accelerators of streams by thread."""
    if version < 2:
        record.take(record.integer())
        return {}, {}
    record.integer()  # the size of what follows, for older readers
    record.take(record.integer())
    pairs = [(record.text(), record.text()) for _ in range(record.count(4))]
    devices = {}
    for _ in range(record.count(16)):
        thread = struct.unpack(">3i", record.take(12))
        of_thread = {record.text(): record.text() for _ in range(record.count(4))}
        if DEVICE in of_thread:
            devices[thread] = of_thread[DEVICE]
    return dict(pairs[:MAX_ATTRIBUTES]), devices


def _groups(record: _Record, names: list[str]) -> str:
    numbers = [record.integer() for _ in range(record.count(4))]
    if any(not 0 <= number < len(names) for number in numbers):
        raise record.error("a function has an undefined group")
    return "|".join(names[number] for number in numbers)


def _threads(record: _Record, functions: int, metrics: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return int64[L, 3] of node, context and thread, calls float64[F, L], exclusive float64[M, F, L]."""
    layout = np.dtype(
        [("function", ">i4"), ("calls", ">f8"), ("subroutines", ">f8"), ("values", ">f8", (metrics, 2))]
    )
    number = record.count(20)
    if not number or not functions:
        raise record.error("it contains no thread or no function")
    if (metrics + 1) * functions * number > MAX_VALUES:
        raise record.error(f"too large for memory: {functions} functions on {number} threads")
    locations = np.zeros((number, 3), dtype=np.int64)
    calls = np.zeros((functions, number))
    exclusive = np.zeros((metrics, functions, number))
    for i in range(number):
        locations[i] = struct.unpack(">3i", record.take(12))
        rows = np.frombuffer(record.take(record.count(layout.itemsize) * layout.itemsize), dtype=layout)
        function = rows["function"].astype(np.int64)
        if len(function) and not 0 <= function.min() <= function.max() < functions:
            raise record.error("a thread has an undefined function")
        calls[function, i] = rows["calls"]
        exclusive[:, function, i] = rows["values"][:, :, 0].T
        record.take(record.count(_USER_EVENT_BYTES) * _USER_EVENT_BYTES)
    return locations, calls, exclusive


READER = ProfileReader(name="TAU packed", pattern="*.ppk", matches=matches, read=read, max_bytes=1 << 30)
