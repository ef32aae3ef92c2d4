"""What to measure next: which further measurements are worth their cost."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from ingest.scaling import Scaling, location_unit
from pipeline.models.plain_totals import distances, error_left, total_deviation
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import predict_total
from pipeline.questions.analysis import Analysis
from pipeline.questions.locations import is_counted, locations_of
from pipeline.questions.planning import advice
from pipeline.questions.planning.plan import repetition_noise
from pipeline.questions.question import Question, TargetForecast
from pipeline.questions.runtime.estimate import plain_spread
from pipeline.questions.runtime.figures import held_share
from pipeline.statistics import TWO_SIDED
from pipeline.wording.quantities import point_json

TIMES = ("effort", "time")
_TINY = 1e-300
_AS_NARROW = 1.1  # times the narrowest interval: then the largest scale is run, which is disturbed least
PLAIN_RUNS = 3  # the fewest of which one may be slow


@dataclass(frozen=True, kw_only=True)
class PlanOfTarget:
    """The measurements for one of several targets."""

    target: Mapping[str, float]
    plan: tuple[advice.Advice, ...]


def _next_measurement(asked: TargetForecast) -> advice.MeasurementPlan | None:
    """Plan for the last target; None without a forecast of times, or if nobody knows what a run costs."""
    analysis = asked.measurable or asked.analysis
    if asked.runtime is None or analysis.is_profile or _unknown_cost(analysis):
        return None
    return plan_measurements(analysis, asked.targets[-1]) if _cost_so_far(analysis) > 0 else None


def plan_measurements(
    analysis: Analysis, at: FloatArray, budget: float | None = None
) -> advice.MeasurementPlan:
    """Plan measurements within core-seconds for a sharper prediction of the total at a target, float64[D].

    Without a budget they may cost as much as the study so far, or the next doubling of its scale. UsageError
    if the cost of a run is unknown, or budget or target is invalid.
    """
    if unknown := _unknown_cost(analysis):
        hint = analysis.how_to_model_time
        raise UsageError(f"{unknown}, so the cost of a run is unknown", hint=hint)
    kernels, experiment = analysis.callpaths.kernels, analysis.experiment
    measured = np.isfinite(kernels.values).any(axis=0).sum(axis=1)
    budget = _cost_so_far(analysis) if budget is None else budget
    at = advice.valid_target(analysis.callpaths.models.parameters, at, budget)
    plan = advice.advise(
        analysis.callpaths.models,
        kernels.callpaths,
        experiment.points,
        at,
        budget,
        cost=partial(run_costs, analysis),
        repetitions=min(int(np.median(measured)), advice.SERIES_REPETITIONS),
        noise=repetition_noise(kernels.values),
    )
    if first := plain_runs(analysis, at, budget):
        plan = replace(plan, plan=(first,), instead=None)
    counted = kernels.metric == "effort" or experiment.runs or is_counted(experiment, analysis.decision)
    return replace(plan, unit=f"{location_unit(experiment)}-s" if counted else "s")


def plain_runs(
    analysis: Analysis, at: FloatArray, budget: float, points: FloatArray | None = None
) -> advice.Advice | None:
    """Return the runs without instrumentation that narrow the interval of a total most within core-seconds.

    They tell how far corrected times are off. The interval is expected to become as wide as it is as far
    beyond the scales that have been run. They may be run at points float64[Q, D], by default at the largest
    profiled scale, on the way to the target, and there. None if times are as measured, or if none is worth
    it.
    """
    correction, models = analysis.experiment.correction, analysis.callpaths.models
    if correction is None or not correction.total_deviation:
        return None
    if points is None:
        profiled = analysis.experiment.points
        points = np.concatenate([profiled[[analysis.largest]], advice.larger_points(profiled, at)])
    costs = PLAIN_RUNS * run_costs(analysis, points, plain=True)
    before = float(advice.interval_widths(models, at[None])[0][0])
    widths = _widths_after_plain(models, correction.total_deviation, at, points)
    affordable = np.where(costs < budget, widths, np.inf)
    as_narrow = affordable <= _AS_NARROW * affordable.min()
    best = int(np.where(as_narrow, np.log(points).sum(axis=1), -np.inf).argmax())
    if not affordable[best] <= (1 - advice.LEAST_GAIN) * before:
        return None
    return advice.Advice(
        at=point_json(models.parameters, points[best]),
        repetitions=PLAIN_RUNS,
        cost=float(costs[best]),
        relative_width_after=float(widths[best]),
        reduction=float(1 - widths[best] / before),
        settles=(),
        plain=True,
    )


def _widths_after_plain(
    models: ScalingModels, common: float, at: FloatArray, points: FloatArray
) -> FloatArray:
    """Return the widths of the interval at a target after plain runs at each of some points, float64[Q]."""
    alone, spread = models.with_common_error(None, None), float(plain_spread(None, PLAIN_RUNS))
    observed = total_deviation(alone, points) ** 2 + spread**2
    left = common * np.sqrt(observed / (common**2 + observed))
    away, gap = (
        distances(points, at[None])[:, 0],
        distances(points, np.minimum(points, models.last)).diagonal(),
    )
    part = np.where(away > 0, np.minimum(away / np.maximum(gap, _TINY), 1.0), 0.0)
    _, spans = advice.widths_after(alone, at, np.maximum(points, models.last))
    of_model = np.log(spans) / (2 * TWO_SIDED)
    seen = np.where(away > 0, 0.0, of_model**2 / (of_model**2 + spread**2))
    error = np.hypot(of_model * np.sqrt(1 - seen), error_left(left, np.where(away > 0, spread, 0.0), part))
    return np.asarray(2 * np.sinh(TWO_SIDED * error))


def _unknown_cost(analysis: Analysis) -> str:
    """Say why nobody knows what a run costs; empty if it is known."""
    metric = analysis.callpaths.kernels.metric
    if metric not in TIMES:
        return f"the models are of {metric}"
    series = not analysis.experiment.runs and analysis.decision.scaling is Scaling.WEAK
    return "the series does not say on how many cores it ran" if series else ""


def run_costs(analysis: Analysis, points: FloatArray, *, plain: bool = False) -> FloatArray:
    """Return the predicted core-seconds of a run at each point, float64[P], from models of time.

    They are what is paid: with the overhead of measuring, though models of corrected times are without it,
    unless the runs are plain.
    """
    cost: FloatArray = analysis.callpaths.models.expected(points).sum(axis=0)
    return np.asarray(cost * (_cores(analysis, points) if plain else _paid(analysis, points)))


def _paid(analysis: Analysis, points: FloatArray) -> FloatArray:
    """Return the core-seconds that are paid for a modelled second of an instrumented run, float64[P]."""
    return _cores(analysis, points) * _dilations(analysis, points)


def _dilations(analysis: Analysis, points: FloatArray) -> FloatArray:
    """Return measured over corrected time, float64[P], of the runs at the nearest scale that was measured."""
    runs = analysis.experiment.runs
    if not runs:
        return np.ones(len(points))
    of_run, place = np.array([run.dilation for run in runs]), np.array([run.point for run in runs])
    logs, wanted = (np.log(np.maximum(at, _TINY)) for at in (analysis.experiment.points[place], points))
    apart = np.abs(wanted[:, None] - logs).sum(axis=2)
    near = apart == apart.min(axis=1, keepdims=True)
    return np.asarray(np.nanmedian(np.where(near, of_run, np.nan), axis=1))


def _cost_so_far(analysis: Analysis) -> float:
    """Return the core-seconds that the study took, and at least those of the next doubling of its scale."""
    experiment = analysis.experiment
    totals = analysis.callpaths.kernels.total.values[0]
    spent = float(np.nansum(totals.sum(axis=1) * _paid(analysis, experiment.points)))
    next_doubling = experiment.points[analysis.largest].copy()
    next_doubling[analysis.column] *= 2
    doubled = predict_total(analysis.callpaths.models, next_doubling[None]).value[0]
    return max(spent, float((doubled * _paid(analysis, next_doubling[None]))[0]))


def _cores(analysis: Analysis, points: FloatArray) -> FloatArray:
    """Return the core-seconds, or seconds of what else is counted, that a run holds for a modelled second.

    Under weak scaling a second is one location's; if values are per visit of a region, it is one visit's.
    """
    experiment = analysis.experiment
    visits = 1.0 if experiment.per is None else experiment.per.of_a_run
    used = locations_of(experiment, analysis.decision)(points)
    if experiment.is_series and analysis.callpaths.kernels.metric != "effort":
        return np.where(np.isfinite(used), used, 1.0)
    held = held_share(experiment, points, used) * visits
    if analysis.decision.scaling is not Scaling.WEAK:
        return held
    scale = np.array([experiment.points[run.point, analysis.column] for run in experiment.runs])
    per_unit = np.median([run.cores.used for run in experiment.runs] / scale)
    cores: FloatArray = points[:, analysis.column] * per_unit * held
    return cores


QUESTION = Question(key="next_measurement", order=80, ask=_next_measurement)
