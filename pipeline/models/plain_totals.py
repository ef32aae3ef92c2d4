"""Plain times at scales without a profile are points of the total's model, and kernels are brought to it.

What a total is predicted wrong by is an error that all corrected totals share, and one of its model. Both are
taken for normal in the logarithm, and plain times observe their sum (Rasmussen and Williams, "Gaussian
Processes for Machine Learning", 2006, section 2.2).
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.experiment import PlainTotals
from pipeline.models.prediction import LEAST_LOWER, Prediction, widened
from pipeline.models.scaling_models import Predictor, ScalingModels
from pipeline.models.total import brought_to, predict_total
from pipeline.statistics import TWO_SIDED

_HALF = np.log(2.0)  # distance, in logarithms of parameters, over which errors of a model correlate by a half
_HALF_NEAR = _HALF / 4  # the same of a model that has the plain times for points
_LEAST_SPREAD = 1e-3  # of a logarithm
_CHANCE = 0.05  # probability with which plain times miss by more than their variances are expected to explain


@dataclass(frozen=True, eq=False, kw_only=True)
class SharedError:
    """What plain times say of the logarithm of the error that all corrected totals share."""

    mean: float
    deviation: float
    ratio: FloatArray  # float64[n], each plain time over what the profiles lead to
    astray: FloatArray  # float64[n], by how many standard deviations it misses that


def shared_error(models: ScalingModels, plain: PlainTotals) -> SharedError:
    """Learn from plain times, with what is known of it before, how far all corrected totals are off.

    If they miss by more than chance, models, those of the total at the profiled scales without that error,
    and corrections are less sure than they say.
    """
    from scipy.special import chdtri

    at, spread = np.array(plain.points), np.square(plain.spread)
    missed = np.log(np.array(plain.total) / predict_total(models, at).value[0])
    of_model = total_deviation(models, at)
    alike = 0.5 ** (distances(at, at) / _HALF)
    expected = np.outer(of_model, of_model) * alike + plain.common**2
    surprise = float(missed @ np.linalg.solve(expected + np.diag(spread), missed))
    scale = max(surprise / float(chdtri(len(missed), _CHANCE)), 1.0)
    before, variance = scale * plain.common**2, scale * expected + np.diag(spread)
    of_each = before * np.linalg.solve(variance, np.ones(len(missed)))
    return SharedError(
        mean=float(of_each @ missed),
        deviation=float(before * max(1.0 - of_each.sum(), 0.0)) ** 0.5,
        ratio=np.exp(missed),
        astray=missed / np.sqrt(np.diag(expected) + spread),
    )


def total_deviation(models: ScalingModels, points: FloatArray) -> FloatArray:
    """Return standard deviations of logarithms of totals predicted at points float64[Q, D], float64[Q]."""
    found = predict_total(models, points)
    lower = np.maximum(found.lower[0], LEAST_LOWER * found.value[0])
    return np.asarray(np.maximum(np.log(found.upper[0] / lower) / (2 * TWO_SIDED), _LEAST_SPREAD))


@dataclass(frozen=True, eq=False, kw_only=True)
class KnownTotals(Predictor):
    """Predicts kernels that add up to a total of which plain times are points beside the profiles.

    The error that all corrected totals share does not count at a plain time, and in full from as far away as
    the nearest profile is.
    """

    models: ScalingModels  # of the kernels; `whole` is that of all points of the total
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

    def _total(self, points: FloatArray, level: float) -> Prediction:
        found = predict_total(self._alone, points, level)
        plain, away = self.plain, distances(points, self._at)
        nearest, alike = away.argmin(axis=1), 0.5 ** (away / _HALF_NEAR)
        part = np.minimum(away.min(axis=1) / np.array(plain.away)[nearest], 1.0)
        spread = np.array(plain.spread)[nearest] * (1 - alike.max(axis=1))
        error = error_left(plain.common, spread, part, shared=self.shared)
        own, there = (total_deviation(self._alone, some) for some in (points, self._at))
        expected = np.outer(there, there) * 0.5 ** (distances(self._at, self._at) / _HALF_NEAR)
        weight = np.linalg.solve(
            expected + np.diag(np.square(plain.spread)), (alike * np.outer(own, there)).T
        )
        missed = np.log(np.array(plain.total) / predict_total(self._alone, self._at).value[0])
        left = np.sqrt(np.maximum(1 - (weight.T * alike * there).sum(axis=1) / own, _LEAST_SPREAD))
        value = found.value * np.exp(missed @ weight)
        below, above = (
            np.maximum(end / found.value, LEAST_LOWER) ** left for end in (found.lower, found.upper)
        )
        lower, value, upper = widened(
            np.stack([value * below, value, value * above]), np.ones(1), level, error
        )
        return Prediction(value, lower, upper)

    @cached_property
    def _at(self) -> FloatArray:
        return np.array(self.plain.points, dtype=np.float64)

    @cached_property
    def _alone(self) -> ScalingModels:
        """The model of all points of the total, as if its parts were not there."""
        assert self.models.whole is not None
        return self.models.whole.with_common_error(None, None)


def distances(points: FloatArray, others: FloatArray) -> FloatArray:
    """Return distances in logarithms of parameters between float64[Q, D] and float64[n, D], float64[Q, n]."""
    return np.asarray(np.abs(np.log(points[:, None] / others)).sum(axis=2))


def error_left(
    common: FloatArray | float, spread: FloatArray, part: FloatArray, *, shared: bool = True
) -> FloatArray:
    """Return what is left of the error of the level near plain times, standard deviations of logarithms.

    How much of the error that all corrected totals share, `common`, counts is the part, 0 at the plain time,
    whose spread is float64[Q], and 1 far from it. Without `shared`, it is what totals are off relative to
    corrected ones.
    """
    apart = (1 - part) * np.hypot(0.0 if shared else common, spread)
    return np.asarray(np.hypot(part * common, apart) if shared else apart)


def with_plain_totals(models: ScalingModels, plain: PlainTotals | None) -> ScalingModels:
    """Bring kernels to a total that plain times tell, too; the same models without any."""
    return models if plain is None else models.predicted_by(KnownTotals(models=models, plain=plain))
