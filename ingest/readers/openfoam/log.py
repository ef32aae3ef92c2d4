"""The bare log of an OpenFOAM solver, such as ``log.simpleFoam``, of any version and fork.

It tells wall time by step and the iterations of each linear solver, not what a solver takes: that is only in
the profiling of the ESI versions. So the time of the steps is one kernel, whose factors are the iterations
of all solvers and the time per iteration; the iterations for each field are a metric of their own.

What OpenFOAM's solvers print, in all versions and forks, read block by block: logs may be huge.

A run begins with a header (``Exec   : simpleFoam -parallel``, ``nProcs : 4``). Each step is ``Time = 0.005``,
a line per solution of a linear system, and ``ExecutionTime = 1.25 s  ClockTime = 2 s``: processor seconds of
the first process and whole wall seconds since the start. Newer versions can print both as ``1-02:03:04.5``.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from ingest.arrays import FloatArray
from ingest.calltree import CallTree, CallTreeBuilder
from ingest.errors import InputError, one_line
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
from ingest.reading.files import blocks_of, ends_of, entries, head, stamp
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
    stopped,
)

ITERATIONS = Metric("iterations", "")

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
_TIME = re.compile(rb"(?:(?P<days>\d+)-)?(?:(?:(?P<hours>\d+):)?(?P<minutes>\d+):)?(?P<seconds>[\d.e+-]+)")
_LONGEST = 1e12  # seconds: more is damage


@dataclass(kw_only=True)
class SolvedField:
    """How a field was solved for over a run: ``p``, or a component as in ``Ux``."""

    solver: str  # of the linear systems, such as ``GAMG``
    residual: bytes = b""  # the initial residual of the last solution, as it is printed; empty if it is not
    solutions: int = 0
    iterations: int = 0
    first: int = 0  # iterations up to the end of the first step


@dataclass(kw_only=True)
class SolverRun:
    """What was printed from one header to the next."""

    stated: dict[str, str] = field(default_factory=dict)  # what the header says, by its names
    hosts: set[str] = field(default_factory=set)  # names of the nodes
    solved: dict[bytes, SolvedField] = field(default_factory=dict)  # what was solved for, by its name
    steps: int = 0
    start: float = 0.0  # wall seconds at the end of the first step
    seconds: float = 0.0  # wall seconds at the end of the last step
    # the times printed last, of the processor and of the wall, the latter None if there is none
    clock: tuple[float, float | None] = (0.0, None)
    ended: bool = False  # whether the solver came to its end
    failed: bool = False  # whether it gave up with an error

    @property
    def fields(self) -> dict[str, SolvedField]:
        """What was solved for, by its name as text."""
        return {name.decode("utf-8", "replace"): one for name, one in self.solved.items()}

    def solve(self, line: re.Match[bytes]) -> None:
        """Count the iterations of one solution."""
        name, residual, count = line.group("field", "residual", "count")
        if (found := self.solved.get(name)) is None:
            found = self.solved[name] = SolvedField(solver=line["solver"].decode("utf-8", "replace"))
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


def read_solver_runs(path: Path) -> list[SolverRun]:
    """Return the runs in a log, in their order."""
    return _solver_runs(blocks_of(path))


def _solver_runs(blocks: Iterable[bytes]) -> list[SolverRun]:
    """Return the runs in blocks of whole lines."""
    run = SolverRun()
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
                runs.append(run := SolverRun())
            run.stated[name] = line["value"].decode("utf-8", "replace").strip(' "\r')
            run.hosts |= {run.stated[name]} if name == "Host" else set()
        elif kind == "host":
            run.hosts |= {line["host"].decode("utf-8", "replace")} if not run.steps else set()
        else:
            run.ended, run.failed = run.ended or kind == "end", run.failed or kind == "failed"
    return runs


def _seconds(text: bytes | None) -> float | None:
    match = _TIME.fullmatch(text) if text else None
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
    """Yield the files beside a log that may say how many cells there are, the best first."""
    beside = [entry for entry in entries(log.absolute().parent) if entry.is_file() and entry.name != log.name]
    for program, _, _ in _CELLS:
        yield from (entry for entry in beside if program in entry.name)
    yield from (owner for owner in (log.absolute().parent / _MESH,) if owner.is_file())


_PER_STEP = Metric(TIME_PER_STEP, "s/step")
_START, _STEP_LOOP = "start-up and first step", "time steps"
_LEAST_STEPS = 2  # utilities print times, too, but once

_NUMBER = re.compile(r"[0-9]{1,7}")


def _matches(path: Path) -> bool:
    """Return whether a file is the log of a solver, by its beginning and end."""
    if not path.is_file():
        return False
    text = ends_of(path)
    if b"Exec " not in text:
        return False
    begun = b"\nStarting time loop" in text  # only solvers say so
    runs = _solver_runs([text]) if begun or b"ExecutionTime = " in text else []
    return _chosen(runs) is not None or (begun and not runs[-1].ended)


def read(path: Path) -> Profile:
    """Read the last run in a log: as many locations as processes, all with the same values."""
    run, notices = _run(path)
    processes = _processes(run) or 1
    require_possible(processes, str(path))
    columns = _columns(run)
    tree, names = _flat(_START, _STEP_LOOP)
    require_summable(columns[TIME_METRIC], "the times", str(path))
    shape = len(tree), processes
    return Profile(
        source=str(path),
        tree=tree,
        regions=RegionTable.named(names, ["user"] * len(names)),
        locations=LocationTable.of_threads(np.arange(processes), np.zeros(processes, dtype=np.int64)),
        metrics=tuple(columns),
        load=ValuesInMemory(
            tree, {m.name: np.broadcast_to(column[:, None], shape) for m, column in columns.items()}
        ),
        attributes=_attributes(run, processes, _cells(path)),
        notices=(*notices, *_notices(run)),
    )


def _flat(*regions: str) -> tuple[CallTree, tuple[str, ...]]:
    callpaths = CallTreeBuilder()
    for region in regions:
        callpaths.add([region])
    _, tree, names = callpaths.build()
    return tree, tuple(names)


def _columns(run: SolverRun) -> dict[Metric, FloatArray]:
    """Return the values of start-up and steps: float64[2] each; iterations are those of the steps alone."""
    loop, later = run.seconds - run.start, run.steps - 1
    iterations = {name: one.iterations - one.first for name, one in run.fields.items()}
    of_steps = {
        _PER_STEP: loop / later,
        ITERATIONS: sum(iterations.values()),
        **{Metric(f"{ITERATIONS.name}_{name}", ""): count for name, count in iterations.items()},
    }
    return {
        TIME_METRIC: np.array([run.start, loop]),
        VISITS_METRIC: np.array([1.0, later]),
        **{metric: np.array([0.0, value]) for metric, value in of_steps.items() if value},
    }


def _run(path: Path) -> tuple[SolverRun, tuple[str, ...]]:
    return _last_run(path, stamp(path))


@lru_cache(maxsize=4)
def _last_run(path: Path, stamp: tuple[int, ...]) -> tuple[SolverRun, tuple[str, ...]]:
    """Read a log once for all questions; it may be large."""
    runs = read_solver_runs(path)
    run = _chosen(runs)
    if run is None:
        what = _stopped(runs[-1], _program(runs[-1]))
        raise InputError(f"{what}: fewer than {_LEAST_STEPS} time steps in it", where=str(path))
    several = sum(one.steps >= _LEAST_STEPS for one in runs)
    return run, ((f"{several} runs of solvers in it: the last is read",) if several > 1 else ())


def _chosen(runs: list[SolverRun]) -> SolverRun | None:
    """Return the last run that is one of a solver; None if there is none."""
    stepping = (run for run in reversed(runs) if run.steps >= _LEAST_STEPS and run.seconds > run.start)
    return next((run for run in stepping if "Exec" in run.stated), None)


def _processes(run: SolverRun) -> int | None:
    text = run.stated.get("nProcs", "")
    return int(text) or None if _NUMBER.fullmatch(text) else None


def _attributes(run: SolverRun, processes: int, size: int | None) -> dict[str, str]:
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
        STATISTIC: f"wall time of the run ({processes} process{'' if processes == 1 else 'es'})",
        RECONCILED: one_line(f"{times}; last initial residuals: {residuals}" if residuals else times)[:400],
        PROGRAM_SETTING: f"OpenFOAM {program}",
        STEPS: str(run.steps),
        **({STOPPED: _stopped(run, program)} if run.failed or not run.ended else {}),
        **({SIZES: "cells"} if size else {}),
        **{SETTING + name: one_line(text)[:200] for name, text in settings.items() if text},
        **({METADATA + "cells per process": f"{size / processes:.6g}"} if size else {}),
    }


def _program(run: SolverRun) -> str:
    return run.stated.get("Exec", "").split(" ")[0].rpartition("/")[2] or "solver"


def _stopped(run: SolverRun, program: str) -> str:
    return stopped(f"OpenFOAM {program}", _processes(run), b"FOAM FATAL" if run.failed else b"")


def _notices(run: SolverRun) -> tuple[str, ...]:
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


def _stated_sizes(path: Path) -> Mapping[str, float]:
    """Return the number of cells, if a log or the mesh beside it states it."""
    size = _cells(path)
    return {"cells": float(size)} if size else {}


def _content(path: Path) -> Hashable:
    """Return what a log and a copy of it have in common."""
    try:
        run, _ = _run(path)
    except InputError:
        return path
    return run.stated["Exec"], run.steps, run.start, run.clock, run.stated.get("Host", "")


READER = ProfileReader(
    name="OpenFOAM log",
    pattern="log.simpleFoam, simpleFoam.log",
    matches=_matches,
    read=read,
    processes=lambda path: _processes(_run(path)[0]) or 0,
    stated_sizes=_stated_sizes,
    beside=_files_with_cells,
    content=_content,
    fallback=3,
    precedence=2,
)


def _cells(log: Path) -> int | None:
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
