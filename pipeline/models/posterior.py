"""The probability of every hypothesis for every kernel given the data, and the plausible ones."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from pipeline.models.observations import (
    SMALLEST_VARIANCE,
    ErrorModel,
    NoiseEstimate,
    Precision,
    Sample,
    refined_noise,
)
from pipeline.models.rivals import Rivals, from_power
from pipeline.models.search_space import SearchSpace
from pipeline.statistics import TWO_SIDED

_ROUNDING = 1e-12  # of the largest value: a coefficient that adds less at every point is none


@dataclass(frozen=True, eq=False, kw_only=True)
class Columns:
    """The design of h hypotheses that have the same number of columns.

    They are made orthonormal over the points, but for those of soft knees.
    """

    hypothesis: IntArray  # int64[h], their places in the search space
    place: IntArray  # int64[c], where the columns' coefficients stand among the constant and the terms
    basis: FloatArray  # float64[h, P, c], columns that are solved for
    # float64[h, c, c], upper triangular: from coefficients of the basis to those of the columns
    back: FloatArray
    usable: BoolArray  # bool[h], whether the points distinguish the columns
    largest: FloatArray  # float64[h, c], the largest values of the columns
    sharpness: float  # s, the columns sum up to values to the power of s

    @cached_property
    def without_constant(self) -> "Columns":
        """Return the same hypotheses without their first column."""
        design = np.linalg.solve(np.swapaxes(self.back, 1, 2), np.swapaxes(self.basis, 1, 2))
        return _columns(self.hypothesis, self.place[1:], np.swapaxes(design, 1, 2)[..., 1:], self.sharpness)


@dataclass(frozen=True, eq=False)
class Fits:
    """Fits of H hypotheses with C coefficients (constant, then terms) for K kernels."""

    coefficients: FloatArray  # float64[K, H, C]
    # float64[K, H, C, C], times its transpose the covariance of the coefficients at unit variance
    root: FloatArray
    # float64[K, H], weighted sum of squared residuals; infinite for a hypothesis that cannot be
    misfit: FloatArray
    size: IntArray  # int64[H], number of coefficients

    def of(self, kernels: slice) -> "Fits":
        """Return those for some kernels."""
        return Fits(self.coefficients[kernels], self.root[kernels], self.misfit[kernels], self.size)


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
    """Fit each of H hypotheses to each of K kernels.

    Where coefficients may not be negative, a negative constant is replaced by none, and a hypothesis with
    another negative coefficient is ruled out: a simpler one does as well.
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
            terms = _fit_group(group.without_constant, values, weighted, precision)
            fits = _without_negative_constant(fits, terms)
        if group.sharpness != 1:
            # of the values themselves: to a power, small ones count too little
            design = np.linalg.solve(np.swapaxes(group.back, 1, 2), np.swapaxes(group.basis, 1, 2))
            powered = np.einsum("khc,hcp->hkp", fits[0], design)
            residual = sample.level - np.maximum(powered, 0.0) ** (1 / group.sharpness)
            fits = (*fits[:2], np.asarray((residual * powers[1.0].precision.times(residual)).sum(axis=2).T))
        growth = (fits[0] * group.largest)[..., int(group.place[0] == 0) :]  # where the largest level is 1
        possible = group.usable & ((growth > _ROUNDING).all(axis=2) | (not nonnegative))
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
    """Put the fits of the terms alone where the constant beside them is negative, in place."""
    coefficients, root, misfit = fits
    terms, terms_root, terms_misfit = of_terms
    negative = coefficients[..., 0] < 0
    np.copyto(coefficients[..., 1:], terms, where=negative[..., None])
    np.copyto(coefficients[..., 0], 0.0, where=negative)
    np.copyto(root[..., 1:, 1:], terms_root, where=negative[..., None, None])
    for constants in (root[..., 0, :], root[..., :, 0]):
        np.copyto(constants, 0.0, where=negative[..., None])
    return coefficients, root, np.where(negative, terms_misfit, misfit)


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


DETRENDED = 15.0  # variance of a random walk at its end over what a straight line leaves of it on average


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """What the data say about H hypotheses for K kernels."""

    weight: FloatArray  # float64[K, H], probabilities, each row sums to 1
    variance: FloatArray  # float64[K, H], estimated variance of an error of unit size
    degrees: FloatArray  # float64[K], degrees of freedom of that estimate
    # float64[K], relative variance that a prediction gains with every doubling beyond the points
    drift: FloatArray
    # float64[K], the share of the error's variance that the repetitions do not explain
    misfit_share: FloatArray


def estimate_errors(
    sample: Sample, structure: ErrorModel, fits: Fits, log_prior: FloatArray, guess: NoiseEstimate
) -> NoiseEstimate:
    """Estimate the size of the errors from the most probable model of each kernel, given `initial_noise`."""
    best = (log_prior + log_likelihood(sample, structure, fits, guess)).argmax(axis=1)
    return refined_noise(guess, sample, fits.misfit[np.arange(len(best)), best], fits.size[best])


def weigh_hypotheses(
    sample: Sample, structure: ErrorModel, fits: Fits, log_prior: FloatArray, errors: NoiseEstimate
) -> Evidence:
    """Weigh H hypotheses, whose fits assumed a structure of errors, given their prior, float64[K or 1, H].

    The likelihood is that of normal errors of unknown variance whose prior is the pool's, s0^2 with d0
    degrees: (1 + misfit / (d0 s0^2))^(-(d0 + n - 1) / 2) for n points, a Student t distribution of the
    residuals. Every coefficient costs half a logarithm of n (the unit information prior; Kass and Wasserman,
    "A reference Bayesian test for nested hypotheses", 1995).
    """
    points = sample.measured.sum(axis=1)[:, None]
    noise, noise_degrees = errors.noise(sample, structure)
    typical, degrees = (a[:, None] for a in errors.typical(noise, noise_degrees, structure))
    score = log_prior + log_likelihood(sample, structure, fits, errors)
    weight = np.exp(score - score.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)

    left = np.where(np.isfinite(fits.misfit), fits.misfit, 0.0)
    variance = (degrees * typical + left) / (degrees + np.maximum(points - fits.size, 0))
    variance = np.maximum(variance, noise[:, None])
    expected = np.maximum((weight * variance).sum(axis=1), noise)
    return Evidence(
        weight=weight,
        variance=variance,
        degrees=(degrees + np.maximum(points - 2.0, 0.0))[:, 0],
        drift=_drift(structure, sample.points, expected, noise),
        misfit_share=1 - noise / np.maximum(expected, SMALLEST_VARIANCE),
    )


def _drift(structure: ErrorModel, points: FloatArray, variance: FloatArray, noise: FloatArray) -> FloatArray:
    """Return how far behaviour drifts from the formula per doubling, estimated from the misfit in the range.

    What the repetitions do not explain is taken for a random walk over the doublings. A fitted trend follows
    such a walk: it leaves only 1/15 of the variance that the walk gathers over the range.
    """
    if structure.walk:
        return structure.walk**2 * variance
    doublings = float(np.log2(points[-1] / points[0]))
    return DETRENDED / doublings * (variance - noise) if doublings > 0 else np.ones(len(variance))


def log_likelihood(sample: Sample, structure: ErrorModel, fits: Fits, errors: NoiseEstimate) -> FloatArray:
    """Logarithm of the likelihood of every hypothesis but for a constant of the kernel, float64[K, H]."""
    points = np.maximum(sample.measured.sum(axis=1), 1)[:, None]
    typical, degrees = (a[:, None] for a in errors.typical(*errors.noise(sample, structure), structure))
    power = 0.5 * (degrees + points - 1)
    likelihood: FloatArray = -power * np.log1p(fits.misfit / (degrees * typical))
    likelihood -= 0.5 * np.log(points) * fits.size
    return likelihood


PLAUSIBLE_RIVAL = 1e-3  # a rival that is less probable is forgotten
AHEAD = 4.0  # times the largest scale, where the rivals are compared
UNDECIDED = 4.0  # ratio of the ends of the 90 % interval there, from which they do not


@dataclass(frozen=True, eq=False, kw_only=True)
class Posterior(Rows):
    """The plausible models of K kernels in the units of the data."""

    rivals: Rivals
    probability_growing: FloatArray  # float64[K], probability that the leading term grows
    fitted: FloatArray  # float64[K, P], values of the chosen model at the points
    left_out: FloatArray  # float64[K, P], the same with each point predicted from the others
    # float64[K], the share of the error's variance that the repetitions do not explain
    misfit_share: FloatArray
    undecided: BoolArray  # bool[K], whether the models contradict each other at 4 times the largest scale

    def with_points_before(self, mean: FloatArray) -> "Posterior":
        """Return the same with points in front that the models are not about, float64[K, n] their means."""
        fitted, left_out = (np.concatenate([mean, a], axis=1) for a in (self.fitted, self.left_out))
        return replace(self, fitted=fitted, left_out=left_out)


def keep_plausible(
    space: SearchSpace, sample: Sample, structure: ErrorModel, fits: Fits, evidence: Evidence
) -> Posterior:
    """Sort the rivals of each kernel by their weight and drop the others."""
    order = np.argsort(-evidence.weight, axis=1, kind="stable")
    weight = np.take_along_axis(evidence.weight, order, axis=1)
    weight = weight[:, : int((weight > PLAUSIBLE_RIVAL).sum(axis=1).max(initial=1))]
    plausible = weight > PLAUSIBLE_RIVAL
    weight = weight * plausible
    weight = weight / weight.sum(axis=1, keepdims=True)
    kernel, rank = np.nonzero(plausible)
    hypothesis = order[kernel, rank]
    root, coefficients = fits.root[kernel, hypothesis], fits.coefficients[kernel, hypothesis]
    part = np.abs(space.design(sample.points[:, None])).max(axis=1)[hypothesis] * np.abs(coefficients)
    coefficients = np.where(part > _ROUNDING, coefficients, 0.0)
    unit = sum(root[..., :, None, c] * root[..., None, :, c] for c in range(root.shape[-1]))
    size, sharpness = np.where(sample.largest > 0, sample.largest, 1.0), space.sharpness[hypothesis]
    unit_size = size[kernel] ** sharpness
    variance = evidence.variance[kernel, hypothesis] * unit_size**2
    ahead = (space.design(sample.points[-1:, None] * AHEAD)[hypothesis, 0] * coefficients).sum(axis=1)
    ahead, _ = from_power(ahead, np.zeros(ahead.shape), sharpness)
    rivals = Rivals(
        begin=np.searchsorted(kernel, np.arange(len(sample) + 1)),
        hypothesis=hypothesis,
        weight=weight[plausible],
        coefficients=coefficients * unit_size[:, None],
        covariance=unit * variance[:, None, None],
        degrees=evidence.degrees,
        drift=np.sqrt(evidence.drift),
    )
    best = rivals.chosen
    fitted, left_out = _at_points(space, hypothesis[best], sample, structure, coefficients[best], root[best])
    return Posterior(
        rivals=rivals,
        probability_growing=np.minimum((evidence.weight * space.growing).sum(axis=1), 1.0),
        fitted=fitted * size[:, None],
        left_out=left_out * size[:, None],
        misfit_share=evidence.misfit_share,
        undecided=_undecided(ahead, rivals, evidence.drift),
    )


def _undecided(value: FloatArray, rivals: Rivals, drift: FloatArray) -> BoolArray:
    """Tell whether the interval ahead spans a factor of `UNDECIDED`, taking rivals' values as log-normal."""
    if not len(rivals):
        return np.zeros(0, dtype=np.bool_)
    logarithm, first = np.log(np.maximum(value, 1e-9)), rivals.chosen
    center = np.add.reduceat(rivals.weight * logarithm, first)[rivals.kernel]
    spread = np.add.reduceat(rivals.weight * (logarithm - center) ** 2, first) + np.log2(AHEAD) * drift
    return np.asarray(2 * TWO_SIDED * np.sqrt(spread) > np.log(UNDECIDED))


def _at_points(
    space: SearchSpace,
    best: IntArray,
    sample: Sample,
    structure: ErrorModel,
    coefficients: FloatArray,
    root: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return a model's values at the points, fitted with them and each without itself, float64[K, P] each."""
    design, sharpness = space.design(sample.points[:, None])[best], space.sharpness[best]
    fitted, left_out = np.empty(sample.level.shape), np.empty(sample.level.shape)
    for power in np.unique(sharpness).tolist():
        some = np.flatnonzero(sharpness == power)
        part = sample.take(some)
        level = part.level**power if power != 1 else part.level
        values = _with_and_without(
            design[some],
            replace(part, level=level),
            part.precision(structure, power),
            coefficients[some],
            root[some],
        )
        for result, value in zip((fitted, left_out), values, strict=True):
            result[some] = np.maximum(value, 0.0) ** (1 / power) if power != 1 else value
    return fitted, left_out


def _with_and_without(
    design: FloatArray, sample: Sample, precision: Precision, coefficients: FloatArray, root: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return fitted values, and each predicted without its point, float64[K, P] each.

    The generalised PRESS: leaving out point p errs by (G r)_p / (G - G X (X'GX)^-1 X'G)_pp for the precision
    G and the residuals r.
    """
    fitted = np.einsum("kpc,kc->kp", design, coefficients)
    residual = np.where(sample.measured, sample.level - fitted, 0.0)
    weighted = precision.times(np.moveaxis(design @ root, 2, 0))
    alone = precision.diagonal
    slack = alone - (weighted**2).sum(axis=0)
    known = slack > 1e-9 * alone
    error = precision.times(residual) / np.where(known, slack, 1.0)
    return fitted, np.where(known, sample.level - error, 0.0)


def in_order(parts: list[tuple[IntArray, Posterior]]) -> Posterior:
    """Put parts together in the order of their kernels."""
    order = np.argsort(np.concatenate([kernels for kernels, _ in parts]))
    return Posterior.joined([part for _, part in parts]).take(order)
