"""Functions with a known truth, measured with noise, in the regimes that kernels come in."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pipeline.models.forms import term_values, tried_exponents

Array = npt.NDArray[np.float64]
REACH = (4.0, 16.0)  # times the largest measured scale, where predictions are judged
OVERHEADS = (
    (0.0, 0),
    (0.0, 1),
    (0.25, 0),
    (0.5, 0),
    (1.0, 0),
)  # g(p) of a strongly scaling code c0/p + c1 g(p)
SMALLEST_FACTOR = 1e-3


@dataclass(frozen=True)
class Data:
    """K functions at P scales.

    Attributes:
        points: float64[P].
        values: float64[K, P, R], the measurements.
        targets: float64[2], `REACH` times the largest scale.
        truth: float64[K, 2], the functions there.
        leading: float64[K, 2], the exponents (i, j) of the leading term.
        constant: bool, whether the truth is constant.
    """

    points: Array
    values: Array
    targets: Array
    truth: Array
    leading: Array
    constant: bool


def draw(regime: str, points: int, noise: float, functions: int, seed: int, repetitions: int = 5) -> Data:
    """Draw functions of a regime and measure them with Gaussian relative noise at p = 4, 8, 16, ...

    ``balanced``: the growing term is 30 to 100 % of the function at the largest scale.
    ``paper``: both coefficients uniform between 0.001 and 1000, so that growth nearly always dominates.
    ``constant``: no growth. ``effort`` and ``time``: p T(p) and T(p) of a strongly scaling code with
    T = c0/p + c1 g(p) whose overhead c1 g is 10 to 70 % of T at the largest scale.
    """
    random = np.random.default_rng([seed, points, *regime.encode()])
    scales = 2.0 ** np.arange(2, 2 + points)
    every = np.concatenate([scales, scales[-1] * np.array(REACH)])
    if regime in {"effort", "time"}:
        values, leading = _strong_scaling(random, functions, every, scales[-1])
        if regime == "effort":
            values, leading = values * every, leading + np.array([1.0, 0.0])
    else:
        values, leading = _one_term(random, functions, every, scales[-1], regime)
    noisy = np.random.default_rng([seed, points, round(1000 * noise), *regime.encode()])
    factors = 1 + noise * noisy.standard_normal((functions, points, repetitions))
    measured = values[:, :points, None] * np.maximum(factors, SMALLEST_FACTOR)
    return Data(scales, measured, every[points:], values[:, points:], leading, regime == "constant")


def _one_term(
    random: np.random.Generator, functions: int, every: Array, largest: float, regime: str
) -> tuple[Array, Array]:
    chosen = random.integers(len(tried_exponents()), size=functions)
    terms = tuple((tried_exponents()[c],) for c in chosen)
    growth = term_values(terms, every[:, None]).T
    constant = 10 ** random.uniform(0, 3, functions)
    share = random.uniform(0.3, 1, functions)
    factor = constant * share / (1 - share) / term_values(terms, np.array([[largest]]))[0]
    if regime == "paper":
        constant, factor = random.uniform(0.001, 1000, (2, functions))
    if regime == "constant":
        factor = np.zeros(functions)
    leading = np.array([(float(i), j) for ((i, j),) in terms]) * (regime != "constant")
    return constant[:, None] + factor[:, None] * growth, leading


def _strong_scaling(
    random: np.random.Generator, functions: int, every: Array, largest: float
) -> tuple[Array, Array]:
    leading = np.array(OVERHEADS)[random.integers(len(OVERHEADS), size=functions)]

    def overhead(p: Array) -> Array:
        return p ** leading[:, :1] * np.log2(p) ** leading[:, 1:]

    work, share = 10 ** random.uniform(1, 4, functions), random.uniform(0.1, 0.7, functions)
    factor = (work / largest) * share / (1 - share) / overhead(np.array([largest]))[:, 0]
    return work[:, None] / every + factor[:, None] * overhead(every), leading
