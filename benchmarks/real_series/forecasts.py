"""Forecasts of a task by our models, by Extra-P and by a rule of one line, and how far they are off."""

import math
from dataclasses import dataclass

import numpy as np

from benchmarks.extrap.environment import model as model_with_extrap
from benchmarks.real_series.series import Array, Task
from pipeline.models.fit import fit
from pipeline.models.options import ModelOptions
from pipeline.models.total import predict_total

LAST_POINTS = 3
LEAST_SLOPE, MOST_SLOPE = -0.5, 1.5
MISS = 20.0  # price of missing the interval, per logarithm: 2 / 0.1 for a 90 % interval


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a task. An error is the sum over kernels of |predicted - measured| over what was measured.

    Attributes:
        task: the task.
        ours, rule, extrap: errors.
        totals: predicted over measured total: ours, rule, Extra-P.
        lower, upper: ends of our 90 % interval of the total over the measured total.
        kernels_inside: share of the kernels inside their 90 % intervals.
        time_inside: share of the measured time inside.
    """

    task: Task
    ours: float
    rule: float
    extrap: float
    totals: tuple[float, float, float]
    lower: float
    upper: float
    kernels_inside: float
    time_inside: float

    @property
    def total_inside(self) -> bool:
        """Whether the interval of the total holds the measured total."""
        return self.lower <= 1.0 <= self.upper

    @property
    def score(self) -> float:
        """Interval score of the total in logarithms, smaller is better (Gneiting and Raftery, 2007)."""
        low, high = math.log(max(self.lower, 1e-9)), math.log(max(self.upper, 1e-9))
        return high - low + MISS * max(low, -high, 0.0)


def outcome(task: Task, *, with_extrap: bool = True) -> Outcome:
    """Forecast a task in all ways; without Extra-P its error is NaN."""
    target, whole = np.array([[task.target]]), float(task.truth.sum())
    models = fit((task.parameter,), task.points[:, None], task.values, ModelOptions(), parts=True)
    predicted, total = models.predict(target), predict_total(models, target)
    inside = (predicted.lower[:, 0] <= task.truth) & (task.truth <= predicted.upper[:, 0])
    ways = (predicted.value[:, 0], slope_rule(task), _extrap(task) if with_extrap else task.truth * np.nan)
    ours, rule, extrap = (float(np.abs(way - task.truth).sum()) / whole for way in ways)
    return Outcome(
        task=task,
        ours=ours,
        rule=rule,
        extrap=extrap,
        totals=(float(ways[0].sum()) / whole, float(ways[1].sum()) / whole, float(ways[2].sum()) / whole),
        lower=max(float(total.lower[0, 0]), 1e-3 * float(total.value[0, 0])) / whole,
        upper=float(total.upper[0, 0]) / whole,
        kernels_inside=float(inside.mean()),
        time_inside=float(task.truth[inside].sum()) / whole,
    )


def slope_rule(task: Task) -> Array:
    """float64[K]: from the last value on with the slope of the last three points in logarithms, cut."""
    forecast = np.zeros(len(task.truth))
    for k, mean in enumerate(task.mean):
        known = np.flatnonzero(mean > 0)[-LAST_POINTS:]
        if len(known) == 0:
            continue
        slope = 0.0
        if len(known) > 1:
            slope = float(np.polyfit(np.log(task.points[known]), np.log(mean[known]), 1)[0])
        slope = min(max(slope, LEAST_SLOPE), MOST_SLOPE)
        forecast[k] = mean[known[-1]] * (task.target / task.points[known[-1]]) ** slope
    return forecast


def _extrap(task: Task) -> Array:
    answer = model_with_extrap(task.points, task.values, np.array([task.target]))
    return np.array(answer["predictions"])[:, 0]
