"""Predictions that are the measured values at measured scales, lie between these, and are models' beyond."""

from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.kernels import Kernels
from pipeline.models.prediction import Prediction
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import predict_total


@dataclass(frozen=True, eq=False)
class MeasuredInside:
    """Predicts K kernels by their measured means where there are some.

    With one parameter, logarithms of times are interpolated over the logarithm of the scale, between medians
    of the repetitions: a slow run is a fact of its scale and says nothing of others. Intervals are as wide,
    in proportion, as those of the models.

    Attributes:
        points: float64[P, D], measured.
    """

    models: ScalingModels
    points: FloatArray
    kernels: Kernels

    def predict(self, points: FloatArray, level: float) -> Prediction:
        """Predict all kernels."""
        found = self.models.predict(points, level)
        value, known = self._measured(points)
        known &= found.value > 0
        factor = np.divide(value, found.value, out=np.ones(value.shape), where=known)
        return Prediction(*(end * factor for end in (found.value, found.lower, found.upper)))

    def total(self, points: FloatArray, level: float, kernels: IntArray) -> Prediction | None:
        """Predict the sum of all kernels; None for some of them."""
        if len(kernels) != len(self.models):
            return None
        found = predict_total(self.models, points, level)
        value = self.predict(points, level).value.sum(axis=0, keepdims=True)
        factor = np.divide(value, found.value, out=np.ones(value.shape), where=found.value > 0)
        return Prediction(value, found.lower * factor, found.upper * factor)

    def with_common_error(self, error: FloatArray | None, of_sum: float | None) -> "MeasuredInside":
        """Predict from models with another error that all measurements share."""
        return replace(self, models=self.models.with_common_error(error, of_sum))

    def _measured(self, points: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return measured or interpolated values, float64[K, Q], and where there are some."""
        same = (points[:, None, :] == self.points[None]).all(axis=2)
        value = np.where(same.any(axis=1), self.kernels.mean[:, same.argmax(axis=1)], np.nan)
        if points.shape[1] == 1:
            between = np.flatnonzero(~same.any(axis=1))
            value[:, between] = self._between(points[between, 0])
        known = np.isfinite(value) & (value > 0)
        return np.where(known, value, 0.0), known

    def _between(self, scales: FloatArray) -> FloatArray:
        order = np.argsort(self.points[:, 0])
        measured = self.points[order, 0]
        after = np.searchsorted(measured, scales)
        inside = (after > 0) & (after < len(measured)) & (scales > 0) & (measured[0] > 0)
        after = np.where(inside, after, min(1, len(measured) - 1))
        before = np.maximum(after - 1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(self.kernels.median[:, order])
            share = np.log(scales / measured[before]) / np.log(measured[after] / measured[before])
            found = np.exp(logs[:, before] * (1 - share) + logs[:, after] * share)
        return np.where(inside, found, np.nan)


def measured_inside(models: ScalingModels, points: FloatArray, kernels: Kernels) -> ScalingModels:
    """Return models that predict measured values at and between the measured scales, float64[P, D]."""
    return models.predicted_by(MeasuredInside(models, points, kernels))
