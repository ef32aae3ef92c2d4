"""What the models of both sides say about the targets."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.gate.change_tests import Estimates
from pipeline.gate.snapshot import Snapshot
from pipeline.models.fit import fit
from pipeline.models.options import ModelOptions
from pipeline.models.scaling_models import Prediction, ScalingModels

LEVEL = 0.9
STANDARD_REACH = 1.6448536  # of a normal variable, for that level


@dataclass(frozen=True, eq=False)
class Forecast:
    """Models of the K kernels of a snapshot and their predictions at Q targets.

    Attributes:
        models: one a kernel.
        prediction: float64[K, Q], with 90 % intervals.
        least_share: float64[K, Q], lower end of the interval over the predicted total: the share that a
            kernel takes beyond doubt. What is small now and large only in a guess is left alone.
    """

    models: ScalingModels
    prediction: Prediction
    least_share: FloatArray


def forecast(snapshot: Snapshot, targets: FloatArray, options: ModelOptions) -> Forecast:
    """Fit models to a snapshot whose first kernel is the total, and predict at the targets, float64[Q, D]."""
    models = fit(snapshot.parameters, snapshot.points, snapshot.values, options)
    prediction = models.predict(targets, LEVEL)
    total = prediction.value[:1]
    share = np.divide(prediction.lower, total, out=np.zeros(prediction.lower.shape), where=total > 0)
    return Forecast(models, prediction, np.minimum(share, 1.0))


def take_forecast(whole: Forecast, rows: IntArray) -> Forecast:
    """Return the forecast of some kernels."""
    p = whole.prediction
    part = Prediction(p.value[rows], p.lower[rows], p.upper[rows])
    return Forecast(whole.models.take(rows), part, whole.least_share[rows])


def predicted_ratio(baseline: Forecast, candidate: Forecast) -> Estimates:
    """Return the ratio of two predictions as estimates, from their intervals alone.

    Both models' doubts count in full, so this is much less certain than the ratio of measured points; it
    serves where no points are common. The upper half of the baseline's interval and the lower half of the
    candidate's are what stands between "worse" and "alike"; they are taken for normal in the logarithm.
    """
    above, below = (_log(f.prediction.value) for f in (candidate, baseline))
    with np.errstate(invalid="ignore"):
        ratio = above - below
        error = (
            np.hypot(above - _log(candidate.prediction.lower), _log(baseline.prediction.upper) - below)
            / STANDARD_REACH
        )
    known = np.isfinite(ratio) & np.isfinite(error) & (error > 0)
    degrees = np.minimum(baseline.models.degrees, candidate.models.degrees)
    return Estimates(
        np.where(known, ratio, np.nan),
        np.where(known, error, np.nan),
        np.repeat(degrees[:, None], ratio.shape[1], axis=1),
    )


def _log(values: FloatArray) -> FloatArray:
    out = np.full(values.shape, -np.inf)
    np.log(values, out=out, where=values > 0)
    return out
