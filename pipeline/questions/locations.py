"""What scales in a study, what its points are compared by, and how many locations they use."""

from collections.abc import Callable, Iterator
from enum import Enum
from itertools import combinations

import numpy as np

from ingest.arrays import FloatArray
from ingest.experiment import Experiment
from ingest.parameter_roles import counts_processes
from ingest.reduction import GPU
from ingest.scaling import Scaling, ScalingDecision
from pipeline.models.kernels import Kernels, is_time, mean_over_repetitions
from pipeline.models.scaling_models import LocationCount

_TOLERANCE = 0.01  # by which the locations of a unit of the parameters may differ from point to point


class Comparison(Enum):
    """What points of different scales are compared by."""

    STRONG = "strong"  # speed-up and parallel efficiency
    WEAK = "weak"  # weak efficiency
    SIZE = "size"  # size per second
    UNKNOWN = "unknown"  # a series over processes that does not say whether the problem grows with them


def scaled_parameter(experiment: Experiment, decision: ScalingDecision) -> str:
    """Return the parameter that scales: the one that counts processes, else the first, of those that vary.

    It is empty without parameters.
    """
    names = experiment.parameters
    varied = [name for name, values in zip(names, experiment.points.T, strict=True) if np.ptp(values)]
    return decision.parameter or next(iter((*varied, *names)), "")


def comparison_of(experiment: Experiment, decision: ScalingDecision) -> Comparison:
    """Return what points of different scales are compared by."""
    parameter = scaled_parameter(experiment, decision)
    if not decision.parameter and not (experiment.is_series and counts_processes(parameter)):
        return Comparison.SIZE
    kinds = {Scaling.STRONG: Comparison.STRONG, Scaling.WEAK: Comparison.WEAK}
    return kinds.get(decision.scaling, Comparison.UNKNOWN)


def locations_of(
    experiment: Experiment, decision: ScalingDecision, metric: str = "time"
) -> Callable[[FloatArray], FloatArray]:
    """Return a function from points float64[Q, D] to numbers of locations, float64[Q]; NaN if unknown.

    The locations are those that a metric was measured on.
    """
    return location_count(experiment, decision, metric).at


def summed_over(experiment: Experiment, decision: ScalingDecision, kernels: Kernels) -> LocationCount | None:
    """Return the locations over which values of one are summed to be modelled; None if nothing is summed."""
    time_of_many = is_counted(experiment, decision) and is_time(kernels.metric, kernels.unit)
    if not (kernels.of_location and kernels.additive) or (experiment.is_series and not time_of_many):
        return None
    found = location_count(experiment, decision, kernels.metric)
    return found if np.isfinite(found.factor) else None


def is_counted(experiment: Experiment, decision: ScalingDecision) -> bool:
    """Return whether a series has as many locations as the parameter says that scales."""
    return experiment.is_series and comparison_of(experiment, decision) in (
        Comparison.STRONG,
        Comparison.WEAK,
    )


def location_count(experiment: Experiment, decision: ScalingDecision, metric: str = "time") -> LocationCount:
    """Return the number of locations; a series over processes has as many. Its factor is NaN if unknown."""
    if is_counted(experiment, decision):
        parameter = scaled_parameter(experiment, decision)
        return LocationCount(factor=1.0, columns=(experiment.parameters.index(parameter),))
    factor, columns = location_rule(experiment, metric)
    return LocationCount(factor=factor, columns=tuple(columns))


def location_rule(experiment: Experiment, metric: str = "time") -> tuple[float, list[int]]:
    """Return a factor and the parameters whose product, times the factor, is the number of cores used.

    The number must be proportional to the product of some of the parameters at all measured points
    (processes, processes times threads, none for a constant number), and is taken to stay so. Of several such
    products that of the fewest parameters counts. The factor is NaN if there is none. For ``gpu_time`` it is
    the number of accelerators.
    """
    on_devices = metric.startswith(GPU)
    measured = mean_over_repetitions(experiment.locations(metric) if on_devices else experiment.cores())
    known = np.isfinite(measured) & (measured > 0)
    if known.any():
        for subset in _subsets(len(experiment.parameters)):
            ratio = measured[known] / experiment.points[known][:, subset].prod(axis=1)
            if ratio.max() <= ratio.min() * (1 + _TOLERANCE):
                return float(np.median(ratio)), subset
    return np.nan, []


def _subsets(count: int) -> Iterator[list[int]]:
    """Yield the sets of 0, 1, ... of the first numbers."""
    for size in range(count + 1):
        yield from map(list, combinations(range(count), size))
