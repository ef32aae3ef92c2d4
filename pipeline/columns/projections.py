"""Tables of projections: parts of a total, sweeps, sensitivities, and what is shipped."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ingest.units import unit_text
from pipeline.columns.cells import Audience, DataTable, with_unit
from pipeline.columns.column import ABSENT, ESTIMATE, EXACT_KIND, FIGURE, SHARE, Column, filled, stored
from pipeline.projection.applications.projections import ApplicationProjection, ProjectedValue, Sweep
from pipeline.projection.expressions.evaluation import Sensitivities, Sensitivity
from pipeline.wording.quantities import (
    Part,
    amount_text,
    figure,
    given_percent,
    interval_text,
    last_digit,
    number,
    rounded_to_sum,
    share_texts,
    signed_percent,
)

_NO_SPREAD = "no spread stated"
_DIGITS = 5
_SHOWN_FROM = 5e-4  # of an elasticity: less than a change of 0.1 % for one of 100 %

Lines = Sequence[ProjectedValue]


def exact_figure(value: float) -> str:
    """Write a figure of a projection, whose digits are compared with those of papers."""
    return figure(value, _DIGITS)


@dataclass(frozen=True)
class ShownLine:
    """A line of a breakdown as people read it."""

    path: tuple[str, ...]
    value: str
    interval: str
    share: str


def _shown_lines(lines: Lines, total: ProjectedValue) -> list[ShownLine]:
    """Return lines of a breakdown rounded to the digits of the total, so that they still add up.

    Lines in another unit than the total are rounded by themselves.
    """
    unit = last_digit(total.value, _DIGITS)
    own = [_part(line, line.value) for line in lines if line.dimension == total.dimension]
    rounded = dict(zip((part.path for part in own), rounded_to_sum(own, total.value, unit), strict=True))
    shared = [_part(line, line.share) for line in lines if line.share is not None]
    share_of = dict(zip((part.path for part in shared), share_texts(shared), strict=True))

    def rounded_end(value: float) -> str:
        return amount_text(round(value / unit) * unit, value, unit, _DIGITS)

    def shown(line: ProjectedValue) -> ShownLine:
        if line.path in rounded:
            value, write = amount_text(rounded[line.path], line.value, unit, _DIGITS), rounded_end
        else:
            value, write = f"{exact_figure(line.value)} {unit_text(line.dimension)}".rstrip(), exact_figure
        certain = line.lower == line.upper
        interval = _NO_SPREAD if certain else interval_text(line.lower, line.upper, write)
        return ShownLine(line.path, value, interval, share_of.get(line.path, ""))

    return [shown(line) for line in lines]


def _part(line: ProjectedValue, value: float) -> Part:
    return Part(line.path, value, line.upper - line.lower)


_UNIT: Column[Any] = Column(key="unit", each=lambda line: unit_text(line.dimension), audience=Audience.FILES)


def projection_table(projection: ApplicationProjection) -> DataTable:
    """Return one row per part, and one for the total."""
    total = projection.total
    lines = [*projection.parts, total]
    shown = [*_shown_lines(projection.parts, total), *_shown_lines([total], total)]
    columns = _line_columns(shown, unit_text(total.dimension) or "value", projection.level)
    return filled(columns, lines, notes=projection.notices)


def _line_columns(shown: Sequence[ShownLine], heading: str, level: float) -> list[Column[Any]]:
    """Return the columns of lines of a breakdown; their texts are given, as they depend on each other."""
    return [
        Column(
            key="part",
            each=lambda line: "/".join(line.path),
            texts=lambda lines: (" › ".join(line.path) for line in lines),
        ),
        Column(key="value", heading=heading, kind=FIGURE, texts=lambda _: (line.value for line in shown)),
        Column(key="lower", kind=FIGURE, audience=Audience.PROGRAMS),
        Column(
            key="upper",
            kind=FIGURE,
            heading=f"{given_percent(level)} interval",
            texts=lambda _: (line.interval for line in shown),
        ),
        _UNIT,
        Column(key="share", kind=SHARE, texts=lambda _: (line.share or ABSENT for line in shown)),
    ]


def sweep_table(sweep: Sweep) -> DataTable:
    """Return one row per value and part, and one per value for the total."""
    lines = [(one.at[sweep.swept], line) for one in sweep.projections for line in (*one.parts, one.total)]
    columns: list[Column[Any]] = [
        Column(
            key="at", name=sweep.swept, heading=sweep.swept, kind=EXACT_KIND, each=lambda row: number(row[0])
        ),
        Column(key="part", each=lambda row: "/".join(row[1].path)),
        Column(key="value", kind=ESTIMATE, each=lambda row: row[1], write=exact_figure, interval="interval"),
        Column(key="unit", each=lambda row: unit_text(row[1].dimension)),
        Column(key="share", kind=SHARE, values=lambda rows: stored("share", [line for _, line in rows])),
    ]
    notes = list(dict.fromkeys(note for one in sweep.projections for note in one.notices))
    return filled(columns, lines, notes=notes)


def totals_table(sweep: Sweep, notes: Sequence[str]) -> DataTable:
    """Return one row per value of a sweep: the outermost parts, the total, totals of other variants."""
    swept, projections = sweep.swept, sweep.projections
    first = projections[0]
    parts = [_shown_lines(one.parts, one.total) for one in projections]
    totals = [_shown_lines([one.total], one.total)[0] for one in projections]
    columns: list[Column[Any]] = [
        Column(key=swept, heading=swept, kind=EXACT_KIND, each=lambda one: number(one.at[swept])),
        *(
            _as_text(line.path[0], [row[k].value for row in parts])
            for k, line in enumerate(first.parts)
            if len(line.path) == 1
        ),
        _as_text(with_unit("total", unit_text(first.total.dimension)), [total.value for total in totals]),
        _as_text(f"{given_percent(first.level)} interval", [total.interval for total in totals]),
        *(
            Column(
                key=variant.name,
                heading=variant.name,
                kind=FIGURE,
                values=partial(_totals_of, k),
                write=exact_figure,
            )
            for k, variant in enumerate(first.variants)
        ),
    ]
    return filled(columns, projections, notes=notes)


def _totals_of(variant: int, projections: Sequence[ApplicationProjection]) -> list[float | None]:
    return stored("total.value", [one.variants[variant] for one in projections])


def _as_text(heading: str, texts: Sequence[str]) -> Column[Any]:
    """Return a column of numbers that are rounded together."""
    return Column(
        key=heading, heading=heading, kind=EXACT_KIND, values=lambda _: texts, texts=lambda _: texts
    )


def sensitivities_table(found: Sensitivities) -> DataTable:
    """Return one row per value that the total depends on noticeably."""
    rows = [row for row in found.sensitivities if abs(row.elasticity) >= _SHOWN_FROM]
    columns: list[Column[Sequence[Sensitivity]]] = [
        Column(key="name", name="value", heading="value"),
        Column(
            key="elasticity",
            heading="change for 1 %",
            kind=FIGURE,
            write=lambda value: signed_percent(value / 100, 3),
        ),
        Column(key="derivative", kind=FIGURE, audience=Audience.PROGRAMS),
    ]
    return filled(columns, rows)
