"""How well formulas of one growing term fit the first point, the first two, and so on to all of them."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.normal_form import term_values
from pipeline.models.search_space import SearchSpace

TOLD_APART = 1e-9  # share of a term's size by which it must vary to be told from a constant


def running_misfits(
    space: SearchSpace, points: FloatArray, values: FloatArray, weight: FloatArray, nonnegative: bool
) -> FloatArray:
    """Return the least misfit of any hypothesis to the first points, for every number of them.

    A hypothesis without a constant, a u + b v, is the line a + b v/u through the values y/u of weight w u^2.

    Args:
        space: the hypotheses, of one growing term at most.
        points: float64[P].
        values: float64[K, P].
        weight: float64[K, P], not below 0.
        nonnegative: whether coefficients may not be negative.

    Returns:
        float64[P, K], in row p of the points up to and including p.
    """
    columns = term_values(space.terms, points[:, None])
    columns = columns / np.abs(columns).max(axis=0, initial=1e-300)
    single = space.hypotheses[space.constant, 0]
    least = _least_misfits(columns[:, single[single >= 0]], values, weight, nonnegative, divided=False)
    pairs = space.hypotheses[~space.constant]
    for first in np.unique(pairs[:, 0]):
        lead, second = columns[:, first], columns[:, pairs[pairs[:, 0] == first, 1]]
        quotients = second / lead[:, None], values / lead, weight * lead**2
        least = np.minimum(least, _least_misfits(*quotients, nonnegative, divided=True))
    return least


def _least_misfits(
    terms: FloatArray, values: FloatArray, weight: FloatArray, nonnegative: bool, divided: bool
) -> FloatArray:
    """float64[P, K] for terms float64[P, n]; not divided by a first term, the constant alone is tried too."""
    lines = Lines.of_no_points(len(values), terms.shape[1])
    least = np.empty(values.shape[::-1])
    for p, term in enumerate(terms):
        lines = lines.with_point(term, values[:, p], weight[:, p])
        least[p] = lines.misfits(nonnegative, divided).min(axis=1, initial=np.inf)
        if not divided:
            least[p] = np.minimum(least[p], lines.left)
    return least


@dataclass(frozen=True, eq=False)
class Lines:
    """Weighted fits of a + b t for K kernels and n terms t to the points seen so far.

    Centred moments are carried along, which neither cancel nor need the points again (West, "Updating mean
    and variance estimates: an improved method", 1979).

    Attributes:
        total: float64[K], sum of the weights.
        level: float64[K], weighted mean of the values.
        center: float64[K, n], weighted mean of each term.
        left: float64[K], weighted sum of squares of the centred values.
        spread: float64[K, n], the same of each term.
        together: float64[K, n], weighted sum of products of the centred terms and values.
    """

    total: FloatArray
    level: FloatArray
    center: FloatArray
    left: FloatArray
    spread: FloatArray
    together: FloatArray

    @classmethod
    def of_no_points(cls, kernels: int, terms: int) -> "Lines":
        """Return where to begin."""
        none, nothing = np.zeros(kernels), np.zeros((kernels, terms))
        return cls(none, none, nothing, none, nothing, nothing)

    def with_point(self, term: FloatArray, value: FloatArray, weight: FloatArray) -> "Lines":
        """Return the fits with one point more: float64[n] terms, float64[K] values and weights."""
        total = self.total + weight
        share = weight / np.where(total > 0, total, 1.0)
        counts = share * self.total
        aside, above = term - self.center, value - self.level
        weighted = counts[:, None] * aside
        return Lines(
            total=total,
            level=self.level + share * above,
            center=self.center + share[:, None] * aside,
            left=self.left + counts * above**2,
            spread=self.spread + weighted * aside,
            together=self.together + weighted * above[:, None],
        )

    def misfits(self, nonnegative: bool, divided: bool) -> FloatArray:
        """float64[K, n], weighted sums of squared residuals; infinite for a line that cannot be.

        Args:
            nonnegative: whether coefficients may not be negative. A negative constant is replaced by none.
            divided: whether the constant stands for a term: then a negative one rules the line out.
        """
        total, level = self.total[:, None], self.level[:, None]
        origin = self.spread + total * self.center**2
        possible = self.spread > TOLD_APART**2 * origin
        slope = self.together / np.where(possible, self.spread, 1.0)
        misfit = self.left[:, None] - slope * self.together
        if nonnegative:
            negative = level < slope * self.center
            product = self.together + total * level * self.center
            steeper = product / np.where(origin > 0, origin, 1.0)
            without = self.left[:, None] + total * level**2 - steeper * product
            slope, misfit = np.where(negative, steeper, slope), np.where(negative, without, misfit)
            possible &= (slope > 0) & ~(negative & divided)
        return np.where(possible, np.maximum(misfit, 0.0), np.inf)
