"""Predicted values with their intervals, and what becomes of them in sums and under a further error."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ingest.arrays import FloatArray, IntArray

LEAST = 1e-9  # of a value, what counts as the lower end of its interval in logarithms


REMEMBERED = 64  # points whose predictions are kept of many kernels
REMEMBERED_VALUES = 1_000_000  # of few kernels so many values are: 8 MB


class PredictionMemory:
    """Predictions of a few points: summary, ranking and page ask for the same ones."""

    def __init__(self) -> None:
        self._known: dict[tuple[float, ...], FloatArray] = {}

    def predict(
        self, points: FloatArray, level: float, predict: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """Return what is known, and predict what is not.

        Args:
            points: float64[Q, D].
            level: of the intervals.
            predict: makes float64[3, K, Q] from points.

        Returns:
            float64[3, K, Q].
        """
        asked = [(level, *point) for point in points.tolist()]
        known = self._known
        if new := [key for key in dict.fromkeys(asked) if key not in known]:
            found = predict(np.array([key[1:] for key in new])).transpose(2, 0, 1)
            known = known | dict(zip(new, found, strict=True))
            if len(known) <= max(REMEMBERED, REMEMBERED_VALUES // max(found[0].size, 1)):
                self._known.update(known)
        if not asked:
            return predict(points)
        return np.stack([known[key] for key in asked], axis=-1)

    def remember(self, other: "PredictionMemory", kernels: IntArray) -> None:
        """Take over what another knows of some of its kernels."""
        self._known.update({key: ends[:, kernels] for key, ends in other._known.items()})


@dataclass(frozen=True, eq=False)
class Prediction:
    """Values at Q points for K kernels.

    Attributes:
        value: float64[K, Q], in the unit of the data.
        lower: float64[K, Q], lower end of the two-sided interval for the expected value.
        upper: float64[K, Q], its upper end.
    """

    value: FloatArray
    lower: FloatArray
    upper: FloatArray

    def take(self, kernels: IntArray) -> "Prediction":
        """Return those of some kernels."""
        return Prediction(self.value[kernels], self.lower[kernels], self.upper[kernels])

    def combine(self, add: Callable[[FloatArray], FloatArray], correlation: float) -> "Prediction":
        """Sum predictions over kernels, with the interval that equally correlated errors give.

        The half-widths d of the parts are added as standard deviations are: the variance of a sum whose parts
        all correlate by r is (1 - r) * sum of d^2 + r * (sum of d)^2.

        Args:
            add: sums an array over its first axis, in whatever groups: ``lambda a: a.sum(0, keepdims=True)``
                for a total, ``CallTree.inclusive`` for inclusive values.
            correlation: r, 0 to 1.

        Returns:
            The predictions of the groups.
        """
        value = add(self.value)
        lower, upper = (
            np.sqrt((1 - correlation) * add(d * d) + correlation * add(d) ** 2)
            for d in (self.value - self.lower, self.upper - self.value)
        )
        return Prediction(value, value - lower, value + upper)


def widened(quantiles: FloatArray, error: FloatArray, level: float) -> FloatArray:
    """Widen intervals by a further, independent error.

    Args:
        quantiles: float64[3, K, Q], lower ends, values and upper ends.
        error: float64[K], its standard deviation in logarithms.
        level: probability of the intervals.

    Returns:
        float64[3, K, Q].
    """
    lower, value, upper = quantiles
    usable = value > 0
    logs = np.log(np.where(usable, np.maximum(quantiles, LEAST * value), 1.0))
    more = float(ndtri((1 + level) / 2)) * error[:, None]
    below, above = (np.sqrt(side**2 + more**2) for side in (logs[1] - logs[0], logs[2] - logs[1]))
    reached = np.where(lower > 0, np.exp(-below) * value, lower)
    return np.stack(
        [
            np.where(usable, reached, lower),
            value,
            np.where(usable, np.exp(above) * value, upper),
        ]
    )
