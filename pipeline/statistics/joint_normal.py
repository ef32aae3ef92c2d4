"""The probability that two related normal variables both stay below their bounds."""

import numpy as np
from scipy.special import ndtr, ndtri

from ingest.arrays import FloatArray

STEPS = 1024  # of the sum over the first variable: off by at most one in as many, where both are the same


def both_below(first: FloatArray, second: FloatArray, correlation: FloatArray) -> FloatArray:
    """Return the probability that both of two standard normal variables are below their bounds.

    Args:
        first: float64[Q], bound of the first.
        second: float64[Q], bound of the second.
        correlation: float64[Q], from 0 to 1.

    Returns:
        float64[Q], NaN where a bound is.
    """
    whole = ndtr(first)
    steps = (np.arange(STEPS) + 0.5) / STEPS
    least = np.finfo(np.float64).tiny
    given = ndtri(np.maximum(whole[:, None] * steps, least))
    left = np.sqrt(np.maximum(1 - correlation**2, least))[:, None]
    beneath = ndtr((second[:, None] - correlation[:, None] * given) / left)
    return np.asarray(np.minimum(whole * beneath.mean(axis=1), ndtr(second)))
