"""Plain times at scales without a profile are points of the total, and kernels are brought to it.

What a total is predicted wrong by is an error that all corrected totals share, and one of its model, which
grows with the distance from what was profiled. Both are taken for normal in the logarithm, and plain times
observe their sum (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, section 2.2).
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import chdtri

from ingest.arrays import FloatArray, IntArray
from ingest.experiment import PlainTotals
from pipeline.models.prediction import LEAST_LOWER, Prediction, widened
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import brought_to, predict_total
from pipeline.statistics import TWO_SIDED

# distance, in logarithms of parameters, over which errors of a model correlate by a half: of 35 forecasts of
# real series with a total in between, intervals then hold 94 %; with half or twice of it 86 to 89 %
_HALF = np.log(2.0)
_LEAST_SPREAD = 1e-3  # of a logarithm
_CHANCE = 0.05  # probability with which plain times miss by more than their variances are expected to explain


@dataclass(frozen=True, eq=False, kw_only=True)
class KnownTotals:
    """Predicts kernels that add up to a total which plain times tell beside the profiles."""

    models: ScalingModels  # of the kernels, made from profiles alone
    plain: PlainTotals
    shared: bool = True  # whether intervals hold the error that all corrected totals share

    def predict(self, points: FloatArray, level: float) -> Prediction:
        """Predict all kernels."""
        total = self._total(points, level)
        return brought_to(self.models.predict(points, level), self.models.predict(points), total)

    def total(self, points: FloatArray, level: float, kernels: IntArray) -> Prediction | None:
        """Predict the sum of kernels, one row; None if those are not all."""
        return self._total(points, level) if len(kernels) == len(self.models) else None

    def with_common_error(self, error: FloatArray | None, of_sum: float | None) -> "KnownTotals":
        """Predict without the error that all measurements share, or with it."""
        return replace(self, shared=of_sum is not None)

    def shared_error(self) -> tuple[float, float]:
        """Return what plain times say of the error that all corrected totals share: mean and deviation."""
        before = self._scale * self.plain.common**2
        of_each = before * np.linalg.solve(self._variance, np.ones(len(self._missed)))
        return float(of_each @ self._missed), float(before * max(1.0 - of_each.sum(), 0.0)) ** 0.5

    @property
    def ratios(self) -> list[float]:
        """Each plain time over what the profiles lead to."""
        return [*np.exp(self._missed).tolist()]

    def astray(self) -> FloatArray:
        """By how many standard deviations each plain time misses what the profiles lead to, float64[n]."""
        return np.asarray(self._missed / np.sqrt(np.diag(self._expected)))

    @cached_property
    def _alone(self) -> ScalingModels:
        return _sum_alone(self.models)

    @cached_property
    def _at(self) -> FloatArray:
        return np.array(self.plain.points, dtype=np.float64).reshape(-1, len(self.models.parameters))

    @cached_property
    def _missed(self) -> FloatArray:
        """Logarithms of the plain times over what was predicted before they were known, float64[n]."""
        predicted = predict_total(self._alone, self._at).value[0]
        return np.asarray(np.log(np.array(self.plain.total) / predicted) + self.plain.moved)

    @cached_property
    def _expected(self) -> FloatArray:
        """Covariance that what is missed was expected to have, float64[n, n]."""
        own = self._covariance(self._at) + self.plain.common**2
        return np.asarray(own + np.diag(np.square(self.plain.spread)))

    @cached_property
    def _scale(self) -> float:
        """What multiplies variances of models and corrections, as plain times miss by more than chance."""
        surprise = float(self._missed @ np.linalg.solve(self._expected, self._missed))
        return max(surprise / float(chdtri(len(self._missed), _CHANCE)), 1.0)

    @cached_property
    def _variance(self) -> FloatArray:
        noise = np.diag(np.square(self.plain.spread))
        return np.asarray(self._scale * (self._expected - noise) + noise)

    def _deviation(self, points: FloatArray) -> FloatArray:
        """Standard deviation of the logarithm that the model has by itself, float64[Q]."""
        found = predict_total(self._alone, points)
        lower = np.maximum(found.lower[0], LEAST_LOWER * found.value[0])
        half = np.log(found.upper[0] / lower) / (2 * TWO_SIDED)
        return np.asarray(np.maximum(half, _LEAST_SPREAD))

    def _covariance(self, points: FloatArray) -> FloatArray:
        """Covariance of the model's errors at points and at the plain times, float64[Q, n]."""
        away = np.abs(np.log(points[:, None] / self._at)).sum(axis=2)
        own = self._deviation(points)[:, None] * self._deviation(self._at)
        return np.asarray(own * 0.5 ** (away / _HALF))

    def _total(self, points: FloatArray, level: float) -> Prediction:
        found = predict_total(self._alone, points, level)
        common = self.plain.common if self.shared else 0.0
        ends = widened(np.stack([found.lower, found.value, found.upper]), np.array([common]), level)
        of_model = self._scale * self._covariance(points)
        of_each = of_model + self._scale * common**2
        moved = of_model @ np.linalg.solve(self._variance, self._missed)
        before = self._deviation(points) ** 2 + common**2
        known = (of_each.T * np.linalg.solve(self._variance, of_each.T)).sum(axis=0)
        after = np.maximum(self._scale * before - known, _LEAST_SPREAD**2)
        ratios = (np.maximum(ends, LEAST_LOWER * ends[1]) / ends[1]) ** np.sqrt(after / before)
        lower, value, upper = ratios * ends[1] * np.exp(moved)
        return Prediction(value, lower, upper)


def with_plain_totals(models: ScalingModels, plain: PlainTotals | None) -> ScalingModels:
    """Bring kernels to a total that plain times tell, too; the same models without any."""
    return models if plain is None else models.predicted_by(KnownTotals(models=models, plain=plain))


def expecting(models: ScalingModels, common: float, point: FloatArray, spread: float) -> ScalingModels:
    """Return what is predicted after one more plain time if it is as expected.

    Args:
        models: kernels that add up to a total, with or without plain times so far.
        common: standard deviation of the logarithm of the error that corrected totals share, if without.
        point: float64[D], where it is taken.
        spread: standard deviation of its logarithm.
    """
    known, whole = models.predictor, models
    so_far = PlainTotals(points=(), total=(), locations=(), spread=(), common=common)
    if isinstance(known, KnownTotals):
        so_far, models = known.plain, known.models
    else:
        whole = _sum_alone(models)
    plain = replace(
        so_far,
        points=(*so_far.points, tuple(point.tolist())),
        total=(*so_far.total, float(predict_total(whole, point[None]).value[0, 0])),
        locations=(*so_far.locations, 1.0),
        spread=(*so_far.spread, spread),
    )
    return with_plain_totals(models, plain)


def _sum_alone(models: ScalingModels) -> ScalingModels:
    """Return the model of a sum by itself, as if its parts were not there, without the error they share."""
    return (models if models.whole is None else models.whole).with_common_error(None, None)
