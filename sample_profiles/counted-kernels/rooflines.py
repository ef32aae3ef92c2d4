"""Measure and count what the rooflines show, on one core: called as rooflines.py PART.

PART is `ceilings` (bandwidth by working set, and peaks), `kernels` (those of kernels.cpp) or `solvers`
(solvers.py, by a Python with petsc4py). Times are the best of runs with real-time priority, references those
of callgrind's simulated caches of the processor: 48 KB, and 2 MB, beyond which bytes come from memory.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from count import HERE, counted, simulated

CACHES = ("--D1=49152,12,64", "--LL=2097152,16,64", "--I1=32768,8,64")
PEAKS = {
    "scalar": ("-fno-tree-vectorize",),
    "vector": (),
    "vector and fused": ("-march=x86-64-v4", "-mprefer-vector-width=512"),
}
WORKING_SETS = (6, 12, 24, 48, 96, 192, 384, 768, 1536, 3072, 6144, 12288, 49152, 98304)  # KiB
KERNELS = {
    "series": [("inline", 256, order, "dp") for order in (1, 5, 10, 29)],
    "stencils": [
        *(("plane", size, 0, "dp") for size in (128, 512, 1024, 2048)),
        *(("cube", size, 0, "dp") for size in (16, 32, 64, 128)),
    ],
    "hpgmg": [("multigrid", size, 0, "dp") for size in (16, 32, 64, 128)],
    "hpcg": [(kernel, size, 0, "dp") for kernel in ("spmv", "symgs", "dot", "waxpby") for size in (16, 48)],
    "setsm": [("correlate", size, 0, "sp") for size in (128, 256)],
}
LABELS = {"inline": "series", "plane": "stencil-2d", "cube": "stencil-3d"}
SOLVERS = {
    "petsc": ("KSPSolve", (16, 22, 32)),
    "mumps": ("MatLUFactorNumeric", (12, 16)),
    "superlu": ("MatLUFactorNumeric", (10, 14)),
}
HEADS = "region,kind,time [s],PAPI_FP_OPS,PAPI_L1_DCM"


def built(folder: Path, *flags: str) -> Path:
    """Compile the kernels."""
    program = folder / "kernels"
    subprocess.run(
        ["g++", "-O3", "-std=c++17", *flags, str(HERE / "kernels.cpp"), "-o", str(program)], check=True
    )
    return program


def timed(*command: str) -> list[str]:
    """Return what the fastest of three runs prints, operations and seconds, and what else it printed."""
    runs = [
        subprocess.run(["chrt", "-f", "10", *command], capture_output=True, text=True, check=True).stdout
        for _ in range(3)
    ]
    return min(runs, key=lambda text: float(text.split()[-1])).splitlines()


def ceilings(folder: Path) -> None:
    """Write bandwidth of a core by working set, and its peaks."""
    lines = ["what,KiB,value"]
    for name, flags in PEAKS.items():
        flop, seconds = map(
            float, timed(str(built(folder, *flags)), "peak", "dp", "0", "0", "time")[-1].split()
        )
        lines.append(f"{name},2,{flop / seconds:.4g}")
    program = built(folder, "-march=x86-64-v3")
    for size in WORKING_SETS:
        flop, seconds = map(float, timed(str(program), "triad", "dp", str(size), "0", "time")[-1].split())
        lines.append(f"bandwidth,{size},{12 * flop / seconds:.4g}")
    (HERE / "ceilings.csv").write_text("\n".join(lines) + "\n")


def kernels(folder: Path) -> None:
    """Write a row per kernel and size."""
    program = built(folder)
    for name, cases in KERNELS.items():
        rows = []
        for case in cases:
            kernel, size, order, real = case
            flop, seconds = timed(str(program), kernel, real, str(size), str(order), "time")[-1].split()
            rows.append(
                (
                    f"{LABELS.get(kernel, kernel)} {order or size}",
                    float(seconds),
                    flop,
                    counted(program, case, CACHES)[2],
                )
            )
        written(name, rows)


def solvers(folder: Path) -> None:
    """Write a row per solver and size."""
    for name, (function, sizes) in SOLVERS.items():
        rows = []
        for size in sizes:
            command = (sys.executable, str(HERE / "solvers.py"), name, str(size))
            printed = timed(*command)
            flop, seconds = printed[-1].split()
            stated = re.search(r"Factor flops = (\S+)", "\n".join(printed))
            flop = f"{float(stated[1]):.0f}" if stated else flop
            rows.append(
                (
                    f"{name} {size}",
                    float(seconds),
                    flop,
                    simulated(list(command), function, CACHES, folder)["D1m"],
                )
            )
        written(name, rows)


def written(name: str, rows: list[tuple[str, float, str, int]]) -> None:
    """Write what a roofline shows."""
    lines = [f"{label},threaded,{seconds:g},{flop},{misses}" for label, seconds, flop, misses in rows]
    (HERE / "rooflines" / f"{name}.csv").write_text("\n".join([HEADS, *lines]) + "\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        {"ceilings": ceilings, "kernels": kernels, "solvers": solvers}[sys.argv[1]](Path(place))
