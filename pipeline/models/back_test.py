"""How far formulas and trends are off when they predict the largest measured scales from the smaller ones.

What is found is drawn towards what was found on real series of many applications (`benchmarks/real_series`), since
a few kernels at one or two scales tell little.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from pipeline.models.observations import Observations
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.trend import local_trend

KERNELS = 128  # of most effort, that are tested
FEWEST_POINTS = 3  # from which models are made
REACHES = (2.0, 4.0)  # factors between the scales that are left and the largest one
FORMULA_ERROR, TREND_ERROR = 0.2, 0.2  # relative errors per unit of the logarithm on real series
WORTH = 3.0  # how many independent kernels that is worth
MOST_KERNELS = 400.0  # independent ones of one experiment: beyond, they share their causes
BY_EFFORT = 0.5  # neither may one large kernel decide alone, nor many small ones
LARGEST_ERROR = 1.0  # larger ones count as this
TO_DEVIATION = 1 / 3.29  # of the width of a 90 % interval


@dataclass(frozen=True, kw_only=True)
class ForecastErrors:
    """Errors beyond the measured range, relative, per unit of the natural logarithm of the factor beyond it.

    Attributes:
        formula: standard deviation of the normal forms' errors beyond what their intervals hold.
        trend: standard deviation of the local trends' errors.
    """

    formula: float
    trend: float


def back_test(fit: Callable[[Observations], ScalingModels], data: Observations) -> ForecastErrors:
    """Fit without the largest scales and compare with them.

    Args:
        fit: makes models without a trend.
        data: the kernels.
    """
    heavy = np.argsort(-np.abs(data.mean).max(axis=1), kind="stable")[:KERNELS]
    data = data.take(heavy)
    formula, trend, worth = WORTH * FORMULA_ERROR**2, WORTH * TREND_ERROR**2, WORTH
    for inner in splits(data.points):
        known, hidden = data.at(inner), data.at(~inner)
        of_formula, of_trend, weight = _squared_errors(fit(known), known, hidden)
        if not weight.any():
            continue
        independent = min(weight.sum() ** 2 / (weight**2).sum(), MOST_KERNELS)
        weight = weight / weight.sum()
        formula += independent * max(float((weight * of_formula).sum()), 0.0)
        trend += independent * max(float((weight * of_trend).sum()), 0.0)
        worth += independent
    return ForecastErrors(formula=float(np.sqrt(formula / worth)), trend=float(np.sqrt(trend / worth)))


def splits(points: FloatArray) -> Iterator[BoolArray]:
    """Yield which of the points float64[P, D] are kept: all that lie a factor below the largest value.

    Of several parameters none may be at its largest value. Nothing where too few points are left.
    """
    largest = points.max(axis=0)
    varies = points.min(axis=0) < largest
    found: list[bytes] = []
    for reach in REACHES:
        inner: BoolArray = ((points * reach <= largest * (1 + 1e-9)) | ~varies).all(axis=1)
        if not enough(points[inner], varies):
            inner = ((points < largest) | ~varies).all(axis=1)
        if enough(points[inner], varies) and inner.tobytes() not in found:
            found.append(inner.tobytes())
            yield inner


def enough(points: FloatArray, varies: BoolArray) -> bool:
    """Tell whether models can be made from points: every parameter needs some values."""
    values = [len(np.unique(column)) for column in points.T[varies]]
    return min(values, default=0) >= FEWEST_POINTS


def _squared_errors(
    models: ScalingModels, known: Observations, hidden: Observations
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Squared errors of formulas and trends beyond noise and intervals, and their weights, float64[K, Q] each."""
    reach = np.log(np.maximum(hidden.points / models.last, 1.0)).sum(axis=1)
    trend = local_trend(known)
    by_trend = trend.at(hidden.points, models.last)
    prediction = models.predict(hidden.points)
    usable = hidden.measured & (hidden.mean > 0) & (reach > 0) & (prediction.value > 0)
    usable &= np.isfinite(trend.level)[:, None]
    truth = np.log(np.where(usable, hidden.mean, 1.0))
    value = np.log(np.where(usable, prediction.value, 1.0))
    side = np.where(truth > value, prediction.upper - prediction.value, prediction.value - prediction.lower)
    spread = np.where(usable, side / np.where(usable, prediction.value, 1.0), 0.0) * 2 * TO_DEVIATION
    repeated = np.maximum(hidden.count - 1, 1) * np.maximum(hidden.count, 1)
    noise = np.where(usable, hidden.squares / repeated / np.where(usable, hidden.mean, 1.0) ** 2, 0.0)
    span = np.where(reach > 0, reach, 1.0)

    def squared(error: FloatArray, explained: FloatArray) -> FloatArray:
        clipped = np.clip(np.where(usable, error, 0.0) / span, -LARGEST_ERROR, LARGEST_ERROR)
        return clipped**2 - np.minimum(explained / span**2, LARGEST_ERROR**2)

    effort = np.where(usable, hidden.mean, 0.0)
    total = np.maximum(effort.sum(), 1e-300)
    weight = BY_EFFORT * effort / total + (1 - BY_EFFORT) * usable / max(usable.sum(), 1)
    weight = weight * (reach / max(reach.max(), 1e-300)) ** 2
    return (
        squared(value - truth, spread**2 + noise),
        squared(by_trend - truth, 2 * noise),
        weight,
    )
