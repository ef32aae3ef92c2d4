"""What `summary.json` and every ``--json`` hold, as plain data (schema: docs/summary.schema.json)."""

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.analysis import Analysis, Level, Outlook, measured_total
from pipeline.models.bottlenecks import Crossover
from pipeline.models.normal_form import Term, exponents_of, formula_text, growth_text
from pipeline.models.prediction import Prediction
from pipeline.models.total import sum_of_terms

SIGNIFICANT = 10  # digits: more than any measurement has, few enough to be read


def summarise(
    analysis: Analysis, callpaths: Outlook, regions: Outlook, targets: FloatArray, notices: Sequence[str] = ()
) -> dict[str, Any]:
    """Put an analysis into the documented shape.

    Args:
        analysis: the modelled experiment.
        callpaths: the outlook of its call paths.
        regions: the outlook of its regions.
        targets: float64[Q, D], the points that the outlooks predict.
        notices: what was skipped or doubted on the way.
    """
    experiment = analysis.experiment
    names = experiment.parameters
    return {
        "parameters": list(names),
        "points": [_point(names, row) for row in experiment.points],
        "scaling": analysis.decision.scaling.value,
        "scaling_reason": analysis.decision.reason,
        "kernels": _kernels(analysis.callpaths, callpaths, targets),
        "regions": _kernels(analysis.regions, regions, targets),
        "crossovers": _crossovers(analysis, analysis.callpaths, callpaths.crossovers),
        "region_crossovers": _crossovers(analysis, analysis.regions, regions.crossovers),
        "total": _total(analysis, callpaths, targets),
        "notices": list(notices),
    }


def _kernels(level: Level, outlook: Outlook, targets: FloatArray) -> list[dict[str, Any]]:
    models, kernels = level.models, level.kernels
    return [
        {
            "callpath": list(kernels.callpaths[k]),
            "region": kernels.callpaths[k][-1],
            "paradigm": kernels.paradigms[k],
            "metric": kernels.metric,
            "unit": kernels.unit,
            "model": _model(
                models.parameters, models.formula(k), models.constant(k), models.weighted_terms(k)
            ),
            "growth": models.growth(k),
            "probability_growing": number(models.probability_growing[k]),
            "quality": {
                "smape": number(models.smape[k]),
                "cv_smape": number(models.cv_smape[k]),
                "points": int(models.points[k]),
                "repetitions": int(models.repetitions[k]),
            },
            "share_measured": number(outlook.share_measured[k]),
            "share_at_target": number(outlook.share_target[k]),
            "predictions": predictions(models.parameters, targets, outlook.prediction, k),
            "flags": list(outlook.flags[k]),
            "notes": list(models.notes(k)),
        }
        for k in outlook.order.tolist()
    ]


def _model(
    parameters: Sequence[str], formula: str, constant: float, terms: Sequence[tuple[float, Term]]
) -> dict[str, Any]:
    return {
        "formula": formula,
        "constant": number(constant),
        "terms": [
            {
                "coefficient": number(coefficient),
                "exponents": {name: [str(i), j] for name, (i, j) in exponents_of(parameters, term).items()},
            }
            for coefficient, term in terms
        ],
    }


def predictions(
    parameters: Sequence[str], targets: FloatArray, prediction: Prediction, kernel: int
) -> list[dict[str, Any]]:
    """Return one kernel's predictions at the targets with their 90 % intervals."""
    columns = (prediction.value[kernel], prediction.lower[kernel], prediction.upper[kernel])
    return [
        {"at": _point(parameters, at), "value": number(v), "lower": number(low), "upper": number(high)}
        for at, v, low, high in zip(targets, *columns, strict=True)
    ]


def _crossovers(analysis: Analysis, level: Level, found: Sequence[Crossover]) -> list[dict[str, Any]]:
    paths = level.kernels.callpaths
    return [
        {
            "overtakes": list(paths[c.overtakes]),
            "overtaken": list(paths[c.overtaken]),
            "at": {analysis.parameter: number(c.at)},
            "measured": c.measured,
        }
        for c in found
    ]


def _total(analysis: Analysis, outlook: Outlook, targets: FloatArray) -> dict[str, Any]:
    """The sum of the kernels' models in the shape of a kernel."""
    models, kernels = analysis.callpaths.models, analysis.callpaths.kernels
    names = models.parameters
    constant, terms = sum_of_terms(models)
    measured = measured_total(analysis)
    fitted = models.predict(analysis.experiment.points).value.sum(axis=0)
    known = np.isfinite(measured) & (np.abs(measured) + np.abs(fitted) > 0)
    gap = 2 * np.abs(fitted - measured)[known] / (np.abs(measured) + np.abs(fitted))[known]
    largest = outlook.total.value[0, -1]
    return {
        "callpath": ["total"],
        "region": "total",
        "paradigm": "",
        "metric": kernels.metric,
        "unit": kernels.unit,
        "model": _model(names, formula_text(names, constant, terms), constant, terms),
        "growth": growth_text(names, [t for c, t in terms if c > 0]),
        "probability_growing": number(_probability_total_grows(analysis, outlook)),
        "quality": {
            "smape": number(100 * gap.mean() if len(gap) else 0.0),
            "cv_smape": number(_weighted(models.cv_smape, outlook.share_measured)),
            "points": len(analysis.experiment.points),
            "repetitions": analysis.experiment.shape[1],
        },
        "share_measured": 1.0 if np.nansum(measured) > 0 else 0.0,
        "share_at_target": 1.0 if largest > 0 else 0.0,
        "predictions": predictions(names, targets, outlook.total, 0),
        "flags": [],
        "notes": [],
    }


def _probability_total_grows(analysis: Analysis, outlook: Outlook) -> float:
    """At least one kernel that matters at the target grows: the largest of the kernels' probabilities."""
    matters = outlook.share_target >= 0.05
    probabilities = analysis.callpaths.models.probability_growing[matters]
    return float(probabilities.max()) if len(probabilities) else 0.0


def _weighted(values: FloatArray, weights: FloatArray) -> float:
    return float(np.average(values, weights=weights)) if weights.sum() > 0 else 0.0


def _point(names: Sequence[str], row: FloatArray) -> dict[str, float]:
    return {name: number(value) for name, value in zip(names, row.tolist(), strict=True)}


def number(value: float) -> float | int:
    """Round to ten significant digits and make whole numbers integers: JSON that is readable and stable."""
    value = float(value)
    if math.isnan(value):
        raise ValueError("no figure of a report may be NaN")
    if math.isinf(value):
        return math.copysign(sys.float_info.max, value)
    rounded = float(f"{value:.{SIGNIFICANT}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded
