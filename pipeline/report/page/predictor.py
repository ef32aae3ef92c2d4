"""What predictions are made of, for the kernels that matter, so that the page predicts at any point.

``js/data/predictor.js`` evaluates the plausible models of these kernels as `ScalingModels.predict` does. The
others, too little to be seen in the total if the room suffices, are interpolated.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.agreement import AgreeingModels
from pipeline.models.kernels import Kernels
from pipeline.models.prediction import Prediction
from pipeline.models.scaling_models import SURE, ScalingModels
from pipeline.models.trend import CombinedTrend
from pipeline.report.page.embedding import integers, packed, packed_double
from pipeline.statistics.student import MANY_DEGREES

REST = 1e-3  # of the total, what the kernels without predictor may add up to if the room suffices
SINGLE, DOUBLE = 5.34, 10.67  # characters of a number
UPPER = 0.95  # probability below the upper end of an interval


@dataclass(frozen=True, eq=False, kw_only=True)
class Weighty:
    """Kernels by how much they matter.

    Attributes:
        order: int64[K], the kernels, those that matter most first.
        rest: float64[K + 1], what the kernels from a place of the order on add up to, relative to the total.
    """

    order: IntArray
    rest: FloatArray


def predictor_data(
    models: ScalingModels, kernels: Kernels, prediction: Prediction, kept: IntArray, room: float
) -> dict[str, Any] | None:
    """Return what ``js/data/predictor.js`` needs of a level; None if models of another machine predict it.

    Args:
        models: of all K kernels of the level.
        kernels: of the level.
        prediction: of all K kernels at a few points.
        kept: int64[n], the kernels that the page shows by themselves, ascending.
        room: how many characters there are.
    """
    own = _fitted(models)
    if own is None:
        return None
    weighty = by_weight(kernels, prediction)
    shown = np.zeros(len(own), dtype=np.bool_)
    shown[kept] = True
    chosen = _that_fit(own, weighty, shown, room)
    place = np.cumsum(shown) - 1
    whole = models.summed.whole if models.summed is models else None
    return {
        "kernels": integers(place[chosen]),
        "nonnegative": bool(own.nonnegative),
        "correlation": float(own.correlation),
        "last": own.last.tolist(),
        "rivals": rivals_data(own.take(chosen)),
        "trend": trend_data(own.take(chosen)),
        "whole": None if whole is None else _whole_data(whole),
    }


def by_weight(kernels: Kernels, prediction: Prediction) -> Weighty:
    """Sort kernels by the largest share that they have of the total or of its interval, wherever that is.

    Args:
        kernels: K kernels.
        prediction: of them at a few points.
    """
    sides = prediction.value - prediction.lower, prediction.upper - prediction.value
    parts = [np.nan_to_num(kernels.mean), prediction.value, *sides]
    share = np.hstack([_shares(np.abs(part)) for part in parts])
    order = np.argsort(-share.max(axis=1, initial=0.0), kind="stable")
    left = np.cumsum(share[order[::-1]], axis=0)[::-1].max(axis=1, initial=0.0)
    return Weighty(order=order, rest=np.append(left, 0.0))


def _shares(values: FloatArray) -> FloatArray:
    usable = np.where(np.isfinite(values), values, 0.0)
    return np.asarray(usable / np.maximum(usable.sum(axis=0), 1e-300))


def _that_fit(own: ScalingModels, weighty: Weighty, shown: BoolArray, room: float) -> IntArray:
    """Return the kernels for whose predictors there is room, the weightiest first, ascending."""
    needed = weighty.order[weighty.rest[:-1] > REST] if len(own.parameters) == 1 else weighty.order
    needed = needed[shown[needed]]
    size = np.cumsum(_characters(own)[needed])
    return np.sort(needed[size <= room])


def _characters(own: ScalingModels) -> FloatArray:
    """Return about how many characters the predictor of each kernel takes, float64[K]."""
    width = np.append((own.hypotheses >= 0).sum(axis=1) + 1, 0)[own.chosen]
    of_rival = width * DOUBLE + width * (width + 1) / 2 * SINGLE + np.where(width > 0, SINGLE + 3, 0.0)
    points = 0 if own.trend is None else own.trend.trend.logs.shape[1] * (1 + own.trend.trend.misfit.any())
    return np.asarray(of_rival.sum(axis=1) + (points + 6) * SINGLE)


def _fitted(models: ScalingModels) -> ScalingModels | None:
    """Return the models before they agree with finer ones; None if they are of another machine."""
    own = models.coarse.take(models.kernels) if isinstance(models, AgreeingModels) else models
    return own if type(own) is ScalingModels else None


def _whole_data(whole: ScalingModels) -> dict[str, Any]:
    return {
        "last": whole.last.tolist(),
        "nonnegative": bool(whole.nonnegative),
        "rivals": rivals_data(whole),
        "trend": trend_data(whole),
        "bend": 0.0 if whole.trend is None else whole.trend.trend.bend(),
    }


def rivals_data(models: ScalingModels) -> dict[str, Any]:
    """Return all plausible models of N kernels, those of the first kernel first, R together.

    ``coefficients`` of a rival are those of its hypothesis, the constant first; ``root`` is the lower
    triangle L, row by row, of their covariance L L'.
    """
    kernel, rival = np.nonzero(models.chosen >= 0)
    used, hypothesis = np.unique(models.chosen[kernel, rival], return_inverse=True)
    rows = [[t for t in row if t >= 0] for row in models.hypotheses[used].tolist()]
    width = np.array([len(row) + 1 for row in rows], dtype=np.int64)[hypothesis]
    terms = {t: i for i, t in enumerate(dict.fromkeys(t for row in rows for t in row))}
    column = np.arange(models.coefficients.shape[2])
    here = column < width[:, None]
    below = here[:, :, None] & here[:, None, :] & (column[:, None] >= column)
    common = models.common_error
    return {
        "terms": [[[float(power), log] for power, log in models.terms[t]] for t in terms],
        "hypotheses": [[terms[t] for t in row] for row in rows],
        "sharpness": integers(models.sharpness[used].astype(np.int64)),
        "count": integers((models.chosen >= 0).sum(axis=1)),
        "hypothesis": integers(hypothesis),
        "weight": packed(models.weight[kernel, rival]),
        "coefficients": packed_double(models.coefficients[kernel, rival][here]),
        "root": packed(root(models.covariance[kernel, rival])[below]),
        "reach": packed(stdtrit(models.degrees, UPPER)),
        "degrees": packed(models.degrees),
        "many": bool(models.degrees.min(initial=np.inf) >= MANY_DEGREES),
        "drift": packed(models.drift),
        "common": None if common is None or not common.any() else packed(common),
        "sure": integers(models.probability_growing >= SURE),
    }


def root(covariance: FloatArray) -> FloatArray:
    """Return lower triangles L with L L' = covariance, float64[R, C, C]; what is not positive counts as 0."""
    lower = np.zeros(covariance.shape)
    for c in range(covariance.shape[-1]):
        left = covariance[:, c:, c] - (lower[:, c:, :c] @ lower[:, c, :c, None])[..., 0]
        pivot = np.sqrt(np.maximum(left[:, :1], 0.0))
        lower[:, c:, c] = np.divide(left, pivot, out=np.zeros(left.shape), where=pivot > 0)
    return lower


def trend_data(models: ScalingModels) -> dict[str, Any] | None:
    """Return the local trends of N kernels; None if only their formulas count."""
    combined: CombinedTrend | None = models.trend
    if combined is None:
        return None
    trend, errors = combined.trend, combined.errors
    return {
        "points": trend.points.tolist(),
        "steepest": trend.steepest.tolist(),
        "formulaError": errors.formula.tolist(),
        "trendError": errors.trend.tolist(),
        "formulasHold": float(errors.formulas_hold),
        "logs": packed(trend.logs),
        "misfit": packed(trend.misfit) if trend.misfit.any() else None,
        "noise": packed(combined.noise),
        "shift": packed(combined.shift),
    }
