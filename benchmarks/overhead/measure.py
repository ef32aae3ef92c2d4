"""Compile and run the programs, each build of each size in turn, and store profiles and times."""

import csv
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.overhead.programs import BUILDS, Program, compile_all
from benchmarks.overhead.recorded import Recorded, function_names, parse, write_profile

COLUMNS = ("size", "repetition", "wall_seconds", "cpu_seconds")
_NICE = 5
_QUIET = 1.05
_ATTEMPTS = 3


def measure(programs: Sequence[Program], out: Path, repetitions: int, timer: str) -> None:
    """Measure all sizes of all programs; builds and repetitions take turns.

    Writes `OUT/PROGRAM/full/PROGRAM.nSIZE.rR/profile.cubex`, the same below `coarse`, and the times of whole
    runs, `OUT/PROGRAM/BUILD.csv`.
    """
    with tempfile.TemporaryDirectory() as folder:
        executables = compile_all(programs, Path(folder), timer)
        for program in programs:
            print(program.name, flush=True)
            made = {build: executables[program.name, build] for build in BUILDS}
            _measure_program(program, made, out / program.name, repetitions)


def _measure_program(program: Program, made: dict[str, Path], out: Path, repetitions: int) -> None:
    names = {build: function_names(path) for build, path in made.items()}
    rows: dict[str, list[tuple[float, ...]]] = {build: [] for build in BUILDS}
    for size in program.sizes:
        for repetition in range(1, repetitions + 1):
            for build, executable in made.items():
                run = run_quietly(executable, size, program.threads)
                rows[build].append((size, repetition, run.wall, run.cpu))
                if build != "plain":
                    path = out / build / f"{program.name}.n{size}.r{repetition}" / "profile.cubex"
                    write_profile(path, run, names[build], program.source.name)
    for build, table in rows.items():
        with (out / f"{build}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *table])


def run_quietly(executable: Path, size: int, threads: int = 1) -> Recorded:
    """Run a program again if others took its cores for more than 5 % of the time; the best of three runs."""
    runs: list[Recorded] = []
    while len(runs) < _ATTEMPTS and (not runs or runs[-1].wall * threads > _QUIET * runs[-1].cpu):
        runs.append(run_once(executable, size, threads))
    return min(runs, key=lambda run: run.wall / run.cpu)


def run_once(executable: Path, size: int, threads: int = 1) -> Recorded:
    """Run a program on as many cores as it has threads, if cores can be chosen. Who waits does not spin."""
    with tempfile.NamedTemporaryFile("r", suffix=".txt") as file:
        cores = ",".join(str(core) for core in sorted(os.sched_getaffinity(0))[-threads:])
        pinned = ["taskset", "-c", cores] if shutil.which("taskset") else []
        command = ["nice", "-n", str(_NICE), *pinned, str(executable), str(size)]
        environment = {**os.environ, "OVERHEAD_OUT": file.name, "OMP_WAIT_POLICY": "passive"}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        return parse(Path(file.name).read_text())
