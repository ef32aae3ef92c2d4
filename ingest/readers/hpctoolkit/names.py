"""What the names of HPCToolkit's metrics and functions mean.

Metrics are called after their event, with the unit in brackets: ``CPUTIME (sec)``, ``GXCOPY:H2D (B)``. Time
on accelerators is a metric of the thread that started the operation, below a placeholder such as
``<gpu kernel>`` (HPCToolkit's manual, Measurement and Analysis of GPU-accelerated Applications). ``GSYNC`` is
the time that a thread waits for an accelerator and ``GMEM`` that of allocations: no accelerator works
meanwhile. ``GPUOP`` is the sum of all of them.
"""

import re
from collections.abc import Mapping

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
