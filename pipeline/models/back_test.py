"""Back-tests: formulas, trends and totals at the largest measured scales, predicted from the smaller ones.

What is found is drawn towards what was found on real series of many applications (`benchmarks/real_series`),
since a few kernels at one or two scales tell little.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.experiment import Experiment
from pipeline.models.kernels import Kernels, mean_over_repetitions, sum_groups
from pipeline.models.observations import ZERO_KERNEL, ErrorModel, Observations
from pipeline.models.prediction import Prediction
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import predict_total
from pipeline.models.trend import ForecastErrors, local_trend
from pipeline.statistics import TWO_SIDED, from_odds, pool_variances

_MISFIT = 0.05  # relative, of formulas that are not all there is, typical of real programs
_SMALLEST_NOISE = 1e-10  # relative variance; smaller errors are rounding of the profile
_WORST, BEST = -20.0, 8.0  # log odds that one kernel gives at least and at most


def odds_of_fit(models: ScalingModels, data: Observations) -> tuple[float, float]:
    """Hold the residuals of the chosen formulas against the noise that repetitions show.

    If formulas hold, residuals are as large as the noise of the means; otherwise `_MISFIT` adds to it. Mean
    log odds per kernel that formulas hold, and the number of kernels that say so; 0 and 0 if nothing was
    repeated.
    """
    used = data.measured & (data.mean > 0)
    largest = np.where(used, data.mean, ZERO_KERNEL).max(axis=1, keepdims=True)
    unit = largest * ErrorModel().scale(np.where(used, data.mean, 0.0) / largest)
    degrees = (np.maximum(data.count - 1, 0) * used).sum(axis=1).astype(np.float64)
    terms = (models.rivals.coefficients[models.rivals.chosen][:, 1:] != 0).sum(axis=1)
    spare = used.sum(axis=1) - 1 - 2 * terms  # exponents were chosen, too
    telling = (degrees > 0) & (spare > 0)
    if not telling.any():
        return 0.0, 0.0
    single = np.where(used, data.squares / unit**2, 0.0).sum(axis=1)[telling]
    degrees, spare = degrees[telling], spare[telling]
    pool = pool_variances(np.maximum(single / degrees, _SMALLEST_NOISE), degrees)
    noise = (single + pool.degrees * pool.variance) / (degrees + pool.degrees)
    squares = _squares(models, data, np.where(used, np.sqrt(data.count) / unit, 0.0))[telling] / noise
    count = np.where(used, data.count, 0)[telling].sum(axis=1) / used[telling].sum(axis=1)
    gain = _MISFIT**2 * count / noise
    odds = (spare * np.log1p(gain) - squares * gain / (1 + gain)) / 2
    return float(np.clip(odds, _WORST, BEST).mean()), float(len(odds))


def _squares(models: ScalingModels, data: Observations, weight: FloatArray) -> FloatArray:
    """Squared residuals of the chosen formulas by weights float64[K, P], fitted anew by these: float64[K].

    Models may have been fitted as if small values counted less.
    """
    chosen = models.rivals.hypothesis[models.rivals.chosen]
    left = ((models.formula_values(data.points) - data.mean) * weight) ** 2
    design = models.hypotheses.design(data.points)[chosen] * weight[..., None]
    target = (data.mean * weight)[..., None]
    refitted = ((target - design @ (np.linalg.pinv(design) @ target)) ** 2)[..., 0]
    straight = (models.hypotheses.sharpness[chosen] == 1)[:, None]
    return np.asarray(np.where(straight, refitted, left).sum(axis=1))


_KERNELS = 128  # of most effort, that are tested; with D parameters, each of which is hidden, 1/D^2 of them
_FEWEST_POINTS = 3  # from which models are made
_REACHES = (2.0, 4.0)  # factors between the scales that are left and the largest one
FORMULA_ERROR, TREND_ERROR = 0.2, 0.2  # relative errors per unit of the logarithm on real series
_PLANE_ERROR = 0.3  # the same of trends of several parameters, on real grids
WORTH = 3.0  # how many independent kernels that is worth
_SHARED_CAUSES = 20.0  # kernels of one program that count as one when it is asked whether formulas hold
_BY_EFFORT = 0.5  # neither may one large kernel decide alone, nor many small ones
_LARGEST_ERROR = 1.0  # larger ones count as this
_FORMULAS_HOLD = 1e-3  # probability that a normal form and noise are all there is
_HOLD_IF_REPEATED = 0.5  # the same if repetitions at many points show what noise is
_MANY_POINTS, _MANY_REPETITIONS = 5, 3
_TAILS = 4.0  # degrees of freedom of the errors: intervals of few points have long tails
_EXACT = 1e-6  # errors below this are rounding


def back_test(
    fit: Callable[[Observations], ScalingModels], data: Observations, models: ScalingModels
) -> ForecastErrors:
    """Compare with models fitted without a trend and without the largest values of each parameter in turn."""
    parameters = data.points.shape[1]
    heavy = np.argsort(-np.abs(data.mean).max(axis=1), kind="stable")[: _KERNELS // parameters**2]
    data, models = data.take(heavy), models.take(heavy)
    formula = np.full(parameters, WORTH * FORMULA_ERROR**2)
    trend = np.full(parameters, WORTH * (TREND_ERROR if parameters == 1 else _PLANE_ERROR) ** 2)
    worth = np.full(parameters, WORTH)
    likely, kernels_that_tell = odds_of_fit(models, data)
    least = np.where(data.measured, data.count, 0).min(axis=0, initial=_MANY_REPETITIONS)
    repeated = (least >= _MANY_REPETITIONS).sum() >= _MANY_POINTS
    hold = _HOLD_IF_REPEATED if repeated else _FORMULAS_HOLD
    odds = float(np.log(hold / (1 - hold))) + _shared(kernels_that_tell) * likely
    for parameter, inner in splits(data.points):
        known, hidden = data.at(inner), data.at(~inner)
        found = _compare(fit(known), known, hidden)
        if not found.weight.any():
            continue
        kernels = found.weight.sum(axis=1)
        independent = kernels.sum() ** 2 / (kernels**2).sum()
        share = found.weight / found.weight.sum()
        formula[parameter] += independent * max(float((share * found.of_formula.excess).sum()), 0.0)
        trend[parameter] += independent * max(float((share * found.of_trend.excess).sum()), 0.0)
        worth[parameter] += independent
        likely = float((share * found.of_formula.log_odds(FORMULA_ERROR)).sum())
        odds += _shared(independent) * likely
    return ForecastErrors(
        formula=np.sqrt(formula / worth), trend=np.sqrt(trend / worth), formulas_hold=float(from_odds(odds))
    )


def _shared(kernels: float) -> float:
    """How much of evidence kernels of one program are."""
    return max(kernels - _SHARED_CAUSES, min(kernels, 1.0))


def splits(points: FloatArray) -> Iterator[tuple[int, BoolArray]]:
    """Yield parameters and which of the points float64[P, D] are left without their largest values.

    Those that lie a factor below the largest value; nothing if too few are left.
    """
    found: set[tuple[int, bytes]] = set()
    varies = points.min(axis=0) < points.max(axis=0)
    for parameter, column in enumerate(points.T):
        for reach in _REACHES:
            inner: BoolArray = column * reach <= column.max() * (1 + 1e-9)
            if not enough(points[inner], varies):
                inner = column < column.max()
            if enough(points[inner], varies) and (parameter, inner.tobytes()) not in found:
                found.add((parameter, inner.tobytes()))
                yield parameter, inner


def enough(points: FloatArray, varies: BoolArray) -> bool:
    """Tell whether models can be made from points: every parameter needs some values."""
    values = [len(np.unique(column)) for column in points.T[varies]]
    return min(values, default=0) >= _FEWEST_POINTS


@dataclass(frozen=True, eq=False)
class _Errors:
    """Errors of predictions per logarithm of the factor beyond the range, float64[K, Q] each."""

    squared: FloatArray  # their squares
    explained: FloatArray  # the squares that noise and the predictions' own intervals make likely

    @property
    def excess(self) -> FloatArray:
        """Squared errors beyond what is explained."""
        return self.squared - self.explained

    def log_odds(self, size: float) -> FloatArray:
        """Log odds that nothing but what is explained errs, against errors of a size beside it."""
        alone = np.maximum(self.explained, _EXACT**2)
        more = alone + size**2
        tails = [np.log1p(self.squared / (_TAILS * variance)) for variance in (more, alone)]
        return 0.5 * (np.log(more / alone) + (_TAILS + 1) * (tails[0] - tails[1]))


@dataclass(frozen=True, eq=False)
class _WeighedErrors:
    """Predictions held against measurements: errors and weights, float64[K, Q]."""

    of_formula: _Errors
    of_trend: _Errors
    weight: FloatArray


def _compare(models: ScalingModels, known: Observations, hidden: Observations) -> _WeighedErrors:
    lines = local_trend(models.parameters, known, models.formula_values)
    reach = lines.reach(hidden.points).sum(axis=1)
    span = np.where(reach > 0, reach, 1.0)
    trend, misfit = lines.at(hidden.points), np.exp(lines.misfit_at(hidden.points))
    prediction = models.predict(hidden.points)
    prediction = Prediction(*(a * misfit for a in (prediction.value, prediction.lower, prediction.upper)))
    usable = hidden.measured & (hidden.mean > 0) & (reach > 0) & (prediction.value > 0)
    usable &= np.isfinite(trend)
    mean, value = (np.where(usable, a, 1.0) for a in (hidden.mean, prediction.value))
    truth = np.log(mean)
    side = np.where(mean > value, prediction.upper - prediction.value, prediction.value - prediction.lower)
    spread = np.where(usable, side / value / TWO_SIDED, 0.0)
    repeated = np.maximum(hidden.count - 1, 1) * np.maximum(hidden.count, 1)
    noise = np.where(usable, hidden.squares / repeated / mean**2, 0.0)

    def errors(predicted: FloatArray, explained: FloatArray) -> _Errors:
        error = np.clip(np.where(usable, predicted - truth, 0.0) / span, -_LARGEST_ERROR, _LARGEST_ERROR)
        return _Errors(error**2, np.minimum(explained / span**2, _LARGEST_ERROR**2))

    effort = np.where(usable, hidden.mean, 0.0)
    weight = _BY_EFFORT * effort / max(effort.sum(), 1e-300) + (1 - _BY_EFFORT) * usable / max(
        usable.sum(), 1
    )
    return _WeighedErrors(
        errors(np.log(value), spread**2 + noise),
        errors(np.where(usable, trend, 0.0), 2 * noise),
        weight * (reach / max(reach.max(), 1e-300)) ** 2,
    )


_ONE_BY_ONE = 128  # kernels that are modelled one by one


@dataclass(frozen=True, kw_only=True)
class BackTest:
    """What a study without its largest scale predicts for the total there, in the unit of the kernels."""

    point: tuple[float, ...]  # the largest measured point, D values
    extrapolation: float  # its scale over the largest that was left
    # value, lower, upper: the prediction with its 90 % interval
    value: float
    lower: float
    upper: float
    measured: float  # the total that was measured
    # what `measured` is: ``measured``, or ``corrected`` by an estimate of the overhead
    judged_by: str = "measured"

    @property
    def relative_error(self) -> float:
        """Prediction less measurement, over the measurement."""
        return self.value / self.measured - 1

    @property
    def inside(self) -> bool:
        """Whether the measurement lies in the interval."""
        return self.lower <= self.measured <= self.upper


def back_test_total(
    fit_parts: Callable[[FloatArray, FloatArray], ScalingModels],
    experiment: Experiment,
    kernels: Kernels,
    column: int,
    largest: int,
) -> BackTest | None:
    """Fit without the largest scale and predict the total there; None without enough scales or a total.

    To bound the cost, the kernels beyond the `_ONE_BY_ONE` of most effort count as one. Models are made from
    points float64[P, D] and values float64[K, P, R], the parts of a sum.
    """
    points = experiment.points
    scale = points[:, column]
    left = scale < scale.max()
    varies: FloatArray = points.min(axis=0) < points.max(axis=0)
    measured = float(mean_over_repetitions(kernels.total.values)[0, largest])
    if not left.any() or not enough(points[left], np.asarray(varies)) or not measured > 0:
        return None
    values = _largest_and_rest(kernels.values)
    found = predict_total(fit_parts(points[left], values[:, left]), points[largest][None])
    value, lower, upper = (float(part[0, 0]) for part in (found.value, found.lower, found.upper))
    return BackTest(
        point=tuple(points[largest].tolist()),
        extrapolation=float(scale.max() / scale[left].max()),
        value=value,
        lower=lower,
        upper=upper,
        measured=measured,
    )


def _largest_and_rest(values: FloatArray) -> FloatArray:
    """Sum all but the largest of float64[K, P, R] into one, the last of at most `_ONE_BY_ONE` + 1."""
    if len(values) <= _ONE_BY_ONE + 1:
        return values
    order = np.argsort(-np.abs(np.nan_to_num(values)).max(axis=(1, 2)), kind="stable")
    group = np.empty(len(values), dtype=np.int64)
    group[order] = np.minimum(np.arange(len(values)), _ONE_BY_ONE)
    return sum_groups(values, group, _ONE_BY_ONE + 1)
