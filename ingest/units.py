"""Units: text such as ``"195 us +- 0.4 %"``, ``90sec`` or ``4gb`` becomes a value in SI units.

Everything inside is in seconds, bytes, flop and joules (and their quotients); units exist only where text is
read or shown. Counts have no dimension; cores have one, so that effort in core-seconds cannot pass for time.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from ingest.errors import UsageError, located

_BASES = ("s", "B", "flop", "core", "J")


@dataclass(frozen=True)
class Dimension:
    """Exponents of seconds, bytes, floating-point operations, cores and joules."""

    seconds: Fraction = Fraction(0)
    bytes: Fraction = Fraction(0)
    flop: Fraction = Fraction(0)
    cores: Fraction = Fraction(0)
    joules: Fraction = Fraction(0)

    @property
    def exponents(self) -> tuple[Fraction, ...]:
        """The exponents in the order of the fields."""
        return self.seconds, self.bytes, self.flop, self.cores, self.joules

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


TIME_DIMENSION = Dimension(seconds=Fraction(1))
BYTES = Dimension(bytes=Fraction(1))
FLOP = Dimension(flop=Fraction(1))
CORES = Dimension(cores=Fraction(1))
CORE_TIME = CORES * TIME_DIMENSION
JOULE = Dimension(joules=Fraction(1))
RATE = NONE / TIME_DIMENSION
BANDWIDTH = BYTES / TIME_DIMENSION
FLOP_RATE = FLOP / TIME_DIMENSION

_COUNTS = "1 cycle site element op instruction iteration occ"
_NAMES: Mapping[Dimension, Mapping[float, str]] = {
    NONE: {1.0: _COUNTS, 0.01: "%"},
    CORES: {1.0: "core process rank"},
    TIME_DIMENSION: {
        86400.0: "d day days",
        3600.0: "h hr hrs hour hours",
        60.0: "min mins minute minutes",
        1.0: "s sec secs second seconds",
        1e-3: "ms msec msecs msecond millisec millisecs millisecond milliseconds",
        1e-6: "us µs μs usec usecs usecond microsec microsecs microsecond microseconds",
        1e-9: "ns nsec nsecs nsecond nanosec nanosecs nanosecond nanoseconds",
    },
    BYTES: {
        **{1.0: "B byte bytes", 1e3: "kB KB", 1e6: "MB", 1e9: "GB", 1e12: "TB"},
        **{2.0**10: "KiB", 2.0**20: "MiB", 2.0**30: "GiB", 2.0**40: "TiB"},
    },
    FLOP: {1.0: "flop", 1e3: "kflop", 1e6: "Mflop", 1e9: "Gflop", 1e12: "Tflop", 1e15: "Pflop"},
    RATE: {1.0: "Hz", 1e3: "kHz", 1e6: "MHz", 1e9: "GHz"},
    JOULE: {
        **{1e-9: "nJ", 1e-6: "uJ µJ μJ", 1e-3: "mJ", 1.0: "J joule joules", 1e3: "kJ", 1e6: "MJ", 1e9: "GJ"},
        **{3.6e3: "Wh", 3.6e6: "kWh", 3.6e9: "MWh"},
    },
}
"""All units but products and quotients: their names by their size in SI units."""

_UNITS = {
    name: (size, dimension)
    for dimension, sizes in _NAMES.items()
    for size, names in sizes.items()
    for name in names.split()
}
_ANY_CASE = {name.lower(): unit for name, unit in _UNITS.items() if name not in ("mJ", "MJ")}

SECONDS: Mapping[str, float] = {
    "core-s": 1.0,
    **{name: size for name, (size, dimension) in _UNITS.items() if dimension == TIME_DIMENSION},
}
"""Seconds per unit of time, in lower case."""

NANOSECOND, MICROSECOND = SECONDS["ns"], SECONDS["us"]

IN_A_SECOND: Mapping[str, float] = {
    unit: float(round(1 / seconds)) for unit, seconds in SECONDS.items() if seconds <= 1
}
"""How many of a unit are in a second: quotients by these whole numbers are rounded only once."""

MOST_SPREAD = 10.0  # standard deviation as a fraction of the value
_FACTOR = re.compile(r"(?P<name>[A-Za-zµμ]+|1|%)(?:\^(?P<power>-?\d+))?")
_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_QUANTITY = re.compile(
    rf"\s*(?P<value>{_NUMBER})\s*(?P<unit>[A-Za-zµμ1%][^\s+]*)?\s*(?:(?:\+-|±)\s*(?P<spread>{_NUMBER})\s*%)?\s*"
)


def unit_named(name: str) -> tuple[float, Dimension] | None:
    """Return a unit by its name, also in letters of one case unless that has another meaning, as Gb has."""
    size = len(name)
    alike = (size > 1 and name.islower()) or (size > 2 and name.isupper()) or (size > 3 and name.istitle())
    return _UNITS.get(name) or (_ANY_CASE.get(name.lower()) if alike else None)


def parse_unit(text: str) -> tuple[float, Dimension]:
    """Return the factor to SI and the dimension of a unit such as ``us/B``; no text means a plain number."""
    factor, dimension = 1.0, NONE
    sign = 1
    for part in re.split(r"([*/]|(?<!\^)-)", text.strip() or "1"):
        if part in ("*", "-", "/"):
            sign = -1 if part == "/" else 1
            continue
        match = _FACTOR.fullmatch(part.strip())
        unit = match and unit_named(match["name"])
        if match is None or unit is None:
            known = "s, us, B, kB, MiB, flop, GHz, core, cycle and similar, and quotients such as GB/s"
            raise UsageError(f"'{text}' is not a known unit", hint=f"units are {known}")
        scale, base = unit
        power = sign * int(match["power"] or 1)
        factor *= scale**power
        dimension *= base ** Fraction(power)
    return factor, dimension


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A value in SI units and how well it is known."""

    value: float  # in seconds, bytes, flop and their quotients
    dimension: Dimension = NONE
    relative_sd: float = 0.0  # standard deviation as a fraction of the value, 0 if it is taken as exact
    # a sentence to show whenever the value is used, for example that it is a guess; may be empty
    note: str = ""
    factor: float = 1.0  # value in SI units of one of the unit it was written in


def parse_quantity(given: object, *, where: str = "") -> Quantity:
    """Return the quantity that a number, a text or a table ``{value = ..., note = ...}`` states."""
    if isinstance(given, dict):
        extra = set(given) - {"value", "note"}
        if "value" not in given or extra or isinstance(given["value"], dict):
            raise UsageError(
                "a quantity written as a table holds 'value' and, optionally, 'note'",
                where=where,
                hint=f"remove {', '.join(sorted(extra))}" if extra else "give its 'value'",
            )
        read = parse_quantity(given["value"], where=where)
        return replace(read, note=str(given.get("note", "")))
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
    """Return the value of a stated quantity, see `parse_quantity`, in SI units.

    `wrong` is what is wrong, and a hint, if it has another dimension or its value is not accepted.
    """
    quantity = parse_quantity(given, where=where)
    if quantity.dimension != dimension or not accepts(quantity.value):
        raise UsageError(wrong[0], where=where, hint=wrong[1])
    return quantity.value


def require_dimension(quantity: Quantity, dimension: Dimension, key: str, where: str) -> Quantity:
    """Return a quantity that has a dimension; UsageError if it has another."""
    if quantity.dimension != dimension:
        what = f"unit mismatch: '{key}' has to be in {dimension}, it is in {quantity.dimension}"
        raise UsageError(what, where=where, hint="correct its unit")
    return quantity


def _finite(quantity: Quantity, where: str) -> Quantity:
    if not (math.isfinite(quantity.value) and math.isfinite(quantity.relative_sd)):
        raise UsageError("a quantity has to be finite", where=where, hint="correct the number")
    if quantity.relative_sd > MOST_SPREAD:
        what = f"a spread of {100 * quantity.relative_sd:.3g} % says nothing"
        raise UsageError(what, where=where, hint=f"state at most {100 * MOST_SPREAD:.0f} %")
    return quantity


def parse_positive(
    text: str, dimension: Dimension, what: str, hint: str, *, unit: str = "", where: str = ""
) -> float:
    """Return a number times its unit in SI units, also without a blank between them.

    One without a unit is of `unit`; by default that is an error.
    """
    match = _QUANTITY.fullmatch(" ".join(text.split()))
    if match is None or match["spread"] or not 0 < float(match["value"]) < math.inf:
        raise UsageError(f"invalid {what} '{text}'", where=where, hint=hint)
    unit = match["unit"] or unit
    if not unit:
        raise UsageError(f"'{text}' has no unit", where=where, hint=hint)
    return float(match["value"]) * size_of(unit, dimension, hint, where=where)


def size_of(unit: str, dimension: Dimension, hint: str, *, where: str) -> float:
    """Return the size of a unit of a dimension in SI units; UsageError if it is none."""
    try:
        size, found = parse_unit(unit)
    except UsageError:
        found = None
    if found != dimension:
        raise UsageError(f"unknown unit '{unit}'", where=where, hint=hint)
    return size


RATE_METRIC = "rate"
"""What a run states under this name is the rate that it was timed by, such as ``ns/day``."""

UNITS_OF_WORK = "units of work"
"""The attribute with how many units a run did, ``ns``; without it, its times are those of one unit."""

_QUOTIENT = re.compile(r"^(?P<work>.*\S)\s*(?:/|\bper\b)\s*(?P<period>[a-zµμ]+)$", re.IGNORECASE)
_PER_SECOND = re.compile(r"^(?:[kmgtp]?flops|[mg]lups|[kmgt]teps|[mgt]cups)$", re.IGNORECASE)
_PER_DAY = re.compile(r"^sypd$", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class WorkRate:
    """How a rate counts."""

    text: str  # as it is written, ``ns/day``
    seconds: float  # of its period; over the rate they are the time of one unit of work
    work: str = ""  # what is counted, ``ns``; empty if the name of the rate says it


def work_rate(text: str) -> WorkRate | None:
    """Return the rate that a unit or a name stands for: ``tokens/s``, ``steps_per_second``, ``MLUPS``.

    None if it is none: a time over something is a time.
    """
    spaced = " ".join(text.replace("_", " ").split())
    if _PER_SECOND.match(spaced):
        return WorkRate(text=text, seconds=1.0)
    if _PER_DAY.match(spaced):
        return WorkRate(text=text, seconds=SECONDS["day"])
    match = _QUOTIENT.match(spaced)
    if match is None or match["period"].lower() not in SECONDS:
        return None
    return WorkRate(text=text, seconds=SECONDS[match["period"].lower()], work=match["work"])
