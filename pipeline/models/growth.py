"""How kernels grow, in words: the most probable of growing, staying constant and falling, and how fast."""

from functools import lru_cache

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from pipeline.models.forms import term_values
from pipeline.models.quality import Note
from pipeline.models.scaling_models import ScalingModels

AHEAD = 4.0  # times the largest value of a parameter, up to where terms are compared with powers
RANGE = 0.05, 0.95  # quantiles of the exponents of growing models
LEAST_EXPONENT = 0.05  # smaller ones are not written
BLOCK = 4096  # kernels looked at at once

CONSTANT, FALLS, UNCLEAR = "constant", "falls", "unclear"
GROWS = "grows, about "


def growth_classes(models: ScalingModels) -> list[str]:
    """Return how each kernel grows: ``constant``, ``falls``, ``grows, about p^0.5 to p^1.3`` or ``unclear``.

    The class is the most probable one, but what is predicted to fall up to `AHEAD` times the largest value of
    a parameter falls. Exponents are those of the leading terms of all growing rivals, taken over the same
    range, so that ``p * log2(p)`` counts as a power, too: their 5 and 95 % quantiles by the rivals'
    probabilities. A kernel with an unreliable model is ``unclear``.
    """
    if len(models) > BLOCK:
        blocks = (np.arange(k, min(k + BLOCK, len(models))) for k in range(0, len(models), BLOCK))
        return [text for block in blocks for text in growth_classes(models.take(block))]
    rivals, (place, there) = models.rivals, models.rivals.grid()
    weight = np.where(there, rivals.weight[place], 0.0)
    exponents = _leading_exponents(models)[place] * there[..., None]
    grows = (exponents > 0).any(axis=2)
    has_term = there & (rivals.coefficients[:, 1:] != 0).any(axis=1)[place]
    low, high = _range(exponents, np.where(grows, weight, 0.0))
    probable = models.quality.probability_growing
    left = np.where(grows, 0.0, weight)
    falling = np.divide(
        (left * has_term).sum(axis=1), left.sum(axis=1), out=np.zeros(len(models)), where=left.any(axis=1)
    )
    constant, falls = (1 - probable) * (1 - falling), (1 - probable) * falling
    likeliest = np.stack([constant, falls, probable]).argmax(axis=0)
    likeliest[(likeliest == 2) & _falls_on(models)] = 1
    likeliest[(models.quality.note & Note.UNRELIABLE) != 0] = 3
    texts = []
    for kind, lows, highs in zip(likeliest.tolist(), low.tolist(), high.tolist(), strict=True):
        grown = _growth_text(models.parameters, tuple(lows), tuple(highs)) if kind == 2 else ""
        texts.append((CONSTANT, FALLS, grown, UNCLEAR)[kind])
    return texts


def _falls_on(models: ScalingModels) -> BoolArray:
    """Which kernels are predicted to fall up to `AHEAD`, whatever term leads beyond, bool[K].

    With several parameters a kernel may fall along one and grow along another: none counts as falling.
    """
    if len(models.parameters) > 1:
        return np.zeros(len(models), dtype=np.bool_)
    value = models.expected(np.array([models.last, models.last * AHEAD]))
    falls: BoolArray = value[:, 1] < value[:, 0]
    return falls


def _leading_exponents(models: ScalingModels) -> FloatArray:
    """Exponent of every rival's fastest rising term along each parameter, float64[R, D], 0 without one."""
    size, hypotheses = len(models.parameters), models.hypotheses
    points = np.vstack([models.last, models.last * (1 + (AHEAD - 1) * np.eye(size))])
    values = np.log(np.maximum(term_values(hypotheses.terms, points), np.finfo(np.float64).tiny))
    of_term = np.vstack([(values[1:] - values[0]).T / np.log(AHEAD), np.zeros((1, size))])
    found = np.zeros((len(models.rivals.hypothesis), size))
    for t in range(hypotheses.rows.shape[1]):
        rises = models.rivals.coefficients[:, 1 + t] > 0
        exponent = (of_term[hypotheses.rows[:, t]] / hypotheses.sharpness[:, None])[models.rivals.hypothesis]
        found = np.maximum(found, np.where(rises[:, None], exponent, 0.0))
    return found


def _range(exponents: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Quantiles of float64[K, M, D] exponents of rivals with weights float64[K, M], float64[K, D] each."""
    order = np.argsort(exponents, axis=1, kind="stable")
    value = np.take_along_axis(exponents, order, axis=1)
    below = np.cumsum(np.take_along_axis(weight[..., None], order, axis=1), axis=1)
    ends = []
    for quantile in RANGE:
        reached: BoolArray = below >= quantile * below[:, -1:]
        place = reached.argmax(axis=1)[:, None]
        ends.append(np.take_along_axis(value, place, axis=1)[:, 0])
    return ends[0], ends[1]


@lru_cache(maxsize=4096)
def _growth_text(parameters: tuple[str, ...], low: tuple[float, ...], high: tuple[float, ...]) -> str:
    ranges = [
        _between(name, a, b) for name, a, b in zip(parameters, low, high, strict=True) if b >= LEAST_EXPONENT
    ]
    return GROWS + ", ".join(ranges) if ranges else "grows slowly"


def _between(name: str, low: float, high: float) -> str:
    first, last = (f"{exponent:.1f}".removesuffix(".0") for exponent in (low, high))
    if first == last:
        return _power(name, last)
    if low < LEAST_EXPONENT:
        return f"up to {_power(name, last)}"
    return f"{_power(name, first)} to {_power(name, last)}"


def _power(name: str, exponent: str) -> str:
    return name if exponent == "1" else f"{name}^{exponent}"
