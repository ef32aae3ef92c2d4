"""Which exponents a model of one parameter may have."""

from fractions import Fraction

from pipeline.models.normal_form import Exponent

_POWERS_BY_LOGARITHM = {
    0: "1/4 1/3 1/2 2/3 3/4 4/5 1 5/4 4/3 3/2 5/3 7/4 2 9/4 7/3 5/2 8/3 11/4 3",
    1: "0 1/4 1/3 1/2 2/3 3/4 1 5/4 4/3 3/2 2 5/2 3",
    2: "0 1/4 1/3 1/2 2/3 3/4 1 3/2 2 5/2",
}

EXTRAP_EXPONENTS: tuple[Exponent, ...] = tuple(
    (Fraction(power), j) for j, powers in _POWERS_BY_LOGARITHM.items() for power in powers.split()
)
"""The 42 pairs (i, j) of p^i * log2(p)^j that Extra-P 4 tries for one parameter."""

_STEEP_POWERS_BY_LOGARITHM = {
    0: "13/4 10/3 7/2 11/3 15/4 4 17/4 13/3 9/2 14/3 19/4 5",
    1: "7/2 4 9/2",
    2: "3 7/2 4",
}

STEEP_EXPONENTS: tuple[Exponent, ...] = tuple(
    (Fraction(power), j) for j, powers in _STEEP_POWERS_BY_LOGARITHM.items() for power in powers.split()
)
"""Steeper ones, for edge lengths: n^3 cells times iterations that grow with n, and misses of the caches."""

FALLING_EXPONENTS: tuple[Exponent, ...] = tuple(
    (-Fraction(power), 0) for power in ("1/4", "1/3", "1/2", "2/3", "3/4", "1", "4/3", "3/2", "2")
)
"""For work that is divided among processes, and for surfaces of the parts."""

MIXED_EXPONENTS: tuple[Exponent, ...] = (
    (Fraction(0), 1),
    (Fraction(1), 1),
    *((Fraction(power), 0) for power in ("1/2", "1", "3/2", "2", "3", "4")),
)
"""Of these, two at a time make the models of two growing terms."""
