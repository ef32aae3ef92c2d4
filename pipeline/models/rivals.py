"""The plausible models of each kernel, as many as there are, and what all of them predict together."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows, distinct
from ingest.run_settings import usable_cores
from pipeline.models.forms import Hypothesis, Term, powers_of_terms, values_of_powers
from pipeline.statistics import mixture_quantiles


@dataclass(frozen=True, eq=False, kw_only=True)
class Hypotheses:
    """H hypotheses of up to T terms; C = 1 + T coefficients (constant, then terms) belong to each."""

    terms: tuple[Term, ...]  # every term that occurs
    rows: IntArray  # int64[H, T], indices into `terms`, -1 if a hypothesis has fewer terms
    # float64[H], s: constant and terms sum up to the value to the power of s; 1 but for the soft knees (a^s +
    # (b t)^s)^(1/s), whose terms are to the power of s, too
    sharpness: FloatArray

    def __len__(self) -> int:
        return len(self.rows)

    def design(self, points: FloatArray) -> FloatArray:
        """Evaluate constant and terms, float64[H, Q, C], at points float64[Q, D], 0 for what there is not.

        Times the coefficients they give the value to the power of the sharpness.
        """
        columns = np.column_stack([self.term_values(points), np.zeros(len(points))])
        design = np.ones((len(self), len(points), 1 + self.rows.shape[1]))
        design[:, :, 1:] = columns.T[self.rows].transpose(0, 2, 1)
        return design

    def term_values(self, points: FloatArray) -> FloatArray:
        """Evaluate all terms at points float64[Q, D], float64[Q, n]."""
        return values_of_powers(self.powers, points)

    @cached_property
    def powers(self) -> FloatArray:
        """float64[n, D, kinds of factors], of the terms."""
        return powers_of_terms(self.terms)

    @cached_property
    def plain(self) -> tuple[Hypothesis, ...]:
        """The terms of every hypothesis; those of soft knees not to the power of their sharpness."""
        sharpness = [int(s) for s in self.sharpness]
        return tuple(
            tuple(tuple((power / s, *others) for power, *others in self.terms[t]) for t in row if t >= 0)
            for row, s in zip(self.rows.tolist(), sharpness, strict=True)
        )


def from_power(
    value: FloatArray, variance: FloatArray, sharpness: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return values and their variance from those of the values to the power of the sharpness, any shape."""
    if (sharpness == 1).all():
        return value, variance
    root = np.where(sharpness == 1, value, np.maximum(value, 0.0) ** (1 / sharpness))
    slope = np.where(root > 0, root, 1.0) ** (1 - sharpness) / sharpness
    return root, variance * np.where(sharpness == 1, 1.0, slope) ** 2


_BLOCK = 1 << 17  # values of the design gathered at once: 1 MiB
_FEW = 8  # blocks for which threads cost more than they save


@dataclass(frozen=True, eq=False, kw_only=True)
class Rivals(Rows):
    """The R plausible models of K kernels: those of the first, best first, then those of the second ...

    Every kernel has one at least.
    """

    begin: IntArray  # int64[K + 1], where those of each kernel begin
    hypothesis: IntArray  # int64[R], indices into `Hypotheses` of C coefficients each
    weight: FloatArray  # float64[R], probability of each; those of a kernel sum to 1
    coefficients: FloatArray  # float64[R, C], in the unit of the data per unit of the term
    covariance: FloatArray  # float64[R, C, C], squared scale of the coefficients' Student t distribution
    degrees: FloatArray  # float64[K], degrees of freedom of that distribution
    # float64[K], relative standard deviation of a prediction one doubling of a parameter beyond the measured
    # range; it grows with the square root of the doublings, as a random walk does
    drift: FloatArray

    @classmethod
    def of_grid(
        cls,
        hypothesis: IntArray,
        weight: FloatArray,
        coefficients: FloatArray,
        covariance: FloatArray,
        *,
        degrees: FloatArray,
        drift: FloatArray,
    ) -> "Rivals":
        """Take rivals from arrays [K, M, ...] in which the hypothesis is -1 where there is none."""
        there = hypothesis >= 0
        return cls(
            begin=_begin(there.sum(axis=1)),
            hypothesis=hypothesis[there],
            weight=weight[there],
            coefficients=coefficients[there],
            covariance=covariance[there],
            degrees=degrees,
            drift=drift,
        )

    def __len__(self) -> int:
        return len(self.degrees)

    @property
    def count(self) -> IntArray:
        """int64[K], how many each kernel has."""
        return np.diff(self.begin)

    @property
    def kernel(self) -> IntArray:
        """int64[R], the kernel of each."""
        return np.repeat(np.arange(len(self)), self.count)

    @property
    def chosen(self) -> IntArray:
        """int64[K], the place of each kernel's best one."""
        return self.begin[:-1]

    def grid(self, most: int | None = None) -> tuple[IntArray, BoolArray]:
        """Return places of the first `most` rivals, or all, of kernels, and where one is, [K, M] each."""
        width = int(self.count.max(initial=1))
        column = np.arange(width if most is None else min(most, width))
        there = column < self.count[:, None]
        return np.where(there, self.chosen[:, None] + column, self.chosen[:, None]), there

    def take(self, rows: IntArray | BoolArray) -> "Rivals":
        """Return those of some kernels."""
        kernels = np.arange(len(self))[rows]
        count = self.count[kernels]
        begin = _begin(count)
        own = np.arange(begin[-1]) + np.repeat(self.chosen[kernels] - begin[:-1], count)
        return replace(self._some(own), begin=begin, degrees=self.degrees[kernels], drift=self.drift[kernels])

    def _some(self, rows: IntArray) -> "Rivals":
        """Return some of all, int64[n], of the same kernels, which begin elsewhere."""
        return replace(
            self,
            hypothesis=self.hypothesis[rows],
            weight=self.weight[rows],
            coefficients=self.coefficients[rows],
            covariance=self.covariance[rows],
        )

    @classmethod
    def joined(cls, parts: Sequence["Rivals"]) -> "Rivals":
        """Put those of different kernels behind one another; missing coefficients are 0."""
        width = max(part.coefficients.shape[1] for part in parts)
        return Rivals(
            begin=_begin(np.concatenate([part.count for part in parts])),
            hypothesis=np.concatenate([part.hypothesis for part in parts]),
            weight=np.concatenate([part.weight for part in parts]),
            coefficients=np.concatenate([_widened(part.coefficients, width) for part in parts]),
            covariance=np.concatenate([_widened(part.covariance, width) for part in parts]),
            degrees=np.concatenate([part.degrees for part in parts]),
            drift=np.concatenate([part.drift for part in parts]),
        )

    def nth(self, rank: int) -> "Rivals":
        """Return one of each kernel, the best for rank 0, where there are not so many the best one, too."""
        rows = self.chosen + np.where(rank < self.count, rank, 0)
        return replace(self._some(rows), begin=np.arange(len(self) + 1), weight=np.ones(len(self)))

    def quantiles(
        self, hypotheses: Hypotheses, points: FloatArray, last: FloatArray, probability: FloatArray
    ) -> FloatArray:
        """Return quantiles, probability float64[n], of what all rivals predict at points float64[Q, D].

        The result is float64[n, K, Q]; `last` float64[D] are the largest measured values.
        """
        design = hypotheses.design(points)
        doublings = np.log2(np.maximum(points / last, 1.0)).sum(axis=1)

        def of_kernels(first: int, end: int) -> FloatArray:
            rows = slice(self.begin[first], self.begin[end])
            hypothesis, count = self.hypothesis[rows], self.count[first:end]
            x = design[hypothesis]
            center = (x @ self.coefficients[rows][..., None])[..., 0]
            variance = np.einsum("rqc,rqc->rq", x @ self.covariance[rows], x)
            center, variance = from_power(center, variance, hypotheses.sharpness[hypothesis, None])
            drift = np.repeat(self.drift[first:end], count)[:, None]
            variance = variance + doublings * (center * drift) ** 2
            scale, degrees = np.sqrt(np.maximum(variance, 0.0)), self.degrees[first:end]
            return mixture_quantiles(center, scale, self.weight[rows], count, degrees, probability)

        wanted = np.arange(0, max(int(self.begin[-1]), 1), max(1, _BLOCK // max(1, design[:1].size)))
        inside = distinct(np.searchsorted(self.begin, wanted))
        bounds = [*inside[inside < len(self)].tolist(), len(self)] if len(self) else [0, 0]
        if len(bounds) <= _FEW:
            return np.concatenate(list(map(of_kernels, bounds[:-1], bounds[1:])), axis=1)
        with ThreadPoolExecutor(min(len(bounds) - 1, usable_cores())) as threads:
            return np.concatenate(list(threads.map(of_kernels, bounds[:-1], bounds[1:])), axis=1)


def _begin(count: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(count)]).astype(np.int64)


def _widened(values: FloatArray, width: int) -> FloatArray:
    return np.pad(values, [(0, 0), *((0, width - n) for n in values.shape[1:])])
