"""What a log states about memory: the most of a process, and the sum over all."""

from collections.abc import Sequence

from ingest.errors import one_line
from ingest.readers.timer_tables.log import Log, known
from ingest.readers.timer_tables.timer_kind import Facts, LogLine
from ingest.resource_use import MEMORY, TOTAL, bytes_per, memory_attributes

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
            for of in (MEMORY, "mean", TOTAL):
                if value := (known(found.facts.get(of)) or 0.0) * unit:
                    largest[of] = max(largest.get(of, value), value)
            facts = {_SOURCE: one_line(found.facts["source"])} if "source" in found.facts else {}
        stated = {**facts, **{_PREFIX + of: repr(value) for of, value in largest.items()}, **stated}
    return stated


def memory_of(facts: Facts, processes: int) -> dict[str, str]:
    """Return the attributes of a run of as many processes."""
    most, mean, total = (known(facts.get(_PREFIX + of)) or 0.0 for of in (MEMORY, "mean", TOTAL))
    return memory_attributes(facts.get(_SOURCE, ""), **{MEMORY: most, TOTAL: total or mean * processes})
