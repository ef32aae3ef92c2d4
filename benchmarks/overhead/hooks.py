"""What a visit costs that a filter rejects at run time, over what a recorded one does."""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.overhead.measure import run_quietly
from benchmarks.overhead.programs import COMPILERS, HERE, Program, compile_all, flags

KINDS = {"flag": (), "table": ("-DTABLE",)}  # what hooks test, and how they are compiled
ENOUGH = 1.0  # times the plain time, that recording takes at least: less tells nothing of hooks


def hooks(programs: Sequence[Program], repetitions: int) -> None:
    """Measure and print the shares of all programs at their middle size, and the median."""
    shares: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        for program in (one for one in programs if one.threads == 1):
            found = _shares(program, Path(folder), repetitions)
            print(program.name, {kind: f"{share:.3f}" for kind, share in found.items()}, flush=True)
            for kind, share in found.items():
                shares[kind].append(share)
    for kind, values in shares.items():
        print(
            f"{kind}: median {np.median(values):.3f}, {min(values):.3f} to {max(values):.3f}, {len(values)}"
        )


def _shares(program: Program, folder: Path, repetitions: int) -> dict[str, float]:
    """Return the cost of a rejected visit by kind of hook; empty if recording takes too little to tell."""
    made = compile_all([program], folder, "clock")
    built = {"plain": made[program.name, "plain"], "full": made[program.name, "full"]}
    compiler = [*COMPILERS[program.source.suffix], *program.optimisation, "-no-pie"]
    for kind, options in KINDS.items():
        rejecting, built[kind] = folder / f"{kind}.o", folder / f"{program.name}.{kind}"
        source = [*COMPILERS[".cpp"], "-O2", *options, "-c", HERE / "rejecting.cpp", "-o", rejecting]
        subprocess.run(source, check=True)
        linked = [*flags(program, "full"), program.source, rejecting, "-lstdc++", "-o", built[kind], "-lm"]
        subprocess.run([*compiler, *linked], check=True)
    size = program.sizes[len(program.sizes) // 2]
    times: dict[str, list[float]] = {build: [] for build in built}
    for _ in range(repetitions):
        for build, executable in built.items():
            times[build].append(run_quietly(executable, size).cpu)
    seconds = {build: float(np.median(values)) for build, values in times.items()}
    recording = seconds["full"] - seconds["plain"]
    if recording < ENOUGH * seconds["plain"]:
        return {}
    return {kind: (seconds[kind] - seconds["plain"]) / recording for kind in KINDS}
