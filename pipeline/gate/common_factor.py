"""What all kernels have in common: the machine on that day, or the build.

A slow machine and a change that slows every kernel are the same data. So the factor that the kernels share is
estimated jointly and tested by itself, and single kernels are tested on what exceeds it. Where both programs
ran in turn, run against run, the machine did the same to both: then the common factor is the program's.
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.gate.estimates import Estimates, holm
from pipeline.gate.repetition_noise import LEAST, precise_kernels
from pipeline.gate.run_factors import FEWEST_KERNELS, RunFactors

AGREEING = 2 / 3  # more than this share of the kernels must have moved along
MUCH_MORE = 3.0  # variance between points over that between runs, about the 5 % level of Fisher's F
BEYOND_CHANCE = 2.0  # standard errors from which a factor is taken out
MEDIAN_VARIANCE = 1.5707963  # of the median of n normal values, times n


@dataclass(frozen=True, eq=False)
class Shared:
    """The factor that kernels share at P points.

    Attributes:
        log_factor: float64[P], natural logarithm; 0 at points where the kernels do not agree.
        variance: float64[P], of the median log ratio, by the noise of single kernels.
    """

    log_factor: FloatArray
    variance: FloatArray


def shared_factor(change: FloatArray, variance: FloatArray) -> Shared:
    """Find the factor that more than two thirds of the kernels share at a point.

    A kernel agrees if its change is nearer to the factor than to none; the factor must be beyond chance. Of
    an even number of kernels the middle one that changed less decides, so that a change of one of two kernels
    is not taken for the machine.

    Args:
        change: float64[K, P], log ratios.
        variance: float64[K, P], their variances.
    """
    points = change.shape[1]
    factor, spread = np.zeros(points), np.zeros(points)
    for p in range(points):
        known = np.isfinite(change[:, p]) & np.isfinite(variance[:, p])
        chosen = known.copy()
        chosen[known] = precise_kernels(np.sqrt(variance[known, p]))
        one = np.sort(change[chosen, p])
        if len(one) < 2:
            continue
        ends = one[[(len(one) - 1) // 2, len(one) // 2]]
        middle = ends[np.abs(ends).argmin()]
        independent = len(one) if len(one) >= FEWEST_KERNELS else 1.0  # else they share the noise of runs
        spread[p] = MEDIAN_VARIANCE * float(variance[chosen, p].mean()) / independent
        agree = (np.abs(one - middle) < np.abs(one)).mean() > AGREEING
        factor[p] = middle if agree and abs(middle) > BEYOND_CHANCE * np.sqrt(spread[p]) else 0.0
    return Shared(factor, spread)


@dataclass(frozen=True, eq=False, kw_only=True)
class CommonChange:
    """The change that kernels share, with its errors between runs.

    Attributes:
        points: estimates at the P common points, float64[1, P].
        mean: the mean over the points, float64[1, 1].
        slower, faster: float64[1 + P], adjusted p-values of the mean, then of the points; NaN if not tested.
        paired: whether the runs were paired, so that the machine is no explanation.
    """

    points: Estimates
    mean: Estimates
    slower: FloatArray
    faster: FloatArray
    paired: bool


def common_change(
    shared: Shared, machine: Estimates, limits: tuple[float, float], *, paired: bool
) -> CommonChange:
    """Test what the kernels share.

    Args:
        shared: the factor at every point.
        machine: float64[1, P], the factor by runs; without pairs only its errors are used.
        limits: the factors up to which the mean and a single point may change.
        paired: whether the runs were paired.
    """
    error = np.sqrt(np.maximum(np.nan_to_num(machine.error) ** 2 + shared.variance, LEAST**2))
    factor = machine.log_ratio if paired else shared.log_factor[None]
    points = Estimates(
        np.where(shared.log_factor != 0, factor, 0.0), np.where(machine.known, error, np.nan), machine.degrees
    )
    mean = _mean_over_points(points)
    slower, faster = (
        holm(np.concatenate([_p_values(one, limits[0], paired), _p_values(two, limits[1], paired)]))
        for one, two in ((mean, points), (mean.inverse, points.inverse))
    )
    return CommonChange(points=points, mean=mean, slower=slower, faster=faster, paired=paired)


def _p_values(one: Estimates, limit: float, paired: bool) -> FloatArray:
    """P-values of "above the limit"; of pairs, whose machine is the same, "above 1" if they are above it."""
    p: FloatArray = one.above(np.zeros(1) if paired else np.log([limit]))[0]
    if not paired:
        return p
    p[one.known[0] & (one.log_ratio[0] <= np.log(limit))] = 1.0
    return p


def _mean_over_points(points: Estimates) -> Estimates:
    """Mean over the points; its error is that between runs, or between points if they differ by much more."""
    known = points.known[0]
    count = int(known.sum())
    if not count:
        return Estimates.unknown(1)
    value, error, degrees = (a[0, known] for a in (points.log_ratio, points.error, points.degrees))
    inside, freedom = float((error**2).mean()) / count, float(degrees.min())
    between = float(value.var(ddof=1)) / count if count > 1 else 0.0
    if between > MUCH_MORE * inside:
        inside, freedom = between, float(count - 1)
    return Estimates(*(np.full((1, 1), v) for v in (float(value.mean()), np.sqrt(inside), freedom)))


def between_runs(
    baseline: RunFactors, candidate: RunFactors, base_at: IntArray, candidate_at: IntArray
) -> Estimates:
    """Errors of the factor between the typical runs of two studies at P common points, float64[1, P].

    Args:
        baseline, candidate: the runs of both.
        base_at, candidate_at: int64[P], the indices of the common points in either study.
    """
    degrees = baseline.degrees + candidate.degrees
    squares = sum(np.nan_to_num(one.spread) ** 2 * one.degrees for one in (baseline, candidate))
    variance = float(squares) / degrees if degrees else np.nan
    counts = _counted(baseline)[base_at], _counted(candidate)[candidate_at]
    with np.errstate(divide="ignore"):
        error = np.sqrt(variance * (1 / counts[0] + 1 / counts[1]))
    error = np.where(np.isfinite(error), error, np.nan)
    return Estimates(np.zeros((1, len(error))), error[None], np.full((1, len(error)), degrees))


def _counted(runs: RunFactors) -> FloatArray:
    """Number of runs at every point that are not outlying, float64[P]."""
    usual: BoolArray = np.isfinite(runs.log_factor) & ~runs.outlying
    count: FloatArray = usual.sum(axis=1).astype(np.float64)
    return count
