"""The kernels of an experiment: which values are modelled, per call path and per region."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import compress

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import CallPath, CallPaths, last_names
from ingest.cpp_names import short_name
from ingest.errors import UsageError, nearest_hint
from ingest.experiment import TIME, Experiment, PlainTotals
from ingest.profile import MetricKind
from ingest.reading.stacks import PROGRAM
from ingest.reduction import GPU, GPU_TIME, Reduction
from ingest.region_class import Activity, RegionClass, region_class
from ingest.resource_use import BYTES_UNIT, JOULES, energy_factor, memory_factor
from ingest.run_settings import described_as
from ingest.scaling import Scaling, location_unit

_TIME_WORDS = frozenset({"effort", "time", "walltime", "runtime", "seconds"})
SECOND_UNITS = frozenset({"", "s", "sec", "seconds"})
NOT_WORK = frozenset({Activity.START_UP, Activity.MEASUREMENT})
"""What does not belong to the work of a program: the time before and after it, and the measurement system."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Kernels:
    """K quantities to model, all of one metric."""

    callpaths: Sequence[CallPath]  # region names from the root down; for a region, its name alone
    paradigms: tuple[str, ...]  # paradigm of each kernel's region
    metric: str  # what is modelled, ``effort`` for time summed over CPU locations
    # its unit, ``core-s`` for effort, ``node-s`` if only nodes are counted, ``GPU-s`` for time summed over
    # accelerators
    unit: str
    values: FloatArray  # float64[K, P, R], NaN where nothing was measured
    node: IntArray  # int64[K], the call path in the experiment's tree; -1 for a region
    parent: IntArray  # int64[K], the kernel of the calling call path; -1 for a root or a region
    # float64[K], standard deviation of the logarithm of an error that all values of a kernel share, such as
    # that of an overhead correction
    common_error: FloatArray
    additive: bool = True  # whether values may be summed over kernels, so that there are shares and a total
    of_location: bool = False  # whether values are those of one location rather than sums over all
    # file and line of regions by name, of those that are known
    source: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.callpaths)

    def take(self, some: BoolArray) -> "Kernels":
        """Return some of the kernels, bool[K], without their callers."""
        chosen = np.flatnonzero(some)
        return replace(
            self,
            callpaths=self._callpaths_of(some),
            paradigms=tuple(self.paradigms[k] for k in chosen.tolist()),
            values=self.values[chosen],
            node=self.node[chosen],
            parent=np.full(len(chosen), -1, dtype=np.int64),
            common_error=self.common_error[chosen],
        )

    def _callpaths_of(self, some: BoolArray) -> Sequence[CallPath]:
        if isinstance(self.callpaths, CallPaths):
            return self.callpaths.take(some)
        return tuple(compress(self.callpaths, some.tolist()))

    @property
    def regions(self) -> list[str]:
        """The name of each kernel's region."""
        return last_names(self.callpaths)

    @property
    def classes(self) -> list[RegionClass]:
        """What each kernel's region does."""
        return [region_class(*pair) for pair in zip(self.paradigms, self.regions, strict=True)]

    @cached_property
    def mean(self) -> FloatArray:
        """Mean over repetitions, float64[K, P]; NaN where nothing was measured."""
        return mean_over_repetitions(self.values)

    @cached_property
    def total(self) -> "Kernels":
        """All kernels summed into one: the measured total."""
        everything = np.zeros(len(self), dtype=np.int64)
        return replace(grouped_kernels(self, ("total",), everything), paradigms=("",))

    @property
    def median(self) -> FloatArray:
        """Median over repetitions, float64[K, P], which single slow runs do not change; NaN as in `mean`."""
        measured = np.isfinite(self.values).any(axis=-1)
        found = np.full(measured.shape, np.nan)
        found[measured] = np.nanmedian(
            np.where(np.isfinite(self.values), self.values, np.nan)[measured], axis=-1
        )
        return found


def mean_over_repetitions(values: FloatArray) -> FloatArray:
    """Return the mean of the finite values along the last axis, NaN if there are none."""
    measured = np.isfinite(values)
    total = np.where(measured, values, 0.0).sum(axis=-1)
    mean = np.full(total.shape, np.nan)
    np.divide(total, measured.sum(axis=-1), out=mean, where=measured.any(axis=-1))
    return mean


def callpath_kernels(experiment: Experiment, metric: str, scaling: Scaling) -> Kernels:
    """Take every call path as a kernel.

    Under strong scaling, and if nothing scales, the values are summed over locations (effort, paper 001
    section 2: constant means perfect scaling); under weak scaling they are shown as the mean of a location,
    but energy is summed. What is modelled is the sum in any case.
    """
    measured = experiment.metric(metric)
    weak = scaling is Scaling.WEAK
    reduction = experiment.values[metric]
    name, unit = measured.name, measured.unit
    if measured.name == "time" and measured.unit in SECOND_UNITS and experiment.runs:
        name, unit = ("time", "s") if weak else ("effort", f"{location_unit(experiment)}-s")
    if measured.name == GPU_TIME:
        unit = "s" if weak else "GPU-s"
    values = reduction.mean if weak else reduction.sum
    if (
        joules := energy_factor(measured)
    ) is not None:  # of the whole run: locations have no energy of their own
        unit, values, weak = JOULES, reduction.sum * joules, False
    tree = experiment.tree
    return Kernels(
        callpaths=experiment.callpaths,
        paradigms=tuple(experiment.regions.paradigm[r] for r in tree.region.tolist()),
        metric=name,
        unit=unit,
        values=values,
        node=np.arange(len(tree)),
        parent=tree.parent,
        common_error=_common_error(experiment, name),
        of_location=weak or (experiment.is_series and name != "effort"),
        source=experiment.regions.source,
    )


_CORRECTED = ("effort", "time")  # what a correction for overhead changes


def _common_error(experiment: Experiment, metric: str) -> FloatArray:
    if experiment.correction is None or metric not in _CORRECTED:
        return np.zeros(len(experiment.tree))
    return experiment.correction.deviation


def plain_totals(experiment: Experiment, kernels: Kernels) -> PlainTotals | None:
    """Return the plain times at scales without a profile that are totals of some kernels; None without."""
    if experiment.correction is None or kernels.metric not in _CORRECTED:
        return None
    plain = experiment.correction.elsewhere
    return plain and (plain.of_location if kernels.of_location else plain)


def start_up(kernels: Kernels) -> BoolArray:
    """Return which kernels are start-up and shut-down or the measurement system, bool[K]."""
    return np.array([one.activity in NOT_WORK for one in kernels.classes], dtype=np.bool_)


def is_time(metric: str, unit: str) -> bool:
    """Tell whether a metric is a time, by its name and unit."""
    words = set(re.split(r"[^a-z]+", metric.lower()))
    return unit in ("s", "sec", "core-s", "node-s", "GPU-s") or bool(words & _TIME_WORDS)


def not_measurable(kernels: Kernels, experiment: Experiment) -> BoolArray:
    """Return which kernels have no time that a correction for overhead could distinguish from it, bool[K].

    A region has none if none of its call paths has; groups are no regions.
    """
    if experiment.correction is None or kernels.metric not in _CORRECTED:
        return np.zeros(len(kernels), dtype=np.bool_)
    measurable = experiment.correction.measurable
    hidden, clear = (
        set(compress(experiment.callpaths.last_names, some.tolist())) for some in (~measurable, measurable)
    )
    found = [
        not measurable[node] if node >= 0 else name in hidden - clear
        for node, name in zip(kernels.node.tolist(), kernels.regions, strict=True)
    ]
    return np.array(found, dtype=np.bool_)


def region_kernels(kernels: Kernels) -> Kernels:
    """Sum call paths that end in the same region, in the order the regions first occur."""
    names = kernels.regions
    number = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return grouped_kernels(kernels, tuple(number), np.array([number[name] for name in names], dtype=np.int64))


def grouped_kernels(kernels: Kernels, names: Sequence[str], group: IntArray) -> Kernels:
    """Sum kernels by group, int64[K]; each has the name of its group and the paradigm of its first kernel."""
    first = np.unique(group, return_index=True)[1]
    nowhere = np.full(len(names), -1, dtype=np.int64)
    count = len(names)
    weight = np.nan_to_num(kernels.mean).sum(axis=1)
    total = np.bincount(group, weight, count)
    error = np.bincount(group, weight * kernels.common_error, count)
    return Kernels(
        callpaths=tuple((name,) for name in names),
        paradigms=tuple(kernels.paradigms[i] for i in first.tolist()),
        metric=kernels.metric,
        unit=kernels.unit,
        values=sum_groups(kernels.values, group, len(names)),
        node=nowhere,
        parent=nowhere,
        common_error=np.divide(error, total, out=np.zeros(count), where=total > 0),
        additive=kernels.additive,
        of_location=kernels.of_location,
        source=kernels.source,
    )


def sum_groups(values: FloatArray, group: IntArray, count: int) -> FloatArray:
    """Sum rows by group, NaN only where a whole group is NaN: float64[count, ...] from float64[n, ...].

    Of values float64[n, P, R] some rows may have more repetitions than others of their group: the sum has the
    repetitions that all have, and the mean that their means add up to.
    """
    total, found = np.zeros((count, *values.shape[1:])), np.zeros((count, *values.shape[1:]), dtype=bool)
    measured = np.isfinite(values)
    np.logical_or.at(found, group, measured)
    lacking = measured.any(axis=-1, keepdims=True) & ~measured & found[group] & (values.ndim > 2)
    np.add.at(total, group, np.where(measured, values, np.where(lacking, np.nan, 0.0)))
    total[~found] = np.nan
    if lacking.any():
        means, usual = sum_groups(mean_over_repetitions(values), group, count), mean_over_repetitions(total)
        total += np.where(np.isfinite(usual), means - usual, 0.0)[..., None]
        total[..., 0] = np.where(np.isfinite(usual), total[..., 0], means)
    return total


def matches(callpath: tuple[str, ...], pattern: str) -> bool:
    """Tell whether a pattern names a call path.

    It is matched, with ``*``, ``?`` and ``[..]``, against the region's name and against the names from the
    root down joined by ``/``, both in full and without return types and parameters: ``MPI_Allreduce``,
    ``*/MPI_Allreduce``, ``main/CG/*``.
    """
    short = [short_name(name) for name in callpath]
    spellings = {callpath[-1], short[-1], "/".join(callpath), "/".join(short)}
    return pattern in spellings or any(fnmatchcase(text, pattern) for text in spellings)


def callpath_id(number: int) -> str:
    """Write the short id of a call path, its number in preorder counted from 1: ``#17``."""
    return f"#{number}"


def is_callpath_id(pattern: str) -> bool:
    """Tell whether a pattern is a short id; a region of such a name is reached by ``[#]17``."""
    return pattern.startswith("#") and pattern[1:].isdecimal()


def matching(callpaths: Sequence[tuple[str, ...]], pattern: str, where: str = "") -> IntArray:
    """Return which call paths or regions a pattern as of `matches` names, int64, in their order.

    It may be the short id of a call path, if they are all of a study in preorder: UsageError if none has that
    id.
    """
    if not is_callpath_id(pattern):
        hits = [k for k, callpath in enumerate(callpaths) if matches(callpath, pattern)]
        return np.array(hits, dtype=np.int64)
    node = int(pattern[1:]) - 1
    if not 0 <= node < len(callpaths):
        raise UsageError(f"no call path {pattern}; there are {len(callpaths)}", where=where)
    return np.array([node], dtype=np.int64)


_MOST_NAMES = 20_000  # that are compared with one that is not there


def did_you_mean(callpaths: Sequence[tuple[str, ...]], pattern: str) -> str:
    """Return a question that names the region which is most like one that is not there; empty without any."""
    names = sorted({callpath[-1] for callpath in callpaths if callpath}, key=len)[:_MOST_NAMES]
    around = (name for name in names if pattern.lower() in name.lower())
    near = next(around, None)
    return f"did you mean '{near}'?" if near else nearest_hint(pattern, names)


def named(callpaths: Sequence[tuple[str, ...]], pattern: str, option: str) -> IntArray:
    """Return which call paths the pattern of an option names, as `matching` does; UsageError for none."""
    found = matching(callpaths, pattern, option)
    if not len(found):
        hint = (
            did_you_mean(callpaths, pattern)
            or "give a region such as 'MPI_Init', or a call path such as '*/CG*'"
        )
        raise UsageError(f"nothing matches '{pattern}'", where=option, hint=hint)
    return found


_NOTEWORTHY = (
    1e-3  # share of the time at any point, from which a kernel has models of metrics without a total
)
_VARIES = 1.001  # largest over smallest count, from which it is a factor of the effort


@dataclass(frozen=True)
class Factor:
    """A count whose product with the time of each is the effort, or the time of accelerators."""

    count: str  # the metric that counts
    each: str  # name of the time of each, a metric that is not measured
    noun: str  # what is counted, in the singular
    time: str = TIME  # the metric of the product
    whole: str = "Effort"  # what the product is called


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
    """Return the kernels of a metric: those of call paths and those of regions."""
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
        unit=BYTES_UNIT,
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
    unit = "s" if callpaths.unit in SECOND_UNITS else callpaths.unit
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
    return np.asarray(np.divide(whole, count, out=np.full(whole.shape, np.nan), where=counted))


def _noteworthy_factors(experiment: Experiment, factor: Factor) -> BoolArray:
    """Which call paths take a noteworthy time and have a count that varies, bool[N]."""
    values = experiment.values
    if experiment.is_series or factor.time not in values or factor.count not in values:
        return np.zeros(len(experiment.tree), dtype=np.bool_)
    if experiment.metric(factor.time).unit not in SECOND_UNITS:
        return np.zeros(len(experiment.tree), dtype=np.bool_)
    return _noteworthy(experiment, factor.time) & _varies(values[factor.count])


def _varies(count: Reduction) -> BoolArray:
    """Return for which call paths a count differs between measurements, bool[N]."""
    low, high = (np.where(np.nan_to_num(count.sum) > 0, count.sum, unknown) for unknown in (np.inf, -np.inf))
    return np.asarray(high.max(axis=(1, 2), initial=0.0) > _VARIES * low.min(axis=(1, 2), initial=np.inf))


def _noteworthy(experiment: Experiment, metric: str = TIME) -> BoolArray:
    """Which call paths take a noteworthy share of the time somewhere, bool[N]; all if there is no time."""
    if metric not in experiment.values:
        return np.ones(len(experiment.tree), dtype=np.bool_)
    time = np.nan_to_num(experiment.values[metric].sum)
    total = time.sum(axis=0)
    share = np.divide(time, total, out=np.zeros(time.shape), where=total > 0)
    return np.asarray(share.max(axis=(1, 2), initial=0.0) >= _NOTEWORTHY)


def _group(callpaths: Kernels, regions: Kernels) -> IntArray:
    number = {name: i for i, name in enumerate(regions.regions)}
    return np.array([number[name] for name in callpaths.regions], dtype=np.int64)


def _in_regions(callpaths: BoolArray, group: IntArray, regions: Kernels) -> BoolArray:
    return np.bincount(group, callpaths, len(regions)) > 0
