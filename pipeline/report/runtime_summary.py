"""The ``runtime`` of ``summary.json``, as plain data (schema: docs/reference/schemas/summary.schema.json)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pipeline.columns.column import json_rows
from pipeline.columns.limit_intervals import limit_interval
from pipeline.columns.loss_sentences import causes_json
from pipeline.columns.model_json import point_json
from pipeline.columns.scales import SCALES, WHERE_MEASURED, known
from pipeline.columns.verdict_line import verdict_line
from pipeline.models.back_test import BackTest
from pipeline.questions.runtime.limits import Limit
from pipeline.questions.runtime.losses import Losses
from pipeline.questions.runtime.pop import PopParts
from pipeline.questions.runtime.runtime import Runtime
from pipeline.questions.runtime.trust import Verdict, extrapolation_text
from pipeline.wording.quantities import estimate_json, number, numbers


def runtime_summary(found: Runtime | None, parameters: Sequence[str]) -> dict[str, Any] | None:
    """Return the documented shape; None if the models are not of time."""
    if found is None:
        return None
    fastest, efficient = found.fastest, found.efficient_up_to
    return {
        "verdict": verdict_line(found, parameters).sentence,
        "parameter": found.parameter,
        "compared_by": found.comparison.value,
        "effort_unit": found.effort_unit,
        "rate_unit": found.rate_unit,
        "at": _rows(found, parameters),
        "fastest": None if fastest is None else point_json(parameters, fastest.point),
        "fastest_measured": None if fastest is None else fastest.measured,
        "fastest_wall_seconds": None if fastest is None else number(fastest.value),
        "efficient_up_to": _efficient_up_to(efficient, found.threshold, parameters),
        "lost": [
            {
                "at": point_json(parameters, one.point),
                "measured": one.measured,
                "core_seconds": number(one.total),
                "causes": causes_json(causes),
            }
            for one, causes in zip(found.losses, found.causes, strict=True)
        ],
        "losses": [row for one in found.losses for row in _losses(one, parameters)],
        "back_test": _back_test(found.back_test, parameters),
        "trust": _trust(found.trust),
        "notices": list(found.notices),
    }


def _rows(found: Runtime, parameters: Sequence[str]) -> list[dict[str, Any]]:
    figures = found.figures
    shown = json_rows((*SCALES, *WHERE_MEASURED), figures)
    of_work = [] if found.of_work is None else json_rows(SCALES, found.of_work)
    pop = _pop(found.pop, len(figures.points))
    return [
        {
            "point": point_json(parameters, figures.points[q]),
            "measured": bool(figures.measured[q]),
            "reference": point_json(parameters, figures.reference[q]),
            "locations": known(figures.locations[q]),
            "extrapolation": number(figures.extrapolation[q]),
            "reach": extrapolation_text(float(figures.extrapolation[q])),
            "longest_seconds": known(figures.longest[q]),
            **shown[q],
            "without_start_up": of_work[q] if q < len(of_work) else None,  # of measured points only
            "pop": pop[q],
        }
        for q in range(len(figures.points))
    ]


def _pop(found: PopParts | None, count: int) -> list[dict[str, Any] | None]:
    """Return the predicted efficiencies of the last of some points, None for the others."""
    if found is None:
        return [None] * count
    targets = len(found.overall)
    rows: list[dict[str, Any] | None] = [
        {name: known(values[q]) for name, values in vars(found).items()} for q in range(targets)
    ]
    return [None] * (count - targets) + rows


def _efficient_up_to(found: Limit | None, threshold: float, parameters: Sequence[str]) -> dict[str, Any]:
    return {
        "threshold": number(threshold),
        "point": None if found is None else point_json(parameters, found.point),
        "measured": None if found is None else found.measured,
        "efficiency": None if found is None else number(found.value),
        "at_the_end": None if found is None else found.at_the_end,
        "interval": None if found is None else limit_interval(found),
    }


def _losses(found: Losses, parameters: Sequence[str]) -> list[dict[str, Any]]:
    at = point_json(parameters, found.point)
    rows = zip(found.regions, found.kinds, numbers(found.core_seconds), strict=True)
    return [
        {"region": region, "kind": kind, "at": at, "measured": found.measured, "core_seconds": lost}
        for region, kind, lost in rows
    ]


def _back_test(found: BackTest | None, parameters: Sequence[str]) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "at": point_json(parameters, np.array(found.point)),
        "extrapolation": number(found.extrapolation),
        "predicted": estimate_json(found.value, found.lower, found.upper),
        "measured": number(found.measured),
        "judged_by": found.judged_by,
        "relative_error": number(found.relative_error),
        "inside": found.inside,
    }


def _trust(found: Verdict) -> dict[str, Any]:
    return {
        "verdict": found.trust.word,
        "reasons": [
            {
                "name": reason.name,
                "value": known(reason.value),
                "trust": reason.trust.word,
                "text": reason.text,
            }
            for reason in found.reasons
        ],
    }
