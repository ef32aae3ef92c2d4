"""Predicted values with their intervals."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray


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
