"""The formulas that are shown and copied: those of the predictions, within `AGREEMENT` over their range.

A prediction is the median over rivals inside the measured range and combined with trends beyond it, so the
formula of the most probable rival may be far from it. If that formula agrees with the prediction it is shown,
otherwise the simplest normal form that does; if none of three terms does, several in sequence: with several
parameters along the one that scales.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise, product

import numpy as np
import numpy.typing as npt

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from pipeline.models.forms import (
    Term,
    least_value,
    powers_of_terms,
    simplicity,
    tried_exponents,
    values_of_powers,
    with_powers,
)
from pipeline.models.formulas import Formula, FormulaRange, PredictionFormula
from pipeline.models.options import NO_EXPONENT, Exponent
from pipeline.models.prediction import LEVEL
from pipeline.models.scaling_models import ANCHORS, ScalingModels
from pipeline.models.search_space import FALLING_EXPONENTS, STEEP_EXPONENTS
from pipeline.models.total import predict_total
from pipeline.models.trend import FULL_REACH

AGREEMENT = 0.1  # of a prediction, that its formula may differ by
_LIMIT = float(0.75 * np.log1p(AGREEMENT))  # at the points that are looked at: elsewhere the curve bends
_FORMS = (  # columns, how many of them are terms, and whether no coefficient may be negative
    *((1, 0, True), (1, 1, True), (2, 1, True), (2, 2, True), (3, 3, True)),
    *((2, 1, False), (2, 2, False), (3, 3, False)),
)
_SIMPLE = 4.5  # steps of terms that are combined with others
_STEP = 0.15  # of the limit, that a step towards a simpler term is worth
_NOTHING = 1e-9  # of the largest value, what counts as 0
_STEEPEST, _BESIDE_A_JUMP = (
    8.0,
    4.0,
)  # power of a parameter, and times the change beside it: what is faster jumps
_DIGITS = 4  # of coefficients, as they are written
_LEAST_POINTS = 1, 2, 6  # for so many columns, lest they swing between points
_TRIED = 16  # forms of most promise per kernel, whose largest error is looked at
_WIDENED = 4  # forms of two terms to which a third is added
_AT_ONCE = 1 << 21  # values of the largest array: 16 MiB
_RIDGE = 1e-12  # of normal equations whose columns have length 1


@dataclass(frozen=True, eq=False)
class Curves(Rows):
    """What K kernels are predicted to take at Q points."""

    _of_all = frozenset({"points"})

    points: FloatArray  # float64[Q, D]
    value: FloatArray  # float64[K, Q]
    nothing: FloatArray  # float64[K], sizes up to which values count as 0

    @classmethod
    def of(cls, points: FloatArray, value: FloatArray) -> "Curves":
        """Take what is negligible of each kernel from its largest value."""
        value = np.where(np.isfinite(value), value, 0.0)
        return cls(points, value, _NOTHING * np.abs(value).max(axis=1, initial=0.0))

    def part(self, first: int, last: int) -> "Curves":
        """Return the curves at some of the points, both ends included."""
        some = slice(first, last + 1)
        return Curves(self.points[some], self.value[:, some], self.nothing)

    def jumps(self) -> BoolArray:
        """Between which points values change far more than around them, bool[K, Q - 1]."""
        known = np.abs(self.value) > self.nothing[:, None]
        logs = np.log(np.where(known, np.abs(self.value), 1.0))
        change = np.where(known[:, 1:] & known[:, :-1], np.abs(np.diff(logs, axis=1)), 0.0)
        slope = change / np.maximum(np.abs(np.diff(np.log(self.points), axis=0)).sum(axis=1), 1e-12)
        around = np.pad(slope, ((0, 0), (1, 1)))
        beside = np.maximum(around[:, 2:], around[:, :-2])
        jumps = (change > _LIMIT) & (slope > _STEEPEST) & (slope > _BESIDE_A_JUMP * beside)
        begins = (known[:, 1:] != known[:, :-1]) & (
            np.where(known[:, 1:], around[:, 2:], around[:, :-2]) <= _STEEPEST
        )  # what comes from 0 without a jump is steep there
        return np.asarray(jumps | begins)

    def off(self, formulas: FloatArray) -> FloatArray:
        """How far values float64[K, ..., Q] are off, in logarithms; infinite if signs differ or one is 0."""
        between = (1,) * (formulas.ndim - 2)
        value = self.value.reshape(len(self.value), *between, -1)
        nothing = self.nothing.reshape(len(value), *between, 1)
        zero = np.abs(value) <= nothing
        ratio = formulas / np.where(zero, 1.0, value)
        found = np.abs(np.log(np.where(~zero & (ratio > 0), ratio, 1.0)))
        wrong = np.where(zero, np.abs(formulas) > nothing, ratio <= 0)
        return np.asarray(np.where(wrong, np.inf, found))

    def agree(self, formulas: FloatArray) -> BoolArray:
        """Which values float64[K, Q] are close enough everywhere, bool[K]."""
        return np.asarray((self.off(formulas) <= _LIMIT).all(axis=1))


@dataclass(frozen=True, eq=False)
class _Problem(Rows):
    """Normal equations of K kernels for T columns of length 1, errors relative."""

    _of_all = frozenset({"columns"})

    curves: Curves  # of the kernels
    columns: FloatArray  # float64[Q, T], the constant first, then S - 1 that are combined with others
    length: FloatArray  # float64[K, T], of the weighted columns before they got length 1
    products: FloatArray  # float64[K, S, T]
    right: FloatArray  # float64[K, T]

    def solved(self, forms: IntArray) -> FloatArray:
        """Coefficients of the columns of length 1, float64[K, F, n], for columns int64[K or 1, F, n]."""
        rows = np.arange(len(self.right))[:, None, None]
        right = self.right[rows, forms]
        if forms.shape[-1] == 1:
            return right
        if forms.shape[-1] == 2:
            cosine = self.products[rows[..., 0], forms[..., 0], forms[..., 1]]
            determinant = 1 - cosine**2 + _RIDGE
            a, b = right[..., 0], right[..., 1]
            return np.stack([a - cosine * b, b - cosine * a], axis=-1) / determinant[..., None]
        place = rows[..., 0]
        a, b, c = (self.products[place, forms[..., i], forms[..., j]] for i, j in ((0, 1), (0, 2), (1, 2)))
        x, y, z = np.moveaxis(right, -1, 0)  # by L D L', which bears nearly dependent columns
        second = 1 + _RIDGE - a**2
        last = (c - a * b) / second
        third = 1 + _RIDGE - b**2 - last**2 * second
        y = y - a * x
        z = (z - b * x - last * y) / third
        y = y / second - last * z
        return np.stack([x - a * y - b * z, y, z], axis=-1)

    def best(self, forms: IntArray, steps: FloatArray, *, positive: bool) -> "_BestForms":
        """Find the simplest of forms int64[K or 1, F, n], columns `steps` from simple, or the closest.

        If the form is to be positive, no coefficient may be negative.
        """
        found = self.solved(forms)
        rows = np.arange(len(found))[:, None]
        explained = (found * self.right[rows[..., None], forms]).sum(axis=-1)
        if forms.shape[-1] == 3:  # the third may be one of the others
            explained[(forms[..., :2] == forms[..., 2:]).any(axis=-1)] = -np.inf
        if positive:
            explained[(found < 0).any(axis=-1)] = -np.inf
        most = min(_TRIED, explained.shape[1])
        order = np.argpartition(-explained, most - 1, axis=1)[:, :most]
        tried = np.broadcast_to(forms, (len(found), *forms.shape[1:]))[rows, order]
        coefficients = _rounded(found[rows, order] / self.length[rows[..., None], tried])
        values = (coefficients[..., None, :] @ self.columns.T[tried])[..., 0, :]
        off = (
            np.where(np.isfinite(explained[rows, order]), self.curves.off(values).max(axis=-1), np.inf)
            / _LIMIT
        )
        best = np.where(off <= 1, off + _STEP * steps[tried].sum(axis=-1), np.inf).argmin(axis=1)
        place = np.arange(len(found)), best
        return _BestForms(tried[place], coefficients[place], off[place] <= 1, tried)


@dataclass(frozen=True, eq=False)
class _BestForms:
    """The best forms of K kernels."""

    columns: IntArray  # int64[K, n]
    coefficients: FloatArray  # float64[K, n]
    agree: BoolArray  # bool[K], whether they are close enough
    promising: IntArray  # int64[K, _TRIED, n], columns of the forms that were looked at


def _rounded(values: FloatArray) -> FloatArray:
    """Round to as many significant digits as are written."""
    size = 10.0 ** (np.floor(np.log10(np.where(values == 0, 1.0, np.abs(values)))) + 1 - _DIGITS)
    return np.asarray(np.round(values / size) * size)


@dataclass(frozen=True, eq=False)
class TriedTerms:
    """Terms that may stand beside a constant."""

    parameters: tuple[str, ...]
    terms: tuple[Term, ...]  # the simple ones first
    steps: FloatArray  # float64[1 + terms], how far from simple the constant and each term are
    simple: int  # how many of them are combined with others

    @classmethod
    def of(cls, parameters: tuple[str, ...], terms: Sequence[Term]) -> "TriedTerms":
        """Sort terms."""
        steps = np.array([-sum(np.log2(simplicity(e)) for e in one) for one in terms])
        order = np.argsort(steps > _SIMPLE, kind="stable")
        sorted_terms = tuple(terms[t] for t in order.tolist())
        return cls(parameters, sorted_terms, np.append(0.0, steps[order]), int((steps <= _SIMPLE).sum()))

    def values(self, points: FloatArray) -> FloatArray:
        """Evaluate the constant and all terms at points float64[Q, D], float64[Q, 1 + terms]."""
        return np.column_stack([np.ones(len(points)), values_of_powers(self._powers, points)])

    @cached_property
    def _powers(self) -> FloatArray:
        return powers_of_terms(self.terms)

    @cached_property
    def forms(self) -> dict[tuple[int, int], IntArray]:
        """Columns of forms of one or two, int64[1, F, n], by how many there are and how many are terms."""
        every = np.arange(1, 1 + len(self.terms))[:, None]
        pairs = np.array(list(combinations(range(1 + self.simple), 2)), dtype=np.int64)
        return {
            (1, 0): np.zeros((1, 1, 1), dtype=np.int64),
            (1, 1): every[None],
            (2, 1): np.pad(every, ((0, 0), (1, 0)))[None],
            (2, 2): pairs.reshape(1, -1, 2),
        }


def curve_formulas(
    curves: Curves, tried: TriedTerms, known: dict[bytes, Formula | None] | None = None
) -> list[Formula | None]:
    """Return formulas that agree with curves; None where no form of up to three terms does.

    Many curves are the same: of visits, of what is done as often. Those known are taken and added to.
    """
    known, where = {} if known is None else known, curves.points.tobytes()
    rows = [where + row.tobytes() for row in np.column_stack([curves.value, curves.nothing])]
    first = {row: k for k, row in reversed(list(enumerate(rows))) if row not in known}
    curves = curves.take(np.array(list(first.values()), dtype=np.int64))
    count = len(tried.terms)
    block = max(1, _AT_ONCE // max(count**2, len(curves.points) * count))
    found: list[Formula | None] = []
    for start in range(0, len(curves.value), block):
        part = curves.take(np.arange(start, min(start + block, len(curves.value))))
        found += _formulas_of_block(part, tried)
    known.update(zip(first, found, strict=True))
    return [known[row] for row in rows]


def _formulas_of_block(curves: Curves, tried: TriedTerms) -> list[Formula | None]:
    """Try forms in the order of `_FORMS`, each for the kernels that none before agrees with."""
    simple = np.arange(1, 1 + tried.simple)
    columns = tried.values(curves.points)
    found: list[Formula | None] = [None] * len(curves.value)
    left, problem = np.arange(len(found)), _problem(curves, columns, 1 + len(simple))
    promising = tried.forms[2, 2]
    for count, of_terms, positive in _FORMS:
        if not len(left):
            break
        if len(curves.points) < _LEAST_POINTS[count - 1]:
            continue
        forms = tried.forms[count, of_terms] if count < 3 else _widened(promising, simple)
        one = problem.best(forms, tried.steps, positive=positive)
        for row in np.flatnonzero(one.agree).tolist():
            found[left[row]] = _formula(tried, one.columns[row], one.coefficients[row], columns[-1])
        rest = np.flatnonzero(~one.agree)
        left, problem, promising = left[rest], problem.take(rest), one.promising[rest, :_WIDENED]
    return found


def _problem(curves: Curves, columns: FloatArray, combined: int) -> _Problem:
    size = np.maximum(np.abs(curves.value), curves.nothing[:, None])
    weight = 1 / np.where(size > 0, size, 1.0)
    count = columns.shape[1]
    pairs = (columns[:, :combined, None] * columns[:, None]).reshape(len(columns), -1)
    squares, products = weight**2 @ columns**2, weight**2 @ pairs  # no array of kernels x points x columns
    length = np.sqrt(np.maximum(squares, np.finfo(np.float64).tiny))
    products = products.reshape(-1, combined, count) / (length[:, :combined, None] * length[:, None])
    return _Problem(curves, columns, length, products, (curves.value * weight**2) @ columns / length)


def _widened(pairs: IntArray, third: IntArray) -> IntArray:
    """Add each of some columns to pairs int64[K, n, 2]; int64[K, F, 3]."""
    shape = *pairs.shape[:2], len(third)
    both = np.broadcast_to(pairs[:, :, None], (*shape, 2))
    added = np.broadcast_to(third[:, None], (*shape, 1))
    forms = np.concatenate([both, added], axis=-1)
    return forms.reshape(len(pairs), shape[1] * shape[2], 3)


def _formula(tried: TriedTerms, columns: IntArray, coefficients: FloatArray, at_end: FloatArray) -> Formula:
    """Make a formula with the terms in the order of what they add at the far end."""
    written = (float(f"{c:.{_DIGITS}g}") for c in coefficients.tolist())
    of_column = dict(zip(columns.tolist(), written, strict=True))
    constant = of_column.pop(0, 0.0)
    order = sorted(of_column, key=lambda column: -of_column[column] * at_end[column])
    parts = tuple((of_column[column], tried.terms[column - 1]) for column in order if of_column[column] != 0)
    return Formula(parameters=tried.parameters, constant=constant, terms=parts)


_HALVINGS, _FEW_HALVINGS = 12, 3  # of the gap in which predictions jump
_CHECKS, _ONE_CHECK = 6, 1  # times that scales are added where formulas are off between others
_CLOSE, _SPARSE = 1.0001, 1.06  # ratio of scales that are close enough around a jump, and elsewhere
_MUCH = 1.2  # ratio of predictions, between which others are looked at
_END_DIGITS = 6  # of the ends of pieces

_Predict = Callable[[FloatArray, IntArray | None], FloatArray]
"""From points float64[Q, D] and kernels, None for all, to float64[K, Q]."""

_Pieces = list[tuple[Formula, float]]
"""Formulas with the largest value of the parameter for which each holds."""


@dataclass(frozen=True, eq=False)
class FormulaSequences:
    """What sequences are made of."""

    tried: TriedTerms  # terms along one parameter
    line: FormulaRange
    measured_end: float  # the largest measured value of that parameter
    # whether each point takes long to predict, whatever the kernels: then formulas are looked at between the
    # points once, and jumps are known to a few per cent
    costly: bool = False
    # of parts of curves, by their bytes: most parts stay as they are where scales are added to others
    known: dict[bytes, Formula | None] = field(default_factory=dict)

    def of(self, curves: Curves, kernels: IntArray, predict: _Predict) -> dict[int, PredictionFormula]:
        """Return the formulas of kernels with the numbers int64[K], which no single one agrees with."""
        found: dict[int, PredictionFormula] = {}
        curves = self._with_jumps(curves, kernels, predict)
        checks = _ONE_CHECK if self.costly else _CHECKS
        for check in range(checks + 1):
            formulas = [self._formula(pieces) for pieces in self._divided(curves)]
            found |= dict(zip(kernels.tolist(), formulas, strict=True))
            if check == checks:
                break
            places = self._unseen(curves)
            between = _between(curves, places)
            checked = Curves(between, predict(between, kernels), curves.nothing)
            values = np.array([formula.values(between) for formula in formulas])
            off = checked.off(values) > _LIMIT
            bad = np.flatnonzero(off.any(axis=1))
            if not len(bad):
                break
            added = off.any(axis=0)
            curves, kernels = (
                _inserted(curves, places[added], checked.value[:, added]).take(bad),
                kernels[bad],
            )
        return found

    def _with_jumps(self, curves: Curves, kernels: IntArray, predict: _Predict) -> Curves:
        """Add points where predictions jump, until it is known where."""
        for _ in range(_FEW_HALVINGS if self.costly else _HALVINGS):
            places = self._gaps(curves, _CLOSE)
            places = places[curves.jumps()[:, places].any(axis=0)]
            if not len(places):
                break
            curves = _inserted(curves, places, predict(_between(curves, places), kernels))
        return curves

    def _gaps(self, curves: Curves, ratio: float) -> IntArray:
        """Return the points behind which the next is farther than by a ratio."""
        scales = curves.points[:, self.line.column]
        return np.flatnonzero(scales[1:] > ratio * scales[:-1])

    def _unseen(self, curves: Curves) -> IntArray:
        """Return the points behind which the next is far, or differs by much."""
        places = self._gaps(curves, _CLOSE)
        value = np.maximum(np.abs(curves.value), curves.nothing[:, None])
        change = np.maximum(value[:, 1:], value[:, :-1]) > _MUCH * np.minimum(value[:, 1:], value[:, :-1])
        far = np.isin(places, self._gaps(curves, _SPARSE))
        return places[far | change[:, places].any(axis=0)]

    def _formula(self, pieces: _Pieces) -> PredictionFormula:
        ends = tuple(float(f"{end:.{_END_DIGITS}g}") for _, end in pieces[:-1])
        return PredictionFormula(within=self.line, pieces=tuple(one for one, _ in pieces), ends=ends)

    def _pieces(self, curves: Curves) -> list[_Pieces]:
        """Return formulas that agree with curves one after the other, one if one does."""
        found, end = (
            curve_formulas(curves, self.tried, self.known),
            float(curves.points[-1, self.line.column]),
        )
        pieces = [[(formula, end)] if formula else [] for formula in found]
        if len(left := _missing(found)):
            for k, divided in zip(left.tolist(), self._divided(curves.take(left)), strict=True):
                pieces[k] = divided
        return pieces

    def _divided(self, curves: Curves) -> list[_Pieces]:
        """Return formulas in sequence of curves that none agrees with.

        They are divided where they jump, else at the end of the measured range, else in the middle.
        """
        scales = curves.points[:, self.line.column]
        if len(scales) == 1:  # no normal form is below zero, where rounding of small rests may lie
            values = (float(f"{value:.{_DIGITS}g}") for value in curves.value[:, 0].tolist())
            names = self.tried.parameters
            return [
                [(Formula(parameters=names, constant=value, terms=()), float(scales[0]))] for value in values
            ]
        pieces: list[_Pieces] = [[] for _ in curves.value]
        last, end = len(scales) - 1, int(np.searchsorted(scales, self.measured_end))
        jumps = curves.jumps()
        cuts = np.where(jumps.any(axis=1), jumps.argmax(axis=1), -1)
        for cut in np.unique(cuts).tolist():
            kernels, apart = np.flatnonzero(cuts == cut), cut >= 0 or last == 1
            middle = cut if cut >= 0 else (end if 0 < end < last else last // 2)
            rest = curves.take(kernels)
            halves = [self._pieces(part) for part in (rest.part(0, middle), rest.part(middle + apart, last))]
            between = float(np.sqrt(scales[middle] * scales[middle + apart]))
            for k, before, after in zip(kernels.tolist(), *halves, strict=True):
                pieces[k] = [*before[:-1], (before[-1][0], between), *after]
        return pieces


def _between(curves: Curves, places: IntArray) -> FloatArray:
    """Return the points half-way behind some points, by ratio."""
    return np.asarray(np.sqrt(curves.points[places] * curves.points[places + 1]))


def _inserted(curves: Curves, places: IntArray, value: FloatArray) -> Curves:
    """Add the points between, and what is predicted there."""
    points = np.insert(curves.points, places + 1, _between(curves, places), axis=0)
    return Curves.of(points, np.insert(curves.value, places + 1, value, axis=1))


_CLOSEST = (1 / 8, 1 / 4, 1 / 2)  # of the first step, since logarithms begin steeply
_NARROW, _WIDE = 1.4, 1.5  # largest ratio between scales of one parameter, measured and beyond
_INSIDE = 12  # scales within a wide measured range
_BESIDE = 1.00001  # ratio to where a kernel begins, of scales on either side
_BENDS = (1 / 2, 1)  # of the range in which trends come in
_OF_TWO, _OF_MORE = (7, 5), (4, 3)  # scales of each of several parameters in the measured range and beyond
_SHARED_EXPONENTS = (*with_powers("-1 1/2 1 3/2 2 3"), *with_powers("0 1", 1))
_OWN_TERMS = 40  # of the models, tried beside the shared ones


def formula_range(models: ScalingModels, column: int, targets: FloatArray) -> FormulaRange:
    """Return the range of formulas: what was measured, up to the targets float64[Q, D]."""
    points = np.vstack([models.first, models.last, targets])
    return FormulaRange(first=points.min(axis=0), last=points.max(axis=0), column=column)


def prediction_formulas(
    models: ScalingModels, within: FormulaRange, kernels: IntArray | None = None
) -> Sequence[PredictionFormula]:
    """Return the formulas of the predictions of kernels, None for all."""

    def make(new: IntArray) -> list[PredictionFormula]:
        part, place = (models if len(new) == len(models) else models.take(new)).once

        def predict(points: FloatArray, some: IntArray | None) -> FloatArray:
            return (part if some is None else part.take(some)).expected(points)

        found = _agreeing(models, predict, part, within)
        return [found[k] for k in np.arange(len(part))[place].tolist()]

    every = np.arange(len(models)) if kernels is None else kernels
    return models.memory.formulas(within.key, every, make)


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
    models: ScalingModels, predict: _Predict, fitted: ScalingModels | None, within: FormulaRange
) -> list[PredictionFormula]:
    """Return formulas of what is predicted: the fitted ones, if any, where they agree, else others.

    What is tried, and at which scales, is the same for some of the models and for all.
    """
    names = models.parameters
    curves, terms = _curves(models, predict, within), _terms(models, within)
    formulas: list[Formula | None] = [None] * len(curves.value)
    if fitted is not None:
        coefficients = _rounded(fitted.rivals.coefficients)
        written = replace(fitted, rivals=replace(fitted.rivals, coefficients=coefficients), nonnegative=False)
        agree = curves.agree(written.formula_values(curves.points))
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


def _curves(models: ScalingModels, predict: _Predict, within: FormulaRange) -> Curves:
    """Predict on the scales of one parameter, or on a grid of several."""
    box = zip(within.first.tolist(), models.last.tolist(), within.last.tolist(), strict=True)
    ends = [(first, min(max(middle, first), last), last) for first, middle, last in box]
    if within.dimensions <= 1:
        begins = np.unique(models.trend.trend.begins) if models.trend else np.zeros(1)
        axes = [_scales(*one, begins) if one[0] < one[2] else [one[0]] for one in ends]
    else:
        inside, beyond = _OF_TWO if within.dimensions == 2 else _OF_MORE
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
    narrow = max(_NARROW, (middle / first) ** (1 / _INSIDE))
    while gaps := [(a, b) for a, b in pairwise(scales) if b > (narrow if b <= middle else _WIDE) * a]:
        scales = _sorted(scales, np.sqrt(np.prod(gaps, axis=1)))
    close = first * (scales[1] / first) ** np.array(_CLOSEST)
    within = begins[(begins > first) & (begins < last)]
    return _sorted(scales, close, _bends(middle, last), within / _BESIDE, within * _BESIDE)


def _bends(middle: float, last: float) -> FloatArray:
    """Return where trends come in behind the measured range, up to its formula's end."""
    bends = middle * np.exp(FULL_REACH * np.array(_BENDS))
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
            for d, one in product(range(size), _SHARED_EXPONENTS)
        ]
        tried = [one for one, _ in used.most_common(_OWN_TERMS)] + alone
        tried += [tuple(map(_either, *both)) for both in combinations(alone, 2) if _are_apart(*both)]
    return [
        one
        for one in dict.fromkeys(tried)
        if all(least_value(exponent) <= low for exponent, low in zip(one, within.first, strict=True))
    ]


def _are_apart(one: Term, other: Term) -> bool:
    return all(NO_EXPONENT in pair for pair in zip(one, other, strict=True))


def _either(one: Exponent, other: Exponent) -> Exponent:
    return one if other == NO_EXPONENT else other


def _is_along(one: Term, column: int) -> bool:
    return all(exponent == NO_EXPONENT for d, exponent in enumerate(one) if d != column)
