"""The section of a study on two machines: times, limits, shares and crossovers side by side."""

from collections.abc import Sequence
from typing import Any

from pipeline.columns.summary import Scale, Summary
from pipeline.columns.target_sentences import limits_sentence
from pipeline.columns.two_machines import StudyOnTwoMachines, leading_kernels
from pipeline.questions.crossovers import leading_crossovers
from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import (
    FigureJson,
    display_unit,
    estimate_text,
    figure,
    interval_text,
    percent,
    point_text,
    quantity,
)

_REGIONS, _CROSSOVERS = 12, 6  # shown of each
_NAME_WIDTH = 60


def machines_section(study: StudyOnTwoMachines) -> dict[str, Any]:
    """Return what the template shows of a projection."""
    sides = study.sides
    return {
        "names": [side.name for side in sides],
        "short": [shown_name(side.machine) for side in sides],
        "times": _times(*(side.summary.runtime.at if side.summary.runtime else () for side in sides)),
        "limits": [
            (shown_name(side.machine), limits_sentence(side.summary.runtime, predicted=True))
            for side in sides
            if side.summary.runtime
        ],
        "regions": _regions(study),
        "crossovers": [(shown_name(side.machine), _crossovers(side.summary)) for side in sides],
        "assumptions": study.assumptions,
    }


def _times(here: Sequence[Scale], there: Sequence[Scale]) -> list[dict[str, Any]]:
    return [
        {
            "at": point_text(a.point),
            "measured": a.measured,
            "cells": [
                _estimate(a.wall_seconds),
                _estimate(b.wall_seconds),
                _efficiency(a),
                _efficiency(b),
            ],
        }
        for a, b in zip(here, there, strict=True)
    ]


def _estimate(found: FigureJson | None) -> str:
    if found is None or found["value"] is None:
        return "–"
    if found["lower"] is None or found["upper"] is None:
        return quantity(found["value"], "s")
    return estimate_text(found["value"], found["lower"], found["upper"], "s")


def _efficiency(entry: Scale) -> str:
    found = entry.efficiency or entry.weak_efficiency
    return "–" if found is None or found["value"] is None else percent(found["value"])


def _regions(study: StudyOnTwoMachines) -> dict[str, Any]:
    """Return the regions that are largest on the other machine, with their shares on both."""
    leading = leading_kernels(study, by="regions", limit=_REGIONS)
    if not leading:
        return {"at": "", "unit": "", "rows": []}
    factor, unit = display_unit(leading[0].there["unit"], max(one.prediction["value"] for one in leading))
    names = distinct_texts([one.there["callpath"] for one in leading], _NAME_WIDTH)
    return {
        "at": point_text(leading[0].prediction["at"]),
        "unit": unit,
        "rows": [
            {
                "name": name,
                "cells": [
                    percent(one.here["share_at_target"]),
                    percent(one.there["share_at_target"]),
                    figure(one.prediction["value"] * factor),
                    interval_text(one.prediction["lower"] * factor, one.prediction["upper"] * factor),
                ],
                "way": one.way.way.value,
            }
            for name, one in zip(names, leading, strict=True)
        ],
    }


def _crossovers(summary: Summary) -> list[str]:
    found = []
    for one in leading_crossovers(summary.region_crossovers, _CROSSOVERS):
        over, past = (shown_name(path[-1]) for path in (one.overtakes, one.overtaken))
        (parameter,) = one.at
        found.append(one.sentence(over, past, summary.horizon(parameter)))
    return found
