"""CASTEP: three phases at the end of the run, and a cumulative timer on every line of the SCF loop."""

from collections.abc import Sequence

from ingest.readers.timer_tables.log_values import known, one_process_if_serial, timer
from ingest.readers.timer_tables.timer_kind import (
    Facts,
    LogLine,
    Placed,
    Statistic,
    Timer,
    TimerRow,
    TimerTable,
)

_PHASES = ("Initialisation", "Calculation", "Finalisation")


def _place(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    """Put the iterations, and what the calculation did before the first of them, below the calculation."""
    phases = {row.name: timer(row) for row in rows if row.name in _PHASES}
    total = next((timer(row) for row in reversed(rows) if row.name == "Total"), None)
    timers = [phases[name] for name in _PHASES if name in phases]
    stamps = [(row.name, value) for row in rows if (value := known(row.values.get("stamp"))) is not None]
    if not timers or total is None:
        return Placed(timers=())
    loops = _loops(stamps)
    steps = sum(len(loop) - 1 for loop in loops)
    if steps and "Calculation" in phases:
        iterations = sum(loop[-1] - loop[0] for loop in loops)
        begin = phases["Initialisation"].seconds if "Initialisation" in phases else 0.0
        before = max(loops[0][0] - begin, 0.0)
        if before + iterations <= phases["Calculation"].seconds:
            timers += [
                Timer(path=("Calculation", "before the first SCF iteration"), seconds=before),
                Timer(path=("Calculation", "SCF iterations"), seconds=iterations, calls=float(steps)),
            ]
    stated = {"steps": str(steps)} if steps else {}
    stated |= one_process_if_serial(facts)
    return Placed(timers=tuple(timers), total=total.seconds, facts=stated)


def _loops(stamps: Sequence[tuple[str, float]]) -> list[list[float]]:
    """Return the stamps of each SCF loop; ``Initial`` starts one."""
    loops: list[list[float]] = []
    for name, stamp in stamps:
        if name == "Initial" or not loops:
            loops.append([])
        loops[-1].append(stamp)
    return loops


CASTEP = TimerTable(
    name="CASTEP",
    begin=LogLine("CASTEP version", r"^ \|.*CASTEP version (?P<version>[^|\s]+)"),
    mark=LogLine("Calculation time", r"^\s*Calculation time\s+=\s+[0-9.]+ s"),
    program=LogLine("CASTEP version", r"^ \| Welcome to .*CASTEP version"),
    scattered=(
        LogLine(
            " time ",
            r"^\s*(?P<name>Initialisation|Calculation|Finalisation|Total) time\s+=\s+(?P<seconds>[0-9.]+) s",
        ),
        LogLine("<-- SCF", r"^\s*(?P<name>Initial|\d+)\s.*\s(?P<stamp>[0-9.]+)\s+<-- SCF"),
    ),
    facts=(
        LogLine(
            "Calculation parallelised", r"Calculation parallelised over\s+(?P<processes>\d+) (?:process|node)"
        ),
        LogLine("Calculation not parallelised", r"Calculation not parallelised(?P<_serial>)"),
        LogLine("from code version", r"^ from code version (?P<commit>[0-9a-f]{7,40}\+?)\s"),
        LogLine("Compiler:", r"^ Compiler: (?P<compiler>[^;]*[^;\s])"),
        LogLine("may use up to", r"process may use up to\s+(?P<threads>\d+) thread"),
    ),
    place=_place,
    statistic=Statistic.ONE,
    inclusive=True,
)
