"""LAMMPS: the breakdown after each ``run`` or ``minimize``, seconds as means of the MPI tasks."""

from collections.abc import Sequence
from dataclasses import replace

from ingest.readers.timer_tables.log_values import flat
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

_REST = "Other"
_RENAMED = {"Kspce": "Kspace", "Outpt": "Output"}  # spellings before 2015


def _place(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    """Leave out the table of threads, and what is below the remainder: they split times again."""
    named = [replace(row, name=_RENAMED.get(row.name, row.name)) for row in rows if not row.group]
    end = next((i for i, row in enumerate(named) if row.name == _REST), len(named))
    named = named[: end + 1]
    processes = facts.get("processes") or facts.get("_procs", "")
    return replace(flat(named, facts), facts={"processes": processes})


LAMMPS = TimerTable(
    name="LAMMPS",
    begin=LogLine(
        "Loop time of ",
        r"^Loop time of (?P<total>[-+0-9.eE]+) on (?P<_procs>\d+) procs?"
        r"(?: \((?P<processes>\d+) MPI x (?P<threads>\d+) OpenMP\))? for (?P<steps>\d+) steps",
    ),
    program=LogLine("LAMMPS (", r"^LAMMPS \([^)]*\)\s*$"),
    end=r"^Nlocal:|^Total # of neighbors|^Total wall time",
    forms=(
        RowForm(row=r"^(?P<name>[A-Z]\w*)\s+time \(%\) = (?P<seconds>\S+) \("),
        RowForm(  # timer full
            header=r"Section \| min time \| avg time \| max time \|\s?%varavg\|\s?%CPU\s?\|",
            row=r"^(?P<name>[A-Z]\w*)\s*\|(?P<values>.*)$",
            columns=("least", "seconds", "most", "variation", "CPU", "percent"),
            separator="|",
        ),
        RowForm(
            header=r"Section \| min time \| avg time \| max time \|\s?%varavg\| %total",
            row=r"^(?P<name>[A-Z]\w*)\s*\|(?P<values>.*)$",
            columns=("least", "seconds", "most", "variation", "percent"),
            separator="|",
        ),
    ),
    header=r"^Section\s*\|",
    heading=r"^(?P<group>Thread) timings breakdown",
    within=(r"CPU use with (?P<processes>\d+) MPI tasks(?: x (?P<threads>\d+) OpenMP)?",),
    facts=(LogLine("LAMMPS (", r"^LAMMPS \((?P<version>[^)]*)\)"),),
    place=_place,
    statistic=Statistic.MEAN,
    choice=Choice.EACH,
    communication=r"^Comm$",
    output=r"^Output$",
)
