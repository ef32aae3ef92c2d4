"""Kernels that a machine slows down together: all communication, all computing, each kind of call to files.

A network, a clock or a file system that is slower tonight has one factor for all kernels of its group at all
scales; a program that scales worse has not.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.cpp_names import short_name
from ingest.region_class import Activity, region_class
from pipeline.gate.estimates import Estimates
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.repetition_noise import shared_factor

COMMUNICATION, COMPUTATION = Activity.COMMUNICATION.value, Activity.COMPUTATION.value
_FILE_CALL = re.compile(
    r"(?:p?mpi_file_i?|_?_?io_|__)?[fp]?(?P<kind>open|creat|read|write|close|data_?sync|sync|flush|l?seek|l?f?stat|unlink)"
    r"(?:v|at|64|_all|_at|_shared|_ordered|_begin|_end|_unlocked)*"
)
_COMMUNICATES = re.compile(r"nccl|rccl|p?n?v?shmem|start_pes|gaspi_|gasnet|ucp_|mpix_")


@lru_cache(maxsize=1 << 16)
def group_of(region: str) -> str:
    """Return what the kernels of a region share a machine's factor with, in words."""
    call = short_name(region).lower()
    if found := _FILE_CALL.fullmatch(call):
        return f"file access ({found['kind']})"
    return COMMUNICATION if _COMMUNICATES.match(call) else region_class("", region).activity.value


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupFactors:
    """The factors, beyond what all kernels share, of G groups of which more than two thirds agree."""

    names: tuple[str, ...]
    factor: Estimates  # of each group, over all points, float64[G, 1]
    shift: (
        FloatArray  # float64[K, P], logarithm of it for every kernel, 0 for others; of the total by its parts
    )
    variance: FloatArray  # float64[K]


def group_factors(
    mean: Estimates, kernels: Sequence[KernelId], independent: BoolArray, share: FloatArray
) -> GroupFactors:
    """Find the factors of groups of kernels; one function has none, since its own change is no group's.

    `mean` are K log ratios beyond what all share, over all points, T = 1; those that are not sums of others
    are `independent`, bool[K]. `share` of the total before is float64[K, P]; no `kernels` share nothing.
    """
    shift, variance, found = np.zeros(len(share)), np.zeros(len(share)), []
    names = np.array([kernel.region for kernel in kernels])
    of_group = np.array(
        ["" if kernel.level is Scope.TOTAL else group_of(kernel.region) for kernel in kernels]
    )
    if not kernels:
        independent = of_group = np.zeros(len(share), dtype=bool)
    for group in dict.fromkeys(of_group[independent].tolist()):
        rows = independent & (of_group == group)
        if len(set(names[rows])) < 2 or rows.sum() == independent.sum():
            continue
        shared = shared_factor(mean.log_ratio[rows], mean.error[rows] ** 2)
        if shared.log_factor[0] > 0:
            shift[of_group == group], variance[of_group == group] = shared.log_factor[0], shared.variance[0]
            degrees = float(np.nanmean(mean.degrees[rows]))
            found.append((group, float(shared.log_factor[0]), float(np.sqrt(shared.variance[0])), degrees))
    at_points = np.repeat(shift[:, None], share.shape[1], axis=1)
    whole = of_group == ""
    at_points[whole] = np.log1p((share * np.expm1(at_points))[independent].sum(axis=0))
    factor = Estimates(*np.array([one[1:] for one in found], dtype=np.float64).reshape(-1, 3).T[:, :, None])
    return GroupFactors(
        names=tuple(one[0] for one in found), factor=factor, shift=at_points, variance=variance
    )
