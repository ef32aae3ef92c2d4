"""The table of loops on processor cores: what limits them."""

from functools import partial
from typing import Any

from pipeline.columns.cells import DataTable
from pipeline.columns.column import EXACT_KIND, FIGURE, TEXTS, Column, filled
from pipeline.projection.ports.loop_estimate import LoopEstimate, PortsReport
from pipeline.wording.quantities import number


def loops_table(report: PortsReport) -> DataTable:
    """Return one row per loop and processor."""
    rows = [(loop.number, estimate) for loop in report.loops for estimate in loop.estimates]
    columns: list[Column[Any]] = [
        Column(key="loop", kind=EXACT_KIND, each=lambda row: row[0]),
        Column(key="processor", each=lambda row: row[1].processor.key),
        Column(key="cycles", kind=FIGURE, each=lambda row: number(row[1].cycles)),
        Column(key="cycles_per_element", kind=FIGURE, each=lambda row: _number(row[1].cycles_of_element)),
        Column(key="vector_bits", kind=EXACT_KIND, each=lambda row: row[1].vector_bits),
        *(
            Column(key=bound.replace(" ", "_"), kind=FIGURE, each=partial(_cycles, bound))
            for bound in report.loops[0].there.bounds
        ),
        Column(key="limit", each=lambda row: row[1].limit),
        Column(key="busiest_ports", kind=TEXTS, each=lambda row: list(row[1].busiest)),
        Column(key="bottleneck", each=lambda row: row[1].bottleneck),
    ]
    return filled(columns, rows, notes=report.notices)


def _cycles(bound: str, row: tuple[int, LoopEstimate]) -> float:
    return number(row[1].bounds[bound])


def _number(value: float | None) -> float | None:
    return None if value is None else number(value)
