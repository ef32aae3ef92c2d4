"""PETSc ``-log_view``: stages follow each other, the events within them nest in a way that is not stated.

Stages are means of the ranks, events maxima; both are inclusive.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.readers.timer_tables.log_values import known, timer
from ingest.readers.timer_tables.timer_kind import (
    Facts,
    LogLine,
    Placed,
    RowForm,
    Statistic,
    TimerRow,
    TimerTable,
)

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def _place(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    """Put events below their stages. Numbers in the names of stages are often sizes: runs should agree."""
    stages, events = {}, []
    for row in rows:
        number, _, name = (row.group or row.name).partition(":")
        stage = f"{number.strip()}: {_NUMBER.sub('#', name.strip())}"
        if row.group:
            events.append(timer(row, (stage, row.name), overlapping=True))
        else:
            stages[stage] = timer(row, (stage,))
    events = [replace(event, most=event.seconds) for event in events if event.path[0] in stages]
    return Placed(timers=(*stages.values(), *events), total=known(facts.get("total")))


PETSC = TimerTable(
    name="PETSc",
    begin=LogLine("PETSc Performance Summary:", r"^-* ?PETSc Performance Summary:"),
    end=r"^Memory usage is given|^Object Type",
    header=r"^Event\s+Count\b|^Summary of Stages:",
    forms=(
        RowForm(
            header=r"Summary of Stages: -+ Time -+",
            row=r"^\s*(?P<name>[0-9]+:.*): (?P<seconds>[0-9]\.[0-9]+e[-+][0-9]+)\s+[0-9.]+%",
        ),
        RowForm(
            header=r"Event Count Time \(sec\) Flops? .*Max Ratio Max Ratio Max Ratio",
            # Columns run together if a ratio is large: the first is 7 wide, the mantissa has 4 digits.
            row=r"^(?P<name>\S.{15,}?) (?P<calls>[ 0-9]{6}[0-9])[ 0-9]*[0-9]\.[0-9] "
            r"(?P<seconds>[0-9]\.[0-9]{4}e[-+][0-9]{2})[ 0-9]*[0-9]\.[0-9]\b",
        ),
    ),
    heading=r"^--- Event Stage (?P<group>[0-9]+: .*)$",
    within=(
        r" named .* with (?P<processes>[0-9]+) process",
        r"^Time \(sec\):\s+\S+\s+\S+\s+(?P<total>[0-9.e+-]+)",
        r"^Using P(?:etsc|ETSc) (?P<version>.*?)\s*(?:(?i:git) Date.*|,.*)?$",
    ),
    place=_place,
    statistic=Statistic.MEAN_AND_MAXIMUM,
)
