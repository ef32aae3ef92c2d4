"""Tests of change: how much more does each kernel cost, at every point, over scale, and at the targets?

All tests ask for more than a difference: they reject "the ratio is at most `factor`", so that what they find
is beyond doubt and of an amount that matters at once (a minimum-effect test, as TREAT of McCarthy and Smyth,
Bioinformatics 25, 2009).
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtr, stdtrit

from ingest.arrays import BoolArray, FloatArray
from pipeline.gate.log_ratios import LogRatios
from pipeline.gate.noise import CERTAIN, Noise, moderated_noise

MEDIAN_OF_SQUARE = 0.4549364  # of a standard normal variable
ENOUGH_KERNELS = 10  # fewer tell nothing of what all have in common
EXTRAPOLATION_POINTS = 3  # a line through fewer says nothing about its own error


@dataclass(frozen=True, eq=False)
class Estimates:
    """T estimates of log ratios for K kernels; NaN where nothing can be estimated.

    Attributes:
        log_ratio: float64[K, T].
        error: float64[K, T], standard errors.
        degrees: float64[K, T], degrees of freedom of the errors.
    """

    log_ratio: FloatArray
    error: FloatArray
    degrees: FloatArray

    def above(self, log_factor: FloatArray) -> FloatArray:
        """P-values against "the ratio is at most the factor", float64[K, T]; factors float64[K]."""
        return self._tail((self.log_ratio - log_factor[:, None]) / self.error)

    def below(self, log_factor: FloatArray) -> FloatArray:
        """P-values against "the ratio is at least one over the factor", float64[K, T]."""
        return self._tail((-self.log_ratio - log_factor[:, None]) / self.error)

    def _tail(self, statistic: FloatArray) -> FloatArray:
        known = np.isfinite(statistic) & (self.degrees > 0)
        p = np.full(statistic.shape, np.nan)
        p[known] = stdtr(self.degrees[known], -statistic[known])
        return p

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return the ends of two-sided intervals for the ratio (not its logarithm), float64[K, T]."""
        reach = np.full(self.error.shape, np.nan)
        known = np.isfinite(self.error) & (self.degrees > 0)
        reach[known] = stdtrit(self.degrees[known], (1 + level) / 2) * self.error[known]
        with np.errstate(over="ignore"):
            return np.exp(self.log_ratio - reach), np.exp(self.log_ratio + reach)


@dataclass(frozen=True, eq=False, kw_only=True)
class Changes:
    """What the measurements say about K kernels.

    Attributes:
        measured: at every common point, T = P.
        rise: change of the log ratio from the smallest to the largest common scale, T = 1.
        target: the ratio carried on to the targets as a power of the scale, T = Q.
        noise: noise of single repetitions.
        common: float64[P], median log ratio of all kernels: what the machine or the build does to all.
        spread: float64[P], variance between the two sets over what repetitions explain, at least 1.
    """

    measured: Estimates
    rise: Estimates
    target: Estimates
    noise: Noise
    common: FloatArray
    spread: FloatArray


def estimate_changes(
    ratios: LogRatios, scale: FloatArray, targets: FloatArray, independent: BoolArray | None = None
) -> Changes:
    """Estimate all changes with their errors.

    Args:
        ratios: the two measurements.
        scale: float64[P], the parameter that scales at the common points, above zero.
        targets: float64[Q], its values at the targets.
        independent: bool[K], the kernels that are no sums of others; noise is learnt from them.
    """
    alone = np.ones(len(ratios.change), dtype=bool) if independent is None else independent
    noise = _noise(ratios, alone)
    variance = noise.variance * ratios.size
    variance[noise.degrees <= 0] = np.nan
    common, spread = _between_sets(ratios.change[alone], variance[alone])
    variance = variance * spread
    measured = Estimates(ratios.change, np.sqrt(variance), noise.degrees)
    rise, target, misfit = trend(measured, noise.limit, np.log(scale), np.log(targets))
    # A rise that rests on one point off the line is an outlier, or a step that the points themselves show.
    rise = replace(rise, error=rise.error * np.sqrt(misfit)[:, None])
    return Changes(measured=measured, rise=rise, target=target, noise=noise, common=common, spread=spread)


def _noise(ratios: LogRatios, alone: BoolArray) -> Noise:
    """Noise learnt from kernels that are no sums; sums are judged beside them, without teaching."""
    learnt = moderated_noise(ratios.squares[alone], ratios.degrees[alone])
    if alone.all():
        return learnt
    everything = moderated_noise(ratios.squares, ratios.degrees)
    variance, degrees, limit = everything.variance, everything.degrees, everything.limit
    variance[alone], degrees[alone], limit[alone] = learnt.variance, learnt.degrees, learnt.limit
    return replace(everything, variance=variance, degrees=degrees, limit=limit)


def _between_sets(change: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Find what all kernels have in common, and how much more they differ than repetitions explain.

    Repetitions of one job share its nodes and its hour; another job differs by more. Most kernels do not
    change, so the median of their squared deviations tells the excess, as genomic control does (Devlin and
    Roeder, Biometrics 55, 1999). The common shift is taken out first: it may be a change, not noise.
    """
    points = change.shape[1]
    common, spread = np.zeros(points), np.ones(points)
    for p in range(points):
        known = np.isfinite(change[:, p]) & np.isfinite(variance[:, p])
        if known.any():
            common[p] = np.median(change[known, p])
        if known.sum() >= ENOUGH_KERNELS:
            square = (change[known, p] - common[p]) ** 2 / variance[known, p]
            spread[p] = max(1.0, float(np.median(square)) / MEDIAN_OF_SQUARE)
    return common, spread


def trend(
    measured: Estimates, limit: FloatArray, x: FloatArray, targets: FloatArray
) -> tuple[Estimates, Estimates, FloatArray]:
    """Fit log ratio = a + b log(scale) per kernel by weighted least squares.

    The rise b (max x - min x) needs no straight line to be a valid test: where the true ratio nowhere rises,
    b is negative on average (Chebyshev's sum inequality). The value at a target does, so its error is
    widened by what the line leaves over.

    Returns:
        The rise, the values at the targets, and the misfit of the line: mean squared residual over what noise
        explains, at least 1, float64[K].
    """
    known = np.isfinite(measured.log_ratio) & np.isfinite(measured.error)
    variance = np.where(known, measured.error, 1.0) ** 2
    weight = np.where(known, 1.0 / variance, 0.0)
    y = np.where(known, measured.log_ratio, 0.0)
    total = np.maximum(weight.sum(axis=1), 1e-300)
    center, level = (weight @ x) / total, (weight * y).sum(axis=1) / total
    distance = x - center[:, None]
    inertia = (weight * distance**2).sum(axis=1)
    varies = inertia > 1e-9 * total
    safe = np.where(varies, inertia, 1.0)
    slope = (weight * distance * y).sum(axis=1) / safe
    x_low = np.where(known, x, np.inf).min(axis=1, initial=np.inf)
    x_high = np.where(known, x, -np.inf).max(axis=1, initial=-np.inf)
    reach = np.where(varies, np.where(varies, x_high, 1.0) - np.where(varies, x_low, 0.0), np.nan)
    degrees = _satterthwaite(weight, measured.degrees, limit)
    rise = Estimates((slope * reach)[:, None], (reach / np.sqrt(safe))[:, None], degrees[:, None])

    count = known.sum(axis=1)
    residual = y - level[:, None] - slope[:, None] * distance
    misfit = np.maximum((weight * residual**2).sum(axis=1) / np.maximum(count - 2, 1), 1.0)
    ahead = targets[None, :] - center[:, None]
    value = level[:, None] + slope[:, None] * ahead
    error = np.sqrt((1.0 / total[:, None] + ahead**2 / safe[:, None]) * misfit[:, None])
    error[(count < EXTRAPOLATION_POINTS) | ~varies] = np.nan
    target = Estimates(value, error, np.repeat(degrees[:, None], len(targets), axis=1))
    return rise, target, misfit


def _satterthwaite(weight: FloatArray, degrees: FloatArray, limit: FloatArray) -> FloatArray:
    """Degrees of freedom of weighted sums over points, float64[K], at most those behind the whole kernel."""
    part = np.divide(1.0, degrees, out=np.zeros(degrees.shape), where=(degrees > 0) & (weight > 0))
    share = weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
    loss = (share**2 * part).sum(axis=1)
    freedom = np.divide(1.0, loss, out=np.full(len(loss), 0.0), where=loss > 0)
    capped: FloatArray = np.minimum(np.minimum(freedom, limit), CERTAIN)
    return capped
