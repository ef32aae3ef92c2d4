"""False alarms, power and "cannot tell" of the gate by kind of noise, as a table.

    python -m benchmarks.gate [--trials 100] [--points 5] [--noise 2 5] [--seed 2026]
    python -m benchmarks.gate --splits SERIES ... [--most 50]

Every trial simulates 60 kernels before and after and makes the complete check, models included. One trial in
four is enough for a change that is nearly always found: changes get a quarter of the trials.

``--splits`` needs no simulation: it checks one repetition of measured series against the others, and halves
against each other, although nothing changed (`splits.table`).
"""

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.gate import splits
from benchmarks.gate.simulation import MACHINES, Setting, simulate, with_noise
from benchmarks.gate.splits import checked
from pipeline.gate.check_result import Cause, Outcome, Ruling
from pipeline.gate.study_check import BaselineKind

CHANGED = "kernel1"
CHANGES = ("1.2x", "1.5x", "1.5x at the last", "log p", "p^(1/2)")
PART = 4  # changes get one trial in so many


@dataclass(frozen=True)
class Cell:
    """Counts of trials: failed, inconclusive, the changed kernel found, a common verdict."""

    trials: int
    failed: int
    unsure: int
    found: int
    common: int


def cell(setting: Setting, trials: int, seed: tuple[int, ...]) -> Cell:
    """Simulate and check one setting."""
    rng = np.random.default_rng(seed)
    kind = BaselineKind.PAIRED if setting.interleaved else BaselineKind.BASELINE
    counts: Counter[str] = Counter()
    for _ in range(trials):
        result = checked(*simulate(setting, rng), kind)
        counts["failed"] += result.outcome is Outcome.REGRESSED
        counts["unsure"] += result.outcome is Outcome.INCONCLUSIVE
        counts["found"] += any(k.kernel.region == CHANGED for k in result.of(Ruling.REGRESSION))
        counts["common"] += any(reason.cause is Cause.COMMON for reason in result.reasons)
    return Cell(trials, counts["failed"], counts["unsure"], counts["found"], counts["common"])


def row(name: str, noise: float, points: int, trials: int, seed: int) -> str:
    """One line of the table: a kind of noise."""
    machine = with_noise(MACHINES[name], noise)
    number = list(MACHINES).index(name)
    setting = Setting(machine=machine, points=points, repetitions=points)

    def made(one: Setting, column: int, count: int) -> Cell:
        return cell(one, count, (seed, points, number, round(1000 * noise), column))

    few = max(trials // PART, 1)
    nothing = made(setting, 0, trials)
    found = [made(replace(setting, change=c), n, few) for n, c in enumerate(CHANGES, 1)]
    everywhere = replace(setting, change="all 1.1x")
    together = made(everywhere, 10, few)
    paired = made(replace(everywhere, interleaved=True), 11, few)
    in_turn = made(replace(setting, interleaved=True), 12, few)
    cells = [
        f"{100 * noise:g} %",
        percent(nothing.failed, trials),
        percent(nothing.unsure, trials),
        *(percent(one.found, few) for one in found),
        percent(together.common, few),
        percent(paired.failed, few),
        percent(in_turn.failed, few),
    ]
    return f"| {name} | " + " | ".join(cells) + " |"


def percent(count: int, trials: int) -> str:
    return f"{100 * count / trials:.0f} %"


def table(points: int, noises: list[float], trials: int, seed: int) -> None:
    print(f"\n{points} scales x {points} repetitions, {trials} trials (changes: {max(trials // PART, 1)})\n")
    print(
        "| noise | of a value | nothing changed: fails | cannot tell | "
        + " | ".join(f"{change} found" for change in CHANGES)
        + " | all 1.1x: common verdict | in turn: all 1.1x fails | in turn: nothing changed fails |"
    )
    print("|---|" + "---:|" * (len(CHANGES) + 6))
    settings = [(name, noise) for name in MACHINES for noise in noises]
    with ProcessPoolExecutor() as pool:
        names, of_each = zip(*settings, strict=True)
        count = len(settings)
        for line in pool.map(row, names, of_each, [points] * count, [trials] * count, [seed] * count):
            print(line, flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--trials", type=int, default=100)
    options.add_argument("--points", type=int, nargs="+", default=[5, 3])
    options.add_argument("--noise", type=float, nargs="+", default=[2, 5])
    options.add_argument("--seed", type=int, default=2026)
    options.add_argument("--splits", type=Path, nargs="+", metavar="SERIES")
    options.add_argument("--most", type=int, default=50)
    given = options.parse_args()
    if given.splits:
        for line in splits.table(given.splits, given.most):
            print(line, flush=True)
        return
    for points in given.points:
        table(points, [n / 100 for n in given.noise], given.trials, given.seed)


if __name__ == "__main__":
    main()
