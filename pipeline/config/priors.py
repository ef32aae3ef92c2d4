"""Priors over exponents given by the user in a TOML file."""

import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Literal

from ingest.errors import UsageError
from pipeline.models.normal_form import Exponent

Prior = Literal["uniform", "simple"] | Mapping[Exponent, float]
EXAMPLE = 'write a table [exponents] with entries like "3/2, 1" = 2.0 for p^(3/2) * log2(p)'


def prior_named(text: str) -> Prior:
    """Read ``uniform``, ``simple`` or the name of a file with a weight per exponent.

    Raises:
        UsageError: where it is none of these.
    """
    if text == "uniform":
        return "uniform"
    if text == "simple":
        return "simple"
    if not Path(text).is_file():
        raise UsageError(f"'{text}' is no prior", where="prior", hint="uniform, simple, or a TOML file")
    return read_prior(Path(text))


def read_prior(path: Path) -> dict[Exponent, float]:
    """Read a file with a weight for each exponent pair (i, j) of p^i * log2(p)^j; weights need no fixed sum.

    Raises:
        UsageError: where the file is not of that form.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("exponents")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot be read: {error}", where=str(path), hint=EXAMPLE) from error
    if not isinstance(table, dict) or not table:
        raise UsageError("no exponents in it", where=str(path), hint=EXAMPLE)
    return {_exponent(path, key): _weight(path, key, weight) for key, weight in table.items()}


def _exponent(path: Path, key: str) -> Exponent:
    power, comma, logarithm = key.partition(",")
    try:
        return Fraction(power.strip()), int(logarithm) if comma else 0
    except (ValueError, ZeroDivisionError) as error:
        raise UsageError(f"'{key}' is no exponent", where=str(path), hint=EXAMPLE) from error


def _weight(path: Path, key: str, weight: object) -> float:
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < float("inf"):
        raise UsageError(f"'{key}' has the weight {weight!r}", where=str(path), hint="weights are above zero")
    return float(weight)
