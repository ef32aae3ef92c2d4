"""Models of several parameters beside Extra-P in the same run: models per second, and error far outside.

    python -m benchmarks.modelling_several [--rounds 5] [--kernels 200] [--out FILE.md]

Every round times Extra-P and ours on the same kernels one after the other and gives one ratio of models per
second. The error is that of the prediction at 16 times the largest value of every parameter.
"""

import argparse
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.extrap.environment import VERSION, interpreter
from benchmarks.extrap.environment import model as model_with_extrap
from benchmarks.modelling_several.truths import TRUTHS, Series, series
from pipeline.models.fit import fit

ONE_TRUTH = "1 + 0.2 x^2 log2 y"
TWO_PARAMETERS = tuple(name for name, truth in TRUTHS.items() if truth.__code__.co_argcount == 2)
PEER_KERNELS = 20  # for the errors, where only their median counts


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kernels", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.md"))
    arguments = parser.parse_args()
    interpreter()
    lines = [*speed(arguments.rounds, arguments.kernels), "", *accuracy(100)]
    print("\n".join(lines))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def mixed(kernels: int) -> Series:
    """Kernels of all kinds of truth in one experiment, 25 points."""
    share = -(-kernels // len(TWO_PARAMETERS))
    parts = [series(name, "grid", 0.05, share, seed) for seed, name in enumerate(TWO_PARAMETERS)]
    values = np.concatenate([part.values for part in parts])[:kernels]
    return Series(
        parts[0].parameters,
        parts[0].points,
        values,
        parts[0].target,
        0.0,
    )


def speed(rounds: int, kernels: int) -> Iterator[str]:
    data = {
        f"truth {ONE_TRUTH}": series(ONE_TRUTH, "grid", 0.05, kernels, seed=1),
        f"{len(TWO_PARAMETERS)} kinds of truth": mixed(kernels),
    }
    yield f"Written by `python -m benchmarks.modelling_several --rounds {rounds} --kernels {kernels}`."
    yield f"Two parameters, {kernels} kernels x 25 points x 5 repetitions, 5 % noise; models per second with"
    yield f"intervals at one point, medians of {rounds} rounds.\n"
    yield f"| data | Extra-P {VERSION} | ours | times (range) |"
    yield "|---|---:|---:|---:|"
    for name, one in data.items():
        seconds_of_ours(one)
        peers = []
        own = []
        for _ in range(rounds):
            answer = model_with_extrap(one.points, one.values, one.target[None])
            peers.append(len(one.values) / answer["seconds"])
            own.append(len(one.values) / seconds_of_ours(one))
        ratios = [b / a for a, b in zip(peers, own, strict=True)]
        peer, ours, ratio = (statistics.median(values) for values in (peers, own, ratios))
        yield f"| {name} | {peer:.0f} | {ours:.0f} | {ratio:.0f} ({min(ratios):.0f} .. {max(ratios):.0f}) |"


def seconds_of_ours(data: Series) -> float:
    start = time.perf_counter()
    fit(data.parameters, data.points, data.values).predict(data.target[None])
    return time.perf_counter() - start


def accuracy(kernels: int) -> Iterator[str]:
    yield "Error at 16 times the largest value of every parameter, median / 90th percentile; share of truths"
    yield f"in our 90 % interval. {kernels} kernels each, Extra-P: {PEER_KERNELS}.\n"
    yield f"| truth | design | noise | Extra-P {VERSION} | ours | coverage |"
    yield "|---|---|---:|---:|---:|---:|"
    for name in TRUTHS:
        for kind in ("grid", "cross"):
            for noise in (0.02, 0.05, 0.10):
                data = series(name, kind, noise, kernels, seed=2)
                peer = model_with_extrap(data.points, data.values[:PEER_KERNELS], data.target[None])
                prediction = fit(data.parameters, data.points, data.values).predict(data.target[None])
                inside = (prediction.lower <= data.truth) & (data.truth <= prediction.upper)
                theirs, ours = (
                    percentiles(np.asarray(values) / data.truth - 1)
                    for values in (np.array(peer["predictions"])[:, 0], prediction.value[:, 0])
                )
                yield f"| {name} | {kind} | {noise:.0%} | {theirs} | {ours} | {inside.mean():.0%} |"


def percentiles(error: Any) -> str:
    size = 100 * np.abs(error)
    return f"{np.median(size):.2g} % / {np.percentile(size, 90):.2g} %"


if __name__ == "__main__":
    main()
