"""Positive figures with intervals whose ratios have intervals, too."""

from dataclasses import dataclass

import numpy as np

from filters.known_plain import KNOWN_SPREAD
from ingest.arrays import BoolArray, FloatArray, Rows
from pipeline.models.prediction import Prediction
from pipeline.statistics import TWO_SIDED, student_quantiles
from pipeline.wording.quantities import Figure

SINGLE_RUN = 0.12
"""Half-width of the 90 % interval, in logarithms, around a run whose noise is unknown.

Repetitions of five public programs (HOMME, RELeARN, Intel MPI Benchmarks, OpenSBLI, CP2K) scatter by
0.3 to 5.5 % (standard deviation), those of two (MiniEM, GROMACS) by 12 and 14 %: with each program as likely,
nine in ten runs lie within 12 % of the mean.
"""

_OF_MEDIAN = np.pi / 2  # variance of a median over that of a mean


def plain_spread(noise: float | None, count: FloatArray | int) -> FloatArray:
    """Return the standard deviation of the logarithm of the median of some runs without instrumentation.

    The noise is that of a single run, None if it is unknown.
    """
    of_run = SINGLE_RUN / TWO_SIDED if noise is None else noise
    of_median = of_run**2 / count * np.where(np.asarray(count) > 2, _OF_MEDIAN, 1.0)
    return np.asarray(np.sqrt(KNOWN_SPREAD**2 + of_median))


@dataclass(frozen=True, eq=False)
class Estimate(Rows):
    """Q figures with two-sided 90 % intervals, taken for normal in the logarithm on either side.

    In ratios of the predictions of many kernels, every array is float64[K, Q].
    """

    value: FloatArray  # float64[Q], NaN if it is not available
    below: FloatArray  # float64[Q], logarithm of the value over the lower end of its interval; NaN if unknown
    above: FloatArray  # float64[Q], logarithm of the upper end over the value

    @property
    def lower(self) -> FloatArray:
        """Lower ends of the intervals, float64[Q]."""
        lower: FloatArray = self.value * np.exp(-self.below)
        return lower

    @property
    def upper(self) -> FloatArray:
        """Upper ends of the intervals, float64[Q]."""
        upper: FloatArray = self.value * np.exp(self.above)
        return upper

    @property
    def known(self) -> list[Figure | None]:
        """Each figure with its interval, None for one that is not available."""
        return [
            Figure.of(*ends) if np.isfinite(ends[0]) else None
            for ends in zip(self.value, self.lower, self.upper, strict=True)
        ]

    def where(self, wanted: BoolArray, other: "Estimate | None" = None) -> "Estimate":
        """Return the figures that are wanted, bool[Q], and for the rest those of another, or else NaN."""
        other = other or Estimate(*np.full((3, len(self)), np.nan))
        parts = zip(vars(self).values(), vars(other).values(), strict=True)
        return Estimate(*(np.where(wanted, mine, theirs) for mine, theirs in parts))

    def times(self, factor: FloatArray | float) -> "Estimate":
        """Multiply by an exact positive factor."""
        return Estimate(self.value * factor, self.below, self.above)

    def over(self, other: "Estimate") -> "Estimate":
        """Divide by figures with independent errors: the sides add up as standard deviations do."""
        ratio = np.full(self.value.shape, np.nan)
        np.divide(self.value, other.value, out=ratio, where=other.value > 0)
        return Estimate(ratio, np.hypot(self.below, other.above), np.hypot(self.above, other.below))

    def score_at_most(self, bound: float | FloatArray) -> FloatArray:
        """By how many standard deviations a positive bound lies above the figures, float64[Q].

        The standard normal probability of a score is that of a figure of at most the bound.
        """
        return _score(np.log(bound / _positive(self.value)), self.below, self.above)

    def score_at_least(self, bound: float | FloatArray) -> FloatArray:
        """The same of figures of at least a positive bound."""
        return _score(np.log(_positive(self.value) / bound), self.above, self.below)

    def widened(self, below: float | FloatArray, above: float | FloatArray | None = None) -> "Estimate":
        """Add an independent error, given as the sides of its 90 % interval in logarithms, one or Q.

        Without that above, both sides are alike.
        """
        above = below if above is None else above
        return Estimate(self.value, np.hypot(self.below, below), np.hypot(self.above, above))

    def narrowed(self, below: FloatArray, above: FloatArray) -> "Estimate":
        """Take out what `widened` added."""
        sides = ((self.below, below), (self.above, above))
        return Estimate(self.value, *(np.sqrt(np.maximum(one**2 - two**2, 0.0)) for one, two in sides))


def _positive(value: FloatArray) -> FloatArray:
    return np.asarray(np.maximum(value, np.finfo(np.float64).tiny))


def _score(distance: FloatArray, short_of: FloatArray, beyond: FloatArray) -> FloatArray:
    """Divide distances by the standard deviation of the side they lie on; what is exact is met or missed."""
    side = np.where(distance < 0, short_of, beyond) / TWO_SIDED
    exact = np.where(distance < 0, -np.inf, np.inf)
    return np.where(side > 0, distance / np.where(side > 0, side, 1.0), np.where(side == 0, exact, np.nan))


def from_prediction(prediction: Prediction) -> Estimate:
    """Take a prediction of one kernel at Q points, as `from_predictions` does."""
    return Estimate(*(of_kernels[0] for of_kernels in vars(from_predictions(prediction)).values()))


def from_predictions(prediction: Prediction) -> Estimate:
    """Take predictions of K kernels at Q points; an end that is not positive lies infinitely far away."""
    value, lower, upper = prediction.value, prediction.lower, prediction.upper
    usable = value > 0
    size = np.where(usable, value, 1.0)
    with np.errstate(divide="ignore"):
        below = -np.log(np.where(usable, np.maximum(lower, 0.0), 1.0) / size)
    above = np.log(np.where(usable, upper, 1.0) / size)
    return Estimate(value, np.where(usable, below, 0.0), np.where(usable, above, 0.0))


def from_repetitions(values: FloatArray) -> Estimate:
    """Estimate expected values from float64[Q, R] repetitions, NaN for those that were not measured.

    The interval is that of Student's t for the mean of the logarithms. A point that was measured once has the
    deviation of all points together, or, without any repetition, that of public programs.
    """
    usable = np.isfinite(values) & (values > 0)
    count = usable.sum(axis=1)
    logs = np.log(np.where(usable, values, 1.0))
    mean = np.divide(logs.sum(axis=1), count, out=np.zeros(len(values)), where=count > 0)
    squares = (np.where(usable, logs - mean[:, None], 0.0) ** 2).sum(axis=1)
    repeated = count > 1
    degrees = np.where(repeated, count - 1, (count - 1)[repeated].sum())
    variance = np.where(repeated, squares, squares[repeated].sum()) / np.maximum(degrees, 1)
    side = student_quantiles(np.maximum(degrees, 1.0), np.array([0.95]))[0] * np.sqrt(
        variance / np.maximum(count, 1)
    )
    side = np.where(count > 0, np.where(degrees > 0, side, SINGLE_RUN), np.nan)
    total = np.where(np.isfinite(values), values, 0.0).sum(axis=1)
    measured = np.isfinite(values).sum(axis=1)
    value = np.divide(total, measured, out=np.full(len(values), np.nan), where=measured > 0)
    return Estimate(value, side, side)
