"""The whole models stage: from an experiment to fitted kernels, and what they say at a target scale."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, distinct
from ingest.errors import ModelError, UsageError
from ingest.experiment import Experiment
from ingest.parameter_roles import NOTHING_LEFT_OUT, LeftOut
from ingest.scaling import Scaling, ScalingDecision
from pipeline.models.agreeing_formulas import formula_range, prediction_formulas
from pipeline.models.back_test import BackTest, back_test_total
from pipeline.models.fit import fit, fit_parts
from pipeline.models.formulas import FormulaRange, PredictionFormula
from pipeline.models.growth import GROWING
from pipeline.models.kernels import Kernels, kernels_of, not_measurable, plain_totals, start_up
from pipeline.models.options import ModelOptions
from pipeline.models.plain_totals import with_plain_totals
from pipeline.models.prediction import LEVEL, Prediction, in_parts
from pipeline.models.quality import Note
from pipeline.models.scaling_models import ANCHORS, MANY, Curve, LocationCount, ScalingModels
from pipeline.models.total import Groups, agreeing, agreeing_with_measured_sum, predict_total
from pipeline.models.trend import counting
from pipeline.questions.crossovers import (
    LEADING_SHARE,
    Ahead,
    Crossover,
    crossovers,
    half_intervals,
    measured_line,
)
from pipeline.questions.groups import NO_GROUPS, OwnGroups, group_kernels, groups_of
from pipeline.questions.locations import scaled_parameter, summed_over
from pipeline.wording.quantities import value_text

_MAY_LEAD = 0.2  # of the share from which on kernels lead, that those have by their formulas that may lead
NOTEWORTHY_SHARE = 0.01  # of the total: kernels below it are not called bottlenecks


@dataclass(frozen=True, eq=False, kw_only=True)
class Standing:
    """What limits what can be said about K kernels, bool[K] each; the names are those of flags."""

    unreliable: BoolArray  # the model misses measurements by far
    not_measurable: BoolArray  # the time is below what the correction for overhead leaves uncertain
    start_up: BoolArray  # start-up and shut-down and the measurement system, which are not the program's work

    @property
    def conclusive(self) -> BoolArray:
        """Which kernels have a model that something can be concluded from, bool[K]."""
        return ~(self.unreliable | self.not_measurable)

    @property
    def apart(self) -> BoolArray:
        """Which kernels are compared with no other: not the program's work, or not measurable, bool[K]."""
        return self.start_up | self.not_measurable


def shares(values: FloatArray) -> FloatArray:
    """Return each kernel's share of its column's total, float64[K, Q] both; NaN counts as zero."""
    known = np.nan_to_num(values, nan=0.0)
    total = known.sum(axis=0)
    share = np.zeros(known.shape)
    np.divide(known, total, out=share, where=total > 0)
    return share


def ranking(at_target: FloatArray, measured: FloatArray, start_up: BoolArray) -> IntArray:
    """Return kernel indices, the largest at the target scale first; measured values decide ties.

    Start-up and shut-down, bool[K], follow behind the kernels.
    """
    return np.lexsort((-np.nan_to_num(measured), -np.nan_to_num(at_target), start_up))


def flags(
    growing: FloatArray,
    rising: FloatArray,
    share_measured: FloatArray,
    share_target: FloatArray,
    standing: Standing,
) -> list[list[str]]:
    """Name what is remarkable about each kernel, and what limits that.

    Given the probability of growing, its value at the target over that at the largest measured scale
    (`rising`), and its shares at both, NaN without a total, float64[K] each. Per kernel some of ``growing``,
    ``coming_bottleneck``, ``dominant_measured``, ``dominant_at_target``, and of ``unreliable``,
    ``not_measurable``, ``start_up``.
    """
    is_growing = (growing >= GROWING) & (rising > 1.0) & standing.conclusive
    future = is_growing & (share_target >= NOTEWORTHY_SHARE) & (share_target > share_measured)
    named = {
        "growing": is_growing,
        "coming_bottleneck": future & ~standing.start_up,
        "dominant_measured": _largest_measured(np.where(standing.start_up, 0.0, share_measured)),
        "dominant_at_target": _largest_measured(np.where(standing.start_up, 0.0, share_target))
        & standing.conclusive,
        **vars(standing),
    }
    return [[name for name, on in named.items() if on[k]] for k in range(len(growing))]


def _largest_measured(share: FloatArray) -> BoolArray:
    marks = np.zeros(len(share), dtype=np.bool_)
    known = np.nan_to_num(share)
    if len(share) and known.max() > 0:
        marks[int(known.argmax())] = True
    return marks


SCALES_NEEDED, SCALES_WANTED = 3, 5  # to predict from; to trust that
DEFAULT_REACH = 4.0  # target scale if none is given: this many times the largest measured


@dataclass(frozen=True, eq=False)
class Level:
    """Kernels of one level of detail (call paths or regions) with their models."""

    kernels: Kernels
    models: ScalingModels


@dataclass(frozen=True, eq=False)
class Analysis:
    """A modelled experiment."""

    experiment: Experiment  # the aligned runs
    decision: ScalingDecision  # strong or weak scaling and why
    callpaths: Level  # models of the call paths
    regions: Level  # models of the regions, their call paths summed before fitting
    # predicting the total at the largest scale from the smaller ones; None if too few are left
    back_test: BackTest | None = None
    # returns, of points float64[Q, D], factors float64[draw, Q] of an error that totals have beside that of
    # measurements and models, such as that of taking them to another machine; a draw is the same at all
    # points, and the first has no error. None if there is none
    joint_errors: Callable[[FloatArray], FloatArray] | None = None
    own_groups: OwnGroups = field(default_factory=dict)  # groups of kernels that the user made
    # what values at measured points are: measured, or projected from another machine
    observed: str = "measured"

    @cached_property
    def groups(self) -> Level:
        """Models of the groups of call paths, whose predictions are their sums; the metric adds up."""
        kernels, place = group_kernels(self.callpaths.kernels, self.own_groups)
        per = self.callpaths.models.per
        models = fit(self.experiment.parameters, self.experiment.points, kernels.values, per=per)
        return Level(kernels, models.predicted_by(Groups(self.callpaths.models, place, len(kernels))))

    def rows_of(self, level: Level) -> IntArray:
        """Return which kernel of one of its levels each call path belongs to, int64[K]."""
        kernels = self.callpaths.kernels
        if level is self.callpaths:
            return np.arange(len(kernels))
        if level is not self.regions:
            return groups_of(kernels, self.own_groups)[1]
        number = {name: n for n, name in enumerate(level.kernels.regions)}
        return np.array([number[name] for name in kernels.regions], dtype=np.int64)

    @property
    def parameter(self) -> str:
        """The parameter that scales: the one that counts processes, else the first; empty without any."""
        return scaled_parameter(self.experiment, self.decision)

    @property
    def column(self) -> int:
        """Which of the parameters scales."""
        return self.experiment.parameters.index(self.parameter)

    @property
    def largest(self) -> int:
        """Which point has the largest scale, as of `largest_point`."""
        return largest_point(self.experiment.points, self.column)

    @property
    def metric(self) -> str:
        """Name of the modelled metric as it was measured; effort is summed time."""
        metric = self.callpaths.kernels.metric
        return "time" if metric == "effort" and "time" in self.experiment.values else metric

    @property
    def how_to_model_time(self) -> str:
        """What to do if models of time are wanted and these are of another metric."""
        measured = "time" in self.experiment.values
        return "run `pipeline run` with --metric time" if measured else "time was not measured"

    @property
    def additive(self) -> bool:
        """Whether the metric may be summed over kernels, so that there are shares and a total."""
        return self.callpaths.kernels.additive

    @property
    def is_profile(self) -> bool:
        """Whether there are too few scales to predict from: one or two values of every parameter."""
        return too_few_scales(self.experiment.points)


@dataclass(frozen=True, eq=False, kw_only=True)
class Outlook:
    """What the kernels of one level do at the target scale."""

    prediction: Prediction  # float64[K, Q] for the Q requested points
    # float64[1, Q], the sum of the kernels' predictions, as paper 001 models ``main``; NaN without a sum
    total: Prediction
    # float64[K], share at the largest measured point; NaN if the metric has no sum
    share_measured: FloatArray
    share_target: FloatArray  # float64[K], share at the last requested point; the same
    order: IntArray  # int64[K], kernels, the largest at the target first, start-up and shut-down behind them
    standing: Standing  # what limits what can be said about each kernel
    flags: Sequence[Sequence[str]]  # per kernel what is remarkable about it
    within: FormulaRange  # where formulas agree with the predictions
    crossing: Callable[[], tuple[Crossover, ...]]  # finds the crossovers

    @cached_property
    def crossovers(self) -> tuple[Crossover, ...]:
        """Who overtakes whom up to the target; that takes longer than all else."""
        return self.crossing()


def too_few_scales(points: FloatArray) -> bool:
    """Return whether points, float64[P, D], have one or two values of each parameter, too few to predict."""
    return max((len(distinct(values)) for values in points.T), default=0) < SCALES_NEEDED


def too_few_scales_sentence(analysis: Analysis) -> str:
    """Say that nothing is predicted, and which scales to measure next."""
    scales = np.unique(analysis.experiment.points[:, analysis.column])
    following = scales[-1] * 2.0 ** np.arange(1, SCALES_WANTED + 1 - len(scales))
    return (
        f"Fewer than {SCALES_NEEDED} scales do not show how anything grows, so nothing is predicted. Measure "
        f"further ones, {SCALES_WANTED} or more in all, such as {analysis.parameter} = "
        f"{', '.join(map(value_text, following.tolist()))}."
    )


def analyse(
    experiment: Experiment,
    decision: ScalingDecision,
    metric: str,
    options: ModelOptions,
    own_groups: OwnGroups = NO_GROUPS,
    *,
    back_tested: bool = True,
) -> Analysis:
    """Fit a model to every call path and to every region; ModelError if there is no parameter.

    Models of the total without its last point are for the metric whose runtime is looked at.
    """
    if not experiment.parameters:
        raise ModelError(
            "the runs have no parameter, so nothing can be modelled over it",
            hint="name run folders like app.p4.r1, or list the runs with their parameters in pipeline.toml",
        )
    kernels, regions = kernels_of(experiment, metric, decision.scaling)
    per = summed_over(experiment, decision, kernels)
    callpaths = _modelled(experiment, kernels, options, per)
    same = _alike(kernels, regions)
    coarse = Level(regions, callpaths.models) if same else _modelled(experiment, regions, options, per)
    found = analysis_of(experiment, decision, callpaths, coarse, own_groups=own_groups)
    if not (kernels.additive and back_tested):
        return found
    parts = kernels if found.callpaths.models.predictor is None else kernels.total
    fit_left = partial(fit, experiment.parameters, options=options, parts=True, per=per)
    tested = back_test_total(fit_left, experiment, parts, found.column, found.largest)
    if tested is not None and experiment.correction is not None and experiment.correction.total_deviation:
        tested = replace(tested, judged_by="corrected")
    return replace(found, back_test=tested)


def analysis_of(
    experiment: Experiment,
    decision: ScalingDecision,
    callpaths: Level,
    regions: Level,
    back_test: BackTest | None = None,
    own_groups: OwnGroups = NO_GROUPS,
) -> Analysis:
    """Put the models of both levels together; sums of the regions add up to those of the call paths."""
    if not callpaths.kernels.additive:
        return Analysis(experiment, decision, callpaths, regions, own_groups=own_groups)
    models = agreeing_with_measured_sum(callpaths.models)
    fine = Level(callpaths.kernels, with_plain_totals(models, plain_totals(experiment, callpaths.kernels)))
    same = fine.models.predictor is None and _alike(callpaths.kernels, regions.kernels)
    coarse = fine.models if same else agreeing(regions.models, fine.models)
    return Analysis(
        experiment, decision, fine, Level(regions.kernels, coarse), back_test, own_groups=own_groups
    )


def _alike(kernels: Kernels, regions: Kernels) -> bool:
    """Tell whether every region has one call path, so that models of one level are those of the other."""
    return np.array_equal(kernels.values, regions.values, equal_nan=True) and np.array_equal(
        kernels.common_error, regions.common_error
    )


def _modelled(
    experiment: Experiment, kernels: Kernels, options: ModelOptions, per: LocationCount | None
) -> Level:
    arguments = experiment.parameters, experiment.points, kernels.values, options
    if not kernels.additive:
        return Level(kernels, fit(*arguments))
    of_sum = 0.0 if experiment.correction is None else experiment.correction.total_deviation
    plain = plain_totals(experiment, kernels)
    models = fit_parts(*arguments, errors=kernels.common_error, of_sum=of_sum, plain=plain, per=per)
    return Level(kernels, models)


def default_target(analysis: Analysis) -> FloatArray:
    """Return the target point if none is given: 4 times the largest scale, float64[1, D].

    It is the largest scale itself if there are too few to predict from.
    """
    reach = 1.0 if analysis.is_profile else DEFAULT_REACH
    experiment = analysis.experiment
    return target_beyond(experiment.parameters, experiment.points, analysis.column, reach)


def target_beyond(parameters: Sequence[str], points: FloatArray, column: int, reach: float) -> FloatArray:
    """Return a target beyond float64[P, D] points, float64[1, D]: the largest one with a larger scale."""
    target = _largest(parameters, points, points)[None]
    target[0, column] *= reach
    return target


def _largest(parameters: Sequence[str], points: FloatArray, like: FloatArray) -> FloatArray:
    """Return the largest values of points; those that count processes were measured together, like some."""
    counts = counting(parameters)
    together = like[np.lexsort((*like[:, counts].T[::-1], like[:, counts].prod(axis=1)))[-1]]
    return np.asarray(np.where(counts, together, points.max(axis=0)))


def kernel_formulas(
    analysis: Analysis, level: Level, kernels: IntArray | None = None
) -> Sequence[PredictionFormula]:
    """Return the formulas of kernels of a level, None for all, up to the target if none is given."""
    within = formula_range(level.models, analysis.column, default_target(analysis))
    return prediction_formulas(level.models, within, kernels)


def named_targets(
    parameters: Sequence[str],
    points: FloatArray,
    at: Sequence[Mapping[str, float]],
    where: str,
    left_out: LeftOut = NOTHING_LEFT_OUT,
) -> FloatArray:
    """Return target points, float64[Q, D]; parameters not given are at their largest value of float64[P, D].

    Those that count processes are as at the largest point that has the given values, as far as any has. What
    the study has left out may be given the value that it has. UsageError if a parameter is not one of these,
    or not named though there are several; it names where the targets come from.
    """
    targets = np.empty((len(at), points.shape[1]))
    for row, point in zip(targets, at, strict=True):
        like = points
        for name, value in point.items():
            if name in parameters and (same := like[:, parameters.index(name)] == value).any():
                like = like[same]
        row[:] = _largest(parameters, points, like)
        for name, value in point.items():
            if not name and len(parameters) > 1:
                hint = f"name it: {', '.join(f'{one}={value:g}' for one in parameters)}"
                raise UsageError(f"{value:g} may be of several parameters", where=where, hint=hint)
            if name in left_out.values:
                if what := left_out.contradiction(name, value):
                    raise UsageError(what, where=where, hint=f"leave {name} out")
                continue
            if name and name not in parameters:
                hint = f"parameters here: {', '.join(parameters)}"
                raise UsageError(f"no parameter '{name}'", where=where, hint=hint)
            row[parameters.index(name) if name else 0] = value
    return targets


def look_ahead(analysis: Analysis, level: Level, targets: FloatArray, *, crossing: bool = True) -> Outlook:
    """Predict the kernels of a level at the targets and find bottlenecks, and crossovers if wanted.

    Of the targets, float64[Q, D], the last one is the target scale of the ranking.
    """
    experiment = analysis.experiment
    largest = experiment.points[analysis.largest]
    prediction = level.models.predict(targets)
    standing = Standing(
        unreliable=(level.models.quality.note & Note.UNRELIABLE) != 0,
        not_measurable=not_measurable(level.kernels, experiment),
        start_up=start_up(level.kernels),
    )
    measured = level.kernels.mean[:, analysis.largest]
    share_measured = shares(measured[:, None])[:, 0]
    share_target = share_measured if analysis.is_profile else shares(prediction.value)[:, -1]
    order = ranking(share_target, measured, standing.start_up)
    if not analysis.additive:
        share_measured = share_target = np.full(len(level.kernels), np.nan)
    at_largest = level.models.expected(largest[None, :])[:, 0]
    rising = np.divide(
        prediction.value[:, -1], at_largest, out=np.ones(len(level.kernels)), where=at_largest > 0
    )
    return Outlook(
        prediction=prediction,
        total=predict_total(level.models, targets) if analysis.additive else _no_total(len(targets)),
        share_measured=share_measured,
        share_target=share_target,
        order=order,
        standing=standing,
        flags=flags(level.models.quality.probability_growing, rising, share_measured, share_target, standing),
        within=formula_range(level.models, analysis.column, targets),
        crossing=partial(_crossovers, analysis, level, targets[-1], standing) if crossing else tuple,
    )


def _crossovers(
    analysis: Analysis, level: Level, target: FloatArray, standing: Standing
) -> tuple[Crossover, ...]:
    """Find the crossovers up to a target, float64[D]; those that are seen if nothing can be predicted.

    There are none of metrics without a total.
    """
    if not analysis.additive:
        return ()
    experiment, column = analysis.experiment, analysis.column
    line = measured_line(experiment.points, level.kernels.values, target, column)
    if analysis.is_profile:
        return crossovers(line, None, standing.apart)
    scale = experiment.points[:, column]
    first, last = float(scale.min()), float(scale.max())
    ends = first, max(last, float(target[column]))
    along = partial(along_parameter, target, column)
    anchors = anchors_between(analysis, ends)
    known = anchors[anchors >= (line.scales[-1] if len(line.scales) else first)]
    some = _that_may_lead(level, along(anchors))
    if some is not None and not len(some):
        return crossovers(line, None, standing.apart)
    models = level.models if some is None else level.models.take(some)
    curve = models.curve(along, anchors)
    below, above = half_intervals(models.predict(along(known)))
    ahead = Ahead(
        curve=curve,
        scales=known,
        below=below,
        above=above,
        first=first,
        last=last,
        horizon=ends[1],
        kernels=some,
        total=None if some is None else _total_along(analysis.callpaths.models, along, anchors),
    )
    return crossovers(line, ahead, standing.apart)


def anchors_between(analysis: Analysis, ends: tuple[float, float]) -> FloatArray:
    """Return the scales from one end to the other that curves are made from, ascending."""
    common = analysis.callpaths.models.common_scales
    if not len(common) or ends[0] == ends[1]:
        return np.geomspace(*ends, ANCHORS)
    return np.array([ends[0], *common[(common > ends[0]) & (common < ends[1])], ends[1]])


def _that_may_lead(level: Level, points: FloatArray) -> IntArray | None:
    """Return those of many kernels that may be among the leading ones, as measured or by their formulas.

    None are all of them.
    """
    if len(level.kernels) <= MANY:
        return None
    formulas = (level.models.formula_values(some) for some in in_parts(points, len(level.kernels)))
    largest = [shares(values).max(axis=1) for values in (level.kernels.mean, *formulas)]
    return np.flatnonzero(np.max(largest, axis=0) >= LEADING_SHARE * _MAY_LEAD)


def _total_along(models: ScalingModels, along: Curve, anchors: FloatArray) -> Curve:
    """Return the total of all kernels at scales, interpolated between some on logarithmic axes."""
    sums = np.log(np.maximum(models.sum_of_values(along(anchors), LEVEL), np.finfo(np.float64).tiny))
    return lambda scales: np.exp(np.interp(np.log(scales), np.log(anchors), sums))


def _no_total(points: int) -> Prediction:
    return Prediction(*(np.full((1, points), np.nan) for _ in range(3)))


def measured_total(analysis: Analysis) -> FloatArray:
    """Return the measured total per point, mean over repetitions, float64[P]."""
    mean: FloatArray = analysis.callpaths.kernels.total.mean[0]
    return mean


def largest_point(points: FloatArray, column: int) -> int:
    """Return the index of the point with the largest scale, and among those the largest other parameters."""
    others = np.delete(points, column, axis=1)
    return int(np.lexsort((*others.T[::-1], points[:, column]))[-1])


def extrapolation(parameters: Sequence[str], measured: FloatArray, points: FloatArray) -> FloatArray:
    """Return by what factor points lie beyond the nearest measured one, float64[Q]; 1 inside the range.

    Factors of parameters that count processes multiply: 4 times the nodes with 4 times the threads is 16.
    """
    counts = counting(parameters)
    beyond = np.maximum(points[:, None] / measured, 1.0)
    together = np.maximum(beyond[..., counts].prod(axis=2), beyond[..., ~counts].max(axis=2, initial=1.0))
    below = (measured.min(axis=0) / points).max(axis=1, initial=1.0)
    return np.asarray(np.maximum(together.min(axis=1), below))


def along_parameter(point: FloatArray, column: int, scales: FloatArray) -> FloatArray:
    """Repeat a point with other values of one parameter, float64[len(scales), D]."""
    points = np.repeat(point[None, :], len(scales), axis=0)
    points[:, column] = scales
    return points


def scaling_of(text: str) -> Scaling | None:
    """Read ``auto``, ``strong`` or ``weak``; None lets the data decide."""
    return None if text == "auto" else Scaling(text)
