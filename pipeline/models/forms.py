"""The performance model normal form: c0 + sum of c_k * product over parameters of p^i * log2(p)^j.

Calotoiu et al., "Using automated performance modeling to find scalability bugs in complex codes", SC 2013,
equation 1. What may be a factor beside powers is decided by the rows of `FACTOR_KINDS` alone: how a factor is
evaluated, written and stored, which exponents are tried, and how plausible they are. Exponents are exact, so
that two models are the same exactly when their terms are.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.options import NO_EXPONENT, Exponent, exponent

Term: TypeAlias = tuple[Exponent, ...]
"""One exponent per parameter."""

Hypothesis: TypeAlias = tuple[Term, ...]
"""The terms beside the constant, none for the constant model."""


def term(*exponents: tuple[Any, ...]) -> Term:
    """Make a term from one exponent per parameter: ``term(("3/2", 1), (0, 0))``."""
    return tuple(exponent(*one) for one in exponents)


def stored_exponent(one: Exponent) -> list[str | int]:
    """Return what JSON holds of an exponent, ``["3/2", 1]``; `exponent` reads it."""
    return [str(one[0]), *(int(other) for other in one[1:])]


def with_powers(powers: str, *others: int) -> tuple[Exponent, ...]:
    """Return exponents with these powers, the others the same for all: ``with_powers("0 1/2 1", 1)``."""
    return tuple(exponent(power, *others) for power in powers.split())


def _steps_of_power(power: float | Fraction) -> float:
    fineness = {1: 0.0, 2: 2.0, 3: 3.0, 4: 5.0}.get(Fraction(power).denominator, 7.0)
    return fineness + max(0.0, abs(float(power)) - 1)


@dataclass(frozen=True, eq=False, kw_only=True)
class FactorKind:
    """A function of one parameter whose powers are factors of terms.

    Texts are templates of a parameter's ``{name}`` and the ``{power}`` behind it, empty for the first one.
    """

    # the function of a parameter, or of an array of them, and of what takes a logarithm to base 2
    value: Callable[[Any, Callable[[Any], Any]], Any]
    # smallest parameter value at which the function is not negative, so that the factor is tried
    least: float
    text: str  # as people write it
    latex: str  # for the math mode of LaTeX
    python: str  # as an expression of numpy
    tried: tuple[Exponent, ...]  # the exponents that are tried for its sake
    # how often an exponent halves the probability that the prior ``simple`` gives
    steps: Callable[[Any], float]


FACTOR_KINDS: tuple[FactorKind, ...] = (
    FactorKind(
        value=lambda p, log2: p,
        least=0.0,
        text="{name}{power}",
        latex="{name}{power}",
        python="{name}{power}",
        tried=with_powers("1/4 1/3 1/2 2/3 3/4 4/5 1 5/4 4/3 3/2 5/3 7/4 2 9/4 7/3 5/2 8/3 11/4 3"),
        steps=_steps_of_power,
    ),
    FactorKind(
        value=lambda p, log2: log2(p),
        least=1.0,
        text="log2({name}){power}",
        latex=r"\log_{{2}}{power}({name})",
        python="np.log2({name}){power}",
        tried=(
            *with_powers("0 1/4 1/3 1/2 2/3 3/4 1 5/4 4/3 3/2 2 5/2 3", 1),
            *with_powers("0 1/4 1/3 1/2 2/3 3/4 1 3/2 2 5/2", 2),
        ),
        steps=lambda logarithms: (0.0, 1.5, 4.0)[min(logarithms, 2)],
    ),
)
"""All kinds of factors, the fastest growing first; their order is that of the numbers in an exponent."""


def tried_exponents() -> tuple[Exponent, ...]:
    """Return the exponents that are tried for one parameter: the 42 of Extra-P 4, and those of more kinds."""
    return tuple(dict.fromkeys(one for kind in FACTOR_KINDS for one in kind.tried))


def factors(one: Exponent) -> list[tuple[FactorKind, Fraction | int]]:
    """Return the factors of an exponent with their powers; none if the parameter does not occur."""
    return [(kind, power) for kind, power in zip(FACTOR_KINDS, one, strict=False) if power != 0]


def least_value(one: Exponent) -> float:
    """Return the smallest parameter value from which an exponent is tried."""
    return max((kind.least for kind, _ in factors(one)), default=0.0)


def simplicity(one: Exponent) -> float:
    """Return the unnormalised probability of an exponent by the prior ``simple``.

    It halves with every step away from what algorithms and collectives are known to cost: two steps for half
    powers, three for thirds, five for quarters, seven for finer ones; one and a half for a logarithm, four
    for its square; and one for every power above the first.
    """
    return float(2.0 ** -sum(kind.steps(power) for kind, power in factors(one)))


def powers_of(exponents: Sequence[Exponent]) -> FloatArray:
    """Return the powers of all kinds, float64[n, `FACTOR_KINDS`]."""
    absent = [0.0] * len(FACTOR_KINDS)
    powers = ([a / b for a, b in (power.as_integer_ratio() for power in one)] for one in exponents)
    rows = [(row + absent)[: len(absent)] for row in powers]  # float() of a fraction takes ten times as long
    return np.array(rows, dtype=np.float64).reshape(-1, len(absent))


def kind_values(kind: FactorKind, points: FloatArray) -> FloatArray:
    """Evaluate the function of a kind at parameter values of any shape; not finite where it has no value."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(kind.value(points, np.log2))


def term_values(terms: Sequence[Term], points: FloatArray) -> FloatArray:
    """Evaluate n terms, without coefficients, at positive points float64[Q, D]: float64[Q, n]."""
    return values_of_powers(powers_of_terms(terms), points)


def powers_of_terms(terms: Sequence[Term]) -> FloatArray:
    """Return the powers of n terms, float64[n, D, `FACTOR_KINDS`]."""
    powers = powers_of([one for t in terms for one in t])
    return powers.reshape(len(terms), len(terms[0]) if terms else 1, len(FACTOR_KINDS))


def values_of_powers(powers: FloatArray, points: FloatArray) -> FloatArray:
    """Do what `term_values` does, from the `powers_of_terms`."""
    product = points[:, None, :] ** powers[..., 0]
    for place, kind in enumerate(FACTOR_KINDS[1:], 1):
        if powers[..., place].any():
            product = product * kind_values(kind, points)[:, None, :] ** powers[..., place]
    return np.asarray(product.prod(axis=2))


def _dominates(one: Term, other: Term) -> bool:
    """Tell whether a term grows at least as fast as another along every parameter."""
    return all(a >= b for a, b in zip(one, other, strict=True))


def leading_terms(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return the terms that no other term dominates; with one parameter the single fastest one.

    Terms that only fall (every exponent below zero) lead nowhere: the constant outlives them.
    """
    nothing = (NO_EXPONENT,) * (len(terms[0]) if terms else 0)
    growing = [t for t in dict.fromkeys(terms) if not _dominates(nothing, t)]
    return tuple(t for t in growing if not any(o != t and _dominates(o, t) for o in growing))


def exponents_of(parameters: Sequence[str], one: Term) -> Mapping[str, Exponent]:
    """Return the exponents of the parameters that occur in a term, by name."""
    return {n: e for n, e in zip(parameters, one, strict=True) if e != NO_EXPONENT}
