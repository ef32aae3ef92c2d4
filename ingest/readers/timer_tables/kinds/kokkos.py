"""Kokkos' simple kernel timer, as its reader prints it: kernels, exclusive, and regions around them."""

from collections.abc import Sequence
from dataclasses import replace

from ingest.readers.timer_tables.description import Facts, Form, Line, Placed, Row, Statistic, TimerTable
from ingest.readers.timer_tables.values import flat

_REGION = "REGION"


def _place(rows: Sequence[Row], facts: Facts) -> Placed:
    """Take the line above a row as its name; regions overlap the kernels in them."""
    timers = flat([replace(row, name=row.group) for row in rows if row.group], facts)
    kinds = [row.name for row in rows if row.group]
    marked = (
        replace(timer, overlapping=kind == _REGION) for timer, kind in zip(timers.timers, kinds, strict=True)
    )
    return replace(timers, timers=tuple(marked))


KOKKOS = TimerTable(
    name="Kokkos",
    begin=Line("Total Time, Call Count", r"^\s*\(Type\)\s+Total Time, Call Count, Avg\. Time per Call,"),
    forms=(
        Form(
            row=r"^\s*\((?P<name>[A-Z]\w*)\)\s+(?P<seconds>[-+0-9.e]+)[ ,]+(?P<calls>[0-9]+)[ ,]+[-+0-9.e]+\b"
        ),
    ),
    heading=r"^- (?P<group>\S.*)$",
    within=(r"^Total Execution Time \(incl\..*:\s+(?P<total>[0-9.]+) seconds",),
    end=r"^Total Calls to Kokkos Kernels",
    place=_place,
    statistic=Statistic.ONE,
    rest=True,
)
