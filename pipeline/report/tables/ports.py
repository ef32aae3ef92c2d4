"""Table of the loops of a function on processor cores."""

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.report.tables.data_table import Column, DataTable, words
from pipeline.wording.quantities import figure


def ports_table(report: Mapping[str, Any]) -> DataTable:
    """Return one row per loop and processor.

    Args:
        report: what `pipeline.report.ports_table.ports_json` returns.
    """
    rows = list(_rows(report))
    columns = [
        Column(
            name="loop",
            values=[loop["number"] for loop, _ in rows],
            shown=[str(x["number"]) for x, _ in rows],
        ),
        words("processor", (one["processor"] for _, one in rows)),
        _cycles("cycles", [one["cycles"] for _, one in rows]),
        *(_cycles(limit.replace(" ", "_"), [one["bounds"][limit] for _, one in rows]) for limit in _BOUNDS),
        words("limit", (one["limit"] for _, one in rows)),
        words("busiest_ports", (" ".join(one["busiest_ports"]) for _, one in rows)),
        words("bottleneck", (one["bottleneck"] for _, one in rows)),
    ]
    return DataTable(columns=columns, notes=report["notices"])


_BOUNDS = ("ports", "front end", "dependencies")


def _rows(report: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    for loop in report["loops"]:
        yield from ((loop, loop[key]) for key in ("on", "from") if loop[key] is not None)


def _cycles(name: str, values: list[float]) -> Column:
    return Column(name=name, values=values, shown=[figure(value) for value in values])
