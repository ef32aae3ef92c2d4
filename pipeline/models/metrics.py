"""The metrics of a study: those worth a model beside the chosen one, and the kernels of each.

Sums (visits, bytes, counters) have a kernel per call path, as time has. Three more kinds have no total: the
extremes of single visits (``min_time``, ``max_time``), time per visit or per iteration, and the memory of
processes and nodes. The second and its count are factors of the effort: what grows with the scale may be the
number of visits, the time of each, or both. Kernels of these two are those that take a noteworthy share of
the time; memory is of the whole run, one kernel.
"""

from dataclasses import dataclass, replace

import numpy as np

from ingest.accelerators import GPU, GPU_TIME
from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.experiment import Experiment
from ingest.profile import MetricKind
from ingest.reading.stacks import PROGRAM
from ingest.reduction import Reduction
from ingest.resource_use import BYTES, memory_factor
from ingest.run_settings import described_as
from ingest.scaling import Scaling
from pipeline.models.kernels import TIME_UNITS, Kernels, callpath_kernels, region_kernels, sum_groups

TIME = "time"
NOTEWORTHY = 1e-3  # share of the time at any point, from which a kernel has models of metrics without a total
VARIES = 1.001  # largest over smallest count, from which it is a factor of the effort


@dataclass(frozen=True)
class Factor:
    """A count whose product with the time of each is the effort, or the time of accelerators.

    Attributes:
        count: the metric that counts.
        each: name of the time of each, a metric that is not measured.
        noun: what is counted, in the singular.
        time: the metric of the product.
        whole: what the product is called.
    """

    count: str
    each: str
    noun: str
    time: str = TIME
    whole: str = "Effort"


FACTORS = (
    Factor("iterations", "time_per_iteration", "iteration"),
    Factor("visits", "time_per_visit", "visit"),
    Factor(GPU + "visits", GPU + "time_per_visit", "launch", GPU_TIME, "GPU time"),
)


def metrics_beside(experiment: Experiment, chosen: str) -> tuple[str, ...]:
    """Return the metrics worth a model beside the chosen one, derived ones last.

    Worth it is every metric that is not zero everywhere. Extremes of single visits are left out if times were
    corrected for instrumentation overhead, which they contain. Memory is left to the metrics of whole runs.
    """
    of_runs = [name for name in experiment.metrics_of_runs if name != chosen]
    measured = [
        metric.name
        for metric in experiment.metrics
        if metric.name != chosen
        and not (of_runs and metric.kind.extreme and memory_factor(metric))
        and not (metric.kind.extreme and experiment.correction is not None)
        and np.nan_to_num(experiment.values[metric.name].max).any()
    ]
    derived = [factor.each for factor in FACTORS if _noteworthy_factors(experiment, factor).any()]
    return (*measured, *of_runs, *derived)


def kernels_of(experiment: Experiment, metric: str, scaling: Scaling) -> tuple[Kernels, Kernels]:
    """Return the kernels of a metric: those of call paths and those of regions.

    Raises:
        InputError: the metric was not measured.
    """
    for factor in FACTORS:
        if factor.each == metric:
            return _time_of_each(experiment, factor, scaling)
    if metric in experiment.metrics_of_runs:
        return _of_runs(experiment, metric)
    measured = experiment.metric(metric)
    callpaths = callpath_kernels(experiment, metric, scaling)
    if not measured.kind.extreme:
        return callpaths, region_kernels(callpaths)
    return _extremes(experiment, callpaths, measured.kind)


def _of_runs(experiment: Experiment, metric: str) -> tuple[Kernels, Kernels]:
    """The one kernel of a metric of whole runs, called like the program."""
    programs = {described_as(run.attributes, "program") for run in experiment.runs}
    nowhere = np.full(1, -1, dtype=np.int64)
    kernels = Kernels(
        callpaths=(((programs.pop() if len(programs) == 1 else "") or PROGRAM,),),
        paradigms=("",),
        metric=metric,
        unit=BYTES,
        values=experiment.memory(metric)[None],
        node=nowhere,
        parent=nowhere,
        common_error=np.zeros(1),
        additive=False,
    )
    return kernels, kernels


def _extremes(experiment: Experiment, callpaths: Kernels, kind: MetricKind) -> tuple[Kernels, Kernels]:
    """Kernels of the extremes of single visits: of a region the most extreme one of its call paths."""
    values = experiment.values[callpaths.metric].overall(kind)
    unit = "s" if callpaths.unit in TIME_UNITS else callpaths.unit
    values = np.where(values > 0, values, np.nan)
    callpaths = replace(callpaths, unit=unit, values=values, additive=False)
    regions = region_kernels(callpaths)
    group = _group(callpaths, regions)
    nothing, best = (np.inf, np.minimum) if kind is MetricKind.MINIMUM else (-np.inf, np.maximum)
    found = np.full(regions.values.shape, nothing)
    best.at(found, group, np.where(np.isfinite(callpaths.values), callpaths.values, nothing))
    found = np.where(np.isfinite(found), found, np.nan)
    heavy = _noteworthy(experiment)
    return callpaths.take(heavy), replace(regions, values=found).take(_in_regions(heavy, group, regions))


def _time_of_each(experiment: Experiment, factor: Factor, scaling: Scaling) -> tuple[Kernels, Kernels]:
    """Kernels of the time per visit, or per iteration, in seconds of a location."""
    callpaths = callpath_kernels(experiment, factor.time, scaling)
    time, count = (experiment.values[name].sum for name in (factor.time, factor.count))
    regions = region_kernels(callpaths)
    group = _group(callpaths, regions)
    counted = np.where(np.nan_to_num(count) > 0, time, 0.0)
    levels = (
        (callpaths, time, count),
        (regions, sum_groups(counted, group, len(regions)), sum_groups(count, group, len(regions))),
    )
    chosen = _noteworthy_factors(experiment, factor)
    kept = chosen, _in_regions(chosen, group, regions)
    callpaths, regions = (
        replace(kernels, metric=factor.each, unit="s", values=_ratio(whole, times), additive=False).take(some)
        for (kernels, whole, times), some in zip(levels, kept, strict=True)
    )
    return callpaths, regions


def _ratio(whole: FloatArray, count: FloatArray) -> FloatArray:
    counted = np.nan_to_num(count) > 0
    ratio: FloatArray = np.divide(whole, count, out=np.full(whole.shape, np.nan), where=counted)
    return ratio


def _noteworthy_factors(experiment: Experiment, factor: Factor) -> BoolArray:
    """Which call paths take a noteworthy time and have a count that varies, bool[N]."""
    values = experiment.values
    if experiment.is_series or factor.time not in values or factor.count not in values:
        return np.zeros(len(experiment.tree), dtype=np.bool_)
    if experiment.metric(factor.time).unit not in TIME_UNITS:
        return np.zeros(len(experiment.tree), dtype=np.bool_)
    return _noteworthy(experiment, factor.time) & varies(values[factor.count])


def varies(count: Reduction) -> BoolArray:
    """Return for which call paths a count differs between measurements, bool[N]."""
    low, high = (np.where(np.nan_to_num(count.sum) > 0, count.sum, unknown) for unknown in (np.inf, -np.inf))
    found: BoolArray = high.max(axis=(1, 2), initial=0.0) > VARIES * low.min(axis=(1, 2), initial=np.inf)
    return found


def _noteworthy(experiment: Experiment, metric: str = TIME) -> BoolArray:
    """Which call paths take a noteworthy share of the time somewhere, bool[N]; all if there is no time."""
    if metric not in experiment.values:
        return np.ones(len(experiment.tree), dtype=np.bool_)
    time = np.nan_to_num(experiment.values[metric].sum)
    total = time.sum(axis=0)
    share = np.divide(time, total, out=np.zeros(time.shape), where=total > 0)
    found: BoolArray = share.max(axis=(1, 2), initial=0.0) >= NOTEWORTHY
    return found


def _group(callpaths: Kernels, regions: Kernels) -> IntArray:
    number = {name: i for i, name in enumerate(regions.regions)}
    return np.array([number[name] for name in callpaths.regions], dtype=np.int64)


def _in_regions(callpaths: BoolArray, group: IntArray, regions: Kernels) -> BoolArray:
    return np.bincount(group, callpaths, len(regions)) > 0
