"""Models of two to four parameters: sums of products of p^i * log2(p)^j, validated out of sample.

The statistics are explained where they are made: noise.py (how far a mean may be off), search.py (evidence
and prior), posterior.py (in and out of sample, rivals). All kernels are fitted together, in blocks that
bound memory.
"""

from dataclasses import replace

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.multi_parameter.added_term import WeightedMeans
from pipeline.models.multi_parameter.assemble import scaling_models
from pipeline.models.multi_parameter.exact_fits import ExactFits, fit_exactly, joined, predicted_means, weigh
from pipeline.models.multi_parameter.factors import Factors, log_slopes, make_factors
from pipeline.models.multi_parameter.mean_errors import (
    inside,
    inverse_variances,
    part_of,
    shown_drift,
    size_ratio,
)
from pipeline.models.multi_parameter.search import MOST_TERMS, search_another_term, search_one_term
from pipeline.models.observations import Observations
from pipeline.models.options import ModelOptions
from pipeline.models.scaling_models import ScalingModels

FLOOR = 0.02
"""Share of a kernel's largest value below which values are no longer trusted relative to themselves.

Where values have both signs, none of them is: errors do not shrink then towards zero.
"""

POINTS_PER_COEFFICIENT = 2
"""How many points hypotheses of several terms need for each of their coefficients."""

_JUDGED = 12  # hypotheses fitted exactly per kernel
_VALIDATED = 64  # kernels of most effort
_BLOCK = 1 << 13  # kernels times points
_HELD = 24 << 20  # bytes; glibc minds blocks of up to 32 MiB


def fit_observations(
    parameters: tuple[str, ...], data: Observations, options: ModelOptions, *, validate: bool = True
) -> ScalingModels:
    """Fit a model of several parameters to every kernel.

    Args:
        parameters: names of the D parameters.
        data: the measurements; any design will do, full grids are not needed.
        options: how to fit.
        validate: if residuals show more than noise, hide the largest scales from the heaviest kernels'
            models and widen all intervals by what they miss there.
    """
    scale = np.abs(data.mean).max(axis=1)
    scale = np.where(scale > 0, scale, 1.0)
    scaled = replace(
        data, mean=data.mean / scale[:, None], squares=data.squares / scale[:, None] / scale[:, None]
    )
    factors = make_factors(data.points, log_slopes(data.points, scaled.mean, data.measured), options)
    nonnegative = options.nonnegative and data.nonnegative
    one_sign = nonnegative or (data.mean >= 0).all() or (data.mean <= 0).all()
    floor = FLOOR if one_sign else 1.0
    points = np.maximum(data.measured.sum(axis=1), 1).astype(np.float64)
    means = WeightedMeans(scaled.mean, inverse_variances(scaled, floor), points[:, None, None], nonnegative)
    _hold_freed_memory()
    step = max(1, _BLOCK // len(data.points))
    blocks = [np.arange(k, min(k + step, len(scale))) for k in range(0, len(scale), step)]
    fitted = [_fit_block(means.take(block), factors, floor) for block in blocks]
    means = replace(means, weight=np.concatenate([weight for weight, _ in fitted]))
    fits = joined([part for _, part in fitted])
    repeats = float(np.maximum(data.count - 1, 0).sum())
    rivals = weigh(means, factors, fits, repeats=repeats, count=options.rivals)
    strays = validate and (rivals.misfit > 1 or not repeats)
    least_drift = _drift_beyond(parameters, data, options, scale) if strays else 0.0
    return scaling_models(parameters, data, means, factors, rivals, scale, repeats, least_drift)


def _drift_beyond(
    parameters: tuple[str, ...], data: Observations, options: ModelOptions, scale: FloatArray
) -> float:
    """Relative variance per doubling by which the heaviest kernels stray from models of the inner points."""
    inner = inside(data.points)
    if not inner.any():
        return 0.0
    heavy = np.argsort(-scale, kind="stable")[:_VALIDATED]
    models = fit_observations(parameters, part_of(data, heavy, inner), options, validate=False)
    return shown_drift(models, part_of(data, heavy, ~inner))


def _hold_freed_memory() -> None:
    """Keep the C library from returning the memory of every intermediate array to the system.

    Freeing one large block that was never touched raises the thresholds of glibc (mallopt(3), dynamic mmap
    threshold); without it, half of the time goes into page faults. Elsewhere it does nothing.
    """
    np.empty(_HELD // 8)


def _fit_block(data: WeightedMeans, factors: Factors, floor: float) -> tuple[FloatArray, ExactFits]:
    """Search some kernels with weights from the data, then fit with weights from the best model.

    Weights from the data alone favour points that came out small by chance, which biases all models down.
    """
    picks = likely_picks(data, factors)
    best = fit_exactly(data, factors, picks[:, 1:2])
    fitted, _ = predicted_means(data, factors, best)
    data = replace(data, weight=data.weight * size_ratio(data.mean, fitted[:, 0], floor))
    return data.weight, fit_exactly(data, factors, picks)


def likely_picks(data: WeightedMeans, factors: Factors) -> IntArray:
    """Find the hypotheses worth an exact fit, int64[K, N, M, D], the constant first, all zero for none.

    A second term is looked for thoroughly if noise alone does not explain what single terms leave, a third
    only then and if the second is worth its price.
    """
    found = search_one_term(data, factors)
    picks, score = [_padded(found.picks)], [found.score]
    here, best = np.arange(len(data.mean)), found.score[:, 0].copy()
    for size in range(2, MOST_TERMS + 1):
        left = data.count[here, 0, 0] - size
        unexplained = found.chi2[:, 0] > left + (np.sqrt(2 * np.maximum(left, 0.0)) if size > 2 else 0.0)
        worth = np.isfinite(found.score[:, 0]) & (found.score[:, 0] >= best[here])
        worth &= data.count[here, 0, 0] >= POINTS_PER_COEFFICIENT * (size + 1)
        more = np.flatnonzero(worth if size == 2 else worth & unexplained)
        if len(more) == 0:
            break
        here = here[more]
        found = search_another_term(data.take(here), factors, found.of(more), unexplained[more])
        best[here] = np.maximum(best[here], found.score[:, 0])
        picks.append(np.zeros((len(best), *_padded(found.picks).shape[1:]), dtype=np.int64))
        score.append(np.full((len(best), found.score.shape[1]), -np.inf))
        picks[-1][here], score[-1][here] = _padded(found.picks), found.score
    scores = np.concatenate(score, axis=1)
    order = np.argsort(-scores, axis=1)[:, : _JUDGED - 1]
    kernel = np.arange(len(order))[:, None]
    likely = np.concatenate(picks, axis=1)[kernel, order]
    likely *= np.isfinite(scores[kernel, order])[:, :, None, None]
    likely = likely[:, :, : len(picks)]
    return factors.by_growth(np.concatenate([np.zeros_like(likely[:, :1]), likely], axis=1))


def _padded(picks: IntArray) -> IntArray:
    """Fill hypotheses of fewer terms up with empty ones."""
    return np.pad(picks, ((0, 0), (0, 0), (0, MOST_TERMS - picks.shape[2]), (0, 0)))
