"""Predicted values with their intervals, and what becomes of them in sums and under a further error."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from pipeline.statistics import deviations

if TYPE_CHECKING:
    from pipeline.models.formulas import PredictionFormula

Some = TypeVar("Some", bound=np.generic)

LEVEL = 0.9  # of intervals, unless another is asked for
LEAST_LOWER = 1e-9  # of a value, what counts as the lower end of its interval in logarithms
VALUES_AT_ONCE = 1 << 19  # 4 MiB
ROOM = 4_000_000  # values that a memory holds: 32 MB
VALUES_ALONE = 0.0  # stands for the level of intervals that are not asked for


def in_parts(points: npt.NDArray[Some], kernels: int) -> list[npt.NDArray[Some]]:
    """Split points, float64[Q, ...], so that the values of all kernels at those of a part are few."""
    return np.array_split(points, 1 + kernels * len(points) // VALUES_AT_ONCE)


class PredictionMemory:
    """Predictions of the points that were last asked for: summary, ranking and page ask for the same ones."""

    def __init__(self) -> None:
        self._known: dict[tuple[float, ...], FloatArray] = {}
        self._sums: dict[tuple[float, ...], float] = {}
        self._correction: tuple[bytes, FloatArray] | None = None
        self._formulas: dict[bytes, dict[int, PredictionFormula]] = {}

    def predict(
        self, points: FloatArray, level: float, predict: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """Return what is known at points float64[Q, D], and predict what is not.

        Predictions are float64[3, K, Q], or float64[1, K, Q] of values alone (`VALUES_ALONE`).
        """
        asked = [(level, *point) for point in points.tolist()]
        new = [key for key in dict.fromkeys(asked) if key not in self._known]
        if not asked:
            return predict(points)
        found = predict(np.array([key[1:] for key in new])) if new else None
        fresh = {} if found is None else dict(zip(new, found.transpose(2, 0, 1), strict=True))
        known = [fresh[key] if key in fresh else self._known[key] for key in asked]
        self._keep(fresh | {key: self._known.pop(key) for key in asked if key in self._known})
        self._sums.update({key: float(ends[len(ends) // 2].sum()) for key, ends in fresh.items()})
        return found if found is not None and new == asked else np.stack(known, axis=-1)

    def _keep(self, found: Mapping[tuple[float, ...], FloatArray]) -> None:
        """Remember predictions in place of the oldest ones, as many as there is room for."""
        size = max((ends.size for ends in found.values()), default=1)
        kept = dict(list(found.items())[: ROOM // max(size, 1)])
        self._known.update((key, np.ascontiguousarray(ends)) for key, ends in kept.items())
        held = sum(ends.size for ends in self._known.values())
        while held > ROOM:
            held -= self._known.pop(next(iter(self._known))).size

    def knows(self, points: FloatArray, level: float) -> BoolArray:
        """Tell of which points, float64[Q, D], predictions are known, bool[Q]."""
        return np.array([(level, *point) in self._known for point in points.tolist()], dtype=np.bool_)

    def sum_of_values(self, point: Sequence[float], level: float) -> float | None:
        """Return the sum of all values that were ever predicted at a point; None if none were."""
        return self._sums.get((level, *point), self._sums.get((VALUES_ALONE, *point)))

    def last_correction(self, points: FloatArray, make: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Return what corrects a curve at points, as it was made last: rankings and figures ask for one."""
        key = points.tobytes()
        if self._correction is None or self._correction[0] != key:
            self._correction = key, make(points)
        return self._correction[1]

    def formulas(
        self, key: bytes, kernels: IntArray, make: "Callable[[IntArray], Sequence[PredictionFormula]]"
    ) -> "list[PredictionFormula]":
        """Return the formulas of kernels in a range; each is made once, as several outputs show the same."""
        known, asked = self._formulas.setdefault(key, {}), kernels.tolist()
        if new := sorted({k for k in asked if k not in known}):
            known.update(zip(new, make(np.array(new)), strict=True))
        return [known[k] for k in asked]

    def remember(self, other: "PredictionMemory", kernels: IntArray) -> None:
        """Take over what another knows of some of its kernels."""
        for key, known in other._formulas.items():
            self._formulas[key] = {new: known[k] for new, k in enumerate(kernels.tolist()) if k in known}
        self._known.update({key: ends[:, kernels] for key, ends in other._known.items()})


@dataclass(frozen=True, eq=False)
class Prediction(Rows):
    """Values at Q points for K kernels."""

    value: FloatArray  # float64[K, Q], in the unit of the data
    lower: FloatArray  # float64[K, Q], lower end of the two-sided interval for the expected value
    upper: FloatArray  # float64[K, Q], its upper end

    def at(self, points: slice) -> "Prediction":
        """Return those at some points."""
        return Prediction(self.value[:, points], self.lower[:, points], self.upper[:, points])

    def combine(self, add: Callable[[FloatArray], FloatArray], correlation: float) -> "Prediction":
        """Sum predictions over kernels, with the interval that equally correlated errors give.

        The half-widths d of the parts are added as standard deviations are: the variance of a sum whose parts
        all correlate by r is (1 - r) * sum of d^2 + r * (sum of d)^2. `add` sums an array over its first
        axis, in whatever groups: ``lambda a: a.sum(0, keepdims=True)`` for a total, ``CallTree.inclusive``
        for inclusive values.
        """
        value = add(self.value)
        lower, upper = (
            np.sqrt((1 - correlation) * add(d * d) + correlation * add(d) ** 2)
            for d in (self.value - self.lower, self.upper - self.value)
        )
        return Prediction(value, value - lower, value + upper)


def in_sequence(parts: Sequence[Prediction]) -> Prediction:
    """Put predictions of different points behind one another."""
    every = zip(*((p.value, p.lower, p.upper) for p in parts), strict=True)
    return Prediction(*(np.concatenate(ends, axis=1) for ends in every))


def widened(
    quantiles: FloatArray, error: FloatArray, level: float, part: FloatArray | float = 1.0
) -> FloatArray:
    """Widen intervals, float64[3, K, Q] with values between their ends, by a further, independent error.

    The error, float64[K], is a standard deviation in logarithms, of which a part counts at each of Q points.
    """
    lower, value, upper = quantiles
    usable = value > 0
    logs = np.log(np.where(usable, np.maximum(quantiles, LEAST_LOWER * value), 1.0))
    more = deviations(level) * error[:, None] * part
    below, above = (np.sqrt(side**2 + more**2) for side in (logs[1] - logs[0], logs[2] - logs[1]))
    reached = np.where(lower > 0, np.exp(-below) * value, lower)
    return np.stack([np.where(usable, reached, lower), value, np.where(usable, np.exp(above) * value, upper)])
