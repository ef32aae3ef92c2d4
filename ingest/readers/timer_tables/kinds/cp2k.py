"""CP2K: the table ``T I M I N G``, exclusive and inclusive seconds as mean and maximum of the MPI ranks."""

from collections.abc import Sequence
from dataclasses import replace

from ingest.readers.timer_tables.log_values import flat, known
from ingest.readers.timer_tables.timer_kind import (
    Facts,
    LogLine,
    Placed,
    RowForm,
    Statistic,
    TimerRow,
    TimerTable,
)

_WHOLE = "CP2K"


def _place(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    """Take the inclusive time of the program as the total."""
    whole = [row for row in rows if row.name == _WHOLE] or rows
    totals = [value for row in whole if (value := known(row.values.get("total"))) is not None]
    return replace(flat(rows, facts), total=max(totals, default=None))


CP2K = TimerTable(
    name="CP2K",
    begin=LogLine("T I M I N G", r"^\s*-\s+T I M I N G\s+-\s*$"),
    program=LogLine("PROGRAM STARTED AT", r"PROGRAM STARTED AT"),
    end=r"^\s*The number of warnings|^\s*\*\*\*\* \*\*\*\*",
    header=r"^\s*SUBROUTINE\s+CALLS\b",
    forms=(
        RowForm(
            header=r"SUBROUTINE CALLS ASD SELF TIME TOTAL TIME (?:MAXRANK )?MAXIMUM(?: AVERAGE MAXIMUM){2}",
            row=r"^ ?(?P<name>\S+(?: \S+)*?)\s+(?P<values>\d+\s+\d+\.\d+(?:\s+\d+\.\d*){4})(?:\s+\d+)?\s*$",
            columns=("calls", "depth", "seconds", "most", "total", "largest_total"),
        ),
    ),
    facts=(
        LogLine(
            "message passing processes",
            r"GLOBAL\| Total number of message passing processes\s+(?P<processes>\d+)",
        ),
        LogLine(
            "threads for this process", r"GLOBAL\| Number of threads for this process\s+(?P<threads>\d+)"
        ),
        LogLine("CP2K| version", r"CP2K\| version string:\s+(?:CP2K version )?(?P<version>\S.*?)\s*$"),
        LogLine("source code revision number", r"CP2K\| source code revision number:\s+(?P<commit>\S+)"),
        LogLine("MD| Number of Time Steps", r"MD\| Number of Time Steps\s+(?P<steps>\d+)"),
        LogLine("MD_PAR| Number of time steps", r"MD_PAR\| Number of time steps\s+(?P<steps>\d+)"),
    ),
    place=_place,
    statistic=Statistic.MEAN,
    rest=True,
    communication=r"^mp_",
)
