"""What the statistic of change points reaches by chance: the table `LIMITS` of pipeline.gate.change_points.

    python -m benchmarks.gate.change_point_limits

The statistic is one of ranks, so any order of the ranks is as probable as any other if nothing changes.
"""

import numpy as np

from pipeline.gate.change_points import PROBABILITIES, largest_statistics

SMALL = (10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32, 40, 48, 64)
LARGE = (96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096, 8192)
RANKS_AT_ONCE = 200_000


def simulated(n: int, trials: int, rng: np.random.Generator) -> np.ndarray:
    """Return the largest statistic of many series in which nothing changes, float64[trials]."""
    block = max(1, RANKS_AT_ONCE // n)
    sizes = [min(block, trials - start) for start in range(0, trials, block)]
    return np.concatenate([largest_statistics(rng.random((size, n)).argsort(axis=1)) for size in sizes])


def limit(statistics: np.ndarray, probability: float) -> float:
    """Return the smallest value, of three digits, that is reached with at most this probability."""
    values = np.sort(np.floor(np.round(statistics, 4) * 1000) / 1000)[::-1]
    reached = int(probability * len(values))
    above = values[:reached][values[:reached] > values[reached]]
    return float(above[-1]) if len(above) else float("inf")


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(1)
    for n in (*SMALL, *LARGE):
        trials = 200_000 if n in SMALL else max(10_000, min(40_000, 20_000_000 // n))
        found = simulated(n, trials, rng)
        print(f"    {n}: ({', '.join(f'{limit(found, p):g}' for p in PROBABILITIES)}),", flush=True)


if __name__ == "__main__":
    main()
