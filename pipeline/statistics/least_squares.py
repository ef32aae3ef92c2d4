"""Weighted least squares for many kernels and hypotheses at once.

Which solver serves when, all vectorised over kernels and hypotheses:

`fit_lines`        one term beside a constant, many terms: closed form, no matrices
`solve_weighted`   few hypotheses of any terms: normal equations, coefficients and covariance

and, because their cost decides the cost of modelling, beside the searches that they serve:

`models.generalised_fits`            all hypotheses of one parameter, related errors: designs made orthonormal
                                     once for all kernels
`models.regimes.Lines`               one term, the first n points for every n: running moments, linear in n
`models.multi_parameter.added_term`  hypotheses that differ in one term: the others orthogonalised once, so
                                     that thousands of candidates are one matrix product
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class LineFits:
    """Fits of a + b t for K kernels and H terms t, each term centred and scaled over the points first.

    The leading axis of what does not depend on the values is 1 if all kernels share their weights.

    Attributes:
        term: float64[P, H], the centred and scaled terms, between -1 and 1.
        total: float64[1 or K, 1], sum of the weights.
        center: float64[1 or K, H], weighted mean of each term.
        spread: float64[1 or K, H], weighted variance of each term.
        level: float64[K, 1], weighted mean of the values.
        slope: float64[K, H], 0 if the term does not vary.
    """

    term: FloatArray
    total: FloatArray
    center: FloatArray
    spread: FloatArray
    level: FloatArray
    slope: FloatArray

    @property
    def usable(self) -> BoolArray:
        """bool[1 or K, H], whether the weighted points distinguish the term from a constant."""
        return self.spread > 0


def scaled_terms(terms: FloatArray) -> FloatArray:
    """Centre and scale float64[P, H] over the points; a term that does not vary becomes 0."""
    centred = terms - terms.mean(axis=0)
    largest = np.abs(centred).max(axis=0)
    varies = largest > 1e-12 * np.abs(terms).max(axis=0)
    scaled: FloatArray = centred * (varies / np.where(varies, largest, 1.0))
    return scaled


def fit_lines(term: FloatArray, values: FloatArray, weights: FloatArray) -> LineFits:
    """Fit a + b t by weighted least squares.

    Args:
        term: float64[P, H], from `scaled_terms`.
        values: float64[K, P].
        weights: float64[1 or K, P], not below 0, with a positive sum.
    """
    total = weights.sum(axis=1, keepdims=True)
    share = weights / total
    center = share @ term
    spread = share @ (term * term) - center**2
    spread = np.where(spread > 1e-13, spread, 0.0)
    level = (share * values).sum(axis=1, keepdims=True)
    together = (share * (values - level)) @ term
    slope = np.where(spread > 0, together / np.where(spread > 0, spread, 1.0), 0.0)
    return LineFits(term=term, total=total, center=center, spread=spread, level=level, slope=slope)


def solve_weighted(
    design: FloatArray, weight: FloatArray, values: FloatArray, active: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Fit many small designs by weighted least squares.

    Args:
        design: float64[..., C, P], the columns, scaled to about 1.
        weight: float64[..., P], not below 0.
        values: float64[..., P].
        active: bool[..., C], the columns that take part; the coefficients of the others are 0.

    Returns:
        The coefficients float64[..., C], and the inverse of the normal matrix float64[..., C, C]: times the
        variance of a value of weight 1 it is the covariance of the coefficients.
    """
    largest = weight.max(axis=-1)
    largest = np.where(largest > 0, largest, 1.0)[..., None]
    weighted = design * (weight / largest)[..., None, :]
    both = active[..., :, None] & active[..., None, :]
    normal = np.where(both, weighted @ design.swapaxes(-1, -2), 0.0)
    normal += np.eye(design.shape[-2]) * ~active[..., None]
    right = (weighted @ values[..., None])[..., 0] * active
    coefficients, inverse = solve_symmetric(normal, right)
    return coefficients * active, inverse * both / largest[..., None]


def solve_symmetric(matrix: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Solve many small positive definite systems by Gauss-Jordan elimination, vectorised over the systems.

    Args:
        matrix: float64[..., C, C], scaled to about 1 on the diagonal. A pivot that cancels (a column that the
            others explain) drops that column: its solution and its rows of the inverse are 0.
        right: float64[..., C].

    Returns:
        The solutions float64[..., C] and the inverses float64[..., C, C].
    """
    size = matrix.shape[-1]
    work = np.concatenate([matrix, right[..., None]], axis=-1)
    original = np.einsum("...cc->...c", matrix).copy()
    dropped = np.zeros(original.shape, dtype=bool)
    for c in range(size):
        pivot, column = work[..., c, c].copy(), work[..., c].copy()
        dropped[..., c] = pivot <= 1e-13 * original[..., c]
        over = np.where(dropped[..., c], 0.0, 1 / np.where(dropped[..., c], 1.0, pivot))
        row = work[..., c, :] * over[..., None]
        work -= column[..., None] * row[..., None, :]
        work[..., c, :] = row
        work[..., c] = column * -over[..., None]  # the inverse grows where the matrix is done with
        work[..., c, c] = over
    kept = ~dropped
    inverse = work[..., :-1] * (kept[..., :, None] & kept[..., None, :])
    return work[..., -1] * kept, inverse
