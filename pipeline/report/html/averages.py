"""Means over repetitions where some were not measured."""

import numpy as np

from ingest.arrays import FloatArray


def over_repetitions(values: FloatArray) -> FloatArray:
    """Return the mean over the last axis, NaN where nothing was measured: float64[..., R] to float64[...]."""
    measured = np.isfinite(values)
    mean = np.full(values.shape[:-1], np.nan)
    np.divide(
        np.where(measured, values, 0.0).sum(axis=-1),
        measured.sum(axis=-1),
        out=mean,
        where=measured.any(axis=-1),
    )
    return mean
