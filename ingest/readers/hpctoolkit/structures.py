"""The binary structures of ``meta.db`` and ``profile.db``, after HPCToolkit's FORMATS.md, version 4.0.

A file begins with its kind and version, followed by the sizes and offsets of its sections. Pointers are
offsets in the file; all numbers are little-endian.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from struct import Struct
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ingest.reading.stacks import PARADIGM
from ingest.region_class import GPU_COPY, GPU_KERNEL

PROGRAM_ROOT = "<program root>"
UNKNOWN = "<unknown function>"

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
VERSION = 4
HEADER = Struct("<10s4sBB")
EXTENT = Struct("<QQ")  # size and offset of a section

Table: TypeAlias = npt.NDArray[np.void]


@dataclass(frozen=True, eq=False)
class FilePart:
    """A part of a file, addressed by offsets in the file.

    Attributes:
        start: offset of its first byte.
    """

    start: int
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

        Args:
            stride: size of one as the file states it, 0 for that of the known fields.
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
    """Return size and offset of the sections of a file.

    Args:
        kind: ``meta`` or ``prof``.
    """
    size = HEADER.size + number * EXTENT.size
    if len(head) < size or not head.startswith(MAGIC + kind):
        raise ValueError("not the file of HPCToolkit that its name says, or truncated")
    *_, major, minor = HEADER.unpack_from(head)
    if major != VERSION:
        raise ValueError(f"version {major}.{minor} of the format; only version {VERSION} is known")
    return [(length, at) for length, at in EXTENT.iter_unpack(head[HEADER.size : size])]
