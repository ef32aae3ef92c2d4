"""The formulas that are shown and copied: those of the predictions, within `AGREEMENT` over their range.

A prediction is the median over rivals inside the measured range and combined with trends beyond it, so the
formula of the most probable rival may be far from it. If that formula agrees with the prediction it is shown,
otherwise the simplest normal form that does; if none of three terms does, several in sequence: with several
parameters along the one that scales.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise, product

import numpy as np
import numpy.typing as npt

from ingest.arrays import FloatArray, IntArray
from pipeline.models.curve_formulas import Curves, TriedTerms, curve_formulas, rounded
from pipeline.models.exponents import NO_EXPONENT, Exponent
from pipeline.models.forms import Term, least_value, tried_exponents, with_powers
from pipeline.models.formula_sequences import FormulaSequences, Predict
from pipeline.models.formulas import Formula
from pipeline.models.prediction import LEVEL
from pipeline.models.prediction_formula import FormulaRange, PredictionFormula
from pipeline.models.scaling_models import ANCHORS, ScalingModels
from pipeline.models.search_space import FALLING_EXPONENTS, STEEP_EXPONENTS
from pipeline.models.total import predict_total
from pipeline.models.trend import FULL_REACH

CLOSEST = (1 / 8, 1 / 4, 1 / 2)  # of the first step, since logarithms begin steeply
NARROW, WIDE = 1.4, 1.5  # largest ratio between scales of one parameter, measured and beyond
INSIDE = 12  # scales within a wide measured range
BESIDE = 1.00001  # ratio to where a kernel begins, of scales on either side
BENDS = (1 / 2, 1)  # of the range in which trends come in
OF_TWO, OF_MORE = (7, 5), (4, 3)  # scales of each of several parameters in the measured range and beyond
SHARED_EXPONENTS = (*with_powers("-1 1/2 1 3/2 2 3"), *with_powers("0 1", 1))
OWN_TERMS = 40  # of the models, tried beside the shared ones


def formula_range(models: ScalingModels, column: int, targets: FloatArray) -> FormulaRange:
    """Return the range of formulas: what was measured, up to the targets.

    Args:
        models: of D parameters.
        column: the parameter that scales.
        targets: float64[Q, D].
    """
    points = np.vstack([models.first, models.last, targets])
    return FormulaRange(first=points.min(axis=0), last=points.max(axis=0), column=column)


def prediction_formulas(
    models: ScalingModels, within: FormulaRange, kernels: IntArray | None = None
) -> Sequence[PredictionFormula]:
    """Return the formulas of the predictions of kernels.

    Args:
        models: of all kernels.
        within: where the formulas are to agree with the predictions.
        kernels: which ones; all by default.
    """
    if kernels is not None and 2 * len(kernels) < len(models):
        return prediction_formulas(models.take(kernels), within)

    def predict(points: FloatArray, some: IntArray | None) -> FloatArray:
        return (models if some is None else models.take(some)).expected(points)

    every = models.memory.last_formulas(within.key, lambda: _agreeing(models, predict, models, within))
    return every if kernels is None else [every[k] for k in kernels.tolist()]


def total_formula(models: ScalingModels, within: FormulaRange) -> PredictionFormula:
    """Return the formula of the predicted total of all kernels."""
    if models.predictor is None:
        return sum_formula(models, within)

    def total(points: FloatArray, _: IntArray | None) -> FloatArray:
        return predict_total(models, points).value

    return _agreeing(models, total, models.whole, within)[0]


def sum_formula(models: ScalingModels, within: FormulaRange) -> PredictionFormula:
    """Return the formula of the sum of the predictions of kernels."""

    def added(points: FloatArray, _: IntArray | None) -> FloatArray:
        return models.sum_of_values(points, LEVEL)[None]

    return _agreeing(models, added, models.whole, within)[0]


def _agreeing(
    models: ScalingModels, predict: Predict, fitted: ScalingModels | None, within: FormulaRange
) -> list[PredictionFormula]:
    """Return formulas of what is predicted: the fitted ones where they agree, else others that do.

    Args:
        models: whose measured range and terms count.
        predict: predicts K kernels.
        fitted: K formulas that may agree; None if there are none.
        within: where formulas are to agree.
    """
    names = models.parameters
    curves, terms = _curves(models, predict, within), _terms(models, within)
    formulas: list[Formula | None] = [None] * len(curves.value)
    if fitted is not None:
        agree = curves.agree(_as_written(fitted, curves.points))
        formulas = [fitted.formula(k) if own else None for k, own in enumerate(agree.tolist())]
    left, tried = _missing(formulas), TriedTerms.of(names, terms)
    for k, formula in zip(left.tolist(), curve_formulas(curves.take(left), tried), strict=True):
        formulas[k] = formula
    left, found = _missing(formulas), {}
    if len(left):
        line = within if len(names) == 1 else within.line
        along = TriedTerms.of(names, [one for one in terms if _is_along(one, line.column)])
        curves = curves if line is within else _curves(models, predict, line)
        search = FormulaSequences(
            along, line, float(models.last[line.column]), costly=models.predictor is not None
        )
        found = search.of(curves.take(left), left, predict)
    return [
        found[k] if formula is None else PredictionFormula(within=within, pieces=(formula,))
        for k, formula in enumerate(formulas)
    ]


def _missing(formulas: Sequence[Formula | None]) -> IntArray:
    return np.array([k for k, formula in enumerate(formulas) if formula is None], dtype=np.int64)


def _as_written(fitted: ScalingModels, points: FloatArray) -> FloatArray:
    """Return the values of the chosen formulas with the digits that are written, float64[K, Q]."""
    coefficients = rounded(fitted.rivals.coefficients)
    written = replace(fitted, rivals=replace(fitted.rivals, coefficients=coefficients), nonnegative=False)
    return written.values(points)


def _curves(models: ScalingModels, predict: Predict, within: FormulaRange) -> Curves:
    """Predict on the scales of one parameter, or on a grid of several."""
    box = zip(within.first.tolist(), models.last.tolist(), within.last.tolist(), strict=True)
    ends = [(first, min(max(middle, first), last), last) for first, middle, last in box]
    if within.dimensions <= 1:
        begins = np.unique(models.trend.trend.begins) if models.trend else np.zeros(1)
        axes = [_scales(*one, begins) if one[0] < one[2] else [one[0]] for one in ends]
    else:
        inside, beyond = OF_TWO if within.dimensions == 2 else OF_MORE
        axes = [
            _sorted(np.geomspace(*one[:2], inside), np.geomspace(*one[1:], beyond), _bends(*one[1:]))
            for one in ends
        ]
    points = np.array(list(product(*axes)))
    return Curves.of(points, predict(points, None))


def _scales(first: float, middle: float, last: float, begins: FloatArray) -> list[float]:
    """Return scales of one parameter: those of `ScalingModels.curve`, and others where predictions bend.

    What begins within the range, float64[n], jumps there.
    """
    scales = _sorted(np.geomspace(first, last, ANCHORS), [middle])
    narrow = max(NARROW, (middle / first) ** (1 / INSIDE))
    while gaps := [(a, b) for a, b in pairwise(scales) if b > (narrow if b <= middle else WIDE) * a]:
        scales = _sorted(scales, np.sqrt(np.prod(gaps, axis=1)))
    close = first * (scales[1] / first) ** np.array(CLOSEST)
    within = begins[(begins > first) & (begins < last)]
    return _sorted(scales, close, _bends(middle, last), within / BESIDE, within * BESIDE)


def _bends(middle: float, last: float) -> FloatArray:
    """Return where trends come in behind the measured range, up to its formula's end."""
    bends = middle * np.exp(FULL_REACH * np.array(BENDS))
    return np.asarray(bends[bends < last])


def _sorted(*scales: npt.ArrayLike) -> list[float]:
    found: list[float] = np.unique(np.concatenate([np.asarray(some) for some in scales])).tolist()
    return found


def _terms(models: ScalingModels, within: FormulaRange) -> list[Term]:
    """Return the terms that are tried: of one parameter all there are."""
    size = len(models.parameters)
    if size == 1:
        tried: list[Term] = [(one,) for one in (*tried_exponents(), *STEEP_EXPONENTS, *FALLING_EXPONENTS)]
    else:
        own = models.hypotheses.plain
        used = Counter(one for h in models.rivals.hypothesis[models.rivals.chosen].tolist() for one in own[h])
        alone = [
            tuple(one if d == e else NO_EXPONENT for e in range(size))
            for d, one in product(range(size), SHARED_EXPONENTS)
        ]
        tried = [one for one, _ in used.most_common(OWN_TERMS)] + alone
        tried += [tuple(map(_either, *both)) for both in combinations(alone, 2) if _are_apart(*both)]
    return [one for one in dict.fromkeys(tried) if _is_usable(one, within.first)]


def _is_usable(one: Term, smallest: FloatArray) -> bool:
    return all(least_value(exponent) <= low for exponent, low in zip(one, smallest, strict=True))


def _are_apart(one: Term, other: Term) -> bool:
    return all(NO_EXPONENT in pair for pair in zip(one, other, strict=True))


def _either(one: Exponent, other: Exponent) -> Exponent:
    return one if other == NO_EXPONENT else other


def _is_along(one: Term, column: int) -> bool:
    return all(exponent == NO_EXPONENT for d, exponent in enumerate(one) if d != column)
