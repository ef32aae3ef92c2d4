"""How right allreduces are at more processes than they were fitted to: each series without its largest.

    python -m benchmarks.allreduce --ranks-per-node 128 IMB_Allreduce_*.out

Takes output of Intel MPI Benchmarks, one file per number of processes, and leaves out the largest and, if six
or more are there, the two largest numbers. Beside the trees on nodes stands c + d log P. The figures in
docs/explanations/projection.md are of folders of synth/IMB/results in github.com/hpc-uk/archer-benchmarks:
ARCHER2_CrayMPICH8015 (also 32 and 256 KiB), the cyclic runs of ARCHER2_CrayMPICH8015_pinning, and
ARCHER_CrayMPICH774 (24 ranks per node).
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ingest.units import BYTES, NONE, TIME_DIMENSION
from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.expressions.symbolic_model import constant
from pipeline.projection.fitting.formula_fit import Fit
from pipeline.projection.fitting.measured_columns import read_benchmark
from pipeline.projection.fitting.resampling import Measurements
from pipeline.projection.terms.allreduces import fit_allreduce, fit_node_allreduce

FEWEST = 4  # numbers of processes that a tree on nodes needs
BOTH_FROM = 6  # numbers of processes from which the two largest are left out, too


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--ranks-per-node", type=float, required=True)
    parser.add_argument("--sizes", type=float, nargs="+", default=[8, 64, 512, 4096], help="bytes")
    given = parser.parse_args()
    rows = list(judged(given.files, given.ranks_per_node, given.sizes))
    print("bytes  P  measured [us]  on nodes  90 % interval  c + d log P  90 % interval")
    for size, processes, measured, *found in rows:
        shown = "  ".join(f"{value:.2f}  {low:.2f} .. {high:.2f}" for value, low, high in found)
        print(f"{size:g}  {processes:g}  {measured:.2f}  {shown}")
    for k, name in ((3, "on nodes"), (4, "c + d log P")):
        errors = [abs(row[k][0] / row[2] - 1) for row in rows]
        inside = [row[k][1] <= row[2] <= row[k][2] for row in rows]
        print(f"{name}: median error {np.median(errors):.2f}, {sum(inside)} of {len(inside)} inside")


def judged(files: Sequence[Path], ranks: float, sizes: Sequence[float]) -> Iterator[tuple]:
    """Yield size, processes, microseconds measured, and value and interval of both models."""
    read = [read_benchmark(path) for path in files]
    columns = [
        [one.numbers(*key) for one in read] for key in (("P", NONE), ("x", BYTES), ("time", TIME_DIMENSION))
    ]
    processes, x, seconds = (np.concatenate(column) for column in columns)
    for size in sizes:
        rows = np.nonzero(x == size)[0]
        rows = rows[np.argsort(processes[rows])]
        for left in (1, 2) if len(rows) >= BOTH_FROM else (1,):
            if len(rows) < FEWEST + left:
                continue
            known, asked = rows[:-left], rows[-left]
            p, t = processes[known], seconds[known]
            nodes = fit_node_allreduce(
                "tree", Measurements({"P": p, "R": np.full(len(p), ranks)}, t), nodes=constant(ranks)
            )
            fits = nodes, fit_allreduce("tree", Measurements({"P": p}, t))
            at = processes[asked]
            yield size, at, 1e6 * seconds[asked], *(predicted(fit, at) for fit in fits)


def predicted(fit: Fit, processes: float) -> tuple[float, float, float]:
    """Return value and interval at a number of processes, in microseconds."""
    found = predict({"t": fit.model}, {"P": processes})["t"]
    return tuple(1e6 * float(end[0]) for end in (found.value, found.lower, found.upper))


if __name__ == "__main__":
    main()
