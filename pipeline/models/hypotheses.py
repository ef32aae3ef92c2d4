"""Hypotheses over one table of terms, evaluated all at once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.forms import Hypothesis, Term, powers_of_terms, values_of_powers


@dataclass(frozen=True, eq=False, kw_only=True)
class Hypotheses:
    """H hypotheses of up to T terms; C = 1 + T coefficients (constant, then terms) belong to each.

    Attributes:
        terms: every term that occurs.
        rows: int64[H, T], indices into `terms`, -1 if a hypothesis has fewer terms.
        sharpness: float64[H], s: constant and terms sum up to the value to the power of s; 1 but for the soft
            knees (a^s + (b t)^s)^(1/s), whose terms are to the power of s, too.
    """

    terms: tuple[Term, ...]
    rows: IntArray
    sharpness: FloatArray

    def __len__(self) -> int:
        """Return the number of hypotheses H."""
        return len(self.rows)

    def design(self, points: FloatArray) -> FloatArray:
        """Evaluate the constant and the terms at points float64[Q, D], 0 for what there is not.

        Times the coefficients they give the value to the power of the sharpness.

        Returns:
            float64[H, Q, C].
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
