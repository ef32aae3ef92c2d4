"""The model stage: from an experiment to its models, and to their predictions at target points."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from ingest.experiment import MetricChoice
from ingest.scaling import decide_scaling
from pipeline.columns.summary import Summary
from pipeline.config.options import Options
from pipeline.models.kernels import metrics_beside
from pipeline.models.options import MIN_EFFICIENCY, Expectation
from pipeline.questions.analysis import Analysis, analyse, default_target, named_targets, scaling_of
from pipeline.questions.question import TargetForecast
from pipeline.questions.resource_use import resource_metrics
from pipeline.questions.what_if import PotentialAt, effect, potential, what_if
from pipeline.report.summary import ASKED, LISTED, summarise
from pipeline.store.results import StoredStudy
from pipeline.wording.quantities import point_text

if TYPE_CHECKING:
    from pipeline.stages.ingest import Ingested  # whose readers no stored study needs

_NO_OTHERS: Mapping[str, Analysis] = MappingProxyType({})


def modelled(read: "Ingested", options: Options, metric: str) -> Analysis:
    """Decide how the experiment scales and model one of its metrics."""
    decision = decide_scaling(read.experiment, scaling_of(options.scaling))
    return analyse(read.experiment, decision, metric, options.models, options.groups)


def modelled_beside(read: "Ingested", options: Options, chosen: Analysis) -> dict[str, Analysis]:
    """Model every other metric that was read and is worth it, by name."""
    wanted = MetricChoice(required=(), every=True, excluded=options.exclude_metrics)
    return _modelled_among(wanted, read, options, chosen)


def modelled_resources(read: "Ingested", options: Options, chosen: Analysis) -> dict[str, Analysis]:
    """Model what whole runs take beside time, by name."""
    return _modelled_among(resource_metrics(read.experiment), read, options, chosen)


def _modelled_among(
    wanted: Container[str], read: "Ingested", options: Options, chosen: Analysis
) -> dict[str, Analysis]:
    return {
        metric: analyse(
            read.experiment, chosen.decision, metric, options.models, options.groups, back_tested=False
        )
        for metric in metrics_beside(read.experiment, chosen.metric)
        if metric in wanted
    }


def summary_of_models(read: "Ingested", options: Options, most: int = ASKED) -> Summary:
    """Model and summarise without storing: the requested metric, or every metric of a series file.

    With several metrics their kernels follow each other, and the total is that of the first metric.
    """
    notices = read.experiment.notices
    summaries = [
        summary_of(
            modelled(read, options, metric),
            options.at,
            notices,
            options.min_efficiency,
            most=most_listed(options, most),
        )
        for metric in metrics_to_model(read, options)
    ]

    def joined(key: str) -> list[Any]:
        return [entry for one in summaries for entry in getattr(one, key)]

    return replace(
        summaries[0],
        not_listed={key: sum(one.not_listed[key] for one in summaries) for key in summaries[0].not_listed},
        kernels=joined("kernels"),
        regions=joined("regions"),
        groups=joined("groups"),
        crossovers=tuple(joined("crossovers")),
        region_crossovers=tuple(joined("region_crossovers")),
        group_crossovers=tuple(joined("group_crossovers")),
    )


def most_listed(options: Options, most: int = LISTED) -> int | None:
    """Return how many kernels a summary lists before `focused` chooses among them; None for all."""
    return None if options.focus or options.without else most


def metrics_to_model(read: "Ingested", options: Options) -> tuple[str, ...]:
    """Return the given metric; if the default one was not measured, all of a series file, one of runs."""
    chosen = read.experiment.chosen_metric(options.metric)
    if chosen != options.metric and not read.runs:
        return tuple(metric.name for metric in read.experiment.metrics)
    return (chosen,)


def metric_to_model(read: "Ingested", options: Options) -> str:
    """Return the one metric to model; UsageError if a series file has several, but not the requested one."""
    first, *more = metrics_to_model(read, options)
    if more:
        raise UsageError(
            "the series has several metrics",
            where="--metric",
            hint=f"choose one: {', '.join((first, *more))}",
        )
    return first


def forecast_at(
    analysis: Analysis,
    at: Sequence[Mapping[str, float]],
    min_efficiency: float = MIN_EFFICIENCY,
    others: Mapping[str, Analysis] = _NO_OTHERS,
    expectations: Sequence[Expectation] = (),
) -> TargetForecast:
    """Look ahead to target points as of `target_points`."""
    return TargetForecast(
        analysis=analysis,
        targets=target_points(analysis, at),
        min_efficiency=min_efficiency,
        others=others,
        expectations=expectations,
    )


def summary_of(
    analysis: Analysis,
    at: Sequence[Mapping[str, float]],
    notices: Sequence[str] = (),
    min_efficiency: float = MIN_EFFICIENCY,
    others: Mapping[str, Analysis] = _NO_OTHERS,
    *,
    most: int | None = ASKED,
    only: str | None = None,
) -> Summary:
    """Return the content of summary.json for target points; arguments as of `TargetForecast`, `summarise`."""
    return summarise(forecast_at(analysis, at, min_efficiency, others), notices, most=most, only=only)


def stored_summary(
    study: StoredStudy,
    at: Sequence[Mapping[str, float]],
    min_efficiency: float = MIN_EFFICIENCY,
    metric: str | None = None,
    *,
    others: bool = True,
    changes: Sequence[str] = (),
    most: int = ASKED,
    only: str | None = None,
) -> Summary:
    """Return the summary of a metric of a stored study, by default its chosen one, at target points.

    All `others` stand beside the chosen one if they are wanted, else only memory and energy. With `changes`
    it is that of the study as it would be after them. Of `only` one level are predictions, as of `summarise`.
    """
    analysis = study.of(metric)
    few = resource_metrics(analysis.experiment)
    wanted = [name for name in study.tables if others or name in few]
    beside = {name: study.of(name) for name in wanted} if analysis is study.chosen else _NO_OTHERS
    analysis = what_if(analysis, changes)
    return summary_of(analysis, at, (), min_efficiency, beside, most=most, only=only)


def change_notices(
    study: StoredStudy, at: Sequence[Mapping[str, float]], changes: Sequence[str], metric: str | None = None
) -> list[str]:
    """Say what changes of a stored study do at target points; nothing without any."""
    analysis = study.of(metric)
    if not changes or analysis.is_profile:
        return []
    found = effect(analysis, what_if(analysis, changes), target_points(analysis, at))
    return list(found.sentences(changes, analysis.experiment.parameters))


def potential_at(
    analysis: Analysis, at: Sequence[Mapping[str, float]], changes: Sequence[str], *, by: str
) -> PotentialAt:
    """Return what kernels would gain at the last target point, largest gains first.

    `by`: ``regions``, ``kernels`` (call paths) or ``groups``. UsageError if wall time is unknown or cannot be
    predicted, or a target or change is invalid.
    """
    targets = target_points(analysis, at)
    analysis = what_if(analysis, changes)
    level = {"regions": analysis.regions, "kernels": analysis.callpaths}.get(by) or analysis.groups
    found = potential(analysis, level, targets[-1])
    if found is None:
        hint = "measure time at three scales or more, over processes"
        raise UsageError("no wall time can be predicted", where="--potential", hint=hint)
    return found.of(level, analysis.experiment.parameters)


def target_points(analysis: Analysis, at: Sequence[Mapping[str, float]]) -> FloatArray:
    """Return the target points, float64[Q, D]; parameters left out are at their largest measured value.

    With too few scales to predict from, it is the largest measured point, whatever is asked for.
    """
    if not at:
        return default_target(analysis)
    experiment = analysis.experiment
    targets = named_targets(experiment.parameters, experiment.points, at, "--at", experiment.left_out)
    return default_target(analysis) if analysis.is_profile else targets


def require_additive(analysis: Analysis) -> None:
    """Refuse a metric that has no inclusive values: UsageError with the reason."""
    if not analysis.additive:
        raise UsageError(
            f"{analysis.metric} does not add up over the call tree",
            hint="`pipeline run` models it beside time; `pipeline bottlenecks` and `predict` show it",
        )


def tree_values(analysis: Analysis, at: Sequence[Mapping[str, float]]) -> tuple[FloatArray, str]:
    """Return exclusive values of the call paths, float64[call path], and where they come from.

    They are predicted at the last target point, or measured at the largest scale if there is no target.
    """
    require_additive(analysis)
    point = tree_point(analysis, at)
    if at:
        values = analysis.callpaths.models.predict(np.array([*point.values()])).value[:, 0]
        origin = "predicted"
    else:
        values, origin = analysis.callpaths.kernels.mean[:, analysis.largest], "measured"
    per = analysis.experiment.per
    return values, f"{origin} at {point_text(point)}" + (f", {per.text}" if per else "")


def tree_point(analysis: Analysis, at: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the point that `tree_values` are of."""
    experiment = analysis.experiment
    point = target_points(analysis, at)[-1] if at else experiment.points[analysis.largest]
    return dict(zip(experiment.parameters, point.tolist(), strict=True))
