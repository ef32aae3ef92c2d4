"""Series as nightly runs make them: logarithms, float64[S, n], of 1 to 2 % noise of five kinds."""

from collections.abc import Callable

import numpy as np

Noise = Callable[[np.random.Generator, int, int], np.ndarray]
LEAST, MOST = 0.01, 0.02  # standard deviation of most entries of a series


def even(rng: np.random.Generator, count: int, n: int) -> np.ndarray:
    return rng.normal(size=(count, n))


def heavy(rng: np.random.Generator, count: int, n: int) -> np.ndarray:
    """Student's distribution with three degrees of freedom, of variance one."""
    return rng.standard_t(3, size=(count, n)) / np.sqrt(3)


def slow_nights(rng: np.random.Generator, count: int, n: int) -> np.ndarray:
    """One night in twenty is slow, by 15 standard deviations on average."""
    return even(rng, count, n) + (rng.random((count, n)) < 0.05) * rng.exponential(15, size=(count, n))


def good_and_bad_days(rng: np.random.Generator, count: int, n: int) -> np.ndarray:
    """Neighbours are correlated by 0.5: autoregressive of first order."""
    steps = even(rng, count, n + 100)
    found = np.zeros_like(steps)
    for t in range(1, n + 100):
        found[:, t] = 0.5 * found[:, t - 1] + steps[:, t]
    return found[:, 100:] * np.sqrt(1 - 0.5**2)


def two_clocks(rng: np.random.Generator, count: int, n: int) -> np.ndarray:
    """A share of nights, between 0.15 and 0.5, runs at a slower clock: by three standard deviations."""
    share = rng.uniform(0.15, 0.5, size=(count, 1))
    return 0.7 * even(rng, count, n) + 3 * (rng.random((count, n)) < share)


NOISES: dict[str, Noise] = {
    "even": even,
    "heavy tails": heavy,
    "one night in twenty slow": slow_nights,
    "good and bad days (correlation 0.5)": good_and_bad_days,
    "two clocks": two_clocks,
}


def nights(rng: np.random.Generator, kind: str, count: int, n: int) -> np.ndarray:
    """Return series of one kind of noise, each with its own size of it."""
    return rng.uniform(LEAST, MOST, size=(count, 1)) * NOISES[kind](rng, count, n)


def flat(rng: np.random.Generator, count: int, n: int) -> np.ndarray:
    """Return series in which nothing changes, as many of each kind."""
    return np.concatenate([nights(rng, kind, count // len(NOISES), n) for kind in NOISES])
