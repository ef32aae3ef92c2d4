"""AMReX TinyProfiler: exclusive seconds as minimum, mean and maximum of the processes.

A second table has the inclusive times of the same timers; regions repeat parts of both.
"""

from collections.abc import Sequence
from dataclasses import replace

from ingest.readers.timer_tables.log_values import flat
from ingest.readers.timer_tables.timer_kind import (
    Facts,
    LogLine,
    Placed,
    RowForm,
    Statistic,
    TimerRow,
    TimerTable,
)

_NAMES = {"Other": "(timers below the print threshold)"}
_STEP = ("amr-wind::incflo::advance", "Amr::coarseTimeStep()")  # called once per step
_SECONDS = r"[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?"
_ROW = r"^\s*(?P<name>\S+(?: \S+)*)\s+(?P<values>[0-9]+(?:\s+[-+0-9.eEnaif]+){3}\s+[0-9.]+%)\s*$"


def _place(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    exclusive = [
        replace(row, name=_NAMES.get(row.name, row.name))
        for row in rows
        if not row.group and "seconds" in row.values
    ]
    steps = next((row.values["calls"] for row in rows if row.name in _STEP), "")
    return replace(flat(exclusive, facts), facts={"steps": steps} if steps else {})


AMREX = TimerTable(
    name="AMReX",
    begin=LogLine(
        "TinyProfiler total time across processes",
        r"^\s*TinyProfiler total time across processes \[min\.\.\.avg\.\.\.max\]:"
        rf"\s*{_SECONDS}\s*\.\.\.\s*(?P<total>{_SECONDS})\s*\.\.\.\s*{_SECONDS}\s*$",
    ),
    end=r"Memory Usage:|^Unused ParmParse|^AMReX \(.*\) finalized",
    header=r"^\s*Name\s+NCalls\b",
    forms=(
        RowForm(
            header=r"Name NCalls Excl\. Min Excl\. Avg Excl\. Max Max %",
            row=_ROW,
            columns=("calls", "least", "seconds", "most", "percent"),
        ),
        RowForm(
            header=r"Name NCalls Incl\. Min Incl\. Avg Incl\. Max Max %",
            row=_ROW,
            columns=("calls", "least", "inclusive", "most", "percent"),
        ),
    ),
    heading=r"^\s*(?:BEGIN REGION (?P<group>.+?)|END REGION .*)\s*$",
    facts=(
        LogLine("MPI processes", r"^MPI initialized with (?P<processes>\d+) MPI processes"),
        LogLine("Num. ranks", r"MPI\s+:: ON\s+\(Num\. ranks = (?P<processes>\d+)\)"),
        LogLine("OMP initialized", r"^OMP initialized with (?P<threads>\d+) OMP threads"),
        LogLine(" initialized with", r"^(?:CUDA|HIP|SYCL) initialized with (?P<GPUs>\d+)"),
        LogLine("C++ compiler", r"^ +C\+\+ compiler +:: (?P<compiler>\S.*)"),
        LogLine(" Git SHA ", r"^ +\S+ Git SHA +:: (?P<commit>[0-9a-f]{7,40})\b"),
        LogLine("AMReX (", r"^(?:Initializing )?AMReX \((?P<version>[^)]+)\)"),
    ),
    place=_place,
    statistic=Statistic.MEAN,
    rest=True,
    communication=r"FillBoundary_|ParallelCopy_|ParallelAllReduce|RedistributeMPI|SyncBeforeComms",
    output=r"WritePlot|WriteCheck|WriteMultiLevelPlotfile|VisMF::Write",
)
