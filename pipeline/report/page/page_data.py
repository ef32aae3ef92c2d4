"""All data of the page, in the form its scripts read."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.counters.counted_work import LEVELS
from ingest.cpp_names import short_name
from ingest.profile import Metric
from ingest.scaling import Scaling
from pipeline.columns.column import FIGURE, SHARE, Column
from pipeline.columns.kernels import PREDICTION, kernel_columns
from pipeline.columns.scales import per_second
from pipeline.models.growth import growth_classes
from pipeline.models.kernels import FACTORS, Kernels, mean_over_repetitions
from pipeline.models.prediction import Prediction
from pipeline.models.quality import Note, note_texts
from pipeline.models.scaling_models import ScalingModels, remarks
from pipeline.projection.rooflines.region_verdicts import RegionVerdict
from pipeline.projection.rooflines.rooflines import CountedKernel, StudyRoofline
from pipeline.questions.analysis import Analysis, Level, Outlook, Standing, extrapolation, largest_point
from pipeline.questions.isoefficiency import efficiency_and_wall, reference_text, sizes_of, surface_of
from pipeline.questions.locations import Comparison
from pipeline.questions.question import TargetForecast
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.runtime import Runtime
from pipeline.report.page.embedding import columns_data, drawn, few_digits, integers, packed, plain, short
from pipeline.report.page.payload import (
    AnswerPayload,
    ChartLinePayload,
    ChartPayload,
    CrossoverPayload,
    EndsPayload,
    EstimatesPayload,
    FilterPayload,
    ImbalancePayload,
    IntervalsPayload,
    KernelsPayload,
    LevelsPayload,
    MetricPayload,
    PositionsPayload,
    ProgramPayload,
    RegionPayload,
    RepetitionsPayload,
    ReportPayload,
    RooflinePayload,
    StandingPayload,
    SurfacePayload,
    TreeMetricPayload,
    ValuesPayload,
)
from pipeline.report.page.positions import Positions
from pipeline.report.page.shown_kernels import (
    OF_A_NUMBER,
    ShownKernels,
    interpolated,
    most_shown,
    shown_kernels,
    with_sum,
)
from pipeline.report.runtime_charts import RuntimeChart, runtime_charts
from pipeline.wording.quantities import count, value_text

Text = TypeVar("Text")

_ROOM = 800_000  # characters of the data, if nobody says less
_OF_REPETITIONS = 0.1  # of the room, what single measurements of a level take at most


_ANSWERS = {
    "wall": ("wall time", "s"),
    "speedup": ("speed-up", ""),
    "efficiency": ("efficiency", "%"),
    "weak_efficiency": ("weak efficiency", "%"),
    "gpu_busy": ("GPUs busy", "%"),
}
_HEADS = (*("callpath", "model", "growth_class"), *("share_measured", "share_at_target", "flags"))
"""Columns of kernels whose values the page knows at every target, so that it has their headings alone."""

_RIVALS = 4  # models per kernel that the page knows, the chosen one first
_NOTHING = [("0", 1.0)]  # the rivals of kernels that are zero everywhere
SHOWN_RIVAL = 0.02  # probability below which a rival is not worth a line
_CLEARER = dict(zip(note_texts(Note.CANNOT_TELL), ["growth uncertain"], strict=True))
_DIGITS = 5  # of a roofline
METRICS = 4  # shown in the call tree beside the modelled one
MOST_UNEVEN = 100  # call paths in the section on imbalance


def page_data(
    analysis: Analysis,
    levels: Mapping[str, ShownKernels],
    positions: Positions,
    filter_evidence: Mapping[str, Any] | None,
    program: ProgramPayload | None = None,
    roofline: StudyRoofline | None = None,
    room: int = _ROOM,
) -> ReportPayload:
    """Return the page's data, all but other metrics and locations, in `room` characters if possible.

    None are the content of ``app.filter.json``, `program` and `roofline` where they are not known.
    """
    experiment, kernels = analysis.experiment, analysis.callpaths.kernels
    number = region_numbers([shown.kernels for shown in levels.values()])
    of_levels = {
        name: kernel_data(shown, number, positions, _most_repeated(shown, room))
        for name, shown in levels.items()
    }
    return ReportPayload(
        **vars(positions_data(experiment.parameters, experiment.points, positions)),
        metric=kernels.metric,
        unit=kernels.unit,
        relative_growth=analysis.decision.scaling is Scaling.NONE,
        factors=[(factor.count, factor.each) for factor in FACTORS],
        heads=columns_data((*kernel_columns(*_HEADS), PREDICTION), []),
        regions=region_data(analysis, number),
        levels=LevelsPayload(**of_levels),
        metrics=_other_metrics(analysis, levels["callpaths"], room),
        imbalance=imbalance_data(analysis, levels["callpaths"].members),
        filter=filter_data(filter_evidence),
        program=program,
        roofline=roofline_data(roofline),
    )


def positions_data(parameters: Sequence[str], points: FloatArray, positions: Positions) -> PositionsPayload:
    """Return what was measured, float64[P, D], and where predictions are known."""
    return PositionsPayload(
        parameters=parameters,
        column=positions.column,
        points=points.tolist(),
        largest=largest_point(points, positions.column),
        scales=positions.scales.tolist(),
        lines=positions.lines.tolist(),
        reach=positions.reach,
        measured_only=positions.measured_only,
        extrapolation=extrapolation(parameters, points, positions.points).tolist(),
    )


def levels_shown(
    analysis: Analysis, callpaths: Outlook, regions: Outlook, positions: Positions, room: int = _ROOM
) -> dict[str, ShownKernels]:
    """Choose which regions and call paths the page shows by themselves; arguments as of `page_data`."""
    points, most = analysis.experiment.points, most_shown(analysis, positions, room)
    parts = shown_kernels(analysis.callpaths, callpaths, points, positions, most["callpaths"])
    sums = shown_kernels(
        analysis.regions, regions, points, positions, most["regions"]
    )  # agree with the parts
    return {"regions": sums, "callpaths": parts}


def metric_data(ahead: TargetForecast, positions: Positions, metric: str, room: int) -> MetricPayload:
    """Return a metric that the reader can switch to: its kernels that are not zero, in the room left."""
    analysis, other = ahead.analysis, ahead.others[metric]
    points = analysis.experiment.points
    number = region_numbers([analysis.regions.kernels, analysis.callpaths.kernels])
    kernels = other.callpaths.kernels
    callpaths, regions = ahead.of_others[metric]
    levels = {}
    for name, level, outlook in (
        ("regions", other.regions, regions),
        ("callpaths", other.callpaths, callpaths),
    ):
        part, of_part = _without_zeros(level, outlook)
        shown = shown_kernels(part, of_part, points, positions, len(part.kernels), beside=True)
        found = kernel_data(shown, number, positions, _most_repeated(shown, room))
        levels[name] = replace(found, node=integers(part.kernels.node))
    return MetricPayload(
        metric=kernels.metric,
        unit=short_unit(kernels.unit),
        additive=kernels.additive,
        levels=LevelsPayload(**levels),
    )


def _most_repeated(shown: ShownKernels, room: float) -> float:
    """Return of how many kernels there is room for single measurements."""
    of_each = OF_A_NUMBER * max(shown.kernels.values[0].size, 1) if len(shown.kernels) else 1.0
    return _OF_REPETITIONS * max(room, 0) / of_each


def region_numbers(levels: Sequence[Kernels]) -> dict[str, int]:
    """Return the index of every region name in the page's table, in the order of the kernels shown."""
    names = chain.from_iterable(kernels.regions for kernels in levels)
    return {name: i for i, name in enumerate(dict.fromkeys(names))}


def region_named(name: str) -> RegionPayload:
    """Return a region of which the name alone is known."""
    short = short_name(name)
    return RegionPayload(name=name, short=None if short == name else short)


def region_data(analysis: Analysis, names: Iterable[str]) -> list[RegionPayload]:
    """Return name, short name, paradigm and source of regions."""
    table = analysis.experiment.regions
    known = {name: i for i, name in enumerate(table.name)}

    def region(name: str) -> RegionPayload:
        i = known.get(name)
        if i is None:
            return region_named(name)
        mangled = table.mangled[i]
        return replace(
            region_named(name),
            paradigm=table.paradigm[i] or None,
            mangled=None if mangled in ("", name) else mangled,
            source=table.source.get(name),
        )

    return list(map(region, names))


def _other_metrics(analysis: Analysis, shown: ShownKernels, room: float) -> list[TreeMetricPayload]:
    """Measured metrics of the call tree beside the modelled one, summed over locations, as many as fit."""
    experiment, node = analysis.experiment, analysis.callpaths.kernels.node
    of_each = OF_A_NUMBER * shown.kernels.mean.size
    most = METRICS if of_each == 0 else min(METRICS, int(_OF_REPETITIONS * max(room, 0) / of_each))
    return [
        TreeMetricPayload(
            name=metric.name,
            unit=short_unit(metric.unit),
            values=packed(mean_over_repetitions(with_sum(experiment.values[metric.name].sum[node], shown))),
        )
        for metric in metrics_of_tree(analysis)[:most]
    ]


def metrics_of_tree(analysis: Analysis) -> list[Metric]:
    """Return the metrics that the call tree would show beside the modelled one."""
    others = [m for m in analysis.experiment.metrics if m.name != analysis.metric and m.kind.additive]
    return others[:METRICS]


def short_unit(unit: str) -> str:
    """Return the usual symbol of a unit; CUBE writes ``sec``."""
    return "s" if unit == "sec" else unit


def imbalance_data(analysis: Analysis, shown: IntArray) -> ImbalancePayload | None:
    """Return smallest, mean and largest value of a location for the call paths with the largest excess.

    The excess is (largest - mean) x locations: what the other locations may wait for at the next
    synchronisation. None if nothing differs. The call paths are those that the page
    shows by themselves, int64[n], ascending.
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
    if not len(leading):
        return None
    return ImbalancePayload(
        unit=short_unit(analysis.experiment.metric(analysis.metric).unit),
        locations=np.nan_to_num(locations).tolist(),
        kernels=integers(leading),
        low=packed(low[leading]),
        mean=packed(mean[leading]),
        high=packed(high[leading]),
    )


def _most_uneven(excess: FloatArray) -> IntArray:
    """Return the rows of float64[K, P] with the largest excess relative to that of their point."""
    known = np.nan_to_num(excess)
    total = known.sum(axis=0)
    worst = np.divide(known, total, out=np.zeros(known.shape), where=total > 0).max(axis=1)
    order = np.argsort(-worst, kind="stable")[:MOST_UNEVEN]
    return np.asarray(order[worst[order] > 0], dtype=np.int64)


_FILTERED: tuple[Column[Sequence[Mapping[str, Any]]], ...] = (
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


def filter_data(evidence: Mapping[str, Any] | None) -> FilterPayload | None:
    """Return the regions in ``app.filter.json`` as a table, and their whole names; None if there is none."""
    if evidence is None or not evidence["regions"]:
        return None
    rows = evidence["regions"]
    return FilterPayload(names=[row["region"] for row in rows], columns=columns_data(_FILTERED, rows))


_LIMITED: tuple[Column[Sequence[tuple[CountedKernel, RegionVerdict]]], ...] = (
    Column(key="region", each=lambda both: short_name(both[0].region)),
    Column(
        key="share",
        kind=SHARE,
        each=lambda both: short(both[0].share, _DIGITS),
        about="Of the time of the largest measured point",
    ),
    Column(key="limit", each=lambda both: both[1].bound.value),
    Column(key="figures", each=lambda both: "; ".join((both[1].sentence, *both[1].doubts))),
)
"""Columns of the regions in a roofline and what limits them."""


def roofline_data(found: StudyRoofline | None) -> RooflinePayload | None:
    """Return a study in the roofline of the machine it was measured on; None if that is not known."""
    if found is None:
        return None
    roofline = found.roofline
    counted = {point.level for point in roofline.points}
    return RooflinePayload(
        machine=roofline.machine,
        bandwidths=[(name, few_digits(value, _DIGITS)) for name, value in roofline.bandwidths.items()],
        peaks=[(name, few_digits(value, _DIGITS)) for name, value in roofline.peaks.items()],
        runs=found.runs,
        judged=found.judged,
        levels=[level for level in LEVELS if level in counted],
        points=[
            (
                short_name(point.name),
                point.level,
                short(point.intensity, _DIGITS),
                few_digits(point.flop_rate, _DIGITS),
                found.runs.index(point.run),
            )
            for point in roofline.points
        ],
        names=[kernel.region for kernel in found.kernels],
        columns=columns_data(_LIMITED, list(zip(found.kernels, found.verdicts, strict=True))),
    )


def program_data(
    analysis: Analysis,
    found: Runtime,
    positions: Positions,
    said: Mapping[str, Sequence[str | None]] | None = None,
) -> ProgramPayload:
    """Return the figures that are known at any position, what is said there, and the charts per line."""
    study = RuntimeStudy(analysis)
    answers = _ANSWERS | {"work_rate": (per_second(found.parameter), "")}
    points = np.split(positions.points, len(positions.lines))
    known = [study.measured_at(one)[0] & positions.measured_only for one in points]
    figures = [study.figures(*one) for one in zip(points, known, strict=True)]
    best = [study.figures(one, study.measured_at(one)[0]) for one in points]
    charts = [
        {chart.name: chart for chart in runtime_charts(analysis, found, target, curve)}
        for target, curve in zip(positions.lines, figures, strict=True)
    ]
    return ProgramPayload(
        strong=study.comparison is Comparison.STRONG,
        answers=[
            AnswerPayload(label=label, unit=unit, **_ends_of(*(getattr(one, name) for one in best)))
            for name, (label, unit) in answers.items()
            if np.isfinite(getattr(best[0], name).value).any()
        ],
        charts=[
            ChartPayload(
                name=name,
                label=chart.label,
                threshold=chart.threshold,
                lines=[_line(one.get(name), positions.measured_only) for one in charts],
            )
            for name, chart in charts[0].items()
            if np.isfinite(chart.model.value).any()
        ],
        surface=_surface_data(study, positions.target, found.threshold),
        said=said,
    )


def _ends_of(*figures: Estimate | Prediction) -> dict[str, list[float | None]]:
    """Return value, lower and upper end of figures, one after the other."""
    return {
        end: plain(np.concatenate([getattr(one, end).ravel() for one in figures]))
        for end in ("value", "lower", "upper")
    }


def _line(chart: RuntimeChart | None, measured_only: bool) -> ChartLinePayload | None:
    if chart is None:
        return None
    nothing = Estimate(*np.full((3, len(chart.scale)), np.nan))
    return ChartLinePayload(
        points=_estimates(chart.measured_at, chart.measured),
        held_out=_estimates(chart.held_out_at, chart.held_out),
        curve=_estimates(chart.scale, nothing if measured_only else chart.model),
        ideal=None if chart.ideal is None else plain(chart.ideal),
    )


def _estimates(scale: FloatArray, figures: Estimate) -> EstimatesPayload:
    return EstimatesPayload(scale=scale.tolist(), **_ends_of(figures))


def _surface_data(study: RuntimeStudy, target: FloatArray, share: float) -> SurfacePayload | None:
    """Return predicted figures over the first size and the scale; None if no size varies or nothing scales.

    Scales go up to the target, float64[D]; its other parameters are those of the figures.
    """
    sizes = sizes_of(study.analysis)
    if not sizes or not study.scales or study.analysis.is_profile:
        return None
    surface = surface_of(study, target, sizes[0])
    efficiency, lower, upper, wall = (part.ravel() for part in efficiency_and_wall(surface))
    return SurfacePayload(
        scaled=surface.scaled,
        size=surface.size,
        at=target.tolist(),
        beside=", ".join(
            f"{name} = {value_text(value)}"
            for name, value in zip(study.analysis.experiment.parameters, target.tolist(), strict=True)
            if name not in (surface.scaled, surface.size)
        ),
        scales=surface.scales.tolist(),
        sizes=surface.sizes.tolist(),
        efficiency=IntervalsPayload(value=plain(efficiency), lower=plain(lower), upper=plain(upper)),
        wall=plain(wall),
        share=share,
        reference=reference_text(surface.scaled, surface.size),
    )


def _without_zeros(level: Level, outlook: Outlook) -> tuple[Level, Outlook]:
    """Return the kernels that are not zero everywhere."""
    some: BoolArray = (np.nan_to_num(level.kernels.mean) != 0).sum(axis=1) > 0
    place = np.cumsum(some) - 1
    chosen = np.flatnonzero(some)
    part = Level(level.kernels.take(some), level.models.take(chosen))
    return part, replace(
        outlook,
        order=place[outlook.order[some[outlook.order]]],
        standing=Standing(**{name: marks[chosen] for name, marks in vars(outlook.standing).items()}),
    )


def kernel_data(
    shown: ShownKernels, region: Mapping[str, int], positions: Positions, repetitions: float
) -> KernelsPayload:
    """Return kernels as ``data/kernel_set.js`` reads them, with single measurements of some of them.

    `region`: index of every region name in the page's table of regions.
    """
    kernels, formulas, without = shown.kernels, shown.formulas, positions.measured_only
    count = len(kernels)

    def said(texts: Iterable[Text], nothing: Text) -> list[Text]:
        """Return what is said of each model: nothing if too few scales were measured."""
        return [nothing] * count if without else list(texts)

    growing = _quality(shown, "probability_growing")
    standing = {name: integers(marks) for name, marks in vars(shown.standing).items()}
    values = values_data(
        region=[region[name] for name in kernels.regions],
        parent=kernels.parent,
        values=kernels.values,
        prediction=shown.prediction,
        total=shown.total if kernels.additive else None,
        weighty=shown.weighty,
        required=positions.required,
        repeated=np.sort(shown.order[: int(repetitions)]),  # the largest at the target
    )
    return KernelsPayload(
        **vars(values),
        standing=StandingPayload(**standing | ({"unreliable": [0] * count} if without else {})),
        crossovers=_crossovers(shown, positions),
        further=shown.further,
        growing=packed(np.zeros(count) if without else growing),
        smape=packed(_quality(shown, "smape")),
        cv_smape=packed(_quality(shown, "cv_smape")),
        valid_from=packed(_quality(shown, "valid_from")),
        rivals=said(_all_rivals(shown), _NOTHING),
        formula=said((formula.text() for formula in formulas), ""),
        latex=said((formula.latex() for formula in formulas), ""),
        python=said(_python(shown), ""),
        range=said((formula.range_text for formula in formulas), ""),
        growth_class=said(_of_all(shown, growth_classes), ""),
        warnings=said(_of_all(shown, warning_texts), ()),
        curves=drawn(_curves(shown, positions)),
    )


def values_data(
    *,
    region: Sequence[int],
    parent: IntArray,
    values: FloatArray,
    prediction: Prediction,
    total: Prediction | None,
    weighty: IntArray,
    required: IntArray,
    repeated: IntArray,
) -> ValuesPayload:
    """Return what is known of kernels at measured points and at positions.

    Args:
        region: of each kernel, and `parent`, its caller, -1 for none.
        values: measured ones, float64[K, P, R], and `prediction`, at the positions, float64[K, G].
        weighty: kernels whose intervals are known at all positions, those of others at `required` ones.
        repeated: kernels of which there are single measurements.
    """

    def ends(kernels: IntArray, places: IntArray) -> EndsPayload:
        lower, upper = (end[np.ix_(kernels, places)] for end in (prediction.lower, prediction.upper))
        return EndsPayload(
            kernels=integers(kernels), positions=integers(places), lower=packed(lower), upper=packed(upper)
        )

    return ValuesPayload(
        region=region,
        parent=integers(parent),
        mean=packed(mean_over_repetitions(values)),
        value=packed(prediction.value),
        weighty=ends(weighty, np.arange(prediction.value.shape[1])),
        others=ends(np.setdiff1d(np.arange(len(values)), weighty), required),
        total=None if total is None else IntervalsPayload(**_ends_of(total)),
        repetitions=RepetitionsPayload(
            count=values.shape[2], kernels=integers(repeated), values=packed(values[repeated])
        ),
    )


def _crossovers(shown: ShownKernels, positions: Positions) -> list[CrossoverPayload]:
    """Return crossovers with the value there, between the positions of the target's line, and in words."""
    curve = interpolated(positions.scales, shown.prediction.value[:, positions.on_line(0)])
    parameter, target = shown.models[0].parameters[positions.column], positions.target[positions.column]
    found = []
    for c in shown.crossovers:
        named, horizon = c.named(parameter), target if c.at <= target else positions.reach
        words = named.place, named.certainty({parameter: float(horizon)})
        value = float(curve(np.array([c.at]))[c.overtakes, 0])
        found.append((c.overtakes, c.overtaken, few_digits(c.at), short(value), *words))
    return found


def _quality(shown: ShownKernels, name: str) -> FloatArray:
    return np.concatenate([getattr(models.quality, name) for models in shown.models])


def _of_all(shown: ShownKernels, describe: Callable[[ScalingModels], Iterable[Text]]) -> Iterator[Text]:
    return chain.from_iterable(map(describe, shown.models))


def _python(shown: ShownKernels) -> Iterator[str]:
    """Yield formulas as functions; nothing for kernels that are zero everywhere."""
    kernels = shown.kernels
    described = f"{kernels.metric} ({kernels.unit})" if kernels.unit else kernels.metric
    for formula, name, there in zip(shown.formulas, kernels.regions, _not_zero(kernels), strict=True):
        yield formula.python(name, f"{described} of {name}") if there else ""


def _all_rivals(shown: ShownKernels) -> Iterator[list[tuple[str, float]]]:
    """Yield the plausible models of each kernel, nothing for its formula, with their probabilities."""
    rows = ((models, k) for models in shown.models for k in range(len(models)))
    for (models, k), formula, there in zip(rows, shown.formulas, _not_zero(shown.kernels), strict=True):
        weights, own = models.rivals.weight[int(models.rivals.begin[k]) :], formula.text()
        texts = [(models.formula(k, i).text(), round(float(weights[i]), 2)) for i in plausible(models, k)]
        yield [("" if text == own else text, weight) for text, weight in texts] if there else _NOTHING


def _not_zero(kernels: Kernels) -> list[bool]:
    found: list[bool] = (np.nan_to_num(kernels.mean) != 0).any(axis=1).tolist()
    return found


def warning_texts(models: ScalingModels) -> list[tuple[str, ...]]:
    """Return what must be known about the model of each kernel, in words."""
    return [tuple(_CLEARER.get(text, text) for text in texts) for texts in remarks(models)]


def plausible(models: ScalingModels, k: int) -> list[int]:
    """Return the rivals of a kernel that are worth showing, the chosen one first."""
    first, end = models.rivals.begin[k : k + 2].tolist()
    weights = models.rivals.weight[first : min(end, first + _RIVALS)].tolist()
    return [i for i, weight in enumerate(weights) if i == 0 or weight >= SHOWN_RIVAL]


def _curves(shown: ShownKernels, positions: Positions) -> FloatArray:
    """Return what the formulas of weighty kernels give at all positions, one row per rival, in sequence."""
    rows = []
    own = len(shown.models[0])
    for models, kernels in (
        (shown.models[0], shown.weighty[shown.weighty < own]),
        *((other, shown.weighty[shown.weighty >= own] - own) for other in shown.models[1:]),
    ):
        part = models.take(kernels)
        width = min(_RIVALS, int(part.rivals.count.max(initial=1)))
        values = [
            replace(part, rivals=part.rivals.nth(i)).formula_values(positions.points) for i in range(width)
        ]
        rows += [values[i][k] for k in range(len(part)) for i in plausible(part, k)]
    return np.array(rows)
