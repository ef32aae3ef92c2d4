"""Formulas in sequence along one parameter, for predictions that no single normal form follows."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.curve_formulas import DIGITS, LIMIT, Curves, TriedTerms, curve_formulas
from pipeline.models.formulas import Formula
from pipeline.models.prediction_formula import FormulaRange, PredictionFormula

HALVINGS, FEW_HALVINGS = 12, 3  # of the gap in which predictions jump
CHECKS, ONE_CHECK = 6, 1  # times that scales are added where formulas are off between others
CLOSE, SPARSE = 1.0001, 1.06  # ratio of scales that are close enough around a jump, and elsewhere
MUCH = 1.2  # ratio of predictions, between which others are looked at
END_DIGITS = 6  # of the ends of pieces

Predict = Callable[[FloatArray, IntArray | None], FloatArray]
"""From points float64[Q, D] and kernels, None for all, to float64[K, Q]."""

Pieces = list[tuple[Formula, float]]
"""Formulas with the largest value of the parameter for which each holds."""


@dataclass(frozen=True, eq=False)
class FormulaSequences:
    """What sequences are made of.

    Attributes:
        tried: terms along one parameter.
        line: where predictions are followed.
        measured_end: the largest measured value of that parameter.
        costly: whether each point takes long to predict, whatever the kernels: then formulas are looked at
            between the points once, and jumps are known to a few per cent.
    """

    tried: TriedTerms
    line: FormulaRange
    measured_end: float
    costly: bool = False

    def of(self, curves: Curves, kernels: IntArray, predict: Predict) -> dict[int, PredictionFormula]:
        """Return the formulas of kernels.

        Args:
            curves: of the kernels, on points along the line.
            kernels: int64[K], their numbers.
            predict: predicts them.
        """
        found: dict[int, PredictionFormula] = {}
        curves = self._with_jumps(curves, kernels, predict)
        checks = ONE_CHECK if self.costly else CHECKS
        for check in range(checks + 1):
            formulas = [self._formula(pieces) for pieces in self._pieces(curves)]
            found |= dict(zip(kernels.tolist(), formulas, strict=True))
            if check == checks:
                break
            places = self._unseen(curves)
            between = _between(curves, places)
            checked = Curves(between, predict(between, kernels), curves.nothing)
            values = np.array([formula.values(between) for formula in formulas])
            off = checked.off(values) > LIMIT
            bad = np.flatnonzero(off.any(axis=1))
            if not len(bad):
                break
            added = off.any(axis=0)
            curves, kernels = (
                _inserted(curves, places[added], checked.value[:, added]).take(bad),
                kernels[bad],
            )
        return found

    def _with_jumps(self, curves: Curves, kernels: IntArray, predict: Predict) -> Curves:
        """Add points where predictions jump, until it is known where."""
        for _ in range(FEW_HALVINGS if self.costly else HALVINGS):
            places = self._gaps(curves, CLOSE)
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
        places = self._gaps(curves, CLOSE)
        value = np.maximum(np.abs(curves.value), curves.nothing[:, None])
        change = np.maximum(value[:, 1:], value[:, :-1]) > MUCH * np.minimum(value[:, 1:], value[:, :-1])
        far = np.isin(places, self._gaps(curves, SPARSE))
        return places[far | change[:, places].any(axis=0)]

    def _formula(self, pieces: Pieces) -> PredictionFormula:
        ends = tuple(float(f"{end:.{END_DIGITS}g}") for _, end in pieces[:-1])
        return PredictionFormula(within=self.line, pieces=tuple(one for one, _ in pieces), ends=ends)

    def _pieces(self, curves: Curves) -> list[Pieces]:
        """Return formulas that agree with curves one after the other.

        What no formula agrees with is divided where it jumps, else at the end of the measured range, else in
        the middle.
        """
        found = curve_formulas(curves, self.tried)
        scales = curves.points[:, self.line.column]
        pieces = [[(formula, float(scales[-1]))] if formula else [] for formula in found]
        left = np.array([k for k, formula in enumerate(found) if formula is None], dtype=np.int64)
        if len(scales) == 1:  # no normal form is below zero, where rounding of small rests may lie
            for k in left.tolist():
                value = float(f"{curves.value[k, 0]:.{DIGITS}g}")
                pieces[k] = [
                    (Formula(parameters=self.tried.parameters, constant=value, terms=()), float(scales[0]))
                ]
        if not len(left) or len(scales) == 1:
            return pieces
        last, end = len(scales) - 1, int(np.searchsorted(scales, self.measured_end))
        jumps = curves.take(left).jumps()
        cuts = np.where(jumps.any(axis=1), jumps.argmax(axis=1), -1)
        for cut in np.unique(cuts).tolist():
            kernels, apart = left[cuts == cut], cut >= 0 or last == 1
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
