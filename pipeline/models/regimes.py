"""Changes of behaviour inside the measured range."""

from dataclasses import replace

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.error_structure import ErrorStructure
from pipeline.models.judge import Judge
from pipeline.models.running_fits import running_misfits
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
    places = points - LAST - FIRST + 1
    if places < 1:
        return np.zeros(len(sample), dtype=np.int64)
    independent = replace(judge, structure=ErrorStructure())
    precision, fits = independent.fit(sample)
    noise, _ = judge.errors.noise(sample, independent.structure)
    least = points * np.maximum(noise, SMALLEST_NOISE)
    parts = _misfit_of_parts(independent.one_term(), sample, precision.diagonal)
    best = parts.argmin(axis=0)
    gain = points / 2 * np.log((fits.misfit.min(axis=1) + least) / (parts.min(axis=0) + least))
    price = EXTRA / 2 * np.log(points) + np.log(places) + RARE
    return np.where(gain > price, best + FIRST, 0)


def _misfit_of_parts(judge: Judge, sample: Sample, weight: FloatArray) -> FloatArray:
    """float64[places, K], the smallest misfits before and after each possible change, added."""
    before, after = (
        running_misfits(
            judge.space, sample.points[way], sample.level[:, way], weight[:, way], judge.nonnegative
        )
        for way in (slice(None), slice(None, None, -1))
    )
    return before[FIRST - 1 : -LAST] + after[LAST - 1 : -FIRST][::-1]
