"""The programs, the sizes that they are measured at, and how they are compiled."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
HEADERS = "/usr/"
COMPILERS = {".cpp": ("g++", "-std=c++17"), ".c": ("gcc", "-std=gnu11")}
_VECTORS = ("-O3", "-march=x86-64-v2")


@dataclass(frozen=True)
class Program:
    """A program to measure.

    Attributes:
        name: of its source in `programs/`.
        sizes: arguments for the command line, ascending.
        headers: whether functions of the standard library's headers are instrumented too, as
            `-finstrument-functions` alone does. In profiles of Score-P's GCC plug-in there are none.
        optimisation: options of the compiler, the same in all builds.
        threads: how many it computes with, on as many cores.
    """

    name: str
    sizes: tuple[int, ...]
    headers: bool = False
    optimisation: tuple[str, ...] = ("-O2",)
    threads: int = 1

    @property
    def source(self) -> Path:
        """The file in C++ or C."""
        return next(
            path for ending in COMPILERS if (path := HERE / "programs" / (self.name + ending)).exists()
        )


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
    Program("assembly", (12, 16, 22, 30, 42)),
    Program("blocklu", (50, 100, 250, 600, 1500), optimisation=_VECTORS),
    Program("matching", (20, 50, 120, 300, 700)),
    Program("pairs", (4, 6, 8, 11, 15), optimisation=_VECTORS),
    Program("patches", (20, 50, 130, 330, 800)),
    Program("quicksort", (200, 500, 1200, 3000, 6000)),
    Program("sections", (10, 20, 50, 120, 300)),
    Program("su3", (5, 6, 8, 10, 13)),
    Program("rows", (24, 30, 38, 48, 60)),
    Program("wavelet", (400, 800, 2000, 5000, 15000)),
    Program("smoother", (5, 12, 30, 70, 160)),
    Program("chemistry", (10, 25, 60, 150, 400)),
    Program("join", (150, 300, 700, 1500, 3000)),
    Program("octree", (20, 40, 80, 160, 350), optimisation=("-O1",)),
    Program("collisions", (15, 30, 50, 80, 120)),
    Program("alignment", (25, 50, 100, 200, 400), optimisation=_VECTORS),
    Program("shallow", (30, 60, 120, 240, 400), threads=2),
    Program("spins", (20, 40, 70, 100, 140), threads=2),
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
    command = [*COMPILERS[".cpp"], "-O2", *counter, "-c", HERE / "profiler.cpp", "-o", profiler]
    subprocess.run(command, check=True)
    made = {}
    for program in programs:
        parallel = ["-fopenmp"] if program.threads > 1 else []
        compiler = (*COMPILERS[program.source.suffix], *program.optimisation, *parallel, "-no-pie")
        for build in BUILDS:
            made[program.name, build] = folder / f"{program.name}.{build}"
            output = ["-o", made[program.name, build], "-lm"]
            subprocess.run([*compiler, *flags(program, build), program.source, profiler, *output], check=True)
    return made
