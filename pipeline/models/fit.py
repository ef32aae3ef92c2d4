"""From measurements to models: the one entry to all ways of fitting."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import ModelError
from pipeline.models.back_test import back_test
from pipeline.models.growth import shown_per
from pipeline.models.kernels import sum_groups
from pipeline.models.measured_range import missed
from pipeline.models.multi_parameter.several_parameters import fit_observations
from pipeline.models.observations import Observations, observe
from pipeline.models.one_parameter import experiment_setting, fit_by_evidence
from pipeline.models.one_term import fit_one_term
from pipeline.models.options import ModelOptions
from pipeline.models.quality import ENOUGH_POINTS, Note
from pipeline.models.scaling_models import LocationCount, ScalingModels
from pipeline.models.total import reconciling_shift, summed
from pipeline.models.trend import CombinedTrend, local_trend


def fit(
    parameters: tuple[str, ...],
    points: FloatArray,
    values: FloatArray,
    options: ModelOptions | None = None,
    *,
    parts: bool = False,
    per: LocationCount | None = None,
) -> ScalingModels:
    """Fit a model to every kernel.

    Args:
        parameters: names of the D parameters.
        points: float64[P, D], positive.
        values: float64[K, P, R], repetitions apart, NaN where nothing was measured.
        options: how to fit.
        parts: whether the kernels are the parts of a sum: then it is modelled, too, and made known to them.
        per: the locations if values are those of one: then the sum over all is modelled.

    Raises:
        ModelError: the arrays do not fit together, a parameter value is not positive or a value infinite.
    """
    if per is not None:
        values = values * per.at(np.asarray(points, dtype=np.float64))[:, None]
        return shown_per(fit(parameters, points, values, options, parts=parts), per)
    options = options or ModelOptions()
    data = observe(points, values)
    if data.points.shape[1] != len(parameters):
        raise ModelError(f"{len(parameters)} parameter names for {data.points.shape[1]} parameters")
    if len(parameters) > 1:
        fit_formulas: Callable[..., ScalingModels] = fit_observations
    elif options.method == "extra-p":
        fit_formulas = fit_one_term
    else:  # chosen once, back-tests and the sum are fitted in the same setting
        setting = experiment_setting(parameters[0], data, options)
        fit_formulas = partial(fit_by_evidence, setting=setting)

    def formulas(some: Observations) -> ScalingModels:
        first, place = some.distinct()
        if 2 * len(first) > len(place):
            return sure_of_zeros(fit_formulas(parameters, some, options), some)
        once = some.take(first)
        return sure_of_zeros(fit_formulas(parameters, once, options), once).take(place)

    if options.method == "extra-p":
        return with_remarks(formulas(data), data)
    return forecasts(formulas, data, parts=parts)


def fit_parts(
    parameters: tuple[str, ...],
    points: FloatArray,
    values: FloatArray,
    options: ModelOptions,
    *,
    errors: FloatArray,
    of_sum: float,
    per: LocationCount | None = None,
) -> ScalingModels:
    """Fit a model to every part of a sum, given what their values have wrong in common.

    A sum that is measured while its parts are estimated is modelled as if they were not there.

    Args:
        parameters, points, values, options, per: as of `fit`.
        errors: float64[K], standard deviations of the logarithms of errors that all values of a part share.
        of_sum: the same of the sum.

    Raises:
        ModelError: as of `fit`.
    """
    models = fit(parameters, points, values, options, parts=True, per=per)
    if not errors.any():
        return models
    if of_sum == 0.0 and len(models) > 1:
        everything = sum_groups(values, np.zeros(len(values), dtype=np.int64), 1)
        models = replace(models, whole=fit(parameters, points, everything, options, per=per))
    return models.with_common_error(errors, of_sum)


def sure_of_zeros(models: ScalingModels, data: Observations) -> ScalingModels:
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


MISSED = 2.0  # factor by which a formula misses a point, from which it is noted
MISSED_BY_FAR = 3.0  # from which nothing is concluded from the model
LARGE_LEFT_OUT_ERROR = 30.0  # per cent, the same
AHEAD, LEFT = 4.0, 1.5  # factor beyond the range, and between formula and prediction there
ROUNDING = 1e-6  # per cent
SURE = 0.995  # probability of growing that is written as 100 %
SPARE = 2  # points beyond the coefficients, which no wrong formula goes through by chance
TO_DEVIATION = 1.25  # from a mean absolute error to a standard deviation

Fit = Callable[[Observations], ScalingModels]


def forecasts(fit: Fit, data: Observations, *, parts: bool) -> ScalingModels:
    """Fit formulas and give them all that predictions beyond the range need.

    Args:
        fit: makes models without trends.
        data: K kernels.
        parts: whether they are the parts of a sum: then it is modelled, too, and made known to them.
    """
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
    if without_error(models):
        errors = replace(errors, formulas_hold=1.0)
    local = local_trend(models.parameters, data, models.values)
    if len(models.parameters) == 1:
        local = replace(local, misfit=missed(models, local))
    trend = CombinedTrend(
        trend=local,
        noise=noise_of_means(begun, models),
        errors=errors,
        shift=np.zeros(len(models)),
        grows=models.quality.probability_growing >= SURE,
    )
    return replace(models, trend=trend), trend


def without_error(models: ScalingModels) -> bool:
    """Tell whether formulas fit most kernels to rounding errors, as they fit no measurement."""
    quality, best = models.quality, models.rivals.coefficients[models.rivals.chosen]
    spare = quality.points - 1 - (best[:, 1:] != 0).sum(axis=1)
    exact = (quality.smape < ROUNDING) & (spare >= SPARE)
    return 2 * int(exact.sum()) > len(models)


def noise_of_means(data: Observations, models: ScalingModels) -> FloatArray:
    """Relative standard deviation of a kernel's means, float64[K]: from repetitions, else from the misfit."""
    degrees = np.maximum(data.count - 1, 0)
    repeated = (degrees > 0) & (data.mean > 0)
    relative = np.where(repeated, np.sqrt(data.squares) / np.where(repeated, data.mean, 1.0), 0.0) ** 2
    count = np.maximum(data.count, 1)
    variance = (relative / count).sum(axis=1) / np.maximum((degrees * repeated).sum(axis=1), 1)
    misfit = TO_DEVIATION * models.quality.smape / 100
    return np.where(repeated.any(axis=1), np.sqrt(variance), misfit)


def with_remarks(models: ScalingModels, data: Observations) -> ScalingModels:
    """Note of which kernels the formula is not what is predicted, or not what was measured."""
    ahead, quality = (models.last * AHEAD)[None], models.quality
    concerned = data.measured & (data.points[None] >= quality.valid_from[:, None]).all(axis=2)
    misses, misses_by_far = (
        (far_apart(models.values(data.points), data.mean, factor) & concerned).any(axis=1)
        for factor in (MISSED, MISSED_BY_FAR)
    )
    unreliable = misses_by_far | (quality.cv_smape > LARGE_LEFT_OUT_ERROR) | (quality.points < ENOUGH_POINTS)
    note = quality.note | Note.MISSES_POINT * misses | Note.UNRELIABLE * unreliable
    if models.trend is not None:
        left = far_apart(models.values(ahead), models.predict(ahead).value, LEFT)
        note |= Note.FOLLOWS_TREND * left.any(axis=1)
    return replace(models, quality=replace(quality, note=note))


def far_apart(one: FloatArray, other: FloatArray, factor: float) -> BoolArray:
    """Tell where positive values differ by more than a factor, bool of any shape."""
    apart: BoolArray = (np.maximum(one, other) > factor * np.minimum(one, other)) & (other > 0)
    return apart
