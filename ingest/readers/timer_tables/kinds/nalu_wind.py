"""Nalu-Wind: the timer overview of each realm, seconds as mean, minimum and maximum of the ranks."""

from collections.abc import Sequence

from ingest.readers.timer_tables.description import (
    Choice,
    Facts,
    Form,
    Line,
    Placed,
    Row,
    Statistic,
    TimerTable,
)
from ingest.readers.timer_tables.values import timer

_COUNTS = "linear iterations"


def _place(rows: Sequence[Row], facts: Facts) -> Placed:
    """Put every timer below its equation; iterations are not times."""
    return Placed(timers=tuple(timer(row, (row.group, row.name)) for row in rows if row.name != _COUNTS))


NALU_WIND = TimerTable(
    name="Nalu-Wind",
    begin=Line("Begin Timer Overview for Realm", r"^\s*Begin Timer Overview for Realm: (?P<_realm>.+?)\s*$"),
    forms=(
        Form(
            row=r"^\s*(?P<name>\S+(?: \S+)*?)\s*--\s*"
            r"avg: *(?P<seconds>\S+)\s+min: *(?P<least>\S+)\s+max: *(?P<most>\S+)\s*$"
        ),
    ),
    heading=r"^\s*Timing for (?:Eq: )?(?P<group>[^:]*[^:\s])\s*:?\s*$",
    facts=(
        Line("Time Step Count:", r"^Time Step Count: (?P<steps>\d+)"),
        Line("processors", r"(?i)running on (?P<processes>\d+) (?:mpi )?processors"),
    ),
    place=_place,
    statistic=Statistic.MEAN,
    choice=Choice.EACH,
    output=r"^io |^IO$",
)
