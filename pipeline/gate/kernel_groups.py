"""Kernels that a machine slows down together: all communication, all computing, each kind of call to files.

A network, a clock or a file system that is slower tonight has one factor for all kernels of its group at all
scales; a program that scales worse has not. A location that computes more slowly makes the others wait: what
it explains of their waiting is no kernel's fault either.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.cpp_names import short_name
from ingest.region_class import Activity, region_class
from pipeline.gate.check_result import KernelResult, Ruling
from pipeline.gate.estimates import Estimates
from pipeline.gate.kernel_values import KernelId, Matched, Scope
from pipeline.gate.repetition_noise import robust_log_means, shared_factor
from pipeline.wording.quantities import figure

COMMUNICATION, COMPUTATION = Activity.COMMUNICATION.value, Activity.COMPUTATION.value
_FILE_CALL = re.compile(
    r"(?:p?mpi_file_i?|_?_?io_|__)?[fp]?(?P<kind>open|creat|read|write|close|data_?sync|sync|flush|l?seek|l?f?stat|unlink)"
    r"(?:v|at|64|_all|_at|_shared|_ordered|_begin|_end|_unlocked)*"
)
_COMMUNICATES = re.compile(r"nccl|rccl|p?n?v?shmem|start_pes|gaspi_|gasnet|ucp_|mpix_")
_LEAST_SHARE = 0.01  # of the total, from which a kernel says whether all are slow there
_LEAST_SLOWER = 0.02  # by which the slowest location falls behind more than before
_MOST_AGREE = 2 / 3  # of the computing kernels, more must be slow there
_BEYOND_CHANCE = 4.0  # standard errors
_EXPLAINED = 1.5  # times what a slow location explains may have been added to communication
_UNEXPLAINED = 0.02  # of the total, that may be more besides


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

    Args:
        mean: K log ratios beyond what all kernels share, over all points, T = 1.
        kernels: K of them, or none, which share nothing.
        independent: bool[K], the kernels that are not sums of others.
        share: float64[K, P], of the total before.
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


@dataclass(frozen=True, kw_only=True)
class SlowLocation:
    """A location that computes more slowly than the others in all kernels, and did not before."""

    behind: float  # by how much more than in the baseline it is behind the mean, the median over points
    waiting: float  # what communication takes beside the baseline

    @property
    def text(self) -> str:
        """Say it."""
        return f"one location {figure(100 * self.behind, 2)} % slower than the mean"


def slow_location(matched: Matched) -> SlowLocation | None:
    """Find a location that makes the others wait, if it explains what communication takes more; else None.

    All computing kernels are slow there: what one kernel does unevenly is the program.
    """
    before, now = matched.baseline, matched.candidate
    if before.load_balance is None or now.load_balance is None or now.uneven is None:
        return None
    balance = before.typical_balance[matched.base_at], now.typical_balance[matched.candidate_at]
    behind = balance[0] / balance[1] - 1
    group = np.array([group_of(kernel.region) for kernel in now.kernels])
    computing, waits = (matched.is_callpath & (group == one) for one in (COMPUTATION, COMMUNICATION))
    large = computing & (now.share[:, matched.candidate_at] >= _LEAST_SHARE).any(axis=1)
    ahead = now.uneven[large][:, matched.candidate_at] - 1 >= (1 / balance[1] - 1) / 2
    (runs,) = robust_log_means(now.load_balance[None])
    count = np.maximum(runs.count[0, matched.candidate_at], 1.0)
    error = np.sqrt(2 * runs.squares.sum() / max(runs.degrees.sum(), 1.0) / count)
    certain = behind > np.maximum(_LEAST_SLOWER, _BEYOND_CHANCE * error)
    slow = certain & (ahead.sum(axis=0) > _MOST_AGREE * large.sum()) & (runs.degrees.sum() > 0)
    if not (slow.any() and waits.any()):
        return None
    means = before.mean[:, matched.base_at], now.mean[:, matched.candidate_at]
    work = [one[computing].sum(axis=0) for one in means]
    explained = np.maximum(work[1] / balance[1] - work[0] / balance[0], 0.0)
    waiting = [one[waits].sum(axis=0) for one in means]
    most = _EXPLAINED * np.where(slow, explained, 0.0) + _UNEXPLAINED * means[0][0]
    if (waiting[1] - waiting[0] > most).any():
        return None
    return SlowLocation(
        behind=float(np.median(behind[slow])), waiting=float(waiting[1].sum() / waiting[0].sum())
    )


def excused_by(slow: SlowLocation, results: Sequence[KernelResult]) -> tuple[list[KernelResult], bool]:
    """Return results in which communication and the total did not regress for waiting, and if any had."""
    excused = [
        one.verdict is Ruling.REGRESSION
        and (one.kernel.level is Scope.TOTAL or group_of(one.kernel.region) == COMMUNICATION)
        for one in results
    ]
    unchanged = [
        replace(one, verdict=Ruling.UNCHANGED, evidence=()) if waits else one
        for one, waits in zip(results, excused, strict=True)
    ]
    return unchanged, any(excused)
