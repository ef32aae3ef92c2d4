"""Nalu-Wind: the timer overview of each realm, seconds as mean, minimum and maximum of the ranks.

Steps are counted from the start of the first part of a restarted run, so one of them alone does not say how
many steps this part had.
"""

from collections.abc import Sequence

from ingest.readers.timer_tables.log_values import count, timer
from ingest.readers.timer_tables.timer_kind import (
    Choice,
    Facts,
    LogLine,
    Placed,
    RowForm,
    Statistic,
    TimerRow,
    TimerTable,
)

_COUNTS = "linear iterations"


def _place(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    """Put every timer below its equation; iterations are not times."""
    timers = tuple(timer(row, (row.group, row.name)) for row in rows if row.name != _COUNTS)
    first, last = count(facts, "_first_step") or 0, count(facts, "last_step") or 0
    return Placed(timers=timers, facts={"steps": f"{last - first + 1}"} if last > first else {})


NALU_WIND = TimerTable(
    name="Nalu-Wind",
    begin=LogLine(
        "Begin Timer Overview for Realm", r"^\s*Begin Timer Overview for Realm: (?P<_realm>.+?)\s*$"
    ),
    forms=(
        RowForm(
            row=r"^\s*(?P<name>\S+(?: \S+)*?)\s*--\s*"
            r"avg: *(?P<seconds>\S+)\s+min: *(?P<least>\S+)\s+max: *(?P<most>\S+)\s*$"
        ),
    ),
    heading=r"^\s*Timing for (?:Eq: )?(?P<group>[^:]*[^:\s])\s*:?\s*$",
    facts=(
        LogLine("Time Step Count:", r"^Time Step Count: (?P<_first_step>\d+)", first=True),
        LogLine("Time Step Count:", r"^Time Step Count: (?P<last_step>\d+)"),
        LogLine("processors", r"(?i)running on (?P<processes>\d+) (?:mpi )?processors"),
    ),
    place=_place,
    statistic=Statistic.MEAN,
    choice=Choice.EACH,
    output=r"^io |^IO$",
)
