"""All data of the page, in the form its scripts read."""

from collections.abc import Mapping
from typing import Any

from ingest.arrays import FloatArray
from ingest.scaling import Scaling
from pipeline.models.analysis import Analysis, Outlook, largest_point
from pipeline.models.bottlenecks import GROWING, NOTEWORTHY_SHARE
from pipeline.report.html.averages import over_repetitions
from pipeline.report.html.filter_data import filter_data
from pipeline.report.html.imbalance import imbalance_data, modelled_metric
from pipeline.report.html.levels import level_data
from pipeline.report.html.packing import packed
from pipeline.report.html.regions import region_data, region_numbers
from pipeline.report.html.scales import scales_of

METRICS = 4  # shown in the call tree beside the modelled one


def page_data(
    analysis: Analysis,
    callpaths: Outlook,
    regions: Outlook,
    targets: FloatArray,
    filter_evidence: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the page's data.

    Args:
        analysis: the modelled experiment.
        callpaths: the outlook of its call paths.
        regions: the outlook of its regions.
        targets: float64[Q, D], the points that the outlooks predict; the last is shown first.
        filter_evidence: the content of ``app.filter.json``, if there is a filter.
    """
    experiment, kernels = analysis.experiment, analysis.callpaths.kernels
    scales = scales_of(analysis, targets)
    number = region_numbers(analysis)
    levels = {
        name: level_data(level, outlook, number, scales)
        for name, level, outlook in (
            ("regions", analysis.regions, regions),
            ("callpaths", analysis.callpaths, callpaths),
        )
    }
    return {
        "parameters": list(experiment.parameters),
        "column": scales.column,
        "points": experiment.points.tolist(),
        "largest": largest_point(experiment.points, scales.column),
        "targets": targets.tolist(),
        "first": scales.first.tolist(),
        "reach": scales.reach.tolist(),
        "grid": scales.grid[:, scales.column].tolist(),
        "metric": kernels.metric,
        "unit": kernels.unit,
        "relativeGrowth": analysis.decision.scaling is Scaling.NONE,
        "limits": {"growing": GROWING, "noteworthy": NOTEWORTHY_SHARE},
        "regions": region_data(analysis),
        "levels": levels,
        "metrics": _other_metrics(analysis),
        "imbalance": imbalance_data(analysis),
        "filter": filter_data(filter_evidence),
    }


def _other_metrics(analysis: Analysis) -> list[dict[str, Any]]:
    """Measured metrics of the call tree beside the modelled one, summed over locations."""
    experiment, node = analysis.experiment, analysis.callpaths.kernels.node
    others = [metric for metric in experiment.metrics if metric.name != modelled_metric(analysis)]
    return [
        {
            "name": metric.name,
            "unit": metric.unit,
            "values": packed(over_repetitions(experiment.values[metric.name].sum[node])),
        }
        for metric in others[:METRICS]
    ]
