"""The hypotheses tried for one parameter, and how plausible each is before any data."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from pipeline.models.forms import (
    FACTOR_KINDS,
    FactorKind,
    factors,
    powers_of,
    simplicity,
    tried_exponents,
    with_powers,
)
from pipeline.models.options import Exponent, ModelOptions, exponent
from pipeline.models.rivals import Hypotheses

STEEP_EXPONENTS = (
    *with_powers("13/4 10/3 7/2 11/3 15/4 4 17/4 13/3 9/2 14/3 19/4 5"),
    *with_powers("7/2 4 9/2", 1),
    *with_powers("3 7/2 4", 2),
)
"""Steeper ones, for edge lengths: n^3 cells times iterations that grow with n, and misses of the caches."""

_STEEP = frozenset(map(tuple, powers_of(STEEP_EXPONENTS).tolist()))  # fractions are slow to compare

FALLING_EXPONENTS = with_powers("-1/4 -1/3 -1/2 -2/3 -3/4 -1 -4/3 -3/2 -2")
"""For work that is divided among processes, and for surfaces of the parts."""

_KNEE_EXPONENTS = with_powers("1/2 2/3 3/4 1 5/4 4/3 3/2 2 5/2 3")
"""Growth behind a soft knee: flat while latency, start-up or an idle device decide, then p^k."""

_SHARPNESS = (2, 4)
"""Powers s of (a^s + (b p^k)^s)^(1/s): the larger, the sharper the knee; 1 is the normal form a + b p^k."""

_MIXED_EXPONENTS = (*with_powers("0 1", 1), *with_powers("1/2 1 3/2 2 3 4"))
"""Of these, two at a time make the models of two growing terms."""

_SHARE_CONSTANT = 0.55  # the probability that a kernel does not depend on the parameter at all
_SHARE_TWO_TERMS = 0.05  # of what is left: a second term must earn its place
SIMPLE_SHARE = 0.8  # of the prior that prefers simple exponents, on real series
_SHARE_KNEES = 0.4  # of what is left: so must a knee
_FAMILY_SHARES = (_SHARE_KNEES, _SHARE_TWO_TERMS)
_INVERSE = exponent(-1)

Prior: TypeAlias = str | tuple[tuple[Exponent, float], ...]
"""``uniform``, ``simple``, or a weight per exponent."""

Row: TypeAlias = tuple[tuple[Exponent, ...], bool, int]
"""The terms of a hypothesis, whether a constant stands beside them, and the sharpness of its knee."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchSpace(Hypotheses):
    """H hypotheses of one parameter; the first is the constant alone."""

    constant: BoolArray  # bool[H], whether a constant stands beside the terms
    log_prior: FloatArray  # float64[H], logarithm of the probability before the data

    def without_mixed(self) -> "SearchSpace":
        """Return the space without hypotheses of two growing terms; the others keep their places."""
        return self._only(~self._mixed)

    def without_knees(self) -> "SearchSpace":
        """Return the space of one growing term without a knee; hypotheses keep their places."""
        return self._only(~self._mixed & (self.sharpness == 1))

    @property
    def _mixed(self) -> BoolArray:
        return np.asarray(self.constant & ((self.rows >= 0).sum(axis=1) > 1))

    def _only(self, some: BoolArray) -> "SearchSpace":
        width = int((self.rows[some] >= 0).sum(axis=1).max(initial=1))
        return replace(
            self,
            rows=self.rows[some, :width],
            constant=self.constant[some],
            sharpness=self.sharpness[some],
            log_prior=self.log_prior[some],
        )

    @cached_property
    def falling(self) -> BoolArray:
        """bool[H], whether a hypothesis has a term that falls: only for kernels that do."""
        return self._with_a_term(self._direction < 0)

    @cached_property
    def steep(self) -> BoolArray:
        """bool[H], whether a hypothesis has one of the steep terms."""
        steep = np.array([tuple(row) in _STEEP for row in self.powers[:, 0].tolist()], dtype=np.bool_)
        return np.asarray(self._with_a_term(steep) & (self.sharpness == 1))

    @cached_property
    def growing(self) -> BoolArray:
        """bool[H], whether a hypothesis has a term that grows."""
        return self._with_a_term(self._direction > 0)

    @property
    def _direction(self) -> FloatArray:
        """float64[n], the sign of each term's fastest factor."""
        sign = np.sign(self.powers[:, 0])
        return np.asarray(sign[np.arange(len(sign)), (sign != 0).argmax(axis=1)])

    def _with_a_term(self, some: BoolArray) -> BoolArray:
        """bool[H], whether a hypothesis has one of the terms bool[n]."""
        return np.asarray(np.append(some, False)[self.rows].any(axis=1))

    def log_prior_of(self, falls: BoolArray, steep: bool) -> FloatArray:
        """Return the prior of kernels, float64[K, H]: minus infinity for terms that are not tried."""
        rows = np.stack([(steep | ~self.steep) & (falling | ~self.falling) for falling in (False, True)])
        probability = np.where(rows, np.exp(self.log_prior), 0.0)
        others = probability[:, 1:].sum(axis=1, keepdims=True)
        probability[:, 1:] *= (1 - _SHARE_CONSTANT) / np.where(others > 0, others, 1.0)
        logarithm = np.where(rows, np.log(np.where(rows, probability, 1.0)), -np.inf)
        return np.asarray(logarithm[falls.astype(np.int64)])


@dataclass(frozen=True)
class SpaceChoice:
    """Which families of hypotheses are in the space."""

    steep: bool = False  # exponents above Extra-P's 3, up to 5
    falling: bool = False  # negative exponents, and a share that is divided among the processes: a/p + b * t
    mixed: bool = False  # two growing terms beside the constant
    knees: bool = False  # growth that sets in behind a soft knee; of quantities that cannot be negative


def one_parameter_space(
    options: ModelOptions, smallest: float, choice: SpaceChoice, simple_share: float = SIMPLE_SHARE
) -> SearchSpace:
    """Make the space of hypotheses c0 + c1 t, a/p + b t, (a^s + (b t)^s)^(1/s), and c0 + c1 t1 + c2 t2.

    If the smallest parameter value is below 1 there are no logarithms, which change sign there. A user's own
    exponents leave only the family c0 + c1 t. The prior ``learned`` is ``simple`` by a share; the rest is
    ``uniform``.
    """
    if options.prior == "learned":
        simple, uniform = (
            one_parameter_space(replace(options, prior=prior), smallest, choice)
            for prior in ("simple", "uniform")
        )
        shares = np.log(max(simple_share, 1e-9)), np.log(max(1 - simple_share, 1e-9))
        mixed = np.logaddexp(shares[0] + simple.log_prior, shares[1] + uniform.log_prior)
        return replace(simple, log_prior=mixed)
    prior = options.prior if isinstance(options.prior, str) else tuple(options.prior.items())
    usable = tuple(kind for kind in FACTOR_KINDS if smallest >= kind.least)
    return _space(options.exponents, prior, usable, choice)


@lru_cache(maxsize=32)
def _space(
    exponents: tuple[Exponent, ...] | None, prior: Prior, usable: tuple[FactorKind, ...], choice: SpaceChoice
) -> SearchSpace:
    own = tuple(e for e, _ in prior) if exponents is None and not isinstance(prior, str) else exponents
    families = [
        _allowed(rows, prior, usable)
        for rows in (
            _one_term_rows(own, choice),
            _knee_rows() if choice.knees and own is None else [],
            _two_term_rows() if choice.mixed and own is None else [],
        )
    ]
    shares = [
        0.0,
        *(share if rows else 0.0 for share, rows in zip(_FAMILY_SHARES, families[1:], strict=True)),
    ]
    shares[0] = 1 - sum(shares)
    probability = [
        _shared(rows, prior, (1 - _SHARE_CONSTANT) * share)
        for rows, share in zip(families, shares, strict=True)
    ]
    every = [((), True, 1), *(row for rows in families for row in rows)]
    return _table(every, np.concatenate([np.array([_SHARE_CONSTANT]), *probability]))


def _one_term_rows(own: tuple[Exponent, ...] | None, choice: SpaceChoice) -> list[Row]:
    if own is not None:
        return [((e,), True, 1) for e in own]
    single = tried_exponents() + STEEP_EXPONENTS * choice.steep + FALLING_EXPONENTS * choice.falling
    divided = [(e[0] - 1, *e[1:]) for e in tried_exponents() if e != (1, 0)] * choice.falling
    return [((e,), True, 1) for e in single] + [((_INVERSE, e), False, 1) for e in divided]


def _knee_rows() -> list[Row]:
    return [((e,), True, sharpness) for sharpness in _SHARPNESS for e in _KNEE_EXPONENTS]


def _two_term_rows() -> list[Row]:
    return [((a, b), True, 1) for n, b in enumerate(_MIXED_EXPONENTS) for a in _MIXED_EXPONENTS[:n]]


def _allowed(rows: Iterable[Row], prior: Prior, usable: Collection[FactorKind]) -> list[Row]:
    return [
        (row, constant, sharpness)
        for row, constant, sharpness in rows
        if all(plausibility(e, prior) > 0 and all(kind in usable for kind, _ in factors(e)) for e in row)
    ]


def _shared(rows: Sequence[Row], prior: Prior, share: float) -> FloatArray:
    """Divide a probability among hypotheses; the term divided among processes is not a choice of its own."""
    weight = [
        np.prod([plausibility(e, prior) for e in row if e != _INVERSE or len(row) == 1]) for row, *_ in rows
    ]
    return share * np.array(weight) / max(sum(weight), 1e-300)


def _table(rows: Sequence[Row], probability: FloatArray) -> SearchSpace:
    """Number the terms; those of a knee are raised to its sharpness."""
    powered = [tuple((e[0] * s, *e[1:]) for e in row) for row, _, s in rows]
    terms = {(e,): n for n, e in enumerate(dict.fromkeys(e for row in powered for e in row))}
    hypotheses = np.full((len(rows), max(1, *map(len, powered))), -1, dtype=np.int64)
    for h, row in enumerate(powered):
        hypotheses[h, : len(row)] = [terms[(e,)] for e in row]
    return SearchSpace(
        terms=tuple(terms),
        rows=hypotheses,
        constant=np.array([has_constant for _, has_constant, _ in rows]),
        sharpness=np.array([float(sharpness) for *_, sharpness in rows]),
        log_prior=np.log(probability),
    )


def plausibility(one: Exponent, prior: Prior) -> float:
    """Return the unnormalised prior probability of an exponent."""
    if not isinstance(prior, str):
        return dict(prior).get(one, 0.0)
    return 1.0 if prior == "uniform" else simplicity(one)
