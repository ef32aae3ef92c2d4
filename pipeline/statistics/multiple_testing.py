"""Many tests at once: Holm's step-down procedure.

Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
It keeps the probability of any false alarm below the level whatever the dependence between the tests, which
matters here: kernels share runs, and a region's values contain those of its call paths.
"""

import numpy as np

from ingest.arrays import FloatArray


def holm(p: FloatArray) -> FloatArray:
    """Return adjusted p-values of the shape of `p`; NaN stays NaN and is not counted as a test."""
    flat = p.reshape(-1)
    adjusted = np.full(flat.shape, np.nan)
    known = np.flatnonzero(np.isfinite(flat))
    order = known[np.argsort(flat[known], kind="stable")]
    left = len(order) - np.arange(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(flat[order] * left), 1.0) if len(order) else []
    return adjusted.reshape(p.shape)
