"""Waiting for a location that computes more slowly than the others: what it explains is no kernel's fault.

Values of locations show it. Sums over them do not, but communication takes more in a way that no single
function of a program does: then a check cannot tell.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import chdtrc

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.cpp_names import short_name
from pipeline.gate.check_result import KernelResult, Ruling
from pipeline.gate.estimates import Estimates
from pipeline.gate.kernel_groups import COMMUNICATION, COMPUTATION, group_of
from pipeline.gate.kernel_values import Matched, Scope
from pipeline.gate.repetition_noise import robust_log_means
from pipeline.gate.rules import mean_over_points, trend
from pipeline.wording.quantities import figure

_LEAST_SHARE = 0.01  # of the total, from which a kernel says whether all are slow there
_LEAST_SLOWER = 0.02  # by which the slowest location falls behind more than before
_MOST_AGREE = 2 / 3  # of the computing kernels, more must be slow there
_BEYOND_CHANCE = 4.0  # standard errors
_WITHIN_CHANCE = 2.5
_DISAGREE = 0.01  # probability of functions with one factor to differ so much
_EXPLAINED = 1.5  # times what a slow location explains may have been added to communication
_UNEXPLAINED = 0.02  # of the total, that may be more besides
_FEWEST_POINTS = 3  # that tell what is alike at all scales from what grows
_GOES_ON = re.compile(r"p?mpi_(?:i\w+|\w+_init|start(?:all)?|r?(?:put|get|accumulate)\w*)")  # without waiting


@dataclass(frozen=True, kw_only=True)
class SlowLocation:
    """A location that computes more slowly than the others in all kernels, and did not before."""

    behind: float  # by how much more than in the baseline it is behind the mean, the median over points
    waiting: float  # what communication takes beside the baseline
    seen: bool  # whether values of locations show it; else it would explain what sums show

    @property
    def text(self) -> str:
        """Say it."""
        is_slower = "one location" if self.seen else "as if one location were"
        return f"{is_slower} {figure(100 * self.behind, 2)} % slower than the mean"


def slow_location(matched: Matched, rows: IntArray, measured: Estimates) -> SlowLocation | None:
    """Find a location that makes the others wait, if it explains what communication takes more; else None.

    `measured` are the log ratios of the kernels in some rows, at P points. Without values of locations they
    have to tell.
    """
    before, now = matched.baseline, matched.candidate
    if before.load_balance is None or now.load_balance is None or now.uneven is None:
        return _as_if_slow(matched, rows, measured)
    balance = before.typical_balance[matched.base_at], now.typical_balance[matched.candidate_at]
    behind = balance[0] / balance[1] - 1
    if not np.isfinite(behind).any():
        return _as_if_slow(matched, rows, measured)
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
    after = means[0][rows] * np.exp(measured.log_ratio)  # in which disturbed runs count for little
    means[1][rows] = np.where(measured.known, after, means[1][rows])
    work = [one[computing].sum(axis=0) for one in means]
    explained = np.maximum(work[1] / balance[1] - work[0] / balance[0], 0.0)
    waiting = [one[waits].sum(axis=0) for one in means]
    most = _EXPLAINED * np.where(slow, explained, 0.0) + _UNEXPLAINED * means[0][0]
    if (waiting[1] - waiting[0] > most).any():
        return None
    factor = float(waiting[1].sum() / waiting[0].sum())
    return SlowLocation(behind=float(np.median(behind[slow])), waiting=factor, seen=True)


def _as_if_slow(matched: Matched, rows: IntArray, measured: Estimates) -> SlowLocation | None:
    """Find out from sums whether communication takes more as it does if a location is slow; else None.

    The others wait by the same part of the computation at all scales, in several functions, and the slow one
    adds a p-th of that part to the computation.
    """
    at, study = matched.points, matched.candidate
    count = np.nan_to_num(study.locations(at) if study.locations else np.full(len(at), np.inf), nan=np.inf)
    several = count > 1
    count, at_several = count[several], matched.base_at[several]
    measured = Estimates(*(one[:, several] for one in (measured.log_ratio, measured.error, measured.degrees)))
    kernels = [study.kernels[row] for row in rows.tolist()]
    usable = matched.is_callpath[rows] & measured.known.all(axis=1)
    group = np.array([group_of(kernel.region) for kernel in kernels])
    waits_in = np.array([one.region if _waits(one.region) else "" for one in kernels])
    functions = [usable & (waits_in == name) for name in sorted(set(waits_in[usable]) - {""})]
    computing = usable & (group == COMPUTATION)
    if len(count) < _FEWEST_POINTS or len(functions) < 2 or not computing.any():
        return None
    of_all = np.array([computing, np.logical_or.reduce(functions), *functions])
    amount, change = _sums(of_all, matched.baseline.mean[rows][:, at_several], measured)
    beyond = replace(change, log_ratio=change.log_ratio - change.log_ratio[0])
    ratio, part = np.exp(beyond.log_ratio[1]), amount[1] / amount[0] / (1 - 1 / count)
    behind, error = part * (ratio - 1), part * ratio * np.hypot(change.error[0], change.error[1])
    typical = float(np.median(behind))
    within = _WITHIN_CHANCE * error
    alike = (behind - within <= _EXPLAINED * typical) & (behind + within >= typical / _EXPLAINED)
    if typical < _LEAST_SLOWER or not alike.all():
        return None
    of_functions = mean_over_points(beyond.take(np.arange(2, len(of_all))), np.full(len(functions), np.inf))
    adds = np.log1p(typical / count)
    if _of_one_function(of_functions) or not _may_grow(change.take(np.array([0])), adds):
        return None
    factor = float((amount[1] * np.exp(change.log_ratio[1])).sum() / amount[1].sum())
    return SlowLocation(behind=typical, waiting=factor, seen=False)


def _waits(region: str) -> bool:
    return group_of(region) == COMMUNICATION and not _GOES_ON.fullmatch(short_name(region).lower())


def _sums(of: BoolArray, before: FloatArray, measured: Estimates) -> tuple[FloatArray, Estimates]:
    """Add up kernels by G groups bool[G, K]: what they took before, float64[G, P], and their log ratios."""
    after = np.nan_to_num(before * np.exp(measured.log_ratio))
    whole, now = of @ before, of @ after
    variance = of @ np.nan_to_num(after * measured.error) ** 2 / now**2
    degrees = of @ np.nan_to_num(measured.degrees) / of.sum(axis=1, keepdims=True)
    return whole, Estimates(np.log(now / whole), np.sqrt(variance), degrees)


def _may_grow(change: Estimates, by: FloatArray) -> bool:
    """Whether a sum may have grown by so much, float64[P], beyond what is alike at all points."""
    rise, misfit = trend(change, np.array([np.inf]), by)
    error = rise.error * np.sqrt(misfit)[:, None]
    return not np.ptp(by) or bool(rise.log_ratio[0, 0] + _WITHIN_CHANCE * error[0, 0] >= np.ptp(by))


def _of_one_function(change: Estimates) -> bool:
    """Whether one of F functions explains what they take more: no other does, or the others do alike."""
    others = np.argsort(change.log_ratio[:, 0])[:-1]
    log_ratio, error = change.log_ratio[others, 0], change.error[others, 0]
    if (log_ratio < _BEYOND_CHANCE * error).all():
        return True
    weight = error**-2
    squares = weight @ (log_ratio - weight @ log_ratio / weight.sum()) ** 2
    return len(others) > 1 and bool(chdtrc(len(others) - 1, squares) > _DISAGREE)


def excused_by(slow: SlowLocation, results: Sequence[KernelResult]) -> tuple[list[KernelResult], bool]:
    """Return results in which communication and the total did not regress for waiting, and if any had."""
    excused = [
        one.verdict is Ruling.REGRESSION and (one.kernel.level is Scope.TOTAL or _waits(one.kernel.region))
        for one in results
    ]
    unchanged = [
        replace(one, verdict=Ruling.UNCHANGED, evidence=()) if waits else one
        for one, waits in zip(results, excused, strict=True)
    ]
    return unchanged, any(excused)
