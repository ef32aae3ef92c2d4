"""The factors p^i * log2(p)^j that terms of several parameters are made of, and how plausible each is."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.exponents import NO_EXPONENT, Exponent
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
from pipeline.models.options import ModelOptions
from pipeline.models.search_space import FALLING_EXPONENTS, STEEP_EXPONENTS, plausibility

_Prior = str | tuple[tuple[Exponent, float], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class ExponentTable:
    """n exponents.

    Attributes:
        exponents: the first is `NO_EXPONENT`.
        powers: float64[n, kinds of factors].
        weight: float64[n], prior weight; they need not sum to 1.
        optional: bool[n], tried only where the data call for it: negative powers, and powers above 3.
        growing: bool[n], whether the factor grows without end.
        least: float64[n], the smallest parameter value at which each is tried.
        coarse: int64[n], places among the exponents from which a search starts, -1 for the others.
    """

    exponents: tuple[Exponent, ...]
    powers: FloatArray
    weight: FloatArray
    optional: BoolArray
    growing: BoolArray
    least: FloatArray
    coarse: IntArray

    def take(self, places: IntArray) -> "ExponentTable":
        """Return some of the exponents."""
        arrays = {name: values[places] for name, values in vars(self).items() if name != "exponents"}
        return ExponentTable(exponents=tuple(self.exponents[n] for n in places.tolist()), **arrays)


def exponent_table(options: ModelOptions) -> ExponentTable:
    """Return all exponents that could be tried.

    With several parameters the combinations of odd exponents would drown the simple ones by their number
    alone, so the prior ``uniform`` means the even mixture of uniform and simple weights here: at worst half
    of what either would give.
    """
    prior = options.prior if isinstance(options.prior, str) else tuple(options.prior.items())
    return _table(options.exponents, prior, FACTOR_KINDS)


@lru_cache(maxsize=8)
def _table(own: tuple[Exponent, ...] | None, prior: _Prior, kinds: tuple[FactorKind, ...]) -> ExponentTable:
    """Return the table for the kinds of factors that there are."""
    asked = own if own is not None or isinstance(prior, str) else tuple(e for e, _ in prior)
    optional = frozenset(FALLING_EXPONENTS + STEEP_EXPONENTS) if asked is None else frozenset()
    every = asked if asked is not None else tried_exponents() + FALLING_EXPONENTS + STEEP_EXPONENTS
    exponents = tuple(dict.fromkeys((NO_EXPONENT, *every)))
    return ExponentTable(
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


NEAR, FAR = 4.0, 16.0
"""How many times the largest measured value of each parameter hypotheses are compared at."""

_COARSE = (*with_powers("-1"), *with_powers("0", 1), *with_powers("1 2 3 4"))
_FULL_GRID = 4  # parameters up to which a search starts from products of all of them
_ABSENT = 0.5  # prior probability that a parameter does not occur in a term
_FALLS, _STEEP = -0.2, 2.5  # local log-log slopes from which negative powers and powers above 3 are tried


@dataclass(frozen=True, eq=False, kw_only=True)
class Factors:
    """A table of n exponents and their values at P points for D parameters.

    Attributes:
        table: the exponents; the first stands for no factor.
        values: float64[D, n, P], each row divided by its largest value.
        ahead: float64[2, D, n], the same at `NEAR` and `FAR` times the largest value of each parameter.
        unit: float64[D, n], what each row was multiplied with.
        log_prior: float64[D, n], logarithm of the probability of each factor, -inf where it is not tried.
        coarse: int64[L, D], picks of the terms from which a search starts.
    """

    table: ExponentTable
    values: FloatArray
    ahead: FloatArray
    unit: FloatArray
    log_prior: FloatArray
    coarse: IntArray

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
        total: FloatArray = self.log_prior[np.arange(len(self.values)), picks].sum(axis=-1)
        return total

    def scaled_ahead(self, picks: IntArray, place: int) -> FloatArray:
        """Evaluate scaled terms at `NEAR` (place 0) or `FAR` (1): float64[...] from int64[..., D] picks."""
        product: FloatArray = self.ahead[place][np.arange(len(self.values)), picks].prod(axis=-1)
        return product

    def units(self, picks: IntArray) -> FloatArray:
        """What scaled terms were multiplied with: float64[...] from int64[..., D] picks."""
        product: FloatArray = self.unit[np.arange(len(self.values)), picks].prod(axis=-1)
        return product

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
    every, unit = _scaled_values(table, np.vstack([points, NEAR * largest.T, FAR * largest.T]), tried)
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
    table: ExponentTable, points: FloatArray, tried: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Evaluate factors, each divided by its largest value at all points but the last two, which lie ahead.

    Returns:
        float64[D, n, P] and what the values were multiplied with, float64[D, n].
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


def _coarse(table: ExponentTable, tried: BoolArray) -> IntArray:
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
    """Number the terms and hypotheses that occur.

    Args:
        factors: the table that picks point into.
        picks: int64[K, N, M, D], all zero for no term.

    Returns:
        The n terms; the hypotheses, int64[H, M] of indices into them (-1 for none); int64[K, N], which of
        these each one is; and int64[K, N, M], its terms.
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
class Design:
    """Which of D parameters can be distinguished.

    Attributes:
        varies: bool[D], the parameter has more than one value.
        few_values: bool[D], it has fewer than three values, so that its effect, or at least its form, is a
            guess.
        confounded: bool[D], it never changes independently of the others.
    """

    varies: BoolArray
    few_values: BoolArray
    confounded: BoolArray


def examine(points: FloatArray) -> Design:
    """Examine points float64[P, D], all positive.

    A parameter is confounded if its logarithm is a linear function of the others' (p = 100 q, p q = n), or
    if it rises and falls with another one in step: the points lie on one curve then, and any effect of one
    parameter could as well be due to the other.
    """
    values = [np.unique(points[:, d]) for d in range(points.shape[1])]
    counts = np.array([len(v) for v in values])
    varies = counts > 1
    confounded = np.zeros(len(values), dtype=bool)
    inside = np.flatnonzero(varies)
    ranks = np.stack([np.searchsorted(v, points[:, d]) for d, v in enumerate(values)])
    logs = np.log(points[:, inside])
    for place, d in enumerate(inside.tolist()):
        others = np.delete(logs, place, axis=1)
        in_step = any(_in_step(ranks[d], ranks[o]) for o in inside.tolist() if o != d)
        confounded[d] = in_step or _explained(logs[:, place], others)
    return Design(varies, counts < 3, confounded)


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
    slopes: FloatArray = np.linalg.solve(normal, right[..., None])[..., 0]
    return slopes
