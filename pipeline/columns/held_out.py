"""What was held out beside what is predicted: points of the total, the largest kernels, a sentence."""

from typing import Any

from pipeline.columns.cells import DataTable
from pipeline.columns.column import ANSWER, ESTIMATE, FIGURE, PATH, QUANTITY, Column, filled, parameters
from pipeline.questions.held_out import HeldOutComparison
from pipeline.wording.quantities import counted, percent, signed_percent


def held_out_table(found: HeldOutComparison) -> DataTable:
    """Return a row per point of the total, and what it comes to."""
    rows, unit = found.points, found.unit
    columns: list[Column[Any]] = [
        *parameters(rows[0].at, [row.at for row in rows]),
        Column(key="measured", kind=QUANTITY, unit=unit),
        Column(key="predicted", kind=ESTIMATE, unit=unit),
        Column(key="relative_error", heading="error", kind=FIGURE, write=signed_percent),
        Column(key="inside", kind=ANSWER),
    ]
    places = counted(len(rows), "scale" if len(rows[0].at) == 1 else "point")
    error = percent(sum(abs(row.relative_error) for row in rows) / len(rows))
    inside = sum(row.inside for row in rows)
    notes = [
        f"held out at {places}: mean error {error}, {inside} of {len(rows)} inside",
        "intervals are those of the expected values, beside which single runs scatter",
    ]
    return filled(columns, rows, notes=notes, title=f"Held out: {' or '.join(found.conditions)}")


def held_out_tables(found: HeldOutComparison | None) -> list[DataTable]:
    """Return that table and one of the largest kernels; none without anything held out."""
    if found is None:
        return []
    columns: list[Column[Any]] = [
        Column(key="callpath", heading="region", kind=PATH),
        Column(key="mean_error", heading="mean error", kind=FIGURE, write=percent),
        Column(key="inside", each=lambda row: f"{row.inside} of {row.points}"),
    ]
    return [held_out_table(found), filled(columns, found.kernels)]
