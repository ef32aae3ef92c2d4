"""How sure the scale of a limit is, as plain data and in text."""

import math
from collections.abc import Mapping

from ingest.number_text import value_text
from pipeline.questions.runtime.limits import Limit
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import interval_text, number


def limit_interval(found: Limit) -> dict[str, float | None] | None:
    """Return the ends of the 90 % interval of a limit's scale; None if they are unknown.

    ``upper`` is None if it lies beyond all scales looked at, ``lower`` if it lies below them.
    """
    if math.isnan(found.lower):
        return None
    return {
        "lower": number(found.lower) if found.lower else None,
        "upper": number(found.upper) if math.isfinite(found.upper) else None,
    }


def interval_behind(found: Limit, parameter: str) -> str:
    """Write the interval behind the point of a limit, along the parameter that scales."""
    return limit_interval_text(limit_interval(found), parameter, len(found.point))


def limit_interval_text(interval: Mapping[str, float | None] | None, parameter: str, count: int) -> str:
    """Write the interval behind a point: `` [256 .. 1024]``, `` [256 or more]``; empty without one.

    Args:
        count: of parameters; if there are several, the one that scales is named.
    """
    if interval is None or interval["lower"] == interval["upper"]:
        return ""
    lower, upper = interval["lower"], interval["upper"]
    name = f"{visible(parameter)}: " if count > 1 else ""
    if lower is None:
        return "" if upper is None else f" [{name}at most {value_text(upper)}]"
    between = f"{value_text(lower)} or more" if upper is None else interval_text(lower, upper, value_text)
    return f" [{name}{between}]"
