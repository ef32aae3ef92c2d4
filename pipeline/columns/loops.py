"""Tables of loops on processor cores: what limits them; of what `pipeline.report.ports_table` makes."""

from collections.abc import Mapping
from typing import Any

from pipeline.columns.cells import DataTable
from pipeline.columns.column import EXACT_KIND, FIGURE, TEXTS, Column, filled

BOUNDS = ("ports", "front end")


def loops_table(report: Mapping[str, Any]) -> DataTable:
    """Return one row per loop and processor."""
    rows = [
        {**loop[key], "loop": loop["number"]}
        for loop in report["loops"]
        for key in ("on", "from")
        if loop[key] is not None
    ]
    columns: list[Column[Any]] = [
        Column(key="loop", kind=EXACT_KIND),
        Column(key="processor"),
        Column(key="cycles", kind=FIGURE),
        *(Column(key=f"bounds.{bound}", name=bound.replace(" ", "_"), kind=FIGURE) for bound in BOUNDS),
        Column(key="limit"),
        Column(key="busiest_ports", kind=TEXTS),
        Column(key="bottleneck"),
    ]
    return filled(columns, rows, notes=report["notices"])
