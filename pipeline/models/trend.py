"""Where kernels are heading at the largest measured scale: local slopes of logarithms.

On real machines a line through the last points in logarithms predicts the next scales about as well as the best
normal form, and errs in other cases: formulas follow the whole range, trends only its end. Both are combined
beyond the measured range, each by how far it was off when it predicted the largest measured scale from the smaller ones
(`back_test`), which is what forecasters have found to be best since Bates and Granger ("The combination of
forecasts", 1969).
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from ingest.arrays import FloatArray, IntArray
from pipeline.models.observations import Observations

HALF_LIFE = 1.0  # doublings in which the weight of a point for the slope halves
STEEPEST_FALL, STEEPEST_RISE = -0.5, 1.5  # slopes beyond these were not kept up in any real series
RIDGE = 1e-3  # of the squared logarithms, so that a parameter that does not vary gets the slope 0
FULL_REACH = 0.2  # logarithm of the factor beyond the range from which trends count in full
BELOW, ABOVE = 1.0, 1.0  # stretch of the 90 % interval downwards and upwards, from real series


@dataclass(frozen=True, eq=False, kw_only=True)
class Trend:
    """The local trend of K kernels over D parameters.

    Attributes:
        level: float64[K], logarithm of the value at the largest value of every parameter; NaN if there is no
            trend, as of kernels that are zero there.
        slope: float64[K, D], change of the logarithm with that of each parameter.
    """

    level: FloatArray
    slope: FloatArray

    def at(self, points: FloatArray, last: FloatArray) -> FloatArray:
        """Return the logarithms of the values, float64[K, Q], at points beyond the largest values, float64[D]."""
        return np.asarray(self.level[:, None] + self.slope @ np.log(np.maximum(points / last, 1.0)).T)


def local_trend(data: Observations) -> Trend:
    """Take the trend at the end of the range from means, weighted towards the largest values.

    The line goes through the measured point that lies nearest to the end of the range.
    """
    logs = np.log(data.points)
    end = logs.max(axis=0)
    away = (end - logs).sum(axis=1) / np.log(2.0)
    used = data.measured & (data.mean > 0)
    rank = np.searchsorted(np.unique(np.round(away, 9)), np.round(away, 9) - 1e-9)
    weight = used * 2.0 ** (-np.minimum(away, rank) / HALF_LIFE)
    total = np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
    target = np.log(np.where(used, data.mean, 1.0))
    offset = logs[None] - (weight @ logs / total)[:, None]
    height = target - (weight * target).sum(axis=1, keepdims=True) / total
    right = np.einsum("kpd,kp->kd", offset * weight[..., None], height)
    normal = np.einsum("kpd,kpe->kde", offset * weight[..., None], offset) / total[..., None]
    normal += RIDGE * np.eye(logs.shape[1])
    slope = np.linalg.solve(normal, (right / total)[..., None])[..., 0]
    slope = np.clip(slope, STEEPEST_FALL, STEEPEST_RISE)
    nearest = np.where(used, away, np.inf).argmin(axis=1)
    here = np.arange(len(target))
    level = target[here, nearest] + (slope * (end - logs[nearest])).sum(axis=1)
    return Trend(level=np.where(used.any(axis=1), level, np.nan), slope=slope)


@dataclass(frozen=True, kw_only=True)
class ForecastErrors:
    """Errors beyond the measured range, relative, per unit of the natural logarithm of the factor beyond it.

    Attributes:
        formula: standard deviation of the normal forms' errors beyond what their intervals hold.
        trend: standard deviation of the local trends' errors.
        formulas_hold: probability that normal forms and noise are all there is: then trends add nothing.
    """

    formula: float
    trend: float
    formulas_hold: float


@dataclass(frozen=True, eq=False, kw_only=True)
class CombinedTrend:
    """Trends of K kernels with all that is needed to combine them with other predictions.

    Attributes:
        trend: the trends.
        noise: float64[K], relative standard deviation of the last measured means.
        errors: of formulas and trends in back-tests.
    """

    trend: Trend
    noise: FloatArray
    errors: ForecastErrors

    def take(self, kernels: IntArray) -> "CombinedTrend":
        """Return the trends of some kernels."""
        some = Trend(level=self.trend.level[kernels], slope=self.trend.slope[kernels])
        return replace(self, trend=some, noise=self.noise[kernels])

    def combined(
        self, quantiles: FloatArray, points: FloatArray, last: FloatArray, level: float
    ) -> FloatArray:
        """Combine lower ends, medians and upper ends of formulas with the trends.

        Beyond the measured range both are taken for normal in the logarithm; the formulas' deviation is that
        of their interval towards the trend.

        Args:
            quantiles: float64[3, K, Q], of the formulas.
            points: float64[Q, D].
            last: float64[D], the largest measured values.
            level: probability that the interval holds the expected value.

        Returns:
            float64[3, K, Q].
        """
        reach = np.log(np.maximum(points / last, 1.0)).sum(axis=1)
        usable = (quantiles[1] > 0) & (reach > 0) & np.isfinite(self.trend.level)[:, None]
        if not usable.any():
            return quantiles
        low, middle, high = np.log(np.where(usable, np.maximum(quantiles, 1e-9 * quantiles[1]), 1.0))
        trend = np.where(usable, self.trend.at(points, last), 0.0)
        width = -ndtri((1 - level) / 2)
        side = np.where(trend > middle, high - middle, middle - low) / width
        astray = 1 - self.errors.formulas_hold
        of_formula = side**2 + astray * (self.errors.formula * reach) ** 2
        of_trend = (self.errors.trend * reach) ** 2 + self.noise[:, None] ** 2
        share = astray * of_formula / (of_formula + of_trend) * np.minimum(reach / FULL_REACH, 1.0)
        value = middle + share * (trend - middle)
        variance = (
            of_formula * (1 - share) ** 2 + of_trend * share**2 + share * (1 - share) * (trend - middle) ** 2
        )
        spread = np.sqrt(variance) * width
        found = np.exp(np.stack([value - BELOW * spread, value, value + ABOVE * spread]))
        return np.where(usable, found, quantiles)
