"""What if some kernels took more or less time, or all locations took the mean?"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, TypeAlias

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.errors import UsageError
from ingest.experiment import Experiment, RunRecord
from ingest.record_codec import entry
from ingest.region_class import CLASSES, USEFUL_WORK, Activity, region_classes
from pipeline.models.kernels import is_time, mean_over_repetitions, region_kernels, start_up
from pipeline.models.prediction import Prediction
from pipeline.models.scaling_models import Predictor, ScalingModels
from pipeline.models.total import added, agreeing, predict_total
from pipeline.questions.analysis import Analysis, Level, shares
from pipeline.questions.groups import named_kernels
from pipeline.questions.question import Question, TargetForecast
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import Figures, RuntimeStudy
from pipeline.questions.runtime.pop import predicted_imbalance
from pipeline.wording.escaping import shown_name, visible
from pipeline.wording.quantities import (
    Figure,
    estimate_text,
    percent,
    point_json,
    point_text,
    quantity,
    shorten_middle,
)

_Factors: TypeAlias = Callable[[FloatArray], FloatArray]
"""Of all kernels at points float64[Q, D], float64[K, Q], from 0 on."""


@dataclass(frozen=True, eq=False)
class _ScaledPredictions(Predictor):
    """Predicts kernels that take a multiple of their time.

    The total is that of all kernels times what the sum of the kernels becomes; its interval is as much wider
    or narrower, relative to the value, as that of the added kernels. So factors of 1 change nothing.
    """

    models: ScalingModels  # of the kernels as they are
    factors: _Factors  # what their times are multiplied by

    def predict(self, points: FloatArray, level: float) -> Prediction:
        """Predict all kernels."""
        return _times(self.models.predict(points, level), self.factors(points))

    def expected(self, points: FloatArray) -> FloatArray:
        """Return the values of all kernels."""
        return self.models.expected(points) * self.factors(points)

    def total(self, points: FloatArray, level: float, kernels: IntArray) -> Prediction | None:
        """Predict the sum of all kernels; None for some of them."""
        if len(kernels) != len(self.models):
            return None
        parts, whole = self.models.predict(points, level), predict_total(self.models, points, level)
        before, after = added(self.models, parts), added(self.models, _times(parts, self.factors(points)))
        value = whole.value * _ratio(after.value, before.value)
        lower, upper = (
            value
            * np.maximum(_ratio(end, whole.value), 0.0) ** _ratio(_width(after, name), _width(before, name))
            for name, end in (("lower", whole.lower), ("upper", whole.upper))
        )
        return Prediction(value, lower, upper)

    def with_common_error(self, error: FloatArray | None, of_sum: float | None) -> "_ScaledPredictions":
        """Predict from models with another error that all measurements share."""
        return _ScaledPredictions(self.models.with_common_error(error, of_sum), self.factors)


def _times(prediction: Prediction, factors: FloatArray) -> Prediction:
    return Prediction(prediction.value * factors, prediction.lower * factors, prediction.upper * factors)


def _width(prediction: Prediction, end: str) -> FloatArray:
    """Return how far an end lies from the value, relative to it."""
    return np.abs(_ratio(getattr(prediction, end), prediction.value) - 1)


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """Divide; 1 where nothing is divided by."""
    usable = below > 0
    return np.asarray(np.where(usable, above / np.where(usable, below, 1.0), 1.0))


def scaled_study(analysis: Analysis, factors: _Factors) -> Analysis:
    """Return a study whose call paths take a multiple of their time; its metric adds up.

    Regions take what their call paths do. Back-tests remain those of the study as it is.
    """
    kernels, models = analysis.callpaths.kernels, analysis.callpaths.models
    here = factors(analysis.experiment.points)
    of_nodes = np.ones((len(analysis.experiment.tree), here.shape[1]))
    of_nodes[kernels.node] = here
    kernels = replace(kernels, values=kernels.values * here[..., None])
    fine = models.predicted_by(_ScaledPredictions(models, factors))
    coarse = analysis.regions.models
    group = analysis.rows_of(analysis.regions)

    def of_regions(points: FloatArray) -> FloatArray:
        value = models.expected(points)
        before, after = (np.zeros((len(coarse), len(points))) for _ in range(2))
        np.add.at(before, group, value)
        np.add.at(after, group, value * factors(points))
        return _ratio(after, before)

    regions = coarse.predicted_by(_ScaledPredictions(coarse, of_regions))
    return replace(
        analysis,
        experiment=experiment_times(analysis.experiment, analysis.metric, of_nodes),
        callpaths=Level(kernels, fine),
        regions=Level(region_kernels(kernels), agreeing(regions, fine)),
    )


def experiment_times(experiment: Experiment, metric: str, factors: FloatArray) -> Experiment:
    """Multiply the measured times of an experiment, of that name, by factors float64[call path, P]."""
    if metric not in experiment.values:
        return experiment
    times = experiment.values[metric]
    values = times.each(lambda array: array * factors[..., None])
    does = region_classes(experiment.regions)[experiment.tree.region]
    runs = tuple(_run_times(run, does, times.sum, values.sum) for run in experiment.runs)
    return replace(experiment, values={**experiment.values, metric: values}, runs=runs, held_out=None)


def _run_times(run: RunRecord, does: IntArray, before: FloatArray, after: FloatArray) -> RunRecord:
    """Scale what the locations spent on each class, places in `CLASSES`, by what became of its call paths."""
    old, new = (np.nan_to_num(times[:, run.point, run.repetition]) for times in (before, after))
    class_time = np.array(run.class_time, copy=True)
    for row, found in enumerate(run.classes):
        nodes = does == CLASSES.index(found)
        if old[nodes].sum() > 0:
            class_time[row] *= new[nodes].sum() / old[nodes].sum()
    return replace(run, class_time=class_time)


_OPTION = "--what-if"
_HINT = "write 'MPI_Allreduce=0.5', 'communication=0' or 'balanced'"
BALANCED = "balanced"
_WAITS = (Activity.COMMUNICATION, Activity.WAITING)


def what_if(analysis: Analysis, texts: Sequence[str]) -> Analysis:
    """Return a study as it would be after changes; that of no change is the study itself.

    A kernel that several changes name takes all of their factors. Where all locations take the mean, nobody
    waits for the longest: communication and waiting are shorter by the imbalance of useful time. UsageError
    if a change is none, names nothing, or the study is not of times.
    """
    if not texts:
        return analysis
    changes: list[tuple[str, float]] = []  # a group, region, call path or pattern, and its factor
    for text in texts:
        name, equals, number = text.rpartition("=")
        if text.strip() == BALANCED:
            continue
        try:
            factor = float(number)
        except ValueError:
            factor = math.nan
        if not equals or not name.strip() or not 0 <= factor < math.inf:
            raise UsageError(f"'{text}' is no change", where=_OPTION, hint=_HINT)
        changes.append((name.strip(), factor))
    balanced = len(changes) < len(texts)
    kernels = analysis.callpaths.kernels
    if not (analysis.additive and is_time(kernels.metric, kernels.unit)):
        hint = analysis.how_to_model_time
        raise UsageError(f"the models are of {kernels.metric}, not of time", where=_OPTION, hint=hint)
    constant = np.ones(len(kernels))
    for name, factor in changes:
        constant[named_kernels(kernels, analysis.own_groups, name, _OPTION, _HINT)] *= factor
    if balanced:
        return _balanced(analysis, constant)
    if (constant == 1).all():
        return analysis
    return scaled_study(analysis, lambda points: np.repeat(constant[:, None], len(points), axis=1))


def _balanced(analysis: Analysis, constant: FloatArray) -> Analysis:
    study = RuntimeStudy(analysis)
    classes = analysis.callpaths.kernels.classes
    waits = np.array([one.activity in _WAITS for one in classes], dtype=np.bool_)
    if predicted_imbalance(study, analysis.experiment.points[:1]) is None or not waits.any():
        hint = "profiles with the times of each process have it"
        raise UsageError("it is unknown who waits for whom", where=f"{_OPTION} {BALANCED}", hint=hint)

    def factors(points: FloatArray) -> FloatArray:
        imbalance = predicted_imbalance(study, points)
        assert imbalance is not None
        waiting = analysis.callpaths.models.expected(points)[waits].sum(axis=0)
        gone = np.divide(imbalance, waiting, out=np.zeros(len(points)), where=waiting > 0)
        left = np.where(waits[:, None], np.clip(1 - gone, 0.0, 1.0), 1.0)
        return np.asarray(left * constant[:, None])

    return scaled_study(analysis, factors)


@dataclass(frozen=True, eq=False, kw_only=True)
class Effect:
    """What changes do at Q points."""

    points: FloatArray  # float64[Q, D]
    before: Figures  # and `after`: what is predicted of the study as it is, and as it would be
    after: Figures
    largest: tuple[str, ...]  # the region that takes most then, at each point, besides start-up and shut-down
    share: FloatArray  # float64[Q], of the total that it takes then

    def sentences(self, changes: Sequence[str], parameters: Sequence[str]) -> Iterator[str]:
        """Say what changes do at each point: wall time and efficiency then, and what takes most then."""

        def value(of: Estimate, place: int) -> float:
            return float(of.value[place])

        for place, (name, share) in enumerate(zip(self.largest, self.share.tolist(), strict=True)):
            at = point_text(point_json(parameters, self.points[place]))
            parts = [f"{shown_name(name)} takes most then, {percent(share)}"]
            efficiency = value(self.after.of_scaling, place)
            if np.isfinite(efficiency):
                before = percent(value(self.before.of_scaling, place))
                parts.insert(0, f"{percent(efficiency)} efficient instead of {before}")
            wall = self.after.wall
            if np.isfinite(wall.value[place]):
                found, lower, upper = (float(end[place]) for end in (wall.value, wall.lower, wall.upper))
                before = quantity(value(self.before.wall, place), "s")
                parts.insert(0, f"{estimate_text(found, lower, upper, 's')} of wall time instead of {before}")
            yield f"as if {visible(', '.join(changes))}, at {at}: {'; '.join(parts)}"


def effect(before: Analysis, after: Analysis, points: FloatArray) -> Effect:
    """Compare a study with what it would be at points float64[Q, D]."""
    predicted = np.zeros(len(points), dtype=np.bool_)
    values = after.regions.models.expected(points)
    apart = start_up(after.regions.kernels)
    largest = np.where(apart[:, None], -1.0, values).argmax(axis=0)
    names = after.regions.kernels.regions
    return Effect(
        points=points,
        before=RuntimeStudy(before).figures(points, predicted),
        after=RuntimeStudy(after).figures(points, predicted),
        largest=tuple(names[k] for k in largest.tolist()),
        share=shares(values)[largest, np.arange(len(points))],
    )


TWICE, SCALING = "twice as fast", "perfect scaling"
_NAME_WIDTH = 60
WAYS = {TWICE: "were twice as fast", SCALING: "scaled perfectly", BALANCED: "were balanced"}  # in sentences
_Ends = tuple[FloatArray, FloatArray, FloatArray]
"""Values, lower and upper ends of 90 % intervals, each float64[K]."""


@dataclass(frozen=True, kw_only=True)
class KernelPotential:
    """What a kernel would gain in seconds of wall time."""

    id: Annotated[int | None, "of call paths only: the number in the preorder of the call tree"] = field(
        default=None, metadata=entry(may_lack=True)
    )
    callpath: tuple[str, ...]
    by: Annotated[str, "what gains most: twice as fast, perfect scaling or balanced"]
    gain: Figure | None
    share: Annotated[float, "of the wall time"]
    twice_as_fast: Figure | None
    perfect_scaling: Figure | None
    balanced: Figure | None


@dataclass(frozen=True, kw_only=True)
class PotentialAt:
    """What kernels would gain at a point, the largest gain first."""

    at: Mapping[str, float]
    wall_seconds: float
    kernels: tuple[KernelPotential, ...]

    @property
    def sentence(self) -> str:
        """What the kernel would bring that would gain most; empty if nothing would."""
        best = next(iter(self.kernels), None)
        if best is None or best.gain is None or best.gain.value is None:
            return ""
        then, now = (quantity(self.wall_seconds - gain, "s") for gain in (best.gain.value, 0.0))
        name = shorten_middle(shown_name(best.callpath[-1]), _NAME_WIDTH)
        changed = f"If {name} {WAYS[best.by]}"
        return "" if then == now else f"{changed}, {point_text(self.at)} would take {then} instead of {now}."


@dataclass(frozen=True, eq=False, kw_only=True)
class Potential:
    """Seconds of wall time that each of K kernels would gain at a point, 0 if nothing; NaN if unknown."""

    point: FloatArray  # float64[D]
    wall: float  # seconds of wall time there
    # int64[K], which kernels of the level, the largest gain first; without start-up and shut-down
    kernels: IntArray
    gains: dict[str, _Ends]  # of each of `WAYS`, in the order of `kernels`

    @property
    def best(self) -> list[str]:
        """The way that gains most of each kernel."""
        values = np.stack([np.nan_to_num(self.gains[way][0], nan=-1.0) for way in WAYS])
        return [list(WAYS)[n] for n in values.argmax(axis=0).tolist()]

    def of(self, level: Level, parameters: Sequence[str]) -> PotentialAt:
        """Name the kernels of the level, the largest gain first."""

        def kernel(place: int, kernel: int, best: str) -> KernelPotential:
            node = int(level.kernels.node[kernel])
            gains = {way: _figure(*(float(end[place]) for end in ends)) for way, ends in self.gains.items()}
            gain = gains[best]
            seconds = None if gain is None else gain.value
            return KernelPotential(
                id=node + 1 if node >= 0 else None,
                callpath=tuple(level.kernels.callpaths[kernel]),
                by=best,
                gain=gain,
                share=(seconds or 0.0) / self.wall if self.wall > 0 else 0.0,
                twice_as_fast=gains[TWICE],
                perfect_scaling=gains[SCALING],
                balanced=gains[BALANCED],
            )

        rows = enumerate(zip(self.kernels.tolist(), self.best, strict=True))
        return PotentialAt(
            at=point_json(parameters, self.point),
            wall_seconds=self.wall,
            kernels=tuple(kernel(place, *one) for place, one in rows),
        )


def _figure(value: float, lower: float, upper: float) -> Figure | None:
    return Figure.of(value, lower, upper) if np.isfinite(value) else None


def potential(analysis: Analysis, level: Level, point: FloatArray) -> Potential | None:
    """Return what kernels of a level would gain at a point, float64[D]; None without predicted wall time.

    A kernel that scales perfectly takes what it took at the smallest measured scale: in core-seconds under
    strong scaling, in seconds under weak scaling. A balanced one takes on all locations what it takes on the
    mean one; the ratio is that of the largest measured scale. No kernel gains more by it than all wait for.
    """
    kernels = level.kernels
    if analysis.is_profile or not (analysis.additive and is_time(kernels.metric, kernels.unit)):
        return None
    study = RuntimeStudy(analysis)
    figures = study.figures(point[None], np.array([False]))
    wall, total = float(figures.wall.value[0]), level.models.predict(point[None])
    locations = 1.0 if study.per_location else float(figures.locations[0])
    if not np.isfinite(wall) or not np.isfinite(locations):
        return None
    value, lower, upper = (end[:, 0] / locations for end in (total.value, total.lower, total.upper))
    ends = value, lower, upper
    before = _at_reference(study, level, point) / locations
    uneven = _unevenness(analysis, level)
    imbalance = predicted_imbalance(study, point[None])
    most = np.nan if imbalance is None else float(imbalance[0]) / locations
    gains = {
        TWICE: _each(ends, lambda end: end / 2),
        SCALING: _each(ends, lambda end: np.maximum(end - before, 0.0)),
        BALANCED: _each(ends, lambda end: np.minimum(end * uneven, most)),
    }
    best = np.nanmax(np.stack([values for values, _, _ in gains.values()]), axis=0)
    order = np.argsort(-best, kind="stable")
    order = order[~start_up(kernels)[order]]
    return Potential(
        point=point,
        wall=wall,
        kernels=order,
        gains={way: _each(found, lambda end: end[order]) for way, found in gains.items()},
    )


def _each(ends: _Ends, change: Callable[[FloatArray], FloatArray]) -> _Ends:
    value, lower, upper = (change(end) for end in ends)
    return value, lower, upper


def _at_reference(study: RuntimeStudy, level: Level, point: FloatArray) -> FloatArray:
    """Return what kernels took where the point is compared with, float64[K]; NaN if nothing scales."""
    if not study.scales:
        return np.full(len(level.kernels), np.nan)
    reference = study.references(point[None])
    measured, place = study.measured_at(reference)
    if measured[0]:
        return np.nan_to_num(level.kernels.mean[:, place[0]])
    return level.models.expected(reference)[:, 0]


def _unevenness(analysis: Analysis, level: Level) -> FloatArray:
    """Return by how much the longest location exceeds the mean one at the largest scale, float64[K].

    Of what computes, relative to the mean of all; imbalance of all else is only waited out there.
    """
    count, metric = len(level.kernels), analysis.metric
    if metric not in analysis.experiment.values:
        return np.zeros(count)
    times, row = analysis.experiment.values[metric], analysis.rows_of(level)
    longest, mean = (
        np.nan_to_num(mean_over_repetitions(part[:, analysis.largest])) for part in (times.max, times.mean)
    )
    useful = [one in USEFUL_WORK for one in analysis.callpaths.kernels.classes]
    excess = np.bincount(row, np.where(useful, longest - mean, 0.0), count)
    usual = np.bincount(row, mean, count)
    return np.divide(excess, usual, out=np.zeros(count), where=usual > 0)


_MOST_POTENTIAL = 5  # kernels that a summary lists; `bottlenecks --potential` has all


def _potential(asked: TargetForecast) -> PotentialAt | None:
    """Return the regions that would gain most at the last target."""
    found = potential(asked.analysis, asked.analysis.regions, asked.targets[-1])
    if found is None or not len(found.kernels):
        return None
    all_of_them = found.of(asked.analysis.regions, asked.analysis.experiment.parameters)
    return replace(all_of_them, kernels=all_of_them.kernels[:_MOST_POTENTIAL])


QUESTION = Question(
    key="potential",
    order=30,
    ask=_potential,
    sentences=lambda found: [(found.sentence, "")] if found.sentence else (),
)
