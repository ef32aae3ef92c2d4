"""``profile.db``: the values of threads, those of one thread at a time.

Profiles list the contexts that have values, and for each its values by metric. Contexts that ``meta.db`` does
not list are instructions; the inclusive values of the contexts above have them.

The profile of a thread has what it spends on its core, and also the time of the operations that it starts on
accelerators. Profiles of streams exist if accelerators were traced; their identifiers name the devices that a
process uses, while their values are those of the threads.

The binary structures of ``meta.db`` and ``profile.db``, after HPCToolkit's FORMATS.md, version 4.0.

A file begins with its kind and version, followed by the sizes and offsets of its sections. Pointers are
offsets in the file; all numbers are little-endian.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from struct import Struct
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ingest.arrays import BoolArray, FloatArray, IntArray, places_in_groups
from ingest.profile import CPU, LocationTable
from ingest.reading.packed import open_regular
from ingest.reading.stacks import PARADIGM
from ingest.region_class import GPU_COPY, GPU_KERNEL

PROGRAM_ROOT = "<program root>"
UNKNOWN_FUNCTION = "<unknown function>"

HOST_TIMES = ("REALTIME", "WALLCLOCK", "CPUTIME")
"""Events that measure the time of threads; the first that a database has is its time."""

DEVICE_TIMES = frozenset(("GKER", "GXCOPY", "GICOPY", "GMSET"))
"""Time of accelerators: kernels, explicit and implicit copies, fills; ``GKER:COUNT`` is a detail of one."""

PLACEHOLDERS: Mapping[str, str] = {
    "<gpu kernel>": GPU_KERNEL,
    "<omp tgt kernel>": GPU_KERNEL,
    "<gpu copy>": GPU_COPY,
    "<gpu copyin>": GPU_COPY,
    "<gpu copyout>": GPU_COPY,
    "<gpu memset>": GPU_COPY,
    "<omp tgt copyin>": GPU_COPY,
    "<omp tgt copyout>": GPU_COPY,
}
"""Paradigms of all that stands at and below a function of these names."""

_METRIC = re.compile(r"(\S[^(]*?)(?: \((\w+)\))?", re.DOTALL)
_MPI = re.compile(r"(P?MPI_\w+)(?: \[.*\])?", re.DOTALL)
_INTERFACES = (
    ("cuda", re.compile(r"cuda[A-Z]\w*"), ("libcuda.so", "libcudart.so")),
    ("hip", re.compile(r"hip[A-Z]\w*"), ("libamdhip64.so",)),
    ("opencl", re.compile(r"cl(?:Enqueue|Create|Wait|Build|Get)\w*"), ("libOpenCL.so",)),
)


def split_unit(text: str) -> tuple[str, str]:
    """Return the name of a metric and its unit, which may be empty."""
    match = _METRIC.fullmatch(text)
    return (match[1], match[2] or "") if match else (text, "")


def is_of_device(name: str) -> bool:
    """Return whether a metric, without its unit, is of what accelerators do."""
    return name.partition(":")[0] in DEVICE_TIMES


def without_library(name: str) -> str:
    """Return the name of a function; of MPI's without the library, which says nothing of the call."""
    match = _MPI.fullmatch(name)
    return match[1] if match else name


def paradigm_of(name: str, module: str = "") -> str:
    """Return the paradigm of a function by its name and the file name of its load module."""
    if _MPI.fullmatch(name):
        return "mpi"
    if name.startswith("<omp "):
        return "openmp"
    for paradigm, calls, modules in _INTERFACES:
        if module.startswith(modules) or calls.fullmatch(name):
            return paradigm
    return PARADIGM


MAGIC = b"HPCTOOLKIT"
_VERSION = 4
_HEADER = Struct("<10s4sBB")
_EXTENT = Struct("<QQ")  # size and offset of a section

Table: TypeAlias = npt.NDArray[np.void]


@dataclass(frozen=True, eq=False)
class FilePart:
    """A part of a file, addressed by offsets in the file."""

    start: int  # offset of its first byte
    content: bytes = field(repr=False)

    def holds(self, at: int, size: int) -> bool:
        """Return whether `size` bytes at an offset lie within it."""
        return self.start <= at and at + size <= self.start + len(self.content)

    def unpack(self, layout: Struct, at: int) -> tuple[Any, ...]:
        """Return the fields of a structure."""
        if not self.holds(at, layout.size):
            raise ValueError(f"a structure at {at}, outside of its section")
        return layout.unpack_from(self.content, at - self.start)

    def table(self, fields: npt.DTypeLike, at: int, count: int, stride: int = 0) -> Table:
        """Return an array of structures, of which newer versions may have more than the known fields.

        The file states `stride`, the size of one; 0 stands for that of the known fields.
        """
        known = np.dtype(fields)
        stride = stride or known.itemsize
        if stride < known.itemsize:
            raise ValueError(f"structures of {stride} bytes, less than {known.itemsize}")
        if not self.holds(at, stride * count):
            raise ValueError(f"{count} structures at {at}, outside of their section")
        names = known.names or ()
        places = [known.fields[name][1] for name in names] if known.fields else []
        layout = np.dtype(
            {
                "names": list(names),
                "formats": [known[name] for name in names],
                "offsets": places,
                "itemsize": stride,
            }
        )
        return np.frombuffer(self.content, layout, count, at - self.start) if count else np.zeros(0, layout)

    def text(self, at: int, longest: int) -> str:
        """Return the text at an offset, which a zero byte ends."""
        first = at - self.start
        end = self.content.find(b"\0", first, first + longest + 1) if self.holds(at, 1) else -1
        if end < 0:
            raise ValueError(f"no text at {at}")
        return self.content[first:end].decode("utf-8", "replace")


def sections(head: bytes, kind: bytes, number: int) -> list[tuple[int, int]]:
    """Return size and offset of the sections of a ``meta`` or ``prof`` file."""
    size = _HEADER.size + number * _EXTENT.size
    if len(head) < size or not head.startswith(MAGIC + kind):
        raise ValueError("not the file of HPCToolkit that its name says, or truncated")
    *_, major, minor = _HEADER.unpack_from(head)
    if major != _VERSION:
        raise ValueError(f"version {major}.{minor} of the format; only version {_VERSION} is known")
    return [(length, at) for length, at in _EXTENT.iter_unpack(head[_HEADER.size : size])]


_MAX_PROFILES = 1 << 24
_MAX_IDENTIFIERS = 64  # of one profile

_PROFILES = Struct("<QIB")
_TUPLE = Struct("<H6x")
_PROFILE = np.dtype(
    [
        ("values", "<u8"),
        ("first_value", "<u8"),
        ("contexts", "<u4"),
        ("first_context", "<u8"),
        ("identifiers", "<u8"),
        ("flags", "<u4"),
    ],
    align=True,
)
_IDENTIFIER = np.dtype(
    [("kind", "u1"), ("flags", "<u2"), ("logical", "<u4"), ("physical", "<u8")], align=True
)
_VALUE = np.dtype([("metric", "<u2"), ("value", "<f8")])
_CONTEXT = np.dtype([("identifier", "<u4"), ("first", "<u8")])

Identity = Mapping[str, int]


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredProfile:
    """Where the values of a thread or an accelerator are."""

    # what it belongs to: number by kind (``_NODE``, ``_RANK``, ``THREAD``, ``GPUDEVICE`` ...)
    identity: Identity
    physical: frozenset[str]  # the kinds whose numbers are those of hardware
    summary: bool  # whether it has sums over profiles
    values: int
    first_value: int
    contexts: int
    first_context: int

    @property
    def size(self) -> int:
        """Bytes of its values and contexts."""
        return self.values * _VALUE.itemsize + self.contexts * _CONTEXT.itemsize


@dataclass(frozen=True, eq=False)
class ProfileFile:
    """An open file; methods raise ValueError if it is damaged."""

    stream: BufferedReader
    size: int
    # size and offset of the descriptions of profiles, and of their identifiers
    sections: Sequence[tuple[int, int]]

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator["ProfileFile"]:
        """Open a file."""
        with open_regular(path) as stream:
            head = stream.read(_HEADER.size + 2 * _EXTENT.size)
            yield cls(stream, os.fstat(stream.fileno()).st_size, sections(head, b"prof", 2))

    def profiles(self, kinds: Sequence[str]) -> list[StoredProfile]:
        """Return the profiles of the file."""
        (size, at), (tuples_size, tuples_at) = self.sections
        part, tuples = self._part(at, size), self._part(tuples_at, tuples_size)
        first, number, stride = part.unpack(_PROFILES, at)
        if number > _MAX_PROFILES:
            raise ValueError(f"{number} profiles")
        found = []
        for row in part.table(_PROFILE, first, number, stride).tolist():
            values, first_value, contexts, first_context, identifiers, flags = row
            identity, physical = _identity(tuples, identifiers, kinds)
            found.append(
                StoredProfile(
                    identity=identity,
                    physical=physical,
                    summary=bool(flags & 1),
                    values=values,
                    first_value=first_value,
                    contexts=contexts,
                    first_context=first_context,
                )
            )
        if sum(profile.size for profile in found) > self.size:
            raise ValueError("more values than the file has: truncated")
        return found

    def values(self, profile: StoredProfile, metrics: IntArray) -> Iterator[tuple[int, IntArray, FloatArray]]:
        """Yield number, contexts, int64[k], ascending, and values, float64[k], of some metrics of a profile.

        `metrics` has for each identifier of a metric its number, -1 if it is not wanted, int64[65536].
        """
        part = self._part(profile.first_value, _VALUE.itemsize * profile.values)
        stored = part.table(_VALUE, profile.first_value, profile.values)
        part = self._part(profile.first_context, _CONTEXT.itemsize * profile.contexts)
        contexts = part.table(_CONTEXT, profile.first_context, profile.contexts)
        identifier = contexts["identifier"].astype(np.int64)
        first = np.append(contexts["first"], np.uint64(profile.values))
        if (first[1:] < first[:-1]).any() or (np.diff(identifier) <= 0).any():
            raise ValueError("the contexts of a profile are not in order")
        metric = metrics[stored["metric"][int(first[0]) :]]
        context = np.repeat(identifier, np.diff(first).astype(np.int64))
        value = stored["value"][int(first[0]) :]
        for number in np.unique(metric[metric >= 0]).tolist():
            chosen = metric == number
            of = context[chosen]
            if (np.diff(of) == 0).any():
                raise ValueError("two values of one metric and context")
            yield number, of, value[chosen]

    def _part(self, at: int, size: int) -> FilePart:
        if at + size > self.size:
            raise ValueError(f"{size} bytes at {at}, behind the end: truncated")
        self.stream.seek(at)
        return FilePart(at, self.stream.read(size))


def _identity(tuples: FilePart, at: int, kinds: Sequence[str]) -> tuple[Identity, frozenset[str]]:
    """Return what a profile belongs to, and the kinds whose numbers are those of hardware."""
    if not at:
        return {}, frozenset()
    (number,) = tuples.unpack(_TUPLE, at)
    if number > _MAX_IDENTIFIERS:
        raise ValueError(f"{number} identifiers of one profile")
    rows = tuples.table(_IDENTIFIER, at + _TUPLE.size, number).tolist()
    names = [kinds[kind] if kind < len(kinds) else f"kind {kind}" for kind, *_ in rows]
    identity = {
        name: physical if flags & 1 else logical
        for name, (_, flags, logical, physical) in zip(names, rows, strict=True)
    }
    return identity, frozenset(name for name, (_, flags, *_) in zip(names, rows, strict=True) if flags & 1)


_NODE, _RANK, THREAD, _DEVICE, STREAM = "NODE", "RANK", "THREAD", "GPUDEVICE", "GPUSTREAM"
ONE_DEVICE_EACH = "which accelerators were used is not stated: one for each process is assumed"
ONE_OF_MANY = "which accelerator of a process worked is not stated: the time of all is that of one"

_ACCELERATOR = frozenset((_DEVICE, STREAM, "GPUCONTEXT"))
_THREAD, _STREAM, _STARTED = range(3)

Device: TypeAlias = tuple[str | int, ...]  # what makes a device different from others


@dataclass(frozen=True, eq=False)
class Placement:
    """The locations of profiles."""

    # process by process: threads, streams, accelerators whose streams have no values
    locations: LocationTable
    own: IntArray  # int64[profile], the location of each profile, -1 if it needs none
    # int64[profile], the location of the accelerator time of each profile, -1 if it has none
    started: IntArray
    notices: tuple[str, ...]  # what is assumed


class _Row(NamedTuple):
    process: int
    kind: int
    number: int
    profile: int


def place(profiles: Sequence[StoredProfile], used: BoolArray, starting: BoolArray) -> Placement:
    """Find the locations of profiles, given bool[profile] which have values and which time of accelerators.

    Streams without values get no location.
    """
    processes = _processes(profiles)
    streams = [bool(_ACCELERATOR & profile.identity.keys()) for profile in profiles]
    known: dict[int, set[Device]] = {}
    for i in (i for i, stream in enumerate(streams) if stream and _DEVICE in profiles[i].identity):
        known.setdefault(processes[i], set()).add(_device(profiles[i], processes[i]))
    device: dict[_Row, Device] = {}
    for i, (profile, process) in enumerate(zip(profiles, processes, strict=True)):
        if not streams[i]:
            device[_Row(process, _THREAD, profile.identity.get(THREAD, 0), i)] = ()
        elif used[i]:
            device[_Row(process, _STREAM, profile.identity.get(STREAM, 0), i)] = _device(profile, process)
    starters = [i for i in np.flatnonzero(starting).tolist() if not streams[i]]
    for process in {processes[i] for i in starters}:
        of = known.get(process, set())
        device[_Row(process, _STARTED, 0, -1)] = next(iter(of)) if len(of) == 1 else ("process", process)
    rows = sorted(device)
    number = {row: i for i, row in enumerate(rows)}
    own = np.full(len(profiles), -1)
    own[[row.profile for row in rows if row.profile >= 0]] = [number[row] for row in rows if row.profile >= 0]
    started = np.where(starting, own, -1)
    started[starters] = [number[_Row(processes[i], _STARTED, 0, -1)] for i in starters]
    counts = {len(known.get(processes[i], ())) for i in starters}
    notices = (ONE_DEVICE_EACH,) * (0 in counts) + (ONE_OF_MANY,) * bool(counts - {0, 1})
    return Placement(_table(rows, device), own, started, notices)


def _processes(profiles: Sequence[StoredProfile]) -> list[int]:
    """Return the number of the process of each profile: by rank, or by node if there are no ranks."""
    keys = [
        (profile.identity.get(_RANK, -1), 0 if _RANK in profile.identity else profile.identity.get(_NODE, 0))
        for profile in profiles
    ]
    number = {key: i for i, key in enumerate(sorted(set(keys)))}
    return [number[key] for key in keys]


def _device(profile: StoredProfile, process: int) -> Device:
    """Return the device of a stream; unless they are those of hardware, numbers hold within a process."""
    if _DEVICE in profile.physical:
        return "hardware", profile.identity.get(_NODE, 0), profile.identity[_DEVICE]
    return "process", process, profile.identity.get(_DEVICE, 0)


def _table(rows: Sequence[_Row], device: Mapping[_Row, Device]) -> LocationTable:
    process = np.array([row.process for row in rows], dtype=np.int64)
    numbers: dict[Device, int] = {}
    of = [numbers.setdefault(device[row], len(numbers)) if device[row] else CPU for row in rows]
    return LocationTable(process, places_in_groups(process), np.array(of, dtype=np.int64))
