"""All data of the page, in the form its scripts read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.cpp_names import short_name
from ingest.profile import Metric
from ingest.scaling import Scaling
from pipeline.models.kernels import Kernels, mean_over_repetitions
from pipeline.models.metrics import FACTORS
from pipeline.projection.rooflines.rooflines import StudyRoofline
from pipeline.questions.analysis import Analysis, Outlook, largest_point
from pipeline.questions.bottlenecks import GROWING, NOTEWORTHY_SHARE
from pipeline.questions.runtime.runtime import Runtime
from pipeline.questions.runtime.trust import FAR, VERY_FAR
from pipeline.report.page.embedding import integers, packed
from pipeline.report.page.kernel_data import kernel_data, without_zeros
from pipeline.report.page.positions import Positions
from pipeline.report.page.program_data import program_data
from pipeline.report.page.roofline_section import roofline_data
from pipeline.report.page.shown_kernels import OF_A_NUMBER, ShownKernels, most_shown, shown_kernels, with_sum

ROOM = 800_000  # characters of the data, if nobody says less
OF_REPETITIONS = 0.1  # of the room, what single measurements of a level take at most


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricOutlook:
    """A metric beside the chosen one, and what its kernels do at the targets."""

    analysis: Analysis
    callpaths: Outlook
    regions: Outlook


METRICS = 4  # shown in the call tree beside the modelled one
MOST_UNEVEN = 100  # call paths in the section on imbalance


def page_data(
    analysis: Analysis,
    levels: Mapping[str, ShownKernels],
    positions: Positions,
    filter_evidence: Mapping[str, Any] | None,
    found: Runtime | None = None,
    roofline: StudyRoofline | None = None,
    room: int = ROOM,
) -> dict[str, Any]:
    """Return the page's data, all but other metrics and locations; ``js/data/payload.js`` has its types.

    Args:
        analysis: the modelled experiment.
        levels: what is shown of its regions and call paths.
        positions: where predictions are known.
        filter_evidence: the content of ``app.filter.json``, if there is a filter.
        found: the runtime of the study; None if the models are not of time.
        roofline: what limits the kernels on the machine measured on, if that is known.
        room: characters that the data should take at most.
    """
    experiment, kernels = analysis.experiment, analysis.callpaths.kernels
    number = region_numbers([shown.kernels for shown in levels.values()])
    return {
        "parameters": list(experiment.parameters),
        "column": positions.column,
        "points": experiment.points.tolist(),
        "largest": largest_point(experiment.points, positions.column),
        "scales": positions.scales.tolist(),
        "lines": positions.lines.tolist(),
        "reach": positions.reach,
        "metric": kernels.metric,
        "unit": kernels.unit,
        "relativeGrowth": analysis.decision.scaling is Scaling.NONE,
        "limits": {"growing": GROWING, "noteworthy": NOTEWORTHY_SHARE, "far": FAR, "veryFar": VERY_FAR},
        "factors": [[factor.count, factor.each] for factor in FACTORS],
        "regions": region_data(analysis, number),
        "levels": {
            name: kernel_data(shown, number, positions, _most_repeated(shown, room))
            for name, shown in levels.items()
        },
        "metrics": _other_metrics(analysis, levels["callpaths"], room),
        "others": [],
        "locations": [],
        "imbalance": imbalance_data(analysis, levels["callpaths"].members),
        "filter": filter_data(filter_evidence),
        "program": None if found is None else program_data(analysis, found, positions),
        "roofline": roofline_data(roofline),
    }


def levels_shown(
    analysis: Analysis, callpaths: Outlook, regions: Outlook, positions: Positions, room: int = ROOM
) -> dict[str, ShownKernels]:
    """Choose which regions and call paths the page shows by themselves; arguments as of `page_data`."""
    points, most = analysis.experiment.points, most_shown(analysis, positions, room)
    return {
        name: shown_kernels(level, ahead, points, positions, most[name])
        for name, level, ahead in (
            ("regions", analysis.regions, regions),
            ("callpaths", analysis.callpaths, callpaths),
        )
    }


def metric_data(analysis: Analysis, positions: Positions, other: MetricOutlook, room: int) -> dict[str, Any]:
    """Return a metric that the reader can switch to: its kernels that are not zero everywhere.

    Args:
        analysis: the chosen metric.
        positions: where predictions are known.
        other: the metric.
        room: characters that are left.
    """
    points = analysis.experiment.points
    number = region_numbers([analysis.regions.kernels, analysis.callpaths.kernels])
    kernels = other.analysis.callpaths.kernels
    levels: dict[str, dict[str, Any]] = {}
    for name, level, outlook in (
        ("regions", other.analysis.regions, other.regions),
        ("callpaths", other.analysis.callpaths, other.callpaths),
    ):
        part, ahead = without_zeros(level, outlook)
        shown = shown_kernels(part, ahead, points, positions, len(part.kernels), beside=True)
        levels[name] = kernel_data(shown, number, positions, _most_repeated(shown, room))
        levels[name]["node"] = integers(part.kernels.node)
    return {
        "metric": kernels.metric,
        "unit": short_unit(kernels.unit),
        "additive": kernels.additive,
        "levels": levels,
    }


def _most_repeated(shown: ShownKernels, room: float) -> float:
    """Return of how many kernels there is room for single measurements."""
    of_each = OF_A_NUMBER * max(shown.kernels.values[0].size, 1) if len(shown.kernels) else 1.0
    return OF_REPETITIONS * max(room, 0) / of_each


def region_numbers(levels: Sequence[Kernels]) -> dict[str, int]:
    """Return the index of every region name in the page's table, in the order of the kernels shown."""
    names = chain.from_iterable(kernels.regions for kernels in levels)
    return {name: i for i, name in enumerate(dict.fromkeys(names))}


def region_data(analysis: Analysis, names: Iterable[str]) -> list[dict[str, Any]]:
    """Return name, short name, paradigm and source of regions; what is empty or the same is left out."""
    table = analysis.experiment.regions
    known = {name: i for i, name in enumerate(table.name)}
    rows = []
    for name in names:
        row: dict[str, Any] = {"name": name}
        if (short := short_name(name)) != name:
            row["short"] = short
        if (i := known.get(name)) is not None:
            if table.paradigm[i]:
                row["paradigm"] = table.paradigm[i]
            if table.mangled[i] not in ("", name):
                row["mangled"] = table.mangled[i]
            if table.file[i]:
                row["source"] = f"{table.file[i]}:{table.line[i]}" if table.line[i] > 0 else table.file[i]
        rows.append(row)
    return rows


def _other_metrics(analysis: Analysis, shown: ShownKernels, room: float) -> list[dict[str, Any]]:
    """Measured metrics of the call tree beside the modelled one, summed over locations, as many as fit."""
    experiment, node = analysis.experiment, analysis.callpaths.kernels.node
    of_each = OF_A_NUMBER * shown.kernels.mean.size
    most = METRICS if of_each == 0 else min(METRICS, int(OF_REPETITIONS * max(room, 0) / of_each))
    return [
        {
            "name": metric.name,
            "unit": short_unit(metric.unit),
            "values": packed(
                mean_over_repetitions(with_sum(experiment.values[metric.name].sum[node], shown))
            ),
        }
        for metric in metrics_of_tree(analysis)[:most]
    ]


def metrics_of_tree(analysis: Analysis) -> list[Metric]:
    """Return the metrics that the call tree would show beside the modelled one."""
    others = [m for m in analysis.experiment.metrics if m.name != analysis.metric and m.kind.additive]
    return others[:METRICS]


def short_unit(unit: str) -> str:
    """Return the usual symbol of a unit; CUBE writes ``sec``."""
    return "s" if unit == "sec" else unit


def imbalance_data(analysis: Analysis, shown: IntArray) -> dict[str, Any] | None:
    """Return smallest, mean and largest value of a location for the call paths with the largest excess.

    The excess is (largest - mean) x locations: what the other locations may wait for at the next
    synchronisation. None if no point has more than one location.

    Args:
        analysis: the modelled experiment.
        shown: int64[n], its call paths that the page shows by themselves, ascending.
    """
    locations = mean_over_repetitions(analysis.experiment.locations(analysis.metric))
    if not (np.nan_to_num(locations) > 1).any():
        return None
    node = analysis.callpaths.kernels.node[shown]
    reduction = analysis.experiment.values[analysis.metric]
    low, mean, high = (
        mean_over_repetitions(values[node]) for values in (reduction.min, reduction.mean, reduction.max)
    )
    leading = _most_uneven((high - mean) * locations)
    return {
        "unit": short_unit(analysis.experiment.metric(analysis.metric).unit),
        "locations": np.nan_to_num(locations).tolist(),
        "kernels": integers(leading),
        "low": packed(low[leading]),
        "mean": packed(mean[leading]),
        "high": packed(high[leading]),
    }


def _most_uneven(excess: FloatArray) -> IntArray:
    """Return the rows of float64[K, P] with the largest excess relative to that of their point."""
    known = np.nan_to_num(excess)
    total = known.sum(axis=0)
    worst = np.divide(known, total, out=np.zeros(known.shape), where=total > 0).max(axis=1)
    order = np.argsort(-worst, kind="stable")[:MOST_UNEVEN]
    return np.asarray(order[worst[order] > 0], dtype=np.int64)


def filter_data(evidence: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the decided regions as rows [name, short name, kept, index of the reason, visits, time].

    Args:
        evidence: the content of ``app.filter.json``; None if no filter was made.
    """
    if evidence is None or not evidence["regions"]:
        return None
    reasons: dict[str, int] = {}
    rows = [
        [
            row["region"],
            short_name(row["region"]),
            row["kept"],
            reasons.setdefault(row["why"], len(reasons)),
            float(f"{row['visits']:.5g}"),
            float(f"{row['time']:.5g}"),
        ]
        for row in evidence["regions"]
    ]
    return {"method": evidence["method"], "reasons": list(reasons), "rows": rows}
