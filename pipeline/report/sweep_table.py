"""Projections over the values of one input: in the terminal, as JSON and as a table, one row per value."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.projection.applications.projections import ApplicationProjection
from pipeline.projection.expressions.units import NONE
from pipeline.report.projection_table import DIGITS, heading_of, projection_json, shown_lines
from pipeline.report.tables.data_table import ABSENT, DataTable, amounts, estimates, shares, words
from pipeline.wording.quantities import figure, number


def sweep_json(projections: Sequence[ApplicationProjection], swept: str) -> dict[str, Any]:
    """Return projections as plain data: which input has several values, and a projection for each."""
    return {"swept": swept, "projections": [projection_json(projection) for projection in projections]}


def show_sweep(out: Console, projections: Sequence[ApplicationProjection], swept: str) -> None:
    """Print one row per value: the outermost parts, the total with its interval, totals of other variants."""
    first = projections[0]
    out.print(Text(heading_of(first)), soft_wrap=True)
    others = {name: value for name, value in first.at.items() if name != swept}
    if others:
        out.print(Text("at " + ", ".join(f"{n} = {v:.6g}" for n, v in others.items())), soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    columns = _columns(projections, swept)
    for name in columns:
        table.add_column(Text(name), justify="right", no_wrap=True)
    for row in zip(*columns.values(), strict=True):
        table.add_row(*map(Text, row))
    out.print(table)
    for sentence in _once(projections, swept):
        out.print(Text(f"Note: {sentence}"), style="yellow", soft_wrap=True)


def _columns(projections: Sequence[ApplicationProjection], swept: str) -> dict[str, list[str]]:
    """Return what is shown of every point, by the heading of its column; rows add up as they are shown."""
    first = projections[0]
    documents = [projection_json(projection) for projection in projections]
    parts = [shown_lines(document["breakdown"], document["total"]) for document in documents]
    totals = [shown_lines([document["total"]], document["total"])[0] for document in documents]
    columns = {swept: [f"{p.at[swept]:.6g}" for p in projections]}
    for k, line in enumerate(first.parts):
        if len(line.path) == 1:
            columns[line.path[0]] = [row[k].value for row in parts]
    unit = f" [{first.total.dimension}]" if first.total.dimension != NONE else ""
    columns[f"total{unit}"] = [total.value for total in totals]
    columns[f"{100 * first.level:g} % interval"] = [total.interval for total in totals]
    for k, variant in enumerate(first.variants):
        others = [p.variants[k].total for p in projections]
        columns[variant.name] = [ABSENT if total is None else figure(total.value, DIGITS) for total in others]
    return columns


def _once(projections: Sequence[ApplicationProjection], swept: str) -> list[str]:
    """Return every notice once, with the first value that it holds for unless it holds for all."""
    holds: dict[str, list[float]] = {}
    for projection in projections:
        for notice in projection.notices:
            holds.setdefault(notice, []).append(projection.at[swept])
    return [
        notice if len(values) == len(projections) else f"{notice} ({swept} = {values[0]:.6g})"
        for notice, values in holds.items()
    ]


def sweep_table(document: Mapping[str, Any]) -> DataTable:
    """Return one row per value and part, and one per value for the total.

    Args:
        document: what `sweep_json` returns.
    """
    swept, projections = document["swept"], document["projections"]
    rows = [(p["at"][swept], line) for p in projections for line in (*p["breakdown"], p["total"])]
    lines = [line for _, line in rows]
    columns = [
        amounts(swept, (number(value) for value, _ in rows), show=lambda value: f"{value:.6g}"),
        words("part", ("/".join(line["path"]) for line in lines)),
        *estimates(lines, show=lambda value: figure(value, DIGITS), interval="interval"),
        words("unit", (line["unit"] for line in lines)),
        shares("share", (line["share"] for line in lines)),
    ]
    notes = list(dict.fromkeys(note for p in projections for note in p["notices"]))
    return DataTable(columns=columns, notes=notes)
