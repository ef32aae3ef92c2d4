"""Does the formula fit? Repetitions of a point scatter by themselves; what exceeds that is its fault."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.projection.bootstrap import Weights, point_weights

_SIGNIFICANT = 0.01
_WORTH_TELLING = 0.02
_POOR = 0.15


@dataclass(frozen=True)
class LackOfFit:
    """The verdict on a fit.

    Attributes:
        probability: of so much deviation if the formula were right; NaN without repetitions.
        mean_deviation: mean |relative deviation| of the points' means from the curve.
        poor: whether the formula should not be trusted.
        says: the reason in words.
    """

    probability: float
    mean_deviation: float
    poor: bool
    says: str


def lack_of_fit(
    data: Mapping[str, FloatArray],
    observed: FloatArray,
    fitted: FloatArray,
    weights: Weights,
    parameters: int = 2,
) -> LackOfFit:
    """Return the F test of lack of fit against pure error, or the plain deviation where nothing is repeated.

    A deviation that is significant but below 2 % of the values is no reason for distrust.

    Args:
        data: float64[n] of every input; equal rows are repetitions.
        observed: float64[n].
        fitted: float64[n], the curve.
        weights: the weights of the fit.
        parameters: how many were fitted.
    """
    rows = np.column_stack(list(data.values())) if data else np.zeros((len(observed), 1))
    _, point = np.unique(rows, axis=0, return_inverse=True)
    counts = np.bincount(point)
    means = np.bincount(point, observed) / counts
    curve = np.bincount(point, fitted) / counts
    size = np.maximum(np.abs(means), np.finfo(float).tiny)
    deviation = float(np.mean(np.abs(means - curve) / size))
    weight = point_weights(means, weights)
    lack = float(np.sum(counts * ((means - curve) * weight) ** 2))
    pure = float(np.sum(((observed - means[point]) * weight[point]) ** 2))
    probability = _probability(lack, len(counts) - parameters, pure, len(observed) - len(counts))
    return _verdict(probability, deviation)


def _probability(lack: float, lack_freedom: int, pure: float, pure_freedom: int) -> float:
    if lack_freedom < 1 or pure_freedom < 1 or pure == 0:
        return float("nan")
    from scipy.stats import f

    return float(f.sf((lack / lack_freedom) / (pure / pure_freedom), lack_freedom, pure_freedom))


def _verdict(probability: float, deviation: float) -> LackOfFit:
    off = f"points lie {deviation:.1%} off the curve on average"
    if probability < _SIGNIFICANT and deviation > _WORTH_TELLING:
        return LackOfFit(probability, deviation, True, f"{off}, far more than repetitions scatter")
    return LackOfFit(probability, deviation, deviation > _POOR, off)
