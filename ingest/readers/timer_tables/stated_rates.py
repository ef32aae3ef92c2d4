"""Rates that programs state, ``Performance: 31.459 ns/day``: what they say of the work that a run did.

A rate times the seconds that it was taken over are units of work, which stay the same when a run becomes
faster, so that times at other scales give the rate there.
"""

from collections.abc import Sequence

from ingest.errors import one_line
from ingest.readers.timer_tables.log import Log, count, known
from ingest.readers.timer_tables.timer_kind import Facts, LogLine, TimerTable
from ingest.resource_use import MEMORY, TOTAL_RESOURCE, bytes_per, memory_attributes
from ingest.run_settings import SETTING
from ingest.work_rates import RATE_METRIC, UNITS_OF_WORK, WorkRate, work_rate

_PREFIX = "_memory "
_SOURCE = _PREFIX + "source"


def stated_memory(log: Log, lines: Sequence[LogLine]) -> Facts:
    """Return the bytes that a log states, as `TimerTable.memory` says, as facts."""
    stated: dict[str, str] = {}
    for line in lines:
        largest: dict[str, float] = {}
        facts: dict[str, str] = {}
        for found in log.find(line):
            unit = bytes_per(found.facts.get("unit", "")) or 1.0
            for of in (MEMORY, "mean", TOTAL_RESOURCE):
                if value := (known(found.facts.get(of)) or 0.0) * unit:
                    largest[of] = max(largest.get(of, value), value)
            facts = {_SOURCE: one_line(found.facts["source"])} if "source" in found.facts else {}
        stated = {**facts, **{_PREFIX + of: repr(value) for of, value in largest.items()}, **stated}
    return stated


def memory_of(facts: Facts, processes: int) -> dict[str, str]:
    """Return the attributes of a run of as many processes."""
    most, mean, total = (known(facts.get(_PREFIX + of)) or 0.0 for of in (MEMORY, "mean", TOTAL_RESOURCE))
    return memory_attributes(
        facts.get(_SOURCE, ""), **{MEMORY: most, TOTAL_RESOURCE: total or mean * processes}
    )


RATE_SECONDS = "_rate_seconds"
"""The fact with the seconds that a rate was taken over, if these are not all of the table."""

_TOLERANCE = 0.02  # relative, of rates that are printed with three digits


def _stated_rate(facts: Facts, kind: TimerTable) -> tuple[float, WorkRate] | None:
    """Return the rate that a table or its log states, None if there is none."""
    number, _, unit = facts.get("rate", "").partition(" ")
    value, rate = known(number), work_rate(unit.strip() or kind.rate_unit)
    return (value, rate) if value and value > 0 and rate else None


def rate_text(facts: Facts, kind: TimerTable) -> str:
    """Return what to say of the rate of a table after its time; empty if it states none."""
    found = _stated_rate(facts, kind)
    of = " for the steps alone" if RATE_SECONDS in facts else ""
    return f"; {found[0]:.10g} {found[1].text} stated{of}" if found else ""


def rate_attributes(tables: Sequence[tuple[Facts, float]], kind: TimerTable) -> dict[str, str]:
    """Return the rate of a run and its units of work, given facts and seconds of each of its tables.

    Nothing if a table states no rate, or they state different ones.
    """
    units, texts = 0.0, {""}
    for facts, seconds in tables:
        found = _stated_rate(facts, kind)
        if found is None:
            return {}
        value, rate = found
        over = known(facts.get(RATE_SECONDS)) or seconds
        units, texts = units + value * over / rate.seconds, texts - {""} | {rate.text}
    return (
        {SETTING + RATE_METRIC: texts.pop(), UNITS_OF_WORK: repr(units)} if units and len(texts) == 1 else {}
    )


def rate_notices(facts: Facts, seconds: float) -> tuple[str, ...]:
    """Compare the steps that a table states with those that its rate means."""
    rate, steps = known(facts.get("_steps_per_second")), count(facts, "steps")
    seconds = known(facts.get("total")) or seconds
    if not rate or not steps or abs(rate * seconds - steps) <= _TOLERANCE * steps + 1:
        return ()
    return (f"the stated {rate:.6g} steps/s are {rate * seconds:.6g} steps, but {steps} are stated",)
