"""The exponents that factors may have, as arrays, and how plausible each is before any data."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.exponents import EXTRAP_EXPONENTS, FALLING_EXPONENTS, STEEP_EXPONENTS
from pipeline.models.normal_form import NO_EXPONENT, Exponent
from pipeline.models.options import ModelOptions
from pipeline.models.search_space import plausibility

_Prior = str | tuple[tuple[Exponent, float], ...]


@dataclass(frozen=True, eq=False)
class ExponentTable:
    """n exponents (i, j) of x^i * log2(x)^j.

    Attributes:
        exponents: the pairs; the first is `NO_EXPONENT`.
        power, logarithm: float64[n], i and j.
        weight: float64[n], prior weight; they need not sum to 1.
        optional: bool[n], tried only where the data call for it: negative powers, and powers above 3.
    """

    exponents: tuple[Exponent, ...]
    power: FloatArray
    logarithm: FloatArray
    weight: FloatArray
    optional: BoolArray

    @property
    def growing(self) -> BoolArray:
        """bool[n], whether the factor grows without end."""
        growing: BoolArray = (self.power > 0) | ((self.power == 0) & (self.logarithm > 0))
        return growing

    def take(self, places: IntArray) -> "ExponentTable":
        """Return some of the exponents."""
        return ExponentTable(
            tuple(self.exponents[n] for n in places.tolist()),
            self.power[places],
            self.logarithm[places],
            self.weight[places],
            self.optional[places],
        )


def exponent_table(options: ModelOptions) -> ExponentTable:
    """Return all exponents that could be tried.

    With several parameters the combinations of odd exponents would drown the simple ones by their number
    alone, so the prior ``uniform`` means the even mixture of uniform and simple weights here: at worst half
    of what either would give.
    """
    prior = options.prior if isinstance(options.prior, str) else tuple(options.prior.items())
    return _table(options.exponents, prior)


@lru_cache(maxsize=8)
def _table(own: tuple[Exponent, ...] | None, prior: _Prior) -> ExponentTable:
    asked = own if own is not None or isinstance(prior, str) else tuple(e for e, _ in prior)
    optional = frozenset(FALLING_EXPONENTS + STEEP_EXPONENTS) if asked is None else frozenset()
    every = asked if asked is not None else EXTRAP_EXPONENTS + FALLING_EXPONENTS + STEEP_EXPONENTS
    exponents = tuple(dict.fromkeys((NO_EXPONENT, *every)))
    return ExponentTable(
        exponents,
        np.array([float(i) for i, _ in exponents]),
        np.array([float(j) for _, j in exponents]),
        _weights(exponents, prior),
        np.array([e in optional for e in exponents]),
    )


def _weights(exponents: tuple[Exponent, ...], prior: _Prior) -> FloatArray:
    if not isinstance(prior, str):
        given = dict(prior)
        return np.array([given.get(e, 0.0) for e in exponents])
    simple = np.array([plausibility(e, "simple") for e in exponents])
    simple /= simple.sum()
    return simple if prior == "simple" else (simple + 1 / len(exponents)) / 2
