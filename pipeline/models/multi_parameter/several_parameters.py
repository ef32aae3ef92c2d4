"""Models of two to four parameters: sums of products of p^i * log2(p)^j, validated out of sample.

How far a mean may be off, evidence and prior are explained in search.py. All kernels are fitted together, in
blocks that bound memory.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import scipy

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from pipeline.models.multi_parameter import search
from pipeline.models.multi_parameter.added_term import WeightedMeans
from pipeline.models.observations import Observations
from pipeline.models.options import ModelOptions
from pipeline.models.posterior import UNDECIDED
from pipeline.models.quality import Note, correlation_of_errors, notes, quality_of
from pipeline.models.rivals import Hypotheses, Rivals
from pipeline.models.scaling_models import ScalingModels
from pipeline.statistics import TWO_SIDED, solve_weighted

_UNTESTED = 1e-6  # 1 - leverage below which a point decides a coefficient alone


@dataclass(frozen=True, eq=False, kw_only=True)
class _ExactFits(Rows):
    """N hypotheses of up to M terms for each of K kernels; coefficients are of columns scaled to 1."""

    picks: IntArray  # int64[K, N, M, D], all zero for no term
    coefficients: FloatArray  # float64[K, N, 1 + M]
    inverse: FloatArray  # float64[K, N, 1 + M, 1 + M], inverse of the normal matrix
    chi2: FloatArray  # float64[K, N], weighted squares left
    # float64[K, N], weighted squares of the errors of points predicted from the others; inf where a
    # coefficient rests on a single point, or came out below zero where it cannot be
    press: FloatArray
    size: IntArray  # int64[K, N], coefficients used, the constant counted always

    def widened(self, terms: int) -> "_ExactFits":
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


def fit_exactly(data: WeightedMeans, factors: search.Factors, picks: IntArray) -> _ExactFits:
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
    return _ExactFits(
        picks=picks,
        coefficients=coefficients,
        inverse=inverse,
        chi2=chi2,
        press=press,
        size=1 + present.sum(axis=2),
    )


def _predicted_means(
    data: WeightedMeans, factors: search.Factors, fits: _ExactFits
) -> tuple[FloatArray, FloatArray]:
    """Return the fitted values, and every point predicted from the others: float64[K, N, P] each."""
    design = _design(factors, fits.picks)
    residual, slack = _residuals(data, design, fits.coefficients, fits.inverse)
    mean = data.mean[:, None]
    return mean - residual, mean - residual / np.maximum(slack, _UNTESTED)


def _design(factors: search.Factors, picks: IntArray) -> FloatArray:
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
class _WeighedFits:
    """The hypotheses kept for each kernel, best first."""

    fits: _ExactFits
    weight: FloatArray  # float64[K, N], probabilities
    variance: FloatArray  # float64[K, N], of a mean of weight 1, noise and misfit together
    degrees: FloatArray  # float64[K], degrees of freedom that the variance rests on
    # how much more than by their noise the means of all kernels miss the models, as a ratio of variances; 1
    # if that is no more than chance explains
    misfit: float


def weigh(
    data: WeightedMeans, factors: search.Factors, fits: _ExactFits, *, repeats: float, count: int
) -> _WeighedFits:
    """Weigh N hypotheses, the constant first, strike out those that predict worse, and keep `count`.

    The misfit of the models (more than the noise of the repetitions, `repeats` degrees of freedom) is pooled
    over kernels, from what the best hypotheses leave, before the final weights are taken.
    """
    stands = earn_their_place(fits)
    stands[:, 1:] &= fits.size[:, 1:] > 1
    points = data.count[:, :, 0]
    score = np.where(stands, _log_weights(fits, factors, points, 1.0), -np.inf)
    best = fits.of_each(score.argmax(axis=1)[:, None])
    misfit = search.pooled_misfit(best.chi2[:, 0], points[:, 0] - best.size[:, 0], repeats)
    score = np.where(stands, _log_weights(fits, factors, points, misfit), -np.inf)
    rows, weight = representative_rivals(_normalised(score), _far_values(fits, factors), count)
    kept = fits.of_each(rows)
    degrees = search.BELIEF + points - kept.size
    variance = (search.BELIEF * misfit + kept.chi2) / np.maximum(degrees, 1.0)
    return _WeighedFits(
        fits=kept, weight=weight, variance=variance, degrees=np.maximum(degrees[:, 0], 1.0), misfit=misfit
    )


def earn_their_place(fits: _ExactFits) -> BoolArray:
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
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def representative_rivals(weight: FloatArray, far: FloatArray, count: int) -> tuple[IntArray, FloatArray]:
    """Choose rivals that stand for all hypotheses: which, int64[K, count], and their weights.

    The heaviest half, by probability float64[K, N], is kept as it is. The others are sorted by what they
    predict far away, float64[K, N], and cut into groups of equal weight; the heaviest of each group stands
    for it, so that the spread of the predictions survives although most hypotheses are dropped.
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


def _log_weights(fits: _ExactFits, factors: search.Factors, points: FloatArray, misfit: float) -> FloatArray:
    """Logarithm of evidence times prior, float64[K, N]."""
    present = (fits.picks != 0).any(axis=3)
    prior = np.where(present, factors.term_log_prior(fits.picks), 0.0).sum(axis=2)
    by_size = np.array([p + math.lgamma(n + 1) for n, p in enumerate(search.LOG_PRIOR_OF_SIZE)])
    return np.asarray(search.evidence(fits.chi2 / misfit, points, fits.size) + prior + by_size[fits.size - 1])


def _far_values(fits: _ExactFits, factors: search.Factors) -> FloatArray:
    """Predictions far away, float64[K, N]."""
    values = factors.scaled_ahead(fits.picks, 1)
    return np.asarray(fits.coefficients[..., 0] + (fits.coefficients[..., 1:] * values).sum(axis=2))


_FLOOR = 0.02
"""Share of a kernel's largest value below which values are no longer trusted relative to themselves.

Where values have both signs, none of them is: errors do not shrink then towards zero.
"""

_POINTS_PER_COEFFICIENT = 2
"""How many points hypotheses of several terms need for each of their coefficients."""

_JUDGED = 12  # hypotheses fitted exactly per kernel
_VALIDATED = 64  # kernels of most effort
_BLOCK = 1 << 13  # kernels times points
_HELD = 24 << 20  # bytes; glibc minds blocks of up to 32 MiB


def fit_observations(
    parameters: tuple[str, ...], data: Observations, options: ModelOptions, *, validate: bool = True
) -> ScalingModels:
    """Fit a model of several parameters to every kernel; any design will do, full grids are not needed.

    If residuals show more than noise, validating hides the largest scales from the heaviest kernels' models
    and widens all intervals by what they miss there.
    """
    scale = np.abs(data.mean).max(axis=1)
    scale = np.where(scale > 0, scale, 1.0)
    scaled = replace(
        data, mean=data.mean / scale[:, None], squares=data.squares / scale[:, None] / scale[:, None]
    )
    factors = search.make_factors(
        data.points, search.log_slopes(data.points, scaled.mean, data.measured), options
    )
    nonnegative = options.nonnegative and data.nonnegative
    one_sign = nonnegative or (data.mean >= 0).all() or (data.mean <= 0).all()
    floor = _FLOOR if one_sign else 1.0
    points = np.maximum(data.measured.sum(axis=1), 1).astype(np.float64)
    means = WeightedMeans(
        scaled.mean, search.inverse_variances(scaled, floor), points[:, None, None], nonnegative
    )
    _hold_freed_memory()
    step = max(1, _BLOCK // len(data.points))
    blocks = [np.arange(k, min(k + step, len(scale))) for k in range(0, len(scale), step)]
    fitted = [_fit_block(means.take(block), factors, floor) for block in blocks]
    means = replace(means, weight=np.concatenate([weight for weight, _ in fitted]))
    terms = max(part.picks.shape[2] for _, part in fitted)
    fits = _ExactFits.joined([part.widened(terms) for _, part in fitted])
    repeats = float(np.maximum(data.count - 1, 0).sum())
    rivals = weigh(means, factors, fits, repeats=repeats, count=options.rivals)
    strays = validate and (rivals.misfit > 1 or not repeats)
    least_drift = _drift_beyond(parameters, data, options, scale) if strays else 0.0
    return scaling_models(parameters, data, means, factors, rivals, scale, repeats, least_drift)


def _drift_beyond(
    parameters: tuple[str, ...], data: Observations, options: ModelOptions, scale: FloatArray
) -> float:
    """Relative variance per doubling by which the heaviest kernels stray from models of the inner points."""
    inner = search.inside(data.points)
    if not inner.any():
        return 0.0
    heavy = data.take(np.argsort(-scale, kind="stable")[:_VALIDATED])
    models = fit_observations(parameters, heavy.at(inner), options, validate=False)
    return search.shown_drift(models, heavy.at(~inner))


def _hold_freed_memory() -> None:
    """Keep the C library from returning the memory of every intermediate array to the system.

    Freeing one large block that was never touched raises the thresholds of glibc (mallopt(3), dynamic mmap
    threshold); without it, half of the time goes into page faults. Elsewhere it does nothing.
    """
    np.empty(_HELD // 8)


def _fit_block(data: WeightedMeans, factors: search.Factors, floor: float) -> tuple[FloatArray, _ExactFits]:
    """Search some kernels with weights from the data, then fit with weights from the best model.

    Weights from the data alone favour points that came out small by chance, which biases all models down.
    """
    picks = _likely_picks(data, factors)
    best = fit_exactly(data, factors, picks[:, 1:2])
    fitted, _ = _predicted_means(data, factors, best)
    data = replace(data, weight=data.weight * search.size_ratio(data.mean, fitted[:, 0], floor))
    return data.weight, fit_exactly(data, factors, picks)


def _likely_picks(data: WeightedMeans, factors: search.Factors) -> IntArray:
    """Find the hypotheses worth an exact fit, int64[K, N, M, D], the constant first, all zero for none.

    A second term is looked for thoroughly if noise alone does not explain what single terms leave, a third
    only then and if the second is worth its price.
    """
    found = search.search_one_term(data, factors)
    picks, score = [_padded(found.picks)], [found.score]
    here, best = np.arange(len(data.mean)), found.score[:, 0].copy()
    for size in range(2, search.MOST_TERMS + 1):
        left = data.count[here, 0, 0] - size
        unexplained = found.chi2[:, 0] > left + (np.sqrt(2 * np.maximum(left, 0.0)) if size > 2 else 0.0)
        worth = np.isfinite(found.score[:, 0]) & (found.score[:, 0] >= best[here])
        worth &= data.count[here, 0, 0] >= _POINTS_PER_COEFFICIENT * (size + 1)
        more = np.flatnonzero(worth if size == 2 else worth & unexplained)
        if len(more) == 0:
            break
        here = here[more]
        found = search.search_another_term(data.take(here), factors, found.take(more), unexplained[more])
        best[here] = np.maximum(best[here], found.score[:, 0])
        picks.append(np.zeros((len(best), *_padded(found.picks).shape[1:]), dtype=np.int64))
        score.append(np.full((len(best), found.score.shape[1]), -np.inf))
        picks[-1][here], score[-1][here] = _padded(found.picks), found.score
    scores = np.concatenate(score, axis=1)
    order = np.argsort(-scores, axis=1)[:, : _JUDGED - 1]
    kernel = np.arange(len(order))[:, None]
    likely = np.concatenate(picks, axis=1)[kernel, order]
    likely *= np.isfinite(scores[kernel, order])[:, :, None, None]
    likely = likely[:, :, : len(picks)]
    return factors.by_growth(np.concatenate([np.zeros_like(likely[:, :1]), likely], axis=1))


def _padded(picks: IntArray) -> IntArray:
    """Fill hypotheses of fewer terms up with empty ones."""
    padded = np.zeros((*picks.shape[:2], search.MOST_TERMS, picks.shape[3]), dtype=np.int64)
    padded[:, :, : picks.shape[2]] = picks
    return padded


def scaling_models(
    parameters: tuple[str, ...],
    data: Observations,
    means: WeightedMeans,
    factors: search.Factors,
    rivals: _WeighedFits,
    scale: FloatArray,
    repeats: float,
    least_drift: float,
) -> ScalingModels:
    """Put the rivals of K kernels into the arrays that all stages share.

    Means are the data, each kernel divided by its scale, float64[K]; the noise rests on `repeats` degrees of
    freedom, and the drift is a relative variance per doubling beyond the points.
    """
    order = np.argsort(rivals.weight == 0, axis=1, kind="stable")
    fits = rivals.fits.of_each(order)
    weight, variance = (np.take_along_axis(a, order, axis=1) for a in (rivals.weight, rivals.variance))
    terms, hypotheses, chosen, rows = search.hypothesis_tables(factors, fits.picks)
    present = rows >= 0
    unit = _with_constant(np.where(present, factors.units(fits.picks), 0.0)) * scale[:, None, None]
    coefficients = fits.coefficients * unit
    covariance = fits.inverse * variance[..., None, None] * unit[..., None] * unit[..., None, :]
    fitted, left_out = (
        a[:, 0] for a in _predicted_means(means, factors, fits.of_each(np.zeros_like(order[:, :1])))
    )
    first, last = data.points.min(axis=0), data.points.max(axis=0)
    walk = search.drift(means, variance[:, 0], rivals.misfit, repeats, float(np.log2(last / first).sum()))
    walk = np.maximum(walk, least_drift)
    share = 1 - (1 / np.maximum(variance[:, 0], 1.0) if repeats else np.zeros(len(walk)))
    ahead = _with_constant(np.where(present, factors.scaled_ahead(fits.picks, 0), 0.0))
    far = np.einsum("knc,knc->kn", ahead, fits.coefficients)
    spread = np.einsum("knc,kncd,knd->kn", ahead, fits.inverse, ahead) * variance
    spread += (far**2) * (np.log2(search.NEAR) * len(last) * walk)[:, None]
    undecided = _undecided(np.abs(far), np.sqrt(np.maximum(spread, 0.0)), weight)
    growing: BoolArray = np.logical_or.reduce(factors.table.growing[fits.picks], axis=3)
    return ScalingModels(
        parameters=parameters,
        first=first,
        last=last,
        nonnegative=means.nonnegative,
        correlation=correlation_of_errors((means.mean - fitted) * scale[:, None], data.measured, share),
        hypotheses=Hypotheses(terms=terms, rows=hypotheses, sharpness=np.ones(len(hypotheses))),
        rivals=Rivals.of_grid(
            np.where(weight > 0, chosen, -1),
            weight,
            coefficients,
            covariance,
            degrees=rivals.degrees,
            drift=np.sqrt(walk),
        ),
        quality=quality_of(
            replace(data, mean=means.mean),
            fitted,
            left_out,
            growing=_probability_growing(coefficients, covariance, rivals.degrees, weight, growing),
            note=_notes(data, undecided, _at_the_edge(factors, fits.picks[:, 0])),
        ),
    )


def _with_constant(values: FloatArray) -> FloatArray:
    """Put 1 for the constant before the values of terms: float64[K, N, 1 + M] from float64[K, N, M]."""
    return np.concatenate([np.ones_like(values[:, :, :1]), values], axis=2)


def _probability_growing(
    coefficients: FloatArray,
    covariance: FloatArray,
    degrees: FloatArray,
    weight: FloatArray,
    growing: BoolArray,
) -> FloatArray:
    """float64[K], probability that some growing term has a coefficient above zero."""
    scale = np.sqrt(np.einsum("knmm->knm", covariance[..., 1:, 1:]))
    ratio = coefficients[..., 1:] / np.where(scale > 0, scale, 1.0)
    above = scipy.special.stdtr(degrees[:, None, None], np.where(scale > 0, ratio, 0.0))
    above = np.where(growing & (coefficients[..., 1:] > 0), above, 0.0)
    return np.asarray((weight * above.max(axis=2)).sum(axis=1))


def _notes(data: Observations, undecided: BoolArray, steepest: BoolArray) -> IntArray:
    """Remarks on each kernel, int64[K]."""
    design = search.examine(data.points)
    everyone = Note.CONFOUNDED * design.confounded.any() + Note.FEW_VALUES * design.few_values.any()
    undecided = undecided & (data.mean != 0).any(axis=1)
    own = notes(data) + Note.CANNOT_TELL * undecided + Note.OUTSIDE_SPACE * steepest
    return np.asarray(own.astype(np.int64) | int(everyone))


def _undecided(value: FloatArray, deviation: FloatArray, weight: FloatArray) -> BoolArray:
    """Tell where the 90 % interval of rivals' values and deviations spans a factor of `UNDECIDED`, bool[K].

    Values are taken as log-normal.
    """
    value = np.maximum(value, 1e-6 * np.maximum(deviation, value.max(axis=1, keepdims=True)) + 1e-300)
    logarithm = np.log(value)
    center = (weight * logarithm).sum(axis=1, keepdims=True)
    spread = (weight * ((logarithm - center) ** 2 + (deviation / value) ** 2)).sum(axis=1)
    return np.asarray(2 * TWO_SIDED * np.sqrt(spread) > np.log(UNDECIDED))


def _at_the_edge(factors: search.Factors, picks: IntArray) -> BoolArray:
    """Tell for picks int64[K, M, D] whether a parameter has the largest power tried for it, bool[K]."""
    powers = factors.table.powers[:, 0]
    tried = np.where(np.isfinite(factors.log_prior), powers, -np.inf)
    return np.asarray(((powers[picks] >= tried.max(axis=1)) & (picks > 0)).any(axis=(1, 2)))
