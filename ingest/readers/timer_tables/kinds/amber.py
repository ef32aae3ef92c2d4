"""AMBER: section 5 of mdout, CPU seconds: an indented tree of sander, a list of major routines of pmemd.

In the tree, callers stand below their callees and further left. Old versions print it without a section.
"""

from collections.abc import Sequence
from dataclasses import replace

from ingest.readers.timer_tables.log_values import known, number, timer
from ingest.readers.timer_tables.timer_kind import (
    Facts,
    LogLine,
    Placed,
    RowForm,
    Statistic,
    Timer,
    TimerRow,
    TimerTable,
)

_OTHER = "Other"  # what a routine does beside those above it
_CPU_TIME = ("times are CPU seconds",)


def _place(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    serial = {} if "processes" in facts else {"processes": "1"}
    tree = [row for row in rows if "parent" in row.values]
    if not tree:
        return replace(_major_routines(rows, facts), facts=serial)
    averages = [row for row in tree if row.group == "Average"]
    timers = _tree(averages or tree)
    roots = [timer for timer in timers if len(timer.path) == 1]
    total = roots[0].seconds if len(roots) == 1 else None
    return Placed(timers=timers, total=total, facts=serial, notices=_CPU_TIME)


def _tree(rows: Sequence[TimerRow]) -> tuple[Timer, ...]:
    """Return the timers with their paths, callers first."""
    above: list[TimerRow] = []  # callers of the row, from the total down
    timers = []
    for row in reversed(rows):
        while above and above[-1].indent >= row.indent:
            above.pop()
        name = f"{_OTHER} ({above[-1].name})" if row.name == _OTHER and above else row.name
        timers.append(timer(row, (*(caller.name for caller in above), name)))
        above.append(row)
    return tuple(timers)


def _major_routines(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    """Return the routines of pmemd; the tables below split them further."""
    timers = [timer(row) for row in rows if row.group.startswith("NonSetup") and row.name != "Total"]
    if (setup := known(facts.get("_setup"))) is not None:
        timers.append(Timer(path=("Setup",), seconds=setup))
    if "_nonsetup" in facts and len(timers) == 1:  # no routines are timed on GPUs
        timers.append(Timer(path=("NonSetup",), seconds=number(facts["_nonsetup"], "the time after setup")))
    return Placed(timers=timers, total=known(facts.get("_total")), notices=_CPU_TIME)


AMBER = TimerTable(
    name="AMBER",
    begin=LogLine("TIMINGS", r"^\s*5\.\s+TIMINGS\s*$"),
    forms=(
        RowForm(
            row=r"^\|\s+(?P<name>\S+(?: \S+)*)\s+(?P<seconds>[0-9]+\.[0-9]+)\s+"
            r"(?:\(\s*[0-9.]+% of (?P<parent>[^)]*)\)|(?P<percent>[0-9]+\.[0-9]+))\s*$"
        ),
    ),
    heading=r"^\|(?:>+PROFILE of\s+|\s+)(?P<group>[A-Za-z]*(?= TIMES>)|\S.*CPU Time\b.*(?=:\s*$))",
    within=(
        r"^\|\s+(?:Master )?Setup CPU time:\s+(?P<_setup>[0-9.]+) seconds",
        r"^\|\s+(?:Master )?NonSetup CPU time:\s+(?P<_nonsetup>[0-9.]+) seconds",
        r"^\|\s+(?:Master )?Total CPU time:\s+(?P<_total>[0-9.]+) seconds",
    ),
    facts=(
        LogLine(
            "AMBER/MPI version on", r"Running AMBER/MPI version on\s+(?P<processes>\d+)\s+(?:node|MPI task)"
        ),
        LogLine("openmp threads", r"Number of openmp threads per MPI task:\s+(?P<threads>\d+)"),
        LogLine("Amber ", r"^\s*Amber (?P<version>\d+ \w+)"),
        LogLine("nstlim", r"^\s*nstlim\s*=\s*(?P<steps>\d+)"),
        LogLine("maxcyc", r"^\s*maxcyc\s*=\s*(?P<steps>\d+)"),
    ),
    place=_place,
    statistic=Statistic.MEAN,
    inclusive=True,
)

AMBER_WITHOUT_SECTION = replace(AMBER, begin=LogLine("PROFILE of ", r"^\|>+PROFILE of (?:Average )?TIMES>"))
