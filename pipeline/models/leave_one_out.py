"""The plain choice among one-term models: smallest leave-one-out error, as Extra-P chooses."""

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.least_squares import LineFits, fit_lines

_BLOCK = 1 << 17  # residuals held at once: 1 MiB
_ROUNDING = 1e-9  # SMAPE below which a difference is rounding, in percent


def choose_by_leave_one_out(term: FloatArray, mean: FloatArray, measured: BoolArray) -> IntArray:
    """Choose the constant or one term for each kernel by the SMAPE of unweighted fits.

    Each point is predicted from the others without fitting again: the residual e of the full fit becomes
    e / (1 - h) with the leverage h of the point (Allen's PRESS). As in Extra-P the constant, which has
    nothing to overfit, is judged by its ordinary residuals.

    Args:
        term: float64[P, H], from `scaled_terms`.
        mean: float64[K, P].
        measured: bool[K, P].

    Returns:
        int64[K], 0 for the constant, 1 + h for the term h.
    """
    complete = bool(measured.all())
    weights = np.ones((1, mean.shape[1])) if complete else measured.astype(np.float64)
    weights = np.where(weights.any(axis=1, keepdims=True), weights, 1.0)
    chosen = np.empty(len(mean), dtype=np.int64)
    step = max(1, _BLOCK // max(1, term.size))
    for start in range(0, len(mean), step):
        part = slice(start, start + step)
        weight = weights if complete else weights[part]
        fits = fit_lines(term, mean[part], weight)
        chosen[part] = _best(fits, mean[part], weight)
    return chosen


def _best(fits: LineFits, mean: FloatArray, weight: FloatArray) -> IntArray:
    constant = _smape(fits.level, mean, weight)
    offset = fits.term.T - fits.center[:, :, None]
    spread = np.where(fits.usable, fits.spread, 1.0)[:, :, None]
    leverage = weight[:, None, :] * (1 + offset**2 / spread) / fits.total[:, :, None]
    slack = 1 - leverage
    fitted = fits.level[:, :, None] + fits.slope[:, :, None] * offset
    residual = (mean[:, None, :] - fitted) / np.where(slack > 1e-9, slack, 1.0)
    error = _smape(mean[:, None, :] - residual, mean[:, None, :], weight[:, None, :])
    decided = fits.usable & (slack > 1e-9).all(axis=2)
    error = np.where(decided, error, np.inf)
    best = error.argmin(axis=1)
    better = error[np.arange(len(mean)), best] < constant - _ROUNDING
    return np.where(better, best + 1, 0)


def _smape(predicted: FloatArray, mean: FloatArray, weight: FloatArray) -> FloatArray:
    size = np.abs(predicted) + np.abs(mean)
    error = np.abs(predicted - mean) / np.where(size > 0, size, 1.0) * weight
    total: FloatArray = 200 * error.sum(axis=-1) / weight.sum(axis=-1)
    return total
