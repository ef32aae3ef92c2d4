"""Fitted models of many kernels, and what they predict."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.forms import Hypothesis
from pipeline.models.formulas import Formula
from pipeline.models.options import NO_EXPONENT
from pipeline.models.prediction import LEVEL, VALUES_ALONE, Prediction, PredictionMemory, in_parts, widened
from pipeline.models.quality import Note, Quality, note_texts
from pipeline.models.rivals import Hypotheses, Rivals, from_power
from pipeline.models.trend import CombinedTrend, straying

_ROUNDING = 1e-9  # of a value, that intervals hold at least
ANCHORS = 17  # scales between which a curve is interpolated
MANY = 2000  # kernels, from which sums along a scale are interpolated between `_AHEAD` and measured scales
_AHEAD = (1.0, 1.22, 1.5, *(2.0**n for n in range(1, 11)))  # times the largest measured scale
_BESIDE = 1.00001  # ratio to where a kernel begins, of scales on either side
_NARROWEST = 1e-12  # logarithm of the ratio of two of them
Curve = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, kw_only=True)
class LocationCount:
    """How many locations are used at a point: a factor times the product of some of its parameters."""

    factor: float
    columns: tuple[int, ...]

    def at(self, points: FloatArray) -> FloatArray:
        """Return the numbers of locations at points float64[Q, D], float64[Q]."""
        return np.asarray(self.factor * points[:, self.columns].prod(axis=1))


class Predictor(Protocol):
    """Predicts all kernels of a level, and their sum, by more than their own models."""

    def predict(self, points: FloatArray, level: float) -> Prediction:
        """Predict all kernels, as `ScalingModels.predict` does."""

    def expected(self, points: FloatArray) -> FloatArray:
        """Return the values of all kernels alone, as `ScalingModels.expected` does."""
        return self.predict(points, LEVEL).value

    def total(self, points: FloatArray, level: float, kernels: IntArray) -> Prediction | None:
        """Predict the sum of kernels int64[K], one row; None if their own predictions tell."""

    def with_common_error(self, error: FloatArray | None, of_sum: float | None) -> "Predictor":
        """Predict from models with another error that all measurements share."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ScalingModels:
    """Models of K kernels."""

    parameters: tuple[str, ...]  # names of the D parameters
    # first, last: float64[D], the smallest and largest measured value of each parameter
    first: FloatArray
    last: FloatArray
    nonnegative: bool  # predictions are never below zero
    correlation: float  # how strongly the errors of the kernels go together, 0 to 1
    hypotheses: Hypotheses
    rivals: Rivals
    quality: Quality
    # the local trends, which count beyond the range; None if only the normal forms do
    trend: CombinedTrend | None = None
    # the model of the kernels' sum by itself; None if they are not the parts of a sum
    whole: "ScalingModels | None" = None
    # float64[K], standard deviation of the logarithm of an error that all measurements of a kernel share, so
    # that no repetition shows it; None if there is none
    common_error: FloatArray | None = None
    # predicts instead of formulas and trends, these and others; None if those do
    predictor: Predictor | None = None
    kernels: IntArray | None = None  # int64[K], which of the predictor's kernels these are
    # the locations over which all that was modelled is summed, if what is shown is that of one: then
    # predictions, curves and formulas are divided by their number. None if nothing is divided
    per: LocationCount | None = None
    # int64[K], a number that kernels with the same model share, as counters of many do; None if few are alike
    alike: IntArray | None = None
    # of predictions that were made; changed models begin with none
    memory: PredictionMemory = field(default_factory=PredictionMemory, init=False, repr=False)
    # of the sum of all kernels, the same
    totals: PredictionMemory = field(default_factory=PredictionMemory, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.rivals)

    def take(self, kernels: IntArray | Sequence[int]) -> "ScalingModels":
        """Return the models of some kernels, in the requested order."""
        index = np.asarray(kernels, dtype=np.int64)
        taken = replace(
            self,
            rivals=self.rivals.take(index),
            quality=self.quality.take(index),
            trend=None if self.trend is None else self.trend.take(index),
            whole=None,
            common_error=None if self.common_error is None else self.common_error[index],
            kernels=None if self.kernels is None else self.kernels[index],
            alike=None if self.alike is None else self.alike[index],
        )
        taken.memory.remember(self.memory, index)
        return taken

    def predicted_by(self, predictor: Predictor) -> "ScalingModels":
        """Return the same models, predicted by something that knows all of them."""
        return replace(self, predictor=predictor, kernels=np.arange(len(self)))

    def with_common_error(self, error: FloatArray | None, of_sum: float | None) -> "ScalingModels":
        """Return the models with an error that all measurements share."""
        whole = self.whole
        given = (error, of_sum, self.common_error, whole and whole.common_error)
        if all(one is None for one in given):
            return self  # with what it has predicted
        if whole is not None:
            whole = replace(whole, common_error=None if of_sum is None else np.array([of_sum]))
        predictor = self.predictor and self.predictor.with_common_error(error, of_sum)
        alike = self.alike if error is None else None
        return replace(self, common_error=error, whole=whole, predictor=predictor, alike=alike)

    def predict(self, points: FloatArray, level: float = LEVEL) -> Prediction:
        """Predict expected values at points float64[Q, D], with the interval that holds them at a level.

        The value is the median over all rivals, which predicts better than the formula of the chosen model
        alone if rivals disagree.
        """
        points = np.asarray(points, dtype=np.float64).reshape(-1, len(self.parameters))
        if self.predictor is not None and self.kernels is not None:
            return self.predictor.predict(points, level).take(self.kernels)
        once, place = self.once
        lower, value, upper = self.memory.predict(points, level, lambda new: once._ends(new, level)[:, place])
        rounding = _ROUNDING * np.abs(value)
        return Prediction(value, np.minimum(lower, value - rounding), np.maximum(upper, value + rounding))

    def expected(self, points: FloatArray) -> FloatArray:
        """Return the values of `predict` alone, float64[K, Q]: a third of the work in the measured range."""
        points = np.asarray(points, dtype=np.float64).reshape(-1, len(self.parameters))
        if self.predictor is not None and self.kernels is not None:
            return self.predictor.expected(points)[self.kernels]
        alone = (points <= self.last).all(axis=1)
        alone &= ~self.memory.knows(points, LEVEL)
        found = np.empty((len(self), len(points)))
        if not alone.all():
            found[:, ~alone] = self.predict(points[~alone]).value
        if alone.any():
            once, place = self.once
            medians = self.memory.predict(
                points[alone], VALUES_ALONE, lambda new: once._medians(new)[:, place]
            )
            found[:, alone] = medians[0]
        return found

    @cached_property
    def once(self) -> "tuple[ScalingModels, IntArray | slice]":
        """The models of kernels that differ, and which each kernel has; all of them if few are alike."""
        if self.alike is None:
            return self, slice(None)
        _, first, place = np.unique(self.alike, return_index=True, return_inverse=True)
        return replace(self.take(first), alike=None), place

    def sum_of_values(self, points: FloatArray, level: float) -> FloatArray:
        """Return the sum of all values of `predict`, float64[Q]."""
        if level != LEVEL:
            return self._summed(points, level, lambda new: self.predict(new, level).value.sum(axis=0))
        return self._summed(points, level, self._sums)

    def _summed(
        self, points: FloatArray, level: float, make: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """Return sums at points, float64[Q]: those of predicted values, and what is made at others."""
        known = [self.memory.sum_of_values(point, level) for point in points.tolist()]
        new = np.array([one is None for one in known], dtype=np.bool_)
        sums = np.array(known, dtype=np.float64)
        if new.any():
            sums[new] = make(points[new])
        return sums

    def _sums(self, points: FloatArray) -> FloatArray:
        """Return sums of values at points, of many kernels to about 0.2 %.

        Those are predicted at a few scales; in between the ratio of their sum to that of the formulas lies on
        a line, in logarithms.
        """

        def exact(new: FloatArray) -> FloatArray:
            return np.asarray(self.expected(new).sum(axis=0))

        places, scales = self.common_scales, points[:, 0]
        if not len(places) or scales.min() < places[0] or scales.max() > places[-1]:
            return exact(points)
        after = np.clip(np.searchsorted(places, scales), 1, len(places) - 1)
        around = places[np.unique([after - 1, after])]
        known = self._summed(around[:, None], LEVEL, exact)
        of_formulas, asked = (self._formula_sums(some) for some in (around[:, None], points))
        if min(known.min(), of_formulas.min(), asked.min()) <= 0:
            return exact(points)
        ratio = np.interp(np.log(scales), np.log(around), np.log(known / of_formulas))
        return np.asarray(asked * np.exp(ratio))

    def _formula_sums(self, points: FloatArray) -> FloatArray:
        parts = in_parts(points, len(self))
        return np.concatenate([self.formula_values(some).sum(axis=0) for some in parts])

    @cached_property
    def common_scales(self) -> FloatArray:
        """Where all of many kernels are predicted, for sums and pages, ascending; none if there are few."""
        if len(self) <= MANY or len(self.parameters) > 1 or self.trend is None or self.predictor is not None:
            return np.empty(0)
        trend = self.trend.trend
        measured = np.unique(trend.points[:, 0])
        begins = np.unique(trend.begins)
        begins = begins[(begins > measured[0]) & (begins <= measured[-1])]
        between = np.sqrt(measured[1:] * measured[:-1])
        ahead = measured[-1] * np.array(_AHEAD)
        scales = np.concatenate([between, ahead])
        if (measured % 1 == 0).all():
            scales = np.rint(scales)
        return np.unique(np.concatenate([measured, scales, begins, begins / _BESIDE]))

    def _quantiles(self, points: FloatArray, *probability: float) -> FloatArray:
        """Return quantiles of what the formulas predict, float64[n, K, Q], near what was measured."""
        found = self.rivals.quantiles(self.hypotheses, points, self.last, np.array(probability))
        found = np.maximum(found, 0.0 if self.nonnegative else -np.inf)
        if self.trend is None:
            return found
        trend = self.trend.trend
        there = points[:, 0] >= trend.begins[:, None]
        return found * np.exp(trend.missed_inside(points)) * there

    def _medians(self, points: FloatArray) -> FloatArray:
        return self._quantiles(points, 0.5) / self.divisor(points)

    def divisor(self, points: FloatArray) -> FloatArray | float:
        """Return by what modelled values are divided to be shown, float64[Q] or 1."""
        return 1.0 if self.per is None else self.per.at(points)

    def _interval(self, points: FloatArray, level: float) -> FloatArray:
        """Return lower ends, medians and upper ends of what the formulas predict, float64[3, K, Q]."""
        tail = (1 - level) / 2
        return self._quantiles(points, tail, 0.5, 1 - tail)

    def _ends(self, points: FloatArray, level: float) -> FloatArray:
        """Predict lower ends, values and upper ends, float64[3, K, Q]."""
        found = self._interval(points, level)
        if self.trend is not None:
            usual = found if level == LEVEL else self._interval(points, LEVEL)
            for some in in_parts(np.arange(len(points)), len(self)):
                found[..., some] = self.trend.combined(
                    found[..., some], points[some], level, usual[..., some]
                )
            found = straying(found, self.trend, points, level) / self.divisor(points)
            found[0] = self.raised(found[0], found[1], points)
        return found if self.common_error is None else widened(found, self.common_error, level)

    def raised(self, lower: FloatArray, value: FloatArray, points: FloatArray) -> FloatArray:
        """Raise lower ends of kernels that surely grow to what was measured at the largest scale.

        That holds beyond the range of a single parameter, unless a predictor knows better; arguments and
        result as of `Trend.raised`.
        """
        if self.trend is None or len(self.parameters) > 1 or self.predictor is not None:
            return lower
        count = self.divisor(points)
        return self.trend.trend.raised(lower * count, value * count, points, self.trend.grows) / count

    def formula_values(self, points: FloatArray) -> FloatArray:
        """Return what the chosen formulas alone say, float64[K, Q] at points float64[Q, D].

        `predict` gives better values: it weighs all rivals, and follows the trend beyond the range.
        """
        points = np.asarray(points, dtype=np.float64).reshape(-1, len(self.parameters))
        design, best = self.hypotheses.design(points), self.rivals.chosen
        chosen, coefficients = self.rivals.hypothesis[best], self.rivals.coefficients[best]
        powered = np.zeros((len(self), len(points)))
        for place, coefficient in enumerate(coefficients.T):
            powered += coefficient[:, None] * design[chosen, :, place]
        value, _ = from_power(powered, np.zeros(1), self.hypotheses.sharpness[chosen, None])
        return np.maximum(value, 0.0 if self.nonnegative else -np.inf) / self.divisor(points)

    def curve(self, along: Curve, anchors: FloatArray) -> Curve:
        """Return a function from scales float64[Q] to predictions float64[K, Q], made for many scales.

        The formulas, corrected by what `predict` says at some scales, ascending; in between the logarithm of
        the correction is interpolated. `along` gives the points float64[Q, D] of scales.
        """
        points, logs = along(anchors), np.log(anchors)
        correction = self.memory.last_correction(points, self._correction)

        def predictions(scales: FloatArray) -> FloatArray:
            place = np.clip(np.searchsorted(logs, np.log(scales)) - 1, 0, len(logs) - 2)
            width = np.maximum(logs[place + 1] - logs[place], _NARROWEST)  # ends may be one scale
            share = np.clip((np.log(scales) - logs[place]) / width, 0.0, 1.0)
            between = correction[:, place] * (1 - share) + correction[:, place + 1] * share
            return np.asarray(self.formula_values(along(scales)) * np.exp(between))

        return predictions

    def _correction(self, points: FloatArray) -> FloatArray:
        """Return logarithms of predictions over formulas, float64[K, Q]; 0 unless both are positive."""
        predicted, formula = self.expected(points), self.formula_values(points)
        comparable = (predicted > 0) & (formula > 0)
        ratio = np.where(comparable, predicted, 1.0) / np.where(comparable, formula, 1.0)
        return np.asarray(np.log(ratio))

    def hypothesis(self, kernel: int, rival: int = 0) -> Hypothesis:
        """Return the terms of a kernel's chosen model, or of a rival."""
        return self.hypotheses.plain[self.rivals.hypothesis[self.rivals.begin[kernel] + rival]]

    def formula(self, kernel: int, rival: int = 0) -> Formula:
        """Return the formula of a kernel's chosen model, or of a rival, in the unit of the data."""
        place = self.rivals.begin[kernel] + rival
        coefficients = self.rivals.coefficients[place]
        sharpness = int(self.hypotheses.sharpness[self.rivals.hypothesis[place]])
        if sharpness != 1:
            coefficients = np.maximum(coefficients, 0.0) ** (1 / sharpness)
        constant, *others = coefficients.tolist()
        terms = tuple(zip(others, self.hypothesis(kernel, rival), strict=False))
        found = Formula(parameters=self.parameters, constant=constant, terms=terms, sharpness=sharpness)
        return found if self.per is None else found.over(self.per.factor, self.per.columns)

    def notes(self, kernel: int) -> tuple[str, ...]:
        """Return what must be known about a kernel's model, in words."""
        without = (f"does not depend on {name}" for name in self.dropped(kernel))
        return (*note_texts(int(self.quality.note[kernel])), *without)

    def dropped(self, kernel: int) -> tuple[str, ...]:
        """Return the parameters that a kernel's model does without, of several that were measured."""
        if self.quality.note[kernel] & Note.CONFOUNDED:  # then the choice among parameters means nothing
            return ()
        terms = [term for _, term in self.formula(kernel).terms]
        varied = np.flatnonzero(self.first < self.last).tolist()
        absent = [self.parameters[d] for d in varied if all(t[d] == NO_EXPONENT for t in terms)]
        return tuple(absent) if len(varied) > 1 and self.quality.points[kernel] else ()


def remarks(models: ScalingModels) -> list[tuple[str, ...]]:
    """Return what must be known about the model of each kernel: kernels alike in it share the texts."""
    quality, best = models.quality, models.rivals.chosen
    alike = np.column_stack([models.rivals.hypothesis[best], quality.note, quality.points > 0])
    _, first, kind = np.unique(alike, axis=0, return_index=True, return_inverse=True)
    texts = [models.notes(kernel) for kernel in first.tolist()]
    return [texts[i] for i in kind.ravel().tolist()]
