"""What `pipeline predict` says of a study at the targets, and the ratio of two such predictions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from pipeline.gate.estimates import Estimates
from pipeline.gate.kernel_values import SAME_VALUES, KernelId, KernelValues, Scope, StudyModels
from pipeline.models.agreeing_formulas import formula_range, prediction_formulas, total_formula
from pipeline.models.fit import fit_parts
from pipeline.models.formulas import FormulaRange, PredictionFormula
from pipeline.models.kernels import sum_groups
from pipeline.models.options import ModelOptions
from pipeline.models.plain_totals import with_plain_totals
from pipeline.models.prediction import LEAST_LOWER, LEVEL, Prediction
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import agreeing, agreeing_with_measured_sum, predict_total
from pipeline.questions.analysis import too_few_scales
from pipeline.questions.runtime.estimate import Estimate, from_predictions
from pipeline.statistics import NORMAL_90


@dataclass(frozen=True, eq=False, kw_only=True)
class Forecast(Rows):
    """Predictions of K kernels at Q targets."""

    kernels: tuple[KernelId, ...]
    prediction: Prediction  # float64[K, Q], with 90 % intervals
    # float64[K, Q], lower end of the interval over the predicted total: a kernel that is small now and large
    # only at the upper end of its prediction is ignored
    least_share: FloatArray
    degrees: FloatArray  # float64[K], degrees of freedom of the models' errors
    # of the prediction of each kernel, made when they are asked for
    formulas: tuple[Callable[[], PredictionFormula], ...]
    extrapolates: bool = True  # whether there are enough scales to predict others from

    def of(self, kernels: Sequence[KernelId]) -> "Forecast":
        """Return the forecast of some kernels."""
        place = {kernel: row for row, kernel in enumerate(self.kernels)}
        return self.take(np.array([place[kernel] for kernel in kernels], dtype=np.int64))


@dataclass(frozen=True, eq=False, kw_only=True)
class Forecasts(Rows):
    """Forecasts of two studies at the same Q targets."""

    _of_all = frozenset({"targets"})

    # `baseline` and `candidate`: the same kernels in the same order, unless `of` is still to choose them
    baseline: Forecast
    candidate: Forecast
    targets: FloatArray  # float64[Q, D]

    def of(self, kernels: Sequence[KernelId]) -> "Forecasts":
        """Return the forecasts of kernels that both studies have."""
        sides = (self.baseline.of(kernels), self.candidate.of(kernels))
        return Forecasts(baseline=sides[0], candidate=sides[1], targets=self.targets)


def modelled(study: KernelValues, options: ModelOptions) -> KernelValues:
    """Return the study with models of its call paths and regions, unless it has them.

    What the total holds beyond the kernels, as in a baseline without the small ones, is one more kernel.
    """
    if study.models is not None and study.models.values is study.values:
        return study
    measured = agreeing_with_measured_sum(_fitted(study, study.rows_of(Scope.CALLPATH), options))
    callpaths = with_plain_totals(measured, study.plain)
    rows = study.rows_of(Scope.REGION)
    regions = agreeing(_fitted(study, rows, options), callpaths) if len(rows) else None
    return replace(study, models=StudyModels(values=study.values, callpaths=callpaths, regions=regions))


def _fitted(study: KernelValues, rows: IntArray, options: ModelOptions) -> ScalingModels:
    """Fit the kernels of a level as parts of the total."""
    parts, total = study.values[rows], study.values[0]
    whole = sum_groups(parts, np.zeros(len(parts), dtype=np.int64), 1)[0]
    rest = np.maximum(total - np.nan_to_num(whole), 0.0)
    left_out = not len(rows) or bool((rest > SAME_VALUES * total).any())
    values = np.concatenate([parts, rest[None]]) if left_out else parts
    common = np.zeros(len(study.kernels)) if study.common_error is None else study.common_error
    return fit_parts(
        study.parameters,
        study.points,
        values,
        options,
        errors=np.append(common[rows], np.zeros(int(left_out))),
        of_sum=float(common[0]),
        plain=study.plain,
        per=study.per,
    )


def forecast(study: KernelValues, targets: FloatArray, options: ModelOptions) -> Forecast:
    """Predict a study, whose first kernel is the total, at the targets, float64[Q, D]."""
    models = modelled(study, options).models
    assert models is not None
    callpaths, kernels, points = models.callpaths, len(study.kernels), len(targets)
    total = predict_total(callpaths, targets, LEVEL)
    whole = callpaths.whole
    ends = np.repeat(np.stack([total.value, total.lower, total.upper]), kernels, axis=1)
    degrees = np.full(kernels, (callpaths if whole is None else whole).rivals.degrees.min())
    within = formula_range(callpaths, study.column, targets)
    formulas: list[Callable[[], PredictionFormula]] = [partial(total_formula, callpaths, within)] * kernels
    for level, scope in ((callpaths, Scope.CALLPATH), (models.regions, Scope.REGION)):
        if level is None:
            continue
        rows = study.rows_of(scope)
        found = level.predict(targets, LEVEL).take(np.arange(len(rows)))
        ends[:, rows] = np.stack([found.value, found.lower, found.upper])
        degrees[rows] = level.rivals.degrees[: len(rows)]
        for k, row in enumerate(rows.tolist()):
            formulas[row] = partial(_formula, level, within, k)
    prediction = Prediction(*ends)
    share = np.divide(prediction.lower, total.value, out=np.zeros((kernels, points)), where=total.value > 0)
    return Forecast(
        kernels=study.kernels,
        prediction=prediction,
        least_share=np.minimum(share, 1.0),
        degrees=degrees,
        formulas=tuple(formulas),
        extrapolates=not too_few_scales(study.points),
    )


def _formula(models: ScalingModels, within: FormulaRange, kernel: int) -> PredictionFormula:
    return prediction_formulas(models, within)[kernel]


def forecast_recognised(
    study: KernelValues, measured: KernelValues, targets: FloatArray, options: ModelOptions
) -> Forecast:
    """Predict a study some of whose call paths were moved: the others are predicted as they were measured."""
    ahead = forecast(measured, targets, options)
    if study.kernels == measured.kernels and study.values is measured.values:
        return ahead
    own = forecast(study, targets, options)
    row_of = {kernel: row for row, kernel in enumerate(measured.kernels)}
    rows = np.array([row_of.get(kernel, -1) for kernel in study.kernels], dtype=np.int64)
    same = (rows >= 0) & _equal(study.values, measured.values[rows])
    behind = np.where(same, rows, len(ahead.kernels) + np.arange(len(rows)))
    return Forecast.joined([ahead, own]).take(behind)


def _equal(one: FloatArray, other: FloatArray) -> BoolArray:
    """Return which kernels have equal values, float64[K, P, R] both: bool[K]."""
    if one.shape != other.shape:
        return np.zeros(len(one), dtype=np.bool_)
    equal: BoolArray = ((one == other) | (np.isnan(one) & np.isnan(other))).all(axis=(1, 2))
    return equal


def predicted_ratio(forecasts: Forecasts) -> Estimate:
    """Return candidate over baseline at the targets with 90 % intervals, float64[K, Q]; NaN if unknown.

    It is the ratio of the two predictions. The errors of two studies are taken for independent: what models
    of the same program miss alike would cancel, but nothing says how much that is.
    """
    sides = [
        from_predictions(replace(one, lower=np.maximum(one.lower, LEAST_LOWER * one.value)))
        for one in (forecasts.candidate.prediction, forecasts.baseline.prediction)
    ]
    known = np.logical_and(*(np.isfinite(one.value) & (one.value > 0) for one in sides))
    known &= forecasts.baseline.extrapolates and forecasts.candidate.extrapolates
    ratio = sides[0].over(sides[1])
    known &= np.isfinite(ratio.below) & np.isfinite(ratio.above)
    return Estimate(*(np.where(known, part, np.nan) for part in vars(ratio).values()))


def as_estimates(ratio: Estimate, forecasts: Forecasts) -> Estimates:
    """Return ratios of predictions as estimates that can be tested.

    The uncertainty of both models counts in full, so this is much less certain than the ratio of measured
    points; it serves if no common point can be compared. The upper half of the baseline's interval and the
    lower half of the candidate's separate "worse" from "alike"; they are taken as normal in the logarithm.
    """
    known = np.isfinite(ratio.value) & (ratio.below > 0)
    degrees = np.minimum(forecasts.baseline.degrees, forecasts.candidate.degrees)
    return Estimates(
        np.log(np.where(known, ratio.value, np.nan)),
        np.where(known, ratio.below, np.nan) / NORMAL_90,
        np.repeat(degrees[:, None], ratio.value.shape[1], axis=1),
    )
