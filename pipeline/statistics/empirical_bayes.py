"""Pooling of variances over kernels: few points per kernel, many kernels."""

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, zeta

from ingest.arrays import FloatArray

MOST_DEGREES = 1e4  # beyond, the variances are as good as known


@dataclass(frozen=True)
class PooledVariance:
    """A scaled inverse chi-squared distribution of variances over kernels.

    Attributes:
        variance: the typical variance s0^2.
        degrees: d0, how many observations the pool is worth to a single kernel.
    """

    variance: float
    degrees: float


def pool_variances(
    variances: FloatArray, degrees: FloatArray, most_degrees: float | None = None
) -> PooledVariance:
    """Estimate the distribution that the variances of the kernels come from.

    The method of moments on their logarithms (Smyth, "Linear models and empirical Bayes methods for assessing
    differential expression", 2004, section 6.2): log s^2 - digamma(d/2) + log(d/2) has the mean and variance
    of log F, whose trigamma part beyond trigamma(d/2) is due to differences between the kernels.

    Args:
        variances: float64[K], above 0.
        degrees: float64[K], d of each, above 0.
        most_degrees: largest number of observations that the pool is worth to a kernel; None: no more than
            the other kernels' own degrees of freedom.
    """
    half = degrees / 2
    logs = np.log(variances) - digamma(half) + np.log(half)
    center = float(logs.mean())
    between = float(logs.var(ddof=1) - _trigamma(half).mean()) if len(logs) > 1 else 0.0
    if most_degrees is None:
        most_degrees = min(max(len(variances) - 1, 1) * float(degrees.mean()), MOST_DEGREES)
    half_prior = most_degrees / 2
    if between > float(_trigamma(half_prior)):
        half_prior = _inverse_trigamma(between)
    variance = np.exp(center + digamma(half_prior) - np.log(half_prior))
    return PooledVariance(float(variance), 2 * half_prior)


def _trigamma(x: FloatArray | float) -> FloatArray:
    """Return the second derivative of log gamma; `scipy.special.polygamma` takes ten times as long."""
    return np.asarray(zeta(2, x))


def _inverse_trigamma(value: float) -> float:
    """Solve trigamma(x) = value by Newton's method on 1 / trigamma, which is nearly straight."""
    x = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(_trigamma(x))
        step = trigamma * (1 - trigamma / value) / float(-2 * zeta(3, x))
        x += step
        if abs(step) < 1e-10 * x:
            break
    return x
