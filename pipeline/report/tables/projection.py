"""Tables of projections, and of the applications and machines that are shipped."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pipeline.report.formatting import figure
from pipeline.report.projection_table import DIGITS, NO_SPREAD
from pipeline.report.tables.data_table import DataTable, estimates, shares, words


def projection_table(projection: Mapping[str, Any]) -> DataTable:
    """Return one row per part, and one for the total.

    Args:
        projection: what `pipeline.report.projection_table.projection_json` returns.
    """
    lines = [*projection["breakdown"], projection["total"]]
    value, lower, upper = estimates(lines, show=lambda value: figure(value, DIGITS), interval="interval")
    intervals = [
        NO_SPREAD if line["lower"] == line["upper"] else text
        for line, text in zip(lines, upper.shown or (), strict=True)
    ]
    columns = [
        words(
            "part", ("/".join(line["path"]) for line in lines), (" › ".join(line["path"]) for line in lines)
        ),
        value,
        lower,
        replace(upper, shown=intervals),
        words("unit", (line["unit"] for line in lines)),
        shares("share", (line["share"] for line in lines)),
    ]
    return DataTable(columns=columns, notes=projection["notices"])


def shipped_table(shipped: Mapping[str, Any]) -> DataTable:
    """Return one row per application and machine.

    Args:
        shipped: what `pipeline.report.projection_table.shipped_json` returns, or only a part of its lists.
    """
    applications, machines = shipped.get("applications", ()), shipped.get("machines", ())
    both = [*applications, *machines]
    needed = [[entry["name"] for entry in one["inputs"] if entry["default"] is None] for one in applications]
    columns = [
        words("kind", ["application"] * len(applications) + ["machine"] * len(machines)),
        words("name", (one["name"] for one in both)),
        words("description", (one["title"] for one in both)),
        words("inputs", [*map(" ".join, needed), *("" for _ in machines)]),
        words("variants", [*("" for _ in applications), *(" ".join(one["variants"]) for one in machines)]),
        words("covers", [*("" for _ in applications), *(" ".join(one["covers"]) for one in machines)]),
        words("source", (one["source"] for one in both)),
    ]
    return DataTable(columns=columns)
