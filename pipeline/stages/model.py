"""The model stage: from an experiment to its models, and to their predictions at target points."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from ingest.experiment import MetricChoice
from ingest.scaling import decide_scaling
from pipeline.columns.held_out import held_out_json
from pipeline.columns.summary import Summary
from pipeline.config.options import Options
from pipeline.models.kernels import metrics_beside
from pipeline.models.options import MIN_EFFICIENCY, Expectation
from pipeline.questions.analysis import (
    Analysis,
    Outlook,
    analyse,
    default_target,
    look_ahead,
    named_targets,
    scaling_of,
)
from pipeline.questions.differing_work import DifferingWork, differing_work
from pipeline.questions.expected_growth import JudgedExpectation, judged
from pipeline.questions.extra_p import extra_p
from pipeline.questions.resource_use import PredictedResource, resource_metrics, resource_use
from pipeline.questions.runtime.pop import efficiencies
from pipeline.questions.runtime.runtime import Runtime, runtime
from pipeline.questions.what_if import PotentialAt, effect, potential, what_if
from pipeline.report.runtime_summary import runtime_summary
from pipeline.report.summary import (
    LISTED,
    PlanJson,
    efficiency_summary,
    metric_summary,
    plan_summary,
    summarise,
    with_groups,
)
from pipeline.stages.advise import next_measurements
from pipeline.store.results import StoredStudy
from pipeline.wording.quantities import point_text

if TYPE_CHECKING:
    from pipeline.stages.ingest import Ingested  # whose readers no stored study needs

_MOST_POTENTIAL = 5  # kernels that a summary lists; `bottlenecks --potential` has all
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
        metric: analyse(read.experiment, chosen.decision, metric, options.models, options.groups)
        for metric in metrics_beside(read.experiment, chosen.metric)
        if metric in wanted
    }


def summary_of_models(read: "Ingested", options: Options) -> Summary:
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
            most=most_listed(options),
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


def most_listed(options: Options) -> int | None:
    """Return how many kernels a summary lists before `focused` chooses among them; None for all."""
    return None if options.focus or options.without else LISTED


def metrics_to_model(read: "Ingested", options: Options) -> tuple[str, ...]:
    """Return the given metric; if the default one was not measured, all of a series file, one of runs."""
    chosen = read.experiment.chosen_metric(options.metric)
    if chosen != options.metric and not read.runs:
        return tuple(metric.name for metric in read.experiment.metrics)
    return (chosen,)


def metric_to_model(read: "Ingested", options: Options) -> str:
    """Return the one metric to model.

    Raises:
        UsageError: a series file has several metrics, but not the requested one.
    """
    first, *more = metrics_to_model(read, options)
    if more:
        raise UsageError(
            "the series has several metrics",
            where="--metric",
            hint=f"choose one: {', '.join((first, *more))}",
        )
    return first


@dataclass(frozen=True, eq=False, kw_only=True)
class TargetForecast:
    """What the models of a study say at target points; what is not asked for is not computed.

    Attributes:
        analysis: the models of the chosen metric.
        targets: float64[Q, D].
        min_efficiency: the efficiency up to whose scale is asked.
        others: the models of other metrics, by name.
        expectations: how some of it is expected to grow.
        measurable: the study that can be continued, if it is another one, such as that on another machine.
    """

    analysis: Analysis
    targets: FloatArray
    min_efficiency: float = MIN_EFFICIENCY
    others: Mapping[str, Analysis] = field(default_factory=dict)
    expectations: Sequence[Expectation] = ()
    measurable: Analysis | None = None

    @cached_property
    def outlooks(self) -> tuple[Outlook, Outlook]:
        """What the call paths and the regions do."""
        return outlooks(self.analysis, self.targets)

    @cached_property
    def groups(self) -> Outlook | None:
        """What the groups of kernels do; None if the metric has no sum."""
        return (
            look_ahead(self.analysis, self.analysis.groups, self.targets) if self.analysis.additive else None
        )

    @cached_property
    def of_others(self) -> dict[str, tuple[Outlook, Outlook]]:
        """The same of other metrics, by name, without crossovers."""
        return {
            metric: outlooks(other, self.targets, crossing=False) for metric, other in self.others.items()
        }

    @cached_property
    def runtime(self) -> Runtime | None:
        """Wall time, speed-up and losses; None if the models are not of time."""
        return runtime(self.analysis, self.targets, self.min_efficiency)

    @cached_property
    def work(self) -> DifferingWork | None:
        """The ``differing_work`` of summary.json."""
        return differing_work(self.analysis)

    @cached_property
    def next_measurement(self) -> PlanJson | None:
        """The ``next_measurement`` of summary.json, for the last target."""
        study = self.measurable or self.analysis
        plan = None if self.runtime is None else next_measurements(study, self.targets[-1])
        return None if plan is None else plan_summary(plan, study.callpaths)

    @cached_property
    def resource_use(self) -> tuple[PredictedResource, ...]:
        """What runs take beside time at the targets."""
        models = {self.analysis.metric: self.analysis, **self.others}
        return tuple(resource_use(models, self.targets))

    @cached_property
    def efficiency(self) -> dict[str, Any]:
        """The ``efficiency`` of summary.json."""
        experiment = self.analysis.experiment
        return efficiency_summary(experiment, efficiencies(experiment, self.analysis.decision))

    @cached_property
    def potential(self) -> PotentialAt | None:
        """The ``potential`` of summary.json, for the last target."""
        found = potential(self.analysis, self.analysis.regions, self.targets[-1])
        if found is None or not len(found.kernels):
            return None
        all_of_them = found.of(self.analysis.regions, self.analysis.experiment.parameters)
        return replace(all_of_them, kernels=all_of_them.kernels[:_MOST_POTENTIAL])

    @cached_property
    def judged_expectations(self) -> tuple[JudgedExpectation, ...]:
        """The ``expectations`` of summary.json, for the last target."""
        models = {self.analysis.metric: self.analysis, **self.others}
        return judged(self.expectations, self.analysis.experiment, models, self.targets[-1])

    @cached_property
    def held_out(self) -> dict[str, Any] | None:
        """The ``held_out`` of summary.json."""
        return held_out_json(self.analysis)

    def summary(self, notices: Sequence[str] = (), *, most: int | None = LISTED) -> Summary:
        """Return the content of summary.json with so many kernels of a level, None for all."""
        summary = summarise(self.analysis, *self.outlooks, self.targets, notices, most=most)
        if self.groups:
            summary = with_groups(summary, self.analysis, self.groups, self.targets)
        return replace(
            summary,
            differing_work=self.work,
            extra_p=extra_p(self.analysis, self.targets[-1]),
            next_measurement=self.next_measurement,
            potential=self.potential,
            efficiency=self.efficiency,
            expectations=self.judged_expectations,
            held_out=self.held_out,
            resource_use=self.resource_use,
            runtime=runtime_summary(self.runtime, self.analysis.experiment.parameters),
            metrics={
                metric: metric_summary(other, *self.of_others[metric], self.targets)
                for metric, other in self.others.items()
            },
        )


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
    most: int | None = LISTED,
) -> Summary:
    """Return the content of summary.json for target points; arguments as of `TargetForecast`."""
    return forecast_at(analysis, at, min_efficiency, others).summary(notices, most=most)


def stored_summary(
    study: StoredStudy,
    at: Sequence[Mapping[str, float]],
    min_efficiency: float = MIN_EFFICIENCY,
    metric: str | None = None,
    *,
    others: bool = True,
    changes: Sequence[str] = (),
) -> Summary:
    """Return the summary of a metric of a stored study, by default its chosen one, at target points.

    All `others` stand beside the chosen one if they are wanted, else only memory and energy. With `changes`
    it is that of the study as it would be after them.
    """
    analysis = study.of(metric)
    few = resource_metrics(analysis.experiment)
    wanted = [name for name in study.tables if others or name in few]
    beside = {name: study.of(name) for name in wanted} if analysis is study.chosen else _NO_OTHERS
    analysis = what_if(analysis, changes)
    return summary_of(analysis, at, min_efficiency=min_efficiency, others=beside)


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

    Args:
        by: ``regions``, ``kernels`` (call paths) or ``groups``.

    Raises:
        UsageError: wall time is unknown or cannot be predicted, or a target or change is invalid.
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


def outlooks(analysis: Analysis, targets: FloatArray, *, crossing: bool = True) -> tuple[Outlook, Outlook]:
    """Look ahead from the call paths and from the regions to target points, float64[Q, D].

    Crossovers are only looked for if they are asked for: they take longer than all else.
    """
    callpaths, regions = (
        look_ahead(analysis, level, targets, crossing=crossing)
        for level in (analysis.callpaths, analysis.regions)
    )
    return callpaths, regions


def require_additive(analysis: Analysis) -> None:
    """Refuse a metric that has no inclusive values.

    Raises:
        UsageError: with the reason.
    """
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
