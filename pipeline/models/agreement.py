"""Regions and call paths have one total: the predictions of regions add up to those of their call paths.

Both levels are fitted on their own, so their sums differ beyond the measured points. The regions move towards
the sum of the call paths as least squares in logarithms does: in proportion to the variance of the logarithm
times the value. So what is known well hardly moves, and neither does what is too small to fill the gap. No
region counts as known better than the two sums agree.
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.prediction import Prediction
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import log_variance, predict_total, tilt

SMALLEST = 1e-300


@dataclass(frozen=True, eq=False)
class Agreement:
    """Coarse parts of a sum whose predictions add up to those of its fine parts, whose sum is the total."""

    coarse: ScalingModels
    fine: ScalingModels

    def predict(self, points: FloatArray, level: float) -> Prediction:
        """Predict all coarse parts."""
        own = self.coarse.predict(points, level)
        factor = _factors(own, self.fine.predict(points, level))
        value, lower, upper = (part * factor for part in (own.value, own.lower, own.upper))
        if self.coarse.common_error is None:
            lower = self.coarse.raised(lower, value, points)
        return Prediction(value, lower, upper)

    def total(self, points: FloatArray, level: float, kernels: IntArray) -> Prediction:
        """Predict the sum of all, whichever kernels are asked for."""
        return predict_total(self.fine, points, level)


def agreeing(coarse: ScalingModels, fine: ScalingModels) -> ScalingModels:
    """Make the coarse parts of a sum agree with its fine parts."""
    return coarse.predicted_by(Agreement(coarse, fine))


def _factors(coarse: Prediction, fine: Prediction) -> FloatArray:
    """By what each coarse part is multiplied, float64[K, Q]; 1 if no factors make the sums equal."""
    value = coarse.value
    rising = np.where(value > 0, value, 0.0)
    wanted = fine.value.sum(axis=0) - (value - rising).sum(axis=0)
    variances, factors = log_variance(coarse), np.ones(value.shape)
    for q in np.flatnonzero((wanted > 0) & (rising.sum(axis=0) > 0)).tolist():
        gap = np.log(wanted[q] / rising[:, q].sum())
        weight = (variances[:, q] + gap**2) * rising[:, q]
        share = weight / max(weight.max(), SMALLEST)
        moved = np.exp(tilt(rising[:, q], share, wanted[q]) * share)
        left = wanted[q] / (rising[:, q] * moved).sum()  # rounding
        factors[:, q] = np.where(value[:, q] > 0, moved * left, 1.0)
    return factors
