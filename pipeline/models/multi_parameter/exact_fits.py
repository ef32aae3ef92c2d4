"""Exact fits of the hypotheses found, their weights in and out of sample, and the rivals worth keeping."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.multi_parameter.added_term import WeightedMeans
from pipeline.models.multi_parameter.factors import Factors
from pipeline.models.multi_parameter.mean_errors import BELIEF, pooled_misfit
from pipeline.models.multi_parameter.search import LOG_PRIOR_OF_SIZE, evidence
from pipeline.statistics.least_squares import solve_weighted

_UNTESTED = 1e-6  # 1 - leverage below which a point decides a coefficient alone


@dataclass(frozen=True, eq=False, kw_only=True)
class ExactFits:
    """N hypotheses of up to M terms for each of K kernels; coefficients are of columns scaled to 1.

    Attributes:
        picks: int64[K, N, M, D], all zero for no term.
        coefficients: float64[K, N, 1 + M].
        inverse: float64[K, N, 1 + M, 1 + M], inverse of the normal matrix.
        chi2: float64[K, N], weighted squares left.
        press: float64[K, N], weighted squares of the errors of points predicted from the others; inf where a
            coefficient rests on a single point, or came out below zero where it cannot be.
        size: int64[K, N], coefficients used, the constant counted always.
    """

    picks: IntArray
    coefficients: FloatArray
    inverse: FloatArray
    chi2: FloatArray
    press: FloatArray
    size: IntArray

    def take(self, rows: IntArray) -> "ExactFits":
        """Return int64[K, n] of the hypotheses of each kernel."""
        kernel = np.arange(len(rows))[:, None]
        return ExactFits(**{f.name: getattr(self, f.name)[kernel, rows] for f in fields(self)})

    def widened(self, terms: int) -> "ExactFits":
        """Make room for more terms."""
        if terms == self.picks.shape[2]:
            return self
        more = (0, terms - self.picks.shape[2])
        return replace(
            self,
            picks=np.pad(self.picks, ((0, 0), (0, 0), more, (0, 0))),
            coefficients=np.pad(self.coefficients, ((0, 0), (0, 0), more)),
            inverse=np.pad(self.inverse, ((0, 0), (0, 0), more, more)),
        )


def joined(parts: Sequence[ExactFits]) -> ExactFits:
    """Put blocks of kernels together."""
    terms = max(p.picks.shape[2] for p in parts)
    parts = [p.widened(terms) for p in parts]
    return ExactFits(
        **{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(ExactFits)}
    )


def fit_exactly(data: WeightedMeans, factors: Factors, picks: IntArray) -> ExactFits:
    """Fit int64[K, N, M, D] hypotheses; a constant below zero is left out where values cannot be negative."""
    present = (picks != 0).any(axis=3)
    design = _design(factors, picks)
    active = np.concatenate([np.ones_like(present[:, :, :1]), present], axis=2)
    coefficients, inverse = solve_weighted(design, data.weight[:, None], data.mean[:, None], active)
    if data.nonnegative:
        kernel, row = np.nonzero(coefficients[..., 0] < 0)
        part = active[kernel, row]
        part[:, 0] = False
        again = solve_weighted(design[kernel, row], data.weight[kernel], data.mean[kernel], part)
        coefficients[kernel, row], inverse[kernel, row] = again
    residual, slack = _residuals(data, design, coefficients, inverse)
    weight = data.weight[:, None]
    untested = ((slack < _UNTESTED) & (weight > 0)).any(axis=2)
    press = (weight * (residual / np.maximum(slack, _UNTESTED)) ** 2).sum(axis=2)
    chi2 = (weight * residual**2).sum(axis=2)
    impossible = data.nonnegative & (coefficients < 0).any(axis=2)
    press = np.where(untested | impossible, np.inf, press)
    return ExactFits(
        picks=picks,
        coefficients=coefficients,
        inverse=inverse,
        chi2=chi2,
        press=press,
        size=1 + present.sum(axis=2),
    )


def predicted_means(data: WeightedMeans, factors: Factors, fits: ExactFits) -> tuple[FloatArray, FloatArray]:
    """Return the fitted values, and every point predicted from the others: float64[K, N, P] each."""
    design = _design(factors, fits.picks)
    residual, slack = _residuals(data, design, fits.coefficients, fits.inverse)
    mean = data.mean[:, None]
    return mean - residual, mean - residual / np.maximum(slack, _UNTESTED)


def _design(factors: Factors, picks: IntArray) -> FloatArray:
    columns = factors.columns(picks) * (picks != 0).any(axis=3)[..., None]
    return np.concatenate([np.ones_like(columns[:, :, :1]), columns], axis=2)


def _residuals(
    data: WeightedMeans, design: FloatArray, coefficients: FloatArray, inverse: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the residuals and 1 - leverage, float64[K, N, P] each."""
    fitted = (coefficients[:, :, None, :] @ design)[:, :, 0]
    leverage = ((inverse @ design) * design).sum(axis=2) * data.weight[:, None]
    return data.mean[:, None] - fitted, 1 - leverage


_TOLERANCE = 1.2  # squares of left-out points that a richer hypothesis may have more than a simpler one


@dataclass(frozen=True, eq=False, kw_only=True)
class WeighedFits:
    """The hypotheses kept for each kernel, best first.

    Attributes:
        fits: their fits.
        weight: float64[K, N], probabilities.
        variance: float64[K, N], of a mean of weight 1, noise and misfit together.
        degrees: float64[K], degrees of freedom that the variance rests on.
        misfit: how much more than by their noise the means of all kernels miss the models, as a ratio of
            variances; 1 if that is no more than chance explains.
    """

    fits: ExactFits
    weight: FloatArray
    variance: FloatArray
    degrees: FloatArray
    misfit: float


def weigh(
    data: WeightedMeans, factors: Factors, fits: ExactFits, *, repeats: float, count: int
) -> WeighedFits:
    """Weigh hypotheses by evidence and prior, strike out those that predict worse, and keep `count`.

    The misfit of the models (more than the noise of the repetitions) is pooled over kernels, from what the
    best hypotheses leave, before the final weights are taken.

    Args:
        data: K kernels.
        factors: what the fits' picks mean.
        fits: N hypotheses each, the constant first.
        repeats: degrees of freedom of the repetitions, on which the noise rests.
        count: how many to keep per kernel at most.
    """
    stands = earn_their_place(fits)
    stands[:, 1:] &= fits.size[:, 1:] > 1
    points = data.count[:, :, 0]
    score = np.where(stands, _log_weights(fits, factors, points, 1.0), -np.inf)
    best = fits.take(score.argmax(axis=1)[:, None])
    misfit = pooled_misfit(best.chi2[:, 0], points[:, 0] - best.size[:, 0], repeats)
    score = np.where(stands, _log_weights(fits, factors, points, misfit), -np.inf)
    rows, weight = representative_rivals(_normalised(score), _far_values(fits, factors), count)
    kept = fits.take(rows)
    degrees = BELIEF + points - kept.size
    variance = (BELIEF * misfit + kept.chi2) / np.maximum(degrees, 1.0)
    return WeighedFits(
        fits=kept, weight=weight, variance=variance, degrees=np.maximum(degrees[:, 0], 1.0), misfit=misfit
    )


def earn_their_place(fits: ExactFits) -> BoolArray:
    """Tell which hypotheses predict left-out points at least about as well as every simpler kind, bool[K, N].

    A constant always stands; a hypothesis of more terms must not predict clearly worse than the best of those
    with fewer.
    """
    stands: BoolArray = fits.size == 1
    best = np.where(stands, fits.press, np.inf).min(axis=1)
    for size in range(2, int(fits.size.max(initial=1)) + 1):
        these = (fits.size == size) & (fits.press < _TOLERANCE * best[:, None])
        stands |= these
        best = np.minimum(best, np.where(these, fits.press, np.inf).min(axis=1))
    return stands


def _normalised(score: FloatArray) -> FloatArray:
    """Turn log weights float64[K, N] into probabilities."""
    weight = np.exp(score - score.max(axis=1, keepdims=True))
    total: FloatArray = weight / weight.sum(axis=1, keepdims=True)
    return total


def representative_rivals(weight: FloatArray, far: FloatArray, count: int) -> tuple[IntArray, FloatArray]:
    """Choose rivals that stand for all hypotheses: which, int64[K, count], and their weights.

    The heaviest half is kept as it is. The others are sorted by what they predict far away and cut into
    groups of equal weight; the heaviest of each group stands for it, so that the spread of the predictions
    survives although most hypotheses are dropped.

    Args:
        weight: float64[K, N], probabilities.
        far: float64[K, N], predictions at a far point.
        count: how many to keep.
    """
    count = min(count, weight.shape[1])
    keep = (count + 1) // 2
    order = np.argsort(-weight, axis=1)
    first, rest = order[:, :keep], order[:, keep:]
    weights = np.take_along_axis(weight, first, axis=1)
    rest = np.take_along_axis(rest, np.argsort(np.take_along_axis(far, rest, axis=1), axis=1), axis=1)
    mass = np.take_along_axis(weight, rest, axis=1)
    groups = count - keep
    reached = mass.cumsum(axis=1) - mass / 2
    group = (reached / np.maximum(mass.sum(axis=1, keepdims=True), 1e-300) * groups).astype(np.int64)
    group = np.minimum(group, max(groups - 1, 0))
    chosen, shares = [first], [weights]
    for g in range(groups):
        share = np.where(group == g, mass, 0.0)
        chosen.append(np.take_along_axis(rest, share.argmax(axis=1)[:, None], axis=1))
        shares.append(share.sum(axis=1, keepdims=True))
    return np.concatenate(chosen, axis=1), np.concatenate(shares, axis=1)


def _log_weights(fits: ExactFits, factors: Factors, points: FloatArray, misfit: float) -> FloatArray:
    """Logarithm of evidence times prior, float64[K, N]."""
    present = (fits.picks != 0).any(axis=3)
    prior = np.where(present, factors.term_log_prior(fits.picks), 0.0).sum(axis=2)
    by_size = np.array([p + math.lgamma(n + 1) for n, p in enumerate(LOG_PRIOR_OF_SIZE)])
    score: FloatArray = evidence(fits.chi2 / misfit, points, fits.size) + prior + by_size[fits.size - 1]
    return score


def _far_values(fits: ExactFits, factors: Factors) -> FloatArray:
    """Predictions far away, float64[K, N]."""
    values = factors.scaled_ahead(fits.picks, 1)
    total: FloatArray = fits.coefficients[..., 0] + (fits.coefficients[..., 1:] * values).sum(axis=2)
    return total
