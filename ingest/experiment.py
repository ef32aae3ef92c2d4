"""`Experiment`: all runs of a study, aligned on one call tree."""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, distinct
from ingest.calltree import CallPaths, CallTree
from ingest.errors import InputError
from ingest.hardware_counters import event
from ingest.number_text import value_text
from ingest.parameter_roles import NOTHING_LEFT_OUT, LeftOut
from ingest.profile import Metric, RegionTable
from ingest.reduction import DEVICE_CLASSES, GPU, Reduction, RunFacts
from ingest.region_class import USEFUL_WORK, RegionClass
from ingest.resource_use import ENERGY, RUN_METRICS, energy_metric, stated_memory
from ingest.run_settings import HeldCores, counts_work, held_cores

TIME, VISITS = "time", "visits"


@dataclass(frozen=True, eq=False, kw_only=True)
class RunRecord(RunFacts):
    """The place of one run in the experiment, and what models need to know about it beyond its values."""

    point: int  # index of its measurement point
    repetition: int  # index of its repetition, from 0
    # its time as measured over that without the overhead of measuring, which was taken out of `class_time`
    dilation: float = 1.0

    @property
    def computes(self) -> BoolArray:
        """bool[class], the classes whose time is useful computing."""
        return np.array([found in USEFUL_WORK for found in self.classes], dtype=np.bool_)

    @property
    def useful_time(self) -> FloatArray:
        """float64[CPU location], seconds of useful computing."""
        return np.asarray(self.class_time[self.computes].sum(axis=0))

    @property
    def offloading_time(self) -> FloatArray:
        """float64[CPU location], seconds of useful computing and of calls that make accelerators compute.

        Without accelerators that were measured, only the former.
        """
        if not self.device_time.size:
            return self.useful_time
        offload = np.array([found is RegionClass.OFFLOAD for found in self.classes], dtype=np.bool_)
        return np.asarray(self.class_time[self.computes | offload].sum(axis=0))

    @property
    def kernel_time(self) -> FloatArray:
        """float64[accelerator], seconds of kernels."""
        return np.asarray(self.device_time[DEVICE_CLASSES.index(RegionClass.KERNEL)])

    @cached_property
    def cores(self) -> HeldCores:
        """The cores of the run."""
        return held_cores(self.attributes, len(distinct(self.process)), len(self.process))

    @property
    def cores_of_location(self) -> float:
        """How many cores a CPU location was on, on average."""
        return self.cores.used / len(self.process) if len(self.process) else 1.0

    @property
    def longest_time(self) -> float:
        """Seconds of the CPU location with the longest time: how long the run took."""
        return float(self.class_time.sum(axis=0).max(initial=0.0))


@dataclass(frozen=True, kw_only=True)
class PlainTotals:
    """Totals of runs without instrumentation at n points without a profile."""

    points: tuple[tuple[float, ...], ...]
    total: tuple[float, ...]  # core-seconds, or seconds of one location if values are those
    locations: tuple[float, ...]
    spread: tuple[float, ...]  # standard deviations of their logarithms
    away: tuple[float, ...]  # logarithm of the factor from the nearest profiled scale
    common: float  # standard deviation of the logarithm of the error of the level of their curve

    @property
    def of_location(self) -> "PlainTotals":
        """The same of one location."""
        pairs = zip(self.total, self.locations, strict=True)
        return replace(self, total=tuple(total / count for total, count in pairs))


@dataclass(frozen=True, eq=False, kw_only=True)
class OverheadCorrection:
    """How instrumentation overhead was taken out of the times of an experiment with N call paths."""

    share: float  # overhead as a share of the measured computing time of all runs
    cost: float  # seconds of overhead per visit, on average
    # float64[N], standard deviation of the logarithm of the error that all corrected times of a call path
    # share
    deviation: FloatArray
    total_deviation: float  # the same for the sum of all call paths
    # bool[N]; the time of other call paths is below what the correction leaves uncertain, so it is
    # attributed to their callers
    measurable: BoolArray
    source: str  # where the cost comes from
    # whether a plain time or a cost was given, so that more than the profiles speaks for it
    supported: bool = False
    # share of the measured computing time that hooks of visits take which a filter rejects at run time;
    # None if the runs were not filtered while they ran
    hooks: float | None = None
    hooks_counted: bool = True  # whether it is known how many visits those are
    disturbed: float = 0.0  # share of it that is neither overhead nor the plain program's
    contradiction: str = ""  # why given plain times cannot be those of these runs; empty if they can
    # plain times at scales without a profile; None without any, or if values are not of whole runs
    elsewhere: PlainTotals | None = None


def per_text(region: str) -> str:
    """Say what values are of that were divided: ``per visit of solve``, ``per step``."""
    return f"per {region.removesuffix('s')}" if counts_work(region) else f"per visit of {region}"


def counted_work(least: float, most: float, region: str) -> str:
    """Write how often runs did what values may be divided by: ``6 to 12 visits``, ``10 steps``."""
    counts = value_text(least) if least == most else f"{value_text(least)} to {value_text(most)}"
    return f"{counts} {region if counts_work(region) else 'visit' if counts == '1' else 'visits'}"


@dataclass(frozen=True, eq=False, kw_only=True)
class PerVisit:
    """By what all values of an experiment were divided."""

    region: str  # the pattern that names the region, or what runs state that counts work, such as ``steps``
    visits: FloatArray  # float64[P, R], how often each run visited it; NaN where there was no run

    @property
    def text(self) -> str:
        """What values are of: ``per visit of solve``."""
        return per_text(self.region)

    @property
    def of_a_run(self) -> float:
        """Median number of visits of a run."""
        return float(np.nanmedian(self.visits))


@dataclass(frozen=True, eq=False, kw_only=True)
class HeldOutRuns:
    """Runs that an experiment is without, to compare them with what it predicts."""

    conditions: tuple[str, ...]  # which runs these are, as the user wrote it
    whole: "Experiment"  # the experiment with them
    runs: BoolArray  # bool[P, R], which of its runs they are


@dataclass(frozen=True, eq=False, kw_only=True)
class Experiment:
    """Many runs aligned: N call paths, P measurement points of D parameters, R repetitions."""

    parameters: tuple[str, ...]
    points: FloatArray  # float64[P, D], sorted by the first parameter, then the next
    tree: CallTree  # the union of the runs' call trees, in preorder
    regions: RegionTable  # the regions of the union, one per name
    metrics: tuple[Metric, ...]
    # per metric name the reductions over CPU locations, or over accelerators for ``gpu_time`` and the like,
    # float64[N, P, R]; NaN where there was no run, zero where it did not visit the call path. Sums of
    # ``time`` are core-seconds: of processes whose threads are not locations, those of as many cores
    values: Mapping[str, Reduction]
    # in the order of points and repetitions; empty if the values come from a series
    runs: tuple[RunRecord, ...]
    notices: tuple[str, ...] = ()
    # how the times were corrected for overhead; None if they are as measured
    correction: OverheadCorrection | None = None
    # the share of the measured computing time that overhead is expected to take, if times are as measured
    # although it distorts them
    overhead_left: float = 0.0
    # names of the functions that the runs could record, called or not, sorted; empty if unknown
    recorded: tuple[str, ...] = ()
    # the visits by which values and times were divided; None if they are of whole runs
    per: PerVisit | None = None
    left_out: LeftOut = NOTHING_LEFT_OUT  # parameters of the runs that say nothing beyond these
    # what a series states of all its runs, such as their processor
    stated: Mapping[str, str] = field(default_factory=dict)
    # runs that were left out, to be compared with predictions; None without any
    held_out: HeldOutRuns | None = None

    def only(self, some: BoolArray) -> "Experiment":
        """Return the experiment of some runs, bool[P, R], with the points and repetitions that these have."""
        points, repetitions = (np.flatnonzero(some.any(axis=axis)) for axis in (1, 0))
        rows, columns = np.ix_(points, repetitions)

        def of_some(array: FloatArray) -> FloatArray:
            return np.where(some, array, np.nan)[..., rows, columns]

        return replace(
            self,
            points=self.points[points],
            values={name: reduction.each(of_some) for name, reduction in self.values.items()},
            runs=tuple(
                replace(
                    run,
                    point=int(np.searchsorted(points, run.point)),
                    repetition=int(np.searchsorted(repetitions, run.repetition)),
                )
                for run in self.runs
                if some[run.point, run.repetition]
            ),
            per=self.per and replace(self.per, visits=of_some(self.per.visits)),
            left_out=self.left_out.at(points.tolist()),
        )

    def named_point(self, point: int) -> dict[str, float]:
        """Return all parameters of a point, those left out among them."""
        left_out = {name: values[point] for name, values in self.left_out.values.items()}
        return left_out | dict(zip(self.parameters, self.points[point].tolist(), strict=True))

    @property
    def is_series(self) -> bool:
        """Whether the values come from a series file, as they are, and not from runs."""
        return not self.runs

    @property
    def callpaths(self) -> CallPaths:
        """The call paths as region names from the root down, N of them."""
        return CallPaths.of(self.tree, self.regions.name)

    def metric(self, name: str) -> Metric:
        """Return the metric of that name; InputError if no run has it."""
        for metric in self.metrics:
            if metric.name == name:
                return metric
        known = ", ".join([*(m.name for m in self.metrics), *self.metrics_of_runs]) or "none"
        raise InputError(f"no metric '{name}' was measured", hint=f"metrics here: {known}")

    def chosen_metric(self, asked: str = TIME) -> str:
        """Return the metric that results are about if one of that name was requested.

        Where the usual one, time, was not measured, it is the first that adds up, but visits come last.
        What profilers count, samples and events, and series files come without time, and hosts have none if
        only accelerators were measured.
        """
        known = [metric.name for metric in self.metrics]
        if asked == ENERGY and ENERGY not in known:
            return energy_metric(self.metrics) or asked
        if asked != TIME or not known or (asked in known and self._is_measured(asked)):
            return asked
        counted = (
            metric.name for metric in self.metrics if metric.kind.additive and VISITS not in metric.name
        )
        return next(filter(self._is_measured, counted), asked if asked in known else known[0])

    def _is_measured(self, metric: str) -> bool:
        """Tell whether a metric is not zero everywhere."""
        return bool(np.nan_to_num(self.values[metric].max).any())

    def measured_at(self, points: FloatArray) -> tuple[BoolArray, IntArray]:
        """Tell which points float64[Q, D] were measured, and the index of each among the measured ones."""
        same = (points[:, None, :] == self.points[None]).all(axis=2)
        return same.any(axis=1), same.argmax(axis=1)

    @property
    def has_accelerators(self) -> bool:
        """Whether a run was measured on accelerators."""
        return any(run.device_time.size for run in self.runs)

    def of_runs(self, value: Callable[[RunRecord], float]) -> FloatArray:
        """Return a value of each run, float64[P, R], NaN where no run was measured."""
        found = np.full(self.shape, np.nan)
        for run in self.runs:
            found[run.point, run.repetition] = value(run)
        return found

    def locations(self, metric: str = "time") -> FloatArray:
        """Return on how many locations a metric was measured, float64[P, R], NaN where no run was measured.

        They are CPU locations, and accelerators for ``gpu_time`` and the like.
        """
        on_devices = metric.startswith(GPU)
        return self.of_runs(lambda run: run.device_time.shape[1] if on_devices else len(run.process))

    def cores(self, *, held: bool = False) -> FloatArray:
        """Return how many cores the runs used, or held, float64[P, R]; NaN where no run was measured."""
        return self.of_runs(lambda run: run.cores.held if held else run.cores.used)

    @property
    def metrics_of_runs(self) -> tuple[str, ...]:
        """The `RUN_METRICS` that runs state and no metric of the call tree is called by."""
        others = {metric.name for metric in self.metrics}
        return tuple(
            name for name in RUN_METRICS if name not in others and np.isfinite(self.memory(name)).any()
        )

    def memory(self, metric: str) -> FloatArray:
        """Return the bytes of the process or node that took most, float64[P, R]; NaN where unknown."""
        return self.of_runs(lambda run: stated_memory(run.attributes, metric, run.cores.nodes))

    @property
    def shape(self) -> tuple[int, int]:
        """(P, R): the numbers of points and of repetitions."""
        first = next(iter(self.values.values()), None)
        return (len(self.points), first.sum.shape[2] if first is not None else 0)


_EVERY = "*"


@dataclass(frozen=True, kw_only=True)
class MetricChoice(Container[str]):
    """A container of the names of the metrics to keep."""

    required: tuple[str, ...]  # names that are always kept; counts of instructions and cycles are, too
    every: bool = False  # whether all others are kept, too
    excluded: tuple[str, ...] = ()  # patterns with ``*`` and ``?`` of others that are not
    on_locations: str = "time"  # the metric whose values on each location are kept, of the largest kernels

    def __contains__(self, name: object) -> bool:
        if name in self.required or event(str(name)):
            return True
        return self.every and not any(fnmatchcase(str(name), pattern) for pattern in self.excluded)

    @property
    def key(self) -> tuple[str, ...]:
        """What distinguishes this choice from others, for caches."""
        others = (_EVERY, *(f"!{name}" for name in self.excluded)) if self.every else ()
        return (*self.required, *others, f"@{self.on_locations}")
