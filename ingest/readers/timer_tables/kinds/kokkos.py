"""Kokkos' simple kernel timer, as its reader prints it: kernels, exclusive, and regions around them.

The other tool, space-time stack, prints a tree: means of the ranks, inclusive.
"""

from collections.abc import Sequence
from dataclasses import replace

from ingest.readers.timer_tables.log_values import flat, known, timer
from ingest.readers.timer_tables.timer_kind import (
    WHOLE,
    Facts,
    LogLine,
    Placed,
    RowForm,
    Statistic,
    Timer,
    TimerRow,
    TimerTable,
)

_REGION = "REGION"


def _place(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    """Take the line above a row as its name; regions overlap the kernels in them."""
    timers = flat([replace(row, name=row.group) for row in rows if row.group], facts)
    kinds = [row.name for row in rows if row.group]
    marked = (
        replace(timer, overlapping=kind == _REGION) for timer, kind in zip(timers.timers, kinds, strict=True)
    )
    return replace(timers, timers=tuple(marked))


KOKKOS = TimerTable(
    name="Kokkos",
    begin=LogLine("Total Time, Call Count", r"^\s*\(Type\)\s+Total Time, Call Count, Avg\. Time per Call,"),
    forms=(
        RowForm(
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


def _place_tree(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    """Put every timer below the one above it that is further left, and all below the whole run."""
    total = known(facts.get("total"))
    above: list[TimerRow] = []
    timers: list[Timer] = []
    for row in rows:
        while above and above[-1].indent >= row.indent:
            above.pop()
        above.append(row)
        timers.append(timer(row, (WHOLE, *(caller.name for caller in above))))
    listed = sum(timer.seconds for timer in timers if len(timer.path) == 2)
    whole = Timer(path=(WHOLE,), seconds=listed if total is None else total)
    return Placed(timers=(whole, *timers) if timers else (), total=total)


KOKKOS_STACK = TimerTable(
    name="Kokkos",
    begin=LogLine("TOP-DOWN TIME TREE", r"^TOP-DOWN TIME TREE:"),
    end=r"^BOTTOM-UP TIME TREE",
    forms=(
        RowForm(
            row=r"^[| ]*\|-> (?P<seconds>[-+0-9.e]+) sec (?:\S+% ){3}(?:-+|\S+% \S+) (?P<calls>\d+) "
            r"(?P<name>\S.*?)(?: \[\w+\])?\s*$"
        ),
    ),
    facts=(LogLine("TOTAL TIME:", r"^TOTAL TIME: (?P<total>[0-9.e+-]+) seconds"),),
    place=_place_tree,
    statistic=Statistic.MEAN,
    inclusive=True,
)
