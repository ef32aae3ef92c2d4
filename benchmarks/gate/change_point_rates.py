"""How often change points are reported in histories without and with a change, by kind of noise, as a table.

    python -m benchmarks.gate.change_point_rates [--trials 1000] [--seed 1]

Noise is 5 % of a value; correlated entries are autoregressive of first order. Long histories get fewer
trials.
"""

import argparse
from collections.abc import Callable

import numpy as np

from pipeline.gate.change_points import change_points_of_each

NOISE = 0.05
LENGTHS = (12, 31, 32, 64, 128, 200, 2000)
MOST_VALUES = 800_000  # of all trials of one setting
Noise = Callable[[np.random.Generator, int, int], np.ndarray]


def even(rng: np.random.Generator, trials: int, n: int) -> np.ndarray:
    return rng.normal(size=(trials, n))


def heavy(rng: np.random.Generator, trials: int, n: int) -> np.ndarray:
    return rng.standard_t(2, size=(trials, n))


def slow_runs(rng: np.random.Generator, trials: int, n: int) -> np.ndarray:
    """One entry in twenty is slow by up to a factor of about 2."""
    return even(rng, trials, n) + 5 * (rng.random((trials, n)) < 0.05) * rng.exponential(2, size=(trials, n))


def correlated(correlation: float) -> Noise:
    def noise(rng: np.random.Generator, trials: int, n: int) -> np.ndarray:
        steps = rng.normal(size=(trials, n + 100))
        found = np.zeros_like(steps)
        for t in range(1, n + 100):
            found[:, t] = correlation * found[:, t - 1] + steps[:, t]
        return found[:, 100:] * np.sqrt(1 - correlation**2)

    return noise


NOISES: dict[str, Noise] = {
    "independent": even,
    "heavy tails (Student, 2 degrees)": heavy,
    "one entry in twenty slow": slow_runs,
    "correlation 0.3": correlated(0.3),
    "correlation 0.5": correlated(0.5),
    "correlation 0.7": correlated(0.7),
    "correlation 0.85": correlated(0.85),
}
STEPS: dict[str, Callable[[int], tuple[float, slice]]] = {
    "last third 1.1x": lambda n: (np.log(1.1), slice(n - n // 3, n)),
    "last third 1.2x": lambda n: (np.log(1.2), slice(n - n // 3, n)),
    "last 5 entries 1.3x": lambda n: (np.log(1.3), slice(n - 5, n)),
    "last 10 entries 1.2x": lambda n: (np.log(1.2), slice(n - 10, n)),
}


def row(title: str, shares: list[float]) -> str:
    return f"| {title} | {' | '.join(f'{100 * share:.1f} %' for share in shares)} |"


def main() -> None:
    """Print two tables: false alarms, and changes found within two entries of where they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    trials = [max(100, min(given.trials, MOST_VALUES // n)) for n in LENGTHS]
    head = f"| | {' | '.join(f'{n} entries' for n in LENGTHS)} |\n|---|{'---:|' * len(LENGTHS)}"
    print("Histories in which nothing changed, with a change point:\n\n" + head)
    for title, noise in NOISES.items():
        shares = []
        for n, count in zip(LENGTHS, trials, strict=True):
            found = change_points_of_each(np.exp(NOISE * noise(rng, count, n)))
            shares.append(float(np.mean([bool(one) for one in found])))
        print(row(title, shares), flush=True)
    print("\nChanges found, independent noise:\n\n" + head)
    for title, step in STEPS.items():
        shares = []
        for n, count in zip(LENGTHS, trials, strict=True):
            logs = NOISE * even(rng, count, n)
            shift, where = step(n)
            logs[:, where] += shift
            found = change_points_of_each(np.exp(logs))
            shares.append(float(np.mean([any(abs(c.at - where.start) <= 2 for c in one) for one in found])))
        print(row(title, shares), flush=True)


if __name__ == "__main__":
    main()
