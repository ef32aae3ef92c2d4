"""The ``runtime`` of ``summary.json`` as plain data (schema: docs/reference/summary.schema.json)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ingest.arrays import FloatArray
from pipeline.models.back_test import BackTest
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.limits import Limit
from pipeline.questions.runtime.losses import Losses
from pipeline.questions.runtime.pop import PopParts
from pipeline.questions.runtime.runtime import Runtime
from pipeline.questions.runtime.trust import Verdict, extrapolation_text
from pipeline.wording.quantities import number, numbers

FIGURES = {
    "wall_seconds": "wall",
    "effort": "effort",
    "core_hours": "core_hours",
    "speedup": "speedup",
    "efficiency": "efficiency",
    "weak_efficiency": "weak_efficiency",
    "work_rate": "work_rate",
}
"""Keys of ``summary.json`` and columns of tables, with the figures they hold."""
GPU_FIGURES = {"gpu_hours": "gpu_hours", "gpu_busy": "gpu_busy"}
"""The same of accelerators."""


def runtime_summary(found: Runtime | None, parameters: Sequence[str]) -> dict[str, Any] | None:
    """Return the documented shape; None if the models are not of time.

    Args:
        found: the runtime of a study.
        parameters: names of its parameters.
    """
    if found is None:
        return None
    fastest, efficient = found.fastest, found.efficient_up_to
    return {
        "parameter": found.parameter,
        "compared_by": found.comparison.value,
        "effort_unit": found.effort_unit,
        "at": _rows(found, parameters),
        "fastest": None if fastest is None else _point(parameters, fastest.point),
        "fastest_measured": None if fastest is None else fastest.measured,
        "fastest_wall_seconds": None if fastest is None else number(fastest.value),
        "efficient_up_to": _efficient_up_to(efficient, found.threshold, parameters),
        "lost": [
            {
                "at": _point(parameters, one.point),
                "measured": one.measured,
                "core_seconds": number(one.total),
            }
            for one in found.losses
        ],
        "losses": [row for one in found.losses for row in _losses(one, parameters)],
        "back_test": _back_test(found.back_test, parameters),
        "trust": _trust(found.trust),
        "notices": list(found.notices),
    }


def _rows(found: Runtime, parameters: Sequence[str]) -> list[dict[str, Any]]:
    figures = found.figures
    columns = {key: _estimates(getattr(figures, name)) for key, name in (FIGURES | GPU_FIGURES).items()}
    of_work = _of_work(found)
    pop = _pop(found.pop, len(figures.points))
    return [
        {
            "point": _point(parameters, figures.points[q]),
            "measured": bool(figures.measured[q]),
            "reference": _point(parameters, figures.reference[q]),
            "locations": _known(figures.locations[q]),
            "extrapolation": number(figures.extrapolation[q]),
            "reach": extrapolation_text(float(figures.extrapolation[q])),
            "longest_seconds": _known(figures.longest[q]),
            **{key: column[q] for key, column in columns.items()},
            "without_start_up": of_work[q],
            "pop": pop[q],
        }
        for q in range(len(figures.points))
    ]


def _of_work(found: Runtime) -> list[dict[str, Any] | None]:
    """Return the figures without start-up and shut-down; None for what is predicted."""
    count, work = len(found.figures.points), found.of_work
    if work is None:
        return [None] * count
    columns = {key: _estimates(getattr(work, name)) for key, name in FIGURES.items()}
    rows: list[dict[str, Any] | None] = [
        {key: column[q] for key, column in columns.items()} for q in range(len(work.points))
    ]
    return rows + [None] * (count - len(rows))


def _estimates(figures: Estimate) -> list[dict[str, Any] | None]:
    """Return each figure with its interval, None for one that is not available."""
    ends = zip(figures.value, figures.lower, figures.upper, strict=True)
    return [
        {"value": number(value), "lower": _known(lower), "upper": _known(upper)}
        if np.isfinite(value)
        else None
        for value, lower, upper in ends
    ]


def _pop(found: PopParts | None, count: int) -> list[dict[str, Any] | None]:
    """Return the predicted efficiencies of the last of some points, None for the others."""
    if found is None:
        return [None] * count
    targets = len(found.overall)
    rows: list[dict[str, Any] | None] = [
        {name: _known(values[q]) for name, values in vars(found).items()} for q in range(targets)
    ]
    return [None] * (count - targets) + rows


def _efficient_up_to(found: Limit | None, threshold: float, parameters: Sequence[str]) -> dict[str, Any]:
    return {
        "threshold": number(threshold),
        "point": None if found is None else _point(parameters, found.point),
        "measured": None if found is None else found.measured,
        "efficiency": None if found is None else number(found.value),
        "at_the_end": None if found is None else found.at_the_end,
    }


def _losses(found: Losses, parameters: Sequence[str]) -> list[dict[str, Any]]:
    at = _point(parameters, found.point)
    rows = zip(found.regions, found.kinds, numbers(found.core_seconds), strict=True)
    return [
        {"region": region, "kind": kind, "at": at, "measured": found.measured, "core_seconds": lost}
        for region, kind, lost in rows
    ]


def _back_test(found: BackTest | None, parameters: Sequence[str]) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "at": _point(parameters, np.array(found.point)),
        "extrapolation": number(found.extrapolation),
        "predicted": {
            "value": number(found.value),
            "lower": number(found.lower),
            "upper": number(found.upper),
        },
        "measured": number(found.measured),
        "relative_error": number(found.relative_error),
        "inside": found.inside,
    }


def _trust(found: Verdict) -> dict[str, Any]:
    return {
        "verdict": found.trust.word,
        "reasons": [
            {
                "name": reason.name,
                "value": _known(reason.value),
                "trust": reason.trust.word,
                "text": reason.text,
            }
            for reason in found.reasons
        ],
    }


def _known(value: npt.ArrayLike) -> float | int | None:
    found = float(np.asarray(value))
    return None if np.isnan(found) else number(found)


def _point(parameters: Sequence[str], row: FloatArray) -> dict[str, float]:
    return dict(zip(parameters, numbers(row), strict=True))
