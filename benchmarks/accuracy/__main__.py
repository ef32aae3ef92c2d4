"""How right the models are, beside Extra-P, on functions with a known truth and on held-out measurements.

    python -m benchmarks.accuracy [--functions 200] [--seed 2024] [--out FILE.md]

The first run installs Extra-P into build/. Extra-P models about 100 functions a second.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from benchmarks.accuracy.functions import draw
from benchmarks.accuracy.scores import Score, score_extrap, score_ours
from benchmarks.accuracy.series import TASKS, hold_out
from benchmarks.results_file import print_and_write
from pipeline.models.options import ModelOptions

REGIMES = ("paper", "balanced", "constant", "effort", "time")
POINTS = (5, 6)
NOISE = (0.02, 0.05, 0.1)
HEAD = (
    "| functions, points, noise | exact: ours | Extra-P | median error at 16x: ours | Extra-P "
    "| 90th percentile: ours | Extra-P | below zero: ours | Extra-P | inside at 4x | at 16x |"
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--functions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.md"))
    arguments = parser.parse_args()
    print_and_write(report(arguments.functions, arguments.seed), arguments.out)


def report(functions: int, seed: int) -> Iterator[str]:
    yield f"Written by `python -m benchmarks.accuracy --functions {functions} --seed {seed}`.\n"
    yield "Functions with a known truth, five repetitions; inside: truths within our 90 % interval.\n"
    yield HEAD
    yield "|---|" + "---:|" * 10
    for regime in REGIMES:
        for points in POINTS:
            for noise in NOISE:
                data = draw(regime, points, noise, functions, seed)
                peer = score_extrap(data)
                yield row(f"{regime}, {points}, {noise:.0%}", score_ours(data, ModelOptions()), peer)
                if regime == "effort":
                    simple = score_ours(data, ModelOptions(prior="simple"))
                    yield row(f"{regime}, {points}, {noise:.0%}, simple prior", simple, peer)
    yield "\nHeld out; error is the sum over call paths of |predicted - measured| / measured total.\n"
    yield "| series | error: ours | Extra-P | our total / measured | 90 % interval |"
    yield "|---|---:|---:|---:|---:|"
    tasks = [hold_out(*task) for task in TASKS]
    for t in tasks:
        yield f"| {t.name} | {t.ours:.3f} | {t.extrap:.3f} | {t.total:.2f} | {t.lower:.2f} .. {t.upper:.2f} |"
    ours, peers = (sum(getattr(t, who) for t in tasks) / len(tasks) for who in ("ours", "extrap"))
    yield f"| mean | {ours:.3f} | {peers:.3f} | | |"


def row(name: str, ours: Score, peer: Score) -> str:
    pairs = (
        (f"{ours.exact:.0%}", f"{peer.exact:.0%}"),
        (f"{ours.median[1]:.1%}", f"{peer.median[1]:.1%}"),
        (f"{ours.upper[1]:.0%}", f"{peer.upper[1]:.0%}"),
        (f"{ours.below_zero:.0%}", f"{peer.below_zero:.0%}"),
    )
    assert ours.covered is not None
    cells = [cell for pair in pairs for cell in pair] + [f"{c:.0%}" for c in ours.covered]
    return "| " + " | ".join([name, *cells]) + " |"


if __name__ == "__main__":
    main()
