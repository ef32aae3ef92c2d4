"""OpenFOAM: cases with its built-in profiling, and the bare logs of solvers.

Profiling (ESI versions, ``profiling { active true; }`` in controlDict): every process writes a dictionary of
triggers with ``id``, ``parentId``, ``description``, ``calls``, ``totalTime`` and ``childTime`` in wall
seconds, counted from the start of the run. The iterations of linear solvers come from the log next to it, if
there is one: a line per solution, such as ``smoothSolver:  Solving for Ux, Initial residual = 1, Final
residual = 2.5e-06, No Iterations 12``; of a vector it is a line per component, or one line with the numbers
of all components in brackets.

Logs of any version and fork, such as ``log.simpleFoam``, are read block by block: they may be huge. A log
states wall time by step and the iterations of each linear solver, not what a solver takes: that is only in
the profiling. So the time of the steps is one kernel, whose factors are the iterations of all solvers and the
time per iteration; the iterations for each field are a metric of their own.

A run begins with a header (``Exec   : simpleFoam -parallel``, ``nProcs : 4``). Each step is ``Time = 0.005``,
a line per solution of a linear system, and ``ExecutionTime = 1.25 s  ClockTime = 2 s``: processor seconds of
the first process and whole wall seconds since the start. Newer versions can print both as ``1-02:03:04.5``.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from ingest.calltree import ROOT, CallTree, CallTreeBuilder
from ingest.errors import InputError, one_line
from ingest.number_text import value_text
from ingest.profile import (
    LocationTable,
    Metric,
    Profile,
    RegionTable,
    ValuesInMemory,
    require_possible,
    require_summable,
)
from ingest.readers import ProfileReader
from ingest.reading.files import blocks_of, ends_of, entries, head, is_folder, read_text, stamp
from ingest.reading.stacks import TIME_METRIC, VISITS_METRIC
from ingest.run_settings import (
    METADATA,
    PROGRAM_SETTING,
    RECONCILED,
    SETTING,
    SIZES,
    STATISTIC,
    STEPS,
    STOPPED,
    TIME_PER_STEP,
    processes_text,
    stopped,
)

_ITERATIONS = Metric("iterations", "")

_LINE = re.compile(
    rb"\n(?:"
    rb"(?P<solver>[^\s:]++): ++Solving for (?P<field>[^\s,]++)"
    rb"(?:, Initial residual = (?P<residual>[^,\n]++))?"
    rb"[^\n]* No Iterations (?P<count>\d{1,9}|\([\d ]{1,99}\))(?=\s)"
    rb"|ExecutionTime = (?P<cpu>[-\d.:e+]++)(?: s)?(?: ++ClockTime = (?P<clock>[-\d.:e+]++))?"
    rb"|Time = (?P<time>[^\s:]+)"
    rb"|(?P<key>Build|Exec|nProcs|Host) *+: (?P<value>[^\n]*)"
    rb'|(?: ++\(|")(?P<host>[^\s"()]{1,255})(?: \d+\)|\.\d+")(?=\s)'
    rb"|(?P<end>End|Finalising parallel run)(?=\s)"
    rb"|(?:\[\d+\] *)?--> (?P<failed>FOAM FATAL)"
    rb")"
)
_CLOCK = re.compile(rb"(?:(?P<days>\d+)-)?(?:(?:(?P<hours>\d+):)?(?P<minutes>\d+):)?(?P<seconds>[\d.e+-]+)")
_LONGEST = 1e12  # seconds: more is damage


@dataclass(kw_only=True)
class _SolvedField:
    """How a field was solved for over a run: ``p``, or a component as in ``Ux``."""

    solver: str  # of the linear systems, such as ``GAMG``
    residual: bytes = b""  # the initial residual of the last solution, as it is printed; empty if it is not
    solutions: int = 0
    iterations: int = 0
    first: int = 0  # iterations up to the end of the first step


@dataclass(kw_only=True)
class _SolverRun:
    """What was printed from one header to the next."""

    stated: dict[str, str] = field(default_factory=dict)  # what the header says, by its names
    hosts: set[str] = field(default_factory=set)  # names of the nodes
    solved: dict[bytes, _SolvedField] = field(default_factory=dict)  # what was solved for, by its name
    steps: int = 0
    start: float = 0.0  # wall seconds at the end of the first step
    seconds: float = 0.0  # wall seconds at the end of the last step
    # the times printed last, of the processor and of the wall, the latter None if there is none
    clock: tuple[float, float | None] = (0.0, None)
    ended: bool = False  # whether the solver came to its end
    failed: bool = False  # whether it gave up with an error

    @property
    def fields(self) -> dict[str, _SolvedField]:
        """What was solved for, by its name as text."""
        return {name.decode("utf-8", "replace"): one for name, one in self.solved.items()}

    def solve(self, line: re.Match[bytes]) -> None:
        """Count the iterations of one solution."""
        name, residual, count = line.group("field", "residual", "count")
        if (found := self.solved.get(name)) is None:
            found = self.solved[name] = _SolvedField(solver=line["solver"].decode("utf-8", "replace"))
        found.solutions += 1
        found.iterations += int(count) if count.isdigit() else sum(map(int, count.strip(b"()").split()))
        found.residual = residual or b""

    def finish_step(self, cpu: float, clock: float | None, *, begun: bool) -> None:
        """Take the times at the end of a step; solvers that print them more than once take no more steps."""
        self.clock, self.seconds = (cpu, clock), max(_wall_seconds(cpu, clock), self.seconds)
        if begun or not self.steps:
            self.steps += 1
        if self.steps == 1:
            self.start = self.seconds
            for one in self.solved.values():
                one.first = one.iterations


def _solver_runs(blocks: Iterable[bytes]) -> list[_SolverRun]:
    """Return the runs in blocks of whole lines."""
    run = _SolverRun()
    runs, begun = [run], False
    for line in (match for block in blocks for match in _LINE.finditer(b"\n" + block)):
        kind = line.lastgroup
        if kind == "count":
            run.solve(line)
        elif kind == "time":
            begun = True
        elif kind in ("cpu", "clock"):
            cpu, clock = _seconds(line["cpu"]), _seconds(line["clock"])
            if cpu is not None:
                run.finish_step(cpu, clock, begun=begun)
                begun = False
        elif kind == "value":
            name = line["key"].decode()
            if name in run.stated:
                runs.append(run := _SolverRun())
            run.stated[name] = line["value"].decode("utf-8", "replace").strip(' "\r')
            run.hosts |= {run.stated[name]} if name == "Host" else set()
        elif kind == "host":
            run.hosts |= {line["host"].decode("utf-8", "replace")} if not run.steps else set()
        else:
            run.ended, run.failed = run.ended or kind == "end", run.failed or kind == "failed"
    return runs


def _seconds(text: bytes | None) -> float | None:
    match = _CLOCK.fullmatch(text) if text else None
    if match is None:
        return None
    days, hours, minutes = (int((match[name] or b"0")[:9]) for name in ("days", "hours", "minutes"))
    try:
        seconds = ((days * 24 + hours) * 60 + minutes) * 60 + float(match["seconds"])
    except ValueError:
        return None
    return seconds if 0 <= seconds < _LONGEST else None


def _wall_seconds(cpu: float, clock: float | None) -> float:
    """Return the wall seconds: those of the processor as far as whole seconds of the clock allow.

    The clock is one second off at most. Processes that wait for files or share cores take less processor time
    than wall time, several threads take more.
    """
    return cpu if clock is None else min(max(cpu, clock - 1.0), clock + 1.0)


_MESH = Path("constant", "polyMesh", "owner")
_LAST, _ALL = False, True
_CELLS = (
    ("checkMesh", re.compile(rb"^ *cells:\s+(\d{1,15})[ \r]*$", re.MULTILINE), _LAST),
    ("decomposePar", re.compile(rb"^ *Number of cells = (\d{1,15})[ \r]*$", re.MULTILINE), _ALL),
    ("snappyHexMesh", re.compile(rb"^\w+ mesh : cells:(\d{1,15})\s", re.MULTILINE), _LAST),
    ("blockMesh", re.compile(rb"^ *nCells: (\d{1,15})[ \r]*$", re.MULTILINE), _LAST),
)
"""Programs, what they print of cells, and whether all such numbers are added: one for each process."""

_OWNER = re.compile(rb"nCells: ?(\d{1,15})\b")


def _files_with_cells(log: Path) -> Iterator[Path]:
    """Yield the files next to a log that may say how many cells there are, the best first."""
    beside = [entry for entry in entries(log.absolute().parent) if entry.is_file() and entry.name != log.name]
    for program, _, _ in _CELLS:
        yield from (entry for entry in beside if program in entry.name)
    yield from (owner for owner in (log.absolute().parent / _MESH,) if owner.is_file())


_PER_STEP = Metric(TIME_PER_STEP, "s/step")
_START, _STEP_LOOP = "start-up and first step", "time steps"
_LEAST_STEPS = 2  # utilities print times, too, but once

_NUMBER = re.compile(r"[0-9]{1,7}")


def _matches_log(path: Path) -> bool:
    """Return whether a file is the log of a solver, by its beginning and end."""
    text = ends_of(path)
    if b"Exec " not in text:
        return False
    begun = b"\nStarting time loop" in text  # only solvers say so
    runs = _solver_runs([text]) if begun or b"ExecutionTime = " in text else []
    return _chosen(runs) is not None or (begun and not runs[-1].ended)


def read_solver_log(path: Path) -> Profile:
    """Read the last run in a log: as many locations as processes, all with the same values."""
    run, notices = _run(path)
    processes = _processes(run) or 1
    require_possible(processes, str(path))
    columns = _columns(run)
    callpaths = CallTreeBuilder()
    for region in (_START, _STEP_LOOP):
        callpaths.add([region])
    _, tree, names = callpaths.build()
    require_summable(columns[TIME_METRIC], "the times", str(path))
    values = {
        metric: np.broadcast_to(column[:, None], (len(tree), processes)) for metric, column in columns.items()
    }
    attributes = _attributes(run, processes, _cells_of(path))
    return _of_processes(str(path), tree, names, values, attributes, (*notices, *_log_notices(run)))


def _of_processes(
    source: str,
    tree: CallTree,
    names: Sequence[str],
    values: Mapping[Metric, FloatArray],
    attributes: Mapping[str, str],
    notices: tuple[str, ...],
) -> Profile:
    """Return the profile of processes, given float64[call path, process] of each metric."""
    processes = values[TIME_METRIC].shape[1]
    return Profile(
        source=source,
        tree=tree,
        regions=RegionTable.named(names, ["user"] * len(names)),
        locations=LocationTable.of_threads(np.arange(processes), np.zeros(processes, dtype=np.int64)),
        metrics=tuple(values),
        load=ValuesInMemory(tree, {metric.name: of for metric, of in values.items()}),
        attributes=attributes,
        notices=notices,
    )


def _columns(run: _SolverRun) -> dict[Metric, FloatArray]:
    """Return the values of start-up and steps: float64[2] each; iterations are those of the steps alone."""
    loop, later = run.seconds - run.start, run.steps - 1
    iterations = {name: one.iterations - one.first for name, one in run.fields.items()}
    of_steps = {
        _PER_STEP: loop / later,
        _ITERATIONS: sum(iterations.values()),
        **{Metric(f"{_ITERATIONS.name}_{name}", ""): count for name, count in iterations.items()},
    }
    return {
        TIME_METRIC: np.array([run.start, loop]),
        VISITS_METRIC: np.array([1.0, later]),
        **{metric: np.array([0.0, value]) for metric, value in of_steps.items() if value},
    }


def _run(path: Path) -> tuple[_SolverRun, tuple[str, ...]]:
    return _last_run(path, stamp(path))


@lru_cache(maxsize=4)
def _last_run(path: Path, stamp: tuple[int, ...]) -> tuple[_SolverRun, tuple[str, ...]]:
    """Read a log once for all questions; it may be large."""
    runs = _solver_runs(blocks_of(path))
    run = _chosen(runs)
    if run is None:
        what = _stopped(runs[-1], _program(runs[-1]))
        raise InputError(f"{what}: fewer than {_LEAST_STEPS} time steps in it", where=str(path))
    several = sum(one.steps >= _LEAST_STEPS for one in runs)
    return run, ((f"{several} runs of solvers in it: the last is read",) if several > 1 else ())


def _chosen(runs: list[_SolverRun]) -> _SolverRun | None:
    """Return the last run that is one of a solver; None if there is none."""
    stepping = (run for run in reversed(runs) if run.steps >= _LEAST_STEPS and run.seconds > run.start)
    return next((run for run in stepping if "Exec" in run.stated), None)


def _processes(run: _SolverRun) -> int | None:
    text = run.stated.get("nProcs", "")
    return int(text) or None if _NUMBER.fullmatch(text) else None


def _attributes(run: _SolverRun, processes: int, size: int | None) -> dict[str, str]:
    program = _program(run)
    cpu, clock = run.clock
    solvers: dict[str, list[str]] = {}
    for name, one in run.fields.items():
        solvers.setdefault(one.solver, []).append(name)
    settings = {
        "version": run.stated.get("Build", ""),
        "nodes": str(len(run.hosts) or ""),
        "cells": str(size or ""),
        "steps": str(run.steps),
        "linear solvers": "; ".join(f"{solver}: {', '.join(names)}" for solver, names in solvers.items()),
    }
    residuals = ", ".join(
        f"{name} {one.residual.decode('utf-8', 'replace')}" for name, one in run.fields.items()
    )
    walls = "no ClockTime" if clock is None else f"ClockTime {clock:.10g} s"
    times = f"wall time {run.seconds:.10g} s (ExecutionTime {cpu:.10g} s, {walls})"
    return {
        "generator": "OpenFOAM log",
        STATISTIC: f"wall time of the run ({processes_text(processes)})",
        RECONCILED: one_line(f"{times}; last initial residuals: {residuals}" if residuals else times)[:400],
        PROGRAM_SETTING: f"OpenFOAM {program}",
        STEPS: str(run.steps),
        **({STOPPED: _stopped(run, program)} if run.failed or not run.ended else {}),
        **({SIZES: "cells"} if size else {}),
        **{SETTING + name: one_line(text)[:200] for name, text in settings.items() if text},
        **({METADATA + "cells per process": f"{size / processes:.6g}"} if size else {}),
    }


def _program(run: _SolverRun) -> str:
    return run.stated.get("Exec", "").split(" ")[0].rpartition("/")[2] or "solver"


def _stopped(run: _SolverRun, program: str) -> str:
    return stopped(f"OpenFOAM {program}", _processes(run), b"FOAM FATAL" if run.failed else b"")


def _log_notices(run: _SolverRun) -> tuple[str, ...]:
    found = []
    if _processes(run) is None:
        found.append("the number of processes is not stated: name runs like app.p64.r1")
    if run.failed or not run.ended:
        why = "the solver gave up with an error" if run.failed else "the log ends before the run"
        found.append(f"{why}: {run.steps} steps up to there")
    if run.solved:
        found.append(
            "the log does not tell what single linear solvers took: their iterations are counted, times are"
            " those of whole steps (profiling in controlDict tells more)"
        )
    return tuple(found)


def _content(path: Path) -> Hashable:
    """Return what a log and a copy of it have in common."""
    run, _ = _run(path)
    return run.stated["Exec"], run.steps, run.start, run.clock, run.stated.get("Host", "")


def _cells_of(log: Path) -> int | None:
    """Return the number of cells, from the log itself if it begins with the mesh; None if nothing says it."""
    for file in (*_files_with_cells(log), log):
        if file.name == _MESH.name:
            found = _OWNER.search(head(file))
            number = int(found[1]) if found else 0
        else:
            number = _printed(ends_of(file))
        if number:
            return number
    return None


def _printed(text: bytes) -> int:
    for _, pattern, every in _CELLS:
        if numbers := [int(found[1]) for found in pattern.finditer(text)]:
            return sum(numbers) if every else numbers[-1]
    return 0


_MAX_BYTES = 256 << 20
_MAX_DEPTH = 64  # of dictionaries in each other

_TOKEN = re.compile(
    r'"(?P<string>(?:[^"\\]|\\.)*+)"|(?P<mark>[{};])|(?P<word>[^\s"{};]+)|(?P<open>".*)',  # never closed
    re.DOTALL,
)
_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)

FoamDictionary: TypeAlias = "dict[str, str | FoamDictionary]"
_ROUNDING = 1e-5  # relative: times are printed with six digits, and their differences carry the rounding

_PROCESSOR = re.compile(r"processor([0-9]{1,9})")
_TIME_LOOP = "time.run()"


@dataclass(frozen=True, kw_only=True)
class _Trigger:
    parent: int | None
    region: str
    calls: float
    total: float
    child: float


def matches(path: Path) -> bool:
    """Return whether a directory is a case that was run with profiling."""
    try:
        return is_folder(path) and any(_times(folder) for folder in _process_folders(path))
    except OSError:
        return False


def files(path: Path) -> list[Path]:
    """Return the profiling files and logs of a case, without the fields next to them, which can be huge."""
    profiling = [file for folder in _process_folders(path) for file in _times(folder).values()]
    return [*profiling, *_log_files(path)]


def read(path: Path) -> Profile:
    """Read a case directory: one location per process, exclusive wall seconds and calls per call path.

    Call paths of only some processes count zero on the others. ``time.run() CASE`` (in parallel
    ``time.run() CASEprocessorN``) is read as the region ``time.run()``: with the name of the case, call paths
    would not match between processes and runs.
    """
    chosen, notices = _last_profiling(path)
    callpaths = CallTreeBuilder()
    rows: list[tuple[int, int, float, float]] = []
    hosts: dict[str, None] = {}
    negative = 0
    for location, file in enumerate(chosen):
        content = parse_dictionary(read_text(file, _MAX_BYTES), str(file))
        triggers = _triggers(content, str(file))
        system = content.get("sysInfo")
        host = system.get("host") if isinstance(system, dict) else None
        hosts[host if isinstance(host, str) else ""] = None
        nodes = _place(triggers, callpaths, str(file))
        for number, trigger in triggers.items():
            own = trigger.total - trigger.child
            negative += own < -_ROUNDING * trigger.total
            rows.append((nodes[number], location, max(own, 0.0), trigger.calls))
    if negative:
        notices.append(f"{negative} negative exclusive times were read as zero")
    require_summable(np.array(rows)[:, 2:], "the times and calls", str(path))
    place, tree, names = callpaths.build()
    node, process = (np.array([row[column] for row in rows]) for column in (0, 1))
    values = {metric: np.zeros((len(tree), len(chosen))) for metric in (TIME_METRIC, VISITS_METRIC)}
    for column, of_metric in enumerate(values.values(), start=2):
        np.add.at(of_metric, (place[node], process), [row[column] for row in rows])
    iterations, doubts = _iterations([names[region] for region in tree.region.tolist()], path)
    if iterations.any():
        values[_ITERATIONS] = np.broadcast_to(iterations[:, None], (len(tree), len(chosen)))
    attributes = {"generator": "OpenFOAM profiling", "hosts": ", ".join(filter(None, hosts))}
    return _of_processes(str(path), tree, names, values, attributes, (*notices, *doubts))


def _iterations(regions: Sequence[str], case: Path) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the iterations of linear solvers by call path, which every process takes all, and notices.

    A solver with several call paths has none, since the log does not say which of them it means.
    """
    counts, notices = solver_iterations(case)
    iterations = np.zeros(len(regions))
    for name, count in counts.items():
        region = iterating_region(name, regions)
        if region is not None and regions.count(region) == 1:
            iterations[regions.index(region)] += count
    return iterations, notices


def _triggers(content: FoamDictionary, where: str) -> dict[int, _Trigger]:
    """Return the triggers by their id, in the order of the ids, which is that of the first calls."""
    profiling = content.get("profiling")
    if not isinstance(profiling, dict):
        raise InputError("it contains no dictionary 'profiling'", where=where)
    found: dict[int, _Trigger] = {}
    for name, entry in profiling.items():
        if isinstance(entry, dict):
            found[int(_number(entry, "id", name, where))] = _trigger(entry, name, where)
    if not found:
        raise InputError("the dictionary 'profiling' contains no trigger", where=where)
    return dict(sorted(found.items()))


def _trigger(entry: FoamDictionary, name: str, where: str) -> _Trigger:
    region = entry.get("description")
    if not isinstance(region, str) or not region:
        raise InputError(f"{name} has no description", where=where)
    return _Trigger(
        parent=int(_number(entry, "parentId", name, where)) if "parentId" in entry else None,
        region=_TIME_LOOP if region.startswith(_TIME_LOOP) else region,
        calls=_number(entry, "calls", name, where),
        total=_number(entry, "totalTime", name, where),
        child=_number(entry, "childTime", name, where),
    )


def _number(entry: FoamDictionary, key: str, name: str, where: str) -> float:
    text = entry.get(key)
    value = _finite(text) if isinstance(text, str) else None
    if value is None:
        raise InputError(f"{name}: '{key}' is not a number", where=where, hint="is the file truncated?")
    return value


def _place(triggers: Mapping[int, _Trigger], callpaths: CallTreeBuilder, where: str) -> dict[int, int]:
    nodes: dict[int, int] = {}
    for start in triggers:
        chain: dict[int, None] = {}  # from the trigger up to the first caller that has a node
        at: int | None = start
        while at is not None and at not in nodes:
            if at in chain or at not in triggers:
                what = "is its own caller" if at in chain else "is a caller but missing"
                raise InputError(f"the trigger with id {at} {what}", where=where)
            chain[at] = None
            at = triggers[at].parent
        for number in reversed(chain):
            above = triggers[number].parent
            caller = ROOT if above is None else nodes[above]
            nodes[number] = callpaths.callee(caller, triggers[number].region)
    return nodes


def _last_profiling(case: Path) -> tuple[list[Path], list[str]]:
    """Choose the profiling files of the last time that all processes wrote, in order, and notices."""
    folders = _process_folders(case)
    times = [_times(folder) for folder in folders]
    if missing := [folder.name for folder, found in zip(folders, times, strict=True) if not found]:
        raise InputError(
            f"no profiling below {missing[0]} ({len(missing)} of {len(folders)} processes have none)",
            where=str(case),
            hint="was the run interrupted? measure the case again or leave it out",
        )
    common = set(times[0]).intersection(*times)
    if not common:
        raise InputError("the processes wrote their profiling at different times", where=str(case))
    last = max(common)
    notices = (
        [f"profiling of {len(common)} times: the last, {value_text(last)}, is read"]
        if len(common) > 1
        else []
    )
    if max(max(found) for found in times) > last:
        notices.append(
            f"profiling later than {value_text(last)} was not written by all processes and is not read"
        )
    return [found[last] for found in times], notices


def _process_folders(case: Path) -> list[Path]:
    """Return the folders of the times: those of the processes in their order, or the case itself."""
    numbered = [(int(m[1]), p) for p in entries(case) if (m := _PROCESSOR.fullmatch(p.name)) and p.is_dir()]
    parallel = [folder for _, folder in sorted(numbered)]
    return parallel if any(_times(folder) for folder in parallel) else [case]


def _times(folder: Path) -> dict[float, Path]:
    found = {}
    for entry in folder.iterdir():
        time = _finite(entry.name)
        if time is not None and (file := entry / "uniform" / "profiling").is_file():
            found[time] = file
    return found


def _finite(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


_REGIONS = ("lduMatrix::smoother.", "lduMatrix::solver.", "fvMatrix::solve.")
"""Beginnings of the regions of a solver, before the name of the field; the first iterates if there is one."""

_COMPONENTS = ("x", "y", "z")


def _log_files(case: Path) -> list[Path]:
    """Return what may be the logs of a case: ``log``, ``log.icoFoam``, ``icoFoam.log``."""
    found = (entry for entry in case.iterdir() if entry.name.startswith("log") or entry.suffix == ".log")
    return sorted(entry for entry in found if entry.is_file())


def solver_iterations(case: Path) -> tuple[Mapping[str, int], tuple[str, ...]]:
    """Return the iterations over a run by field, components apart, such as ``p`` and ``Ux``, and notices.

    Nothing if no log has any, or several have.
    """
    counts: dict[Path, Counter[str]] = {}
    notices: list[str] = []
    for file in _log_files(case):
        try:
            runs = _solver_runs(blocks_of(file))
        except InputError as error:
            notices.append(f"{file.name} is not read ({error.what})")
            continue
        found: Counter[str] = Counter()
        for name, one in (solved for run in runs for solved in run.fields.items()):
            found[name] += one.iterations
        if found:
            counts[file] = found
    if len(counts) > 1:
        names = ", ".join(file.name for file in counts)
        notices.append(f"{len(counts)} logs have solver iterations ({names}), so none is read")
        return {}, tuple(notices)
    return next(iter(counts.values()), {}), tuple(notices)


def iterating_region(field: str, regions: Collection[str]) -> str | None:
    """Return the region in which the solver of a field iterates; None if the profiling has none."""
    wholes = (field, field[:-1]) if field[-1:] in _COMPONENTS else (field,)
    names = (f"{beginning}{whole}" for whole in wholes for beginning in _REGIONS)
    return next((name for name in names if name in regions), None)


def parse_dictionary(text: str, where: str) -> FoamDictionary:
    """Parse a dictionary file.

    Strings come without their quotes; several words before a semicolon are joined by blanks; of a keyword
    that occurs twice the last value counts. Directives and macros are kept as if they were entries.
    """
    text = _COMMENT.sub(_blank, text)
    root: FoamDictionary = {}
    stack = [root]
    words: list[str] = []
    for kind, token, position in _tokens(text):
        if kind != "mark":
            words.append(token)
        elif token == "{":
            child: FoamDictionary = {}
            stack[-1][" ".join(words)] = child
            stack.append(child)
            words = []
        elif token == ";":
            if words:
                stack[-1][words[0]] = " ".join(words[1:])
            words = []
        elif len(stack) == 1 or words:
            raise _error("unexpected closing brace", text, position, where)
        else:
            stack.pop()
        if len(stack) > _MAX_DEPTH:
            raise _error(f"dictionaries nested deeper than {_MAX_DEPTH}", text, position, where)
    if len(stack) > 1:
        raise _error("the file ends inside a dictionary: it is truncated", text, len(text), where)
    return root


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    for match in _TOKEN.finditer(text):
        yield str(match.lastgroup), match[match.lastgroup or 0], match.start()


def _blank(match: re.Match[str]) -> str:
    """Replace a comment by the line breaks in it, so that line numbers stay right; keep strings."""
    return match[0] if match[0].startswith('"') else " " + "\n" * match[0].count("\n")


def _error(what: str, text: str, position: int, where: str) -> InputError:
    line = text.count("\n", 0, position) + 1
    return InputError(f"line {line}: {what}", where=where)


READERS = (
    ProfileReader(
        name="OpenFOAM",
        pattern="<time>/uniform/profiling",
        matches=matches,
        read=read,
        files=files,
        max_bytes=_MAX_BYTES,
    ),
    ProfileReader(
        name="OpenFOAM log",
        pattern="log.simpleFoam, simpleFoam.log",
        matches=_matches_log,
        read=read_solver_log,
        processes=lambda path: _processes(_run(path)[0]) or 0,
        stated_sizes=lambda path: {"cells": float(size)} if (size := _cells_of(path)) else {},
        beside=_files_with_cells,
        content=_content,
        fallback=3,
        precedence=2,
    ),
)
