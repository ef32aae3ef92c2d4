"""The ``runtime`` of ``summary.json``, as plain data (schema: docs/reference/schemas/summary.schema.json)."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pipeline.columns.column import json_rows
from pipeline.columns.limit_intervals import limit_interval
from pipeline.columns.scales import SCALES, WHERE_MEASURED
from pipeline.columns.summary import (
    EfficientUpTo,
    HeldOutScale,
    LossAt,
    RegionLoss,
    RuntimeSummary,
    Scale,
    TrustReason,
    TrustSummary,
)
from pipeline.columns.verdict_line import verdict_line
from pipeline.models.back_test import BackTest
from pipeline.questions.runtime.limits import Limit
from pipeline.questions.runtime.losses import Losses
from pipeline.questions.runtime.pop import PopParts
from pipeline.questions.runtime.runtime import Runtime
from pipeline.questions.runtime.trust import extrapolation_text
from pipeline.wording.quantities import known, number, numbers, point_json


def runtime_summary(found: Runtime | None, parameters: Sequence[str]) -> RuntimeSummary | None:
    """Return the ``runtime`` of a summary; None if the models are not of time."""
    if found is None:
        return None
    fastest, efficient = found.fastest, found.efficient_up_to
    return RuntimeSummary(
        verdict=verdict_line(found, parameters).sentence,
        parameter=found.parameter,
        compared_by=found.comparison.value,
        effort_unit=found.effort_unit,
        rate_unit=found.rate_unit,
        at=tuple(_scales(found, parameters)),
        fastest=None if fastest is None else point_json(parameters, fastest.point),
        fastest_measured=None if fastest is None else fastest.measured,
        fastest_wall_seconds=None if fastest is None else fastest.value,
        efficient_up_to=_efficient_up_to(efficient, found.threshold, parameters),
        lost=tuple(
            LossAt(
                at=point_json(parameters, one.point),
                measured=one.measured,
                core_seconds=one.total,
                causes=causes,
            )
            for one, causes in zip(found.losses, found.causes, strict=True)
        ),
        losses=tuple(row for one in found.losses for row in _losses(one, parameters)),
        back_test=_back_test(found.back_test, parameters),
        trust=TrustSummary(
            verdict=found.trust.trust.word,
            reasons=tuple(
                TrustReason(name=reason.name, value=reason.value, trust=reason.trust.word, text=reason.text)
                for reason in found.trust.reasons
            ),
        ),
        notices=found.notices,
    )


def _scales(found: Runtime, parameters: Sequence[str]) -> Iterator[Scale]:
    figures = found.figures
    shown = json_rows((*SCALES, *WHERE_MEASURED), figures)
    of_work = [] if found.of_work is None else json_rows(SCALES, found.of_work)
    pop = _pop(found.pop, len(figures.points))
    for q in range(len(figures.points)):
        yield Scale(
            point=point_json(parameters, figures.points[q]),
            measured=bool(figures.measured[q]),
            reference=point_json(parameters, figures.reference[q]),
            locations=known(figures.locations[q]),
            extrapolation=number(figures.extrapolation[q]),
            reach=extrapolation_text(float(figures.extrapolation[q])),
            longest_seconds=known(figures.longest[q]),
            without_start_up=of_work[q] if q < len(of_work) else None,  # of measured points only
            pop=pop[q],
            **shown[q],
        )


def _pop(found: PopParts | None, count: int) -> list[dict[str, Any] | None]:
    """Return the predicted efficiencies of the last of some points, None for the others."""
    if found is None:
        return [None] * count
    targets = len(found.overall)
    rows: list[dict[str, Any] | None] = [
        {name: known(values[q]) for name, values in vars(found).items()} for q in range(targets)
    ]
    return [None] * (count - targets) + rows


def _efficient_up_to(found: Limit | None, threshold: float, parameters: Sequence[str]) -> EfficientUpTo:
    if found is None:
        return EfficientUpTo(threshold=threshold)
    return EfficientUpTo(
        threshold=threshold,
        point=point_json(parameters, found.point),
        measured=found.measured,
        efficiency=found.value,
        at_the_end=found.at_the_end,
        interval=limit_interval(found),
    )


def _losses(found: Losses, parameters: Sequence[str]) -> list[RegionLoss]:
    at = point_json(parameters, found.point)
    rows = zip(found.regions, found.kinds, numbers(found.core_seconds), strict=True)
    return [
        RegionLoss(region=region, kind=kind, at=at, measured=found.measured, core_seconds=lost)
        for region, kind, lost in rows
    ]


def _back_test(found: BackTest | None, parameters: Sequence[str]) -> HeldOutScale | None:
    if found is None:
        return None
    return HeldOutScale(
        at=point_json(parameters, np.array(found.point)),
        extrapolation=found.extrapolation,
        predicted={"value": found.value, "lower": found.lower, "upper": found.upper},
        measured=found.measured,
        judged_by=found.judged_by,
        relative_error=found.relative_error,
        inside=found.inside,
    )
