"""The model stage: from an experiment to its models, and to their predictions at target points."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from ingest.scaling import decide_scaling
from pipeline.config.options import Options
from pipeline.models.analysis import (
    Analysis,
    Outlook,
    analyse,
    default_target,
    largest_point,
    look_ahead,
    scaling_of,
)
from pipeline.models.efficiency import efficiencies
from pipeline.models.options import MIN_EFFICIENCY
from pipeline.models.runtime.runtime import Runtime, runtime
from pipeline.report.formatting import point_text
from pipeline.report.runtime_summary import runtime_summary
from pipeline.report.summary import efficiency_summary, summarise
from pipeline.stages.ingest import Ingested


def modelled(read: Ingested, options: Options, metric: str) -> Analysis:
    """Decide how the experiment scales and model one of its metrics."""
    decision = decide_scaling(read.experiment, scaling_of(options.scaling))
    return analyse(read.experiment, decision, metric, options.models)


def summary_of_models(read: Ingested, options: Options) -> dict[str, Any]:
    """Model and summarise without storing: the requested metric, or every metric of a series file.

    With several metrics their kernels follow each other, and the total is that of the first metric.
    """
    notices = read.experiment.notices
    summaries = [
        summary_of(modelled(read, options, metric), options.at, notices, options.min_efficiency)
        for metric in metrics_to_model(read, options)
    ]
    merged = dict(summaries[0])
    for key in ("kernels", "regions", "crossovers", "region_crossovers"):
        merged[key] = [entry for summary in summaries for entry in summary[key]]
    return merged


def metrics_to_model(read: Ingested, options: Options) -> tuple[str, ...]:
    """Return the given metric, or all metrics of a series file if it lacks the default one."""
    known = tuple(metric.name for metric in read.experiment.metrics)
    given = options.metric in known or options.metric != Options().metric
    return (options.metric,) if read.runs or given else known


def metric_to_model(read: Ingested, options: Options) -> str:
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


def summary_of(
    analysis: Analysis,
    at: Sequence[Mapping[str, float]],
    notices: Sequence[str] = (),
    min_efficiency: float = MIN_EFFICIENCY,
) -> dict[str, Any]:
    """Predict at the targets and put everything into the shape of summary.json."""
    targets = target_points(analysis, at)
    ahead = outlooks(analysis, targets)
    found = runtime(analysis, targets, min_efficiency)
    return summary_ahead(analysis, targets, ahead, found, notices)


def summary_ahead(
    analysis: Analysis,
    targets: FloatArray,
    ahead: tuple[Outlook, Outlook],
    found: Runtime | None,
    notices: Sequence[str],
) -> dict[str, Any]:
    """Put outlooks and runtime at the targets, float64[Q, D], into the shape of summary.json."""
    more = {
        "efficiency": efficiency_of(analysis),
        "runtime": runtime_summary(found, analysis.experiment.parameters),
    }
    return summarise(analysis, *ahead, targets, notices) | more


def efficiency_of(analysis: Analysis) -> dict[str, Any]:
    """Return the ``efficiency`` of summary.json."""
    return efficiency_summary(analysis.experiment, efficiencies(analysis.experiment, analysis.decision))


def target_points(analysis: Analysis, at: Sequence[Mapping[str, float]]) -> FloatArray:
    """Return the target points, float64[Q, D]; parameters left out are at their largest measured value.

    With too few scales to predict from, it is the largest measured point, whatever is asked for.

    Raises:
        UsageError: a parameter is not one of the experiment's.
    """
    if not at:
        return default_target(analysis)
    names = analysis.experiment.parameters
    largest = analysis.experiment.points.max(axis=0)
    targets = np.repeat(largest[None, :], len(at), axis=0)
    for row, point in zip(targets, at, strict=True):
        for name, value in point.items():
            if name not in names:
                raise UsageError(
                    f"no parameter '{name}'", where="--at", hint=f"parameters here: {', '.join(names)}"
                )
            row[names.index(name)] = value
    return default_target(analysis) if analysis.is_profile else targets


def outlooks(analysis: Analysis, targets: FloatArray) -> tuple[Outlook, Outlook]:
    """Look ahead from the call paths and from the regions to target points, float64[Q, D]."""
    callpaths, regions = (
        look_ahead(analysis, level, targets) for level in (analysis.callpaths, analysis.regions)
    )
    return callpaths, regions


def tree_values(analysis: Analysis, at: Sequence[Mapping[str, float]]) -> tuple[FloatArray, str]:
    """Return exclusive values of the call paths, float64[call path], and where they come from.

    They are predicted at the last target point, or measured at the largest scale if there is no target.

    Raises:
        UsageError: a target names no parameter of the experiment.
    """
    point = tree_point(analysis, at)
    if at:
        values, origin = (
            analysis.callpaths.models.predict(np.array([*point.values()])).value[:, 0],
            "predicted",
        )
    else:
        values, origin = analysis.callpaths.kernels.mean[:, _largest(analysis)], "measured"
    return values, f"{origin} at {point_text(point)}"


def tree_point(analysis: Analysis, at: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the point that `tree_values` are of."""
    experiment = analysis.experiment
    point = target_points(analysis, at)[-1] if at else experiment.points[_largest(analysis)]
    return dict(zip(experiment.parameters, point.tolist(), strict=True))


def _largest(analysis: Analysis) -> int:
    points, parameters = analysis.experiment.points, analysis.experiment.parameters
    return largest_point(points, parameters.index(analysis.parameter))
