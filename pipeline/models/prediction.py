"""Predicted values with their intervals, and what becomes of them in sums and under a further error."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ingest.arrays import FloatArray, IntArray

LEAST = 1e-9  # of a value, what counts as the lower end of its interval in logarithms


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
