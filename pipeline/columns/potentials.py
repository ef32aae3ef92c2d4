"""What kernels would gain if they were faster, scaled perfectly or were balanced."""

from typing import Any

from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import ESTIMATE, SHARE, Column, filled
from pipeline.columns.kernel_tables import kernel_names, left_out
from pipeline.questions.what_if import WAYS, PotentialAt
from pipeline.wording.quantities import point_text, quantity


def potential_table(found: PotentialAt, *, by: str, limit: int) -> DataTable:
    """Return the kernels with the largest gains; `by` is ``regions`` or ``kernels`` (call paths)."""
    kept = found.kernels[:limit]

    def seconds(value: float) -> str:
        return quantity(value, "s")

    columns: list[Column[Any]] = [
        *kernel_names(by),
        Column(key="gain", kind=ESTIMATE, write=seconds),
        Column(key="share", kind=SHARE, heading="of wall time"),
        Column(key="by"),
    ]
    columns += [
        Column(key=way.replace(" ", "_"), kind=ESTIMATE, write=seconds, audience=Audience.FILES)
        for way in WAYS
    ]
    title = f"Gains in wall time at {point_text(found.at)} ({seconds(found.wall_seconds)})"
    return filled(columns, kept, notes=left_out(found.kernels, kept), title=title)
