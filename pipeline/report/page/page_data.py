"""All data of the page, in the form its scripts read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.counters.counted_work import LEVELS
from ingest.cpp_names import short_name
from ingest.profile import Metric
from ingest.scaling import Scaling
from pipeline.columns.column import FIGURE, SHARE, Column
from pipeline.columns.isoefficiency import reference_text
from pipeline.columns.kernels import PREDICTION, kernel_columns
from pipeline.columns.scales import per_second
from pipeline.models.growth import GROWING
from pipeline.models.kernels import FACTORS, Kernels, mean_over_repetitions
from pipeline.projection.rooflines.region_verdicts import RegionVerdict
from pipeline.projection.rooflines.rooflines import CountedKernel, StudyRoofline
from pipeline.questions.analysis import NOTEWORTHY_SHARE, Analysis, Outlook, largest_point
from pipeline.questions.isoefficiency import efficiency_and_wall, sizes_of, surface_of
from pipeline.questions.locations import Comparison
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import Figures, RuntimeStudy
from pipeline.questions.runtime.runtime import Runtime
from pipeline.questions.runtime.trust import FAR, VERY_FAR
from pipeline.report.page.embedding import columns_data, integers, packed, plain, short
from pipeline.report.page.kernel_data import kernel_data, without_zeros
from pipeline.report.page.positions import Positions
from pipeline.report.page.shown_kernels import OF_A_NUMBER, ShownKernels, most_shown, shown_kernels, with_sum
from pipeline.report.runtime_charts import RuntimeChart, runtime_charts
from pipeline.wording.quantities import count, value_text

ROOM = 800_000  # characters of the data, if nobody says less
OF_REPETITIONS = 0.1  # of the room, what single measurements of a level take at most


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricOutlook:
    """A metric beside the chosen one, and what its kernels do at the targets."""

    analysis: Analysis
    callpaths: Outlook
    regions: Outlook


ANSWERS = {
    "wall": ("wall time", "s"),
    "speedup": ("speed-up", ""),
    "efficiency": ("efficiency", "%"),
    "weak_efficiency": ("weak efficiency", "%"),
}
HEADS = (
    *("callpath", "model", "growth_class", "quality.cv_smape"),
    *("share_measured", "share_at_target", "flags"),
)
"""Columns of kernels whose values the page knows at every target, so that it has their headings alone."""

DIGITS = 5  # of a roofline
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
        "measuredOnly": positions.measured_only,
        "metric": kernels.metric,
        "unit": kernels.unit,
        "relativeGrowth": analysis.decision.scaling is Scaling.NONE,
        "limits": {"growing": GROWING, "noteworthy": NOTEWORTHY_SHARE, "far": FAR, "veryFar": VERY_FAR},
        "factors": [[factor.count, factor.each] for factor in FACTORS],
        "heads": columns_data((*kernel_columns(*HEADS), PREDICTION), []),
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
    parts = shown_kernels(analysis.callpaths, callpaths, points, positions, most["callpaths"])
    sums = shown_kernels(
        analysis.regions, regions, points, positions, most["regions"]
    )  # agree with the parts
    return {"regions": sums, "callpaths": parts}


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
    known, source = {name: i for i, name in enumerate(table.name)}, table.source
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
            if name in source:
                row["source"] = source[name]
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


FILTERED: tuple[Column[Sequence[Mapping[str, Any]]], ...] = (
    Column(key="region", each=lambda row: short_name(row["region"])),
    Column(key="decision", each=lambda row: "kept" if row["kept"] else "dropped"),
    Column(
        key="visits",
        kind=FIGURE,
        each=lambda row: short(row["visits"], 5),
        write=count,
        about="Number of visits at the largest scale",
    ),
    Column(
        key="time",
        kind=FIGURE,
        unit="core-s",
        each=lambda row: short(row["time"], 5),
        about="Exclusive time, summed over locations, at the largest scale",
    ),
    Column(key="reason", each=lambda row: row["why"]),
)
"""Columns of the regions that a filter decides on, rows of ``app.filter.json``."""


def filter_data(evidence: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the decided regions as a table, and their whole names; None if no filter was made.

    Args:
        evidence: the content of ``app.filter.json``.
    """
    if evidence is None or not evidence["regions"]:
        return None
    rows = evidence["regions"]
    return {
        "method": evidence["method"],
        "names": [row["region"] for row in rows],
        "columns": columns_data(FILTERED, rows),
    }


LIMITED: tuple[Column[Sequence[tuple[CountedKernel, RegionVerdict]]], ...] = (
    Column(key="region", each=lambda both: short_name(both[0].region)),
    Column(
        key="share",
        kind=SHARE,
        each=lambda both: short(both[0].share, DIGITS),
        about="Of the time of the largest measured point",
    ),
    Column(key="limit", each=lambda both: both[1].bound.value),
    Column(key="figures", each=lambda both: "; ".join((both[1].sentence, *both[1].doubts))),
)
"""Columns of the regions in a roofline and what limits them."""


def roofline_data(found: StudyRoofline | None) -> dict[str, Any] | None:
    """Return a study in the roofline of the machine it was measured on; None if that is not known."""
    if found is None:
        return None
    counted = {point.level for point in found.roofline.points}
    rows = list(zip(found.kernels, found.verdicts, strict=True))
    return {
        "machine": found.roofline.machine,
        "bandwidths": [[name, short(value, DIGITS)] for name, value in found.roofline.bandwidths.items()],
        "peaks": [[name, short(value, DIGITS)] for name, value in found.roofline.peaks.items()],
        "runs": list(found.runs),
        "judged": found.judged,
        "levels": [level for level in LEVELS if level in counted],
        "points": [
            [
                short_name(point.name),
                point.level,
                short(point.intensity, DIGITS),
                short(point.flop_rate, DIGITS),
                found.runs.index(point.run),
            ]
            for point in found.roofline.points
        ],
        "names": [kernel.region for kernel in found.kernels],
        "columns": columns_data(LIMITED, rows),
    }


def program_data(analysis: Analysis, found: Runtime, positions: Positions) -> dict[str, Any]:
    """Return the figures that are known at any position, and the charts of the first screen per line.

    Args:
        analysis: the modelled experiment.
        found: its runtime.
        positions: where predictions are known.
    """
    study = RuntimeStudy(analysis)
    answers = ANSWERS | {"work_rate": (per_second(found.parameter), "")}
    points = np.split(positions.points, len(positions.lines))
    known = [study.measured_at(one)[0] & positions.measured_only for one in points]
    figures = [study.figures(*one) for one in zip(points, known, strict=True)]
    best = [study.figures(one, study.measured_at(one)[0]) for one in points]
    charts = [
        {chart.name: chart for chart in runtime_charts(analysis, found, target, curve)}
        for target, curve in zip(positions.lines, figures, strict=True)
    ]
    return {
        "strong": study.comparison is Comparison.STRONG,
        "answers": [
            {"label": label, "unit": unit, **_along(best, name)}
            for name, (label, unit) in answers.items()
            if np.isfinite(getattr(best[0], name).value).any()
        ],
        "charts": [
            {
                "name": name,
                "label": chart.label,
                "threshold": chart.threshold,
                "lines": [_line(one.get(name), positions.measured_only) for one in charts],
            }
            for name, chart in charts[0].items()
            if np.isfinite(chart.model.value).any()
        ],
        "surface": surface_data(study, positions.target, found.threshold),
    }


def _along(figures: list[Figures], name: str) -> Mapping[str, Any]:
    known = [getattr(one, name) for one in figures]
    return {
        end: plain(np.concatenate([getattr(one, end) for one in known]))
        for end in ("value", "lower", "upper")
    }


def _line(chart: RuntimeChart | None, measured_only: bool) -> Mapping[str, Any] | None:
    if chart is None:
        return None
    nothing = Estimate(*np.full((3, len(chart.scale)), np.nan))
    return {
        "points": estimates(chart.measured_at, chart.measured),
        "heldOut": estimates(chart.held_out_at, chart.held_out),
        "curve": estimates(chart.scale, nothing if measured_only else chart.model),
        "ideal": None if chart.ideal is None else plain(chart.ideal),
    }


def estimates(scale: FloatArray, figures: Estimate) -> dict[str, Any]:
    """Return figures at scales float64[Q] with the ends of their intervals."""
    ends = {name: plain(getattr(figures, name)) for name in ("value", "lower", "upper")}
    return {"scale": scale.tolist(), **ends}


def surface_data(study: RuntimeStudy, target: FloatArray, share: float) -> dict[str, Any] | None:
    """Return predicted figures over the first size and the scale; None if no size varies or nothing scales.

    Args:
        study: the study.
        target: float64[D], up to which scales are looked at; its other parameters are those of the figures.
        share: the efficiency asked for.
    """
    sizes = sizes_of(study.analysis)
    if not sizes or not study.scales or study.analysis.is_profile:
        return None
    surface = surface_of(study, target, sizes[0])
    efficiency, lower, upper, wall = (part.ravel() for part in efficiency_and_wall(surface))
    return {
        "scaled": surface.scaled,
        "size": surface.size,
        "at": target.tolist(),
        "beside": ", ".join(
            f"{name} = {value_text(value)}"
            for name, value in zip(study.analysis.experiment.parameters, target.tolist(), strict=True)
            if name not in (surface.scaled, surface.size)
        ),
        "scales": surface.scales.tolist(),
        "sizes": surface.sizes.tolist(),
        "efficiency": {"value": plain(efficiency), "lower": plain(lower), "upper": plain(upper)},
        "wall": plain(wall),
        "share": share,
        "reference": reference_text(surface.scaled, surface.size),
    }
