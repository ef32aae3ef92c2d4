"""Priors over exponents given by the user in a TOML file."""

from pathlib import Path

from ingest.errors import UsageError
from ingest.toml_text import TomlError, parse_toml
from pipeline.models.forms import Exponent, exponent
from pipeline.models.options import Prior

EXAMPLE = 'write a table [exponents] with entries like "3/2, 1" = 2.0 for p^(3/2) * log2(p)'


def read_prior_option(value: object, folder: Path) -> Prior:
    """Read ``learned``, ``uniform``, ``simple`` or the name of a file with a weight per exponent.

    Args:
        value: what the user gave.
        folder: what the name of a file is relative to.

    Raises:
        UsageError: it is none of these, or the file is invalid.
    """
    if value == "learned":
        return "learned"
    if value == "uniform":
        return "uniform"
    if value == "simple":
        return "simple"
    if not isinstance(value, str) or not (folder / value).is_file():
        raise UsageError(f"invalid prior {value!r}", hint="choose learned, uniform, simple or a TOML file")
    return read_prior(folder / value)


def read_prior(path: Path) -> dict[Exponent, float]:
    """Read a file with a weight for each exponent pair (i, j) of p^i * log2(p)^j; weights need no fixed sum.

    Raises:
        UsageError: the file is not of that form.
        InputError: it is nested too deeply.
    """
    try:
        table = parse_toml(path.read_text(encoding="utf-8"), str(path)).get("exponents")
    except (OSError, UnicodeDecodeError, TomlError) as error:
        raise UsageError(f"cannot be read: {error}", where=str(path), hint=EXAMPLE) from error
    if not isinstance(table, dict) or not table:
        raise UsageError("has no exponents", where=str(path), hint=EXAMPLE)
    return {_exponent(path, key): _weight(path, key, weight) for key, weight in table.items()}


def _exponent(path: Path, key: str) -> Exponent:
    try:
        return exponent(*key.split(","))
    except (ValueError, ZeroDivisionError) as error:
        raise UsageError(f"'{key}' is not an exponent", where=str(path), hint=EXAMPLE) from error


def _weight(path: Path, key: str, weight: object) -> float:
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < float("inf"):
        raise UsageError(
            f"'{key}' has the invalid weight {weight!r}", where=str(path), hint="weights are above zero"
        )
    return float(weight)
