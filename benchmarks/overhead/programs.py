"""The programs, the sizes that they are measured at, and how they are compiled."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
HEADERS = "/usr/"
_COMPILE = ("g++", "-std=c++17", "-O2", "-no-pie")


@dataclass(frozen=True)
class Program:
    """A program to measure.

    Attributes:
        name: of its source in `programs/`.
        sizes: arguments for the command line, ascending.
        headers: whether functions of the standard library's headers are instrumented too, as
            `-finstrument-functions` alone does. In profiles of Score-P's GCC plug-in there are none.
    """

    name: str
    sizes: tuple[int, ...]
    headers: bool = False


PROGRAMS = (
    Program("hydro", (30, 45, 70, 100, 150)),
    Program("stencil", (20, 26, 32, 40, 50)),
    Program("cg", (50, 80, 120, 180, 260)),
    Program("particles", (3, 4, 5, 7, 9)),
    Program("raytracer", (100, 150, 220, 320, 450)),
    Program("words", (10, 20, 40, 90, 200), headers=True),
    Program("interpreter", (100, 200, 450, 1000, 2000)),
    Program("fft", (11, 12, 13, 14, 15), headers=True),
    Program("dijkstra", (20, 40, 80, 160, 300)),
    Program("lu", (110, 150, 200, 250, 320)),
    Program("image", (10, 16, 25, 40, 64)),
    Program("clusters", (50, 120, 300, 800, 2000)),
    Program("transport", (15, 40, 100, 250, 600)),
    Program("nbody", (400, 600, 1000, 1500, 2200)),
)
BUILDS = ("plain", "coarse", "full")


def flags(program: Program, build: str) -> list[str]:
    """Return what instruments a build: nothing, the functions not marked TINY, or all."""
    leave_headers = f"-finstrument-functions-exclude-file-list={HEADERS}"
    if build == "plain":
        return []
    if build == "coarse":
        return ["-finstrument-functions", leave_headers, "-DCOARSE"]
    return ["-finstrument-functions", *([] if program.headers else [leave_headers])]


def compile_all(programs: Sequence[Program], folder: Path, timer: str) -> dict[tuple[str, str], Path]:
    """Compile every build of every program; return the executables by name and build.

    Args:
        programs: what to compile.
        folder: where executables go.
        timer: `clock` (clock_gettime) or `tsc` (the time stamp counter of x86 processors).

    Raises:
        CalledProcessError: if the compiler fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    profiler = folder / "profiler.o"
    counter = ["-DTSC"] if timer == "tsc" else []
    subprocess.run([*_COMPILE, *counter, "-c", HERE / "profiler.cpp", "-o", profiler], check=True)
    made = {}
    for program in programs:
        source = HERE / "programs" / f"{program.name}.cpp"
        for build in BUILDS:
            made[program.name, build] = folder / f"{program.name}.{build}"
            command = [*_COMPILE, *flags(program, build), source, profiler, "-o", made[program.name, build]]
            subprocess.run(command, check=True)
    return made
