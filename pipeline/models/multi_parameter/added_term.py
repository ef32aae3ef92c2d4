"""Least squares for hypotheses that differ from a known one in a single term, many at once.

With the other terms of a hypothesis orthogonalised (weighted Gram-Schmidt), every candidate for the remaining
term needs a handful of weighted sums, and those are matrix products of the data with a table of factors: no
design matrix is built for a single hypothesis.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ingest.arrays import BoolArray, FloatArray, Rows

_CANCELLED = 1e-9  # share of a term's square that must be left beside the other terms


@dataclass(frozen=True, eq=False)
class WeightedMeans(Rows):
    """What is fitted, for K kernels at P points."""

    mean: FloatArray  # float64[K, P], each kernel scaled to 1 at its largest point
    weight: FloatArray  # float64[K, P], inverse variances, 0 where nothing was measured
    count: FloatArray  # float64[K, 1, 1], measured points, at least 1
    nonnegative: bool  # coefficients below zero are not admitted, and the constant is dropped instead

    @cached_property
    def pair(self) -> FloatArray:
        """The weights and the weighted means, float64[K, P, 2]."""
        return np.stack([self.weight, self.weight * self.mean], axis=2)

    @cached_property
    def totals(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weighted sums of 1, y and y^2, float64[K, 1, 1] each."""
        one, y = self.pair.sum(axis=1).T[:, :, None, None]
        return one, y, (self.pair[:, :, 1] * self.mean).sum(axis=1)[:, None, None]


@dataclass(kw_only=True)
class _Sums:
    """Weighted inner products of the candidate t, the constant 1 and the data y, others projected out."""

    tt: FloatArray
    t1: FloatArray
    ty: FloatArray
    one: FloatArray
    y1: FloatArray
    yy: FloatArray


def chi_squared(
    data: WeightedMeans,
    others: tuple[list[FloatArray], FloatArray],
    rest: FloatArray | None,
    factors: FloatArray,
) -> FloatArray:
    """Weighted sum of squares left by hypotheses of other terms, one candidate term and the constant.

    To the m other terms of B hypotheses for each of K kernels, made `orthogonal`, one of the candidates
    float64[n, P] is added, times `rest` float64[K, B, P], None for 1. The sums, float64[K, B, n], may be
    below zero by rounding; inf if the candidate cannot be distinguished from the others or the constant, or
    if a coefficient of a nonnegative quantity would be negative.
    """
    weight = data.weight[:, None]
    weighted_y = data.pair[:, None, :, 1]
    one, y1, yy = data.totals
    base = weight if rest is None else weight * rest
    table = np.ascontiguousarray(factors.T)
    sums = _Sums(
        tt=(base if rest is None else base * rest) @ (table * table),
        t1=base @ table,
        ty=(weighted_y if rest is None else weighted_y * rest) @ table,
        one=one,
        y1=y1,
        yy=yy,
    )
    limit, least = sums.tt * _CANCELLED, np.maximum(sums.one * _CANCELLED, 1e-300)
    basis, triangle = others
    along = [_project(sums, q, base, data.pair, table) for q in basis]
    slope, constant, left, usable = _solve_two(sums, limit, least, data.nonnegative)
    if data.nonnegative:
        usable &= slope > 0
        usable &= _others_positive(triangle, along, slope, constant)
    np.copyto(left, np.inf, where=~usable)
    return left


def orthogonal(weight: FloatArray, others: FloatArray) -> tuple[list[FloatArray], FloatArray]:
    """Gram-Schmidt of float64[K, B, m, P]: m orthonormal float64[K, B, P], the triangle float64[K, B, m, m].

    The inner product has the weights float64[K, 1, P].
    """
    size = others.shape[2]
    basis: list[FloatArray] = []
    triangle = np.zeros((*others.shape[:2], size, size))
    for a in range(size):
        vector = others[:, :, a]
        full = length = np.sqrt((weight * vector * vector).sum(axis=2))
        for b, q in enumerate(basis):
            triangle[:, :, b, a] = (weight * q * vector).sum(axis=2)
            vector = vector - triangle[:, :, b, a, None] * q
        if a > 0:
            length = np.sqrt((weight * vector * vector).sum(axis=2))
        triangle[:, :, a, a] = np.maximum(length, 1e-6 * full + 1e-300)
        basis.append(vector / triangle[:, :, a, a, None])
    return basis, triangle


def _project(
    sums: _Sums, q: FloatArray, base: FloatArray, pair: FloatArray, table: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Take one orthonormal direction q, float64[K, B, P], out of the sums, which change in place.

    `base` are weights times what every candidate, float64[P, n], is multiplied by, and `pair` float64[K, P,
    2] the weights and the weighted data. Return the components of t, 1 and y along the direction.
    """
    t = (base * q) @ table
    both = q @ pair
    one, y = both[..., :1], both[..., 1:]
    squares, ones, data = t * t, t * one, t * y
    sums.tt = np.subtract(sums.tt, squares, out=squares)
    sums.t1 = np.subtract(sums.t1, ones, out=ones)
    sums.ty = np.subtract(sums.ty, data, out=data)
    sums.one = sums.one - one * one
    sums.y1 = sums.y1 - one * y
    sums.yy = sums.yy - y * y
    return t, one, y


def _solve_two(
    sums: _Sums, limit: FloatArray, least: FloatArray, nonnegative: bool
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Fit candidate and constant: coefficients, squares left, and whether the two can be distinguished.

    In place where it can be, as all of these functions: new memory costs more than the sums.
    """
    one = np.maximum(sums.one, least)
    middle = sums.t1 / one
    spread = middle * sums.t1
    np.subtract(sums.tt, spread, out=spread)
    usable = spread > limit
    usable &= sums.one > least
    np.copyto(spread, 1.0, where=~usable)
    slope = middle * sums.y1
    np.subtract(sums.ty, slope, out=slope)
    slope /= spread
    middle *= slope
    constant = np.subtract(sums.y1 / one, middle, out=middle)
    if nonnegative:
        below = constant < 0
        below &= usable
        np.divide(sums.ty, sums.tt, out=slope, where=below)
        np.maximum(constant, 0.0, out=constant)
    left = slope * sums.ty
    np.subtract(sums.yy, left, out=left)
    left -= np.multiply(constant, sums.y1, out=spread)
    return slope, constant, left, usable


def _others_positive(
    triangle: FloatArray,
    along: list[tuple[FloatArray, FloatArray, FloatArray]],
    slope: FloatArray,
    constant: FloatArray,
) -> BoolArray:
    """Back-substitute the coefficients of the other terms and find where all are above zero."""
    size = len(along)
    found: list[FloatArray] = [slope] * size
    positive = np.ones(slope.shape, dtype=bool)
    for a in range(size - 1, -1, -1):
        t, one, y = along[a]
        right = slope * t
        np.subtract(y, right, out=right)
        right -= constant * one
        for b in range(a + 1, size):
            right -= triangle[:, :, a, b, None] * found[b]
        positive &= right > 0
        found[a] = np.divide(right, triangle[:, :, a, a, None], out=right)
    return positive
