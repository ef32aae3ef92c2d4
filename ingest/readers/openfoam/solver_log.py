"""What OpenFOAM's solvers print, in all versions and forks, read block by block: logs may be huge.

A run begins with a header (``Exec   : simpleFoam -parallel``, ``nProcs : 4``). Each step is ``Time = 0.005``,
a line per solution of a linear system, and ``ExecutionTime = 1.25 s  ClockTime = 2 s``: processor seconds of
the first process and whole wall seconds since the start. Newer versions can print both as ``1-02:03:04.5``.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ingest.profile import Metric
from ingest.reading.files import blocks_of

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
    """How a field was solved for over a run: ``p``, or a component as in ``Ux``.

    Attributes:
        solver: of the linear systems, such as ``GAMG``.
        residual: the initial residual of the last solution, as it is printed; empty if it is not.
        first: iterations up to the end of the first step.
    """

    solver: str
    residual: bytes = b""
    solutions: int = 0
    iterations: int = 0
    first: int = 0


@dataclass(kw_only=True)
class SolverRun:
    """What was printed from one header to the next.

    Attributes:
        stated: what the header says, by its names.
        hosts: names of the nodes.
        solved: what was solved for, by its name.
        start: wall seconds at the end of the first step.
        seconds: wall seconds at the end of the last step.
        clock: the times printed last, of the processor and of the wall, the latter None if there is none.
        ended: whether the solver came to its end.
        failed: whether it gave up with an error.
    """

    stated: dict[str, str] = field(default_factory=dict)
    hosts: set[str] = field(default_factory=set)
    solved: dict[bytes, SolvedField] = field(default_factory=dict)
    steps: int = 0
    start: float = 0.0
    seconds: float = 0.0
    clock: tuple[float, float | None] = (0.0, None)
    ended: bool = False
    failed: bool = False

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
        self.clock, self.seconds = (cpu, clock), max(wall_seconds(cpu, clock), self.seconds)
        if begun or not self.steps:
            self.steps += 1
        if self.steps == 1:
            self.start = self.seconds
            for one in self.solved.values():
                one.first = one.iterations


def read_solver_runs(path: Path) -> list[SolverRun]:
    """Return the runs in a log, in their order."""
    return solver_runs(blocks_of(path))


def solver_runs(blocks: Iterable[bytes]) -> list[SolverRun]:
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


def wall_seconds(cpu: float, clock: float | None) -> float:
    """Return the wall seconds: those of the processor as far as whole seconds of the clock allow.

    The clock is one second off at most. Processes that wait for files or share cores take less processor time
    than wall time, several threads take more.
    """
    return cpu if clock is None else min(max(cpu, clock - 1.0), clock + 1.0)
