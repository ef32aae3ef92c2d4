"""What ``summary.json`` and ``--json`` hold (docs/reference/schemas/summary.schema.json)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, TypedDict

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.callpaths import folded
from ingest.experiment import Experiment
from pipeline.columns.column import json_rows
from pipeline.columns.kernels import KERNELS, RankedKernels
from pipeline.columns.model_json import measured_json, model_json, predictions_json
from pipeline.columns.summary import Summary, Target
from pipeline.models.agreeing_formulas import total_formula
from pipeline.models.growth import growth_classes, stated_law, total_statement
from pipeline.models.kernels import Kernels
from pipeline.questions.analysis import (
    Analysis,
    Level,
    Outlook,
    extrapolation,
    measured_total,
    too_few_scales_sentence,
)
from pipeline.questions.crossovers import Crossover, NamedCrossover
from pipeline.questions.planning.advice import Advice, MeasurementPlan
from pipeline.questions.runtime.pop import Efficiencies
from pipeline.questions.runtime.trust import extrapolation_text
from pipeline.wording.quantities import number, point_json

EFFICIENCY_METRICS = {
    "overall": "global efficiency",
    "parallel": "parallel efficiency",
    "load_balance": "load balance",
    "communication": "communication efficiency",
    "computation": "computation scalability",
    "ipc": "IPC scalability",
    "instructions": "instruction scalability",
    "frequency": "frequency scalability",
}
GOOD, FAIR = 0.8, 0.6  # efficiencies from here on are called so
_NO_COMMUNICATION = "efficiencies, since no region is marked as communication"
LISTED = 20_000  # kernels of a level that a summary lists: 23 MB of JSON


def summarise(
    analysis: Analysis,
    callpaths: Outlook,
    regions: Outlook,
    targets: FloatArray,
    notices: Sequence[str] = (),
    *,
    most: int | None = LISTED,
) -> Summary:
    """Return the part of a summary that an analysis and its outlooks say.

    Args:
        analysis: the modelled experiment.
        callpaths, regions: their outlooks.
        targets: float64[Q, D], the points that the outlooks predict.
        notices: what was skipped or doubted on the way.
        most: how many kernels of a level are listed, None for all.
    """
    experiment = analysis.experiment
    names = experiment.parameters
    return Summary(
        parameters=list(names),
        points=[point_json(names, row) for row in experiment.points],
        targets=_targets(analysis, targets),
        per=None if experiment.per is None else experiment.per.region,
        visits_per_run=None if experiment.per is None else experiment.per.of_a_run,
        scaling=analysis.decision.scaling.value,
        scaling_reason=analysis.decision.reason,
        kernels=_kernels(analysis, analysis.callpaths, callpaths, targets, most),
        regions=_kernels(analysis, analysis.regions, regions, targets, most),
        crossovers=_crossovers(analysis, analysis.callpaths, callpaths.crossovers),
        region_crossovers=_crossovers(analysis, analysis.regions, regions.crossovers),
        not_listed={
            key: 0
            if most is None
            else max(len(_listed(analysis, level, outlook, len(level.kernels))) - most, 0)
            for key, level, outlook in (
                ("kernels", analysis.callpaths, callpaths),
                ("regions", analysis.regions, regions),
            )
        },
        total=_total(analysis, callpaths, targets),
        notices=[*notices, *([too_few_scales_sentence(analysis)] if analysis.is_profile else [])],
    )


def with_groups(summary: Summary, analysis: Analysis, outlook: Outlook, targets: FloatArray) -> Summary:
    """Return a summary with the groups of kernels, and who overtakes whom among them."""
    return replace(
        summary,
        groups=_kernels(analysis, analysis.groups, outlook, targets, None),
        group_crossovers=_crossovers(analysis, analysis.groups, outlook.crossovers),
    )


def _targets(analysis: Analysis, targets: FloatArray) -> tuple[Target, ...]:
    """Return the points that are predicted, and how far they lie beyond the measured ones."""
    points, names = analysis.experiment.points, analysis.experiment.parameters
    return tuple(
        Target(at=point_json(names, target), extrapolation=factor, reach=extrapolation_text(factor))
        for target, factor in zip(targets, extrapolation(names, points, targets).tolist(), strict=True)
        if not analysis.is_profile
    )


def _kernels(
    analysis: Analysis, level: Level, outlook: Outlook, targets: FloatArray, most: int | None
) -> list[dict[str, Any]]:
    found = RankedKernels(
        level=level,
        outlook=outlook,
        chosen=_listed(analysis, level, outlook, most),
        parameters=level.models.parameters,
        targets=None if analysis.is_profile else targets,
    )
    return json_rows(KERNELS, found)


def _listed(analysis: Analysis, level: Level, outlook: Outlook, most: int | None) -> IntArray:
    """Return the leading kernels in their order: all, or the first that can take anything.

    With accelerators, these are those that are not zero everywhere: kernels take no core-seconds, and hosts
    no GPU-seconds.
    """
    if most is None or not analysis.experiment.has_accelerators:
        return outlook.order[:most]
    somewhere = np.asarray(np.nan_to_num(level.kernels.mean).any(axis=1))
    leading: IntArray = outlook.order[somewhere[outlook.order]][:most]
    return leading


def metric_summary(
    analysis: Analysis, callpaths: Outlook, regions: Outlook, targets: FloatArray
) -> dict[str, Any]:
    """Return an entry of the ``metrics`` of summary.json: the kernels that are not zero everywhere."""
    summary = summarise(analysis, callpaths, regions, targets)
    return {
        "unit": analysis.callpaths.kernels.unit,
        "additive": analysis.additive,
        "kernels": [row for row in summary.kernels if any(row["measured"])],
        "regions": [row for row in summary.regions if any(row["measured"])],
        "total": summary.total,
    }


def _crossovers(analysis: Analysis, level: Level, found: Sequence[Crossover]) -> tuple[NamedCrossover, ...]:
    paths = folded(level.kernels.callpaths) if found else ()
    return tuple(c.named(analysis.parameter, paths[c.overtakes], paths[c.overtaken]) for c in found)


def _total(analysis: Analysis, outlook: Outlook, targets: FloatArray) -> dict[str, Any] | None:
    """The sum of the kernels in the shape of a kernel, the sums of their predictions; None without a sum."""
    if not analysis.additive:
        return None
    models, kernels = analysis.callpaths.models, analysis.callpaths.kernels
    names = models.parameters
    formula = total_formula(models, outlook.within)
    measured = measured_total(analysis)
    fitted = models.expected(analysis.experiment.points).sum(axis=0)
    known = np.isfinite(measured) & (np.abs(measured) + np.abs(fitted) > 0)
    gap = 2 * np.abs(fitted - measured)[known] / (np.abs(measured) + np.abs(fitted))[known]
    largest = outlook.total.value[0, -1]
    probability = _probability_total_grows(analysis, outlook)
    statement = (
        growth_classes(models.whole)[0]
        if models.whole is not None
        else total_statement(models, formula.growth, probability, len(analysis.experiment.points))
    )
    return {
        "callpath": ["total"],
        "region": "total",
        "paradigm": "",
        "metric": kernels.metric,
        "unit": kernels.unit,
        "model": model_json(formula),
        "growth": stated_law(statement, formula.growth),
        "growth_class": statement,
        "probability_growing": number(probability),
        "quality": {
            "smape": number(100 * gap.mean() if len(gap) else 0.0),
            "cv_smape": number(_weighted(models.quality.cv_smape, outlook.share_measured)),
            "points": len(analysis.experiment.points),
            "repetitions": analysis.experiment.shape[1],
        },
        "measured": measured_json(measured[None])[0],
        "share_measured": 1.0 if np.nansum(measured) > 0 else 0.0,
        "share_at_target": 1.0 if largest > 0 else 0.0,
        "predictions": [] if analysis.is_profile else predictions_json(names, targets, outlook.total)[0],
        "flags": [],
        "notes": [],
    }


def _probability_total_grows(analysis: Analysis, outlook: Outlook) -> float:
    """Without a model of the total: the largest probability of the kernels that matter at the target."""
    if analysis.callpaths.models.whole is not None:
        return float(analysis.callpaths.models.whole.quality.probability_growing[0])
    matters = outlook.share_target >= 0.05
    probabilities = analysis.callpaths.models.quality.probability_growing[matters]
    return float(probabilities.max()) if len(probabilities) else 0.0


def _weighted(values: FloatArray, weights: FloatArray) -> float:
    return float(np.average(values, weights=weights)) if weights.sum() > 0 else 0.0


def efficiency_summary(experiment: Experiment, found: Efficiencies | None) -> dict[str, Any]:
    """Return the POP efficiencies of every point, null if not available, and why they are not."""
    if found is None:
        return {"points": [], "notices": [_NO_COMMUNICATION]}
    rows = []
    for i, point in enumerate(experiment.points):
        metrics = {key: getattr(found, key)[i] for key in EFFICIENCY_METRICS}
        row: dict[str, Any] = {"at": point_json(experiment.parameters, point)}
        rows.append(row | {key: number(v) if np.isfinite(v) else None for key, v in metrics.items()})
    return {"points": rows, "notices": list(found.notices)}


class SettledJson(TypedDict):
    """A kernel whose growth a measurement settles."""

    callpath: list[str]
    share: Annotated[float, "of the doubt about it"]


class MeasurementJson(TypedDict):
    """A measurement that is advised."""

    at: dict[str, float]
    repetitions: int
    cost: float
    relative_width_after: Annotated[float, "of the interval of the total at the target"]
    reduction: Annotated[float, "share of the width that it takes away"]
    settles: list[SettledJson]


class PlanJson(TypedDict):
    """What to measure next for a target."""

    target: dict[str, float]
    unit: Annotated[str, "of budget and costs: core-s, or node-s if only nodes are counted"]
    budget: float
    beyond: Annotated[bool, "whether the target lies beyond the measured range"]
    relative_width: Annotated[float, "of the interval of the total at the target now"]
    plan: list[MeasurementJson]
    instead: Annotated[MeasurementJson | None, "without a plan: what would help at any price"]


class PlanOfTargetJson(TypedDict):
    """The measurements for one of several targets."""

    target: dict[str, float]
    plan: list[MeasurementJson]


def plan_summary(found: MeasurementPlan, level: Level) -> PlanJson:
    """Return what to measure next and what that gains; `level` has the call paths."""
    names = level.models.parameters
    steps, instead = (
        [_advice(one, names, level.kernels) for one in some if one] for some in (found.steps, [found.instead])
    )
    return {
        "target": point_json(names, np.array(found.target)),
        "unit": found.unit,
        "budget": number(found.budget),
        "beyond": found.beyond,
        "relative_width": number(found.width),
        "plan": steps,
        "instead": next(iter(instead), None),
    }


def _advice(advice: Advice, parameters: Sequence[str], kernels: Kernels) -> MeasurementJson:
    return {
        "at": point_json(parameters, np.array(advice.point)),
        "repetitions": advice.repetitions,
        "cost": number(advice.cost),
        "relative_width_after": number(advice.width),
        "reduction": number(advice.reduction),
        "settles": [
            {"callpath": list(kernels.callpaths[settled.kernel]), "share": number(settled.share)}
            for settled in advice.settles
        ],
    }
