"""Units and quantities: text such as ``"195 us +- 0.4 %"`` becomes a value in SI units, with joint draws.

Everything inside this package is in seconds, bytes and flop (and their quotients); units exist only where
text is read or shown. Counts have no dimension; cores have one, so that effort in core-seconds cannot pass
for the time that a run takes. Ensembles, joint draws of uncertain values, are the one form that every
uncertainty takes: one for all parameters of a fit, one for a value of a machine, each from its own stream.
"""

import math
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError, located

_BASES = ("s", "B", "flop", "core")


@dataclass(frozen=True)
class Dimension:
    """Exponents of seconds, bytes, floating-point operations and cores."""

    seconds: Fraction = Fraction(0)
    bytes: Fraction = Fraction(0)
    flop: Fraction = Fraction(0)
    cores: Fraction = Fraction(0)

    @property
    def exponents(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """The exponents in the order of the fields."""
        return self.seconds, self.bytes, self.flop, self.cores

    def __mul__(self, other: "Dimension") -> "Dimension":
        return Dimension(*(a + b for a, b in zip(self.exponents, other.exponents, strict=True)))

    def __truediv__(self, other: "Dimension") -> "Dimension":
        return self * other ** Fraction(-1)

    def __pow__(self, power: Fraction) -> "Dimension":
        return Dimension(*(a * power for a in self.exponents))

    def __str__(self) -> str:
        """Return the SI unit, such as ``B/s`` or ``core-s``, or ``no unit``."""
        if self == CORE_TIME:
            return "core-s"
        above = [_power(base, e) for base, e in zip(_BASES, self.exponents, strict=True) if e > 0]
        below = [_power(base, -e) for base, e in zip(_BASES, self.exponents, strict=True) if e < 0]
        if not above and not below:
            return "no unit"
        return "/".join(["*".join(above) or "1", *below])


def _power(base: str, exponent: Fraction) -> str:
    return base if exponent == 1 else f"{base}^{exponent}"


NONE = Dimension()


def unit_text(dimension: Dimension) -> str:
    """Return the SI unit, empty for none."""
    return "" if dimension == NONE else str(dimension)


TIME = Dimension(seconds=Fraction(1))
BYTES = Dimension(bytes=Fraction(1))
FLOP = Dimension(flop=Fraction(1))
CORES = Dimension(cores=Fraction(1))
CORE_TIME = CORES * TIME
RATE = NONE / TIME
BANDWIDTH = BYTES / TIME
FLOP_RATE = FLOP / TIME

_COUNTS = ("1", "cycle", "site", "element", "op", "instruction", "iteration", "occ")
_UNITS: dict[str, tuple[float, Dimension]] = {
    **dict.fromkeys(_COUNTS, (1.0, NONE)),
    **dict.fromkeys(("core", "process", "rank"), (1.0, CORES)),
    **dict.fromkeys(("s", "sec"), (1.0, TIME)),
    **{"ms": (1e-3, TIME), "us": (1e-6, TIME), "µs": (1e-6, TIME), "ns": (1e-9, TIME)},
    **{"min": (60.0, TIME), "h": (3600.0, TIME)},
    **{f"{prefix}B": (10.0**power, BYTES) for prefix, power in (("", 0), ("k", 3), ("M", 6), ("G", 9))},
    **{f"{prefix}iB": (1024.0**power, BYTES) for prefix, power in (("K", 1), ("M", 2), ("G", 3), ("T", 4))},
    **{"TB": (1e12, BYTES), "%": (0.01, NONE)},
    **{f"{p}flop": (10.0**n, FLOP) for p, n in (("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15))},
    **{f"{prefix}Hz": (10.0**power, RATE) for prefix, power in (("", 0), ("k", 3), ("M", 6), ("G", 9))},
}
MOST_SPREAD = 10.0  # standard deviation as a fraction of the value
_FACTOR = re.compile(r"(?P<name>[A-Za-zµ]+|1|%)(?:\^(?P<power>-?\d+))?")
_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_QUANTITY = re.compile(
    rf"\s*(?P<value>{_NUMBER})\s*(?P<unit>[A-Za-zµ1%][^\s+]*)?\s*(?:(?:\+-|±)\s*(?P<spread>{_NUMBER})\s*%)?\s*"
)


def parse_unit(text: str) -> tuple[float, Dimension]:
    """Return the factor to SI and the dimension of a unit such as ``us/B``; no text means a plain number.

    Raises:
        UsageError: a part of it is not a known unit.
    """
    factor, dimension = 1.0, NONE
    sign = 1
    for part in re.split(r"([*/]|(?<!\^)-)", text.strip() or "1"):
        if part in ("*", "-", "/"):
            sign = -1 if part == "/" else 1
            continue
        match = _FACTOR.fullmatch(part.strip())
        if match is None or match["name"] not in _UNITS:
            known = "s, us, B, kB, MiB, flop, GHz, core, cycle and similar, and quotients such as GB/s"
            raise UsageError(f"'{text}' is not a known unit", hint=f"units are {known}")
        scale, base = _UNITS[match["name"]]
        power = sign * int(match["power"] or 1)
        factor *= scale**power
        dimension *= base ** Fraction(power)
    return factor, dimension


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A value in SI units and how well it is known.

    Attributes:
        value: in seconds, bytes, flop and their quotients.
        relative_sd: standard deviation as a fraction of the value, 0 if it is taken as exact.
        note: a sentence to show whenever the value is used, for example that it is a guess; may be empty.
        factor: value in SI units of one of the unit it was written in.
    """

    value: float
    dimension: Dimension = NONE
    relative_sd: float = 0.0
    note: str = ""
    factor: float = 1.0


def parse_quantity(given: object, *, where: str = "") -> Quantity:
    """Return the quantity that a number, a text or a table ``{value = ..., note = ...}`` states.

    Raises:
        UsageError: it is none of these or not finite, or its unit is unknown.
    """
    if isinstance(given, dict):
        return _from_table(given, where)
    if isinstance(given, int | float) and not isinstance(given, bool):
        return _finite(Quantity(value=float(given)), where)
    match = _QUANTITY.fullmatch(" ".join(given.split())) if isinstance(given, str) else None
    if match is None:
        hint = 'write a number or a text such as "195 us +- 0.4 %"'
        raise UsageError(f"'{given}' is not a quantity", where=where, hint=hint)
    with located(where):
        factor, dimension = parse_unit(match["unit"] or "")
    spread = abs(float(match["spread"] or 0.0)) / 100
    value = float(match["value"]) * factor
    return _finite(Quantity(value=value, dimension=dimension, relative_sd=spread, factor=factor), where)


def stated(
    given: object, dimension: Dimension, where: str, wrong: tuple[str, str], accepts: Callable[[float], bool]
) -> float:
    """Return the value of a stated quantity in SI units.

    Args:
        given: a number, a text or a table, as of `parse_quantity`.
        wrong: what is wrong, and a hint, if it has another dimension or its value is not accepted.

    Raises:
        UsageError: it is not so, or no quantity.
    """
    quantity = parse_quantity(given, where=where)
    if quantity.dimension != dimension or not accepts(quantity.value):
        raise UsageError(wrong[0], where=where, hint=wrong[1])
    return quantity.value


def require_dimension(quantity: Quantity, dimension: Dimension, key: str, where: str) -> Quantity:
    """Return a quantity that has a dimension.

    Raises:
        UsageError: it has another.
    """
    if quantity.dimension != dimension:
        what = f"unit mismatch: '{key}' has to be in {dimension}, it is in {quantity.dimension}"
        raise UsageError(what, where=where, hint="correct its unit")
    return quantity


def _from_table(table: dict[str, object], where: str) -> Quantity:
    extra = set(table) - {"value", "note"}
    if "value" not in table or extra or isinstance(table["value"], dict):
        raise UsageError(
            "a quantity written as a table holds 'value' and, optionally, 'note'",
            where=where,
            hint=f"remove {', '.join(sorted(extra))}" if extra else "give its 'value'",
        )
    read = parse_quantity(table["value"], where=where)
    return replace(read, note=str(table.get("note", "")))


def _finite(quantity: Quantity, where: str) -> Quantity:
    if not (math.isfinite(quantity.value) and math.isfinite(quantity.relative_sd)):
        raise UsageError("a quantity has to be finite", where=where, hint="correct the number")
    if quantity.relative_sd > MOST_SPREAD:
        what = f"a spread of {100 * quantity.relative_sd:.3g} % says nothing"
        raise UsageError(what, where=where, hint=f"state at most {100 * MOST_SPREAD:.0f} %")
    return quantity


DRAWS = 1000


@dataclass(frozen=True, eq=False, kw_only=True)
class Ensemble:
    """Joint draws of named values.

    Attributes:
        estimate: float64[k], the best values, SI units.
        draws: float64[draw, k], joint draws around them.
        rivals: True if the draws come from rival formulas: no single row is best then, and predictions take
            the median over the draws as their value.
    """

    names: tuple[str, ...]
    estimate: FloatArray
    draws: FloatArray
    notices: tuple[str, ...] = ()
    rivals: bool = False


def stream(*keys: str | bytes) -> np.random.Generator:
    """Return the random stream that belongs to these keys: repeatable, and independent of other keys'."""
    codes = [zlib.crc32(key.encode() if isinstance(key, str) else key) for key in keys]
    return np.random.default_rng(codes)


def from_quantities(values: Mapping[str, Quantity]) -> Ensemble:
    """Return an ensemble of independent values, log-normal if a relative deviation is stated.

    Log-normal keeps times and bandwidths positive; the median is the value itself.
    """
    return Ensemble(
        names=tuple(values),
        estimate=np.array([quantity.value for quantity in values.values()]),
        draws=np.column_stack([_column(name, quantity) for name, quantity in values.items()]),
        notices=tuple(dict.fromkeys(quantity.note for quantity in values.values() if quantity.note)),
    )


def _column(name: str, quantity: Quantity) -> FloatArray:
    if quantity.relative_sd == 0.0:
        return np.full(DRAWS, quantity.value)
    sigma = np.sqrt(np.log1p(quantity.relative_sd**2))
    factors: FloatArray = np.exp(sigma * stream(name).standard_normal(DRAWS))
    return quantity.value * factors


def columns(ensembles: Sequence[Ensemble]) -> dict[str, tuple[float, FloatArray]]:
    """Return estimate and draws (float64[draw]) of every name, all with the same number of draws.

    Raises:
        UsageError: two ensembles bind one name to different values.
    """
    length = max((len(e.draws) for e in ensembles), default=1)
    found: dict[str, tuple[float, FloatArray]] = {}
    for ensemble in dict.fromkeys(ensembles):
        rows = np.arange(length) % len(ensemble.draws)
        for k, name in enumerate(ensemble.names):
            column = ensemble.draws[rows, k]
            if name in found and not np.array_equal(found[name][1], column):
                hint = "rename one before composing"
                raise UsageError(f"'{name}' is bound to two different values", hint=hint)
            found[name] = (float(ensemble.estimate[k]), column)
    return found
