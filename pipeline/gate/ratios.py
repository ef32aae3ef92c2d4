"""Candidate over baseline: the ratio of every kernel at every point, and over the measured scales.

What kernels share is estimated first (`common`); a kernel is compared with it.
"""

from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from pipeline.gate.common_factor import Shared, shared_factor
from pipeline.gate.estimates import Estimates
from pipeline.gate.repetition_noise import CERTAIN, LogMeans, Noise, moderated_noise
from pipeline.statistics.least_squares import fit_lines

MEDIAN_OF_SQUARE = 0.4549364  # of a standard normal variable
ENOUGH_KERNELS = 10  # needed to estimate what all kernels have in common


@dataclass(frozen=True, eq=False, kw_only=True)
class Trends:
    """What the log ratios of K kernels at P points say beyond single points.

    Attributes:
        mean: over all common points, T = 1; unknown with fewer than two.
        rise: from the smallest to the largest common scale, T = 1.
    """

    mean: Estimates
    rise: Estimates


@dataclass(frozen=True, eq=False, kw_only=True)
class Changes:
    """What the measurements say about K kernels.

    Attributes:
        measured: the ratio at every common point, T = P.
        whole: its trends.
        excess: what the ratio exceeds the common factor by, T = P.
        beyond: trends of the excess.
        noise: noise of single repetitions.
        shared: what all kernels have in common at the points.
        between: float64[P], variance between the two studies over what repetitions explain, at least 1.
    """

    measured: Estimates
    whole: Trends
    excess: Estimates
    beyond: Trends
    noise: Noise
    shared: Shared
    between: FloatArray


def estimate_changes(
    baseline: LogMeans,
    candidate: LogMeans,
    scale: FloatArray,
    independent: BoolArray | None = None,
) -> Changes:
    """Estimate all changes with their errors.

    Args:
        baseline, candidate: the same K kernels at the same P points.
        scale: float64[P], the parameter that scales, above zero.
        independent: bool[K], the kernels that are not sums of others; noise is learnt from them. None: all.
    """
    alone = np.ones(len(baseline.mean), dtype=bool) if independent is None else independent
    noise = _noise(baseline.squares + candidate.squares, baseline.degrees + candidate.degrees, alone)
    change = candidate.mean - baseline.mean
    both = (baseline.count > 0) & (candidate.count > 0) & (noise.degrees > 0)
    variance = np.full(change.shape, np.nan)
    variance[both] = noise.variance[both] * (1 / baseline.count[both] + 1 / candidate.count[both])
    for study in (baseline, candidate):
        variance += 0.0 if study.rounding is None else study.rounding**2
    between = _between_studies(change[alone], variance[alone])
    measured = Estimates(change, np.sqrt(variance * between), noise.degrees)
    shared = shared_factor(change[alone], (variance * between)[alone])
    excess = replace(
        measured,
        log_ratio=measured.log_ratio - shared.log_factor,
        error=np.sqrt(variance * between + np.where(shared.log_factor != 0, shared.variance, 0.0)),
    )
    whole, beyond = (trends(one, noise.limit, np.log(scale)) for one in (measured, excess))
    return Changes(
        measured=measured,
        whole=whole,
        excess=excess,
        beyond=beyond,
        noise=noise,
        shared=shared,
        between=between,
    )


def trends(measured: Estimates, limit: FloatArray, x: FloatArray) -> Trends:
    """Estimate what several points say together; arguments as of `trend`."""
    rise, misfit = trend(measured, limit, x)
    # A rise that rests on one point off the line is an outlier, or a step that the points themselves show.
    rise = replace(rise, error=rise.error * np.sqrt(misfit)[:, None])
    return Trends(mean=mean_over_points(measured, limit), rise=rise)


def mean_over_points(measured: Estimates, limit: FloatArray) -> Estimates:
    """Weighted mean of the log ratios per kernel, T = 1; unknown with fewer than two points.

    Its error is widened by what the points differ, so that a jump at one of them does not count for all.
    """
    known = measured.known
    weight, y = np.zeros(known.shape), np.where(known, measured.log_ratio, 0.0)
    weight[known] = measured.error[known] ** -2.0
    count, total = known.sum(axis=1, keepdims=True), weight.sum(axis=1, keepdims=True)
    usable = count > 1
    mean = np.full(usable.shape, np.nan)
    np.divide((weight * y).sum(axis=1, keepdims=True), total, out=mean, where=usable)
    squares = (weight * (y - np.nan_to_num(mean)) ** 2).sum(axis=1, keepdims=True)
    misfit = np.maximum(squares / np.maximum(count - 1, 1), 1.0)
    error = np.full(usable.shape, np.nan)
    np.divide(misfit, total, out=error, where=usable)
    return Estimates(mean, np.sqrt(error), _satterthwaite(weight, measured.degrees, limit)[:, None])


def _noise(squares: FloatArray, degrees: FloatArray, alone: BoolArray) -> Noise:
    """Estimate noise from kernels that are not sums; sums get theirs beside them, without contributing."""
    learnt = moderated_noise(squares[alone], degrees[alone])
    if alone.all():
        return learnt
    everything = moderated_noise(squares, degrees)
    variance, freedom, limit = everything.variance, everything.degrees, everything.limit
    variance[alone], freedom[alone], limit[alone] = learnt.variance, learnt.degrees, learnt.limit
    return Noise(variance, freedom, limit)


def _between_studies(change: FloatArray, variance: FloatArray) -> FloatArray:
    """Find how much more kernels differ between the studies than repetitions explain, float64[P].

    Repetitions of one job share its nodes and its hour; another job differs by more. Most kernels do not
    change, so the median of their squared deviations estimates the excess, as in genomic control (Devlin and
    Roeder, Biometrics 55, 1999). The common shift is taken out first: it may be a change rather than noise.

    Args:
        change: float64[K, P], log ratios.
        variance: float64[K, P], their variances by repetitions.

    Returns:
        The factor on all variances.
    """
    points = change.shape[1]
    between = np.ones(points)
    for p in range(points):
        known = np.isfinite(change[:, p]) & np.isfinite(variance[:, p])
        if known.sum() >= ENOUGH_KERNELS:
            middle = np.median(change[known, p])
            square = (change[known, p] - middle) ** 2 / variance[known, p]
            between[p] = max(1.0, float(np.median(square)) / MEDIAN_OF_SQUARE)
    return between


def trend(measured: Estimates, limit: FloatArray, x: FloatArray) -> tuple[Estimates, FloatArray]:
    """Fit log ratio = a + b log(scale) per kernel by weighted least squares.

    The rise b (max x - min x) needs no straight line to be a valid test: if the true ratio nowhere rises, b
    is negative on average (Chebyshev's sum inequality).

    Args:
        measured: K kernels at P points.
        limit: float64[K], degrees of freedom behind all points of a kernel.
        x: float64[P], logarithm of the scale.

    Returns:
        The rise, and the misfit of the line: mean squared residual over what noise explains, at least 1,
        float64[K].
    """
    known = measured.known
    seen, count = known.any(axis=1, keepdims=True), known.sum(axis=1, keepdims=True)
    weight, y = np.zeros(known.shape), np.where(known, measured.log_ratio, 0.0)
    weight[known] = measured.error[known] ** -2.0
    middle, width = (float(x.mean()), float(np.ptp(x)) or 1.0) if len(x) else (0.0, 1.0)
    term = (x - middle) / width
    line = fit_lines(term[:, None], y, np.where(seen, weight, 1.0))
    inertia = np.where(line.usable & seen, line.total * line.spread, np.nan)
    degrees = _satterthwaite(weight, measured.degrees, limit)[:, None]

    lowest = np.where(known, term, np.inf).min(axis=1, initial=np.inf, keepdims=True)
    highest = np.where(known, term, -np.inf).max(axis=1, initial=-np.inf, keepdims=True)
    reach = np.where(seen, highest - lowest, np.nan)
    rise = Estimates(line.slope * reach, reach / np.sqrt(inertia), degrees)

    residual = y - line.level - line.slope * (term - line.center)
    squares = (weight * residual**2).sum(axis=1, keepdims=True)
    misfit = np.maximum(squares / np.maximum(count - 2, 1), 1.0)
    return rise, misfit[:, 0]


def _satterthwaite(weight: FloatArray, degrees: FloatArray, limit: FloatArray) -> FloatArray:
    """Degrees of freedom of weighted means over points, float64[K].

    Satterthwaite, "An approximate distribution of estimates of variance components", Biometrics Bulletin 2,
    1946; at most the degrees behind the whole kernel, since its points borrow from one another.
    """
    part = np.divide(1.0, degrees, out=np.zeros(degrees.shape), where=(degrees > 0) & (weight > 0))
    share = weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
    loss = (share**2 * part).sum(axis=1)
    freedom = np.divide(1.0, loss, out=np.zeros(len(loss)), where=loss > 0)
    capped: FloatArray = np.minimum(np.minimum(freedom, limit), CERTAIN)
    return capped
