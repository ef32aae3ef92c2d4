"""deal.II TimerOutput (ASPECT, Lethe, PRISMS): sections, inclusive; they may be entered within others."""

from collections.abc import Sequence
from dataclasses import replace

from ingest.readers.timer_tables.log_values import all_overlapping
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

_NUMBER = r"[0-9.]+(?:e[-+]?[0-9]+)?"
_ROW = r"^\s*\|\s*(?P<name>[^|]*[^|\s])\s*\|(?P<values>.*)\|\s*$"


def _place(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    """Remove units, and the ranks behind extreme values."""
    plain = [
        replace(
            row, values={name: f"{value} ".split(" ")[0].rstrip("s%") for name, value in row.values.items()}
        )
        for row in rows
    ]
    return all_overlapping(plain, facts)


DEALII = TimerTable(
    name="deal.II",
    begin=LogLine(
        "Total wallclock time elapsed",
        rf"^\s*\|\s*Total wallclock time elapsed since start\s*\|\s*(?P<total>{_NUMBER})s\s*\|",
    ),
    end=r"^\s*(?:[^|+\s]|$)",
    header=r"^\s*\| Section\s*\|",
    forms=(
        RowForm(
            header=r"\| Section \| no\. calls \| ?(?:wall|CPU) time ?\| %",
            row=_ROW,
            columns=("calls", "seconds", "percent"),
            separator="|",
        ),
    ),
    facts=(LogLine("MPI ", r"(?i)\b(?P<processes>[0-9]+) MPI (?:process|rank)"),),
    place=_place,
    statistic=Statistic.ONE,
    choice=Choice.CUMULATIVE,
)

DEALII_CPU = replace(
    DEALII,
    begin=LogLine(
        "Total CPU time elapsed",
        rf"^\s*\|\s*Total CPU time elapsed since start\s*\|\s*(?P<total>{_NUMBER})s\s*\|",
    ),
)

DEALII_STATISTICS = replace(
    DEALII,
    begin=LogLine(
        "Total wallclock time elapsed",
        rf"^\s*\|\s*Total wallclock time elapsed\s*\|\s*{_NUMBER}s\s+[0-9]+\s*\|"
        rf"\s*(?P<total>{_NUMBER})s\s*\|",
    ),
    forms=(
        RowForm(
            header=r"\| Section \| no\. calls \| min time rank \| avg time \| max time rank \|",
            row=_ROW,
            columns=("calls", "least", "seconds", "most"),
            separator="|",
        ),
    ),
    statistic=Statistic.MEAN,
)

DEALII_GROUPED = replace(
    DEALII,
    begin=LogLine(
        "Total CPU/wall time elapsed",
        rf"^\s*\|\s*Total CPU/wall time elapsed since start\s*\|[^|]*\|[^|]*\|\s*(?P<total>{_NUMBER})s\s*\|",
    ),
    forms=(
        RowForm(
            header=r"\| Section \| no\. calls \| CPU time \| % of total \| wall time \| % of total",
            row=_ROW,
            columns=("calls", "cpu", "cpu_percent", "seconds", "percent"),
            separator="|",
        ),
    ),
)
