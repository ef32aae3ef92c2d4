"""Intervals of mixtures of Student t distributions."""

import numpy as np
from scipy.special import stdtrit

from ingest.arrays import FloatArray, IntArray

_NODES = 64


def mixture_interval(
    center: FloatArray, scale: FloatArray, weight: FloatArray, degrees: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the central interval of a mixture of M Student t distributions, for K x Q mixtures at once.

    Each component is replaced by `_NODES` equally likely values, so that the quantiles of the mixture are
    weighted quantiles of the values: exact to a probability of 1 / (2 * _NODES) within a component.

    Args:
        center: float64[K, M, Q].
        scale: float64[K, M, Q], not below 0.
        weight: float64[K, M], sums to 1 over M.
        degrees: float64[K], degrees of freedom.
        level: probability inside, in equal parts outside on both sides.

    Returns:
        Lower and upper ends, float64[K, Q].
    """
    probability = (np.arange(_NODES) + 0.5) / _NODES
    node = stdtrit(degrees[:, None], probability)
    values = center[..., None] + scale[..., None] * node[:, None, None, :]
    values = values.transpose(0, 2, 1, 3).reshape(*center.shape[::2], -1)
    weights = np.broadcast_to(
        weight[:, None, :, None] / _NODES, (*center.shape[::2], weight.shape[1], _NODES)
    )
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    mass = np.take_along_axis(weights.reshape(values.shape), order, axis=-1).cumsum(axis=-1)
    lower, upper = (
        np.take_along_axis(ordered, _first_above(mass, quantile), axis=-1)[..., 0]
        for quantile in ((1 - level) / 2, (1 + level) / 2)
    )
    return lower, upper


def _first_above(mass: FloatArray, quantile: float) -> IntArray:
    index: IntArray = np.minimum((mass < quantile).sum(axis=-1, keepdims=True), mass.shape[-1] - 1)
    return index
