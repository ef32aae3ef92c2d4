"""Wall time, speed-up and efficiency at measured and at other points of a study."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from ingest.experiment import Experiment
from ingest.parameter_roles import counts_parts
from ingest.reduction import GPU_TIME
from ingest.run_settings import counts_work, described_as
from ingest.scaling import location_unit
from ingest.units import RATE_METRIC, UNITS_OF_WORK, WorkRate, work_rate
from pipeline.models.fit import fit
from pipeline.models.kernels import mean_over_repetitions, start_up, sum_groups
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import predict_total
from pipeline.questions.analysis import Analysis, extrapolation
from pipeline.questions.locations import Comparison, comparison_of, locations_of
from pipeline.questions.runtime.estimate import Estimate, from_prediction, from_repetitions
from pipeline.statistics import TWO_SIDED


def held_share(
    experiment: Experiment, points: FloatArray, used: FloatArray, node_cores: float | None = None
) -> FloatArray:
    """Return cores held over the cores used at points, float64[Q] from 1 on; NaN where those are.

    Elsewhere than measured, nodes are as full as those of the largest run if it had several; if it had one
    node, nodes are filled. What a series held is not known, and taken to be what it used. `node_cores` are
    those of a node that is held as a whole, wherever it is.
    """
    if node_cores is not None:
        return np.asarray(whole_nodes(used, node_cores) * node_cores / used)
    if experiment.is_series:
        return np.ones(len(points))
    cores, held = (mean_over_repetitions(experiment.cores(held=held)) for held in (False, True))
    share = np.divide(held, cores, out=np.ones(len(cores)), where=cores > 0)
    largest = max((run.cores for run in experiment.runs), key=lambda of: of.used)
    elsewhere = np.full(len(points), largest.held / largest.used if largest.used else 1.0)
    if largest.nodes == 1 and largest.held > largest.used:
        elsewhere = np.ceil(used / largest.held) * largest.held / used
    measured, place = experiment.measured_at(points)
    return np.where(measured, share[place], np.nan_to_num(elsewhere, nan=1.0))


def whole_nodes(used: FloatArray, node_cores: float) -> FloatArray:
    """Return the number of nodes that cores need, float64[Q]; NaN if these are unknown."""
    return np.asarray(np.ceil(used / node_cores))


def node_cores_of(experiment: Experiment) -> float | None:
    """Return the cores of a node, if all runs held as many per node; else None."""
    found = {run.cores.held / run.cores.nodes if run.cores.nodes else None for run in experiment.runs}
    return found.pop() if len(found) == 1 else None


_EQUAL = 0.02  # relative difference of rates that are printed with three digits, over times with fewer


def _stated_rate(experiment: Experiment) -> WorkRate | None:
    """Return the rate that all runs state; None if there is none, or they state different ones."""
    stated = {described_as(run.attributes, RATE_METRIC) for run in experiment.runs}
    return work_rate(stated.pop()) if len(stated) == 1 else None


def _units_of_work(
    experiment: Experiment, column: int, locations: Callable[[FloatArray], FloatArray], points: FloatArray
) -> FloatArray:
    """Return how many units a run does at points, or a step of it if values are those of steps, float64[Q].

    Elsewhere than measured it is known if the runs that differ only in what scales do equally many, or
    equally many on each location; else it is NaN.
    """
    work = _measured_work(experiment)
    measured, place = experiment.measured_at(points)
    others, there = (np.delete(found, column, axis=1) for found in (experiment.points, points))
    shares = work / locations(experiment.points)
    here = locations(points)
    found = np.where(measured, work[place], np.nan)
    for row in np.flatnonzero(~measured):
        same = (others == there[row]).all(axis=1)
        if _alike(work[same]):
            found[row] = work[same].mean()
        elif _alike(shares[same]):
            found[row] = shares[same].mean() * here[row]
    return found


def _measured_work(experiment: Experiment) -> FloatArray:
    """Return the units at the P points, means over the repetitions; 1 where none are stated."""
    work = experiment.of_runs(lambda run: float(run.attributes.get(UNITS_OF_WORK, 1.0)))
    return mean_over_repetitions(work if experiment.per is None else work / experiment.per.visits)


def _alike(values: FloatArray) -> bool:
    return bool(values.size and np.isfinite(values).all() and values.max() <= (1 + _EQUAL) * values.min())


@dataclass(frozen=True, eq=False)
class DeviceUse:
    """What the accelerators of an experiment do: busy and idle time of a device, modelled one by one."""

    experiment: Experiment

    @cached_property
    def parts(self) -> FloatArray | None:
        """Seconds of a device, busy and idle, float64[2, P, R]; None if idle time was not measured."""
        values = np.full((2, *self.experiment.shape), np.nan)
        for run in self.experiment.runs:
            if run.device_time.size:
                *busy, idle = run.device_time.mean(axis=1)
                values[:, run.point, run.repetition] = sum(busy), idle
        return values if np.nansum(values[1]) > 0 else None

    def busy_share(self, points: FloatArray, measured: BoolArray) -> Estimate:
        """Return which part of the time of a device kernels and copies take, Q measured or predicted ones.

        It cannot pass 1, whatever the models say far outside of the measurements; NaN if idle time was not
        measured.
        """
        if self.parts is None:
            return Estimate(*np.full((3, len(points)), np.nan))
        _, place = self.experiment.measured_at(points)
        found = _share(*(from_repetitions(part).take(place) for part in self.parts))
        if measured.all():
            return found
        ahead = _share(*(from_prediction(model.predict(points)) for model in self._models))
        return found.where(measured, ahead)

    @cached_property
    def _models(self) -> tuple[ScalingModels, ScalingModels]:
        assert self.parts is not None
        models = fit(self.experiment.parameters, self.experiment.points, self.parts)
        return models.take([0]), models.take([1])


def _share(busy: Estimate, idle: Estimate) -> Estimate:
    """Return busy over busy and idle time; the ends of the interval are those of idle over busy."""
    ratio = idle.over(busy)
    value, lower, upper = (1 / (1 + end) for end in (ratio.value, ratio.upper, ratio.lower))
    with np.errstate(divide="ignore"):  # an end may lie infinitely far away
        return Estimate(value, np.log(value / lower), np.log(upper / value))


SECONDS_PER_HOUR = 3600.0
_TAILS = (0.05, 0.95)


@dataclass(frozen=True, eq=False, kw_only=True)
class Figures(Rows):
    """What is known of Q points; NaN for figures that do not apply or are not available."""

    points: FloatArray  # float64[Q, D]
    measured: BoolArray  # whether the figures are measured rather than predicted
    # The smallest measured scale with the same other parameters, that each is compared with; if there is
    # none, the smallest measured scale of all, predicted for these.
    reference: FloatArray  # float64[Q, D]
    locations: FloatArray  # cores that are used; accelerators if times are theirs
    longest: FloatArray  # measured seconds of the location that takes longest
    extrapolation: FloatArray  # largest factor by which a parameter is beyond its measured range, 1 inside
    effort: Estimate  # core-seconds
    wall: Estimate  # seconds: effort over locations
    core_hours: Estimate  # wall time of all cores that the run holds; NaN if these are unknown
    speedup: Estimate  # wall time of the reference over that here (strong scaling)
    efficiency: Estimate  # speed-up over the factor between the numbers of locations
    weak_efficiency: Estimate  # wall time of the reference over that here (weak scaling)
    time_ratio: Estimate  # wall time of the reference over that here, if a problem's size varies
    work_rate: Estimate  # size over wall time, relative to the reference, if it counts work
    rate: Estimate  # units of work per period, if runs state such a rate
    gpu_hours: Estimate  # accelerators times wall time
    gpu_busy: Estimate  # the part of it that kernels and copies take

    @property
    def of_scaling(self) -> Estimate:
        """The efficiency that counts: parallel or weak."""
        known = np.isfinite(self.efficiency.value).any()
        return self.efficiency if known else self.weak_efficiency


class ScaledTimes(Protocol):
    """Wall times over a parameter that scales, of a measured study or of an application's model."""

    @property
    def parameters(self) -> Sequence[str]:
        """The names of the D parameters."""

    @property
    def column(self) -> int:
        """Index of the parameter that scales."""

    @property
    def known(self) -> FloatArray:
        """The points that scales start from, float64[P, D]: those that were measured."""

    @property
    def comparison(self) -> Comparison:
        """What points of different scales are compared by."""

    @property
    def cores_of_node(self) -> float | None:
        """Cores of a node that is paid for as a whole; None if they are unknown."""

    @property
    def node_cores(self) -> float | None:
        """The same if scales are to fill such nodes."""

    def locations(self, points: FloatArray) -> FloatArray:
        """Return the number of locations at points float64[Q, D], float64[Q]; NaN if it is unknown."""

    def measured_at(self, points: FloatArray) -> tuple[BoolArray, IntArray]:
        """Return which points float64[Q, D] were measured, and the index of each among the measured ones."""

    def shared_error(self, points: FloatArray) -> FloatArray:
        """Return the half-width of the 90 % interval, in logarithms, of an error that all scales share."""

    def totals(self, points: FloatArray, measured: BoolArray) -> Estimate:
        """Return the totals at points float64[Q, D], measured or predicted, without errors they share."""

    def figures(self, points: FloatArray, measured: BoolArray, total: Estimate | None = None) -> Figures:
        """Return all figures at points; of a total that is given values alone."""


@dataclass(frozen=True, eq=False)
class RuntimeStudy:
    """A modelled experiment of times, with what is needed to turn its totals into wall times."""

    analysis: Analysis
    of_work: bool = False  # whether measured totals are without start-up, shut-down and measurement system
    node_cores: float | None = None  # of nodes that are paid for as a whole; by default as runs held theirs

    @cached_property
    def column(self) -> int:
        """Index of the parameter that scales."""
        return self.analysis.experiment.parameters.index(self.analysis.parameter)

    @property
    def parameters(self) -> Sequence[str]:
        """The names of the D parameters."""
        return self.analysis.experiment.parameters

    @property
    def known(self) -> FloatArray:
        """The points that were measured, float64[P, D]."""
        return self.analysis.experiment.points

    @property
    def cores_of_node(self) -> float | None:
        """Cores of a node that is paid for as a whole: those given, else as all runs held theirs."""
        return self.node_cores or node_cores_of(self.analysis.experiment)

    @cached_property
    def comparison(self) -> Comparison:
        """What points of different scales are compared by."""
        return comparison_of(self.analysis.experiment, self.analysis.decision)

    @property
    def scales(self) -> bool:
        """Whether points are compared by an efficiency."""
        return self.comparison in (Comparison.STRONG, Comparison.WEAK)

    @cached_property
    def per_location(self) -> bool:
        """Whether totals are seconds of one location rather than core-seconds or GPU-seconds of all."""
        return self.analysis.callpaths.kernels.of_location

    @cached_property
    def on_accelerators(self) -> bool:
        """Whether times are those of accelerators."""
        return self.analysis.callpaths.kernels.metric == GPU_TIME

    @cached_property
    def effort_unit(self) -> str:
        """Of efforts: seconds of what is counted."""
        return "GPU-s" if self.on_accelerators else f"{location_unit(self.analysis.experiment)}-s"

    @cached_property
    def device_use(self) -> DeviceUse:
        """How busy accelerators are."""
        return DeviceUse(self.analysis.experiment)

    @cached_property
    def measured_total(self) -> Estimate:
        """The measured total of every point, P figures."""
        kernels = self.analysis.callpaths.kernels
        if not self.of_work:
            return from_repetitions(kernels.total.values[0])
        work = kernels.values[~start_up(kernels)]
        return from_repetitions(sum_groups(work, np.zeros(len(work), dtype=np.int64), 1)[0])

    @cached_property
    def common_error(self) -> float:
        """Half-width of the 90 % interval, in logarithms, of an error that the totals of all scales share.

        It widens efforts and times, and cancels in speed-up and efficiency.
        """
        correction = self.analysis.experiment.correction
        return 0.0 if correction is None else TWO_SIDED * correction.total_deviation

    def shared_error(self, points: FloatArray) -> FloatArray:
        """Return `common_error` at points, float64[Q]."""
        return np.full(len(points), self.common_error)

    def locations(self, points: FloatArray) -> FloatArray:
        """Return the number of locations at points float64[Q, D], float64[Q]; NaN if it is unknown."""
        metric = self.analysis.callpaths.kernels.metric
        return locations_of(self.analysis.experiment, self.analysis.decision, metric)(points)

    def measured_at(self, points: FloatArray) -> tuple[BoolArray, IntArray]:
        """Return which points float64[Q, D] were measured, and the index of each among the measured ones."""
        return self.analysis.experiment.measured_at(points)

    def references(self, points: FloatArray) -> FloatArray:
        """Return the points that float64[Q, D] points are compared with, float64[Q, D]."""
        measured = self.analysis.experiment.points
        others = np.delete(measured, self.column, axis=1)
        found = points.copy()
        for row, other in zip(found, np.delete(points, self.column, axis=1), strict=True):
            same = (others == other).all(axis=1)
            row[self.column] = measured[same if same.any() else slice(None), self.column].min()
        return found

    def totals(self, points: FloatArray, measured: BoolArray) -> Estimate:
        """Return the totals at points float64[Q, D], measured or predicted, without errors they share.

        Those are `common_error` and the joint errors of the analysis.
        """
        _, place = self.measured_at(points)
        found = self.measured_total.take(place)
        if measured.all():
            return found
        models = self.analysis.callpaths.models.with_common_error(None, None)
        return found.where(measured, self._predicted(models, points))

    def _predicted(self, models: ScalingModels, points: FloatArray) -> Estimate:
        return from_prediction(predict_total(models, points)).narrowed(*self._joint_error(points))

    def extrapolated(self, points: FloatArray) -> FloatArray:
        """Return how far points lie beyond all with a total, float64[Q]: profiled ones and plain runs."""
        experiment, correction = self.analysis.experiment, self.analysis.experiment.correction
        plain = correction and correction.elsewhere
        known = np.concatenate([experiment.points, plain.points]) if plain else experiment.points
        return extrapolation(experiment.parameters, known, points)

    def _with_common_error(self, total: Estimate, points: FloatArray, measured: BoolArray) -> Estimate:
        """Add to totals the error that they share, of which plain times tell less than of a single total."""
        correction = self.analysis.experiment.correction
        if correction is None or correction.elsewhere is None:
            return total.widened(self.common_error)
        same = (points[:, None] == np.array(correction.elsewhere.points)).all(axis=2)
        spread = TWO_SIDED * np.array(correction.elsewhere.spread)[same.argmax(axis=1)]
        whole = total.widened(np.where(same.any(axis=1), spread, self.common_error))
        if measured.all():
            return whole
        return whole.where(measured, self._predicted(self.analysis.callpaths.models, points))

    def _joint_error(
        self, points: FloatArray, compared_with: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return both sides of the 90 % interval of the joint error of totals, in logarithms, float64[Q].

        Compared with other points, it is that of their totals over those at the points.
        """
        if self.analysis.joint_errors is None or not len(points):
            return np.zeros(len(points)), np.zeros(len(points))
        both = np.concatenate([points, points if compared_with is None else compared_with])
        one_each, place = np.unique(both, axis=0, return_inverse=True)
        logs = np.log(self.analysis.joint_errors(one_each))[:, place.ravel()]
        own, other = logs[:, : len(points)], logs[:, len(points) :]
        drawn = own if compared_with is None else other - own
        low, high = np.quantile(drawn[1:], _TAILS, axis=0)
        return np.maximum(-low, 0.0), np.maximum(high, 0.0)

    def figures(self, points: FloatArray, measured: BoolArray, total: Estimate | None = None) -> Figures:
        """Return all figures at points, as measured or predicted.

        With the totals there only values count, which saves the draws of joint errors.
        """
        references = self.references(points)
        has_measured_reference, _ = self.measured_at(references)
        locations, locations_before = self.locations(points), self.locations(references)
        errs = total is None
        total = total or self.totals(points, measured)
        before = self.totals(references, has_measured_reference)
        effort, wall = self._effort_and_wall(total, locations)
        effort_before, wall_before = self._effort_and_wall(before, locations_before)
        itself = (points == references).all(axis=1) & (measured == has_measured_reference)
        nothing = np.zeros((2, len(points)))
        apart = self._joint_error(points, references) if errs else nothing

        def compared(by: Comparison, before: Estimate, here: Estimate) -> Estimate:
            return self._compared(by, before.over(here).widened(*apart), itself)

        efficiency = compared(Comparison.STRONG, effort_before, effort)
        held = held_share(self.analysis.experiment, points, locations, self.node_cores)
        name, size = self.analysis.parameter, points[:, self.column] / references[:, self.column]
        time_ratio = compared(Comparison.SIZE, before, total)
        joint = self._joint_error(points) if errs else nothing
        whole = self._with_common_error(total, points, measured) if errs else total
        whole_effort, whole_wall = (one.widened(*joint) for one in self._effort_and_wall(whole, locations))
        return Figures(
            points=points,
            measured=measured,
            reference=references,
            locations=locations,
            longest=self._longest(points, measured),
            extrapolation=extrapolation(
                self.analysis.experiment.parameters, self.analysis.experiment.points, points
            ),
            effort=whole_effort,
            wall=whole_wall,
            core_hours=whole_effort.times(
                held / SECONDS_PER_HOUR if self.effort_unit == "core-s" else np.nan
            ),
            speedup=efficiency.times(locations / locations_before),
            efficiency=efficiency,
            weak_efficiency=compared(Comparison.WEAK, wall_before, wall),
            time_ratio=time_ratio,
            work_rate=time_ratio.times(size if counts_parts(name) or counts_work(name) else np.nan),
            rate=self._rate(whole_wall, points),
            gpu_hours=self._gpu_hours(whole_wall, points),
            gpu_busy=self.device_use.busy_share(points, measured),
        )

    @cached_property
    def rate(self) -> WorkRate | None:
        """The rate that all runs state, of which times are the inverse; None if there is none."""
        return None if self.on_accelerators else _stated_rate(self.analysis.experiment)

    def _rate(self, wall: Estimate, points: FloatArray) -> Estimate:
        """Return a period times the units of work of a run over its wall time."""
        units = np.full(len(wall), np.nan)
        if self.rate is not None:
            units = self.rate.seconds * _units_of_work(
                self.analysis.experiment, self.column, self.locations, points
            )
        exact = np.zeros(len(wall))
        return Estimate(units, exact, exact).over(wall)

    def _gpu_hours(self, wall: Estimate, points: FloatArray) -> Estimate:
        """Return accelerators times wall time."""
        devices = locations_of(self.analysis.experiment, self.analysis.decision, GPU_TIME)(points)
        return wall.times(np.where(devices > 0, devices, np.nan) / SECONDS_PER_HOUR)

    def _effort_and_wall(self, total: Estimate, locations: FloatArray) -> tuple[Estimate, Estimate]:
        if self.per_location:
            return total.times(locations), total
        return total, total.times(1 / locations)

    def _compared(self, by: Comparison, ratio: Estimate, itself: BoolArray) -> Estimate:
        """Return ratios if points are compared so, exactly 1 for the references themselves."""
        parts = zip((1.0, 0.0, 0.0), (ratio.value, ratio.below, ratio.above), strict=True)
        exact = Estimate(*(np.where(itself, of_itself, part) for of_itself, part in parts))
        return exact.where(np.full(len(exact), self.comparison is by))

    def _longest(self, points: FloatArray, measured: BoolArray) -> FloatArray:
        """Seconds of the location with the longest time, mean over repetitions, NaN if not measured."""
        longest = np.full(self.analysis.experiment.shape, np.nan)
        for run in self.analysis.experiment.runs:
            times = run.device_time if self.on_accelerators else run.class_time
            if times.size:
                longest[run.point, run.repetition] = times.sum(axis=0).max()
        _, place = self.measured_at(points)
        return np.where(measured, mean_over_repetitions(longest)[place], np.nan)
