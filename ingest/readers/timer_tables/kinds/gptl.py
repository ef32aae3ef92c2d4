"""GPTL (E3SM, CESM, HOMME): global statistics, inclusive wall seconds summed over the ranks.

Nothing says how timers nest. Some are known to hold all others; they stand for the total. The library itself
(`GPTLpr_summary`) prints means of the ranks that called a timer.
"""

from collections.abc import Sequence
from dataclasses import replace

from ingest.errors import InputError
from ingest.readers.timer_tables.log_values import count, known, number
from ingest.readers.timer_tables.timer_kind import (
    Choice,
    Facts,
    LogLine,
    Placed,
    RowForm,
    Statistic,
    Timer,
    TimerRow,
    TimerTable,
)

_ROOTS = (
    ("CPL:INIT", "CPL:RUN_LOOP", "CPL:FINAL"),  # E3SM, CESM 2
    ("DRIVER_INIT", "DRIVER_RUN_LOOP", "DRIVER_FINAL"),  # CESM 1
    ("Total",),  # HOMME
)


def _place(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    if not all("walltotal" in row.values for row in rows):
        raise InputError(
            f"the columns of GPTL are not known: {', '.join(rows[0].values)[:120]}",
            hint="a column 'walltotal' is needed",
        )
    names = {row.name for row in rows}
    roots = next((known for known in _ROOTS if names.intersection(known)), ())
    tasks = count(facts, "processes") or 1
    timers = tuple(_timer(row, tasks, row.name not in roots) for row in rows)
    running = [row.name for row in rows if row.values.get("on") == "y"]
    bare = sum("quote" not in row.values for row in rows)
    notices = []
    if running:
        notices.append(f"timers that were running as the table was written: {', '.join(running[:3])}")
    if bare:
        notices.append(f"{bare} of {len(rows)} names of timers stand without quotes")
    return Placed(timers=timers, notices=tuple(notices))


def _timer(row: TimerRow, tasks: int, overlapping: bool) -> Timer:
    calls = known(row.values.get("count"))
    return Timer(
        path=(row.name,),
        seconds=number(row.values["walltotal"], f"the time of '{row.name[:80]}'"),
        calls=None if calls is None else calls / tasks,
        least=known(row.values.get("wallmin")),
        most=known(row.values.get("wallmax")),
        overlapping=overlapping,
    )


GPTL = TimerTable(
    name="GPTL",
    begin=LogLine("GLOBAL STATISTICS", r"^\*+ GLOBAL STATISTICS \(\s*(?P<processes>\d+) MPI\b"),
    end=r"^(?!\"|name\s|\$Id|'|\*|\S.*\s[0-9.]+\s+\(\s*[0-9]+\s+[0-9]+\)\s*$)\S",
    header=r"^name\s",
    forms=(
        RowForm(
            header=r"name (?:\S+ )*count walltotal wallmax\b",
            row=r'^(?P<quote>")?(?P<name>(?(quote)[^"]*|[^"\s]+))(?(quote)")\s+'
            r"(?P<values>(?:[-y]\s+)?[0-9][-+0-9.eE()\s]*)$",
        ),
    ),
    place=_place,
    statistic=Statistic.SUM,
    choice=Choice.EACH,
    communication=r"(?i)mpi_(?:wait|send|recv|i?all|bcast|barrier|reduce|gather)|bndry_exchange|_comm_|comm_",
    output=r"PIO:",
)


def _place_means(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    """Sum the means over the ranks that called a timer."""
    tasks = count(facts, "processes") or 1
    stopped = [row for row in rows if "mean" in row.values]
    means = [_timer(_with_sum(row), tasks, True) for row in stopped]
    running = len(rows) - len(stopped)
    notices = (f"timers that were running, without values: {running}",) if running else ()
    return Placed(timers=tuple(means), notices=notices)


def _with_sum(row: TimerRow) -> TimerRow:
    mean, ranks = (number(row.values[name], f"the {name} of '{row.name[:80]}'") for name in ("mean", "ranks"))
    return replace(row, values={**row.values, "walltotal": str(mean * ranks)})


GPTL_SUMMARY = TimerTable(
    name="GPTL",
    begin=LogLine("Total ranks in communicator=", r"^Total ranks in communicator=(?P<processes>\d+)\s*$"),
    header=r"^name\s",
    forms=(
        RowForm(
            header=r"name ncalls nranks mean_time std_dev wallmax \(rank\b",
            row=r"^(?P<name>\S+(?: \S+)*?)\s+(?:NOT PRINTED|(?P<count>\d+(?:\.\d+e[-+]\d+)?)\s+(?P<ranks>\d+)"
            r"\s+(?P<mean>\d+\.\d+)\s+\d+\.\d+\s+(?P<wallmax>\d+\.\d+) \([\d ]+\)"
            r"\s+(?P<wallmin>\d+\.\d+) \()",
        ),
    ),
    within=(r"^nthreads on rank 0=(?P<threads>\d+)",),
    place=_place_means,
    statistic=Statistic.SUM,
    choice=Choice.EACH,
    communication=GPTL.communication,
    output=GPTL.output,
)
