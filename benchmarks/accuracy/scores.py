"""Predictions against the truth."""

from dataclasses import dataclass

import numpy as np

from benchmarks.accuracy.functions import Array, Data
from benchmarks.extrap.environment import model as model_with_extrap
from pipeline.models.fit import fit
from pipeline.models.options import ModelOptions
from pipeline.models.scaling_models import ScalingModels


@dataclass(frozen=True)
class Score:
    """Shares of functions, and relative errors at 4 and 16 times the largest scale.

    Attributes:
        exact: both exponents of the leading term right; for constants, called constant.
        median, upper: median and 90th percentile of |prediction - truth| / truth, float64[2].
        below_zero: predictions below zero at either scale.
        covered: truths inside the 90 % interval, float64[2]; None without intervals.
    """

    exact: float
    median: Array
    upper: Array
    below_zero: float
    covered: Array | None


def score_ours(data: Data, options: ModelOptions) -> Score:
    """Fit, predict and score."""
    models = fit(("p",), data.points[:, None], data.values, options)
    predicted = models.predict(data.targets[:, None])
    inside = (predicted.lower <= data.truth) & (data.truth <= predicted.upper)
    return _score(data, predicted.value, _leading(models), inside.mean(axis=0))


def score_extrap(data: Data) -> Score:
    """Let Extra-P do the same."""
    answer = model_with_extrap(data.points, data.values, data.targets)
    leading = np.array([(np.nan, np.nan) if pair is None else pair for pair in answer["leading"]])
    return _score(data, np.array(answer["predictions"]), leading, None)


def _leading(models: ScalingModels) -> Array:
    """float64[K, 2], exponents of the fastest term that does not fall, 0 if all fall; NaN for a constant."""
    leading = np.full((len(models), 2), np.nan)
    for k in range(len(models)):
        growing = [t[0] for c, t in models.formula(k).terms if c > 0 and t[0] >= (0, 0)]
        if growing:
            leading[k] = [float(x) for x in max(growing)]
        elif models.hypothesis(k):
            leading[k] = 0.0
    return leading


def _score(data: Data, predicted: Array, leading: Array, covered: Array | None) -> Score:
    constant = np.isnan(leading[:, 0])
    right = constant if data.constant else (np.abs(leading - data.leading) < 1e-9).all(axis=1)
    error = np.abs(predicted - data.truth) / data.truth
    return Score(
        float(right.mean()),
        np.median(error, axis=0),
        np.percentile(error, 90, axis=0),
        float((predicted < 0).any(axis=1).mean()),
        covered,
    )
