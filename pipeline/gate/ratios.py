"""Candidate over baseline: the ratio of every kernel at every point, over scale, and at the targets.

Every ratio has a standard error. The tests built on them ask for more than a difference: they reject "the
ratio is at most `factor`", so that what they find is both significant and large enough to matter (a minimum-
effect test, as TREAT of McCarthy and Smyth, Bioinformatics 25, 2009).
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtr, stdtrit

from ingest.arrays import BoolArray, FloatArray
from pipeline.gate.noise import CERTAIN, LogMeans, Noise, moderated_noise
from pipeline.statistics.least_squares import fit_lines

MEDIAN_OF_SQUARE = 0.4549364  # of a standard normal variable
ENOUGH_KERNELS = 10  # needed to estimate what all kernels have in common
EXTRAPOLATION_POINTS = 3  # a line through fewer says nothing about its own error


@dataclass(frozen=True, eq=False)
class Estimates:
    """T estimates of log ratios for K kernels; NaN if nothing can be estimated.

    Attributes:
        log_ratio: float64[K, T].
        error: float64[K, T], standard errors.
        degrees: float64[K, T], degrees of freedom of the errors.
    """

    log_ratio: FloatArray
    error: FloatArray
    degrees: FloatArray

    @property
    def known(self) -> BoolArray:
        """Whether there is an estimate with an error, bool[K, T]."""
        known: BoolArray = np.isfinite(self.log_ratio) & np.isfinite(self.error) & (self.degrees > 0)
        return known

    @property
    def inverse(self) -> "Estimates":
        """The estimates of baseline over candidate."""
        return replace(self, log_ratio=-self.log_ratio)

    def above(self, log_factor: FloatArray) -> FloatArray:
        """Return p-values against "the ratio is at most the factor", float64[K, T]; factors float64[K]."""
        known = self.known
        p = np.full(self.log_ratio.shape, np.nan)
        statistic = (self.log_ratio - log_factor[:, None])[known] / self.error[known]
        p[known] = stdtr(self.degrees[known], -statistic)
        return p

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return the ends of two-sided intervals for the ratio (not its logarithm), float64[K, T]."""
        reach = np.full(self.error.shape, np.nan)
        known = self.known
        reach[known] = stdtrit(self.degrees[known], (1 + level) / 2) * self.error[known]
        with np.errstate(over="ignore"):
            return np.exp(self.log_ratio - reach), np.exp(self.log_ratio + reach)


@dataclass(frozen=True, eq=False, kw_only=True)
class Changes:
    """What the measurements say about K kernels.

    Attributes:
        measured: at every common point, T = P.
        rise: change of the log ratio from the smallest to the largest common scale, T = 1.
        target: the ratio extrapolated to the targets as a power of the scale, T = Q.
        noise: noise of single repetitions.
        common: float64[P], median log ratio of all kernels: what the machine or the build does to all.
        between: float64[P], variance between the two studies over what repetitions explain, at least 1.
    """

    measured: Estimates
    rise: Estimates
    target: Estimates
    noise: Noise
    common: FloatArray
    between: FloatArray


def estimate_changes(
    baseline: LogMeans,
    candidate: LogMeans,
    scale: FloatArray,
    targets: FloatArray,
    independent: BoolArray | None = None,
) -> Changes:
    """Estimate all changes with their errors.

    Args:
        baseline, candidate: the same K kernels at the same P points.
        scale: float64[P], the parameter that scales, above zero.
        targets: float64[Q], its values at the targets.
        independent: bool[K], the kernels that are not sums of others; noise is learnt from them. None: all.
    """
    alone = np.ones(len(baseline.mean), dtype=bool) if independent is None else independent
    noise = _noise(baseline.squares + candidate.squares, baseline.degrees + candidate.degrees, alone)
    change = candidate.mean - baseline.mean
    both = (baseline.count > 0) & (candidate.count > 0) & (noise.degrees > 0)
    variance = np.full(change.shape, np.nan)
    variance[both] = noise.variance[both] * (1 / baseline.count[both] + 1 / candidate.count[both])
    common, between = _between_studies(change[alone], variance[alone])
    measured = Estimates(change, np.sqrt(variance * between), noise.degrees)
    rise, target, misfit = trend(measured, noise.limit, np.log(scale), np.log(targets))
    # A rise that rests on one point off the line is an outlier, or a step that the points themselves show.
    rise = replace(rise, error=rise.error * np.sqrt(misfit)[:, None])
    return Changes(measured=measured, rise=rise, target=target, noise=noise, common=common, between=between)


def _noise(squares: FloatArray, degrees: FloatArray, alone: BoolArray) -> Noise:
    """Estimate noise from kernels that are not sums; sums get theirs beside them, without contributing."""
    learnt = moderated_noise(squares[alone], degrees[alone])
    if alone.all():
        return learnt
    everything = moderated_noise(squares, degrees)
    variance, freedom, limit = everything.variance, everything.degrees, everything.limit
    variance[alone], freedom[alone], limit[alone] = learnt.variance, learnt.degrees, learnt.limit
    return Noise(variance, freedom, limit)


def _between_studies(change: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Find what all kernels have in common, and how much more they differ than repetitions explain.

    Repetitions of one job share its nodes and its hour; another job differs by more. Most kernels do not
    change, so the median of their squared deviations estimates the excess, as in genomic control (Devlin and
    Roeder, Biometrics 55, 1999). The common shift is taken out first: it may be a change rather than noise.

    Args:
        change: float64[K, P], log ratios.
        variance: float64[K, P], their variances by repetitions.

    Returns:
        The median log ratio and the factor on all variances, float64[P] each.
    """
    points = change.shape[1]
    common, between = np.zeros(points), np.ones(points)
    for p in range(points):
        known = np.isfinite(change[:, p]) & np.isfinite(variance[:, p])
        if known.any():
            common[p] = np.median(change[known, p])
        if known.sum() >= ENOUGH_KERNELS:
            square = (change[known, p] - common[p]) ** 2 / variance[known, p]
            between[p] = max(1.0, float(np.median(square)) / MEDIAN_OF_SQUARE)
    return common, between


def trend(
    measured: Estimates, limit: FloatArray, x: FloatArray, targets: FloatArray
) -> tuple[Estimates, Estimates, FloatArray]:
    """Fit log ratio = a + b log(scale) per kernel by weighted least squares.

    The rise b (max x - min x) needs no straight line to be a valid test: if the true ratio nowhere rises, b
    is negative on average (Chebyshev's sum inequality). The value at a target does, so its error is widened
    by what the line leaves over.

    Args:
        measured: K kernels at P points.
        limit: float64[K], degrees of freedom behind all points of a kernel.
        x: float64[P], logarithm of the scale.
        targets: float64[Q], the same at the targets.

    Returns:
        The rise, the values at the targets, and the misfit of the line: mean squared residual over what noise
        explains, at least 1, float64[K].
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
    ahead = (targets - middle) / width - line.center
    error = np.sqrt((1.0 / np.maximum(line.total, 1e-300) + ahead**2 / inertia) * misfit)
    error = np.where(count < EXTRAPOLATION_POINTS, np.nan, error)
    target = Estimates(line.level + line.slope * ahead, error, np.repeat(degrees, len(targets), axis=1))
    return rise, target, misfit[:, 0]


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
