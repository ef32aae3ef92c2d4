"""Exponents of a parameter in a term. Options name some, so nothing heavy is imported here."""

from fractions import Fraction
from typing import TypeAlias

Exponent: TypeAlias = tuple[Fraction | int, ...]
"""(i, j) of p^i * log2(p)^j, and so on through `FACTOR_KINDS`; (0, 0) if the parameter does not occur."""

ALWAYS_GIVEN = 2  # exponents, those of p and log2(p); zeros behind them are left out
NO_EXPONENT: Exponent = (Fraction(0), 0)


def exponent(power: Fraction | float | str, *others: float | str) -> Exponent:
    """Make an exponent from anything that reads as numbers: ``exponent("3/2", 1)``.

    Raises:
        ValueError, ZeroDivisionError: something does not.
    """
    found = [int(other) for other in others] + [0] * (ALWAYS_GIVEN - 1 - len(others))
    while len(found) >= ALWAYS_GIVEN and found[-1] == 0:
        found.pop()
    return (Fraction(power), *found)
