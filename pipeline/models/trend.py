"""Where kernels are heading at the largest measured scale: local slopes of logarithms.

On real machines a line through the last points in logarithms predicts the next scales about as well as the
best normal form, and errs in other cases: formulas follow the whole range, trends only its end. Both are
combined beyond the measured range, each by how far it was off when it predicted the largest measured scale
from the smaller ones (`back_test`). Combinations of forecasts have been found to beat their parts since Bates
and Granger ("The combination of forecasts", 1969).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ingest.arrays import BoolArray, FloatArray, Rows
from ingest.parameter_roles import counts_processes
from pipeline.models.observations import Observations
from pipeline.models.prediction import LEVEL, widened
from pipeline.statistics import OF_MEDIAN_DEVIATION, deviations

HALF_LIFE = 0.7  # doublings in which the weight of a point for the slope halves
STEEPEST_FALL = -0.5  # steeper falls were not kept up in any real series
STEEPEST_RISE = 1.5  # nor were steeper rises with the number of processes
STEEPEST_RISE_OF_SIZES = 5.0  # along the edge of a mesh in three dimensions, they are
_RIDGE = 1e-3  # of the squared logarithms, so that a parameter that does not vary gets the slope 0
FULL_REACH = 0.2  # logarithm of the factor beyond the range from which trends count in full
_SMALLEST_END = 1e-9  # of a value, what counts as the lower end of its interval in logarithms
_MOST_MISFIT = 1.0  # of a logarithm, that formulas of several parameters miss near a point and go on to miss
_LOPSIDED = 3.0  # times the logarithm up to the upper end, that the lower end of a formula counts at most
OVERHEAD_POWER = 1.4  # of the processes, with which the overhead of strong scaling grows beside constant work
SIZE_POWER = 1.3  # of a size, with which work grows beside what it costs to start it
STRAIGHTENS = 0.1  # slope from which trends bend less; at 1 they are straight
PROPORTIONAL = (
    0.75  # slope of the total from which processes are taken to be added with the work: weak scaling
)
KEPT_SLOPE = 0.5  # of what a slope exceeds 1 by, that weak scaling keeps up
_MOST_VALUE, _MOST_UPPER = 1.5, 3.0  # powers of the factor beyond the range, of values and of upper ends
MOST_TOTAL = 2.0  # the same of upper ends of sums
LEAST_ROOM = MOST_TOTAL - _MOST_VALUE  # power that bounds leave between a value and its upper end
BELOW, ABOVE = 1.4, 1.8  # stretch of the 90 % interval downwards and upwards, from real series


@dataclass(frozen=True, eq=False, kw_only=True)
class Trend(Rows):
    """What K kernels were measured at P points, for the trend at any of them."""

    _of_all = frozenset({"points", "steepest", "power", "kept", "counts"})

    points: FloatArray  # float64[P, D]
    # float64[K, P], logarithms of the means, infinite for 0, NaN for what is negative or was not measured
    logs: FloatArray
    steepest: FloatArray  # float64[D], largest slope along each parameter
    # float64[K, P], by how much the logarithms exceed those of the formulas. With one parameter, whose
    # formulas follow the last points anyway, only what cannot be noise (`measured_range`)
    misfit: FloatArray
    # float64[D], of the part that grows while the rest stays: slopes from 0 to 1 bend up to it; 0 if straight
    power: FloatArray
    kept: FloatArray  # float64[D], of what slopes exceed 1 by
    counts: BoolArray  # bool[D], which parameters count processes
    # float64[K], slope before the last point, 0 if unknown: what was steep before may go on so
    steady: FloatArray
    # float64[K], logarithms at the last point by the points before, where a single run left them by far: an
    # accident or a break. Infinite elsewhere
    usual: FloatArray

    def at(self, points: FloatArray, *, straight: bool = False) -> FloatArray:
        """Return the logarithms of the values, float64[K, Q], at float64[Q, D] points; NaN without a trend.

        The trend is that at the nearest point of the measured range; what lies below the range gets the value
        at its end. A straight one does not bend beyond it.
        """
        inside, reach = self.nearest(points), self.reach(points)
        places, which = np.unique(inside, axis=0, return_inverse=True)
        found = np.empty((len(self.logs), len(points)))
        for place, point in enumerate(places):
            asked = which.reshape(-1) == place
            level, slope = self._local(point)
            further = slope @ reach[asked].T if straight else self._onwards(slope, reach[asked])
            found[:, asked] = level[:, None] + further
        return found

    def most(self, points: FloatArray, power: float) -> FloatArray:
        """Return logarithms of the last values times a power of the factor beyond the range, float64[K, Q].

        Of parameters that count processes; infinite where others are extrapolated or nothing was measured.
        """
        reach = self.reach(points)
        places, which = np.unique(self.nearest(points), axis=0, return_inverse=True)
        last = np.column_stack([self._local(place)[0] for place in places])[:, which.reshape(-1)]
        bound = np.where(np.isfinite(last), last, np.inf)
        bound = bound + (power + self._steeper[:, None]) * reach.sum(axis=1)
        return np.where(reach[:, ~self.counts].any(axis=1), np.inf, bound)

    def _onwards(self, slope: FloatArray, reach: FloatArray) -> FloatArray:
        """What slopes float64[K, D] add to the logarithms over reaches float64[Q, D], float64[K, Q].

        A constant beside a part that grows with a power q: of the value at the end of the range, the slope
        there over q is that part. Steep slopes go on as they are: what grows about with the parameter has
        no constant part worth the name.
        """
        found = np.zeros((len(slope), len(reach)))
        for s, ahead, power, kept in zip(slope.T, reach.T, self.power, self.kept, strict=True):
            straight = np.where(s > 1, 1 + kept * (s - 1), s)[:, None] * ahead
            if power == 0:
                found += straight
                continue
            bends = np.where(s > 0, np.clip((1 - s) / (1 - STRAIGHTENS), 0.0, 1.0), 0.0)[:, None]
            part = np.clip(s / power, 0.0, 1.0)[:, None]
            found += bends * np.log1p(part * np.expm1(power * ahead)) + (1 - bends) * straight
        return found

    def nearest(self, points: FloatArray) -> FloatArray:
        """Return the nearest points of the measured range, float64[Q, D]."""
        return np.clip(points, self.points.min(axis=0), self.points.max(axis=0))

    def reach(self, points: FloatArray) -> FloatArray:
        """How far points lie beyond the range: logarithms of the factors, float64[Q, D], not below 0."""
        return np.asarray(np.log(np.maximum(points / self.points.max(axis=0), 1.0)))

    def without_accident(self, points: FloatArray) -> FloatArray:
        """Return logarithms, float64[K, Q], if a wild last run was an accident; infinite without one."""
        return np.asarray(self.usual[:, None] + self.steady[:, None] * self.reach(points).sum(axis=1))

    @property
    def _steeper(self) -> FloatArray:
        """By how much kernels were steeper already than what grows with processes does, float64[K]."""
        return np.asarray(np.maximum(self.steady - STEEPEST_RISE, 0.0))

    def misfit_at(self, points: FloatArray) -> FloatArray:
        """How far formulas are off at the measured points nearest to float64[Q, D] points, float64[K, Q].

        Logarithms; less than all of it close to the range.
        """
        found, full = np.zeros((len(self.logs), len(points))), self.fullness(points)
        if self.points.shape[1] > 1 and self.misfit.any():
            used, every = np.isfinite(self.logs), np.arange(len(self.logs))
            for q, place in enumerate(self.nearest(points)):
                found[:, q] = self.misfit[every, np.where(used, self._steps(place), np.inf).argmin(axis=1)]
        return found * full

    def missed_inside(self, points: FloatArray) -> FloatArray:
        """How far formulas of one parameter are off inside the range, float64[K, Q] logarithms.

        Between the points it is interpolated; beyond the range it fades.
        """
        if self.points.shape[1] > 1 or not self.misfit.any():
            return np.zeros((len(self.logs), len(points)))
        scale, asked = np.log(self.points[:, 0]), np.log(self.nearest(points)[:, 0])
        place = np.clip(np.searchsorted(scale, asked, side="right") - 1, 0, len(scale) - 2)
        share = (asked - scale[place]) / (scale[place + 1] - scale[place])
        between = self.misfit[:, place] * (1 - share) + self.misfit[:, place + 1] * share
        return np.asarray(between * (1 - self.fullness(points)))

    @cached_property
    def begins(self) -> FloatArray:
        """From which value of the only parameter kernels take time, float64[K]; 0 if from the first on.

        Half-way, by ratio, between the last scale at which they took none and the first at which they did.
        """
        begun, scale = np.isfinite(self.logs), self.points[:, 0]
        if self.points.shape[1] > 1 or begun[:, 0].all():
            return np.zeros(len(self.logs))
        before = np.isneginf(self.logs) & ~np.logical_or.accumulate(begun, axis=1)
        last, first = np.where(before, scale, 0.0).max(axis=1), scale[begun.argmax(axis=1)]
        return np.asarray(np.sqrt(last * first))

    def fullness(self, points: FloatArray) -> FloatArray:
        """How much of a correction counts at points, float64[Q]: 0 in the measured range, 1 far beyond it."""
        return np.asarray(np.minimum(self.reach(points).sum(axis=1) / FULL_REACH, 1.0))

    def raised(self, lower: FloatArray, value: FloatArray, points: FloatArray, sure: BoolArray) -> FloatArray:
        """Raise lower ends float64[K, Q] to what was measured at the largest value of the only parameter.

        Close to the measured range it comes in gradually, as trends do. No lower end exceeds the value, and
        kernels that do not surely grow, bool[K], stay as they are.
        """
        logs, part = self.logs[:, int(self.points[:, 0].argmax())], self.fullness(points)
        sure = sure & np.isfinite(logs)
        least = np.exp(np.where(sure, logs, 0.0))[:, None]
        raised = np.maximum(lower, _SMALLEST_END * value)
        raised = raised * np.maximum(least / np.where(raised > 0, raised, 1.0), 1.0) ** part
        return np.where(sure[:, None] & (part > 0), np.minimum(np.maximum(raised, lower), value), lower)

    def bend(self) -> float:
        """How much the slope of the first kernel changes at the end of the range of one parameter.

        The slope over the last doubling less that over the doubling before it; 0 with several parameters.
        """
        used = np.isfinite(self.logs[0])
        if self.points.shape[1] != 1 or used.sum() < 3:
            return 0.0
        logs, heights = np.log(self.points[used, 0]), self.logs[0, used]
        middle = _begin_of_doubling(logs, len(logs) - 1)
        before = min(int(np.searchsorted(logs, 2 * logs[middle] - logs[-1] - 1e-9)), middle - 1)
        before, middle = max(before, 0), max(middle, 1)
        slopes = [
            (heights[b] - heights[a]) / (logs[b] - logs[a]) for a, b in ((before, middle), (middle, -1))
        ]
        return float(abs(slopes[1] - slopes[0]))

    def _local(self, place: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Do what `_fitted` does, at the end of the range, where most are asked for, once."""
        return self._at_end if (place == self.points.max(axis=0)).all() else self._fitted(place)

    @cached_property
    def _at_end(self) -> tuple[FloatArray, FloatArray]:
        return self._fitted(self.points.max(axis=0))

    def _fitted(self, place: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Level float64[K] and slopes float64[K, D] at a point of the range, by weighted least squares.

        The plane goes through the nearest measured point.
        """
        logs, end = np.log(self.points), np.log(place)
        used = np.isfinite(self.logs)
        away = self._steps(place)
        weight = used * 2.0 ** (-away / HALF_LIFE)
        total = np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
        target = np.where(used, self.logs, 0.0)
        offset = logs[None] - (weight @ logs / total)[:, None]
        height = target - (weight * target).sum(axis=1, keepdims=True) / total
        right = np.einsum("kpd,kp->kd", offset * weight[..., None], height) / total
        normal = np.einsum("kpd,kpe->kde", offset * weight[..., None], offset) / total[..., None]
        normal += _RIDGE * np.eye(logs.shape[1])
        slope = np.linalg.solve(normal, right[..., None])[..., 0]
        slope = np.clip(slope, STEEPEST_FALL, self.steepest + self._steeper[:, None] * self.counts)
        nearest = np.where(used, away, np.inf).argmin(axis=1)
        level = target[np.arange(len(target)), nearest] + (slope * (end - logs[nearest])).sum(axis=1)
        return np.where(used.any(axis=1), level, np.nan), slope

    def _steps(self, place: FloatArray) -> FloatArray:
        """How many doublings the measured points lie away from one, float64[P]."""
        return np.asarray(np.abs(np.log2(self.points / place)).sum(axis=1))


_WILD = 1.0  # of a logarithm, by which no run leaves its trend without an accident or a break
_FEWEST_POINTS = 4  # from which points have neighbours enough to tell how far they stray


def _begin_of_doubling(scale: FloatArray, end: int) -> int:
    """Return the first of logarithms of scales within a doubling before one; at least the one before it."""
    return min(int(np.searchsorted(scale, scale[end] - np.log(2.0) - 1e-9)), end - 1)


def strays(trend: Trend) -> FloatArray:
    """Standard deviation of logarithms from the line between their neighbours, float64[K].

    0 where that is unknown: with several parameters, few points, or gaps.
    """
    if trend.points.shape[1] > 1 or len(trend.points) < _FEWEST_POINTS:
        return np.zeros(len(trend.logs))
    scale, logs = np.log(trend.points[:, 0]), np.where(np.isfinite(trend.logs), trend.logs, np.nan)
    share = (scale[1:-1] - scale[:-2]) / (scale[2:] - scale[:-2])
    off = np.abs(logs[:, 1:-1] - logs[:, :-2] * (1 - share) - logs[:, 2:] * share)
    known = np.isfinite(off).all(axis=1)
    single = np.where(known[:, None], off, 0.0) / np.sqrt(1 + share**2 + (1 - share) ** 2)
    return OF_MEDIAN_DEVIATION * np.asarray(np.median(single, axis=1))


def local_trend(
    parameters: Sequence[str], data: Observations, formulas: Callable[[FloatArray], FloatArray]
) -> Trend:
    """Take trends of K kernels from means at P points; formulas predict float64[K, P] there."""
    positive = data.measured & (data.mean > 0)
    logs = np.log(np.where(positive, data.mean, 1.0))
    unknown = np.where(data.measured & (data.mean == 0), -np.inf, np.nan)
    misfit = np.zeros(logs.shape)
    if data.points.shape[1] > 1:
        fitted = formulas(data.points)
        comparable = positive & (fitted > 0)
        misfit = np.where(comparable, logs - np.log(np.where(comparable, fitted, 1.0)), 0.0)
        misfit = np.clip(misfit, -_MOST_MISFIT, _MOST_MISFIT)
    counts = counting(parameters)
    weak = _goes_with_processes(counts, data)
    steady = _slope_before(data.points, logs, positive)
    return Trend(
        points=data.points,
        logs=np.where(positive, logs, unknown),
        steepest=np.where(counts, STEEPEST_RISE, STEEPEST_RISE_OF_SIZES),
        misfit=misfit,
        power=np.where(weak or len(parameters) > 1, 0.0, np.where(counts, OVERHEAD_POWER, SIZE_POWER)),
        kept=np.full(len(parameters), KEPT_SLOPE if weak else 1.0),
        counts=counts,
        steady=steady,
        usual=_left_by_far(data, logs, steady),
    )


def counting(parameters: Sequence[str]) -> BoolArray:
    """Tell which parameters count processes, bool[D]."""
    return np.array([counts_processes(name) for name in parameters], dtype=np.bool_)


def _left_by_far(data: Observations, logs: FloatArray, steady: FloatArray) -> FloatArray:
    """Logarithms that the points before led to, float64[K], where one last run was far off; else infinite."""
    if data.points.shape[1] > 1 or len(data.points) < _FEWEST_POINTS:
        return np.full(len(logs), np.inf)
    usual = logs[:, -2] + steady * np.log(data.points[-1, 0] / data.points[-2, 0])
    far = (steady != 0) & (data.count[:, -1] == 1) & (logs[:, -1] - usual > _WILD)
    return np.where(far, usual, np.inf)


def _slope_before(points: FloatArray, logs: FloatArray, known: BoolArray) -> FloatArray:
    """Slope over the last doubling of one parameter but for the last point, float64[K]; 0 if unknown."""
    if points.shape[1] > 1 or len(points) <= _FEWEST_POINTS:
        return np.zeros(len(logs))
    scale = np.log(points[:, 0])
    end = len(scale) - 2
    begin = _begin_of_doubling(scale, end)
    slope = (logs[:, end] - logs[:, begin]) / (scale[end] - scale[begin])
    return np.where(known[:, [begin, end]].all(axis=1), slope, 0.0)


def _goes_with_processes(counts: BoolArray, data: Observations) -> bool:
    """Tell whether the sum of the kernels grows about as the processes do: work was added with them."""
    total = np.where(data.measured.all(axis=0), data.mean.sum(axis=0), 0.0)
    used = total > 0
    if used.sum() <= len(counts):
        return False
    logs = np.log(data.points[used])
    slopes = np.linalg.lstsq(logs - logs.mean(axis=0), np.log(total[used]), rcond=None)[0]
    return bool((slopes[counts] > PROPORTIONAL).any())


@dataclass(frozen=True, eq=False, kw_only=True)
class ForecastErrors:
    """Relative errors beyond the measured range per unit of the natural logarithm of the factor beyond it."""

    # float64[D], standard deviation of the normal forms' errors along each parameter, beyond their intervals
    formula: FloatArray
    trend: FloatArray  # float64[D], standard deviation of the local trends' errors
    formulas_hold: float  # probability that normal forms and noise are all there is: then trends add nothing

    @property
    def bounded(self) -> float:
        """How far bounds from real series count: not for formulas that hold more probably than not."""
        return float(min(2 * (1 - self.formulas_hold), 1.0))


@dataclass(frozen=True, eq=False, kw_only=True)
class CombinedTrend(Rows):
    """Trends of K kernels with all that is needed to combine them with other predictions."""

    trend: Trend
    noise: FloatArray  # float64[K], relative standard deviation of the last measured means
    errors: ForecastErrors  # of formulas and trends in back-tests
    # float64[K], what is added to a logarithm per logarithm of the factor beyond the range, so that the
    # kernels agree with the model of their sum
    shift: FloatArray
    grows: BoolArray  # bool[K], which kernels surely grow
    # logarithm of the last sum of all kernels, whose upper end none exceeds; infinite if they are no parts
    last_sum: float = np.inf

    def combined(
        self, quantiles: FloatArray, points: FloatArray, level: float, usual: FloatArray | None = None
    ) -> FloatArray:
        """Combine lower ends, medians and upper ends of formulas, float64[3, K, Q], with the trends.

        Beyond the measured range both are taken for normal in the logarithm; the formulas' deviation is that
        of their interval towards the trend. The usual ends, at `LEVEL`, weigh formulas against trends if the
        level is another, so that values do not depend on the level that is asked for.
        """
        reaches = self.trend.reach(points)
        reach = reaches.sum(axis=1)
        ahead = reach > 0
        if not ahead.any():
            return quantiles
        if not ahead.all():
            found, usual = quantiles.copy(), quantiles if usual is None else usual
            part = quantiles[..., ahead], points[ahead], level, usual[..., ahead]
            found[..., ahead] = self.combined(*part)
            return found
        trend = self.trend.at(points)
        missed = np.exp(self.trend.misfit_at(points))
        quantiles, usual = quantiles * missed, (quantiles if usual is None else usual) * missed
        usable = (quantiles[1] > 0) & np.isfinite(trend)
        trend = np.where(usable, trend, 0.0)
        middle = np.log(np.where(usable, quantiles[1], 1.0))
        width, usual_width = deviations(level), deviations(LEVEL)
        astray = 1 - self.errors.formulas_hold
        further = astray * (reaches**2 @ self.errors.formula**2)
        of_formula = (_side(usual, middle, trend, usable) / usual_width) ** 2 + further
        of_trend = reaches**2 @ self.errors.trend**2 + self.noise[:, None] ** 2
        both = of_formula + of_trend
        share = astray * of_formula / np.where(both > 0, both, 1.0) * self.trend.fullness(points)
        of_formula = (_side(quantiles, middle, trend, usable) / width) ** 2 + further
        value = middle + share * (trend - middle) + self.shift[:, None] * reach
        variance = (
            of_formula * (1 - share) ** 2 + of_trend * share**2 + share * (1 - share) * (trend - middle) ** 2
        )
        spread = np.sqrt(variance) * width
        bounded = self.errors.bounded
        most = self.trend.most(points, _MOST_VALUE)
        value = _capped(value, most, bounded)
        stretch = 1 + astray * (BELOW - 1), 1 + astray * (ABOVE - 1)
        most = np.minimum(most + (_MOST_UPPER - _MOST_VALUE) * reach, self.last_sum + MOST_TOTAL * reach)
        most = np.maximum(most, value + LEAST_ROOM * reach)
        upper = _capped(value + stretch[1] * spread, value + width / usual_width * (most - value), bounded)
        found = np.exp(np.stack([value - stretch[0] * spread, value, np.maximum(value, upper)]))
        return np.where(usable, found, quantiles)


def _capped(logs: FloatArray, most: FloatArray, part: float) -> FloatArray:
    """Take out a part of what logarithms exceed bounds by."""
    return np.asarray(logs - part * np.maximum(logs - most, 0.0))


def straying(ends: FloatArray, trend: CombinedTrend, points: FloatArray, level: float) -> FloatArray:
    """Widen intervals in the measured range by how far points stray, the less the surer formulas hold.

    They are float64[3, K, Q], values between lower and upper ends, at points float64[Q, D].
    """
    inside = (1 - trend.errors.formulas_hold) * (1 - trend.trend.fullness(points))
    return widened(ends, strays(trend.trend), level, inside)


def _side(ends: FloatArray, middle: FloatArray, trend: FloatArray, usable: BoolArray) -> FloatArray:
    """How far the end of an interval towards the trend lies from its middle, in logarithms, float64[K, Q]."""
    low, high = np.log(np.where(usable, np.maximum(ends[::2], _SMALLEST_END * ends[1]), 1.0))
    below = np.minimum(middle - low, _LOPSIDED * (high - middle))  # an end at 0 is far off in logarithms
    return np.asarray(np.where(trend > middle, high - middle, below))
