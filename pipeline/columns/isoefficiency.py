"""The columns of where an efficiency is kept over a size and a scale, and what is said about it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import numpy as np

from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import FIGURE, INTERVAL, Column, filled, json_rows
from pipeline.columns.json_schema import RowsOf
from pipeline.columns.scales import known
from pipeline.questions.isoefficiency import Isoefficiency, KeptEfficiency
from pipeline.wording.quantities import figure, number, numbers, percent, quantity, value_text

_LEAST, _LARGEST = "least", "largest"


@dataclass(frozen=True, eq=False)
class Place:
    """One place of a `KeptEfficiency`, and whether that seeks the ``least`` size or the ``largest`` scale."""

    kept: KeptEfficiency
    extreme: str
    row: int

    def of(self, name: str) -> float:
        """Return one of its figures."""
        return float(getattr(self.kept, name)[self.row])

    @property
    def text(self) -> str:
        """Say what keeps the efficiency: ``n >= 21.3``, ``every n from 16 on``, ``no n up to 128``."""
        value, sought, least = self.of("value"), self.kept.sought, self.extreme == _LEAST
        first, last = map(value_text, self.kept.ends)
        on, up_to = f"{sought} from {first} on", f"{sought} up to {last}"
        if np.isnan(value):
            return f"no {up_to if least else on}"
        if value == self._nearest:
            return f"every {on if least else up_to}"
        return f"{sought} {'>=' if least else '<='} {figure(value)}"

    @property
    def _nearest(self) -> float:
        """The end of what was looked at beyond which the efficiency is kept, too."""
        return self.kept.ends[0 if self.extreme == _LEAST else 1]

    @property
    def interval(self) -> str:
        """Write both ends of the interval; what lies beyond the sizes or scales looked at is said so."""
        lower, upper = (self._end(self.of(name)) for name in ("lower", "upper"))
        return lower if lower == upper else f"{lower} .. {upper}"

    def _end(self, value: float) -> str:
        first, last = map(value_text, self.kept.ends)
        least = self.extreme == _LEAST
        if np.isnan(value):
            return f"above {last}" if least else f"below {first}"
        if value == self._nearest:
            return f"{first} or less" if least else f"{last} or more"
        return figure(value)


_PLACES: tuple[Column[Any], ...] = (
    Column(key="sought", each=lambda one: f"{one.extreme} {one.kept.sought}", audience=Audience.FILES),
    Column(key="given", each=lambda one: one.kept.given, audience=Audience.FILES),
    Column(
        key="at",
        kind=FIGURE,
        each=lambda one: number(one.of("at")),
        texts=lambda found: (f"{one.kept.given} = {value_text(one.of('at'))}" for one in found),
    ),
    Column(
        key="value",
        kind=FIGURE,
        heading="keeps it",
        each=lambda one: known(one.of("value")),
        texts=lambda found: (one.text for one in found),
    ),
    Column(key="lower", kind=FIGURE, each=lambda one: known(one.of("lower")), audience=Audience.FILES),
    Column(
        key="upper",
        kind=FIGURE,
        heading=INTERVAL,
        each=lambda one: known(one.of("upper")),
        texts=lambda found: (one.interval for one in found),
    ),
    Column(
        key="wall_seconds",
        kind=FIGURE,
        heading="wall time",
        each=lambda one: known(one.of("wall")),
        write=lambda value: quantity(value, "s"),
    ),
)
"""What is said of a place; a value that is an end of what was looked at may lie beyond it."""


def _places(found: Isoefficiency) -> list[Place]:
    both = ((found.least, _LEAST), (found.largest, _LARGEST))
    return [Place(kept, extreme, row) for kept, extreme in both for row in range(len(kept.at))]


def isoefficiency_table(found: Isoefficiency) -> DataTable:
    """Return the least size at every scale, and the largest scale for every size."""
    notes = list(_isoefficiency_sentences(found))
    return filled(_PLACES, _places(found), notes=notes)


class IsoefficiencyJson(TypedDict):
    """Which sizes and scales keep an efficiency."""

    efficiency: float
    scale: Annotated[str, "the parameter that scales"]
    size: Annotated[str, "the parameter that is the size"]
    looked_at: Annotated[dict[str, list[float]], "ends of the sizes and scales looked at"]
    growth: Annotated[float | None, "the power of the scale that the size has to grow as"]
    kept: Annotated[list[dict[str, Any]], RowsOf(columns=_PLACES)]


def isoefficiency_json(found: Isoefficiency) -> IsoefficiencyJson:
    """Return where an efficiency is kept as plain data."""
    return {
        "efficiency": found.share,
        "scale": found.least.given,
        "size": found.least.sought,
        "looked_at": {kept.sought: numbers(kept.ends) for kept in (found.least, found.largest)},
        "growth": known(found.growth),
        "kept": json_rows(_PLACES, _places(found)),
    }


def _isoefficiency_sentences(found: Isoefficiency) -> Iterator[str]:
    """Say how fast the size has to grow, and what the efficiency is relative to."""
    scaled, size, share = found.least.given, found.least.sought, percent(found.share)
    if np.isfinite(found.growth):
        yield f"To keep {share}, {size} has to grow about as {scaled}^{found.growth:.2g}."
    yield f"{reference_text(scaled, size)} Sizes up to {size} = {value_text(found.least.ends[1])} looked at."


def reference_text(scaled: str, size: str) -> str:
    """Say what efficiencies over two parameters are relative to."""
    return f"Efficiency is relative to the smallest measured {scaled} with the same {size}."
