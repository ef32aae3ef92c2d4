"""Log ratios with their standard errors, and tests of them, many at once.

The tests ask for more than a difference: they reject "the ratio is at most `factor`", so that what they find
is both significant and large enough to matter (a minimum-effect test, as TREAT of McCarthy and Smyth,
Bioinformatics 25, 2009).

Of many tests, Holm's procedure ("A simple sequentially rejective multiple test procedure", Scandinavian
Journal of Statistics 6, 1979) keeps the probability of any false alarm below the level whatever the
dependence between the tests, which matters here: kernels share runs, and a region's values contain those of
its call paths.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtr, stdtrit

from ingest.arrays import BoolArray, FloatArray, Rows

POWER = 0.9  # probability with which the smallest detectable factor is found
_LARGEST_LOG = 700.0  # its exponential is still a number


@dataclass(frozen=True, eq=False)
class Estimates(Rows):
    """T estimates of log ratios for K kernels; NaN if nothing can be estimated."""

    log_ratio: FloatArray  # float64[K, T]
    error: FloatArray  # float64[K, T], standard errors
    degrees: FloatArray  # float64[K, T], degrees of freedom of the errors

    @classmethod
    def unknown(cls, kernels: int) -> "Estimates":
        """Return nothing known about some kernels, T = 1."""
        return cls(*(np.full((kernels, 1), np.nan) for _ in range(3)))

    @property
    def known(self) -> BoolArray:
        """Whether there is an estimate with an error, bool[K, T]."""
        known: BoolArray = np.isfinite(self.log_ratio) & np.isfinite(self.error) & (self.degrees > 0)
        return known

    def widened(self, error: FloatArray) -> "Estimates":
        """Return the estimates with a further, independent error of each kernel, float64[K]."""
        return replace(self, error=np.hypot(self.error, error[:, None])) if error.any() else self

    @property
    def inverse(self) -> "Estimates":
        """The estimates of baseline over candidate."""
        return replace(self, log_ratio=-self.log_ratio)

    def above(self, log_factor: FloatArray) -> FloatArray:
        """Return p-values against "the ratio is at most the factor", float64[K, T]; factors float64[K]."""
        known = self.known
        p = np.full(self.log_ratio.shape, np.nan)
        statistic = (self.log_ratio - log_factor[:, None])[known] / self.error[known]
        p[known] = stdtr(self.degrees[known], -statistic)
        return p

    def detectable(self, log_factor: FloatArray, level: float) -> FloatArray:
        """Return the smallest factor that a test finds with probability `POWER`, float64[K]; T = 1.

        It tests at a level beyond the factors that are allowed, float64[K] logarithms.
        """
        found = np.full(len(log_factor), np.nan)
        rows = np.flatnonzero(self.known[:, 0])
        degrees, error = self.degrees[rows, 0], self.error[rows, 0]
        reach = (stdtrit(degrees, 1 - level) + stdtrit(degrees, POWER)) * error
        found[rows] = np.exp(np.minimum(log_factor[rows] + reach, _LARGEST_LOG))
        return found

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return the ends of two-sided intervals for the ratio (not its logarithm), float64[K, T]."""
        reach = np.full(self.error.shape, np.nan)
        known = self.known
        reach[known] = stdtrit(self.degrees[known], (1 + level) / 2) * self.error[known]
        with np.errstate(over="ignore"):
            return np.exp(self.log_ratio - reach), np.exp(self.log_ratio + reach)


def holm(p: FloatArray) -> FloatArray:
    """Return adjusted p-values of the shape of `p`; NaN stays NaN and is not counted as a test."""
    flat = p.reshape(-1)
    adjusted = np.full(flat.shape, np.nan)
    known = np.flatnonzero(np.isfinite(flat))
    order = known[np.argsort(flat[known], kind="stable")]
    left = len(order) - np.arange(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(flat[order] * left), 1.0) if len(order) else []
    return adjusted.reshape(p.shape)
