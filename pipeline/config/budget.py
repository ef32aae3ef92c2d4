"""Budgets of measurements as users write them: ``500 core-h``."""

import re

from ingest.errors import UsageError

CORE_SECONDS = {"core-s": 1.0, "core-h": 3600.0, "core-hours": 3600.0}
"""Core-seconds of the units that a budget may have."""

_BUDGET = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?)\s*([^\W\d].*?)?\s*")


def parse_budget(text: str, *, unit: str = "", where: str = "") -> float:
    """Return a budget in core-seconds.

    Args:
        text: a number with ``core-s`` or ``core-h``, also without a blank between them.
        unit: of a number without one; by default that is an error.
        where: the option it is the value of, for messages.

    Raises:
        UsageError: it is not a positive number, or has no unit or an unknown one.
    """
    match = _BUDGET.fullmatch(text)
    hint = 'write "500 core-h" or "500 core-s"'
    if match is None or not 0 < float(match[1]) < float("inf"):
        raise UsageError(f"invalid budget '{text}'", where=where, hint=hint)
    unit = match[2] or unit
    if unit not in CORE_SECONDS:
        raise UsageError(
            f"unknown unit '{unit}'" if unit else f"'{text}' has no unit", where=where, hint=hint
        )
    return float(match[1]) * CORE_SECONDS[unit]
