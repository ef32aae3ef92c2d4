"""What was held out beside what is predicted: points of the total, the largest kernels, a sentence."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pipeline.columns.cells import DataTable
from pipeline.columns.column import ANSWER, ESTIMATE, FIGURE, PATH, QUANTITY, Column, filled, parameters
from pipeline.questions.analysis import Analysis
from pipeline.questions.held_out import compared
from pipeline.wording.quantities import counted, estimate_json, number, percent, point_json, signed_percent

Document = Mapping[str, Any]


def held_out_json(analysis: Analysis) -> dict[str, Any] | None:
    """Return the ``held_out`` of summary.json; None without any runs that were."""
    found = compared(analysis)
    if found is None or not np.isfinite(found.measured[0]).any():
        return None
    errors, inside, known = found.errors, found.inside, np.isfinite(found.measured)
    predicted = found.prediction.value[0], found.prediction.lower[0], found.prediction.upper[0]
    return {
        "conditions": list(found.conditions),
        "unit": analysis.callpaths.kernels.unit,
        "points": [
            {
                "at": point_json(analysis.experiment.parameters, found.points[q]),
                "measured": number(found.measured[0, q]),
                "predicted": estimate_json(*(float(end[q]) for end in predicted)),
                "relative_error": number(errors[0, q]),
                "inside": bool(inside[0, q]),
            }
            for q in np.flatnonzero(known[0]).tolist()
        ],
        "kernels": [
            {
                "callpath": [name],
                "mean_error": number(np.abs(errors[k, known[k]]).mean()),
                "points": int(known[k].sum()),
                "inside": int(inside[k].sum()),
            }
            for k, name in enumerate(found.kernels, start=1)
            if known[k].any()
        ],
    }


def held_out_table(document: Document) -> DataTable:
    """Return the ``held_out`` of summary.json as a row per point of the total, and what it comes to."""
    rows, unit = document["points"], document["unit"]
    columns: list[Column[Any]] = [
        *parameters(rows[0]["at"], [row["at"] for row in rows]),
        Column(key="measured", kind=QUANTITY, unit=unit),
        Column(key="predicted", kind=ESTIMATE, unit=unit),
        Column(key="relative_error", heading="error", kind=FIGURE, write=signed_percent),
        Column(key="inside", kind=ANSWER),
    ]
    places = counted(len(rows), "scale" if len(rows[0]["at"]) == 1 else "point")
    error = percent(sum(abs(row["relative_error"]) for row in rows) / len(rows))
    inside = sum(row["inside"] for row in rows)
    notes = [
        f"held out at {places}: mean error {error}, {inside} of {len(rows)} inside",
        "intervals are those of the expected values, beside which single runs scatter",
    ]
    return filled(columns, rows, notes=notes, title=f"Held out: {' or '.join(document['conditions'])}")


def held_out_tables(document: Document | None) -> list[DataTable]:
    """Return that table and one of the largest kernels; none without anything held out."""
    if document is None:
        return []
    columns: list[Column[Any]] = [
        Column(key="callpath", heading="region", kind=PATH),
        Column(key="mean_error", heading="mean error", kind=FIGURE, write=percent),
        Column(key="inside", each=lambda row: f"{row['inside']} of {row['points']}"),
    ]
    return [held_out_table(document), filled(columns, document["kernels"])]
