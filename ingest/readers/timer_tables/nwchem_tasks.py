"""NWChem's tasks: what they are called after, and which part of each its solution is."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from ingest.readers.timer_tables.log import known, number
from ingest.readers.timer_tables.timer_kind import Facts, Placed, Timer, TimerRow, TimerTable

TASK, STEP = "Task", "diis"
SOLUTIONS = {"Time for solution": "SCF solution", "Total iterative time": "DFT iterations"}
MAX_MODULES = 4  # that a task is called after


def nwchem(found: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> Placed:
    """Name tasks by the modules that they pass, add those of one name, and put the solutions below them.

    A solution that took longer than its task has other seconds, those of processors, and is left out.
    """
    seconds: defaultdict[tuple[str, ...], float] = defaultdict(float)
    calls: Counter[tuple[str, ...]] = Counter()
    inside: defaultdict[str, float] = defaultdict(float)
    steps = 0
    modules: list[str] = []
    for row in found:
        if row.name == STEP:
            steps += 1
        elif row.name in SOLUTIONS:
            inside[SOLUTIONS[row.name]] += number(row.values.get("seconds"), row.name)
        elif row.name != TASK:
            modules.append(_module(row.name))
        else:
            took = number(row.values.get("seconds"), "the time of a task")
            task = ", ".join(list(dict.fromkeys(modules))[:MAX_MODULES]) or "task without a module"
            seconds[(task,)] += took
            calls[(task,)] += 1
            fits = sum(inside.values()) <= took
            for name, part in inside.items() if fits else ():
                seconds[task, name] += part
                calls[task, name] += steps if name == "DFT iterations" else 1
            inside, steps, modules = defaultdict(float), 0, []
    timers = [Timer(path=path, seconds=took, calls=float(calls[path])) for path, took in seconds.items()]
    return Placed(timers=timers, total=known(facts.get("total")))


def _module(heading: str) -> str:
    """Return the name of a module in its heading: ``NWChem DFT Module``, ``NWPW PSPW Calculation``."""
    if heading == "parallel ccsd":
        return "CCSD"
    return heading.removeprefix("NWChem ").removesuffix(" Module").removesuffix(" Calculation")
