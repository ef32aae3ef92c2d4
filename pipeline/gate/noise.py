"""The noise of every kernel at every point, estimated from few repetitions by borrowing from all kernels.

Noise of run times is multiplicative, so everything here is in logarithms. Single variances from 3 or 5
repetitions are so uncertain that tests built on them either miss changes or raise false alarms. As in the
analysis of gene expression, each is shrunk towards the common one, by as much as the data say that they
agree: Smyth, "Linear models and empirical Bayes methods for assessing differential expression", Statistical
Applications in Genetics and Molecular Biology 3, 2004, sections 4 and 6.2.
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.statistics.empirical_bayes import pool_variances

LEAST = 1e-3  # relative noise below this is due to the resolution of timers or to chance
PROFILE_PRIOR = 20.0  # degrees of freedom of the prior that the noise of all points is alike
ROUNDS = 3  # alternations between the noise of kernels and of points; converged by then
FEWEST = 3  # variances needed to estimate how much they differ
CERTAIN = 1e6  # degrees of freedom of a variance that is as good as known


@dataclass(frozen=True, eq=False)
class LogMeans:
    """Repetitions of K kernels at P points, in natural logarithms.

    Attributes:
        mean: float64[K, P], mean over repetitions, NaN if none is above zero.
        count: float64[K, P], repetitions above zero; less if some count for little.
        squares: float64[K, P], sum of squared deviations from the mean.
        freedom: float64[K, P], degrees of freedom of `squares`; None: one less than the repetitions.
    """

    mean: FloatArray
    count: FloatArray
    squares: FloatArray
    freedom: FloatArray | None = None

    @property
    def degrees(self) -> FloatArray:
        """Degrees of freedom of `squares`, float64[K, P]."""
        if self.freedom is not None:
            return self.freedom
        degrees: FloatArray = np.maximum(self.count - 1.0, 0.0)
        return degrees


@dataclass(frozen=True, eq=False)
class Noise:
    """Variance of the logarithm of one repetition.

    Attributes:
        variance: float64[K, P].
        degrees: float64[K, P], degrees of freedom behind it; 0 if it is unknown.
        limit: float64[K], degrees of freedom behind all points of a kernel together.
    """

    variance: FloatArray
    degrees: FloatArray
    limit: FloatArray


def natural_logs(values: FloatArray) -> FloatArray:
    """Return natural logarithms; NaN for values that are unknown or not above zero."""
    logs = np.full(values.shape, np.nan)
    np.log(values, out=logs, where=np.isfinite(values) & (np.nan_to_num(values) > 0))
    return logs


def log_means(values: FloatArray) -> LogMeans:
    """Reduce repetitions, float64[K, P, R]; values not above zero have no logarithm and are left out."""
    logs = natural_logs(values)
    usable = np.isfinite(logs)
    logs = np.where(usable, logs, 0.0)
    count = usable.sum(axis=2).astype(np.float64)
    mean = np.full(count.shape, np.nan)
    np.divide(logs.sum(axis=2), count, out=mean, where=count > 0)
    deviation = np.where(usable, logs - np.nan_to_num(mean)[:, :, None], 0.0)
    return LogMeans(mean, count, (deviation**2).sum(axis=2))


def moderated_noise(squares: FloatArray, degrees: FloatArray) -> Noise:
    """Estimate noise from sums of squares over repetitions.

    Args:
        squares: float64[K, P], sums of squared deviations of logarithms.
        degrees: float64[K, P], their degrees of freedom, 0 without repetitions.
    """
    known = degrees.sum(axis=1)
    profile, pooled = np.ones(squares.shape[1]), np.zeros(len(squares))
    for _ in range(ROUNDS):
        pooled = np.maximum(_divide((squares / profile).sum(axis=1), known), LEAST**2)
        relative = (squares / pooled[:, None]).sum(axis=0)
        profile = (relative + PROFILE_PRIOR) / (degrees.sum(axis=0) + PROFILE_PRIOR)
    center, weight = common_variance(pooled, known)
    kernel = _divide(weight * center + known * pooled, weight + known)
    limit = np.minimum(weight + known, float(known.sum()))

    expected = kernel[:, None] * profile
    ratio = np.maximum(_divide(squares, degrees * expected), 1e-12)
    _, agreement = common_variance(ratio.reshape(-1), degrees.reshape(-1))
    variance = _divide(agreement * expected + squares, agreement + degrees)
    freedom = np.minimum(agreement + degrees, limit[:, None])
    return Noise(np.maximum(variance, LEAST**2), freedom, limit)


def common_variance(variance: FloatArray, degrees: FloatArray) -> tuple[float, float]:
    """Pool independent variances.

    Args:
        variance: float64[n], above zero where `degrees` is.
        degrees: float64[n], their degrees of freedom.

    Returns:
        The common variance, and how many degrees of freedom it counts for beside each; `CERTAIN` if the
        variances differ by no more than chance, 0 if there are too few to know.
    """
    seen = degrees > 0
    if not seen.any():
        return 0.0, 0.0
    pooled = pool_variances(variance[seen], degrees[seen], CERTAIN)
    return pooled.variance, pooled.degrees if seen.sum() >= FEWEST else 0.0


def _divide(above: FloatArray, below: FloatArray) -> FloatArray:
    """Divide; 0 where the divisor is 0."""
    out = np.zeros(np.broadcast_shapes(above.shape, below.shape))
    np.divide(above, below, out=out, where=below > 0)
    return out
