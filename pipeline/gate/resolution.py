"""The resolution of values: what timers and logs round to is an error that repetitions need not show.

Rounded to multiples of a step q, the mean of repetitions that scatter by less than q is wrong by up to q/2,
as evenly distributed: q²/12 is the variance, however many repetitions there are. That is so if repetitions
of a call path are equal now and then, which values that are not rounded never are.
"""

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.gate.kernel_values import KernelValues, Scope

FEWEST_VALUES = 4  # distinct ones, that are not multiples of one step by chance
SMALLEST_STEP = 1e-6  # of the largest value; less does not matter
FINEST = 10  # parts of the smallest difference, that may be the step
TOLERANCE = 0.01  # of the step, by which a multiple may be off after arithmetic


def rounding_errors(study: KernelValues) -> FloatArray:
    """Return the standard deviation of the logarithm of every mean due to resolution, float64[K, P].

    A sum has an error of each of its call paths.
    """
    paths = study.rows_of(Scope.CALLPATH)
    steps = np.array([step_of(values) for values in np.moveaxis(study.values[paths], 1, 0)])
    variance = _parts(study, paths)[:, None] * steps**2 / 12
    value = np.maximum(study.mean, steps)
    return np.asarray(np.sqrt(np.divide(variance, value**2, out=np.zeros(value.shape), where=value > 0)))


def step_of(values: FloatArray) -> float:
    """Find the step of which all values are multiples; 0 if there is none that matters.

    Args:
        values: float64[K, R], NaN if not measured.
    """
    ordered = np.sort(values, axis=1)
    apart = np.diff(ordered, axis=1)
    if not ((apart == 0).any(axis=1) & (apart > 0).any(axis=1)).any():
        return 0.0
    known = np.unique(values[np.isfinite(values) & (values > 0)])
    if not len(known):
        return 0.0
    least = SMALLEST_STEP * known[-1]
    distinct = known[np.append(True, np.diff(known) > least)]
    if len(distinct) < FEWEST_VALUES:
        return 0.0
    gap = min(float(np.diff(distinct).min()), float(distinct[0]))
    for parts in range(1, FINEST + 1):
        step = gap / parts
        if step > least and (np.abs(distinct / step - np.round(distinct / step)) < TOLERANCE).all():
            return step
    return 0.0


def _parts(study: KernelValues, paths: IntArray) -> FloatArray:
    """How many call paths each kernel is the sum of, float64[K]."""
    regions = [study.kernels[row].region for row in paths.tolist()]
    count = {region: float(regions.count(region)) for region in set(regions)}
    every = {Scope.TOTAL: float(len(paths)), Scope.CALLPATH: 1.0}
    return np.array([every.get(kernel.level) or count.get(kernel.region, 1.0) for kernel in study.kernels])
