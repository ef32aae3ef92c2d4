"""The factors p^i * log2(p)^j that terms of several parameters are made of, and how plausible each is.

A term is written as one index per parameter into a shared table of exponents, index 0 standing for a
parameter that does not occur. Arrays of such indices, int64[..., D], are called `picks` here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.exponents import EXTRAP_EXPONENTS, FALLING_EXPONENTS, STEEP_EXPONENTS
from pipeline.models.normal_form import NO_EXPONENT, Exponent, Term
from pipeline.models.options import ModelOptions
from pipeline.models.search_space import plausibility

_COARSE: tuple[Exponent, ...] = tuple(
    (Fraction(i), j) for i, j in (("-1", 0), ("0", 1), ("1", 0), ("2", 0), ("3", 0), ("4", 0))
)
FAR = 16.0
"""How many times the largest measured value of a parameter hypotheses are told apart at."""

_FULL_GRID = 4  # parameters up to which a search starts from products of all of them
_ABSENT = 0.5  # prior probability that a parameter does not occur in a term


@dataclass(frozen=True, eq=False)
class Factors:
    """A table of n exponents and their values at P points for D parameters.

    Attributes:
        exponents: the table; the first is `NO_EXPONENT`.
        values: float64[D, n, P], each row divided by its largest value.
        far: float64[D, n], the same at `FAR` times the largest value of each parameter.
        log_prior: float64[D, n], logarithm of the probability of each factor, -inf where it is not tried.
        coarse: int64[L, D], picks of the terms from which a search starts.
    """

    exponents: tuple[Exponent, ...]
    values: FloatArray
    far: FloatArray
    log_prior: FloatArray
    coarse: IntArray

    def term(self, picks: IntArray) -> Term:
        """Return the term of int64[D] picks."""
        return tuple(self.exponents[i] for i in picks.tolist())

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

    def by_growth(self, picks: IntArray) -> IntArray:
        """Sort the terms of hypotheses int64[K, N, M, D], the largest powers first and empty terms last."""
        degree = np.array([float(i) + 0.1 * j for i, j in self.exponents])
        earlier_first = 1 - 1e-3 * np.arange(len(self.values))
        steepness = np.where((picks != 0).any(axis=3), (degree[picks] * earlier_first).sum(axis=3), -np.inf)
        return np.take_along_axis(picks, np.argsort(-steepness, axis=2)[..., None], axis=2)


def make_factors(points: FloatArray, slopes: FloatArray, options: ModelOptions) -> Factors:
    """Choose the exponents for points float64[P, D] and local log-log slopes float64[K, D].

    Falling powers are tried for parameters along which some kernel falls, powers above 3 where one grows
    that fast; logarithms only where no value is below 1, for there they would change sign.
    """
    asked = options.exponents or (None if isinstance(options.prior, str) else tuple(options.prior))
    whole = EXTRAP_EXPONENTS + FALLING_EXPONENTS + STEEP_EXPONENTS if asked is None else asked
    table = tuple(dict.fromkeys((NO_EXPONENT, *whole)))
    falling = np.array([i < 0 for i, _ in table])
    steep = np.array([e in STEEP_EXPONENTS for e in table])
    logarithm = np.array([j > 0 for _, j in table])
    tried = np.ones((points.shape[1], len(table)), dtype=bool)
    if asked is None:
        tried &= ~falling | (slopes.min(axis=0) < -0.2)[:, None]
        tried &= ~steep | (slopes.max(axis=0) > 2.5)[:, None]
    tried &= ~logarithm | (points.min(axis=0) >= 1)[:, None]
    tried &= (points.min(axis=0) < points.max(axis=0))[:, None]
    tried[:, 0] = True
    used = np.flatnonzero(tried.any(axis=0))
    table, tried = tuple(table[u] for u in used.tolist()), tried[:, used]
    weight = np.where(tried, exponent_weights(table, options), 0.0)
    both = _scaled_values(table, np.vstack([points, points.max(axis=0) * FAR]), tried)
    return Factors(table, both[:, :, :-1], both[:, :, -1], _log_prior(weight), _coarse(table, tried))


def term_keys(picks: IntArray) -> NDArray[np.uint64]:
    """64-bit keys of terms, uint64[...] from int64[..., D]; the empty term has the key 0."""
    code = np.zeros(picks.shape[:-1], dtype=np.uint64)
    for d in range(picks.shape[-1]):
        code = code * np.uint64(0x9E3779B97F4A7C15) + picks[..., d].astype(np.uint64)
        code ^= code >> np.uint64(29)
        code *= np.uint64(0xBF58476D1CE4E5B9)
    return code


def exponent_weights(exponents: Iterable[Exponent], options: ModelOptions) -> FloatArray:
    """Return the prior weight of each exponent, float64[n]; they need not sum to 1.

    With several parameters the combinations of odd exponents would drown the simple ones by their number
    alone, so ``uniform`` means the even mixture of the uniform and the simple weights here: at worst half of
    what either would give.
    """
    table = tuple(exponents)
    if not isinstance(options.prior, str):
        return np.array([options.prior.get(e, 0.0) for e in table])
    simple = np.array([plausibility(e, "simple") for e in table])
    simple /= simple.sum()
    return simple if options.prior == "simple" else (simple + 1 / len(table)) / 2


def _log_prior(weight: FloatArray) -> FloatArray:
    others = weight[:, 1:]
    total = others.sum(axis=1, keepdims=True)
    prior = np.empty_like(weight)
    prior[:, :1] = np.where(total > 0, _ABSENT, 1.0)
    prior[:, 1:] = others / np.where(total > 0, total, 1.0) * (1 - _ABSENT)
    return np.log(prior, out=np.full_like(prior, -np.inf), where=prior > 0)


def _scaled_values(table: tuple[Exponent, ...], points: FloatArray, tried: BoolArray) -> FloatArray:
    """Evaluate factors, each divided by its largest value at all points but the last, which lies far away."""
    power = np.array([float(i) for i, _ in table])[None, :, None]
    logarithm = np.array([float(j) for _, j in table])[None, :, None]
    # Divided by the geometric middle first, so that no power of a large value overflows.
    logs = np.log2(points).T[:, None, :]
    middle = (logs.min(axis=2, keepdims=True) + logs.max(axis=2, keepdims=True)) / 2
    base = np.where(logarithm > 0, logs, 1.0)
    values = np.exp2(power * (logs - middle)) * np.abs(base) ** logarithm * tried[:, :, None]
    largest = values[:, :, :-1].max(axis=2, keepdims=True)
    scaled: FloatArray = values / np.where(largest > 0, largest, 1.0)
    return scaled


def _coarse(table: tuple[Exponent, ...], tried: BoolArray) -> IntArray:
    place = [table.index(e) for e in _COARSE if e in table] or list(range(1, len(table)))
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
