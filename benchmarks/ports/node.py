"""Measure a flux kernel, its variants and two kernels that it stands for over the threads of this machine.

    python -m benchmarks.ports.node FOLDER

writes what `sample_profiles/mg-cfd-variants/node` holds: the variants of flux.cpp in the first-level cache,
the counts of the two targets, and for each target the sweep of node.cpp over threads. Threads run with
real-time priority, best of all sweeps, since other work shares the machine; that needs the right to set it.
"""

import csv
import itertools
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.ports.__main__ import HERE, VARIANTS
from pipeline.projection.ports.assembly import functions_in, loop_bodies
from pipeline.projection.ports.counting import count_classes, shipped_class_table
from pipeline.projection.ports.port_map import read_port_map

ISAS = {"SSE4.2": "-march=x86-64-v2", "AVX2": "-march=x86-64-v3"}
TARGETS = ("light", "heavy")
SIDE, SWEEPS, RUNS = 40, 60, 5
CLASSES = ("div", "mul", "add", "shuffle", "vector", "alu", "load", "store")


def compiled(isa: str, source: str, out: Path, *more: str) -> None:
    """Compile with the flags of an instruction set."""
    flags = ["-O3", "-fno-math-errno", "-fno-tree-vectorize", "-pthread", ISAS[isa], *more]
    subprocess.run(["g++", *flags, str(HERE / source), "-o", str(out)], check=True)


def counts(listing: Path, function: str) -> list[float]:
    """Return the instructions of the innermost loop, all and by class."""
    portmap = read_port_map("golden-cove")
    instructions = functions_in(listing.read_text())[function]
    body = loop_bodies(instructions)[0]
    loop = instructions[body.start : body.stop]
    found = dict(
        zip(portmap.classes, count_classes(portmap, shipped_class_table("x86-64"), loop), strict=True)
    )
    found["add"] += found.pop("compare", 0.0)
    found["vector"] += found["shuffle"] + found.pop("cross", 0.0)  # too few variants to tell them apart
    found["shuffle"] = 0.0
    return [len(loop), *(float(found[name]) for name in CLASSES)]


def printed(program: Path, *arguments: str) -> list[list[str]]:
    """Return the cells of the lines that a program prints, run with real-time priority."""
    command = ["chrt", "-f", "10", str(program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split(",") for line in done.stdout.splitlines()]


def variants(folder: Path) -> list[list[object]]:
    """Measure every variant in every instruction set, and count the targets."""
    rows: list[list[object]] = []
    for isa, variant in itertools.product(ISAS, VARIANTS):
        macros = [f"-D{macro}" for macro in variant.split("+") if variant != "base"]
        compiled(isa, "flux.cpp", folder / "flux", *macros)
        compiled(isa, "flux.cpp", folder / "flux.s", *macros, "-S", "-DONLY_KERNEL")
        cycles = min(float(printed(folder / "flux")[0][0].split()[0]) for _ in range(RUNS))
        rows.append([isa, variant.lower(), *counts(folder / "flux.s", "flux"), cycles])
    return rows


def sweeps(folder: Path, isa: str) -> dict[str, dict[int, tuple[float, float, int]]]:
    """Return cycles per edge, GHz and edges of the busiest thread by kernel and threads."""
    compiled(isa, "node.cpp", folder / "node")
    best: dict[str, dict[int, tuple[float, float, int]]] = {}
    for _ in range(RUNS):
        for kernel, threads, cycles, clock, edges in printed(folder / "node", str(SIDE), str(SWEEPS)):
            seen = (float(cycles), float(clock), int(edges))
            of = best.setdefault(kernel, {})
            of[int(threads)] = min(of.get(int(threads), seen), seen, key=lambda s: s[0] / s[1])
    return best


def written(path: Path, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write a table."""
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([heads, *rows])


def main(out: Path) -> None:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        heads = ["isa", "variant", "instructions", *CLASSES]
        written(out / "variants.csv", [*heads, "cycles"], variants(folder))
        targets: list[list[object]] = []
        for isa in ISAS:
            compiled(isa, "node.cpp", folder / "node.s", "-S", "-DONLY_FUNCTIONS")
            targets += [[isa, target, *counts(folder / "node.s", target)] for target in TARGETS]
            found = sweeps(folder, isa)
            for target in TARGETS:
                rows = []
                for threads, (cycles, clock, edges) in found[target].items():
                    moved, moved_clock, _ = found[f"{target}_moves"][threads]
                    mini, mini_clock, _ = found["mini"][threads]
                    took = cycles * edges / (clock * 1e9)
                    rows.append([threads, moved, moved_clock, mini_clock, edges, f"{took:.6g}", mini])
                columns = (
                    "threads",
                    "dt_cycles",
                    "dt_hz [GHz]",
                    "hz [GHz]",
                    "iterations",
                    "measured [s]",
                    "mini_cycles",
                )
                written(out / f"{target}-{isa.lower()}.csv", columns, rows)
        written(out / "targets.csv", heads, targets)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
