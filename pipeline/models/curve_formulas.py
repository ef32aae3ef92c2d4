"""Normal forms that stay close to given curves: as few terms as possible, negative ones only where needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.forms import Term, simplicity, term_values
from pipeline.models.formulas import Formula

AGREEMENT = 0.1  # of a prediction, that its formula may differ by
LIMIT = float(0.75 * np.log1p(AGREEMENT))  # at the points that are looked at: elsewhere the curve bends
FORMS = (  # columns, how many of them are terms, and whether no coefficient may be negative
    *((1, 0, True), (1, 1, True), (2, 1, True), (2, 2, True), (3, 3, True)),
    *((2, 1, False), (2, 2, False), (3, 3, False)),
)
SIMPLE = 4.5  # steps of terms that are combined with others
STEP = 0.15  # of the limit, that a step towards a simpler term is worth
NOTHING = 1e-9  # of the largest value, what counts as 0
STEEPEST, BESIDE = 8.0, 4.0  # power of a parameter, and times the change beside it: what is faster jumps
DIGITS = 4  # of coefficients, as they are written
LEAST_POINTS = 1, 2, 6  # for so many columns, lest they swing between points
TRIED = 16  # forms of most promise per kernel, whose largest error is looked at
WIDENED = 4  # forms of two terms to which a third is added
AT_ONCE = 1 << 21  # values of the largest array: 16 MiB
RIDGE = 1e-12  # of normal equations whose columns have length 1


@dataclass(frozen=True, eq=False)
class Curves:
    """What K kernels are predicted to take at Q points.

    Attributes:
        points: float64[Q, D].
        value: float64[K, Q].
        nothing: float64[K], sizes up to which values count as 0.
    """

    points: FloatArray
    value: FloatArray
    nothing: FloatArray

    @classmethod
    def of(cls, points: FloatArray, value: FloatArray) -> "Curves":
        """Take what is negligible of each kernel from its largest value."""
        value = np.where(np.isfinite(value), value, 0.0)
        return cls(points, value, NOTHING * np.abs(value).max(axis=1, initial=0.0))

    def take(self, kernels: IntArray) -> "Curves":
        """Return the curves of some kernels."""
        return Curves(self.points, self.value[kernels], self.nothing[kernels])

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
        jumps = (change > LIMIT) & (slope > STEEPEST) & (slope > BESIDE * beside)
        begins = (known[:, 1:] != known[:, :-1]) & (
            np.where(known[:, 1:], around[:, 2:], around[:, :-2]) <= STEEPEST
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
        return np.asarray((self.off(formulas) <= LIMIT).all(axis=1))


@dataclass(frozen=True, eq=False)
class _Problem:
    """Normal equations of K kernels for T columns of length 1, errors relative.

    Attributes:
        curves: of the kernels.
        columns: float64[Q, T], the constant first, then S - 1 that are combined with others.
        length: float64[K, T], of the weighted columns before they got length 1.
        products: float64[K, S, T].
        right: float64[K, T].
    """

    curves: Curves
    columns: FloatArray
    length: FloatArray
    products: FloatArray
    right: FloatArray

    def take(self, kernels: IntArray) -> "_Problem":
        """Return that of some kernels."""
        taken = (part[kernels] for part in (self.length, self.products, self.right))
        return _Problem(self.curves.take(kernels), self.columns, *taken)

    def solved(self, forms: IntArray) -> FloatArray:
        """Coefficients of the columns of length 1, float64[K, F, n], for columns int64[K or 1, F, n]."""
        rows = np.arange(len(self.right))[:, None, None]
        right = self.right[rows, forms]
        if forms.shape[-1] == 1:
            return right
        if forms.shape[-1] == 2:
            cosine = self.products[rows[..., 0], forms[..., 0], forms[..., 1]]
            determinant = 1 - cosine**2 + RIDGE
            a, b = right[..., 0], right[..., 1]
            return np.stack([a - cosine * b, b - cosine * a], axis=-1) / determinant[..., None]
        products = self.products[rows[..., None], forms[..., :, None], forms[..., None, :]]
        products = products + RIDGE * np.eye(forms.shape[-1])
        return np.asarray(np.linalg.solve(products, right[..., None])[..., 0])

    def best(self, forms: IntArray, steps: FloatArray, *, positive: bool) -> "_Found":
        """Find the simplest form that agrees, or the closest.

        Args:
            forms: int64[K or 1, F, n], columns.
            steps: float64[T], how far each column is from simple.
            positive: whether no coefficient may be negative.
        """
        found = self.solved(forms)
        rows = np.arange(len(found))[:, None]
        explained = (found * self.right[rows[..., None], forms]).sum(axis=-1)
        usable = (np.diff(np.sort(forms, axis=-1), axis=-1) > 0).all(axis=-1)
        if positive:
            usable = usable & (found >= 0).all(axis=-1)
        explained = np.where(usable, explained, -np.inf)
        most = min(TRIED, explained.shape[1])
        order = np.argpartition(-explained, most - 1, axis=1)[:, :most]
        tried = np.broadcast_to(forms, (len(found), *forms.shape[1:]))[rows, order]
        coefficients = rounded(found[rows, order] / self.length[rows[..., None], tried])
        values = (coefficients[..., None, :] @ self.columns.T[tried])[..., 0, :]
        off = (
            np.where(np.isfinite(explained[rows, order]), self.curves.off(values).max(axis=-1), np.inf)
            / LIMIT
        )
        best = np.where(off <= 1, off + STEP * steps[tried].sum(axis=-1), np.inf).argmin(axis=1)
        place = np.arange(len(found)), best
        return _Found(tried[place], coefficients[place], off[place] <= 1, tried)


@dataclass(frozen=True, eq=False)
class _Found:
    """The best forms of K kernels.

    Attributes:
        columns: int64[K, n].
        coefficients: float64[K, n].
        agree: bool[K], whether they are close enough.
        promising: int64[K, `TRIED`, n], columns of the forms that were looked at.
    """

    columns: IntArray
    coefficients: FloatArray
    agree: BoolArray
    promising: IntArray


def rounded(values: FloatArray) -> FloatArray:
    """Round to as many significant digits as are written."""
    size = 10.0 ** (np.floor(np.log10(np.where(values == 0, 1.0, np.abs(values)))) + 1 - DIGITS)
    return np.asarray(np.round(values / size) * size)


@dataclass(frozen=True, eq=False)
class TriedTerms:
    """Terms that may stand beside a constant.

    Attributes:
        parameters: names of the D parameters.
        terms: the simple ones first.
        steps: float64[1 + terms], how far from simple the constant and each term are.
        simple: how many of them are combined with others.
    """

    parameters: tuple[str, ...]
    terms: tuple[Term, ...]
    steps: FloatArray
    simple: int

    @classmethod
    def of(cls, parameters: tuple[str, ...], terms: Sequence[Term]) -> "TriedTerms":
        """Sort terms."""
        steps = np.array([-sum(np.log2(simplicity(e)) for e in one) for one in terms])
        order = np.argsort(steps > SIMPLE, kind="stable")
        sorted_terms = tuple(terms[t] for t in order.tolist())
        return cls(parameters, sorted_terms, np.append(0.0, steps[order]), int((steps <= SIMPLE).sum()))

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


def curve_formulas(curves: Curves, tried: TriedTerms) -> list[Formula | None]:
    """Return formulas that agree with curves; None where no form of up to three terms does."""
    count = len(tried.terms)
    block = max(1, AT_ONCE // max(count**2, len(curves.points) * count))
    found: list[Formula | None] = []
    for start in range(0, len(curves.value), block):
        part = curves.take(np.arange(start, min(start + block, len(curves.value))))
        found += _formulas_of_block(part, tried)
    return found


def _formulas_of_block(curves: Curves, tried: TriedTerms) -> list[Formula | None]:
    """Try forms in the order of `FORMS`, each for the kernels that none before agrees with."""
    simple = np.arange(1, 1 + tried.simple)
    columns = np.column_stack([np.ones(len(curves.points)), term_values(tried.terms, curves.points)])
    found: list[Formula | None] = [None] * len(curves.value)
    left, problem = np.arange(len(found)), _problem(curves, columns, 1 + len(simple))
    promising = tried.forms[2, 2]
    for count, of_terms, positive in FORMS:
        if not len(left):
            break
        if len(curves.points) < LEAST_POINTS[count - 1]:
            continue
        forms = tried.forms[count, of_terms] if count < 3 else _widened(promising, simple)
        one = problem.best(forms, tried.steps, positive=positive)
        for row in np.flatnonzero(one.agree).tolist():
            found[left[row]] = _formula(tried, one.columns[row], one.coefficients[row], columns[-1])
        rest = np.flatnonzero(~one.agree)
        left, problem, promising = left[rest], problem.take(rest), one.promising[rest, :WIDENED]
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
    written = (float(f"{c:.{DIGITS}g}") for c in coefficients.tolist())
    of_column = dict(zip(columns.tolist(), written, strict=True))
    constant = of_column.pop(0, 0.0)
    order = sorted(of_column, key=lambda column: -of_column[column] * at_end[column])
    parts = tuple((of_column[column], tried.terms[column - 1]) for column in order if of_column[column] != 0)
    return Formula(parameters=tried.parameters, constant=constant, terms=parts)
