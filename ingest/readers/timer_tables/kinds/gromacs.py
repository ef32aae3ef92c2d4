"""GROMACS: "real cycle and time accounting" at the end of md.log.

Wall seconds are those of the ranks that take part in an activity, so that they sum to twice the total with
separate PME ranks. Cycles are sums over all ranks and threads, and ``Core t`` is the time of all of these;
before 4.6 there is none, and the seconds of the table are sums over the ranks.
"""

from collections.abc import Sequence
from dataclasses import replace

from ingest.readers.timer_tables.log_values import count, known, number, timer
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

_ROW = r"^ (?P<name>\S+(?: \S+)*)\s{2,}(?P<values>[0-9][-+0-9.eE ]*)$"
_PME = ("PME mesh", "PME GPU mesh")  # the rows that the second table breaks down
_PARTS = "PME mesh"  # its heading; before 5 it has none
_WAIT = "PME wait for PP"  # without ranks of its own, PME waits for nothing: what is printed is no time
_FORCE = ("Force", "Nonbonded F")  # called once per step


def _place(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    """Turn cycles into seconds, and put the parts of PME below it."""
    end = next((i for i, row in enumerate(rows) if row.name == "Total" and not row.group), None)
    if end is None:
        return Placed(timers=())
    total, parts = rows[end], [row for row in rows[end + 1 :] if row.group in ("", _PARTS)]
    main = [row for row in rows[:end] if not row.group and row.name != _WAIT]
    main += [row for row in rows if row.name == _WAIT and ("pme_ranks" in facts or "calls" in row.values)]
    main = [replace(row, name=row.name.removesuffix("*").strip()) for row in main]
    layout = _layout(main, total, facts)
    cycles = number(total.values.get("cycles"), "the total of cycles")
    core = _core_seconds(facts, total, count(layout, "processes") or 1, count(layout, "threads") or 1)
    scale = core / cycles if cycles > 0 else 0.0
    timers = [_timer(row, (row.name,), scale) for row in main]
    if whole := next((row.name for row in main if row.name in _PME), ""):
        timers += [_timer(row, (whole, row.name), scale) for row in parts]
    steps = next((row.values.get("calls", "") for row in main if row.name in _FORCE), "")
    return Placed(timers=timers, total=core, facts={**layout, "steps": steps})


def _timer(row: TimerRow, path: tuple[str, ...], seconds_per_cycle: float) -> Timer:
    cycles = number(row.values.get("cycles"), f"the cycles of '{row.name[:80]}'")
    return replace(
        timer(replace(row, values={**row.values, "seconds": "0"}), path), seconds=cycles * seconds_per_cycle
    )


def _layout(rows: Sequence[TimerRow], total: TimerRow, facts: Facts) -> dict[str, str]:
    """Return the ranks of the run: of the table, or of the log, or of the total, or the most of a row."""
    both = (count(facts, "_pp") or 0) + (count(facts, "pme_ranks") or 0)
    of_row = max((count(row.values, "ranks") or 1 for row in rows), default=1)
    ranks = both or count(facts, "processes") or count(total.values, "calls") or of_row
    stated = count(facts, "threads") if "pme_ranks" not in facts else None  # PME may have others
    cores = round((known(facts.get("_percent")) or 0.0) / 100)
    computed = cores // ranks if cores >= ranks and cores % ranks == 0 else None
    threads = stated or computed or count(facts, "threads") or 1
    return {"processes": str(ranks), "threads": str(threads)}


def _core_seconds(facts: Facts, total: TimerRow, processes: int, threads: int) -> float:
    if facts.get("_unit") == "Core t" and (core := known(facts.get("_core"))):
        return core
    if "core" in total.values:
        return number(total.values["core"], "the total of seconds")
    return number(total.values.get("wall"), "the total wall time") * processes * threads


GROMACS = TimerTable(
    name="GROMACS",
    begin=LogLine(
        "R E A L   C Y C L E", r"^\s*R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G\s*$"
    ),
    program=LogLine("GROMACS version:", r"^GROMACS version:"),
    end=r"^Performance:|^Finished mdrun",
    header=r"^ (?:Computing|Activity):",
    forms=(
        RowForm(
            header=r"(?:Computing|Activity): Num Num Call Wall time Giga-Cycles Ranks Threads Count",
            row=_ROW,
            columns=("ranks", "threads", "calls", "wall", "cycles", "percent"),
        ),
        RowForm(
            header=r"Computing: (?:Nodes|Ranks) Th\. Count Wall t \(s\) G-Cycles %",
            row=_ROW,
            columns=("ranks", "threads", "calls", "wall", "cycles", "percent"),
        ),
        RowForm(
            header=r"Computing: Nodes Number G-Cycles Seconds %",
            row=_ROW,
            columns=("ranks", "calls", "cycles", "core", "percent"),
        ),
        RowForm(
            header=r"(?:Computing|Activity): Count Wall t \(s\) ms/step %",
            row=_ROW,
            columns=("calls", "wall", "milliseconds", "percent"),
        ),
    ),
    heading=r"^\s*(?:Breakdown of )?"
    r"(?P<group>PME mesh(?= computation| activities)|P.* (?:computation|activities)|GPU timings)",
    within=(
        r"^On (?P<_pp>\d+) MPI ranks?\b(?:.*each using (?P<threads>\d+) OpenMP)?",
        r"^on (?P<pme_ranks>\d+) MPI ranks? doing PME",
        r"(?P<_unit>Core t|NODE) \(s\)",
        r"^\s*Time:\s+(?P<_core>[0-9.]+)\s+[0-9.]+\s+(?P<_percent>[0-9.]+)\s*$",
    ),
    facts=(
        LogLine("number of ranks", r"number of ranks:\s*(?P<processes>\d+)"),
        LogLine("MPI process", r"^Using (?P<processes>\d+) MPI process"),
        LogLine("MPI thread", r"^Using (?P<processes>\d+) MPI thread"),
        LogLine("OpenMP thread", r"^Using (?P<threads>\d+) OpenMP thread"),
        LogLine("GROMACS version:", r"^GROMACS version:\s+(?:VERSION )?(?P<version>\S+)"),
        LogLine("C++ compiler:", r"^C\+\+ compiler:\s+\S+\s+(?P<compiler>\S.*)"),
        LogLine("C compiler:", r"^C compiler:\s+\S+\s+(?P<compiler>\S.*)"),
    ),
    place=_place,
    statistic=Statistic.SUM,
    inclusive=True,
    rest=True,
    rest_row="Rest",
    per_thread=True,
    communication=r"(?i)comm\.|\bsend\b|recv|redist|wait for PP",
    output=r"^Write traj",
)
