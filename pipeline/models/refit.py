"""Coefficients and their uncertainty for the hypotheses that were kept."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.least_squares import solve_symmetric
from pipeline.models.normal_form import Term, term_values


@dataclass(frozen=True, eq=False)
class Refit:
    """Weighted fits of M hypotheses for each of K kernels at P points with C coefficients.

    Attributes:
        coefficients: float64[K, M, C].
        inverse: float64[K, M, C, C], inverse of the normal matrix; times the variance of a value of weight 1
            it is the covariance of the coefficients.
        fitted: float64[K, M, P].
        leverage: float64[K, M, P], between 0 and 1.
    """

    coefficients: FloatArray
    inverse: FloatArray
    fitted: FloatArray
    leverage: FloatArray


def refit(
    *,
    terms: tuple[Term, ...],
    hypotheses: IntArray,
    chosen: IntArray,
    points: FloatArray,
    mean: FloatArray,
    weights: FloatArray,
) -> Refit:
    """Fit the constant and all terms of chosen hypotheses.

    Args:
        terms: the n terms.
        hypotheses: int64[H, T], indices into `terms`, -1 for none.
        chosen: int64[K, M], indices into `hypotheses`, -1 for none.
        points: float64[P, D].
        mean: float64[K, P].
        weights: float64[K, 1 or M, P], not below 0.

    Terms are scaled to 1 at their largest point before the normal equations are solved.
    """
    values = np.column_stack([term_values(terms, points), np.zeros(len(points))])
    size = np.abs(values).max(axis=0)
    size = np.where(size > 0, size, 1.0)
    rows = np.where(chosen[..., None] >= 0, hypotheses[chosen], -1)
    scale = np.concatenate([np.ones((*rows.shape[:2], 1)), size[rows]], axis=2)
    design = np.ones((*rows.shape[:2], len(points), scale.shape[2]))
    design[..., 1:] = (values / size).T[rows].transpose(0, 1, 3, 2)
    largest = weights.max(axis=2, keepdims=True)
    largest = np.where(largest > 0, largest, 1.0)
    weighted = design * (weights / largest)[..., None]
    normal = np.einsum("kmpc,kmpd->kmcd", weighted, design)
    active = np.einsum("kmcc->kmc", normal) > 0
    normal += np.einsum("kmc,cd->kmcd", ~active, np.eye(scale.shape[2]))
    coefficients, inverse = solve_symmetric(normal, np.einsum("kmpc,kp->kmc", weighted, mean))
    inverse = inverse * (active[..., :, None] & active[..., None, :]) / largest[..., None]
    return Refit(
        coefficients / scale,
        inverse / (scale[..., :, None] * scale[..., None, :]),
        np.einsum("kmpc,kmc->kmp", design, coefficients),
        np.minimum(np.einsum("kmpc,kmcd,kmpd,kmp->kmp", design, inverse, design, weights + 0 * largest), 1.0),
    )
