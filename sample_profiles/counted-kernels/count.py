"""Count the references of kernels.cpp with callgrind's simulated caches; one line per case to a file.

Called as count.py series|stencils FILE. The caches are those of a core of Cray's XE6: 16 KB with lines of 64 B, and 1 MB.
"""

import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

HERE = Path(__file__).parent
CACHES = ("--D1=16384,4,64", "--LL=1048576,16,64", "--I1=32768,4,64")
REAL = {"sp": 4, "dp": 8}
SERIES = product(("inline", "recursive", "flat"), (64, 256), (1, 5, 10, 29), REAL)
STENCILS = [
    *((kernel, size, 0, real) for kernel, sizes in (("plane", (256, 1024, 2048)), ("cube", (32, 64, 128)))
      for size, real in product(sizes, REAL))
]  # fmt: skip


def built(folder: Path, level: str) -> Path:
    """Compile the kernels without optimisation (O0) or with it (O3)."""
    program = folder / f"kernels-{level}"
    subprocess.run(["g++", f"-{level}", "-std=c++17", str(HERE / "kernels.cpp"), "-o", str(program)], check=True)
    return program


def counted(program: Path, case: tuple[str, int, int, str], caches: tuple[str, ...] = CACHES) -> list[int]:
    """Return operations, references, misses of the first and of the last level of one execution."""
    kernel, size, order, real = case
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--toggle-collect=measured", "--collect-atstart=no",
             f"--callgrind-out-file={out}", *caches, str(program), kernel, real, str(size), str(order), "count"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        lines = out.read_text().splitlines()
    events = next(line for line in lines if line.startswith("events:")).split()[1:]
    totals = next(line for line in lines if line.startswith("totals:")).split()[1:]
    found = dict.fromkeys(events, 0) | dict(zip(events, map(int, totals), strict=False))  # zeros at the end are left out
    return [
        int(done.stdout.split()[0]),
        found["Dr"] + found["Dw"],
        found["D1mr"] + found["D1mw"],
        found["DLmr"] + found["DLmw"],
    ]


def main(which: str, path: Path) -> None:
    """Count all cases of the series or of the stencils."""
    with tempfile.TemporaryDirectory() as folder, path.open("w") as out:
        programs = {level: built(Path(folder), level) for level in ("O0", "O3")}
        out.write("kernel,optimisation,real,size,order,flop,references,first_misses,last_misses\n")
        for kernel, size, order, real in SERIES if which == "series" else STENCILS:
            for level, program in programs.items():
                counts = counted(program, (kernel, size, order, real))
                out.write(",".join(map(str, (kernel, level, REAL[real], size, order, *counts))) + "\n")
                out.flush()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
