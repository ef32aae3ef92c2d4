"""NAMD: no table of kernels, but the wall time of all steps so far, and that of the run."""

from collections.abc import Sequence

from ingest.readers.timer_tables.log_values import count, known, number, timer
from ingest.readers.timer_tables.timer_kind import (
    WHOLE,
    Facts,
    LogLine,
    Placed,
    Statistic,
    Timer,
    TimerRow,
    TimerTable,
)

_STEPS = "TIMING"


def _place(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    """Take the last cumulative time; steps before the first of this run took none of it.

    Short runs print none: only their whole time is known.
    """
    last = next((row for row in reversed(rows) if row.name == _STEPS), None)
    if last is None:
        return Placed(timers=(timer(rows[-1], (WHOLE,)),), total=known(facts.get("total")))
    steps = number(last.values.get("step"), "the last step") - (count(facts, "_first") or 0)
    seconds = number(last.values.get("seconds"), "the time of the steps")
    notices = () if "total" in facts else ("the log ends before the run: steps up to there",)
    timers = (Timer(path=("time steps",), seconds=seconds, calls=max(steps, 0.0)),)
    return Placed(
        timers=timers,
        total=known(facts.get("total")),
        facts={"steps": f"{max(steps, 0):.0f}"},
        notices=notices,
    )


NAMD = TimerTable(
    name="NAMD",
    begin=LogLine("Info: NAMD ", r"^Info: NAMD (?P<version>[0-9]\S*)"),
    scattered=(
        LogLine(
            "TIMING: ",
            rf"^(?P<name>{_STEPS}): +(?P<step>\d+) +CPU: *[-+0-9.eE]+, .*?Wall: *(?P<seconds>[-+0-9.eE]+),",
        ),
        LogLine("WallClock:", r"^(?P<name>WallClock): +(?P<seconds>[0-9.]+)"),
    ),
    facts=(
        LogLine("Info: Running on", r"^Info: Running on (?P<processes>\d+) processors"),
        LogLine("Charm++> Running", r"^Running on (?P<processes>\d+) processors"),
        LogLine(" time: ", r"^Info: (?:Initial|Benchmark) time: (?P<processes>\d+) CPUs"),
        LogLine("FIRST TIMESTEP", r"^Info: FIRST TIMESTEP\s+(?P<_first>\d+)"),
        LogLine("WallClock:", r"^WallClock: +(?P<total>[0-9.]+)"),
    ),
    place=_place,
    statistic=Statistic.MEAN,
    rest=True,
)
