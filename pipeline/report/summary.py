"""What ``summary.json`` and ``--json`` hold (docs/reference/schemas/summary.schema.json)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import folded
from pipeline.columns.column import Column, json_rows
from pipeline.columns.kernels import (
    KERNELS,
    WITHOUT_MODELS,
    RankedKernels,
    measured_json,
    model_json,
    predictions_json,
)
from pipeline.columns.summary import Summary, Target
from pipeline.models.agreeing_formulas import total_formula
from pipeline.models.growth import growth_classes, stated_law, total_statement
from pipeline.questions.analysis import (
    NOTEWORTHY_SHARE,
    Analysis,
    Level,
    Outlook,
    extrapolation,
    measured_total,
    too_few_scales_sentence,
)
from pipeline.questions.crossovers import NamedCrossover
from pipeline.questions.question import TargetForecast
from pipeline.questions.runtime.runtime import runtime_figures
from pipeline.questions.runtime.trust import extrapolation_text
from pipeline.questions.runtime_summary import Scale, scales
from pipeline.wording.quantities import number, point_json

LISTED = 1_000  # kernels of a level that `run` lists, more than its screens, tables and page show
ASKED = 20_000  # that are listed where they are asked for: 23 MB of JSON


def summarise(
    ahead: TargetForecast, notices: Sequence[str] = (), *, most: int | None = ASKED, only: str | None = None
) -> Summary:
    """Return the content of summary.json.

    Args:
        notices: what was skipped or doubted on the way.
        most: how many kernels of a level are listed, None for all.
        only: which of ``kernels``, ``regions`` and ``groups`` is shown as measured and predicted; the others,
            formulas and crossovers, which take longer, are left out.
    """
    analysis, targets, (callpaths, regions) = ahead.analysis, ahead.targets, ahead.outlooks
    experiment = analysis.experiment
    names = experiment.parameters
    levels = {"kernels": (analysis.callpaths, callpaths), "regions": (analysis.regions, regions)}
    if only in (None, "groups") and ahead.groups is not None:
        levels["groups"] = analysis.groups, ahead.groups
    columns = KERNELS if only is None else WITHOUT_MODELS
    listed = {
        key: _kernels(analysis, *level, targets, None if key == "groups" else most, columns)
        for key, level in levels.items()
        if only in (None, key)
    }
    rows = {key: rows for key, (rows, _) in listed.items()}
    crossing = {} if only else {key: _crossovers(analysis, *level) for key, level in levels.items()}
    return Summary(
        parameters=list(names),
        points=[point_json(names, row) for row in experiment.points],
        targets=_targets(analysis, targets),
        per=None if experiment.per is None else experiment.per.region,
        visits_per_run=None if experiment.per is None else experiment.per.of_a_run,
        scaling=analysis.decision.scaling.value,
        scaling_reason=analysis.decision.reason,
        kernels=rows.get("kernels", []),
        regions=rows.get("regions", []),
        groups=rows.get("groups", []),
        crossovers=crossing.get("kernels", ()),
        region_crossovers=crossing.get("regions", ()),
        group_crossovers=crossing.get("groups", ()),
        not_listed={key: more for key, (_, more) in listed.items() if key != "groups"},
        total=_total(analysis, callpaths, targets, with_model=only is None),
        notices=[*notices, *([too_few_scales_sentence(analysis)] if analysis.is_profile else [])],
        answers=ahead.answers,
        scales_alone=_scales(analysis, targets) if only else None,
        metrics={
            metric: _metric(other, *ahead.of_others[metric], targets, most or ASKED)
            for metric, other in ahead.others.items()
        },
    )


def _scales(analysis: Analysis, targets: FloatArray) -> tuple[Scale, ...]:
    figures = runtime_figures(analysis, targets)
    return () if figures is None else tuple(scales(figures, analysis.experiment.parameters))


def _targets(analysis: Analysis, targets: FloatArray) -> tuple[Target, ...]:
    """Return the points that are predicted, and how far they lie beyond the measured ones."""
    points, names = analysis.experiment.points, analysis.experiment.parameters
    return tuple(
        Target(at=point_json(names, target), extrapolation=factor, reach=extrapolation_text(factor))
        for target, factor in zip(targets, extrapolation(names, points, targets).tolist(), strict=True)
        if not analysis.is_profile
    )


def _kernels(
    analysis: Analysis,
    level: Level,
    outlook: Outlook,
    targets: FloatArray,
    most: int | None,
    columns: Sequence[Column[Any]] = KERNELS,
    *,
    zeros: bool = True,
) -> tuple[list[dict[str, Any]], int]:
    """Return the leading kernels, and how many more there are; without zeros none that is zero everywhere."""
    chosen, more = _leading(analysis, level, outlook, most, zeros=zeros)
    found = RankedKernels(
        level=level,
        outlook=outlook,
        chosen=chosen,
        parameters=level.models.parameters,
        targets=None if analysis.is_profile else targets,
    )
    return json_rows(columns, found), more


def leading(ahead: TargetForecast) -> tuple[IntArray, IntArray]:
    """Return the call paths and the regions that `run` lists, int64[n] each."""
    analysis, (callpaths, regions) = ahead.analysis, ahead.outlooks
    return (
        _leading(analysis, analysis.callpaths, callpaths, LISTED)[0],
        _leading(analysis, analysis.regions, regions, LISTED)[0],
    )


def _leading(
    analysis: Analysis, level: Level, outlook: Outlook, most: int | None, *, zeros: bool = True
) -> tuple[IntArray, int]:
    """Return the first kernels, behind them what matters of start-up and shut-down, and how many are left.

    With accelerators, and without zeros, none of those is zero everywhere: kernels take no core-seconds, and
    hosts no GPU-seconds.
    """
    order = outlook.order
    if not zeros or (most is not None and analysis.experiment.has_accelerators):
        somewhere = np.asarray(np.nan_to_num(level.kernels.mean).any(axis=1))
        order = order[somewhere[order]]
    rest = order[len(order) if most is None else most :]
    share = np.fmax(outlook.share_measured, outlook.share_target)[rest]
    apart = outlook.standing.start_up[rest] & (share >= NOTEWORTHY_SHARE)
    return np.concatenate([order[:most], rest[apart]]), len(rest) - int(apart.sum())


def _metric(
    analysis: Analysis, callpaths: Outlook, regions: Outlook, targets: FloatArray, most: int
) -> dict[str, Any]:
    """Return an entry of the ``metrics`` of summary.json: the kernels that are not zero everywhere."""
    (kernels, more_kernels), (coarse, more_regions) = (
        _kernels(analysis, level, outlook, targets, most, zeros=False)
        for level, outlook in ((analysis.callpaths, callpaths), (analysis.regions, regions))
    )
    return {
        "unit": analysis.callpaths.kernels.unit,
        "additive": analysis.additive,
        "kernels": kernels,
        "regions": coarse,
        "not_listed": {"kernels": more_kernels, "regions": more_regions},
        "total": _total(analysis, callpaths, targets),
    }


def _crossovers(analysis: Analysis, level: Level, outlook: Outlook) -> tuple[NamedCrossover, ...]:
    paths = folded(level.kernels.callpaths) if outlook.crossovers else ()
    return tuple(
        c.named(analysis.parameter, paths[c.overtakes], paths[c.overtaken]) for c in outlook.crossovers
    )


def _total(
    analysis: Analysis, outlook: Outlook, targets: FloatArray, *, with_model: bool = True
) -> dict[str, Any] | None:
    """The sum of the kernels in the shape of a kernel, the sums of their predictions; None without a sum."""
    if not analysis.additive:
        return None
    kernels, measured = analysis.callpaths.kernels, measured_total(analysis)
    return {
        "callpath": ["total"],
        "region": "total",
        "paradigm": "",
        "metric": kernels.metric,
        "unit": kernels.unit,
        **(_model_of_total(analysis, outlook, measured) if with_model else {}),
        "measured": measured_json(measured[None])[0],
        "share_measured": 1.0 if np.nansum(measured) > 0 else 0.0,
        "share_at_target": 1.0 if outlook.total.value[0, -1] > 0 else 0.0,
        "predictions": []
        if analysis.is_profile
        else predictions_json(analysis.experiment.parameters, targets, outlook.total)[0],
        "flags": [],
        "notes": [],
    }


def _model_of_total(analysis: Analysis, outlook: Outlook, measured: FloatArray) -> dict[str, Any]:
    models = analysis.callpaths.models
    formula = total_formula(models, outlook.within)
    fitted = models.expected(analysis.experiment.points).sum(axis=0)
    known = np.isfinite(measured) & (np.abs(measured) + np.abs(fitted) > 0)
    gap = 2 * np.abs(fitted - measured)[known] / (np.abs(measured) + np.abs(fitted))[known]
    probability = _probability_total_grows(analysis, outlook)
    statement = (
        growth_classes(models.whole)[0]
        if models.whole is not None
        else total_statement(models, formula.growth, probability, len(analysis.experiment.points))
    )
    shares = outlook.share_measured
    return {
        "model": model_json(formula),
        "growth": stated_law(statement, formula.growth),
        "growth_class": statement,
        "probability_growing": number(probability),
        "quality": {
            "smape": number(100 * gap.mean() if len(gap) else 0.0),
            "cv_smape": number(
                np.average(models.quality.cv_smape, weights=shares) if shares.sum() > 0 else 0
            ),
            "points": len(analysis.experiment.points),
            "repetitions": analysis.experiment.shape[1],
        },
    }


def _probability_total_grows(analysis: Analysis, outlook: Outlook) -> float:
    """Without a model of the total: the largest probability of the kernels that matter at the target."""
    if analysis.callpaths.models.whole is not None:
        return float(analysis.callpaths.models.whole.quality.probability_growing[0])
    matters = outlook.share_target >= 0.05
    probabilities = analysis.callpaths.models.quality.probability_growing[matters]
    return float(probabilities.max()) if len(probabilities) else 0.0
