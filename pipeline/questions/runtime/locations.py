"""How many locations a program has at points that were not measured."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from ingest.experiment import Experiment
from pipeline.models.kernels import mean_over_repetitions

TOLERANCE = 0.01  # by which the locations of a unit of the parameters may differ from point to point


def location_rule(experiment: Experiment, metric: str = "time") -> tuple[float, list[int]]:
    """Return a factor and the parameters whose product, times the factor, is the number of locations.

    The number of locations must be proportional to the product of some of the parameters at all measured
    points (processes, processes times threads, none for a constant number), and is taken to stay so. Of
    several such products that of the fewest parameters counts. The factor is NaN if there is none.

    Args:
        experiment: the measurements.
        metric: what was measured on the locations: accelerators for ``gpu_time``, else CPU locations.
    """
    measured = mean_over_repetitions(experiment.locations(metric))
    known = np.isfinite(measured) & (measured > 0)
    if known.any():
        for subset in _subsets(len(experiment.parameters)):
            ratio = measured[known] / experiment.points[known][:, subset].prod(axis=1)
            if ratio.max() <= ratio.min() * (1 + TOLERANCE):
                return float(np.median(ratio)), subset
    return np.nan, []


def _subsets(count: int) -> Iterator[list[int]]:
    """Yield the sets of 0, 1, ... of the first numbers."""
    for size in range(count + 1):
        yield from map(list, combinations(range(count), size))
