"""Changes of behaviour inside the measured range."""

from dataclasses import replace

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.error_structure import ErrorStructure
from pipeline.models.judge import Judge
from pipeline.models.sample import Sample

FIRST, LAST = 3, 4  # fewest points of the regime before the change and of the one after it
EXTRA = 3  # two more coefficients and the place of the change
RARE = np.log(10.0)  # one kernel in ten that no formula fits is expected to have changed its behaviour
SMALLEST_NOISE = 0.01**2  # relative variance below which a better fit is no evidence


def last_regime(judge: Judge, sample: Sample) -> IntArray:
    """Find where the last regime of each kernel begins.

    One change is weighed against none by the Bayesian information criterion with the misfit of the best
    hypothesis on either side, the noise of the repetitions added to both: a formula that misses by no more
    than the noise is not improved upon.

    Args:
        judge: how kernels are weighed; its hypotheses are tried on the whole range, those of one term on
            parts of it. Errors are taken as relative and independent: a change must show at all scales.
        sample: K kernels.

    Returns:
        int64[K], the index of the first point of the last regime; 0 where behaviour does not change.
    """
    points = len(sample.points)
    places = range(FIRST, points - LAST + 1)
    if not places:
        return np.zeros(len(sample), dtype=np.int64)
    independent = replace(judge, structure=ErrorStructure())
    noise, _ = judge.errors.noise(sample, independent.structure)
    least = points * np.maximum(noise, SMALLEST_NOISE)
    whole = _least_misfit(independent, sample)
    independent = independent.one_term()
    parts = np.stack(
        [
            _least_misfit(independent, sample.between(0, place))
            + _least_misfit(independent, sample.between(place, points))
            for place in places
        ]
    )
    best = parts.argmin(axis=0)
    gain = points / 2 * np.log((whole + least) / (parts.min(axis=0) + least))
    price = EXTRA / 2 * np.log(points) + np.log(len(places)) + RARE
    return np.where(gain > price, best + FIRST, 0)


def _least_misfit(judge: Judge, sample: Sample) -> FloatArray:
    """float64[K], the smallest misfit of any hypothesis."""
    _, fits = judge.at(sample.points).fit(sample)
    least: FloatArray = fits.misfit.min(axis=1)
    return least
