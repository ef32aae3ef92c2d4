"""The plain method: one term beside a constant, chosen by leave-one-out error as Extra-P chooses."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.forms import Term, least_value, term_values, tried_exponents
from pipeline.models.hypotheses import Hypotheses
from pipeline.models.observations import Observations
from pipeline.models.options import ModelOptions
from pipeline.models.quality import notes, quality_of
from pipeline.models.rivals import Rivals
from pipeline.models.scaling_models import ScalingModels
from pipeline.statistics.least_squares import LineFits, fit_lines, scaled_terms, solve_weighted


def fit_one_term(parameters: tuple[str, ...], data: Observations, options: ModelOptions) -> ScalingModels:
    """Fit c0 + c1 p^i log2(p)^j to every kernel by unweighted least squares of the means.

    Coefficients may be negative; predictions of what cannot be are not. The interval is the Student t
    interval of the chosen formula and knows nothing of its rivals.
    """
    terms = _terms(options, data.points)
    hypotheses = np.arange(-1, len(terms), dtype=np.int64)[:, None]
    measured = data.measured
    chosen = choose_by_leave_one_out(scaled_terms(term_values(terms, data.points)), data.mean, measured)
    fits = _fit_chosen(terms, chosen, data)
    residual = np.where(measured, data.mean - fits.fitted, 0.0)
    count, size = measured.sum(axis=1), 1 + (chosen > 0)
    degrees = np.maximum(count - size, 1).astype(np.float64)
    covariance = fits.inverse * _variance(data, residual, count > size, degrees)[:, None, None]
    slack = np.maximum(1 - fits.leverage, 1e-9)
    return ScalingModels(
        parameters=parameters,
        first=data.points.min(axis=0),
        last=data.points.max(axis=0),
        nonnegative=options.nonnegative and bool((data.mean >= 0).all()),
        correlation=0.0,
        hypotheses=Hypotheses(terms=terms, rows=hypotheses, sharpness=np.ones(len(hypotheses))),
        rivals=Rivals.of_grid(
            chosen[:, None],
            np.ones((len(chosen), 1)),
            fits.coefficients[:, None],
            covariance[:, None],
            degrees=degrees,
            drift=np.zeros(len(chosen)),
        ),
        quality=quality_of(
            data,
            fits.fitted,
            data.mean - residual / slack,
            growing=_probability_positive(fits.coefficients, covariance, degrees) * (chosen > 0),
            note=notes(data),
        ),
    )


def _terms(options: ModelOptions, points: FloatArray) -> tuple[Term, ...]:
    """Return the terms to try; logarithms only where they are not negative."""
    exponents = tried_exponents() if options.exponents is None else options.exponents
    return tuple((e,) for e in exponents if points.min() >= least_value(e))


def _variance(
    data: Observations, residual: FloatArray, has_residuals: BoolArray, degrees: FloatArray
) -> FloatArray:
    """float64[K], of a mean: from residuals, or the largest value squared if none are left."""
    largest: FloatArray = np.abs(data.mean).max(axis=1) ** 2
    return np.where(has_residuals, (residual**2).sum(axis=1) / degrees, largest)


def _probability_positive(
    coefficients: FloatArray, covariance: FloatArray, degrees: FloatArray
) -> FloatArray:
    """float64[K], probability that the term's coefficient is positive."""
    slope, scale = coefficients[:, 1], np.sqrt(covariance[:, 1, 1])
    ratio = np.where(scale > 0, slope / np.where(scale > 0, scale, 1.0), 1e9 * np.sign(slope))
    probability: FloatArray = stdtr(degrees, ratio)
    return probability


_BLOCK = 1 << 17  # residuals held at once: 1 MiB
_ROUNDING = 1e-9  # SMAPE below which a difference is rounding, in percent


def choose_by_leave_one_out(term: FloatArray, mean: FloatArray, measured: BoolArray) -> IntArray:
    """Choose the constant or one term for each kernel by the SMAPE of unweighted fits.

    Each point is predicted from the others without fitting again: the residual e of the full fit becomes
    e / (1 - h) with the leverage h of the point (Allen's PRESS). As in Extra-P the constant, which has
    nothing to overfit, is scored by its ordinary residuals.

    Args:
        term: float64[P, H], from `scaled_terms`.
        mean: float64[K, P].
        measured: bool[K, P].

    Returns:
        int64[K], 0 for the constant, 1 + h for the term h.
    """
    complete = bool(measured.all())
    weights = np.ones((1, mean.shape[1])) if complete else measured.astype(np.float64)
    weights = np.where(weights.any(axis=1, keepdims=True), weights, 1.0)
    chosen = np.empty(len(mean), dtype=np.int64)
    step = max(1, _BLOCK // max(1, term.size))
    for start in range(0, len(mean), step):
        part = slice(start, start + step)
        weight = weights if complete else weights[part]
        fits = fit_lines(term, mean[part], weight)
        chosen[part] = _best(fits, mean[part], weight)
    return chosen


def _best(fits: LineFits, mean: FloatArray, weight: FloatArray) -> IntArray:
    constant = _smape(fits.level, mean, weight)
    offset = fits.term.T - fits.center[:, :, None]
    spread = np.where(fits.usable, fits.spread, 1.0)[:, :, None]
    leverage = weight[:, None, :] * (1 + offset**2 / spread) / fits.total[:, :, None]
    slack = 1 - leverage
    fitted = fits.level[:, :, None] + fits.slope[:, :, None] * offset
    residual = (mean[:, None, :] - fitted) / np.where(slack > 1e-9, slack, 1.0)
    error = _smape(mean[:, None, :] - residual, mean[:, None, :], weight[:, None, :])
    decided = fits.usable & (slack > 1e-9).all(axis=2)
    error = np.where(decided, error, np.inf)
    best = error.argmin(axis=1)
    better = error[np.arange(len(mean)), best] < constant - _ROUNDING
    return np.where(better, best + 1, 0)


def _smape(predicted: FloatArray, mean: FloatArray, weight: FloatArray) -> FloatArray:
    size = np.abs(predicted) + np.abs(mean)
    error = np.abs(predicted - mean) / np.where(size > 0, size, 1.0) * weight
    total: FloatArray = 200 * error.sum(axis=-1) / weight.sum(axis=-1)
    return total


@dataclass(frozen=True, eq=False)
class ChosenFits:
    """Fits of the constant and the chosen term, C = 2 coefficients, for K kernels at P points.

    Attributes:
        coefficients: float64[K, C].
        inverse: float64[K, C, C], inverse of the normal matrix.
        fitted: float64[K, P].
        leverage: float64[K, P], between 0 and 1.
    """

    coefficients: FloatArray
    inverse: FloatArray
    fitted: FloatArray
    leverage: FloatArray


def _fit_chosen(terms: tuple[Term, ...], chosen: IntArray, data: Observations) -> ChosenFits:
    """Fit the chosen terms, int64[K] counted from 1, 0 for the constant alone.

    Terms are scaled to 1 at their largest point before the normal equations are solved.
    """
    values = np.column_stack([np.zeros(len(data.points)), term_values(terms, data.points)])
    size = np.abs(values).max(axis=0)
    size = np.where(size > 0, size, 1.0)
    column = (values / size).T[chosen]
    design = np.stack([np.ones_like(column), column], axis=1)
    weight = data.measured.astype(np.float64)
    active = (design**2 @ weight[..., None])[..., 0] > 0
    coefficients, inverse = solve_weighted(design, weight, data.mean, active)
    leverage = ((inverse @ design) * design).sum(axis=1) * weight
    scale = np.stack([np.ones(len(chosen)), size[chosen]], axis=1)
    return ChosenFits(
        coefficients / scale,
        inverse / (scale[:, :, None] * scale[:, None, :]),
        (coefficients[:, None] @ design)[:, 0],
        np.minimum(leverage, 1.0),
    )
