"""The performance model normal form: c0 + sum of c_k * product over parameters of p^i * log2(p)^j.

Calotoiu et al., "Using automated performance modeling to find scalability bugs in complex codes", SC 2013,
equation 1. Exponents are exact fractions, so that two models are the same exactly when their terms are.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray

Exponent: TypeAlias = tuple[Fraction, int]
"""(i, j) of p^i * log2(p)^j; (0, 0) if the parameter does not occur."""

Term: TypeAlias = tuple[Exponent, ...]
"""One exponent per parameter."""

Hypothesis: TypeAlias = tuple[Term, ...]
"""The terms beside the constant, none for the constant model."""

NO_EXPONENT: Exponent = (Fraction(0), 0)


def term(*exponents: tuple[Fraction | int | float | str, int]) -> Term:
    """Make a term from anything that reads as fractions, one pair per parameter: ``term(("3/2", 1))``."""
    return tuple((Fraction(i), int(j)) for i, j in exponents)


def term_values(terms: Sequence[Term], points: FloatArray) -> FloatArray:
    """Evaluate terms without their coefficients.

    Args:
        terms: n terms of D exponents each.
        points: float64[Q, D], positive parameter values.

    Returns:
        float64[Q, n].
    """
    powers = np.array([[float(i) for i, _ in t] for t in terms], dtype=np.float64)
    logs = np.array([[j for _, j in t] for t in terms], dtype=np.float64)
    shape = (len(terms), points.shape[1])
    powers, logs = powers.reshape(shape), logs.reshape(shape)
    factors = points[:, None, :] ** powers * np.log2(points)[:, None, :] ** logs
    product: FloatArray = factors.prod(axis=2)
    return product


def factor_text(parameter: str, exponent: Exponent) -> str:
    """Return ``p^(3/2) * log2(p)``; empty if the parameter does not occur."""
    i, j = exponent
    power = "" if i == 0 else parameter if i == 1 else f"{parameter}^{_bracketed(i)}"
    logarithm = "" if j == 0 else f"log2({parameter})" if j == 1 else f"log2({parameter})^{_bracketed(j)}"
    return " * ".join(part for part in (power, logarithm) if part)


def _bracketed(number: Fraction | int) -> str:
    text = str(number)
    return text if text.isdecimal() else f"({text})"


@lru_cache(maxsize=4096)  # many kernels, few terms
def term_text(parameters: tuple[str, ...], one: Term) -> str:
    """Return the product of a term's factors, ``1`` for the empty product."""
    factors = (factor_text(name, e) for name, e in zip(parameters, one, strict=True))
    return " * ".join(text for text in factors if text) or "1"


def formula_text(
    parameters: tuple[str, ...], constant: float, terms: Sequence[tuple[float, Term]], sharpness: int = 1
) -> str:
    """Return a model as people write it: ``12.1 + 0.034 * p^(3/2) * log2(p)``, four significant digits.

    A soft knee is ``(12.1^4 + (0.034 * n)^4)^(1/4)``.

    Terms with a coefficient of exactly zero are left out, as is a zero constant beside other terms.
    """
    rising = [(c, t) for c, t in terms if c != 0]
    if sharpness != 1 and constant != 0 and rising:
        inside = " + ".join(f"({c:.4g} * {term_text(parameters, t)})^{sharpness}" for c, t in rising)
        return f"({constant:.4g}^{sharpness} + {inside})^(1/{sharpness})"
    parts = [(c, f"{abs(c):.4g} * {term_text(parameters, t)}") for c, t in rising]
    if constant != 0 or not parts:
        parts.insert(0, (constant, f"{abs(constant):.4g}"))
    first, text = parts[0]
    rest = "".join(f" {'-' if c < 0 else '+'} {body}" for c, body in parts[1:])
    return f"{'-' if first < 0 else ''}{text}{rest}"


def dominates(one: Term, other: Term) -> bool:
    """Tell whether a term grows at least as fast as another along every parameter."""
    return all(a >= b for a, b in zip(one, other, strict=True))


def leading_terms(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return the terms that no other term dominates; with one parameter the single fastest one.

    Terms that only fall (every exponent below zero) lead nowhere: the constant outlives them.
    """
    nothing = (NO_EXPONENT,) * (len(terms[0]) if terms else 0)
    growing = [t for t in dict.fromkeys(terms) if not dominates(nothing, t)]
    return tuple(t for t in growing if not any(o != t and dominates(o, t) for o in growing))


def growth_text(parameters: tuple[str, ...], terms: Sequence[Term]) -> str:
    """Return the leading behaviour: ``1``, ``log2(p)``, ``p^(3/2)``, ``x^2 + y``."""
    return " + ".join(term_text(parameters, t) for t in leading_terms(terms)) or "1"


def exponents_of(parameters: Sequence[str], one: Term) -> Mapping[str, Exponent]:
    """Return the exponents of the parameters that occur in a term, by name."""
    return {n: e for n, e in zip(parameters, one, strict=True) if e != NO_EXPONENT}
