"""The sum of all kernels: modelled by itself, made known to the kernels, and predicted with its own interval.

Time moves between timers from scale to scale while their sum is smooth, and one timer that explodes takes
the sum with it: what the sum does by itself says something about its parts. Parts and sum are reconciled by
letting the parts move towards agreement in proportion to their variances, as least squares does (Hyndman and
others, "Optimal combination forecasts for hierarchical time series", 2011).

Regions and call paths have one total, too: the regions move towards the sum of the call paths as least
squares in logarithms does, in proportion to the variance of the logarithm times the value. So what is known
well hardly moves, and neither does what is too small to fill the gap. No region counts as known better than
the two sums agree.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.observations import Observations
from pipeline.models.prediction import LEAST_LOWER, LEVEL, Prediction, in_parts, widened
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.trend import LEAST_ROOM, MOST_TOTAL
from pipeline.statistics import TWO_SIDED, deviations

_REFERENCE = 4.0  # times the largest value of each parameter, where parts and sum are reconciled
SHARED = 0.4  # of the weight that the sum would have if its errors were independent of those of the parts
_MOST_VARIANCE = 4.0  # of a logarithm
BEND, APART = 0.5, 0.5  # what the interval counts of both, learned from real series
SIDE_BELOW, SIDE_ABOVE = 0.4, 0.8  # of what they add up to, that lies on either side
_HALVINGS, _STEEPEST_TILT = 60, 20.0  # of the bisection for a tilt, and the largest one


def summed(data: Observations) -> Observations:
    """Add up all kernels at the points where every one was measured."""
    measured = data.measured.all(axis=0)
    count = np.where(measured, data.count.min(axis=0), 0)
    return Observations(
        data.points,
        np.where(measured, data.mean.sum(axis=0), 0.0)[None],
        count[None],
        np.where(measured, data.squares.sum(axis=0), 0.0)[None],
    )


def reconciling_shift(models: ScalingModels, whole: ScalingModels) -> FloatArray:
    """How far each part moves per logarithm of the factor beyond the range, float64[K].

    Less, the more surely formulas hold: a sum of different normal forms is none.
    """
    point = (models.last * _REFERENCE)[None]
    reach = float(np.log(_REFERENCE) * (models.first < models.last).sum())
    parts, own = models.predict(point), whole.predict(point)
    value = parts.value[:, 0]
    nothing = np.zeros(len(models))
    if reach == 0 or not value.sum() > 0 or not own.value[0, 0] > 0:
        return nothing
    together = added(models, parts)
    of_parts, of_own = _log_variance(together)[0, 0], _log_variance(own)[0, 0]
    share = SHARED * of_parts / max(of_parts + of_own, 1e-300)
    wanted = value.sum() * float((own.value[0, 0] / value.sum()) ** share)
    variance = np.where(value > 0, _log_variance(parts)[:, 0], 0.0)
    astray = 1.0 if models.trend is None else 1 - models.trend.errors.formulas_hold
    return astray * _tilt(value[:, None], variance[:, None], np.array([wanted])) * variance / reach


def _log_variance(prediction: Prediction) -> FloatArray:
    """Variance of the logarithm, from the upper end of the interval."""
    known = prediction.value > 0
    ratio = np.where(known, prediction.upper, 1.0) / np.where(known, prediction.value, 1.0)
    return np.asarray(np.minimum((np.log(np.maximum(ratio, 1.0)) / TWO_SIDED) ** 2, _MOST_VARIANCE))


def _tilt(value: FloatArray, variance: FloatArray, wanted: FloatArray) -> FloatArray:
    """Solve sum(value * exp(x * variance)) = wanted by bisection, float64[Q], for float64[K, Q]."""
    low, high = np.full(wanted.shape, -_STEEPEST_TILT), np.full(wanted.shape, _STEEPEST_TILT)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        power = np.minimum(
            np.maximum(middle * variance, -_STEEPEST_TILT), _STEEPEST_TILT
        )  # np.clip takes three times as long
        less = (value * np.exp(power)).sum(axis=0) < wanted
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    return np.asarray((low + high) / 2)


def added(models: ScalingModels, prediction: Prediction) -> Prediction:
    """Sum predictions over all kernels, with the interval that their correlation gives: one row."""
    return prediction.combine(lambda a: np.asarray(a.sum(axis=0, keepdims=True)), models.correlation)


def predict_total(models: ScalingModels, points: FloatArray, level: float = LEVEL) -> Prediction:
    """Predict the sum of all kernels at points float64[Q, D], one row: the value is the sum of their values.

    Beyond the range the interval grows with how far the sum disagrees with its own model, and with how much
    the curve of the sum bends at its end, the best sign of how far it can be trusted. If formulas hold, it is
    that of the added kernels.
    """
    if models.predictor is not None and models.kernels is not None:
        found = models.predictor.total(points, level, models.kernels)
        if found is not None:
            return found
    if models.common_error is None:
        return _total(models, points, level)
    source = models if models.whole is None else models.whole
    total = _total(models.with_common_error(None, None), points, level)
    error = np.zeros(1) if source.common_error is None else source.common_error.max(keepdims=True)
    lower, value, upper = widened(np.stack([total.lower, total.value, total.upper]), error, level)
    return Prediction(value, lower, upper)


def _total(models: ScalingModels, points: FloatArray, level: float) -> Prediction:
    together, coherent = _sum_of_parts(models, points, level)
    if models.whole is None or models.whole.trend is None or models.trend is None:
        return _bounded(together, models, points, level) if len(models) == 1 else together
    usual, own = _sum_of_parts(models, points, LEVEL)[0], models.whole.predict(points)
    trend = models.whole.trend.trend
    reach = trend.reach(points).sum(axis=1)
    usable = (reach > 0) & (together.value > 0) & (own.value > 0)
    value = np.where(usable, together.value, 1.0)
    apart = np.abs(np.log(np.where(usable, own.value, 1.0) / value))
    side = np.sqrt(np.minimum(_log_variance(usual), _log_variance(own))) * TWO_SIDED
    wider = _wider(level)
    half = BEND * trend.bend() * reach + APART * apart + side
    hold = models.trend.errors.formulas_hold
    ends = [
        np.exp(
            wider * ((1 - hold) * sign * part * half + hold * np.log(np.maximum(end / value, LEAST_LOWER)))
        )
        for sign, part, end in ((-1, SIDE_BELOW, usual.lower), (1, SIDE_ABOVE, usual.upper))
    ]
    lower = models.whole.raised(np.where(usable, ends[0] * value, together.lower), together.value, points)
    found = Prediction(together.value, lower, np.where(usable, ends[1] * value, together.upper))
    bounded = _bounded(coherent(found), models.whole, points, level)
    return replace(bounded, upper=coherent(bounded).upper)


def _wider(level: float) -> float:
    """Return how much wider intervals are than those of `LEVEL`, as normal ones are."""
    return deviations(level) / deviations(LEVEL)


def _bounded(total: Prediction, whole: ScalingModels, points: FloatArray, level: float) -> Prediction:
    """Bound the interval of a sum beyond the range by what its own measurements, one row, may become.

    Its upper end is at most the last value times the square of the factor, its lower end at most the straight
    line, and what the points before a wild last run lead to.
    """
    if whole.trend is None:
        return total
    trend, part = whole.trend.trend, whole.trend.errors.bounded
    reach = trend.reach(points).sum(axis=1)
    known = (reach > 0) & (total.lower > 0)
    shown = np.log(whole.divisor(points))
    lower, value, upper = np.log(np.where(known, [total.lower, total.value, total.upper], 1.0))
    least = np.fmin(trend.at(points, straight=True), trend.without_accident(points)) - shown
    most = np.maximum(trend.most(points, MOST_TOTAL) - shown, value + LEAST_ROOM * reach)
    wider = _wider(level)
    least, most = (value + wider * (end - value) for end in (np.fmin(least, value), most))
    lower = np.exp(lower - part * np.fmax(lower - least, 0.0))
    upper = np.exp(upper - part * np.maximum(upper - most, 0.0))
    return Prediction(total.value, np.where(known, lower, total.lower), np.where(known, upper, total.upper))


def wild_last_run(whole: ScalingModels) -> list[str]:
    """Say that the last run of a sum, one row, left the points before it by far, if it did."""
    trend = None if whole.trend is None else whole.trend.trend
    if trend is None or not np.isfinite(trend.usual[0]):
        return []
    factor = float(np.exp(trend.logs[0, -1] - trend.usual[0]))
    return [
        f"the last run took {factor:.2g} times as long as the points before it lead to: "
        "an accident or a break, so intervals hold both; repeat it"
    ]


def _sum_of_parts(
    models: ScalingModels, points: FloatArray, level: float
) -> tuple[Prediction, Callable[[Prediction], Prediction]]:
    """Predict the sum from its parts alone, and return what makes another interval of it agree with them.

    If no part is below zero, the sum lies nowhere below the sum of the parts' lower ends, nor above that of
    their upper ends, and its upper end is not below that of any part.
    """

    def all_at(new: FloatArray) -> FloatArray:
        found = []
        for some in in_parts(new, len(models)):
            parts = models.predict(some, level)
            one = added(models, parts)
            bounds = (parts.lower.sum(axis=0), parts.upper.sum(axis=0), parts.upper.max(axis=0))
            found.append(np.stack([one.lower, one.value, one.upper, *(bound[None] for bound in bounds)]))
        return np.concatenate(found, axis=2)

    lower, sums, upper, least, most, largest = models.totals.predict(points, level, all_at)

    def coherent(total: Prediction) -> Prediction:
        if not models.nonnegative:
            return total
        inside = np.clip(total.upper, largest, most)
        return Prediction(total.value, np.minimum(np.maximum(total.lower, least), total.value), inside)

    return Prediction(sums, lower, upper), coherent


_SMALLEST = 1e-300


@dataclass(frozen=True, eq=False)
class Agreement:
    """Coarse parts of a sum whose predictions add up to those of its fine parts, whose sum is the total."""

    coarse: ScalingModels
    fine: ScalingModels

    def predict(self, points: FloatArray, level: float) -> Prediction:
        """Predict all coarse parts."""
        own = self.coarse.predict(points, level)
        factor = self._factors(own, points, level)
        value, lower, upper = (part * factor for part in (own.value, own.lower, own.upper))
        if self.coarse.common_error is None:
            lower = self.coarse.raised(lower, value, points)
        ahead = (points > self.fine.last).any(axis=1)
        if self.coarse.nonnegative and ahead.any():  # a part is no larger than the sum
            most = predict_total(self.fine, points[ahead], level).upper
            upper[:, ahead] = np.clip(upper[:, ahead], value[:, ahead], np.maximum(most, value[:, ahead]))
        return Prediction(value, lower, upper)

    def expected(self, points: FloatArray) -> FloatArray:
        """Return the values of all coarse parts."""
        own = self.coarse.predict(points)
        return own.value * self._factors(own, points, LEVEL)

    def _factors(self, own: Prediction, points: FloatArray, level: float) -> FloatArray:
        return _factors(own, self.fine.sum_of_values(points, level))

    def total(self, points: FloatArray, level: float, kernels: IntArray) -> Prediction:
        """Predict the sum of all, whichever kernels are asked for."""
        return predict_total(self.fine, points, level)

    def with_common_error(self, error: FloatArray | None, of_sum: float | None) -> "Agreement":
        """Return the same: the parts keep the errors of their own."""
        return self


def agreeing(coarse: ScalingModels, fine: ScalingModels) -> ScalingModels:
    """Make the coarse parts of a sum agree with its fine parts."""
    return coarse.predicted_by(Agreement(coarse, fine))


def agreeing_with_measured_sum(models: ScalingModels) -> ScalingModels:
    """Make parts that are estimated agree with the model of their sum if that was measured."""
    whole = models.whole
    if whole is None or models.common_error is None or whole.common_error is None or whole.common_error.any():
        return models
    return agreeing(models, whole)


def brought_to(parts: Prediction, usual: Prediction, total: Prediction) -> Prediction:
    """Bring the parts of a sum to its prediction, one row, above whose interval none reaches.

    Parts may be at any level; how far each may move says the usual one.
    """
    factor = _factors(usual, total.value[0])
    value, lower, upper = (end * factor for end in (parts.value, parts.lower, parts.upper))
    return Prediction(value, lower, np.clip(upper, value, np.maximum(total.upper, value)))


@dataclass(frozen=True, eq=False)
class Groups:
    """Sums of some of the parts of a sum, with intervals between those of the parts and that of the total.

    The errors of the parts correlate as much as the interval of the total tells. So a group of one part has
    the interval of that part, and the group of all has that of the total.
    """

    parts: ScalingModels  # K models
    group: IntArray  # int64[K], which group each part belongs to
    count: int

    def predict(self, points: FloatArray, level: float) -> Prediction:
        """Predict all groups."""
        parts, total = self.parts.predict(points, level), predict_total(self.parts, points, level)
        value = self._sums(parts.value)
        lower = value - self._half_width(parts.value - parts.lower, total.value - total.lower)
        upper = value + self._half_width(parts.upper - parts.value, total.upper - total.value)
        if self.parts.nonnegative:  # a group is no larger than the total
            lower, upper = np.maximum(lower, 0.0), np.clip(upper, value, np.maximum(total.upper, value))
        return Prediction(value, lower, upper)

    def expected(self, points: FloatArray) -> FloatArray:
        """Return the values of all groups."""
        return self._sums(self.parts.expected(points))

    def total(self, points: FloatArray, level: float, kernels: IntArray) -> Prediction | None:
        """Predict the sum of all groups; None for some of them."""
        return predict_total(self.parts, points, level) if len(kernels) == self.count else None

    def with_common_error(self, error: FloatArray | None, of_sum: float | None) -> "Groups":
        """Return the same: the parts keep the errors of their own."""
        return self

    def _half_width(self, parts: FloatArray, total: FloatArray) -> FloatArray:
        """Return the half-widths of the groups, float64[G, Q], from float64[K, Q] and float64[1, Q]."""
        squares, sums = (parts * parts).sum(axis=0), parts.sum(axis=0) ** 2
        correlation = np.zeros(len(sums))
        np.divide(total[0] ** 2 - squares, sums - squares, out=correlation, where=sums > squares)
        variance = (1 - correlation) * self._sums(parts * parts) + correlation * self._sums(parts) ** 2
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    def _sums(self, parts: FloatArray) -> FloatArray:
        found = np.zeros((self.count, parts.shape[1]))
        np.add.at(found, self.group, parts)
        return found


def _factors(coarse: Prediction, total: FloatArray) -> FloatArray:
    """By what each coarse part is multiplied, float64[K, Q], for totals float64[Q].

    It is 1 if no factors make the sums equal.
    """
    value = coarse.value
    rising = np.where(value > 0, value, 0.0)
    wanted = total - (value - rising).sum(axis=0)
    factors, some = np.ones(value.shape), (wanted > 0) & (rising.sum(axis=0) > 0)
    if some.any():
        rising, wanted = rising[:, some], wanted[some]
        gap = np.log(wanted / rising.sum(axis=0))
        weight = (_log_variance(coarse)[:, some] + gap**2) * rising
        share = weight / np.maximum(weight.max(axis=0), _SMALLEST)
        moved = np.exp(_tilt(rising, share, wanted) * share)
        left = wanted / (rising * moved).sum(axis=0)  # rounding
        factors[:, some] = np.where(value[:, some] > 0, moved * left, 1.0)
    return factors
