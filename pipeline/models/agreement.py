"""Regions and call paths have one total: the predictions of regions add up to those of their call paths.

Both levels are fitted on their own, so their sums differ beyond the measured points. The regions move towards
the sum of the call paths as least squares in logarithms does: in proportion to the variance of the logarithm
times the value. So what is known well hardly moves, and neither does what is too small to fill the gap. No
region counts as known better than the two sums agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.prediction import Prediction
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import log_variance, tilt

SMALLEST = 1e-300


@dataclass(frozen=True, eq=False, kw_only=True)
class AgreeingModels(ScalingModels):
    """Models of the coarse parts of a sum, whose predictions add up to those of its fine parts.

    Attributes:
        coarse: all coarse parts as they were fitted.
        fine: the fine parts.
        kernels: int64[K], which of the coarse parts these are.
    """

    coarse: ScalingModels
    fine: ScalingModels
    kernels: IntArray

    @property
    def summed(self) -> ScalingModels:
        """The fine parts, whose sum is the total."""
        return self.fine

    def take(self, kernels: IntArray | Sequence[int]) -> "AgreeingModels":
        """Return the models of some kernels; they move as they do among all."""
        index = np.asarray(kernels, dtype=np.int64)
        return _agreeing(super().take(index), self.coarse, self.fine, self.kernels[index])

    def predict(self, points: FloatArray, level: float = 0.9) -> Prediction:
        """Predict expected values, arguments and result as of `ScalingModels.predict`."""
        points = np.asarray(points, dtype=np.float64).reshape(-1, len(self.parameters))
        own = self.coarse.predict(points, level)
        factor = _factors(own, self.fine.predict(points, level))
        value, lower, upper = (part * factor for part in (own.value, own.lower, own.upper))
        if self.coarse.common_error is None:
            lower = self.coarse.raised(lower, value, points)
        return Prediction(*(part[self.kernels] for part in (value, lower, upper)))


def agreeing(coarse: ScalingModels, fine: ScalingModels) -> AgreeingModels:
    """Make the coarse parts of a sum agree with its fine parts."""
    return _agreeing(coarse, coarse, fine, np.arange(len(coarse)))


def _agreeing(
    models: ScalingModels, coarse: ScalingModels, fine: ScalingModels, kernels: IntArray
) -> AgreeingModels:
    own = {f.name: getattr(models, f.name) for f in fields(ScalingModels)}
    return AgreeingModels(**own, coarse=coarse, fine=fine, kernels=kernels)


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
