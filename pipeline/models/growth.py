"""How kernels grow, in words: one statement each, from the probability of growing, and how fast."""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from pipeline.models.quality import ENOUGH_POINTS, Note
from pipeline.models.scaling_models import LocationCount, ScalingModels
from pipeline.wording.quantities import counted

_AHEAD = 4.0  # times the largest value of a parameter, up to where terms are compared with powers
_RANGE = 0.05, 0.95  # quantiles of the exponents of growing models
_ENOUGH_VALUES = 3  # of a parameter, with which there is a law: any goes through two
_EVEN = 0.5  # probability above which what does not grow falls
_ROUNDING = 1e-9  # of an exponent
_LEAST_EXPONENT = 0.05  # smaller ones are not written
_BLOCK = 4096  # kernels looked at at once
GROWING, _NOT_GROWING = 0.9, 0.1  # probabilities from which, and up to which a kernel is called so

CONSTANT, FALLS, _MAY_GROW, UNCLEAR = "constant", "falls", "may grow", "unclear"
_GROWS = "grows, about "
_LAWLESS, _FEW = "law unclear", re.compile(r"(?<=unclear): \d values?")
LAWLESS = f"grows ({_LAWLESS})"  # what surely grows, but whose model is unreliable


def growth_statement(
    *, probability: float, falls: bool, falls_first: bool, points: int, unreliable: bool, law: str
) -> str:
    """Say how one kernel grows, so that nothing contradicts the probability or the model.

    The words follow from the probability of growing: if it does not grow, it falls rather than stays
    constant, and if it falls first, that is up to `_AHEAD`, whatever term leads beyond. The law says how it
    grows if it does, ``grows, about p^0.5 to p^1.3``; a model that misses measurements by far has no range of
    exponents.
    """
    if points < ENOUGH_POINTS:
        return f"{_LAWLESS}: {counted(points, 'point')}"
    grows, may_grow = probability >= GROWING, probability > _NOT_GROWING
    if unreliable:
        rising = may_grow and not falls_first
        return UNCLEAR if not rising else LAWLESS if grows else _MAY_GROW
    if grows:
        return f"{FALLS}, then grows" if falls_first else law
    if may_grow:
        return f"{FALLS}, {_MAY_GROW}" if falls and falls_first else _MAY_GROW
    return FALLS if falls else CONSTANT


def growth_cell(statement: str) -> str:
    """Write a statement as tables do under the heading ``growth``: ``p^0.5 to p^1.3``."""
    return _FEW.sub("", statement.removeprefix(_GROWS))


def stated_law(statement: str, leading: str) -> str:
    """Return the leading term of a formula if the statement is a law, else ``unclear``.

    It is ``1`` for what does not grow, and for what may if the formula has no such term.
    """
    if statement in (CONSTANT, FALLS) or (leading == "1" and statement.endswith(_MAY_GROW)):
        return "1"
    is_law = statement.startswith("grows") and UNCLEAR not in statement and leading != "1"
    return leading if is_law else UNCLEAR


def stated_laws(models: ScalingModels, leading: Iterable[str]) -> list[str]:
    """Return the leading terms of K formulas as far as the statements on the kernels support them."""
    return [stated_law(*pair) for pair in zip(growth_classes(models), leading, strict=True)]


def growth_classes(models: ScalingModels) -> list[str]:
    """Return the statement on each kernel, as of `growth_statement`.

    Exponents are those of the leading terms of all growing rivals, taken up to `_AHEAD` times the largest
    value of a parameter, so that ``p * log2(p)`` counts as a power, too: their 5 and 95 % quantiles by the
    rivals' probabilities. Two values of a parameter are no law: ``grows (p unclear: 2 values)``.
    """
    if len(models) > _BLOCK:
        blocks = (np.arange(k, min(k + _BLOCK, len(models))) for k in range(0, len(models), _BLOCK))
        return [text for block in blocks for text in growth_classes(models.take(block))]
    rivals, (place, there) = models.rivals, models.rivals.grid()
    weight = np.where(there, rivals.weight[place], 0.0)
    exponents = _leading_exponents(models)[place] * there[..., None]
    grows = (exponents > 0).any(axis=2)
    has_term = there & (rivals.coefficients[:, 1:] != 0).any(axis=1)[place]
    low, high = _range(exponents, np.where(grows, weight, 0.0))
    left = np.where(grows, 0.0, weight)
    falling = np.divide(
        (left * has_term).sum(axis=1), left.sum(axis=1), out=np.zeros(len(models)), where=left.any(axis=1)
    )
    few, quality = _few_values(models), models.quality
    judged = zip(
        quality.probability_growing.tolist(),
        (falling > _EVEN).tolist(),
        _falls_on(models).tolist(),
        quality.points.tolist(),
        ((quality.note & Note.UNRELIABLE) != 0).tolist(),
        low.tolist(),
        high.tolist(),
        strict=True,
    )
    return [
        growth_statement(
            probability=probability,
            falls=falls,
            falls_first=falls_first,
            points=points,
            unreliable=unreliable,
            law=_growth_text(models.parameters, tuple(lows), tuple(highs), few),
        )
        for probability, falls, falls_first, points, unreliable, lows, highs in judged
    ]


def total_statement(models: ScalingModels, leading: str, probability: float, points: int) -> str:
    """Say how the sum of K kernels grows that has no model of its own, by its formula's leading term."""
    unknown = _unknown(zip(models.parameters, _few_values(models), strict=True))
    law = f"grows{unknown}" if unknown else f"{_GROWS}{leading}" if leading != "1" else "grows slowly"
    return growth_statement(
        probability=probability, falls=False, falls_first=False, points=points, unreliable=False, law=law
    )


def _falls_on(models: ScalingModels) -> BoolArray:
    """Which kernels are predicted to fall up to `_AHEAD`, whatever term leads beyond, bool[K].

    With several parameters a kernel may fall along one and grow along another: none counts as falling.
    """
    if len(models.parameters) > 1:
        return np.zeros(len(models), dtype=np.bool_)
    value = models.expected(np.array([models.last, models.last * _AHEAD]))
    return value[:, 1] < value[:, 0]


def _leading_exponents(models: ScalingModels) -> FloatArray:
    """Exponent of every rival's fastest rising term along each parameter, float64[R, D], 0 without one."""
    size, hypotheses = len(models.parameters), models.hypotheses
    points = np.vstack([models.last, models.last * (1 + (_AHEAD - 1) * np.eye(size))])
    values = np.log(np.maximum(hypotheses.term_values(points), np.finfo(np.float64).tiny))
    of_term = np.vstack([(values[1:] - values[0]).T / np.log(_AHEAD), np.zeros((1, size))])
    found = np.zeros((len(models.rivals.hypothesis), size))
    for t in range(hypotheses.rows.shape[1]):
        rises = models.rivals.coefficients[:, 1 + t] > 0
        exponent = (of_term[hypotheses.rows[:, t]] / hypotheses.sharpness[:, None])[models.rivals.hypothesis]
        found = np.maximum(found, np.where(rises[:, None], exponent, 0.0))
    if models.per is not None:
        found[:, models.per.columns] -= 1
    return np.where(found > _ROUNDING, found, 0.0)


def shown_per(models: ScalingModels, locations: LocationCount) -> ScalingModels:
    """Return models of sums over locations as models of one of them, which grow if the sums outgrow these."""
    shown = replace(models, per=locations)
    rivals = shown.rivals
    outgrows = rivals.weight * (_leading_exponents(shown) > 0).any(axis=1)
    growing = np.minimum(np.bincount(rivals.kernel, outgrows, len(shown)), 1.0)
    whole = None if models.whole is None else shown_per(models.whole, locations)
    return replace(shown, whole=whole, quality=replace(shown.quality, probability_growing=growing))


def _range(exponents: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Quantiles of float64[K, M, D] exponents of rivals with weights float64[K, M], float64[K, D] each."""
    order = np.argsort(exponents, axis=1, kind="stable")
    value = np.take_along_axis(exponents, order, axis=1)
    below = np.cumsum(np.take_along_axis(weight[..., None], order, axis=1), axis=1)
    ends = []
    for quantile in _RANGE:
        reached: BoolArray = below >= quantile * below[:, -1:]
        place = reached.argmax(axis=1)[:, None]
        ends.append(np.take_along_axis(value, place, axis=1)[:, 0])
    return ends[0], ends[1]


@lru_cache(maxsize=4096)
def _growth_text(
    parameters: tuple[str, ...], low: tuple[float, ...], high: tuple[float, ...], few: tuple[int, ...]
) -> str:
    ends = zip(parameters, low, high, few, strict=True)
    grown = [(name, a, b, count) for name, a, b, count in ends if b >= _LEAST_EXPONENT]
    ranges = [_between(name, a, b) for name, a, b, count in grown if not count]
    without = _unknown((name, count) for name, _, _, count in grown)
    if ranges:
        return f"{_GROWS}{', '.join(ranges)}{without}"
    return f"grows{without}" if without else "grows slowly"


def _unknown(few: Iterable[tuple[str, int]]) -> str:
    """Name the parameters with too few values, given how many those have: `` (p unclear: 2 values)``."""
    texts = [f"{name} {UNCLEAR}: {counted(count, 'value')}" for name, count in few if count]
    return f" ({', '.join(texts)})" if texts else ""


def _few_values(models: ScalingModels) -> tuple[int, ...]:
    """How many values each parameter was measured at if they are too few for a law, else 0."""
    if models.trend is None:
        return (0,) * len(models.parameters)
    counts = [len(np.unique(values)) for values in models.trend.trend.points.T]
    return tuple(count if count < _ENOUGH_VALUES else 0 for count in counts)


def _between(name: str, low: float, high: float) -> str:
    first, last = (f"{exponent:.1f}".removesuffix(".0") for exponent in (low, high))
    if first == last:
        return _power(name, last)
    if low < _LEAST_EXPONENT:
        return f"up to {_power(name, last)}"
    return f"{_power(name, first)} to {_power(name, last)}"


def _power(name: str, exponent: str) -> str:
    return name if exponent == "1" else f"{name}^{exponent}"
