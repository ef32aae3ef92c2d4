"""The columns of where an efficiency is kept over a size and a scale."""

from typing import Any

from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import FIGURE, INTERVAL, Column, filled
from pipeline.questions.isoefficiency import Isoefficiency
from pipeline.wording.quantities import quantity, value_text

_PLACES: tuple[Column[Any], ...] = (
    Column(key="sought", audience=Audience.FILES),
    Column(key="given", audience=Audience.FILES),
    Column(
        key="at",
        kind=FIGURE,
        texts=lambda found: (f"{one.given} = {value_text(one.at)}" for one in found),
    ),
    Column(
        key="value",
        kind=FIGURE,
        heading="keeps it",
        texts=lambda found: (one.text for one in found),
    ),
    Column(key="lower", kind=FIGURE, audience=Audience.FILES),
    Column(
        key="upper",
        kind=FIGURE,
        heading=INTERVAL,
        texts=lambda found: (one.interval for one in found),
    ),
    Column(
        key="wall_seconds",
        kind=FIGURE,
        heading="wall time",
        write=lambda value: quantity(value, "s"),
    ),
)


def isoefficiency_table(found: Isoefficiency) -> DataTable:
    """Return the least size at every scale, and the largest scale for every size."""
    return filled(_PLACES, found.kept, notes=list(found.sentences))
