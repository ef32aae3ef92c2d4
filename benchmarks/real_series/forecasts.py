"""Forecasts of a task by our models, by Extra-P and by a rule of one line, and how far they are off."""

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.extrap.environment import model as model_with_extrap
from benchmarks.real_series.series import Array, Task
from pipeline.models.fit import fit
from pipeline.models.total import predict_total

LAST_POINTS = 3
LEAST_SLOPE, MOST_SLOPE = -0.5, 1.5
LEVELS = (0.5, 0.8, 0.9, 0.95)  # of the intervals
JUDGED = 0.9  # the level of the score, and of what is counted as inside
MISS = 20.0  # price of missing the interval, per logarithm: 2 / 0.1 for a 90 % interval
CLOSE = 0.1  # of the truth, within which a kernel counts as predicted: the figure of Extra-P's authors
CUT = 3.0  # larger errors count as this in means over applications
FARTHEST = 20.0  # factor as which larger errors of a total count in the mean of their signs
LEAST = 1e-9  # what counts as an end of an interval in logarithms


@dataclass(frozen=True, kw_only=True)
class Judged:
    """How far one way of predicting is off.

    Attributes:
        error: sum over kernels of |predicted - measured| over what was measured.
        total: predicted over measured total.
        close: share of the kernels within 10 % of the truth, of those that took time.
    """

    error: float
    total: float
    close: float

    @property
    def cut_error(self) -> float:
        """The error as it counts in means over applications."""
        return min(self.error, CUT)

    @property
    def sign(self) -> float:
        """Logarithm of predicted over measured total."""
        return float(np.log(np.clip(self.total, 1 / FARTHEST, FARTHEST)))


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a task.

    Attributes:
        task: the task.
        ours, rule, extrap: the ways of predicting.
        lower, upper: ends of our 90 % interval of the total over the measured total.
        totals_inside: whether the measured total lies in our interval of each of `LEVELS`, 0 or 1.
        kernels_inside: share of the kernels inside their intervals of each of `LEVELS`.
        time_inside: share of the measured time inside 90 % intervals.
    """

    task: Task
    ours: Judged
    rule: Judged
    extrap: Judged
    lower: float
    upper: float
    totals_inside: tuple[float, ...]
    kernels_inside: tuple[float, ...]
    time_inside: float

    @property
    def score(self) -> float:
        """Interval score of the total in logarithms, smaller is better (Gneiting and Raftery, 2007)."""
        low, high = math.log(max(self.lower, LEAST)), math.log(max(self.upper, LEAST))
        return high - low + MISS * max(low, -high, 0.0)


def outcomes(tasks: Sequence[Task], jobs: int, *, with_extrap: bool = True) -> list[Outcome]:
    """Forecast tasks in parallel."""
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(partial(outcome, with_extrap=with_extrap), tasks))


def outcome(task: Task, *, with_extrap: bool = True) -> Outcome:
    """Forecast a task in all ways; without Extra-P its figures are NaN."""
    target, whole = task.target[None], float(task.truth.sum())
    models = fit(task.parameters, task.points, task.values, parts=True)
    kernels = {level: models.predict(target, level) for level in LEVELS}
    totals = {level: predict_total(models, target, level) for level in LEVELS}
    inside = {
        level: (found.lower[:, 0] <= task.truth) & (task.truth <= found.upper[:, 0])
        for level, found in kernels.items()
    }
    total = totals[JUDGED]
    rule = slope_rule(task) if len(task.parameters) == 1 else plane(task)
    return Outcome(
        task=task,
        ours=judge(kernels[JUDGED].value[:, 0], task.truth),
        rule=judge(rule, task.truth),
        extrap=judge(_extrap(task) if with_extrap else task.truth * np.nan, task.truth),
        lower=max(float(total.lower[0, 0]), 1e-3 * float(total.value[0, 0])) / whole,
        upper=float(total.upper[0, 0]) / whole,
        totals_inside=tuple(
            float(found.lower[0, 0] <= whole <= found.upper[0, 0]) for found in totals.values()
        ),
        kernels_inside=tuple(float(held.mean()) for held in inside.values()),
        time_inside=float(task.truth[inside[JUDGED]].sum()) / whole,
    )


def judge(predicted: Array, truth: Array) -> Judged:
    """Hold predictions of kernels, float64[K], against what was measured; NaN for what is not known."""
    off, positive = np.abs(predicted - truth), truth > 0
    return Judged(
        error=float(off.sum() / truth.sum()),
        total=float(predicted.sum() / truth.sum()),
        close=float(np.where(np.isfinite(off), off <= CLOSE * truth, np.nan)[positive].mean()),
    )


def slope_rule(task: Task) -> Array:
    """float64[K]: from the last value on with the slope of the last three points in logarithms, cut."""
    forecast, points = np.zeros(len(task.truth)), task.points[:, 0]
    for k, mean in enumerate(task.mean):
        known = np.flatnonzero(mean > 0)[-LAST_POINTS:]
        if len(known) == 0:
            continue
        slope = 0.0
        if len(known) > 1:
            slope = float(np.polyfit(np.log(points[known]), np.log(mean[known]), 1)[0])
        slope = min(max(slope, LEAST_SLOPE), MOST_SLOPE)
        forecast[k] = mean[known[-1]] * (task.target[0] / points[known[-1]]) ** slope
    return forecast


def plane(task: Task) -> Array:
    """float64[K]: a plane in logarithms through all points, the rule where several parameters vary."""
    forecast = np.zeros(len(task.truth))
    design = np.column_stack([np.ones(len(task.points)), np.log(task.points)])
    for k, mean in enumerate(task.mean):
        known = mean > 0
        if known.sum() > design.shape[1]:
            heights = np.linalg.lstsq(design[known], np.log(mean[known]), rcond=None)[0]
            forecast[k] = np.exp(heights @ [1.0, *np.log(task.target)])
    return forecast


def mean_over_applications(outcomes: Sequence[Outcome], figures: Iterable[float]) -> float:
    """Mean of the applications' means of one figure per outcome."""
    of: dict[str, list[float]] = {}
    for one, figure in zip(outcomes, figures, strict=True):
        of.setdefault(one.task.application, []).append(figure)
    return float(np.mean([np.mean(some) for some in of.values()]))


def _extrap(task: Task) -> Array:
    return np.array(model_with_extrap(task.points, task.values, task.target[None])["predictions"])[:, 0]
