"""Kernels chosen by patterns."""

from fnmatch import fnmatchcase

import numpy as np

from ingest.arrays import IntArray
from ingest.names import short_name
from pipeline.models.kernels import Kernels


def matches(callpath: tuple[str, ...], pattern: str) -> bool:
    """Tell whether a pattern names a call path.

    It is matched, with ``*``, ``?`` and ``[..]``, against the region's name and against the names from the
    root down joined by ``/``, both in full and without return types and parameters: ``MPI_Allreduce``,
    ``*/MPI_Allreduce``, ``main/CG/*``.
    """
    short = [short_name(name) for name in callpath]
    spellings = {callpath[-1], short[-1], "/".join(callpath), "/".join(short)}
    return pattern in spellings or any(fnmatchcase(text, pattern) for text in spellings)


def matching(kernels: Kernels, pattern: str) -> IntArray:
    """Return the kernels that a pattern names, int64, in their order."""
    hits = [k for k, callpath in enumerate(kernels.callpaths) if matches(callpath, pattern)]
    return np.array(hits, dtype=np.int64)
