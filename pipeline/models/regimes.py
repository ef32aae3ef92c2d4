"""Changes of behaviour inside the measured range."""

from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.error_model import ErrorModel
from pipeline.models.fit_context import FitContext
from pipeline.models.observations import Sample
from pipeline.models.search_space import SearchSpace

FIRST, LAST = 3, 4  # fewest points of the regime before the change and of the one after it
EXTRA = 3  # two more coefficients and the place of the change
RARE = np.log(10.0)  # one kernel in ten that no formula fits is expected to have changed its behaviour
SMALLEST_NOISE = 0.01**2  # relative variance below which a better fit is not evidence


def last_regime(context: FitContext, sample: Sample) -> IntArray:
    """Find where the last regime of each kernel begins.

    One change is compared with none by the Bayesian information criterion with the misfit of the best
    hypothesis on either side, the noise of the repetitions added to both: a formula that misses by no more
    than the noise is not improved upon.

    Args:
        context: how kernels are fitted; its hypotheses are tried on the whole range, those of one term on
            parts of it. Errors are taken as relative and independent: a change must show at all scales.
        sample: K kernels.

    Returns:
        int64[K], the index of the first point of the last regime; 0 if behaviour does not change.
    """
    points = len(sample.points)
    places = points - LAST - FIRST + 1
    if places < 1:
        return np.zeros(len(sample), dtype=np.int64)
    independent = replace(context, structure=ErrorModel())
    fits, precision = independent.fit(sample), sample.precision(independent.structure)
    noise, _ = context.errors.noise(sample, independent.structure)
    least = points * np.maximum(noise, SMALLEST_NOISE)
    parts = _misfit_of_parts(independent.one_term(), sample, precision.diagonal)
    best = parts.argmin(axis=0)
    gain = points / 2 * np.log((fits.misfit.min(axis=1) + least) / (parts.min(axis=0) + least))
    price = EXTRA / 2 * np.log(points) + np.log(places) + RARE
    return np.where(gain > price, best + FIRST, 0)


def _misfit_of_parts(context: FitContext, sample: Sample, weight: FloatArray) -> FloatArray:
    """float64[places, K], the smallest misfits before and after each possible change, added."""
    before, after = (
        running_misfits(
            context.space, sample.points[way], sample.level[:, way], weight[:, way], context.nonnegative
        )
        for way in (slice(None), slice(None, None, -1))
    )
    return before[FIRST - 1 : -LAST] + after[LAST - 1 : -FIRST][::-1]


IDENTIFIABLE = 1e-9  # share of a term's size by which it must vary to be distinguished from a constant


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
    columns = space.term_values(points[:, None])
    columns = columns / np.abs(columns).max(axis=0, initial=1e-300)
    single = space.rows[space.constant, 0]
    least = _least_misfits(columns[:, single[single >= 0]], values, weight, nonnegative, divided=False)
    pairs = space.rows[~space.constant]
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


@dataclass(frozen=True, eq=False, kw_only=True)
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
        return cls(total=none, level=none, center=nothing, left=none, spread=nothing, together=nothing)

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
        possible = self.spread > IDENTIFIABLE**2 * origin
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
