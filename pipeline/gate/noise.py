"""How noisy every kernel is at every point, told from few repetitions by borrowing from all others.

Single variances from 3 or 5 repetitions are so uncertain that tests built on them either miss or cry wolf.
As in the analysis of gene expression, each is drawn towards what is common, by as much as the data say that
they agree: Smyth, "Linear models and empirical Bayes methods for assessing differential expression",
Statistical Applications in Genetics and Molecular Biology 3, 2004, sections 4 and 6.2.
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.statistics.empirical_bayes import pool_variances

LEAST = 1e-3  # relative noise below this is a limit of timers and of luck, never the truth
PROFILE_PRIOR = 20.0  # degrees of freedom that hold the noise of all points to be alike
FEWEST = 3  # variances from which is told how much they differ
CERTAIN = 1e6  # degrees of freedom of what is as good as known


@dataclass(frozen=True, eq=False)
class Noise:
    """Variance of the logarithm of one repetition.

    Attributes:
        variance: float64[K, P].
        degrees: float64[K, P], degrees of freedom behind it; 0 where nothing is known.
        limit: float64[K], degrees of freedom behind all points of a kernel together.
    """

    variance: FloatArray
    degrees: FloatArray
    limit: FloatArray


def moderated_noise(squares: FloatArray, degrees: FloatArray) -> Noise:
    """Estimate noise from sums of squares over repetitions.

    Args:
        squares: float64[K, P], sums of squared deviations of logarithms.
        degrees: float64[K, P], their degrees of freedom, 0 without repetitions.
    """
    known = degrees.sum(axis=1)
    profile, pooled = np.ones(squares.shape[1]), np.zeros(len(squares))
    for _ in range(3):  # the noise of kernels and the profile over points in turn; settles at once
        pooled = np.maximum(_divide((squares / profile).sum(axis=1), known), LEAST**2)
        relative = (squares / pooled[:, None]).sum(axis=0)
        profile = (relative + PROFILE_PRIOR) / (degrees.sum(axis=0) + PROFILE_PRIOR)
    center, weight = common_variance(pooled, known)
    kernel = (weight * center + known * pooled) / np.maximum(weight + known, 1e-300)
    limit = np.minimum(weight + known, max(float(known.sum()), 0.0))

    expected = kernel[:, None] * profile
    ratio = np.maximum(_divide(squares, degrees * expected), 1e-12)
    _, agreement = common_variance(ratio.reshape(-1), degrees.reshape(-1))
    variance = (agreement * expected + squares) / np.maximum(agreement + degrees, 1e-300)
    freedom = np.minimum(agreement + degrees, limit[:, None])
    return Noise(np.maximum(variance, LEAST**2), freedom, limit)


def common_variance(variance: FloatArray, degrees: FloatArray) -> tuple[float, float]:
    """Pool independent variances.

    Args:
        variance: float64[n], above zero where `degrees` is.
        degrees: float64[n], their degrees of freedom.

    Returns:
        The common variance, and how many degrees of freedom it counts for beside each; `CERTAIN` if the
        variances differ by no more than chance, 0 if there are too few to tell.
    """
    seen = degrees > 0
    if not seen.any():
        return 0.0, 0.0
    pooled = pool_variances(variance[seen], degrees[seen], CERTAIN)
    return pooled.variance, pooled.degrees if seen.sum() >= FEWEST else 0.0


def _divide(above: FloatArray, below: FloatArray) -> FloatArray:
    out = np.zeros(np.broadcast_shapes(above.shape, below.shape))
    np.divide(above, below, out=out, where=below > 0)
    return out
