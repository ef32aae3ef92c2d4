"""How often an entry of a history that did not change is called changed, and how often a change is found.

    python -m benchmarks.gate.entries [--histories 6] [--seed 2026]

Every entry is five kernels at five scales with three repetitions, tested against the entry before it as
`pipeline history add` tests. The changed kernel takes about a fifth of the total, at all scales the factor
more.
"""

import argparse
import datetime
from collections import Counter

import numpy as np

from benchmarks.gate.simulation import study_of
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.kernel_values import KernelValues
from pipeline.gate.study_check import check
from pipeline.gate.target_forecast import modelled
from pipeline.models.options import ModelOptions
from pipeline.report.check.history import step_verdicts

NOISES = (0.01, 0.02, 0.05, 0.1, 0.2)
FACTORS = (1.3, 1.5)
ENTRIES = 30
REPETITIONS = 3
P = np.array([8.0, 16.0, 32.0, 64.0, 128.0])
KERNELS = {
    "solve": np.full(5, 100.0),
    "halo": 10 * np.sqrt(P / 8),
    "reduce": 5 * np.log2(P),
    "io": 20 + 0 * P,
    "sort": 30 + 0 * P,
}
CHANGED = "sort"


def entry(noise: float, rng: np.random.Generator, factor: float = 1.0) -> KernelValues:
    """Return a study with its models."""
    mean = np.stack([values * (factor if name == CHANGED else 1.0) for name, values in KERNELS.items()])
    values = mean[:, :, None] * np.exp(noise * rng.normal(size=(*mean.shape, REPETITIONS)))
    return modelled(study_of(list(KERNELS), P, values), ModelOptions())


def verdicts(before: KernelValues, now: KernelValues) -> dict[str, str]:
    """Return what the test says of every kernel and of the total."""
    result = check(now, before, CheckOptions(), ModelOptions(), datetime.date.today())
    return {kernel.region: verdict for kernel, verdict in step_verdicts(result).items()}


def unchanged(noise: float, histories: int, seed: int, entries: int = ENTRIES) -> Counter[str]:
    """Count the entries of histories without change in which any kernel has a verdict."""
    counts: Counter[str] = Counter()
    for history in range(histories):
        rng = np.random.default_rng((seed, history, round(1000 * noise)))
        before = entry(noise, rng)
        for _ in range(entries - 1):
            now = entry(noise, rng)
            counts.update({"tests", *verdicts(before, now).values()})
            before = now
    return counts


def found(noise: float, factor: float, trials: int, seed: int) -> int:
    """Count how often a changed kernel is called a regression."""
    count = 0
    for trial in range(trials):
        rng = np.random.default_rng((seed, trial, round(1000 * noise), round(100 * factor)))
        count += verdicts(entry(noise, rng), entry(noise, rng, factor))[CHANGED] == "regression"
    return count


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=6)
    parser.add_argument("--seed", type=int, default=2026)
    given = parser.parse_args()
    print("| noise | regression | improvement | unclear | 1.3x found | 1.5x found |")
    print("|---:|---:|---:|---:|---:|---:|")
    for noise in NOISES:
        counts = unchanged(noise, given.histories, given.seed)
        shares = [counts[one] / counts["tests"] for one in ("regression", "improvement", "inconclusive")]
        trials = 10 * given.histories
        power = [found(noise, factor, trials, given.seed) / trials for factor in FACTORS]
        cells = [f"{100 * share:.1f} %" for share in (*shares, *power)]
        print(f"| {noise:.0%} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
