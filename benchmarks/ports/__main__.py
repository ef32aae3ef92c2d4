"""How far off are cycles predicted from other builds of a kernel? Measured variants of a flux kernel.

    python -m benchmarks.ports measure     compile flux.cpp with four sets of flags, time and estimate it
    python -m benchmarks.ports loops       the same of loops.c on the machine at hand, a Zen 4 for loops.csv
    python -m benchmarks.ports compare     the errors of the methods on what was measured

measured.csv beside this file has cycles per edge of 36 builds (nine variants, four sets of flags), data in
the first-level cache, best of 9000 calls; `measure` renews them and what llvm-mca states, not the counts of
instructions. `compare` predicts every build from others: by the ratio of the cycles that llvm-mca states, and
by the fitted contention model of paper 000. loops.csv has cycles per element of ten loops of several kinds in
three builds, with the elements of a pass counted by hand: how far off are the cycles that llvm-mca states?
"""

import csv
import itertools
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from ingest.toml_table import read_toml
from pipeline.projection.ports.assembly import functions_in, loop_bodies
from pipeline.projection.ports.function_loops import read_loops
from pipeline.projection.ports.loop_estimate import estimate_loop, find_llvm_mca, processor_named
from pipeline.projection.ports.port_fit import Variants, estimate_cpi, fit_ports, port_map
from tools.gallery.port_models import by_difference, compared

HERE = Path(__file__).parent
MAP = Path("sample_profiles/mg-cfd-variants/golden-cove.toml")
MEASURED = HERE / "measured.csv"
FLAGS = {
    "sse4.2": ("g++", "-march=x86-64-v2", "-fno-tree-vectorize"),
    "avx2": ("g++", "-march=x86-64-v3", "-fno-tree-vectorize"),
    "avx512": ("g++", "-march=x86-64-v4", "-fno-tree-vectorize"),
    "avx512-simd": (
        "clang++-19",
        "-march=x86-64-v4",
        "-mprefer-vector-width=512",
        "-DFISSION",
        "-fopenmp-simd",
    ),
}
SCALAR = ("sse4.2", "avx2", "avx512")
MACROS = ("EDGE_WEIGHTS", "REUSE_DIV", "REUSE_FLUX")
VARIANTS = ("base", "STRIPPED", *("+".join(c) for n in (1, 2, 3) for c in itertools.combinations(MACROS, n)))
MODELS = ("sapphire-rapids", "ice-lake")
LOOPS = HERE / "loops.csv"
BUILDS = {
    "scalar": ("-march=x86-64-v3", "-fno-tree-vectorize"),
    "avx2": ("-march=x86-64-v3",),
    "avx512": ("-march=x86-64-v4", "-mprefer-vector-width=512"),
}
CLASSES = ("div", "mul", "add", "vector", "alu", "load", "store")


def measure() -> None:
    with MEASURED.open() as file:
        rows = {(row["flags"], row["variant"]): row for row in csv.DictReader(file)}
    with tempfile.TemporaryDirectory() as folder:
        for flags, variant in itertools.product(FLAGS, VARIANTS):
            compiler, *options = FLAGS[flags]
            macros = [f"-D{macro}" for macro in variant.split("+") if variant != "base"]
            command = [compiler, "-O3", "-fno-math-errno", *options, *macros, str(HERE / "flux.cpp"), "-o"]
            program, listing = Path(folder) / "flux", Path(folder) / "flux.s"
            subprocess.run([*command, str(program)], check=True)
            subprocess.run([*command, str(listing), "-S", "-DONLY_KERNEL"], check=True)
            runs = [subprocess.run([program], capture_output=True, text=True, check=True) for _ in range(3)]
            instructions = functions_in(listing.read_text())["flux"]
            body = loop_bodies(instructions)[0]
            loop = instructions[body.start : body.stop]
            lanes = 8 if flags == "avx512-simd" else 1
            row = rows[flags, variant]
            row["cycles"] = min(float(run.stdout.split()[0]) for run in runs)
            for model in MODELS:
                estimate = estimate_loop(processor_named(model), loop, find_llvm_mca())
                row[model] = f"{estimate.cycles / lanes:.6g}"
            print(row, flush=True)
    with MEASURED.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(row), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows.values())


def loops() -> None:
    with LOOPS.open() as file:
        rows = list(csv.DictReader(file))
    with tempfile.TemporaryDirectory() as folder:
        program, listing = Path(folder) / "loop", Path(folder) / "loop.s"
        for row in rows:
            command = ["gcc", "-O3", "-ffast-math", *BUILDS[row["flags"]], f"-DKERNEL={row['loop']}"]
            command.append(str(HERE / "loops.c"))
            subprocess.run([*command, "-o", str(program), "-lm"], check=True)
            subprocess.run([*command, "-S", "-DONLY_KERNEL", "-o", str(listing)], check=True)
            runs = [subprocess.run([program], capture_output=True, text=True, check=True) for _ in range(3)]
            row["cycles"] = min(float(run.stdout.split()[0]) for run in runs)
            body = read_loops(listing, row["loop"])[0].instructions
            estimate = estimate_loop(processor_named("zen4"), body, find_llvm_mca())
            row["zen4"] = f"{estimate.cycles / float(row['per_pass']):.5g}"
            print(row, flush=True)
    with LOOPS.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def absolute(flux) -> float:
    """Return how far off cycles themselves are, by root mean square over kernels, of which flux is one."""
    with LOOPS.open() as file:
        rows = list(csv.DictReader(file))
    squares = [np.mean(np.square(flux))]
    for name in dict.fromkeys(row["loop"] for row in rows):
        each = [logs(float(row["cycles"]), float(row["zen4"])) for row in rows if row["loop"] == name]
        print(f"  {name:16}", " ".join(f"{one:+.2f}" for one in each))
        squares.append(np.mean(np.square(each)))
    return float(np.sqrt(np.mean(squares)))


def read():
    """Return the classes that the variants determine as a port map, and the variants by flags."""
    full = port_map(read_toml(MAP))
    kept = [full.classes.index(name) for name in CLASSES]
    portmap = replace(full, classes=CLASSES, allowed=full.allowed[kept], occupancy=full.occupancy[kept])
    with MEASURED.open() as file:
        rows = list(csv.DictReader(file))
    groups = {flags: [row for row in rows if row["flags"] == flags] for flags in FLAGS}
    return portmap, rows, {flags: variants(group) for flags, group in groups.items()}, groups


def variants(rows) -> Variants:
    parts = {"vector": ("vector", "shuffle", "cross"), "add": ("add", "compare")}
    counts = [
        [sum(float(row[part]) for part in parts.get(name, (name,))) for name in CLASSES] for row in rows
    ]
    return Variants(
        tuple(row["variant"] for row in rows),
        np.array([float(row["instructions"]) for row in rows]),
        np.array(counts),
        np.array([float(row["cycles"]) for row in rows]),
    )


def compare() -> None:
    portmap, _, found, groups = read()
    cycles = {flags: found[flags].cycles for flags in FLAGS}
    stated = {m: {f: np.array([float(row[m]) for row in groups[f]]) for f in FLAGS} for m in MODELS}
    print("within one set of flags, from its base: mean (worst) error in percent")
    for flags in FLAGS:
        predicted = compared(portmap, found[flags], {})
        line = {
            m: logs(cycles[flags][1:], cycles[flags][0] * stated[m][flags][1:] / stated[m][flags][0])
            for m in MODELS
        }
        for k, name in ((3, "contention"), (1, "equal IPC"), (2, "superscalar")):
            line[name] = logs(cycles[flags][1:], predicted[k])
        print(f"  {flags:12}", "  ".join(f"{name} {shown(each)}" for name, each in line.items()))
    print("from the base of one set of flags to all variants of another")
    pooled = {name: [] for name in (*MODELS, "contention")}
    for a, b in itertools.permutations(FLAGS, 2):
        fit = estimate_cpi(portmap, found[a].counts, cycles[a])
        line = {m: logs(cycles[b], cycles[a][0] * stated[m][b] / stated[m][a][0]) for m in MODELS}
        there = [
            by_difference(portmap, cycles[a][0], c, found[a].counts[0], fit.cpi) for c in found[b].counts
        ]
        line["contention"] = logs(cycles[b], np.array(there))
        if a in SCALAR:
            for name, each in line.items():
                pooled[name] += each.tolist()
        print(f"  {a:12} -> {b:12}", "  ".join(f"{name} {shown(each)}" for name, each in line.items()))
    for name, each in pooled.items():
        spread = np.sqrt(np.mean(np.square(each)))
        print(f"{name}: spread {spread:.3f} of {len(each)} predictions from scalar code")
    for model in MODELS:
        off = np.concatenate([logs(cycles[flags], stated[model][flags]) for flags in FLAGS])
        print(f"{model}, cycles themselves: {np.sqrt(np.mean(off**2)):.3f} of {len(off)}")
        print(f"and with loops on Zen 4: {absolute(off):.3f}")
    within = fit_ports("flux", portmap, found["sse4.2"].counts, cycles["sse4.2"]).fit.quality.sigma
    print(f"scatter of the fit to SSE4.2: {within:.3f}")


def logs(measured, predicted):
    return np.log(measured / predicted)


def shown(each) -> str:
    off = 100 * np.abs(np.exp(-each) - 1)
    return f"{off.mean():.1f} ({off.max():.1f})"


if __name__ == "__main__":
    {"measure": measure, "loops": loops, "compare": compare}[sys.argv[1]]()
