"""Generalised least squares of many hypotheses for many kernels at once."""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.observations import ErrorModel, Precision, Sample
from pipeline.models.search_space import SearchSpace

ROUNDING = 1e-12  # of the largest value: a coefficient that adds less at every point is none


@dataclass(frozen=True, eq=False, kw_only=True)
class Columns:
    """The design of h hypotheses that have the same number of columns.

    They are made orthonormal over the points, but for those of soft knees.

    Attributes:
        hypothesis: int64[h], their places in the search space.
        place: int64[c], where the columns' coefficients stand among the constant and the terms.
        basis: float64[h, P, c], columns that are solved for.
        back: float64[h, c, c], upper triangular: from coefficients of the basis to those of the columns.
        usable: bool[h], whether the points distinguish the columns.
        largest: float64[h, c], the largest values of the columns.
        sharpness: s, the columns sum up to values to the power of s.
    """

    hypothesis: IntArray
    place: IntArray
    basis: FloatArray
    back: FloatArray
    usable: BoolArray
    largest: FloatArray
    sharpness: float

    def without_constant(self) -> "Columns":
        """Return the same hypotheses without their first column."""
        design = np.linalg.solve(np.swapaxes(self.back, 1, 2), np.swapaxes(self.basis, 1, 2))
        return _columns(self.hypothesis, self.place[1:], np.swapaxes(design, 1, 2)[..., 1:], self.sharpness)


@dataclass(frozen=True, eq=False)
class Fits:
    """Fits of H hypotheses with C coefficients (constant, then terms) for K kernels.

    Attributes:
        coefficients: float64[K, H, C].
        root: float64[K, H, C, C], times its transpose the covariance of the coefficients at unit variance.
        misfit: float64[K, H], weighted sum of squared residuals; infinite for a hypothesis that cannot be.
        size: int64[H], number of coefficients.
    """

    coefficients: FloatArray
    root: FloatArray
    misfit: FloatArray
    size: IntArray


def design_columns(space: SearchSpace, points: FloatArray) -> list[Columns]:
    """Return the designs of all hypotheses at float64[P] points, grouped by their columns."""
    values = np.column_stack([np.ones(len(points)), space.term_values(points[:, None])])
    size = (space.rows >= 0).sum(axis=1)
    groups = []
    kinds = np.column_stack([size, ~space.constant, space.sharpness])
    for terms, without, sharpness in np.unique(kinds, axis=0).tolist():
        hypothesis = np.flatnonzero((kinds == (terms, without, sharpness)).all(axis=1))
        columns = np.column_stack(
            [np.zeros(len(hypothesis), np.int64), space.rows[hypothesis, : int(terms)] + 1]
        )[:, int(without) :]
        design = values[:, columns].transpose(1, 0, 2)
        groups.append(_columns(hypothesis, np.arange(int(without), int(terms) + 1), design, sharpness))
    return groups


def _columns(hypothesis: IntArray, place: IntArray, design: FloatArray, sharpness: float) -> Columns:
    scale = np.abs(design).max(axis=1, keepdims=True)
    scale = np.where(scale > 0, scale, 1.0)
    count = design.shape[2]
    if design.shape[1] < count:
        basis, usable = np.zeros(design.shape), np.zeros(len(design), dtype=bool)
        back = np.broadcast_to(np.eye(count), (len(design), count, count))
    elif sharpness != 1:  # the weights span so many orders that the columns as they are differ best
        basis, back = design / scale, np.eye(count) / np.swapaxes(scale, 1, 2)
        usable = (np.ptp(design[..., -1], axis=1) > 0) | (count == 1)
    else:
        basis, upper = np.linalg.qr(design / scale)
        usable = (np.abs(np.einsum("hcc->hc", upper)) > 1e-9).all(axis=1)
        upper = np.where(usable[:, None, None], upper, np.eye(count))
        back = np.linalg.inv(upper) / np.swapaxes(scale, 1, 2)
    return Columns(
        hypothesis=hypothesis,
        place=place,
        basis=basis,
        back=back,
        usable=usable,
        largest=scale[:, 0],
        sharpness=sharpness,
    )


def fit_all(
    space: SearchSpace, groups: list[Columns], sample: Sample, structure: ErrorModel, nonnegative: bool
) -> Fits:
    """Fit every hypothesis to every kernel.

    Where coefficients may not be negative, a negative constant is replaced by none, and a hypothesis with
    another negative coefficient is ruled out: a simpler one does as well.

    Args:
        space: the H hypotheses.
        groups: their designs.
        sample: K kernels.
        structure: the shape of their errors.
        nonnegative: whether coefficients may not be negative.
    """
    kernels, count = len(sample), space.rows.shape[1] + 1
    coefficients = np.zeros((kernels, len(space), count))
    root = np.zeros((kernels, len(space), count, count))
    misfit = np.full((kernels, len(space)), np.inf)
    every = {1.0, *(group.sharpness for group in groups)}
    powers = {sharpness: _Powers.of(sample, structure, sharpness) for sharpness in every}
    for group in groups:
        values, precision, weighted = powers[group.sharpness]
        fits = _fit_group(group, values, weighted, precision)
        if nonnegative and group.place[0] == 0 and len(group.place) > 1:
            terms = _fit_group(group.without_constant(), values, weighted, precision)
            fits = _without_negative_constant(fits, terms)
        if group.sharpness != 1:
            fits = (*fits[:2], _misfit_of_values(group, fits[0], sample.level, powers[1.0].precision))
        growth = (fits[0] * group.largest)[..., int(group.place[0] == 0) :]  # where the largest level is 1
        possible = group.usable & ((growth > ROUNDING).all(axis=2) | (not nonnegative))
        coefficients[:, group.hypothesis[:, None], group.place] = fits[0]
        root[:, group.hypothesis[:, None, None], group.place[:, None], group.place] = fits[1]
        misfit[:, group.hypothesis] = np.where(possible, fits[2], np.inf)
    return Fits(coefficients, root, misfit, (space.rows >= 0).sum(axis=1) + space.constant)


class _Powers(NamedTuple):
    """Levels to a power, the precision of their errors, and the product of both, float64[K, P]."""

    values: FloatArray
    precision: Precision
    weighted: FloatArray

    @classmethod
    def of(cls, sample: Sample, structure: ErrorModel, sharpness: float) -> "_Powers":
        values = sample.level**sharpness if sharpness != 1 else sample.level
        precision = sample.precision(structure, sharpness)
        return cls(values, precision, precision.times(values))


GroupFits: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""Coefficients float64[K, h, c], root of the covariance float64[K, h, c, c], misfit float64[K, h]."""


def _without_negative_constant(fits: GroupFits, of_terms: GroupFits) -> GroupFits:
    """Take the fits of the terms alone where the constant beside them is negative."""
    coefficients, root, misfit = (a.copy() for a in fits)
    terms, terms_root, terms_misfit = of_terms
    negative = coefficients[..., 0] < 0
    coefficients[..., 0] = np.where(negative, 0.0, coefficients[..., 0])
    coefficients[..., 1:] = np.where(negative[..., None], terms, coefficients[..., 1:])
    root[..., 0, :] *= ~negative[..., None]
    root[..., :, 0] *= ~negative[..., None]
    root[..., 1:, 1:] = np.where(negative[..., None, None], terms_root, root[..., 1:, 1:])
    return coefficients, root, np.where(negative, terms_misfit, misfit)


def _misfit_of_values(
    group: Columns, coefficients: FloatArray, values: FloatArray, precision: Precision
) -> FloatArray:
    """float64[K, h], the misfit of the values themselves: to a power, small ones count too little."""
    design = np.linalg.solve(np.swapaxes(group.back, 1, 2), np.swapaxes(group.basis, 1, 2))
    powered = np.einsum("khc,hcp->hkp", coefficients, design)
    residual = values - np.maximum(powered, 0.0) ** (1 / group.sharpness)
    return np.asarray((residual * precision.times(residual)).sum(axis=2).T)


def _fit_group(group: Columns, values: FloatArray, weighted: FloatArray, precision: Precision) -> GroupFits:
    """Solve the normal equations in the orthonormal basis by L D L', every step for all K x h systems.

    `weighted` is the precision times the values.
    """
    hypotheses, count = len(group.basis), group.basis.shape[2]
    gram = precision.gram(group.basis)
    lower: dict[tuple[int, int], FloatArray] = {}
    pivot: list[FloatArray] = []
    inverse: list[FloatArray] = []
    solved: list[FloatArray] = []
    regular = np.ones((len(values), hypotheses), dtype=bool)
    for a in range(count):
        for b in range(a):
            known = sum((lower[a, e] * pivot[e] * lower[b, e] for e in range(b)), start=np.zeros(1))
            lower[a, b] = (gram[a, b] - known) * inverse[b]
        left = gram[a, a] - sum((lower[a, b] ** 2 * pivot[b] for b in range(a)), start=np.zeros(1))
        positive = left > 1e-13 * gram[a, a]
        regular &= positive
        pivot.append(np.where(positive, left, 0.0))
        inverse.append(np.where(positive, 1 / np.where(positive, left, 1.0), 0.0))
        known = sum((lower[a, b] * pivot[b] * solved[b] for b in range(a)), start=np.zeros(1))
        solved.append((weighted @ group.basis[:, :, a].T - known) * inverse[a])
    explained = sum((d * z * z for d, z in zip(pivot, solved, strict=True)), start=np.zeros(1))
    misfit = np.maximum((weighted * values).sum(axis=1, keepdims=True) - explained, 0.0)
    coefficients, root = _to_original(group.back, lower, inverse, solved)
    return coefficients, root, np.where(regular | (count == 1), misfit, np.inf)


def _to_original(
    back: FloatArray,
    lower: dict[tuple[int, int], FloatArray],
    inverse: list[FloatArray],
    solved: list[FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Turn the solution in the basis into coefficients of the columns and the root of their covariance."""
    count, one = len(solved), np.ones(1)
    unit: dict[tuple[int, int], FloatArray] = {}  # the inverse of L
    for a in range(count):
        unit[a, a] = one
        for b in range(a):
            unit[a, b] = -sum((lower[a, e] * unit[e, b] for e in range(b, a)), start=np.zeros(1))
    coefficients = np.zeros((*solved[0].shape, count))
    root = np.zeros((*solved[0].shape, count, count))
    for b in range(count):
        spread = np.sqrt(inverse[b])
        for a in range(b + 1):
            moved = sum((back[:, a, e] * unit[b, e] for e in range(a, b + 1)), start=np.zeros(1))
            coefficients[..., a] += moved * solved[b]
            root[..., a, b] = moved * spread
    return coefficients, root
