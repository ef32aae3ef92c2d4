"""Tables of timers in logs: from the text to rows, as a description says, and from rows to timers.

How rows become timers in their places: a kind names one of `_rows`, `_nwchem`, `_quantum_espresso` and the
like under `place`. `_rows` does as the kind says, others what is particular.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from heapq import merge
from pathlib import Path
from typing import TypeAlias

from ingest.cpp_names import short_list
from ingest.errors import InputError
from ingest.readers.timer_tables.log import (
    RATE_SECONDS,
    Found,
    Log,
    count,
    duration,
    groups_of,
    known,
    last_facts,
    number,
    overflows,
    stated_memory,
    timer,
)
from ingest.readers.timer_tables.timer_kind import (
    MAX_PHASES,
    WHOLE_RUN,
    Choice,
    Facts,
    Placed,
    RowForm,
    Timer,
    TimerRow,
    TimerTable,
    compiled,
)
from ingest.run_settings import stopped, what_stops

_CALLED_BY = "Called by "
_EXCESS = 1.02  # times of callees over that of their caller, from which they are also called elsewhere
_MOVED = re.compile(r"\d+h\s*(\d+)m")  # minutes of the processor, then hours of the wall
_ROUNDING = 60.0  # seconds: from one hour on, whole minutes are printed


def _quantum_espresso(rows: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> Placed:
    """Put clocks below their callers; those whose caller is not known or took less than they overlap."""
    program = facts.get("_program", "")
    rows, moved = _in_their_columns(rows, facts.get("version", ""))
    block = _headed_by_repeated(_last_block(rows, program))
    clocks = {(row.group, row.name): _seconds(row) for row in block if row.name != program}
    total = next((_seconds(row) for row in reversed(block) if row.name == program), None)
    seconds = {name: value.seconds for (_, name), value in clocks.items()}
    parents = {}
    for group, name in clocks:
        if group == "" or group.startswith(_CALLED_BY):
            parents[name] = _caller(group.removeprefix(_CALLED_BY), name, seconds)
    whole = program or "whole run"
    seconds[""] = total.seconds if total else sum(seconds[n] for n, above in parents.items() if above == "")
    doubtful = _too_long(parents, seconds)
    timers, overlapping = [Timer(path=(whole,), seconds=seconds[""])], []
    for (_, name), clock in clocks.items():
        if path := _path(name, parents, doubtful):
            timers.append(replace(clock, path=(whole, *path)))
        else:
            overlapping.append(replace(clock, overlapping=True))
    notices = moved + tuple(
        f"the clocks below '{above or whole}' took longer than it did: they are also called elsewhere"
        for above in sorted(doubtful)
    )
    return Placed(timers=(*timers, *overlapping), total=total.seconds if total else None, notices=notices)


_TASK, _STEP = "Task", "diis"
_SOLUTIONS = {"Time for solution": "SCF solution", "Total iterative time": "DFT iterations"}
_MAX_MODULES = 4  # that a task is called after


def _nwchem(found: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> Placed:
    """Name tasks by the modules that they pass, add those of one name, and put the solutions below them.

    A solution that took longer than its task has other seconds, those of processors, and is left out.
    """
    seconds: defaultdict[tuple[str, ...], float] = defaultdict(float)
    calls: Counter[tuple[str, ...]] = Counter()
    inside: defaultdict[str, float] = defaultdict(float)
    steps = 0
    modules: list[str] = []
    for row in found:
        if row.name == _STEP:
            steps += 1
        elif row.name in _SOLUTIONS:
            inside[_SOLUTIONS[row.name]] += number(row.values.get("seconds"), row.name)
        elif row.name != _TASK:
            modules.append(_module(row.name))
        else:
            took = number(row.values.get("seconds"), "the time of a task")
            task = ", ".join(list(dict.fromkeys(modules))[:_MAX_MODULES]) or "task without a module"
            seconds[(task,)] += took
            calls[(task,)] += 1
            fits = sum(inside.values()) <= took
            for name, part in inside.items() if fits else ():
                seconds[task, name] += part
                calls[task, name] += steps if name == "DFT iterations" else 1
            inside, steps, modules = defaultdict(float), 0, []
    timers = [Timer(path=path, seconds=took, calls=float(calls[path])) for path, took in seconds.items()]
    return Placed(timers=timers, total=known(facts.get("total")))


_Place: TypeAlias = Callable[[Sequence[TimerRow], Facts, TimerTable], Placed]

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_PHASES = ("Initialisation", "Calculation", "Finalisation")  # of CASTEP
_OTHER = "Other"  # what a routine of AMBER does in addition to those above it
_CPU_TIME = ("times are CPU seconds",)
_PME = ("PME mesh", "PME GPU mesh")  # the rows that the second table of GROMACS breaks down
_TOTAL, _SIMULATION = "Total time for ", "simulation"  # rows of Cactus that end a bin, and the table
_PARTS = "PME mesh"  # its heading; before 5 it has none
_WAIT = "PME wait for PP"  # without ranks of its own, PME waits for nothing: what is printed is no time


def _rows(found: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> Placed:
    """Place rows side by side, or below their headings."""
    timers: list[Timer] = []
    named: dict[str, str] = {}
    if kind.running:
        found = list({(row.group, row.name): row for row in found}.values())
        named = {fact: text for row in found for fact, text in row.values.items() if fact != "seconds"}
    for row in found:
        if (row.group and kind.under_headings == "ignored") or row.name in kind.skipped:
            continue
        if "seconds" not in row.values or (kind.under_headings == "named" and not row.group):
            continue
        name = row.group if kind.under_headings == "named" else kind.renamed.get(row.name, row.name)
        path = (row.group, name) if kind.under_headings == "parents" else (name,)
        overlapping = row.name in kind.overlapping or "*" in kind.overlapping
        one = timer(row, path, overlapping=overlapping)
        timers.append(one if kind.unit == 1.0 else replace(one, seconds=kind.unit * one.seconds))
        if row.name == kind.last_row:
            break
    stated = {**named, **_counted(timers, kind), **_steps_between(facts), **in_grid({**facts, **named})}
    return Placed(timers=tuple(timers), total=_total(found, facts, kind), facts=stated)


def _counted(timers: Sequence[Timer], kind: TimerTable) -> dict[str, str]:
    stated = {}
    for fact, names in kind.counted.items():
        calls = next((timer.calls for timer in timers if timer.path[-1] in names), None)
        if calls is not None:
            stated[fact] = f"{calls:.0f}"
    return stated


def _steps_between(facts: Facts) -> dict[str, str]:
    first, last = count(facts, "_first_step") or 0, count(facts, "last_step") or 0
    return {"steps": f"{last - first + 1}"} if last > first else {}


def in_grid(facts: Facts) -> dict[str, str]:
    """Return the processes of a grid such as ``24, 12, 12``."""
    sides = [int(side) for side in re.findall(r"[0-9]{1,7}", facts.get("_grid", ""))]
    stated = "processes" not in facts and 0 < len(sides) < 5 and all(sides)
    return {"processes": str(math.prod(sides))} if stated else {}


def _total(found: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> float | None:
    """Return the stated total, or the largest of the column of totals, of the program's row if any."""
    if not kind.total_row:
        return known(facts.get("total"))
    whole = [row for row in found if row.name == kind.total_row] or found
    return max(
        (value for row in whole if (value := known(row.values.get("total"))) is not None), default=None
    )


def _indented(found: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> Placed:
    """Put every timer below the one above it that is further left, and all below the whole run."""
    total = known(facts.get("total"))
    timers = [
        timer(row, (WHOLE_RUN, *(caller.name for caller in callers), row.name))
        for row, callers in _callers(found)
    ]
    listed = sum(timer.seconds for timer in timers if len(timer.path) == 2)
    whole = Timer(path=(WHOLE_RUN,), seconds=listed if total is None else total)
    return Placed(timers=(whole, *timers) if timers else (), total=total)


def _callers(found: Sequence[TimerRow]) -> list[tuple[TimerRow, tuple[TimerRow, ...]]]:
    """Return each row with those around it, from the root down: rows above it that are further left."""
    above: list[TimerRow] = []
    with_callers = []
    for row in found:
        while above and above[-1].indent >= row.indent:
            above.pop()
        with_callers.append((row, tuple(above)))
        above.append(row)
    return with_callers


def _amber(found: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> Placed:
    """Put the routines of sander below their callers, which stand below them; those of pmemd are a list."""
    tree = [row for row in found if "parent" in row.values]
    if not tree:
        return _major_routines(found, facts)
    averages = [row for row in tree if row.group == "Average"]
    timers = []
    for row, callers in _callers((averages or tree)[::-1]):
        name = f"{_OTHER} ({callers[-1].name})" if row.name == _OTHER and callers else row.name
        timers.append(timer(row, (*(caller.name for caller in callers), name)))
    roots = [timer for timer in timers if len(timer.path) == 1]
    total = roots[0].seconds if len(roots) == 1 else None
    return Placed(timers=tuple(timers), total=total, notices=_CPU_TIME)


def _major_routines(found: Sequence[TimerRow], facts: Facts) -> Placed:
    """Return the routines of pmemd; the tables below split them further."""
    timers = [timer(row) for row in found if row.group.startswith("NonSetup") and row.name != "Total"]
    if (setup := known(facts.get("_setup"))) is not None:
        timers.append(Timer(path=("Setup",), seconds=setup))
    if "_nonsetup" in facts and len(timers) == 1:  # no routines are timed on GPUs
        timers.append(Timer(path=("NonSetup",), seconds=number(facts["_nonsetup"], "the time after setup")))
    return Placed(timers=timers, total=known(facts.get("_total")), notices=_CPU_TIME)


def _castep(found: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> Placed:
    """Put the iterations, and what the calculation did before the first of them, below the calculation."""
    phases = {row.name: timer(row) for row in found if row.name in _PHASES}
    total = next((timer(row) for row in reversed(found) if row.name == "Total"), None)
    timers = [phases[name] for name in _PHASES if name in phases]
    if not timers or total is None:
        return Placed(timers=())
    loops: list[list[float]] = []
    for row in found:
        if (stamp := known(row.values.get("stamp"))) is not None:
            if row.name == "Initial" or not loops:
                loops.append([])
            loops[-1].append(stamp)
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
    return Placed(timers=tuple(timers), total=total.seconds, facts=stated)


def _cactus(found: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> Placed:
    """Put routines below their bins, which end with their total; the last total is that of the simulation.

    What a bin takes in addition to its routines is its own.
    """
    timers: list[Timer] = []
    routines: list[TimerRow] = []
    total = None
    for row in found:
        if row.values.get("thorn") or not row.name.startswith(_TOTAL):
            routines.append(row)
        elif (bin_name := row.name.removeprefix(_TOTAL)) == _SIMULATION:
            total = known(row.values.get("seconds"))
        else:
            named = ((f"{routine.values.get('thorn', '')}: {routine.name}", routine) for routine in routines)
            own = [timer(routine, (bin_name, name)) for name, routine in named]
            rest = timer(row).seconds - sum(one.seconds for one in own)
            timers += [Timer(path=(bin_name,), seconds=max(rest, 0.0)), *own]
            routines = []
    return Placed(timers=timers, total=total)


def _gptl(found: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> Placed:
    """Place sums over the ranks; the first set of `TimerTable.wholes` that occurs holds all others."""
    if not all("walltotal" in row.values for row in found):
        raise InputError(
            f"the columns of GPTL are not known: {', '.join(found[0].values)[:120]}",
            hint="a column 'walltotal' is needed",
        )
    names = {row.name for row in found}
    roots = next((whole for whole in kind.wholes if names.intersection(whole)), ())
    timers = tuple(_of_gptl(row, facts, row.values["walltotal"], row.name not in roots) for row in found)
    running = [row.name for row in found if row.values.get("on") == "y"]
    bare = sum("quote" not in row.values for row in found)
    notices = []
    if running:
        notices.append(f"timers that were running as the table was written: {', '.join(running[:3])}")
    if bare:
        notices.append(f"{bare} of {len(found)} names of timers stand without quotes")
    return Placed(timers=timers, notices=tuple(notices))


def _gptl_means(found: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> Placed:
    """Sum the means over the ranks that called a timer."""
    timers = []
    for row in (row for row in found if "mean" in row.values):
        mean, ranks = (
            number(row.values[name], f"the {name} of '{row.name[:80]}'") for name in ("mean", "ranks")
        )
        timers.append(_of_gptl(row, facts, str(mean * ranks), True))
    running = len(found) - len(timers)
    notices = (f"timers that were running, without values: {running}",) if running else ()
    return Placed(timers=tuple(timers), notices=notices)


def _of_gptl(row: TimerRow, facts: Facts, seconds: str, overlapping: bool) -> Timer:
    calls = known(row.values.get("count"))
    return Timer(
        path=(row.name,),
        seconds=number(seconds, f"the time of '{row.name[:80]}'"),
        calls=None if calls is None else calls / (count(facts, "processes") or 1),
        least=known(row.values.get("wallmin")),
        most=known(row.values.get("wallmax")),
        overlapping=overlapping,
    )


def _gromacs(found: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> Placed:
    """Turn cycles into seconds, and put the parts of PME below it."""
    end = next((i for i, row in enumerate(found) if row.name == "Total" and not row.group), None)
    if end is None:
        return Placed(timers=())
    total, parts = found[end], [row for row in found[end + 1 :] if row.group in ("", _PARTS)]
    main = [row for row in found[:end] if not row.group and row.name != _WAIT]
    main += [row for row in found if row.name == _WAIT and ("pme_ranks" in facts or "calls" in row.values)]
    main = [replace(row, name=row.name.removesuffix("*").strip()) for row in main]
    layout = _layout(main, total, facts)
    cycles = number(total.values.get("cycles"), "the total of cycles")
    core = _core_seconds(facts, total, (count(layout, "processes") or 1) * (count(layout, "threads") or 1))
    scale = core / cycles if cycles > 0 else 0.0
    timers = [_of_cycles(row, (row.name,), scale) for row in main]
    if whole := next((row.name for row in main if row.name in _PME), ""):
        timers += [_of_cycles(row, (whole, row.name), scale) for row in parts]
    return Placed(timers=timers, total=core, facts={**layout, **_counted(timers, kind)})


def _of_cycles(row: TimerRow, path: tuple[str, ...], seconds_per_cycle: float) -> Timer:
    cycles = number(row.values.get("cycles"), f"the cycles of '{row.name[:80]}'")
    return timer(row, path, seconds=cycles * seconds_per_cycle)


def _layout(main: Sequence[TimerRow], total: TimerRow, facts: Facts) -> dict[str, str]:
    """Return the ranks of the run: of the table, or of the log, or of the total, or the most of a row."""
    both = (count(facts, "_pp") or 0) + (count(facts, "pme_ranks") or 0)
    of_row = max((count(row.values, "ranks") or 1 for row in main), default=1)
    ranks = both or count(facts, "processes") or count(total.values, "calls") or of_row
    stated = count(facts, "threads") if "pme_ranks" not in facts else None  # PME may have others
    cores = round((known(facts.get("_percent")) or 0.0) / 100)
    computed = cores // ranks if cores >= ranks and cores % ranks == 0 else None
    threads = stated or computed or count(facts, "threads") or 1
    return {"processes": str(ranks), "threads": str(threads)}


def _core_seconds(facts: Facts, total: TimerRow, cores: int) -> float:
    if facts.get("_unit") == "Core t" and (core := known(facts.get("_core"))):
        return core
    if "core" in total.values:
        return number(total.values["core"], "the total of seconds")
    return number(total.values.get("wall"), "the total wall time") * cores


def _namd(found: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> Placed:
    """Take the last cumulative time; steps before the first of this run took none of it.

    Short runs print none: only their whole time is known.
    """
    last = next((row for row in reversed(found) if row.name == "TIMING"), None)
    if last is None:
        return Placed(timers=(timer(found[-1], (WHOLE_RUN,)),), total=known(facts.get("total")))
    steps = max(number(last.values.get("step"), "the last step") - (count(facts, "_first") or 0), 0.0)
    seconds = number(last.values.get("seconds"), "the time of the steps")
    timers = (Timer(path=("time steps",), seconds=seconds, calls=steps),)
    return Placed(
        timers=timers,
        total=known(facts.get("total")),
        facts={"steps": f"{steps:.0f}", **_rate_of_steps(facts, steps)},
    )


def _rate_of_steps(facts: Facts, steps: float) -> dict[str, str]:
    """Return NAMD's rate, which is that of some steps alone, and the seconds of all steps at that rate."""
    step, rate = known(facts.get("_step_seconds")), known(facts.get("_ns_per_day"))
    inverse = known(facts.get("_days_per_ns"))
    rate = rate or (1 / inverse if inverse else None)
    return {"rate": f"{rate:.6g}", RATE_SECONDS: repr(step * steps)} if step and rate else {}


def _petsc(found: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> Placed:
    """Put events below their stages. Numbers in the names of stages are often sizes: runs should agree."""
    stages, events = {}, []
    for row in found:
        place, _, name = (row.group or row.name).partition(":")
        stage = f"{place.strip()}: {_NUMBER.sub('#', name.strip())}"
        if row.group:
            events.append((timer(row, (stage, row.name), overlapping=True), known(row.values.get("percent"))))
        else:
            stages[stage] = timer(row, (stage,))
    means = []
    for event, percent in events:  # the largest mean that the maximum and the whole percents allow
        if whole := stages.get(event.path[0]):
            mean = math.inf if percent is None else (percent + 0.5) / 100 * whole.seconds
            means.append(replace(event, most=event.seconds, seconds=min(event.seconds, mean)))
    return Placed(timers=(*stages.values(), *means), total=known(facts.get("total")))


_ALL = (
    _rows,
    _indented,
    _amber,
    _cactus,
    _castep,
    _gptl,
    _gptl_means,
    _gromacs,
    _namd,
    _nwchem,
    _petsc,
    _quantum_espresso,
)
_PLACEMENTS: Mapping[str, _Place] = {place.__name__.removeprefix("_"): place for place in _ALL}


def _module(heading: str) -> str:
    """Return the name of a module in its heading: ``NWChem DFT Module``, ``NWPW PSPW Calculation``."""
    if heading == "parallel ccsd":
        return "CCSD"
    return heading.removeprefix("NWChem ").removesuffix(" Module").removesuffix(" Calculation")


def _in_their_columns(rows: Sequence[TimerRow], version: str) -> tuple[list[TimerRow], tuple[str, ...]]:
    """Correct wall times from one hour on in version 6.3, by the line below or else by the processor time."""
    found: list[TimerRow] = []
    for row in rows:
        if version.startswith("6.3") and (moved := _MOVED.fullmatch(row.values.get("wall", ""))):
            found.append(replace(row, values={**row.values, "wall": row.values["cpu"], "hours": moved[1]}))
        elif row.name:
            found.append(row)
        elif found and (hours := found[-1].values.get("hours")):
            wall = f"{hours}h{row.values['minutes']}m"
            found[-1] = replace(found[-1], values={**found[-1].values, "wall": wall})
    moved_any = any("hours" in row.values for row in found)
    return found, ("wall times from one hour on, which pw.x 6.3 prints wrongly, are corrected",) * moved_any


def _last_block(rows: Sequence[TimerRow], program: str) -> Sequence[TimerRow]:
    """Return the clocks that were printed last, with the line of the program, which comes first or last."""
    totals = [i for i, row in enumerate(rows) if row.name == program]
    if not totals:
        return rows
    if "first" in rows[totals[-1]].values:  # versions before 4.1
        return rows[totals[-1] :]
    return rows[totals[-2] + 1 if len(totals) > 1 else 0 : totals[-1] + 1]


def _headed_by_repeated(rows: Sequence[TimerRow]) -> list[TimerRow]:
    """Put clocks below the one that was printed again above them, if no heading says who called them."""
    printed: set[str] = set()
    headed, caller, heading = [], "", ""
    for row in rows:
        caller, heading = (caller if row.group == heading else ""), row.group
        if row.group.startswith(_CALLED_BY) or row.group.endswith("routines"):
            headed.append(row)
        elif row.name in printed:
            caller = row.name
        else:
            headed.append(replace(row, group=f"{_CALLED_BY}{caller}" if caller else ""))
        printed.add(row.name)
    return headed


def _seconds(row: TimerRow) -> Timer:
    text = row.values.get("wall") or row.values.get("cpu") or ""
    return timer(row, seconds=duration(text, f"the time of '{row.name[:80]}'"))


def _caller(group: str, name: str, known: dict[str, float]) -> str | None:
    """Return who called a clock: the name before its colon, the heading, the program, or None if unknown."""
    above, colon, _ = name.partition(":")
    potential = f"{group}:pot"  # calls all others that are called by h_psi
    if group == "h_psi" and potential in known and name not in (potential, "h_psi:init"):
        return potential
    if colon and above in known and above != name:
        return above
    if not group:
        return ""
    return next((other for other in known if other != name and fnmatchcase(other, group)), None)


def _too_long(parents: dict[str, str | None], seconds: dict[str, float]) -> set[str]:
    """Return the callers whose callees together took clearly longer than they did."""
    below: dict[str, float] = {}
    for name, above in parents.items():
        if above is not None:
            below[above] = below.get(above, 0.0) + seconds[name]
    return {
        name
        for name, total in below.items()
        if total > _EXCESS * seconds[name] + (_ROUNDING if seconds[name] >= 3600 else 0.05)
    }


def _path(name: str, parents: dict[str, str | None], doubtful: set[str]) -> tuple[str, ...]:
    """Return the callers of a clock from the program down, itself last; empty if they are not known."""
    path = [name]
    while len(path) <= len(parents):
        above = parents.get(path[0])
        if above is None or above in doubtful:
            return ()
        if above == "":
            return tuple(path)
        path.insert(0, above)
    return ()


_SECONDS = ("seconds", "wall", "walltotal", "cycles", "core", "mean", "stamp", "cpu")  # the first counts
_MAX_COPY = 1 << 18  # bytes of a table and what follows it that are compared with others

_MAX_TABLE = 1 << 20  # bytes within which a table ends
_ONE_RUN = "run 1 is the one that counts, a log of each would be a run of its own"
_PARENTHESES = re.compile(r"\([^()]*\)")


@dataclass(frozen=True)
class LogTables:
    """The tables in a log, read one by one."""

    log: Log
    kind: TimerTable  # how it prints them
    path: Path

    def read(self) -> tuple[list[Placed], tuple[str, ...]]:
        """Return the tables that count, and notices on the others."""
        begins = list(self.log.find(self.kind.begin))
        stops = [found.start for found in begins[1:]] + [len(self.log.content)] * bool(begins)
        stated = {**last_facts(self.log, self.kind.facts), **stated_memory(self.log, self.kind.memory)}
        places = list(zip(begins, stops, strict=True))
        if self.kind.choice is Choice.EACH:
            places = self._without_copies(places)
        forwards = (table for place in places if (table := self._table(*place, stated)))
        backwards = (table for place in reversed(places) if (table := self._table(*place, stated)))
        notices: tuple[str, ...] = ()
        if self.kind.choice is Choice.LAST:
            found = [table] if (table := next(backwards, None)) else []
            several = sum(map(self._has_rows, places))
            if several > 1:
                notices = (f"{several} tables of timers in it: the last is read",)
        elif self.kind.choice is not Choice.CUMULATIVE:
            programs = self.kind.choice is Choice.PROGRAMS
            found = _distinct(forwards, MAX_PHASES + 1 if programs else None)
            if programs and len(found) > 1:
                number = f"{len(found)}" if len(found) <= MAX_PHASES else f"more than {MAX_PHASES}"
                notices = (f"{number} runs of the program in one log: {_ONE_RUN}",)
        else:
            found, notices = _continued(next(forwards, None), next(backwards, None), forwards)
        if not found:
            stated = last_facts(self.log, (self.kind.begin, *self.kind.facts))
            raise InputError(f"{self._stopped(stated)}: no table of timers in it", where=str(self.path))
        ended, started = self.kind.ended, self.kind.started
        last = begins[-1].start
        if (
            (ended and not next(self.log.find(ended), None))
            or (started and next(self.log.find(started, last), None))
            or self._torn(last)
        ):
            notices = (*notices, "the log ends before the run: these are its timers up to there")
            found[-1] = replace(
                found[-1], facts={**found[-1].facts, "_stopped": self._stopped(found[-1].facts)}
            )
        return found, notices

    def _torn(self, begin: int) -> bool:
        """Return whether the run was killed while it printed its last table."""
        if not self.kind.end or not what_stops(self.log.content):
            return False
        end = re.compile(self.kind.end.encode(), re.MULTILINE)
        return end.search(self.log.content[begin : begin + _MAX_TABLE]) is None

    def _stopped(self, facts: Facts) -> str:
        """Say of which program a log without an end is, and on how many processes it ran."""
        processes = count({**in_grid(facts), **facts}, "processes")
        return stopped(self.kind.name, processes, self.log.content)

    def _without_copies(self, places: Sequence[tuple[Found, int]]) -> list[tuple[Found, int]]:
        """Leave out small tables that are copies of others to the letter, without reading them."""
        kept: dict[bytes | int, tuple[Found, int]] = {}
        for begin, stop in places:
            small = stop - begin.start <= _MAX_COPY
            kept.setdefault(
                bytes(self.log.content[begin.start : stop]).strip() if small else stop, (begin, stop)
            )
        return list(kept.values())

    def _table(self, begin: Found, stop: int, log_facts: Facts) -> Placed | None:
        rows = self._scattered(begin, stop) if self.kind.scattered else None
        facts: dict[str, str] = {}
        if rows is None:
            facts, rows = self._below_headers(begin, stop)
        facts = {**log_facts, **begin.facts, **facts}
        times = [next((row.values[of] for of in _SECONDS if of in row.values), "") for row in rows]
        lost = dict.fromkeys(row.name for row, time in zip(rows, times, strict=True) if overflows(time))
        totals = [facts.get("total", ""), *(row.values.get("total", "") for row in rows)]
        rows = [row for row in rows if row.name not in lost]
        if "_serial" in facts:
            facts.setdefault("processes", "1")
        try:
            something = rows or not self.kind.scattered
            placed = _PLACEMENTS[self.kind.place](rows, facts, self.kind) if something else Placed(timers=())
            if placed.total is None and (lost or any(map(overflows, totals))):
                raise InputError("the total is unknown: a time is too large for its column (****)")
        except InputError as error:
            raise InputError(error.what, where=str(self.path), hint=error.hint) from error
        text = f"times too large for their columns, ****, are unknown: {short_list(list(lost))}"
        notices = (*placed.notices, *([text] if lost else ()))
        return replace(placed, facts={**facts, **placed.facts}, notices=notices) if placed.timers else None

    def _has_rows(self, place: tuple[Found, int]) -> bool:
        """Return whether there is anything to read in a table, without reading it."""
        rows = [line for line in self.kind.scattered if "?P<name>" in line.pattern]
        return not rows or any(next(self.log.find(line, place[0].start, place[1]), None) for line in rows)

    def _scattered(self, begin: Found, stop: int) -> list[TimerRow]:
        """Read rows that stand anywhere, each found by its text."""
        lines = (self.log.find(line, begin.start, stop) for line in self.kind.scattered)
        rows = _rows_of(merge(*lines, key=lambda line: line.start))
        return _added_calls(rows) if self.kind.each_call else list(rows)

    def _below_headers(self, begin: Found, stop: int) -> tuple[dict[str, str], list[TimerRow]]:
        """Read the rows of a table line by line, and the facts that its lines state."""
        kind, lines = self.kind, list(self._lines(begin.start, stop))
        facts: dict[str, str] = {}
        rows: list[TimerRow] = []
        group = ""
        columns: tuple[str, ...] = ()
        form = next((form for form in kind.forms if not form.header), None)
        for at, line in enumerate(lines):
            if not line.strip():
                continue
            for pattern in kind.within:
                if match := compiled(pattern).search(line):
                    facts |= {name: value for name, value in match.groupdict().items() if value is not None}
            if kind.heading and (match := compiled(kind.heading).search(line)):
                group = (match["group"] or "").strip()
            elif kind.header and compiled(kind.header).search(line):
                form = _form_below(kind, line, lines[at + 1] if at + 1 < len(lines) else "")
                if form is None:
                    place = self.log.line_number(begin.start) + at
                    raise InputError(
                        f"line {place}: a header of {kind.name} that is not known: {line.strip()[:120]}",
                        where=str(self.path),
                        hint="please report it with a sample of the table",
                    )
                # what is in parentheses belongs to the word before
                columns = form.columns or tuple(_PARENTHESES.sub(" ", line).split()[1:])
            elif form is not None and (row := _row(form, columns, lines[max(at - 1, 0) : at + 1], group)):
                rows.append(row)
        return facts, rows

    def _lines(self, start: int, stop: int) -> Iterator[str]:
        lines = self.log.lines(start, stop)
        yield next(lines, "")
        for line in lines:
            if self.kind.end and compiled(self.kind.end).search(line):
                return
            yield line


def _rows_of(lines: Iterable[Found]) -> Iterator[TimerRow]:
    group = ""
    for found in lines:
        facts = dict(found.facts)
        group = facts.pop("group", group).strip()
        if "name" in facts:
            yield TimerRow(group=group, name=facts.pop("name").strip(), values=facts)


def _added_calls(calls: Iterable[TimerRow]) -> list[TimerRow]:
    """Add the rows of a timer, each of which is a call; the sum is unknown if one of them is."""
    sums: dict[tuple[str, str], list[float]] = {}
    lost: dict[tuple[str, str], str] = {}
    for call in calls:
        text = call.values.get("seconds", "")
        added = sums.setdefault((call.group, call.name), [0.0, 0.0])
        added[0] += known(text) or 0.0
        added[1] += known(text) is not None
        if overflows(text):
            lost[call.group, call.name] = text
    return [
        TimerRow(group=at[0], name=at[1], values={"seconds": lost.get(at, repr(total)), "calls": repr(count)})
        for at, (total, count) in sums.items()
        if count or at in lost
    ]


def _form_below(kind: TimerTable, line: str, below: str) -> RowForm | None:
    """Return the form of the rows below a header, None if it is not known."""
    squeezed = " ".join(f"{line} {below}".split())
    return next((form for form in kind.forms if form.header and compiled(form.header).match(squeezed)), None)


def _row(form: RowForm, columns: Sequence[str], last: Sequence[str], group: str) -> TimerRow | None:
    """Read a row from the last of two lines; it may have begun in the one before."""
    line = last[-1]
    if form.begun and compiled(form.begun).search(last[0]):
        line = last[0].rstrip() + line
    named = groups_of(compiled(form.row), line)
    if named is None:
        return None
    name = named.pop("name").strip()
    if "values" in named:
        text = named.pop("values")
        if form.separator:
            cells = text.strip().strip(form.separator).split(form.separator)
            values = [
                f"{cell.strip()} ".split(" ")[0].rstrip("s%") for cell in cells
            ]  # without units and ranks
        else:
            values = (text if form.columns else _PARENTHESES.sub(" ", text)).split()
        if len(values) > len(columns) or (len(values) < len(columns) and not form.columns):
            return None
        named |= dict(zip(columns[len(columns) - len(values) :], values, strict=True))
    return TimerRow(group=group, name=name, values=named, indent=len(line) - len(line.lstrip(" |")))


def _distinct(tables: Iterator[Placed], most: int | None) -> list[Placed]:
    """Return the first tables that differ; what is behind them is not read."""
    seen: set[tuple[tuple[tuple[str, ...], float], ...]] = set()
    found = []
    for table in tables:
        content = tuple((timer.path, timer.seconds) for timer in table.timers)
        if content not in seen:
            seen.add(content)
            found.append(table)
        if len(found) == most:
            break
    return found


def _continued(
    first: Placed | None, last: Placed | None, others: Iterator[Placed]
) -> tuple[list[Placed], tuple[str, ...]]:
    """Choose among tables that a run prints repeatedly.

    A table that goes on counting has all timers of those before and a total that is not smaller. One that
    lost timers and has a larger total comes from another run. All others were reset, and are added.
    """
    if first is None or last is None:
        return [], ()
    grown = (last.total or 0.0) >= (first.total or 0.0)
    paths = {timer.path for timer in last.timers}
    if grown and all(timer.path in paths for timer in first.timers):
        return [last], ()
    rest = list(others)
    if grown:
        return [first], (f"tables of timers that seem to be of other runs are not read: {len(rest)}",)
    return [added_tables([first, *rest])], (f"{len(rest) + 1} tables of timers, reset in between, are added",)


def added_tables(tables: Sequence[Placed]) -> Placed:
    """Add tables timer by timer."""
    timers: dict[tuple[tuple[str, ...], bool], Timer] = {}
    for table in tables:
        for one in table.timers:
            key = one.path, one.overlapping
            timers[key] = timers[key].plus(one) if key in timers else one
    totals = [table.total for table in tables]
    total = None if None in totals else float(sum(value or 0.0 for value in totals))
    facts = {name: text for name, text in tables[-1].facts.items() if name != "rate"}  # that of one table
    return replace(tables[-1], timers=tuple(timers.values()), total=total, facts=facts)
