"""TAU's profiles, text and packed: from functions to a call tree.

There is a file ``profile.<node>.<context>.<thread>`` per thread of execution; with several metrics a folder
``MULTI__<metric>`` of such files for each. A file begins with the number of functions, then has one row for
each: ``"name" calls subroutines exclusive inclusive 0 GROUP="..."``.

TAU's packed profiles (``.ppk``): a gzip stream of big-endian records, as written by Java's DataOutput.

Order: ``PPK`` as three 16-bit characters, version, lowest compatible version; metadata (version 2); metrics,
groups, functions with their groups, user events; then per thread its function and user event values.
"""

import html
import math
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import CallTreeBuilder
from ingest.errors import InputError
from ingest.profile import CPU, LocationTable, Metric, Profile, RegionTable, ValuesInMemory, require_summable
from ingest.readers import ProfileReader
from ingest.reading.files import COPY_ALL, entries, is_folder, missing_numbers, read_bytes, read_text
from ingest.reading.packed import plain_name
from ingest.reading.stacks import VISITS_METRIC
from ingest.region_class import GPU_COPY
from ingest.units import MICROSECOND

_MAGIC = b"\0P\0P\0K"
NEWEST_VERSION = 2

_USER_EVENT_BYTES = 40  # id, number of samples, four doubles


def _read_packed(path: Path) -> Profile:
    """Read a packed profile; times come in seconds."""
    record = _Record(str(path), read_bytes(path, PACKED.max_bytes))
    if record.take(len(_MAGIC)) != _MAGIC:
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
    return _tau_profile(
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
        if _DEVICE in of_thread:
            devices[thread] = of_thread[_DEVICE]
    return dict(pairs[:_MAX_ATTRIBUTES]), devices


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
    if (metrics + 1) * functions * number > _MAX_VALUES:
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


PACKED = ProfileReader(
    name="TAU packed",
    pattern="*.ppk",
    matches=lambda path: plain_name(path).suffix.lower() == ".ppk" and path.is_file(),
    read=_read_packed,
    max_bytes=1 << 30,
)


_MAX_VALUES = 1 << 27
_MAX_ATTRIBUTES = 256
_SINGLE_METRIC = "TIME"  # the metric of a file that names none
_ARROW = " => "
_ROUNDING = 1e-6  # relative: flat times and those of call paths are printed, and differ in their last digits

_FILE = re.compile(r"profile\.([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})")
_FOLDER = re.compile(r"MULTI__(.+)")
_HEADER = re.compile(r"\s*([0-9]{1,9})\s+templated_functions(?:_MULTI_(\S+))?\s*$")
_DEVICE = "CUDA Device"  # metadata of the threads that TAU makes for streams of accelerators
_WHOLE = ".TAU application"  # what takes the time of a stream in which nothing runs there
_COPY = re.compile(r"Memory copy (?:Host|Device|\()")
_GROUP = re.compile(r'GROUP="([^"]*)"')
_ATTRIBUTE = re.compile(r"<attribute><name>([^<]*+)</name><value>([^<]*+)</value></attribute>")

# Values of these stand next to those of instrumented functions and would be counted twice.
_SAMPLED = re.compile(r"\[(?:CONTEXT|SAMPLE|INTERMEDIATE|SUMMARY|UNWIND)\]")
_SOURCE = re.compile(r"\[\{(?P<file>[^{}]*+)\}\s*+(?:\{(?P<line>\d{1,9})[^{}]*+\}[^\[\]]*+)?\]")
_THROTTLED = re.compile(r"\[THROTTLED\]")
_PARADIGMS = (
    ("MPI", "mpi"),
    ("OPENMP", "openmp"),
    ("OMPT", "openmp"),
    ("PTHREAD", "pthread"),
    ("CUDA", "cuda"),
    ("CUPTI", "cuda"),
    ("ROCM", "hip"),
    ("OPENCL", "opencl"),
)

Row: TypeAlias = tuple[str, float, float, str]  # name, calls, exclusive, group
Content: TypeAlias = tuple[str, list[Row], dict[str, str]]  # metric, rows, metadata


def matches(path: Path) -> bool:
    """Return whether a directory contains such files, or folders of them."""
    try:
        return is_folder(path) and any(
            _FILE.fullmatch(entry.name) or (_FOLDER.fullmatch(entry.name) and entry.is_dir())
            for entry in entries(path)
        )
    except OSError:
        return False


def files(path: Path) -> list[Path]:
    """Return the files of all threads and metrics."""
    return [file for folder in _folders(path) for file in _files(folder).values()]


def _read(path: Path) -> Profile:
    folders = _folders(path)
    threads_of = [_files(folder) for folder in folders]
    for folder, found in zip(folders, threads_of, strict=True):
        if list(found) != list(threads_of[0]) or not found:
            raise InputError("its threads are not those of the other metrics", where=str(folder))
    content = [[_read_file(file) for file in found.values()] for found in threads_of]
    names = dict.fromkeys(row[0] for threads in content for _, rows, _ in threads for row in rows)
    functions = {name: i for i, name in enumerate(names)}
    shape = (len(folders), len(functions), len(threads_of[0]))
    if int(np.prod(shape)) > _MAX_VALUES:
        raise InputError(f"too large for memory: {shape[1]} functions on {shape[2]} threads", where=str(path))
    calls, exclusive = np.zeros(shape[1:]), np.zeros(shape)
    groups = [""] * len(functions)
    for metric, threads in enumerate(content):
        for location, (_, rows, _) in enumerate(threads):
            at = [functions[row[0]] for row in rows]
            calls[at, location] = [row[1] for row in rows]
            exclusive[metric, at, location] = [row[2] for row in rows]
            for i, row in zip(at, rows, strict=True):
                groups[i] = groups[i] or row[3]
    return _tau_profile(
        TauData(
            source=str(path),
            functions=list(functions),
            groups=groups,
            metrics=[threads[0][0] for threads in content],
            locations=np.array(list(threads_of[0]), dtype=np.int64),
            calls=calls,
            exclusive=exclusive,
            attributes=content[0][0][2],
            devices=[named.get(_DEVICE, "") for _, _, named in content[0]],
        )
    )


def _folders(path: Path) -> list[Path]:
    """Return the folders of the metrics; the directory itself if there is one metric."""
    folders = (entry for entry in path.iterdir() if _FOLDER.fullmatch(entry.name) and entry.is_dir())
    return sorted(folders) or [path]


def _files(folder: Path) -> dict[tuple[int, int, int], Path]:
    found = {}
    for entry in folder.iterdir():
        if match := _FILE.fullmatch(entry.name):
            found[int(match[1]), int(match[2]), int(match[3])] = entry
    return dict(sorted(found.items()))


def _read_file(file: Path) -> Content:
    lines = read_text(file, _TEXT.max_bytes).split("\n")
    header = _HEADER.match(lines[0])
    if header is None:
        raise InputError("line 1: not the header of a TAU profile", where=str(file))
    number = int(header[1])
    start = 2 if len(lines) > 1 and lines[1].startswith("#") else 1
    rows = [_row(line, at, file) for at, line in enumerate(islice(lines, start, start + number), start + 1)]
    if len(rows) < number:
        raise InputError(f"contains {len(rows)} of its {number} functions: it is truncated", where=str(file))
    attributes = islice(_ATTRIBUTE.finditer(lines[1] if start == 2 else ""), _MAX_ATTRIBUTES)
    named = {html.unescape(match[1]): html.unescape(match[2]) for match in attributes}
    return header[2] or named.get("Metric Name", _SINGLE_METRIC), rows, named


def _row(line: str, at: int, file: Path) -> Row:
    """Split a row from its end, since names may contain quotes: the group, the numbers, the name."""
    head, mark, tail = line.rstrip().rpartition("GROUP=")
    group = _GROUP.fullmatch(mark + tail)
    rest = head.rstrip() if group else line.rstrip()
    name, _, numbers = rest.rpartition('"')
    try:
        calls, _, exclusive, *_ = map(float, numbers.split())
    except ValueError:
        pass
    else:
        if name.startswith('"') and math.isfinite(calls) and math.isfinite(exclusive):
            return name[1:], calls, exclusive, group[1] if group else ""
    raise InputError(f"line {at}: not a row of a TAU profile: is it truncated?", where=str(file))


@dataclass(frozen=True, eq=False, kw_only=True)
class TauData:
    """A TAU profile as its files have it: F functions, L locations, M metrics.

    A function is a flat one, summed over its callers, or a call path joined by `` => ``.
    """

    source: str
    functions: Sequence[str]  # F names, with source locations in brackets
    groups: Sequence[str]  # F group names, joined by ``|`` or blanks
    metrics: Sequence[str]
    locations: IntArray  # int64[L, 3], node, context and thread
    calls: FloatArray  # float64[F, L]
    exclusive: FloatArray  # float64[M, F, L], times in microseconds
    attributes: Mapping[str, str]  # the metadata of the first location
    # of L locations, the accelerator of its node that one is a stream of; empty for threads
    devices: Sequence[str]


@dataclass(frozen=True)
class _Region:
    name: str
    file: str
    line: int


def _tau_profile(data: TauData) -> Profile:
    """Build the profile.

    TAU writes every function with its flat values, and also the call paths that end in that function and
    make up its values. If TAU cut call paths to their last regions (TAU_CALLPATH_DEPTH), their first regions
    become roots. What a function's call paths do not account for is its value as a root.
    """
    _require_all(data)
    for name, measured in zip(("the calls", *data.metrics), (data.calls, *data.exclusive), strict=True):
        require_summable(measured, name, data.source)
    own = [i for i, name in enumerate(data.functions) if not _SAMPLED.search(name)]
    paths = [[_region(part) for part in data.functions[i].split(_ARROW)] for i in own]
    values = np.concatenate([data.calls[None, own], data.exclusive[:, own]])
    values, kept = _without_callpaths(values, [[region.name for region in path] for path in paths])
    if not len(kept):
        raise InputError("it contains no instrumented function", where=data.source)
    callpaths = CallTreeBuilder()
    nodes = np.array([callpaths.add([region.name for region in paths[i]]) for i in kept.tolist()])
    place, tree, names = callpaths.build()
    stored = np.zeros((len(tree), len(values), len(data.locations)))
    np.add.at(stored, place[nodes], values[:, kept].swapaxes(0, 1))
    locations = _locations(data.locations, data.devices)
    idle = np.array([names[region] == _WHOLE for region in tree.region.tolist()], dtype=np.bool_)
    stored[np.ix_(idle, np.ones(len(values), dtype=np.bool_), locations.accelerator)] = 0.0
    metrics = _metrics(data.metrics)
    if len({VISITS_METRIC.name, *(metric.name for metric in metrics)}) <= len(metrics):
        raise InputError("two metrics have the same name", where=data.source)
    scale = [1.0, *(MICROSECOND if metric.unit == "s" else 1.0 for metric in metrics)]
    return Profile(
        source=data.source,
        tree=tree,
        regions=_table(names, paths, [data.groups[i] for i in own]),
        locations=locations,
        metrics=(*metrics, VISITS_METRIC),
        load=ValuesInMemory(
            tree, {m.name: stored[:, i] * scale[i] for i, m in enumerate((VISITS_METRIC, *metrics))}
        ),
        attributes={"generator": "TAU", **data.attributes},
        notices=_notices(data, len(own), paths),
    )


def _require_all(data: TauData) -> None:
    """Refuse a profile that lacks the file of a process, which TAU calls a node, or of one of its threads."""
    missing = missing_numbers({*data.locations[:, 0].tolist()}, first=0)
    places, of = np.unique(data.locations[:, :2], axis=0, return_inverse=True)
    last = np.zeros(len(places), dtype=np.int64)
    np.maximum.at(last, of.reshape(-1), data.locations[:, 2])
    if not missing and (short := np.flatnonzero(np.bincount(of.reshape(-1)) <= last)).size:
        threads = data.locations[of.reshape(-1) == short[0], 2].tolist()
        missing = missing_numbers(threads, f"of process {places[short[0]][0]}, thread", first=0)
    if missing:
        raise InputError(missing, where=data.source, hint=COPY_ALL)


def _without_callpaths(values: FloatArray, paths: list[list[str]]) -> tuple[FloatArray, IntArray]:
    """Subtract the values of call paths from the flat values of the function they end in.

    Returned are float64[..., F, L], and the indices of the functions that are left: flat ones whose call
    paths account for all of them are not.
    """
    flat = {path[0]: i for i, path in enumerate(paths) if len(path) == 1}
    ends = [(i, flat[path[-1]]) for i, path in enumerate(paths) if len(path) > 1 and path[-1] in flat]
    kept = np.ones(len(paths), dtype=np.bool_)
    if not ends:
        return values, np.flatnonzero(kept)
    left = values.copy()
    sources, targets = np.array(ends).T
    np.subtract.at(left.swapaxes(0, 1), targets, values.swapaxes(0, 1)[sources])
    left[left <= _ROUNDING * values] = 0.0
    kept[targets] = left[:, targets].any(axis=(0, 2))
    return left, np.flatnonzero(kept)


def _region(text: str) -> _Region:
    """Split the text of a function into name, source file and line: ``f [{a.c} {3,1}-{9,1}]``."""
    name = _THROTTLED.sub("", text)
    source = _SOURCE.search(name)
    name = _SOURCE.sub("", name).strip() or text.strip() or "<unnamed>"
    if source is None:
        return _Region(name, "", -1)
    return _Region(name, source["file"], int(source["line"] or -1))


def _table(names: Sequence[str], paths: list[list[_Region]], groups: Sequence[str]) -> RegionTable:
    """Collect the regions: a flat function has its own groups, a call path also those of its callers."""
    known: dict[str, tuple[_Region, str]] = {}
    for path, group in sorted(zip(paths, groups, strict=True), key=lambda row: len(row[0])):
        known.setdefault(path[-1].name, (path[-1], group))
    for region in (region for path in paths for region in path):
        known.setdefault(region.name, (region, ""))
    paradigms, places = [], []
    for region, group in (known[name] for name in names):
        of_group = next((paradigm for mark, paradigm in _PARADIGMS if mark in group.upper()), "compiler")
        paradigms.append(GPU_COPY if _COPY.match(region.name) else of_group)
        places.append((region.file, region.line))
    return RegionTable.named(names, paradigms, places)


def _metrics(names: Sequence[str]) -> tuple[Metric, ...]:
    """Name the first time ``time``; counters keep their names."""
    times = [name for name in names if "TIME" in name.upper()]
    return tuple(
        Metric("time" if name == times[0] else name, "s") if name in times else Metric(name, "occ")
        for name in names
    )


def _locations(locations: IntArray, devices: Sequence[str]) -> LocationTable:
    """Return the table of locations; accelerators are numbered by node and device."""
    _, process = np.unique(locations[:, :2], axis=0, return_inverse=True)
    known: dict[tuple[int, str], int] = {}
    device = [
        known.setdefault((node, name), len(known)) if name else CPU
        for node, name in zip(locations[:, 0].tolist(), devices, strict=True)
    ]
    return LocationTable(process.reshape(-1), locations[:, 2], np.array(device, dtype=np.int64))


def _notices(data: TauData, kept: int, paths: list[list[_Region]]) -> tuple[str, ...]:
    notices = []
    if kept < len(data.functions):
        notices.append(f"{len(data.functions) - kept} sampled functions are not read")
    if any(_THROTTLED.search(name) for name in data.functions):
        notices.append("TAU throttled some functions: their later calls are counted with their callers")
    first = {path[0].name for path in paths if len(path) > 1}
    if first & {path[-1].name for path in paths if len(path) > 1}:
        notices.append(
            "call paths seem to be cut to their last regions (TAU_CALLPATH_DEPTH): inclusive values are those"
            " of the parts"
        )
    return tuple(notices)


_TEXT = ProfileReader(
    name="TAU",
    pattern="profile.<node>.<context>.<thread>",
    matches=matches,
    read=_read,
    files=files,
    max_bytes=256 << 20,
)

READERS = (_TEXT, PACKED)
