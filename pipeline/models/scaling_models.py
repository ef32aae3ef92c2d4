"""Fitted models of many kernels, as arrays, and what they predict."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.forms import NO_EXPONENT, Hypothesis, Term, term_values
from pipeline.models.formulas import Formula
from pipeline.models.hypotheses import from_power
from pipeline.models.prediction import Prediction, widened
from pipeline.models.quality import Note, note_texts
from pipeline.models.trend import CombinedTrend
from pipeline.statistics.student import mixture_quantiles

REMEMBERED = 64  # points whose predictions are kept of many kernels
REMEMBERED_VALUES = 1_000_000  # of few kernels so many values are: 8 MB
SURE = 0.995  # probability of growing that is written as 100 %
ANCHORS = 17  # scales between which a curve is interpolated
NARROWEST = 1e-12  # logarithm of the ratio of two of them
Curve = Callable[[FloatArray], FloatArray]
_BLOCK = 1 << 17  # values of the design gathered at once: 1 MiB, which a second-level cache holds


@dataclass(frozen=True, eq=False, kw_only=True)
class ScalingModels:
    """Models of K kernels with up to M rivals each, best first.

    A hypothesis is a row of term indices; C = 1 + T coefficients (constant, then T terms) belong to it.

    Attributes:
        parameters: names of the D parameters.
        terms: every term that occurs.
        hypotheses: int64[H, T], indices into `terms`, -1 if a hypothesis has fewer terms.
        sharpness: float64[H], s: constant and terms sum up to the value to the power of s; 1 but for the soft
            knees (a^s + (b t)^s)^(1/s), whose terms are to the power of s, too.
        first, last: float64[D], the smallest and largest measured value of each parameter.
        nonnegative: predictions are never below zero.
        correlation: how strongly the errors of the kernels go together, 0 to 1.
        chosen: int64[K, M], indices into `hypotheses`, -1 if a kernel has fewer rivals.
        weight: float64[K, M], probability of each rival, sums to 1.
        coefficients: float64[K, M, C], in the unit of the data per unit of the term.
        covariance: float64[K, M, C, C], squared scale of the coefficients' Student t distribution.
        degrees: float64[K], degrees of freedom of that distribution.
        drift: float64[K], relative standard deviation of a prediction one doubling of a parameter beyond
            `last`; it grows with the square root of the doublings, as a random walk does.
        valid_from: float64[K, D], where the model's segment begins; `first` unless the behaviour changes.
        probability_growing: float64[K], probability that the leading term grows.
        smape: float64[K], symmetric mean absolute percentage error of the chosen model, 0 to 200.
        cv_smape: float64[K], the same with every point predicted from the others.
        points: int64[K], measured points.
        repetitions: int64[K], largest number of repetitions at a point.
        note: int64[K], bits of `Note`.
        trend: the local trends, which count beyond the range; None if only the normal forms do.
        whole: the model of the kernels' sum by itself; None if they are not the parts of a sum.
        common_error: float64[K], standard deviation of the logarithm of an error that all measurements of a
            kernel share, so that no repetition shows it; None if there is none.
    """

    parameters: tuple[str, ...]
    terms: tuple[Term, ...]
    hypotheses: IntArray
    sharpness: FloatArray
    first: FloatArray
    last: FloatArray
    nonnegative: bool
    correlation: float
    chosen: IntArray
    weight: FloatArray
    coefficients: FloatArray
    covariance: FloatArray
    degrees: FloatArray
    drift: FloatArray
    valid_from: FloatArray
    probability_growing: FloatArray
    smape: FloatArray
    cv_smape: FloatArray
    points: IntArray
    repetitions: IntArray
    note: IntArray
    trend: "CombinedTrend | None" = None
    whole: "ScalingModels | None" = None
    common_error: FloatArray | None = None

    def __len__(self) -> int:
        """Return the number of kernels K."""
        return len(self.chosen)

    def take(self, kernels: IntArray | Sequence[int]) -> "ScalingModels":
        """Return the models of some kernels, in the requested order."""
        index = np.asarray(kernels, dtype=np.int64)
        kept = {name: getattr(self, name)[index] for name in per_kernel_fields()}
        trend = self.trend.take(index) if self.trend else None
        common = None if self.common_error is None else self.common_error[index]
        taken = replace(self, **kept, trend=trend, whole=None, common_error=common)
        taken._predicted.update({key: ends[:, index] for key, ends in self._predicted.items()})
        return taken

    def with_common_error(self, error: FloatArray | None, of_sum: float | None) -> "ScalingModels":
        """Return the models with an error that all measurements share.

        Args:
            error: float64[K], see `common_error`.
            of_sum: the same of the sum of all kernels.
        """
        whole = self.whole
        given = (error, of_sum, self.common_error, whole and whole.common_error)
        if all(one is None for one in given):
            return self  # with what it has predicted
        if whole is not None:
            whole = replace(whole, common_error=None if of_sum is None else np.array([of_sum]))
        return replace(self, common_error=error, whole=whole)

    @property
    def summed(self) -> "ScalingModels":
        """The models whose sum is the total: these, unless they agree with the finer parts of a sum."""
        return self

    def joint_total(self, points: FloatArray, level: float) -> Prediction | None:
        """Return the sum of all kernels, one row, if joint draws tell; None if correlations have to."""
        return None

    def predict(self, points: FloatArray, level: float = 0.9) -> Prediction:
        """Predict expected values.

        Args:
            points: float64[Q, D], parameter values in the order of `parameters`.
            level: probability that the interval holds the expected value.

        Returns:
            Values and interval ends, float64[K, Q]. The value is the median over all rivals, which predicts
            better than the formula of the chosen model alone if rivals disagree.
        """
        points = np.asarray(points, dtype=np.float64).reshape(-1, len(self.parameters))
        asked = [(level, *point) for point in points.tolist()]
        known = self._predicted
        if new := [key for key in dict.fromkeys(asked) if key not in known]:
            tail = (1 - level) / 2
            places = np.array([key[1:] for key in new])
            found = self._quantiles(places, np.array([tail, 0.5, 1 - tail]))
            if self.trend is not None:
                found = self.trend.combined(found, places, level)
                found[0] = self.raised(found[0], found[1], places)
            if self.common_error is not None:
                found = widened(found, self.common_error, level)
            known = known | dict(zip(new, found.transpose(2, 0, 1), strict=True))
        if len(known) <= max(REMEMBERED, REMEMBERED_VALUES // max(3 * len(self), 1)):
            self._predicted.update(known)
        lower, value, upper = np.stack([known[key] for key in asked], axis=-1)
        return Prediction(value, np.minimum(lower, value), np.maximum(upper, value))

    def raised(self, lower: FloatArray, value: FloatArray, points: FloatArray) -> FloatArray:
        """Raise lower ends of kernels that surely grow to what was measured at the largest scale.

        That holds beyond the range of a single parameter; arguments and result as of `Trend.raised`.
        """
        if self.trend is None or len(self.parameters) > 1:
            return lower
        return self.trend.trend.raised(lower, value, points, self.probability_growing >= SURE)

    @cached_property
    def _predicted(self) -> dict[tuple[float, ...], FloatArray]:
        """float64[3, K] for level and point: summary, ranking and page ask for the same few points."""
        return {}

    def _quantiles(self, points: FloatArray, probability: FloatArray) -> FloatArray:
        """float64[n, K, Q], quantiles of what all rivals predict."""
        design = self._design(points)
        doublings = np.log2(np.maximum(points / self.last, 1.0)).sum(axis=1)

        def of_part(part: slice) -> FloatArray:
            chosen = self.chosen[part]
            pair = np.nonzero(chosen >= 0)  # most kernels have few rivals, some have many
            x = design[chosen[pair]]
            rival = (x @ self.coefficients[part][pair][..., None])[..., 0]
            variance = ((x @ self.covariance[part][pair]) * x).sum(axis=-1)
            rival, variance = from_power(rival, variance, self.sharpness[chosen[pair], None])
            variance += doublings * (rival * self.drift[part][pair[0], None]) ** 2
            center, scale = np.zeros((2, *chosen.shape, len(points)))
            center[pair], scale[pair] = rival, np.sqrt(np.maximum(variance, 0.0))
            return mixture_quantiles(center, scale, self.weight[part], self.degrees[part], probability)

        step = max(1, _BLOCK // max(1, design[0].size * self.chosen.shape[1]))
        parts = [slice(start, start + step) for start in range(0, max(len(self), 1), step)]
        with ThreadPoolExecutor(min(len(parts), len(os.sched_getaffinity(0)))) as threads:
            quantiles = np.concatenate(list(threads.map(of_part, parts)), axis=1)
        bounded: FloatArray = np.maximum(quantiles, 0.0 if self.nonnegative else -np.inf)
        return bounded

    def values(self, points: FloatArray) -> FloatArray:
        """Return what the chosen formulas alone say, float64[K, Q] at points float64[Q, D].

        `predict` gives better values: it weighs all rivals, and follows the trend beyond the range.
        """
        points = np.asarray(points, dtype=np.float64).reshape(-1, len(self.parameters))
        design = self._design(points)
        value = np.empty((len(self), len(points)))
        order = np.argsort(self.chosen[:, 0], kind="stable")
        used, first = np.unique(self.chosen[order, 0], return_index=True)
        for hypothesis, kernels in zip(used.tolist(), np.split(order, first)[1:], strict=True):
            powered = self.coefficients[kernels, 0] @ design[hypothesis].T
            value[kernels], _ = from_power(powered, np.zeros(1), self.sharpness[hypothesis])
        return np.maximum(value, 0.0 if self.nonnegative else -np.inf)

    def _design(self, points: FloatArray) -> FloatArray:
        """float64[H + 1, Q, C]: the constant and the terms of each hypothesis; the last row has none."""
        columns = np.column_stack([term_values(self.terms, points), np.zeros(len(points))])
        rows = np.vstack([self.hypotheses, np.full((1, self.hypotheses.shape[1]), -1)])
        design = np.ones((len(rows), len(points), 1 + rows.shape[1]))
        design[:, :, 1:] = columns.T[rows].transpose(0, 2, 1)
        return design

    def curve(self, along: Callable[[FloatArray], FloatArray], ends: tuple[float, float]) -> Curve:
        """Return a function from scales float64[Q] to predictions float64[K, Q], made for many scales.

        The formulas, corrected by what `predict` says at `ANCHORS` scales; in between the logarithm of the
        correction is interpolated.

        Args:
            along: gives the points float64[Q, D] of scales.
            ends: the smallest and largest scale.
        """
        anchors = np.geomspace(*ends, ANCHORS)
        predicted, formula = self.predict(along(anchors)).value, self.values(along(anchors))
        comparable = (predicted > 0) & (formula > 0)
        ratio = np.where(comparable, predicted, 1.0) / np.where(comparable, formula, 1.0)
        correction, logs = np.log(ratio), np.log(anchors)

        def predictions(scales: FloatArray) -> FloatArray:
            place = np.clip(np.searchsorted(logs, np.log(scales)) - 1, 0, ANCHORS - 2)
            width = np.maximum(logs[place + 1] - logs[place], NARROWEST)  # ends may be one scale
            share = np.clip((np.log(scales) - logs[place]) / width, 0.0, 1.0)
            between = correction[:, place] * (1 - share) + correction[:, place + 1] * share
            values: FloatArray = self.values(along(scales)) * np.exp(between)
            return values

        return predictions

    def hypothesis(self, kernel: int, rival: int = 0) -> Hypothesis:
        """Return the terms of a kernel's chosen model, or of a rival."""
        index = int(self.chosen[kernel, rival])
        return self.plain_hypotheses[index] if index >= 0 else ()

    @cached_property
    def plain_hypotheses(self) -> tuple[Hypothesis, ...]:
        """The terms of every hypothesis; those of soft knees not to the power of their sharpness."""
        sharpness = [int(s) for s in self.sharpness]
        return tuple(
            tuple(tuple((power / s, *others) for power, *others in self.terms[t]) for t in row if t >= 0)
            for row, s in zip(self.hypotheses.tolist(), sharpness, strict=True)
        )

    def formula(self, kernel: int, rival: int = 0) -> Formula:
        """Return the formula of a kernel's chosen model, or of a rival, in the unit of the data."""
        index, coefficients = int(self.chosen[kernel, rival]), self.coefficients[kernel, rival]
        sharpness = int(self.sharpness[index]) if index >= 0 else 1
        if sharpness != 1:
            coefficients = np.maximum(coefficients, 0.0) ** (1 / sharpness)
        constant, *others = coefficients.tolist()
        terms = tuple(zip(others, self.hypothesis(kernel, rival), strict=False))
        return Formula(parameters=self.parameters, constant=constant, terms=terms, sharpness=sharpness)

    def plain_coefficients(self) -> FloatArray:
        """Return the coefficients of `plain_hypotheses` in the unit of the data, float64[K, M, C]."""
        sharpness = np.where(self.chosen >= 0, self.sharpness[self.chosen], 1.0)[..., None]
        rooted = np.maximum(self.coefficients, 0.0) ** (1 / sharpness)
        return np.where(sharpness == 1, self.coefficients, rooted)

    def notes(self, kernel: int) -> tuple[str, ...]:
        """Return what must be known about a kernel's model, in words."""
        without = (f"does not depend on {name}" for name in self.dropped(kernel))
        return (*note_texts(int(self.note[kernel])), *without)

    def dropped(self, kernel: int) -> tuple[str, ...]:
        """Return the parameters that a kernel's model does without, of several that were measured."""
        if self.note[kernel] & Note.CONFOUNDED:  # then the choice among parameters means nothing
            return ()
        terms = self.hypothesis(kernel)
        varied = np.flatnonzero(self.first < self.last).tolist()
        absent = [self.parameters[d] for d in varied if all(t[d] == NO_EXPONENT for t in terms)]
        return tuple(absent) if len(varied) > 1 and self.points[kernel] else ()


_SHARED = {
    "parameters",
    "terms",
    "hypotheses",
    "sharpness",
    "first",
    "last",
    "nonnegative",
    "correlation",
    "trend",
    "whole",
    "common_error",
}


def per_kernel_fields() -> tuple[str, ...]:
    """Return the names of the arrays whose first axis is the kernel."""
    return tuple(f.name for f in fields(ScalingModels) if f.name not in _SHARED)


Text = TypeVar("Text")


def formulas(models: ScalingModels) -> list[str]:
    """Return the model of each kernel as people write it."""
    return [models.formula(kernel).text() for kernel in range(len(models))]


def growths(models: ScalingModels) -> list[str]:
    """Return the leading behaviour of each kernel: that of its hypothesis with the terms that rise."""
    rising = models.coefficients[:, 0, 1:] > 0
    return _once_per_kind(
        lambda kernel: models.formula(kernel).growth, np.column_stack([models.chosen[:, 0], rising])
    )


def remarks(models: ScalingModels) -> list[tuple[str, ...]]:
    """Return what must be known about the model of each kernel."""
    return _once_per_kind(
        models.notes, np.column_stack([models.chosen[:, 0], models.note, models.points > 0])
    )


def _once_per_kind(describe: Callable[[int], Text], kinds: IntArray) -> list[Text]:
    """Describe the first kernel of each kind, int64[K, n], and give all of its kind the same text."""
    _, first, kind = np.unique(kinds, axis=0, return_index=True, return_inverse=True)
    texts = [describe(kernel) for kernel in first.tolist()]
    return [texts[i] for i in kind.ravel().tolist()]


def sum_of_formulas(models: ScalingModels) -> Formula:
    """Add the chosen models of all kernels, as paper 001 makes the model of ``main``; fastest terms first."""
    every = [models.formula(kernel) for kernel in range(len(models))]
    coefficients = dict.fromkeys(models.terms, 0.0)
    for coefficient, term in (one for formula in every for one in formula.terms):
        coefficients[term] += coefficient
    terms = sorted(
        ((c, term) for term, c in coefficients.items() if c != 0), key=lambda one: one[1], reverse=True
    )
    constant = sum(formula.constant for formula in every)
    return Formula(parameters=models.parameters, constant=constant, terms=tuple(terms))
