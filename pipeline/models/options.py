"""How models are to be fitted."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, TypeAlias

from ingest.errors import UsageError
from ingest.options import option
from ingest.toml_table import TomlTable, read_toml

Exponent: TypeAlias = tuple[Fraction | int, ...]
"""(i, j) of p^i * log2(p)^j, and so on through `FACTOR_KINDS`; (0, 0) if the parameter does not occur."""

_ALWAYS_GIVEN = 2  # exponents, those of p and log2(p); zeros behind them are left out
NO_EXPONENT: Exponent = (Fraction(0), 0)


def exponent(power: Fraction | float | str, *others: float | str) -> Exponent:
    """Make an exponent from anything that reads as numbers: ``exponent("3/2", 1)``."""
    found = [int(other) for other in others] + [0] * (_ALWAYS_GIVEN - 1 - len(others))
    while len(found) >= _ALWAYS_GIVEN and found[-1] == 0:
        found.pop()
    return (Fraction(power), *found)


MIN_EFFICIENCY = 0.75  # what computing centres ask of proposals

_NAMED_PRIORS: tuple[Literal["learned", "uniform", "simple"], ...] = ("learned", "uniform", "simple")
Prior: TypeAlias = Literal["learned", "uniform", "simple"] | Mapping[Exponent, float]
"""How plausible each exponent is before any data: all alike, those of common
algorithms and collectives more so, a mixture of both that the kernels decide, or by a weight each; exponents
without a weight are not tried."""


_MOST_POWER, _MOST_WEIGHT = 10, 1e9
_PRIOR_EXAMPLE = 'write a table [exponents] with entries like "3/2, 1" = 2.0 for p^(3/2) * log2(p)'


def read_prior(value: object, folder: Path) -> Prior:
    """Read ``learned``, ``uniform``, ``simple`` or the name of a TOML file with a weight per exponent.

    Its table ``[exponents]`` has a weight per exponent pair (i, j) of p^i * log2(p)^j, without a fixed sum.
    UsageError if it is none of these, or the file is invalid.
    """
    for name in _NAMED_PRIORS:
        if value == name:
            return name
    if not isinstance(value, str) or not (folder / value).is_file():
        raise UsageError(f"invalid prior {value!r}", hint="choose learned, uniform, simple or a TOML file")
    file = read_toml(folder / value, UsageError)
    weights = file.table("exponents")
    if not weights.content:
        raise file.error("exponents", "is missing or empty", _PRIOR_EXAMPLE)
    return {_exponent(weights, key): _weight(weights, key) for key in weights.content}


def _exponent(weights: TomlTable, key: str) -> Exponent:
    try:
        if "e" in key.lower():  # of 1e9, all digits would be written out
            raise ValueError
        found = exponent(*key.split(","))
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise weights.error(key, "is not an exponent", _PRIOR_EXAMPLE) from error
    power, *others = map(float, found)
    if min(others) < 0 or max(abs(power), *others) > _MOST_POWER:
        hint = f"powers of p are from -{_MOST_POWER} to {_MOST_POWER}, those of log2(p) from 0"
        raise weights.error(key, "is out of range", hint)
    return found


def _weight(weights: TomlTable, key: str) -> float:
    weight = weights.number(key, least=0, most=_MOST_WEIGHT)
    if weight == 0:
        raise weights.error(key, "invalid weight 0", "weights are above zero")
    return weight


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """What a user may decide about fitting; the defaults suit effort and times."""

    method: Literal["evidence", "extra-p"] = option(
        "evidence", "Weigh all hypotheses, or choose one term as Extra-P does.", commands=("run", "check")
    )
    prior: Prior = option(
        "learned",
        "Prior over exponents: learned, uniform, simple, or a TOML file.",
        commands=("run",),
        metavar="PRIOR",
        given=str,
        read=read_prior,
    )
    rivals: int = option(8, "Models kept per kernel at most.", least=1)
    # the exponents to try; None lets the space follow the data, starting from Extra-P's
    exponents: tuple[Exponent, ...] | None = None
    nonnegative: bool = True  # the quantity cannot be negative, so neither may a coefficient or a prediction


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """That something grows like a function at most: ``[[expect]]`` of pipeline.toml."""

    region: str = ""  # a region, a group or a pattern, whose kernels are added up; empty for the total
    metric: str = "time"  # by the name that `pipeline inspect` shows; times are of all locations together
    growth: str  # the function as it was written
    exponents: Mapping[str, Exponent]  # of its parameters, by name; empty for a constant
    place: str = ""  # ``file:line``, for errors and reports
