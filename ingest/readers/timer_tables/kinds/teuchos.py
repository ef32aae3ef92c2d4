"""Teuchos::TimeMonitor (Trilinos): timers, inclusive; they may lie inside each other."""

from ingest.readers.timer_tables.log_values import all_overlapping
from ingest.readers.timer_tables.timer_kind import LogLine, RowForm, Statistic, TimerTable

_VALUE = r"[0-9.]+(?:e[-+]?[0-9]+)?"

TEUCHOS = TimerTable(
    name="Teuchos",
    begin=LogLine(
        "TimeMonitor ", r"^\s*TimeMonitor [Rr]esults(?: over (?P<processes>[0-9]+) processors?)?\s*$"
    ),
    end=r"^={10,}",
    header=r"^Timer Name\s",
    forms=(
        RowForm(
            header=r"Timer Name (?:MinOverProcs MeanOverProcs Max|Min over procs Avg over procs Max)",
            row=rf"^(?P<name>\S+(?: \S+)*)\s{{2,}}(?P<least>{_VALUE}) \([0-9.e+]+\)\s+"
            rf"(?P<seconds>{_VALUE}) \((?P<calls>[0-9.e+]+)\)\s+(?P<most>{_VALUE}) \(",
        ),
        RowForm(
            header=r"Timer Name (?:Global|Local) time \(num calls\)",
            row=rf"^(?P<name>\S+(?: \S+)*)\s{{2,}}(?P<seconds>{_VALUE}) \((?P<calls>[0-9.e+]+)\)\s*$",
        ),
    ),
    place=all_overlapping,
    statistic=Statistic.MEAN,
)
