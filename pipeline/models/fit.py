"""From measurements to models: the one entry to all ways of fitting."""

from dataclasses import replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import ModelError
from pipeline.models.back_test import back_test
from pipeline.models.fit_context import FitContext, make_context
from pipeline.models.hypotheses import SearchSpace
from pipeline.models.multi_parameter.fit import fit_observations
from pipeline.models.observations import Observations, Sample, observe, sample_of
from pipeline.models.one_term import fit_one_term
from pipeline.models.options import ModelOptions
from pipeline.models.posterior import Posterior, joined
from pipeline.models.quality import Note, correlation_of_errors, notes, smape
from pipeline.models.regimes import last_regime
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import reconciling_shift, summed
from pipeline.models.trend import CombinedTrend, local_trend


def fit(
    parameters: tuple[str, ...],
    points: FloatArray,
    values: FloatArray,
    options: ModelOptions | None = None,
    *,
    parts: bool = False,
) -> ScalingModels:
    """Fit a model to every kernel.

    Args:
        parameters: names of the D parameters.
        points: float64[P, D], positive.
        values: float64[K, P, R], repetitions apart, NaN where nothing was measured.
        options: how to fit.
        parts: whether the kernels are the parts of a sum: then it is modelled, too, and made known to them.

    Raises:
        ModelError: the arrays do not fit together, a parameter value is not positive or a value infinite.
    """
    options = options or ModelOptions()
    data = observe(points, values)
    if data.points.shape[1] != len(parameters):
        raise ModelError(f"{len(parameters)} parameter names for {data.points.shape[1]} parameters")
    models = _fit_with_trend(parameters, data, options)
    if parts and len(models) > 1 and models.trend is not None:
        whole = _fit_with_trend(parameters, summed(data), options)
        shift = reconciling_shift(models, whole)
        models = replace(
            models, trend=replace(models.trend, shift=shift), whole=_remarked(whole, summed(data))
        )
    return _remarked(models, data)


def _remarked(models: ScalingModels, data: Observations) -> ScalingModels:
    """Note of which kernels the formula is not what is predicted, or not what was measured."""
    ahead = (models.last * AHEAD)[None]
    misses = far_apart(models.values(data.points), data.mean, MISSED) & data.measured
    misses &= (data.points[None] >= models.valid_from[:, None]).all(axis=2)
    note = models.note | Note.MISSES_POINT * misses.any(axis=1)
    if models.trend is not None:
        left = far_apart(models.values(ahead), models.predict(ahead).value, LEFT)
        note |= Note.FOLLOWS_TREND * left.any(axis=1)
    return replace(models, note=note)


def far_apart(one: FloatArray, other: FloatArray, factor: float) -> BoolArray:
    """Tell where positive values differ by more than a factor, bool of any shape."""
    apart: BoolArray = (np.maximum(one, other) > factor * np.minimum(one, other)) & (other > 0)
    return apart


def _fit_with_trend(parameters: tuple[str, ...], data: Observations, options: ModelOptions) -> ScalingModels:
    models = _fit_formulas(parameters, data, options)
    if options.method == "leave-one-out":
        return models
    errors = back_test(lambda part: _fit_formulas(parameters, part, options), data)
    if without_error(models):
        errors = replace(errors, formulas_hold=1.0)
    trend = CombinedTrend(
        trend=local_trend(parameters, data, models.predict(data.points).value),
        noise=noise_of_means(data, models),
        errors=errors,
        shift=np.zeros(len(models)),
    )
    return replace(models, trend=trend)


def without_error(models: ScalingModels) -> bool:
    """Tell whether formulas fit most kernels to rounding errors, as they fit no measurement."""
    spare = models.points - 1 - (models.coefficients[:, 0, 1:] != 0).sum(axis=1)
    exact = (models.smape < ROUNDING) & (spare >= SPARE)
    return 2 * int(exact.sum()) > len(models)


def _fit_formulas(parameters: tuple[str, ...], data: Observations, options: ModelOptions) -> ScalingModels:
    if len(parameters) > 1:
        return fit_observations(parameters, data, options)
    if options.method == "leave-one-out":
        return fit_one_term(parameters, data, options)
    return fit_by_evidence(parameters, data, options)


def noise_of_means(data: Observations, models: ScalingModels) -> FloatArray:
    """Relative standard deviation of a kernel's means, float64[K]: from repetitions, else from the misfit."""
    degrees = np.maximum(data.count - 1, 0)
    repeated = (degrees > 0) & (data.mean > 0)
    relative = np.where(repeated, np.sqrt(data.squares) / np.where(repeated, data.mean, 1.0), 0.0) ** 2
    count = np.maximum(data.count, 1)
    variance = (relative / count).sum(axis=1) / np.maximum((degrees * repeated).sum(axis=1), 1)
    misfit = TO_DEVIATION * models.smape / 100
    return np.where(repeated.any(axis=1), np.sqrt(variance), misfit)


MISSED = 2.0  # factor by which a formula misses a point, from which it is said
AHEAD, LEFT = 4.0, 1.5  # factor beyond the range, and between formula and prediction there
ROUNDING = 1e-6  # per cent
SPARE = 2  # points beyond the coefficients, which no wrong formula goes through by chance
TO_DEVIATION = 1.25  # from a mean absolute error to a standard deviation
BLOCK = 256  # kernels fitted at once: a few MiB, whatever the number of kernels
ANOTHER_CHANGE = 0.1  # drift per root of a doubling of kernels that changed their behaviour once already


def fit_by_evidence(parameters: tuple[str, ...], data: Observations, options: ModelOptions) -> ScalingModels:
    """Weigh all hypotheses for every kernel.

    Kernels that no hypothesis fits within the noise are looked at again: if behaviour changes inside the
    range, only the last regime is fitted.

    Memory: the data, the models kept, and a few MiB for one block of kernels.
    """
    sample = sample_of(data)
    context = make_context(parameters[0], sample, options, options.nonnegative and data.nonnegative)
    parts: list[tuple[IntArray, Posterior]] = []
    start = np.zeros(len(sample), dtype=np.int64)
    unexplained = np.zeros(len(sample), dtype=bool)
    for first in range(0, max(len(sample), 1), BLOCK):
        kernels = np.arange(first, min(first + BLOCK, len(sample)))
        weighed, misfits = context.posterior(sample.take(kernels))
        doubtful, unexplained[kernels] = kernels[misfits], misfits
        start[doubtful] = last_regime(context, sample.take(doubtful))
        parts.append((kernels[start[kernels] == 0], weighed.take(start[kernels] == 0)))
        parts += _weigh_last_regimes(context, sample, doubtful[start[doubtful] > 0], start)
    return _assemble(parameters, data, context, joined(parts), start, unexplained)


def _weigh_last_regimes(
    context: FitContext, sample: Sample, kernels: IntArray, start: IntArray
) -> list[tuple[IntArray, Posterior]]:
    parts, one_term = [], context.one_term()
    for place in np.unique(start[kernels]):
        some = kernels[start[kernels] == place]
        last = sample.take(some).between(int(place), len(sample.points))
        weighed = one_term.at(last.points).posterior_of_segment(last)
        drift = np.sqrt(weighed.drift**2 + ANOTHER_CHANGE**2)
        before = sample.level[some, :place] * sample.largest[some, None]
        parts.append((some, replace(weighed, drift=drift).with_points_before(before)))
    return parts


def _assemble(
    parameters: tuple[str, ...],
    data: Observations,
    context: FitContext,
    kept: Posterior,
    start: IntArray,
    unexplained: BoolArray,
) -> ScalingModels:
    measured = data.measured & (np.arange(len(data.points)) >= start[:, None])
    note = notes(data) + Note.LAST_SEGMENT * (start > 0)
    note += Note.CANNOT_TELL * (kept.undecided & data.measured.any(axis=1))
    note += Note.OUTSIDE_SPACE * (unexplained & _at_the_edge(context.space, kept.chosen[:, 0]))
    return ScalingModels(
        parameters=parameters,
        terms=context.space.terms,
        hypotheses=context.space.hypotheses,
        sharpness=context.space.sharpness,
        first=data.points.min(axis=0),
        last=data.points.max(axis=0),
        nonnegative=context.nonnegative,
        correlation=correlation_of_errors(data.mean - kept.fitted, measured, kept.misfit_share),
        chosen=kept.chosen,
        weight=kept.weight,
        coefficients=kept.coefficients,
        covariance=kept.covariance,
        degrees=kept.degrees,
        drift=kept.drift,
        valid_from=data.points[start],
        probability_growing=kept.probability_growing,
        smape=smape(kept.fitted, data.mean, measured),
        cv_smape=smape(kept.left_out, data.mean, measured),
        points=data.measured.sum(axis=1),
        repetitions=data.count.max(axis=1),
        note=note,
    )


def _at_the_edge(space: SearchSpace, chosen: IntArray) -> BoolArray:
    """bool[K], whether no steeper term than the chosen model's was tried."""
    powers = np.array([float(t[0][0]) for t in space.terms])
    plain = space.hypotheses[space.sharpness == 1]
    most = powers[plain[plain >= 0]].max(initial=0.0)
    steepest = np.append(powers == most, False)[space.hypotheses] & (space.sharpness == 1)[:, None]
    edge: BoolArray = np.logical_or.reduce(steepest, axis=1)
    return edge[chosen]
