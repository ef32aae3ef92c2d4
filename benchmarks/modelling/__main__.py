"""Models per second, beside Extra-P in the same run.

    python -m benchmarks.modelling [--rounds 5] [--kernels 2000] [--peer-kernels 200] [--out FILE.md]

Every round times Extra-P on some of the kernels and then ours on all of them, and gives one ratio of
models per second; what else the machine does meanwhile hits both.
"""

import argparse
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.accuracy.functions import Array, draw
from benchmarks.extrap.environment import VERSION, interpreter
from benchmarks.extrap.environment import model as model_with_extrap
from pipeline.models.fit import fit
from pipeline.models.options import ModelOptions

WAYS = (
    ("everything on: validation, all rivals, intervals at one scale", ModelOptions()),
    ("plain one-term fit (leave-one-out), with intervals at one scale", ModelOptions(method="extra-p")),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kernels", type=int, default=2000)
    parser.add_argument("--peer-kernels", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.md"))
    arguments = parser.parse_args()
    lines = list(report(arguments.rounds, arguments.kernels, arguments.peer_kernels))
    print("\n".join(lines))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def report(rounds: int, kernels: int, peer_kernels: int) -> Iterator[str]:
    data = draw("balanced", 6, 0.05, kernels, seed=1)
    interpreter()
    for _, options in WAYS:
        seconds(data.points, data.values, data.targets, options)
    rates: dict[str, list[float]] = {name: [] for name, _ in WAYS}
    ratios: dict[str, list[float]] = {name: [] for name, _ in WAYS}
    peers = []
    for _ in range(rounds):
        answer = model_with_extrap(data.points, data.values[:peer_kernels], data.targets[:1])
        peers.append(peer_kernels / answer["seconds"])
        for name, options in WAYS:
            rates[name].append(kernels / seconds(data.points, data.values, data.targets, options))
            ratios[name].append(rates[name][-1] / peers[-1])
    yield f"Written by `python -m benchmarks.modelling --rounds {rounds} --kernels {kernels}`: "
    yield f"{kernels} kernels x 6 points x 5 repetitions, medians of {rounds} rounds (range).\n"
    yield "| | models per second | times Extra-P's |"
    yield "|---|---:|---:|"
    yield f"| Extra-P {VERSION} | {statistics.median(peers):.0f} | 1 |"
    for name, _ in WAYS:
        middle, low, high = statistics.median(ratios[name]), min(ratios[name]), max(ratios[name])
        yield f"| {name} | {statistics.median(rates[name]):.0f} | {middle:.0f} ({low:.0f} .. {high:.0f}) |"


def seconds(points: Array, values: Array, targets: Array, options: ModelOptions) -> float:
    start = time.perf_counter()
    models = fit(("p",), points[:, None], values, options)
    predicted = models.predict(targets[:1, None])
    assert np.isfinite(predicted.upper).all()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
