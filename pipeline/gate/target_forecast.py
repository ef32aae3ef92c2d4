"""What the models of a study predict at the targets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.gate.estimates import Estimates
from pipeline.gate.kernel_values import KernelValues
from pipeline.models.fit import fit
from pipeline.models.options import ModelOptions
from pipeline.models.prediction import Prediction
from pipeline.models.scaling_models import ScalingModels
from pipeline.questions.analysis import DEFAULT_REACH, named_targets

LEVEL = 0.9
NORMAL_QUANTILE = 1.6448536  # half the width of an interval of that level, in standard deviations


@dataclass(frozen=True, eq=False)
class Forecast:
    """Models of K kernels and their predictions at Q targets.

    Attributes:
        models: one per kernel.
        prediction: float64[K, Q], with 90 % intervals.
        least_share: float64[K, Q], lower end of the interval over the predicted total: a kernel that is small
            now and large only at the upper end of its prediction is ignored.
    """

    models: ScalingModels
    prediction: Prediction
    least_share: FloatArray

    def take(self, rows: IntArray) -> "Forecast":
        """Return the forecast of some kernels."""
        return Forecast(self.models.take(rows), self.prediction.take(rows), self.least_share[rows])


@dataclass(frozen=True, eq=False, kw_only=True)
class Forecasts:
    """Forecasts of two studies, kernel by kernel, at the same Q targets.

    Attributes:
        baseline, candidate: the same kernels in the same order.
        targets: float64[Q, D].
        scale: float64[Q], the parameter that scales at the targets.
    """

    baseline: Forecast
    candidate: Forecast
    targets: FloatArray
    scale: FloatArray


def target_points(study: KernelValues, targets: Sequence[Mapping[str, float]]) -> FloatArray:
    """Return the targets, float64[Q, D]; parameters left out are at their largest measured value.

    Without targets it is the largest measured values with `DEFAULT_REACH` times the scale.

    Raises:
        UsageError: if a target has a parameter that the study does not have.
    """
    if targets:
        return named_targets(study.parameters, study.points, targets, "targets")
    largest: FloatArray = study.points.max(axis=0, keepdims=True)
    largest[0, study.parameters.index(study.parameter)] *= DEFAULT_REACH
    return largest


def forecast(study: KernelValues, targets: FloatArray, options: ModelOptions) -> Forecast:
    """Fit models to a study whose first kernel is the total, and predict at the targets, float64[Q, D]."""
    models = fit(study.parameters, study.points, study.values, options)
    prediction = models.predict(targets, LEVEL)
    total = prediction.value[:1]
    share = np.divide(prediction.lower, total, out=np.zeros(prediction.lower.shape), where=total > 0)
    return Forecast(models, prediction, np.minimum(share, 1.0))


def predicted_ratio(baseline: Forecast, candidate: Forecast) -> Estimates:
    """Return the ratio of two predictions as estimates, from their intervals alone.

    The uncertainty of both models counts in full, so this is much less certain than the ratio of measured
    points; it serves if no common point can be compared. The upper half of the baseline's interval and the
    lower half of the candidate's separate "worse" from "alike"; they are taken as normal in the logarithm.
    """
    above, below = (_log(f.prediction.value) for f in (candidate, baseline))
    with np.errstate(invalid="ignore"):
        ratio = above - below
        down = above - _log(candidate.prediction.lower)
        up = _log(baseline.prediction.upper) - below
        error = np.hypot(down, up) / NORMAL_QUANTILE
    known = np.isfinite(ratio) & np.isfinite(error) & (error > 0)
    degrees = np.minimum(baseline.models.rivals.degrees, candidate.models.rivals.degrees)
    return Estimates(
        np.where(known, ratio, np.nan),
        np.where(known, error, np.nan),
        np.repeat(degrees[:, None], ratio.shape[1], axis=1),
    )


def _log(values: FloatArray) -> FloatArray:
    """Natural logarithm, minus infinity of what is not above zero."""
    out = np.full(values.shape, -np.inf)
    np.log(values, out=out, where=values > 0)
    return out
