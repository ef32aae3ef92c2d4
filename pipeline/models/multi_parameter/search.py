"""Search for the hypotheses of up to three terms that explain each kernel best.

All products of 42 exponents and all their sums are far too many to try (10^13 for three terms of three
parameters), but each is one of a chain: a coarse first guess, then factor after factor exchanged for every
other exponent while the rest of the hypothesis stays. A beam of hypotheses is carried along for every kernel
at once, and everything that was tried on the way competes for a place among the best.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from pipeline.models.forms import (
    FACTOR_KINDS,
    FactorKind,
    Term,
    kind_values,
    least_value,
    powers_of,
    tried_exponents,
    with_powers,
)
from pipeline.models.multi_parameter.added_term import WeightedMeans, chi_squared, orthogonal
from pipeline.models.observations import Observations
from pipeline.models.options import NO_EXPONENT, Exponent, ModelOptions
from pipeline.models.posterior import DETRENDED
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.search_space import FALLING_EXPONENTS, STEEP_EXPONENTS, plausibility
from pipeline.statistics import TWO_SIDED

BELIEF = 20.0
"""How many residuals the noise known from repetitions is worth when a kernel's misfit is estimated."""

_LEAST_NOISE = 2e-4  # relative; below it rounding and clock resolution rule
_UNKNOWN_NOISE = 0.02  # relative, of single repetitions: only a start, the misfit sets the scale
_SIGNIFICANT = 3.0  # standard errors by which residuals must exceed the noise to count as misfit
_POOL = 10.0  # degrees of freedom that the other kernels are worth


def relative_variance(data: Observations, floor: float) -> FloatArray:
    """Variance of one repetition relative to its expected square, float64[K].

    Pooled over points, and shrunk towards the median of all kernels, each scaled to 1 at its largest mean.
    The floor stands in for smaller values, so that those near zero do not rule the fit.
    """
    size = data.mean**2 + floor**2
    degrees = np.maximum(data.count - 1, 0).sum(axis=1)
    squares = (data.squares / size).sum(axis=1)
    known = degrees > 0
    if not known.any():
        return np.full(len(size), _UNKNOWN_NOISE**2)
    pool = float(np.median(squares[known] / degrees[known]))
    shrunk = (_POOL * pool + squares) / (_POOL + degrees)
    return np.asarray(np.maximum(shrunk, _LEAST_NOISE**2))


def inverse_variances(data: Observations, floor: float) -> FloatArray:
    """Weights of the means, float64[K, P], 0 where nothing was measured."""
    relative = relative_variance(data, floor)[:, None]
    return data.count / (relative * (data.mean**2 + floor**2))


def size_ratio(mean: FloatArray, fitted: FloatArray, floor: float) -> FloatArray:
    """What weights from means scaled to 1 must be multiplied with to become weights from fitted values.

    At most a factor 4 either way, so that a model that does not fit cannot silence a point.
    """
    return np.clip((mean**2 + floor**2) / (fitted**2 + floor**2), 0.25, 4.0)


def pooled_misfit(chi2: FloatArray, degrees: FloatArray, repeats: float) -> float:
    """How much larger residuals are than the noise says, as a ratio of variances: the median of all kernels.

    `chi2` float64[K] are the weighted squares left by each kernel's best model, `degrees` points less
    coefficients. With degrees of freedom that the noise rests on, `repeats`, residuals cannot be smaller for
    good, and are larger only if chance does not explain it; with none, they alone count.
    """
    fitted = degrees > 0
    if not fitted.any():
        return 1.0
    ratio = float(np.median(chi2[fitted] / degrees[fitted]))
    if not repeats:
        return max(ratio, 1e-4)
    return ratio if ratio > significant(degrees[fitted].sum(), repeats) else 1.0


def significant(degrees: FloatArray, repeats: float) -> FloatArray:
    """Return the ratio of variances from which residuals show misfit, for these degrees of freedom."""
    return 1 + _SIGNIFICANT * np.sqrt(2 / degrees + 2 / repeats)


def drift(
    data: WeightedMeans, variance: FloatArray, misfit: float, repeats: float, doublings: float
) -> FloatArray:
    """Relative variance that a prediction gains with every doubling beyond the points, float64[K].

    As with one parameter, what the repetitions, `repeats` degrees of freedom, do not explain is taken for a
    random walk over the doublings that the points span, in all parameters together, of which a fitted trend
    leaves 1 / `DETRENDED`. The variance, float64[K], is that of a mean of weight 1 by the chosen model.
    """
    if doublings == 0:
        return np.ones(len(variance))
    if repeats:
        shown = (misfit > 1) | (variance > significant(BELIEF + data.count[:, 0, 0], repeats))
        variance = np.where(shown, np.maximum(variance - 1, 0.0), 0.0)
    largest = np.abs(data.mean).argmax(axis=1)[:, None]
    weight = np.take_along_axis(data.weight, largest, axis=1)[:, 0]
    return DETRENDED / doublings * variance / np.where(weight > 0, weight, np.inf)


_FEWEST_VALUES = 3  # of every parameter that must be left inside
_FEWEST_POINTS = 6


def inside(points: FloatArray) -> BoolArray:
    """Tell which points float64[P, D] have no varying parameter at its largest value, bool[P].

    None if too few are left to make models from.
    """
    largest = points.max(axis=0)
    varies = points.min(axis=0) < largest
    inner: BoolArray = np.logical_and.reduce((points < largest) | ~varies, axis=1)
    values = [len(np.unique(column[inner])) for column in points.T[varies]]
    if inner.sum() < _FEWEST_POINTS or min(values, default=0) < _FEWEST_VALUES:
        return np.zeros(len(points), dtype=bool)
    return inner


def shown_drift(models: ScalingModels, hidden: Observations) -> float:
    """Relative variance per doubling by which kernels stray from models at hidden points beyond theirs.

    What the models' own intervals and the noise of the hidden means explain is taken off. The mean of all
    kernels: too few measurements are hidden to say whose behaviour strays and whose does not.
    """
    prediction = models.predict(hidden.points)
    size = np.where(prediction.value != 0, np.abs(prediction.value), 1.0)
    expected = ((prediction.upper - prediction.lower) / (2 * TWO_SIDED) / size) ** 2
    error = np.clip((hidden.mean - prediction.value) / size, -1.0, 1.0)
    repeated = np.maximum(hidden.count - 1, 1) * np.maximum(hidden.count, 1)
    noise = hidden.squares / repeated / size / size
    doublings = np.log2(np.maximum(hidden.points / models.last, 1.0)).sum(axis=1)
    counted = hidden.measured & (doublings > 0) & (prediction.value != 0)
    total = np.where(counted, (error**2 - expected - noise) / np.maximum(doublings, 1e-9), 0.0).sum(axis=1)
    each = total / np.maximum(counted.sum(axis=1), 1)
    known = counted.any(axis=1)
    return max(float(each[known].mean()), 0.0) if known.any() else 0.0


_Prior = str | tuple[tuple[Exponent, float], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class _ExponentTable(Rows):
    """n exponents."""

    exponents: tuple[Exponent, ...]  # the first is NO_EXPONENT
    powers: FloatArray  # float64[n, kinds of factors]
    weight: FloatArray  # float64[n], prior weight; they need not sum to 1
    optional: BoolArray  # bool[n], tried only where the data call for it: negative powers, and powers above 3
    growing: BoolArray  # bool[n], whether the factor grows without end
    least: FloatArray  # float64[n], the smallest parameter value at which each is tried
    coarse: IntArray  # int64[n], places among the exponents from which a search starts, -1 for the others


def exponent_table(options: ModelOptions) -> _ExponentTable:
    """Return all exponents that could be tried.

    With several parameters the combinations of odd exponents would drown the simple ones by their number
    alone, so the prior ``uniform`` means the even mixture of uniform and simple weights here: at worst half
    of what either would give.
    """
    prior = options.prior if isinstance(options.prior, str) else tuple(options.prior.items())
    return _table(options.exponents, prior, FACTOR_KINDS)


@lru_cache(maxsize=8)
def _table(own: tuple[Exponent, ...] | None, prior: _Prior, kinds: tuple[FactorKind, ...]) -> _ExponentTable:
    """Return the table for the kinds of factors that there are."""
    asked = own if own is not None or isinstance(prior, str) else tuple(e for e, _ in prior)
    optional = frozenset(FALLING_EXPONENTS + STEEP_EXPONENTS) if asked is None else frozenset()
    every = asked if asked is not None else tried_exponents() + FALLING_EXPONENTS + STEEP_EXPONENTS
    exponents = tuple(dict.fromkeys((NO_EXPONENT, *every)))
    return _ExponentTable(
        exponents=exponents,
        powers=powers_of(exponents),
        weight=_weights(exponents, prior),
        optional=np.array([e in optional for e in exponents]),
        growing=np.array([e > NO_EXPONENT for e in exponents]),
        least=np.array([least_value(e) for e in exponents]),
        coarse=np.array([_COARSE.index(e) if e in _COARSE else -1 for e in exponents]),
    )


def _weights(exponents: tuple[Exponent, ...], prior: _Prior) -> FloatArray:
    if not isinstance(prior, str):
        given = dict(prior)
        return np.array([given.get(e, 0.0) for e in exponents])
    simple = np.array([plausibility(e, "simple") for e in exponents])
    simple /= simple.sum()
    return simple if prior == "simple" else (simple + 1 / len(exponents)) / 2


NEAR, FAR_FACTOR = 4.0, 16.0
"""How many times the largest measured value of each parameter hypotheses are compared at."""

_COARSE = (*with_powers("-1"), *with_powers("0", 1), *with_powers("1 2 3 4"))
_FULL_GRID = 4  # parameters up to which a search starts from products of all of them
_ABSENT = 0.5  # prior probability that a parameter does not occur in a term
_FALLS, _STEEP = -0.2, 2.5  # local log-log slopes from which negative powers and powers above 3 are tried


@dataclass(frozen=True, eq=False, kw_only=True)
class Factors:
    """A table of n exponents and their values at P points for D parameters."""

    table: _ExponentTable  # the exponents; the first stands for no factor
    values: FloatArray  # float64[D, n, P], each row divided by its largest value
    # float64[2, D, n], the same at `NEAR` and `FAR_FACTOR` times each parameter's largest value
    ahead: FloatArray
    unit: FloatArray  # float64[D, n], what each row was multiplied with
    # float64[D, n], logarithm of the probability of each factor, -inf where it is not tried
    log_prior: FloatArray
    coarse: IntArray  # int64[L, D], picks of the terms from which a search starts

    def term(self, picks: IntArray) -> Term:
        """Return the term of int64[D] picks."""
        return tuple(self.table.exponents[i] for i in picks.tolist())

    @cached_property
    def tried(self) -> tuple[IntArray, ...]:
        """int64[n_d] for each parameter, the exponents that are tried along it."""
        return tuple(np.flatnonzero(np.isfinite(row)) for row in self.log_prior)

    def columns(self, picks: IntArray) -> FloatArray:
        """Evaluate terms: float64[..., P] from int64[..., D] picks."""
        product: FloatArray = self.values[0][picks[..., 0]]
        for d in range(1, len(self.values)):
            product = product * self.values[d][picks[..., d]]
        return product

    def term_log_prior(self, picks: IntArray) -> FloatArray:
        """Logarithm of the prior of terms: float64[...] from int64[..., D] picks."""
        return np.asarray(self.log_prior[np.arange(len(self.values)), picks].sum(axis=-1))

    def scaled_ahead(self, picks: IntArray, place: int) -> FloatArray:
        """Evaluate terms at `NEAR` (place 0) or `FAR_FACTOR` (1): float64[...] of int64[..., D] picks."""
        return np.asarray(self.ahead[place][np.arange(len(self.values)), picks].prod(axis=-1))

    def units(self, picks: IntArray) -> FloatArray:
        """What scaled terms were multiplied with: float64[...] from int64[..., D] picks."""
        return np.asarray(self.unit[np.arange(len(self.values)), picks].prod(axis=-1))

    def by_growth(self, picks: IntArray) -> IntArray:
        """Sort the terms of hypotheses int64[K, N, M, D], the largest powers first and empty terms last."""
        degree = self.table.powers @ 0.1 ** np.arange(self.table.powers.shape[1])
        earlier_first = 1 - 1e-3 * np.arange(len(self.values))
        steepness = np.where((picks != 0).any(axis=3), (degree[picks] * earlier_first).sum(axis=3), -np.inf)
        return np.take_along_axis(picks, np.argsort(-steepness, axis=2)[..., None], axis=2)


def make_factors(points: FloatArray, slopes: FloatArray, options: ModelOptions) -> Factors:
    """Choose the exponents for points float64[P, D] and local log-log slopes float64[K, D].

    Falling powers are tried for parameters along which some kernel falls, powers above 3 where one grows
    that fast; logarithms only where no value is below 1, for there they would change sign.
    """
    table = exponent_table(options)
    smallest, largest = points.min(axis=0)[:, None], points.max(axis=0)[:, None]
    tried = (smallest >= table.least) & (smallest < largest)
    falls, steep = slopes.min(axis=0)[:, None] < _FALLS, slopes.max(axis=0)[:, None] > _STEEP
    tried &= ~table.optional | np.where(table.powers[:, 0] < 0, falls, steep)
    tried &= table.weight > 0
    tried[:, 0] = True
    used = np.flatnonzero(tried.any(axis=0))
    table, tried = table.take(used), tried[:, used]
    every, unit = _scaled_values(table, np.vstack([points, NEAR * largest.T, FAR_FACTOR * largest.T]), tried)
    ahead = every[:, :, -2:].transpose(2, 0, 1)
    log_prior = _log_prior(np.where(tried, table.weight, 0.0))
    return Factors(
        table=table,
        values=every[:, :, :-2],
        ahead=ahead,
        unit=unit,
        log_prior=log_prior,
        coarse=_coarse(table, tried),
    )


def term_keys(picks: IntArray) -> NDArray[np.uint64]:
    """64-bit keys of terms, uint64[...] from int64[..., D]; the empty term has the key 0."""
    code = np.zeros(picks.shape[:-1], dtype=np.uint64)
    for d in range(picks.shape[-1]):
        code = code * np.uint64(0x9E3779B97F4A7C15) + picks[..., d].astype(np.uint64)
        code ^= code >> np.uint64(29)
        code *= np.uint64(0xBF58476D1CE4E5B9)
    return code


def _log_prior(weight: FloatArray) -> FloatArray:
    others = weight[:, 1:]
    total = others.sum(axis=1, keepdims=True)
    prior = np.empty_like(weight)
    prior[:, :1] = np.where(total > 0, _ABSENT, 1.0)
    prior[:, 1:] = others / np.where(total > 0, total, 1.0) * (1 - _ABSENT)
    return np.log(prior, out=np.full_like(prior, -np.inf), where=prior > 0)


def _scaled_values(
    table: _ExponentTable, points: FloatArray, tried: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Evaluate factors, float64[D, n, P], and what they were multiplied with, float64[D, n].

    Each is divided by its largest value at all points but the last two, which lie ahead.
    """
    power, others = table.powers[None, :, 0, None], table.powers[:, 1:, None]
    # Divided by the geometric middle first, so that no power of a large value overflows.
    logs = np.log2(points).T[:, None, :]
    middle = (logs.min(axis=2, keepdims=True) + logs.max(axis=2, keepdims=True)) / 2
    values = np.exp2(power * (logs - middle)) * tried[:, :, None]
    for place, kind in enumerate(FACTOR_KINDS[1:]):
        occurs = (others[:, place] > 0) & tried[:, :, None]
        values *= np.where(occurs, kind_values(kind, points.T[:, None]), 1.0) ** others[:, place]
    largest = values[:, :, :-2].max(axis=2, keepdims=True)
    largest = np.where(largest > 0, largest, 1.0)
    unit = np.exp2(-power * middle) / largest
    return values / largest, unit[:, :, 0]


def _coarse(table: _ExponentTable, tried: BoolArray) -> IntArray:
    order = np.argsort(table.coarse, kind="stable")
    place = order[table.coarse[order] >= 0].tolist() or list(range(1, len(table.exponents)))
    axes = [[i for i in place if row[i]] for row in tried]
    most = len(axes) if len(axes) <= _FULL_GRID else 2
    terms: list[IntArray] = []
    for size in range(1, most + 1):
        for inside in combinations(range(len(axes)), size):
            grid = np.array(list(product(*(axes[d] for d in inside))), dtype=np.int64).reshape(-1, size)
            terms.append(np.zeros((len(grid), len(axes)), dtype=np.int64))
            terms[-1][:, inside] = grid
    found = np.concatenate(terms)
    return found if len(found) else np.zeros((1, len(axes)), dtype=np.int64)  # no search takes it for a term


def hypothesis_tables(
    factors: Factors, picks: IntArray
) -> tuple[tuple[Term, ...], IntArray, IntArray, IntArray]:
    """Number the terms and hypotheses that occur in picks, int64[K, N, M, D], all zero for no term.

    The n terms; the hypotheses, int64[H, M] of indices into them (-1 for none); int64[K, N], which of these
    each one is; and int64[K, N, M], its terms.
    """
    code = term_keys(picks)
    codes, first, place = np.unique(code, return_index=True, return_inverse=True)
    terms = [factors.term(p) for p in picks.reshape(-1, picks.shape[3])[first]]
    number = np.where(codes > 0, np.cumsum(codes > 0) - 1, -1)
    rows: IntArray = number[place].reshape(code.shape)
    key = (rows + 1) @ (len(codes) + 1) ** np.arange(rows.shape[2])
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    hypotheses = rows.reshape(-1, rows.shape[2])[first]
    used = tuple(t for t, c in zip(terms, codes.tolist(), strict=True) if c > 0)
    return used, hypotheses, which.reshape(key.shape), rows


_ALONE = 1e-6  # share of a parameter's variation (in logarithms) that the others must leave unexplained


@dataclass(frozen=True, eq=False)
class _Design:
    """Which of D parameters can be distinguished."""

    # bool[D], it has fewer than three values, so that its effect, or at least its form, is a guess
    few_values: BoolArray
    confounded: BoolArray  # bool[D], it never changes independently of the others


def examine(points: FloatArray) -> _Design:
    """Examine points float64[P, D], all positive.

    A parameter is confounded if its logarithm is a linear function of the others' (p = 100 q, p q = n), or
    if it rises and falls with another one in step: the points lie on one curve then, and any effect of one
    parameter could as well be due to the other.
    """
    values = [np.unique(points[:, d]) for d in range(points.shape[1])]
    counts = np.array([len(v) for v in values])
    confounded = np.zeros(len(values), dtype=bool)
    inside = np.flatnonzero(counts > 1)
    ranks = np.stack([np.searchsorted(v, points[:, d]) for d, v in enumerate(values)])
    logs = np.log(points[:, inside])
    for place, d in enumerate(inside.tolist()):
        others = np.delete(logs, place, axis=1)
        in_step = any(_in_step(ranks[d], ranks[o]) for o in inside.tolist() if o != d)
        confounded[d] = in_step or _explained(logs[:, place], others)
    return _Design(counts < 3, confounded)


def _explained(one: FloatArray, others: FloatArray) -> bool:
    if others.shape[1] == 0:
        return False
    matrix = np.column_stack([np.ones(len(one)), others])
    solution = np.linalg.lstsq(matrix, one, rcond=None)[0]
    left = one - matrix @ solution
    return bool((left**2).sum() <= _ALONE * ((one - one.mean()) ** 2).sum())


def _in_step(one: FloatArray, other: FloatArray) -> bool:
    """Tell whether equal ranks always meet equal ranks, in the same or in the reverse order."""
    return np.array_equal(one, other) or np.array_equal(one, other.max() - other)


def log_slopes(points: FloatArray, mean: FloatArray, measured: BoolArray) -> FloatArray:
    """Slopes of log y over the logarithms of the parameters, float64[K, D], by ridge least squares.

    Values that are not positive are left out.
    """
    used = measured & (mean > 0)
    weight = used.astype(np.float64)
    total = np.maximum(weight.sum(axis=1, keepdims=True), 1.0)
    logs = np.log(points)
    target = np.log(np.where(used, mean, 1.0))
    centre = weight @ logs / total
    offset = logs[None] - centre[:, None]
    weighted = offset * weight[:, :, None]
    right = np.einsum("kpd,kp->kd", weighted, target - ((weight * target).sum(axis=1, keepdims=True) / total))
    normal = np.einsum("kpd,kpe->kde", weighted, offset) + 1e-3 * np.eye(points.shape[1])
    return np.linalg.solve(normal, right[..., None])[..., 0]


MOST_TERMS = 3

LOG_PRIOR_OF_SIZE = tuple(math.log(p) for p in (0.4, 0.35, 0.2, 0.05))
"""Prior of 0, 1, 2 and 3 terms: complexity is paid for."""

_KEPT = 24  # hypotheses remembered per kernel and size
_VARIANTS = 6  # and of those that exchange one factor
_BEAM = 4  # hypotheses that are varied in the first sweep
_LATER_BEAM = 3  # and in later ones, those varied before left out
_SWEEPS = 12  # at most; kernels whose best hypothesis stays are done
_GAIN = 0.05  # in the logarithm of the evidence
_GUESSES = 24  # first guesses that pairs of more than two parameters start from


@dataclass(frozen=True, eq=False)
class Candidates(Rows):
    """N hypotheses of M terms for each of K kernels, best first."""

    picks: IntArray  # int64[K, N, M, D]
    # float64[K, N], logarithm of evidence times prior but for a constant; -inf if there is none
    score: FloatArray
    chi2: FloatArray  # float64[K, N], weighted squares left
    varied: BoolArray  # bool[K, N], all exchanges of one factor have been tried

    def put(self, kernels: IntArray, part: "Candidates") -> None:
        """Replace the hypotheses of some kernels."""
        for name, values in vars(self).items():
            values[kernels] = getattr(part, name)

    def best(self, count: int) -> "Candidates":
        """Return the `count` best, best first, filled up with none if there are fewer."""
        best = self.of_each(_smallest(-self.score, count))
        if best.score.shape[1] == count:
            return best
        missing = ((0, 0), (0, count - best.score.shape[1]))
        return Candidates(
            np.pad(best.picks, (*missing, (0, 0), (0, 0))),
            np.pad(best.score, missing, constant_values=-np.inf),
            np.pad(best.chi2, missing, constant_values=np.inf),
            np.pad(best.varied, missing),
        )


def _joined(parts: Sequence[Candidates]) -> Candidates:
    """Put hypotheses of the same size for the same kernels together, in no order."""
    every = zip(*(vars(part).values() for part in parts), strict=True)
    return Candidates(*(np.concatenate(values, axis=1) for values in every))


def search_one_term(data: WeightedMeans, factors: Factors) -> Candidates:
    """Find single terms beside the constant."""
    guesses = _first_guesses(data, factors, _KEPT)
    return _refine(data, factors, guesses, np.arange(len(data.mean)))


def search_another_term(
    data: WeightedMeans, factors: Factors, found: Candidates, thorough: BoolArray
) -> Candidates:
    """Find hypotheses of one term more than those found, for K kernels.

    The best single terms may all be compromises between two, so pairs start from terms of one parameter too.
    Where bool[K] is not `thorough`, the first guesses are not improved and only show what else might be:
    rivals, for the sake of an honest interval.
    """
    start = found.picks[:, :_BEAM]
    if found.picks.shape[2] == 1:
        alone = factors.coarse[(factors.coarse > 0).sum(axis=1) == 1][:, None, :]
        alone = np.broadcast_to(alone, (len(start), *alone.shape))
        start = np.concatenate([start, alone], axis=1)
        if len(factors.values) > 2:
            start = np.concatenate([start, _first_guesses(data, factors, _GUESSES).picks], axis=1)
    return _refine(data, factors, _extended(data, factors, start), np.flatnonzero(thorough))


def evidence(chi2: FloatArray, count: FloatArray, size: int | IntArray) -> FloatArray:
    """Logarithm of the evidence of hypotheses with `size` coefficients, but for a constant of the kernel.

    The variance is marginalised over (a scaled inverse chi-squared prior worth `BELIEF` residuals, so the
    data follow a Student t), the coefficients by Schwarz's approximation.
    """
    strength = (BELIEF + count - size) / 2
    return -strength * np.log1p(chi2 / BELIEF) - size / 2 * np.log(count)


def _first_guesses(data: WeightedMeans, factors: Factors, count: int) -> Candidates:
    kernels, points = data.mean.shape
    none = np.empty((kernels, 1, 0, points))
    log_prior = factors.term_log_prior(factors.coarse)
    chi2 = chi_squared(data, orthogonal(data.weight[:, None], none), None, factors.columns(factors.coarse))
    rows, scored = _best_scores(data.count, chi2, np.zeros((kernels, 1)), log_prior, 1, count)
    return Candidates(factors.coarse[rows][:, :, None, :], *scored).best(count)


def _extended(data: WeightedMeans, factors: Factors, start: IntArray) -> Candidates:
    """Add every coarse term to the hypotheses int64[K, B, M, D]."""
    size = start.shape[2] + 1
    others = orthogonal(data.weight[:, None], factors.columns(start))
    chi2 = chi_squared(data, others, None, factors.columns(factors.coarse))
    rows, scored = _best_scores(
        data.count,
        chi2,
        factors.term_log_prior(start).sum(axis=2),
        factors.term_log_prior(factors.coarse),
        size,
        _KEPT + _KEPT // 2,
    )
    place, added = np.divmod(rows, len(factors.coarse))
    picks = start[np.arange(len(rows))[:, None], place]
    picks = np.concatenate([picks, factors.coarse[added][:, :, None, :]], axis=2)
    return _distinct(Candidates(picks, *scored), _KEPT)


def _refine(data: WeightedMeans, factors: Factors, found: Candidates, here: IntArray) -> Candidates:
    """Exchange factors of the best hypotheses of some kernels until nothing is gained."""
    for sweep in range(_SWEEPS):
        if len(here) == 0:
            break
        part, before = found.take(here), found.score[here, 0]
        rows = _smallest(np.where(part.varied, np.inf, -part.score), _LATER_BEAM if sweep else _BEAM)
        np.put_along_axis(part.varied, rows, True, axis=1)
        tried = _exchange(data.take(here), factors, part.of_each(rows).picks)
        part = _distinct(_joined([part, tried]), _KEPT)
        found.put(here, part)
        if sweep > 0:
            here = here[part.score[:, 0] > before + _GAIN]
    return found


def _exchange(data: WeightedMeans, factors: Factors, picks: IntArray) -> Candidates:
    """Exchange each factor of each term of the hypotheses int64[K, B, M, D] for every other.

    The hypotheses without their first term, without their second and so on are tried at once.
    """
    kernels, beam, size, parameters = picks.shape
    log_prior = factors.log_prior[np.arange(parameters), picks]
    columns = factors.columns(picks)
    without = [columns[:, :, [o for o in range(size) if o != m]] for m in range(size)]
    others = orthogonal(data.weight[:, None], np.concatenate(without, axis=1))
    exchanged = picks.swapaxes(1, 2).reshape(kernels, size * beam, parameters)
    kernel, term = np.divmod(np.arange(kernels * size), size)
    tried = []
    for d, here in enumerate(factors.tried):
        rest = exchanged.copy()
        rest[..., d] = 0
        chi2 = chi_squared(data, others, factors.columns(rest), factors.values[d, here])
        fixed = log_prior.sum(axis=(2, 3))[:, None] - log_prior[..., d].swapaxes(1, 2)
        rows, scored = _best_scores(
            data.count[kernel],
            chi2.reshape(kernels * size, beam, len(here)),
            fixed.reshape(kernels * size, beam),
            factors.log_prior[d, here],
            size,
            _VARIANTS,
        )
        place, factor = np.divmod(rows, len(here))
        changed = picks[kernel[:, None], place]
        changed[np.arange(len(rows)), :, term, d] = here[factor]
        tried.append([values.reshape(kernels, size, *values.shape[1:]) for values in (changed, *scored)])
    every = [np.concatenate(values, axis=2) for values in zip(*tried, strict=True)]
    return Candidates(
        *(values.reshape(kernels, size * values.shape[2], *values.shape[3:]) for values in every)
    )


def _best_scores(
    points: FloatArray, chi2: FloatArray, fixed: FloatArray, log_prior: FloatArray, size: int, count: int
) -> tuple[IntArray, tuple[FloatArray, FloatArray, BoolArray]]:
    """Find the best of float64[K, B, n] hypotheses: places in B x n, scores, chi squared, not varied.

    Ranked by a product instead of the sum of logarithms of evidence and prior: logarithms of all cost more
    than everything else. The log prior is `fixed` float64[K, B], what the n candidates share, and their own;
    `points` float64[K, 1, 1] is how many were measured.
    """
    strength = (BELIEF + points - size - 1) / 2
    cost = chi2 / BELIEF
    cost += 1
    cost *= np.exp(np.minimum(-fixed[:, :, None] / strength, 600.0))
    cost *= np.exp(np.minimum(-log_prior / strength, 600.0))
    cost = cost.reshape(len(cost), -1)
    rows, kernel = _smallest_few(cost, count), np.arange(len(cost))[:, None]
    constant = LOG_PRIOR_OF_SIZE[size] + math.lgamma(size + 1) - (size + 1) / 2 * np.log(points[:, 0])
    left = np.maximum(chi2.reshape(cost.shape)[kernel, rows], 0.0)
    score = constant - strength[:, 0] * np.log(cost[kernel, rows])
    return rows, (score, left, np.zeros(rows.shape, dtype=bool))


def _smallest_few(cost: FloatArray, count: int) -> IntArray:
    """Do the same for a small count: finding the smallest over and over is faster than partitioning."""
    kernel = np.arange(len(cost))
    count = min(count, cost.shape[1])
    rows, work = np.empty((len(cost), count), dtype=np.int64), cost.copy()
    for n in range(count):
        rows[:, n] = work.argmin(axis=1)
        work[kernel, rows[:, n]] = np.inf
    return rows


def _smallest(cost: FloatArray, count: int) -> IntArray:
    """Places of the smallest of each row, smallest first."""
    kernel = np.arange(len(cost))[:, None]
    if cost.shape[1] > count:
        rows = np.argpartition(cost, count - 1, axis=1)[:, :count]
    else:
        rows = np.broadcast_to(np.arange(cost.shape[1]), cost.shape)
    return rows[kernel, np.argsort(cost[kernel, rows], axis=1)]


def _distinct(found: Candidates, count: int) -> Candidates:
    """Keep the best of each hypothesis that was found more than once, whatever the order of its terms."""
    key = term_keys(found.picks).sum(axis=2, dtype=np.uint64)
    order = np.argsort(key, axis=1, kind="stable")
    kernel, again = np.arange(len(key))[:, None], np.zeros(key.shape, dtype=bool)
    ordered = key[kernel, order]
    again[kernel, order[:, 1:]] = ordered[:, 1:] == ordered[:, :-1]
    return Candidates(found.picks, np.where(again, -np.inf, found.score), found.chi2, found.varied).best(
        count
    )
