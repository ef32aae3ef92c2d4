"""From measurements to models: the one entry to all ways of fitting."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import ModelError
from ingest.experiment import PlainTotals
from pipeline.models.back_test import back_test
from pipeline.models.forms import Term, least_value, term_values, tried_exponents
from pipeline.models.growth import shown_per
from pipeline.models.kernels import sum_groups
from pipeline.models.observations import ErrorModel, Observations, observe
from pipeline.models.one_parameter import experiment_setting, fit_by_evidence
from pipeline.models.options import ModelOptions
from pipeline.models.quality import ENOUGH_POINTS, Note, notes, quality_of, smape
from pipeline.models.rivals import Hypotheses, Rivals
from pipeline.models.scaling_models import LocationCount, ScalingModels
from pipeline.models.total import reconciling_shift, summed
from pipeline.models.trend import CombinedTrend, Trend, local_trend, strays
from pipeline.statistics import LineFits, deviations, fit_lines, scaled_terms, solve_weighted, student_below

LEAST_MISS = float(np.log(1.5))  # that predictions may miss a measured point by in any case: formulas smooth
_FEWEST_POINTS = 5  # with fewer, a formula that leaves one has no others to tell that it should not
_TINY = 1e-300
_NARROW = 0.9  # level at which they may be off as far as points stray


def _missed(models: ScalingModels, trend: Trend) -> FloatArray:
    """By what predictions miss the points of one parameter beyond what may be noise, float64[K, P].

    Logarithms, to be added to those of predictions; 0 where nothing is missed, and with few points.
    """
    found = np.zeros(trend.logs.shape)
    if len(trend.points) < _FEWEST_POINTS:
        return found
    allowed = np.maximum(LEAST_MISS, deviations(_NARROW) * strays(trend))[:, None]
    suspects: IntArray = np.flatnonzero(
        (_beyond(trend.logs, models.formula_values(trend.points), allowed) != 0).any(axis=1)
    )
    if len(suspects):
        medians = models.take(suspects).predict(trend.points).value
        found[suspects] = _beyond(trend.logs[suspects], medians, allowed[suspects])
    return found


def _beyond(logs: FloatArray, values: FloatArray, allowed: FloatArray) -> FloatArray:
    """How far logarithms exceed those of values by more than allowed; small ones need not be explained."""
    known = np.isfinite(logs) & (values >= 0)
    measured = np.where(known, np.exp(np.where(known, logs, 0.0)), 0.0)
    least = ErrorModel().floor * measured.max(axis=1, keepdims=True) + _TINY
    off = np.where(known, np.log((measured + least) / (np.where(known, values, 0.0) + least)), 0.0)
    return np.asarray(off - np.clip(off, -allowed, allowed))


def _fit_one_term(parameters: tuple[str, ...], data: Observations, options: ModelOptions) -> ScalingModels:
    """Fit c0 + c1 p^i log2(p)^j to every kernel by unweighted least squares of the means.

    Coefficients may be negative; predictions of what cannot be are not. The interval is the Student t
    interval of the chosen formula and knows nothing of its rivals.
    """
    terms = _terms(options, data.points)
    hypotheses = np.arange(-1, len(terms), dtype=np.int64)[:, None]
    measured = data.measured
    chosen = _choose_by_leave_one_out(scaled_terms(term_values(terms, data.points)), data.mean, measured)
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
    return student_below(degrees, ratio)


_BLOCK = 1 << 17  # residuals held at once: 1 MiB
_ROUNDING = 1e-9  # SMAPE below which a difference is rounding, in percent


def _choose_by_leave_one_out(term: FloatArray, mean: FloatArray, measured: BoolArray) -> IntArray:
    """Choose the constant, 0, or the term h, 1 + h, of each kernel by the SMAPE of unweighted fits, int64[K].

    Each point is predicted from the others without fitting again: the residual e of the full fit becomes e /
    (1 - h) with the leverage h of the point (Allen's PRESS). As in Extra-P the constant, which has nothing to
    overfit, is scored by its ordinary residuals. Terms are those of `scaled_terms`, float64[P, H].
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
    constant = smape(fits.level, mean, weight)
    offset = fits.term.T - fits.center[:, :, None]
    spread = np.where(fits.usable, fits.spread, 1.0)[:, :, None]
    leverage = weight[:, None, :] * (1 + offset**2 / spread) / fits.total[:, :, None]
    slack = 1 - leverage
    fitted = fits.level[:, :, None] + fits.slope[:, :, None] * offset
    residual = (mean[:, None, :] - fitted) / np.where(slack > 1e-9, slack, 1.0)
    error = smape(mean[:, None, :] - residual, mean[:, None, :], weight[:, None, :])
    decided = fits.usable & (slack > 1e-9).all(axis=2)
    error = np.where(decided, error, np.inf)
    best = error.argmin(axis=1)
    better = error[np.arange(len(mean)), best] < constant - _ROUNDING
    return np.where(better, best + 1, 0)


@dataclass(frozen=True, eq=False)
class _ChosenFits:
    """Fits of the constant and the chosen term, C = 2 coefficients, for K kernels at P points."""

    coefficients: FloatArray  # float64[K, C]
    inverse: FloatArray  # float64[K, C, C], inverse of the normal matrix
    fitted: FloatArray  # float64[K, P]
    leverage: FloatArray  # float64[K, P], between 0 and 1


def _fit_chosen(terms: tuple[Term, ...], chosen: IntArray, data: Observations) -> _ChosenFits:
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
    return _ChosenFits(
        coefficients / scale,
        inverse / (scale[:, :, None] * scale[:, None, :]),
        (coefficients[:, None] @ design)[:, 0],
        np.minimum(leverage, 1.0),
    )


def fit(
    parameters: tuple[str, ...],
    points: FloatArray,
    values: FloatArray,
    options: ModelOptions | None = None,
    *,
    parts: bool = False,
    per: LocationCount | None = None,
) -> ScalingModels:
    """Fit a model to every kernel at positive points float64[P, D]; ModelError if the arrays do not fit.

    Values float64[K, P, R] are finite or NaN where nothing was measured. If the kernels are the parts of a
    sum, it is modelled, too, and made known to them; if values are those of one of the locations `per`, the
    sum over all is modelled.
    """
    if per is not None:
        values = values * per.at(np.asarray(points, dtype=np.float64))[:, None]
        return shown_per(fit(parameters, points, values, options, parts=parts), per)
    options = options or ModelOptions()
    data = observe(points, values)
    if data.points.shape[1] != len(parameters):
        raise ModelError(f"{len(parameters)} parameter names for {data.points.shape[1]} parameters")
    if len(parameters) > 1:
        from pipeline.models.multi_parameter.several_parameters import fit_observations

        fit_formulas: Callable[..., ScalingModels] = fit_observations
    elif options.method == "extra-p":
        fit_formulas = _fit_one_term
    else:  # chosen once, back-tests and the sum are fitted in the same setting
        setting = experiment_setting(parameters[0], data, options)
        fit_formulas = partial(fit_by_evidence, setting=setting)

    def formulas(some: Observations) -> ScalingModels:
        first, place = some.distinct()
        if 2 * len(first) > len(place):
            return _sure_of_zeros(fit_formulas(parameters, some, options), some)
        once = some.take(first)
        return _sure_of_zeros(fit_formulas(parameters, once, options), once).take(place)

    if options.method == "extra-p":
        return with_remarks(formulas(data), data)
    return _forecasts(formulas, data, parts=parts)


def fit_parts(
    parameters: tuple[str, ...],
    points: FloatArray,
    values: FloatArray,
    options: ModelOptions,
    *,
    errors: FloatArray,
    of_sum: float,
    plain: PlainTotals | None = None,
    per: LocationCount | None = None,
) -> ScalingModels:
    """Fit a model, as `fit`, to every part of a sum, given what their values have wrong in common.

    A sum that is measured while its parts are estimated, here or elsewhere, is modelled as if they were not
    there. `errors` float64[K] are standard deviations of the logarithms of errors that all values of a part
    share, `of_sum` that of the sum, and `plain` totals that were measured elsewhere.
    """
    models = fit(parameters, points, values, options, parts=True, per=per)
    if not errors.any() and plain is None:
        return models
    if plain is not None or (of_sum == 0.0 and len(models) > 1):
        everything = sum_groups(values, np.zeros(len(values), dtype=np.int64), 1)
        points, everything = (points, everything) if plain is None else _with_plain(points, everything, plain)
        models = replace(models, whole=fit(parameters, points, everything, options, per=per))
    return models.with_common_error(errors, of_sum)


def _with_plain(points: FloatArray, totals: FloatArray, plain: PlainTotals) -> tuple[FloatArray, FloatArray]:
    """Add plain times to the points float64[P, D] of a total, float64[1, P, R], that has no others there."""
    at = np.array(plain.points)
    new = ~(at[:, None] == points).all(axis=2).any(axis=1)
    further = np.full((1, int(new.sum()), totals.shape[2]), np.nan)
    further[0, :, 0] = np.array(plain.total)[new]
    return np.concatenate([points, at[new]]), np.concatenate([totals, further], axis=1)


def _sure_of_zeros(models: ScalingModels, data: Observations) -> ScalingModels:
    """Return the models without an error for kernels that were zero wherever they were measured.

    Noise that is learned from other kernels says nothing about what does not happen.
    """
    zero = data.measured.any(axis=1) & (data.mean == 0).all(axis=1)
    if not zero.any():
        return models
    rivals = models.rivals
    covariance = np.where(zero[rivals.kernel, None, None], 0.0, rivals.covariance)
    drift = np.where(zero, 0.0, rivals.drift)
    return replace(models, rivals=replace(rivals, covariance=covariance, drift=drift))


_MISSED = 2.0  # factor by which a formula misses a point, from which it is noted
_MISSED_BY_FAR = 3.0  # from which nothing is concluded from the model
_LARGE_LEFT_OUT_ERROR = 30.0  # per cent, the same
_AHEAD, _LEFT = 4.0, 1.5  # factor beyond the range, and between formula and prediction there
ROUNDING = 1e-6  # per cent
SURELY_GROWING = 0.995  # probability of growing that is written as 100 %
_SPARE = 2  # points beyond the coefficients, which no wrong formula goes through by chance
_TO_DEVIATION = 1.25  # from a mean absolute error to a standard deviation

Fit = Callable[[Observations], ScalingModels]


def _forecasts(fit: Fit, data: Observations, *, parts: bool) -> ScalingModels:
    """Fit formulas, and give them, as parts of a sum if so, all that predictions beyond the range need."""
    models, trend = _with_trend(fit, data)
    if parts and len(models) > 1:
        total = summed(data)
        whole, of_sum = _with_trend(fit, total)
        last = float(of_sum.trend.logs[0, -1])
        bounds = len(models.parameters) == 1 and trend.trend.counts.all() and np.isfinite(last)
        trend = replace(trend, shift=reconciling_shift(models, whole), last_sum=last if bounds else np.inf)
        models = replace(models, trend=trend, whole=with_remarks(whole, total))
    return with_remarks(models, data)


def _with_trend(fit: Fit, data: Observations) -> tuple[ScalingModels, CombinedTrend]:
    begun = data if data.points.shape[1] > 1 else data.begun()
    models = fit(begun)
    errors = back_test(fit, begun, models)
    # formulas fit most kernels to rounding errors, as they fit no measurement
    quality, best = models.quality, models.rivals.coefficients[models.rivals.chosen]
    spare = quality.points - 1 - (best[:, 1:] != 0).sum(axis=1)
    exact = (quality.smape < ROUNDING) & (spare >= _SPARE)
    if 2 * int(exact.sum()) > len(models):
        errors = replace(errors, formulas_hold=1.0)
    local = local_trend(models.parameters, data, models.formula_values)
    if len(models.parameters) == 1:
        local = replace(local, misfit=_missed(models, local))
    trend = CombinedTrend(
        trend=local,
        noise=_noise_of_means(begun, models),
        errors=errors,
        shift=np.zeros(len(models)),
        grows=models.quality.probability_growing >= SURELY_GROWING,
    )
    first, alike = data.distinct()
    return replace(models, trend=trend, alike=alike if 2 * len(first) < len(alike) else None), trend


def _noise_of_means(data: Observations, models: ScalingModels) -> FloatArray:
    """Relative standard deviation of a kernel's means, float64[K]: from repetitions, else from the misfit."""
    degrees = np.maximum(data.count - 1, 0)
    repeated = (degrees > 0) & (data.mean > 0)
    relative = np.where(repeated, np.sqrt(data.squares) / np.where(repeated, data.mean, 1.0), 0.0) ** 2
    count = np.maximum(data.count, 1)
    variance = (relative / count).sum(axis=1) / np.maximum((degrees * repeated).sum(axis=1), 1)
    misfit = _TO_DEVIATION * models.quality.smape / 100
    return np.where(repeated.any(axis=1), np.sqrt(variance), misfit)


def with_remarks(models: ScalingModels, data: Observations) -> ScalingModels:
    """Note of which kernels the formula is not what is predicted, or not what was measured."""
    ahead, quality = (models.last * _AHEAD)[None], models.quality
    concerned = data.measured & (data.points[None] >= quality.valid_from[:, None]).all(axis=2)
    misses, misses_by_far = (
        (_far_apart(models.formula_values(data.points), data.mean, factor) & concerned).any(axis=1)
        for factor in (_MISSED, _MISSED_BY_FAR)
    )
    unreliable = misses_by_far | (quality.cv_smape > _LARGE_LEFT_OUT_ERROR) | (quality.points < ENOUGH_POINTS)
    note = quality.note | Note.MISSES_POINT * misses | Note.UNRELIABLE * unreliable
    if models.trend is not None:
        left = _far_apart(models.formula_values(ahead), models.predict(ahead).value, _LEFT)
        note |= Note.FOLLOWS_TREND * left.any(axis=1)
    return replace(models, quality=replace(quality, note=note))


def _far_apart(one: FloatArray, other: FloatArray, factor: float) -> BoolArray:
    """Tell where positive values differ by more than a factor, bool of any shape."""
    return (np.maximum(one, other) > factor * np.minimum(one, other)) & (other > 0)
