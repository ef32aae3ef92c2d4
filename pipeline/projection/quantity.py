"""Quantities as machine and application files write them: ``"195 us +- 0.4 %"``."""

import math
import re
from dataclasses import dataclass, replace

from ingest.errors import UsageError
from pipeline.projection.units import NONE, Dimension, parse_unit

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_QUANTITY = re.compile(
    rf"\s*(?P<value>{_NUMBER})\s*(?P<unit>[A-Za-zµ1%][^\s+]*)?\s*(?:(?:\+-|±)\s*(?P<spread>{_NUMBER})\s*%)?\s*"
)


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A value in SI units with the relative standard deviation it is known to.

    Attributes:
        value: in seconds, bytes, flop and their quotients.
        dimension: what it measures.
        relative_sd: standard deviation as a fraction of the value, 0 where it is taken as exact.
        note: a sentence to show whenever the value is used, such as that it is a guess; may be empty.
        factor: what a plain number in the unit it was written in is multiplied with.
    """

    value: float
    dimension: Dimension = NONE
    relative_sd: float = 0.0
    note: str = ""
    factor: float = 1.0


def parse_quantity(given: object, *, where: str = "") -> Quantity:
    """Return the quantity that a number, a text or a table ``{value = ..., note = ...}`` states.

    Raises:
        UsageError: where it is none of these, not finite, or its unit is unknown.
    """
    if isinstance(given, dict):
        return _from_table(given, where)
    if isinstance(given, int | float) and not isinstance(given, bool):
        return _finite(Quantity(value=float(given)), where)
    match = _QUANTITY.fullmatch(given) if isinstance(given, str) else None
    if match is None:
        raise UsageError(
            f"'{given}' is no quantity",
            where=where,
            hint='write a number or a text such as "195 us +- 0.4 %"',
        )
    return _from_match(match, where)


def _from_match(match: re.Match[str], where: str) -> Quantity:
    try:
        factor, dimension = parse_unit(match["unit"] or "")
    except UsageError as error:
        raise UsageError(error.what, where=where, hint=error.hint) from error
    spread = abs(float(match["spread"] or 0.0)) / 100
    value = float(match["value"]) * factor
    return _finite(Quantity(value=value, dimension=dimension, relative_sd=spread, factor=factor), where)


def _from_table(table: dict[str, object], where: str) -> Quantity:
    extra = set(table) - {"value", "note"}
    if "value" not in table or extra or isinstance(table["value"], dict):
        raise UsageError(
            "a quantity written as a table holds 'value' and, where wanted, 'note'",
            where=where,
            hint=f"take out {', '.join(sorted(extra))}" if extra else "give its 'value'",
        )
    read = parse_quantity(table["value"], where=where)
    return replace(read, note=str(table.get("note", "")))


def _finite(quantity: Quantity, where: str) -> Quantity:
    if not (math.isfinite(quantity.value) and math.isfinite(quantity.relative_sd)):
        raise UsageError("a quantity has to be finite", where=where, hint="correct the number")
    return quantity
