"""Rates, ``steps/s`` or ``ns/day``: what many programs and papers state instead of times.

A rate is modelled as the time of one unit of work, since kernels and times add up and rates do not.
"""

import re
from dataclasses import dataclass

from ingest.units import SECONDS

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
