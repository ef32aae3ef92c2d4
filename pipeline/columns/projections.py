"""Tables of projections: parts of a total, sweeps, sensitivities, and what is shipped.

They are made of what the functions named ``..._json`` here and in `pipeline.report.projections` return.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypedDict

from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import ABSENT, ESTIMATE, EXACT, FIGURE, SHARE, TEXTS, Column, filled, stored
from pipeline.projection.expressions.evaluation import Sensitivity
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

NO_SPREAD = "no spread stated"
DIGITS = 5
SHOWN_FROM = 5e-4  # of an elasticity: less than a change of 0.1 % for one of 100 %

Line: TypeAlias = Mapping[str, Any]
Lines: TypeAlias = Sequence[Line]


def exact_figure(value: float) -> str:
    """Write a figure of a projection, whose digits are compared with those of papers."""
    return figure(value, DIGITS)


@dataclass(frozen=True)
class ShownLine:
    """A line of a breakdown as people read it."""

    path: tuple[str, ...]
    value: str
    interval: str
    share: str


def shown_lines(lines: Lines, total: Line) -> list[ShownLine]:
    """Return lines of a breakdown rounded to the digits of the total, so that they still add up.

    Lines in another unit than the total are rounded by themselves.

    Args:
        lines: as in `pipeline.report.projections.projection_json`.
    """
    unit = last_digit(total["value"], DIGITS)
    own = [_part(line, line["value"]) for line in lines if line["unit"] == total["unit"]]
    rounded = dict(zip((part.path for part in own), rounded_to_sum(own, total["value"], unit), strict=True))
    shared = [_part(line, line["share"]) for line in lines if line["share"] is not None]
    share_of = dict(zip((part.path for part in shared), share_texts(shared), strict=True))

    def rounded_end(value: float) -> str:
        return amount_text(round(value / unit) * unit, value, unit, DIGITS)

    def shown(line: Line) -> ShownLine:
        path = tuple(line["path"])
        if path in rounded:
            value, write = amount_text(rounded[path], line["value"], unit, DIGITS), rounded_end
        else:
            value, write = f"{exact_figure(line['value'])} {line['unit']}".rstrip(), exact_figure
        certain = line["lower"] == line["upper"]
        interval = NO_SPREAD if certain else interval_text(line["lower"], line["upper"], write)
        return ShownLine(path, value, interval, share_of.get(path, ""))

    return [shown(line) for line in lines]


def _part(line: Line, value: float) -> Part:
    return Part(tuple(line["path"]), value, line["upper"] - line["lower"])


def projection_table(projection: Mapping[str, Any]) -> DataTable:
    """Return one row per part, and one for the total."""
    total = projection["total"]
    lines = [*projection["breakdown"], total]
    shown = [*shown_lines(projection["breakdown"], total), *shown_lines([total], total)]
    columns = _line_columns(shown, total["unit"] or "value", projection["level"])
    return filled(columns, lines, notes=projection["notices"])


def _line_columns(shown: Sequence[ShownLine], heading: str, level: float) -> list[Column[Lines]]:
    """Return the columns of lines of a breakdown; their texts are given, as they depend on each other."""
    return [
        Column(
            key="part",
            values=lambda lines: ("/".join(line["path"]) for line in lines),
            texts=lambda lines: (" › ".join(line["path"]) for line in lines),
        ),
        Column(key="value", heading=heading, kind=FIGURE, texts=lambda _: (line.value for line in shown)),
        Column(key="lower", kind=FIGURE, audience=Audience.PROGRAMS),
        Column(
            key="upper",
            kind=FIGURE,
            heading=f"{given_percent(level)} interval",
            texts=lambda _: (line.interval for line in shown),
        ),
        Column(key="unit", audience=Audience.FILES),
        Column(key="share", kind=SHARE, texts=lambda _: (line.share or ABSENT for line in shown)),
    ]


def sweep_table(document: Mapping[str, Any]) -> DataTable:
    """Return one row per value and part, and one per value for the total."""
    swept, projections = document["swept"], document["projections"]
    lines = [{**line, "at": p["at"][swept]} for p in projections for line in (*p["breakdown"], p["total"])]
    columns: list[Column[Lines]] = [
        Column(key="at", name=swept, heading=swept, kind=EXACT),
        Column(key="part", values=lambda lines: ("/".join(line["path"]) for line in lines)),
        Column(
            key="value", kind=ESTIMATE, values=lambda lines: lines, write=exact_figure, interval="interval"
        ),
        Column(key="unit"),
        Column(key="share", kind=SHARE),
    ]
    notes = list(dict.fromkeys(note for p in projections for note in p["notices"]))
    return filled(columns, lines, notes=notes)


def totals_table(document: Mapping[str, Any], notes: Sequence[str]) -> DataTable:
    """Return one row per value of a sweep: the outermost parts, the total, totals of other variants."""
    swept, projections = document["swept"], document["projections"]
    first = projections[0]
    parts = [shown_lines(one["breakdown"], one["total"]) for one in projections]
    totals = [shown_lines([one["total"]], one["total"])[0] for one in projections]
    unit = f" [{first['total']['unit']}]" if first["total"]["unit"] else ""
    columns: list[Column[Any]] = [
        Column(key=swept, heading=swept, kind=EXACT, values=lambda all_: (one["at"][swept] for one in all_)),
        *(
            _as_text(line["path"][0], [row[k].value for row in parts])
            for k, line in enumerate(first["breakdown"])
            if len(line["path"]) == 1
        ),
        _as_text(f"total{unit}", [total.value for total in totals]),
        _as_text(f"{given_percent(first['level'])} interval", [total.interval for total in totals]),
        *(
            Column(
                key=variant["name"],
                heading=variant["name"],
                kind=FIGURE,
                values=partial(_totals_of, k),
                write=exact_figure,
            )
            for k, variant in enumerate(first["variants"])
        ),
    ]
    return filled(columns, projections, notes=notes)


def _totals_of(variant: int, projections: Lines) -> list[float | None]:
    return stored("total.value", [one["variants"][variant] for one in projections])


def _as_text(heading: str, texts: Sequence[str]) -> Column[Any]:
    """Return a column of numbers that are rounded together."""
    return Column(key=heading, heading=heading, kind=EXACT, values=lambda _: texts, texts=lambda _: texts)


class SensitivityJson(TypedDict):
    """How the total responds to a value: per cent for one per cent, and per unit."""

    name: str
    elasticity: float
    derivative: float


class SensitivitiesJson(TypedDict):
    """Sensitivities, the strongest first."""

    sensitivities: list[SensitivityJson]


def sensitivities_json(found: Sequence[Sensitivity]) -> SensitivitiesJson:
    """Return sensitivities as plain data, the strongest first."""
    return {
        "sensitivities": [
            {"name": s.name, "elasticity": number(s.elasticity), "derivative": number(s.derivative)}
            for s in found
        ]
    }


def sensitivities_table(document: Mapping[str, Any]) -> DataTable:
    """Return one row per value that the total depends on noticeably; of what `sensitivities_json` returns."""
    rows = [row for row in document["sensitivities"] if abs(row["elasticity"] or 0.0) >= SHOWN_FROM]
    columns: list[Column[Lines]] = [
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


def shipped_table(shipped: Mapping[str, Any], heading: str = "name") -> DataTable:
    """Return one row per application and machine.

    Args:
        shipped: what `pipeline.report.projections.shipped_json` returns, or only a part of its lists.
    """
    rows = [{"kind": "application", **one} for one in shipped.get("applications", ())]
    rows += [{"kind": "machine", **one} for one in shipped.get("machines", ())]
    files = Audience.FILES
    columns: list[Column[Lines]] = [
        Column(key="name", heading=heading),
        Column(key="kind", audience=files),
        Column(
            key="title",
            name="description",
            heading="description",
            texts=lambda rows: map(_description, rows),
            folds=True,
        ),
        Column(key="inputs", kind=TEXTS, values=lambda rows: map(_needed, rows), audience=files),
        Column(
            key="variants",
            kind=TEXTS,
            values=lambda rows: (row.get("variants", []) for row in rows),
            audience=files,
        ),
        Column(
            key="covers",
            kind=TEXTS,
            values=lambda rows: (row.get("covers", []) for row in rows),
            audience=files,
        ),
        Column(key="source", texts=lambda rows: map(_source, rows), folds=True),
        Column(
            key="reproduces", values=lambda rows: (row.get("reproduces", "") for row in rows), audience=files
        ),
    ]
    return filled(columns, rows)


def _needed(row: Line) -> list[str]:
    return [entry["name"] for entry in row.get("inputs", ()) if entry["default"] is None]


def _source(row: Line) -> str:
    """Say where it comes from and, of an application, what of that it reproduces."""
    return ": ".join(filter(None, (row["source"], row.get("reproduces"))))


def _description(row: Line) -> str:
    """Say what is described, what must be given, which variants there are, and what is covered."""
    needed, variants, covers = _needed(row), row.get("variants"), row.get("covers")
    text: str = row["title"]
    text += f" (--at {', '.join(needed)})" if needed else ""
    text += f" (--variant {', '.join(variants)})" if variants else ""
    return text + (f"; {' and '.join(covers)}" if covers else "")


def tables_of_shipped(shipped: Mapping[str, Any]) -> list[DataTable]:
    """Return a table of the applications and one of the machines."""
    kinds = {"applications": "application", "machines": "machine"}
    return [shipped_table({key: shipped[key]}, name) for key, name in kinds.items() if key in shipped]
