"""Count the references of kernels.cpp with callgrind's simulated caches; one line per case to a file.

Called as count.py series|stencils FILE. The caches are those of a core of Cray's XE6: 16 KB with lines of
64 B, and 1 MB.
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
    subprocess.run(
        ["g++", f"-{level}", "-std=c++17", str(HERE / "kernels.cpp"), "-o", str(program)], check=True
    )
    return program


def simulated(command: list[str], function: str, caches: tuple[str, ...], folder: Path) -> dict[str, int]:
    """Return references (D), misses of the first (D1m) and of the last level (DLm) below a function."""
    out = folder / "callgrind.out"
    asked = [
        "--cache-sim=yes",
        f"--toggle-collect={function}",
        "--collect-atstart=no",
        f"--callgrind-out-file={out}",
        *caches,
    ]
    subprocess.run(["valgrind", "--tool=callgrind", *asked, *command], capture_output=True, check=True)
    lines = out.read_text().splitlines()
    events, totals = (
        next(line for line in lines if line.startswith(word)).split()[1:] for word in ("events:", "totals:")
    )
    found = dict.fromkeys(events, 0) | dict(
        zip(events, map(int, totals), strict=False)
    )  # zeros at the end are left out
    return {
        "D": found["Dr"] + found["Dw"],
        "D1m": found["D1mr"] + found["D1mw"],
        "DLm": found["DLmr"] + found["DLmw"],
    }


def counted(program: Path, case: tuple[str, int, int, str], caches: tuple[str, ...] = CACHES) -> list[int]:
    """Return operations, references, misses of the first and of the last level of one execution."""
    kernel, size, order, real = case
    command = [str(program), kernel, real, str(size), str(order), "count"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    with tempfile.TemporaryDirectory() as folder:
        return [int(done.stdout.split()[0]), *simulated(command, "measured", caches, Path(folder)).values()]


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
