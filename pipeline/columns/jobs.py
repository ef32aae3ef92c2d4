"""The columns of jobs at several scales."""

from collections.abc import Callable, Sequence
from typing import Any

from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import (
    ANSWER,
    ESTIMATE,
    EXACT_KIND,
    FIGURE,
    PROBABILITY,
    TEXT,
    Column,
    filled,
    parameters,
)
from pipeline.questions.choice import JobAtScale, JobChoice
from pipeline.wording.quantities import figure, percent, quantity


def _estimate(
    key: str,
    write: Callable[[float], str] = figure,
    heading: str = "",
    interval_for: Audience = Audience.FILES,
) -> Column[Any]:
    return Column(key=key, kind=ESTIMATE, heading=heading, write=write, interval_for=interval_for)


_JOBS: tuple[Column[Any], ...] = (
    Column(key="nodes", kind=EXACT_KIND, dispensable=1),
    Column(key="measured", kind=ANSWER, dispensable=2),
    _estimate("wall_seconds", lambda value: quantity(value, "s"), "wall time", Audience.ALL),
    _estimate("core_hours", heading="core-hours"),
    _estimate("efficiency", percent),
    _estimate("memory_per_node", lambda value: quantity(value, "B")),
    _estimate("energy", lambda value: quantity(value, "J")),
    Column(key="price", kind=FIGURE),
    Column(key="probability", kind=PROBABILITY, heading="holds"),
    Column(key="fails_first"),
)


def jobs_table(found: JobChoice, shown: Sequence[JobAtScale] = ()) -> DataTable:
    """Return one row per scale, or job that is shown, with what it takes there and in what it is the best."""
    rows = shown or found.jobs

    def best(rows: Sequence[JobAtScale]) -> list[str]:
        return [", ".join(name for name, best in found.best.items() if best is job) for job in rows]

    given = [column for column in _JOBS if any(value is not None for value in column.of(rows))]
    columns: list[Column[Any]] = [
        *parameters(rows[0].point, [job.point for job in rows]),
        *given,
        Column(key="best", kind=TEXT, values=best, texts=best, audience=Audience.FILES),
    ]
    return filled(columns, rows, notes=list(found.sentences))
