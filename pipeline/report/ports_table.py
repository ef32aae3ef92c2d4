"""Loops on processor cores: the table of what limits them, and what the terminal shows."""

from functools import partial
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.columns.cells import DataTable
from pipeline.columns.column import EXACT_KIND, FIGURE, TEXTS, Column, filled
from pipeline.projection.ports.loop_estimate import HARDLY_BUSY, LoopEstimate, LoopReport, PortsReport
from pipeline.report.render.console import show_sentence
from pipeline.wording.quantities import counted, figure, number


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


def show_ports(out: Console, report: PortsReport) -> None:
    """Print the loops of a function, what limits each, and the time on the other processor."""
    for loop in report.loops:
        _show_loop(out, report, loop)
    if report.others:
        show_sentence(out, f"{counted(report.others, 'more innermost loop')}: see --loop and --limit")
    for verdict in report.compiler:
        show_sentence(out, f"the compiler's report, {verdict}")
    for notice in report.notices:
        show_sentence(out, f"Note: {notice}", "yellow")


def _show_loop(out: Console, report: PortsReport, loop: LoopReport) -> None:
    show_sentence(out, _described(report.function, loop))
    estimates = loop.estimates
    table = Table(box=None, pad_edge=False)
    table.add_column("cycles per pass", no_wrap=True)
    for estimate in estimates:
        table.add_column(estimate.processor.name, justify="right", no_wrap=True)
    table.add_row(Text("estimated", style="bold"), *(figure(e.cycles) for e in estimates))
    for limit in loop.there.bounds:
        table.add_row(f"  limited by {limit} alone", *(figure(e.bounds[limit]) for e in estimates))
    unit = "pass" if loop.there.elements is None else "element"
    for what, values in (
        ("cycles per element", [e.cycles_of_element for e in estimates]),
        (f"ns per {unit}", [e.nanoseconds for e in estimates]),
    ):
        if None not in values:
            table.add_row(what, *(figure(value) for value in values if value is not None))
    out.print(table)
    for estimate in estimates:
        where = f"{estimate.processor.name}: " if len(estimates) > 1 else ""
        show_sentence(out, f"{where}{estimate.bottleneck}")
        show_sentence(out, f"{where}busy cycles of the ports: {_pressure(estimate)}")
    if loop.time is not None and loop.here is not None and report.measured_seconds is not None:
        time = loop.time
        show_sentence(
            out,
            f"time on {loop.there.processor.name}: {figure(time.value, 4)} s "
            f"({figure(time.lower, 4)} to {figure(time.upper, 4)} s), "
            f"measured on {loop.here.processor.name}: "
            f"{figure(report.measured_seconds, 4)} s",
        )


def _described(function: str, loop: LoopReport) -> str:
    """Say how large a loop is, what a pass of it handles, and where it lies."""
    bits, elements = loop.there.vector_bits, loop.there.elements
    parts = [
        counted(loop.instructions, "instruction"),
        f"{bits}-bit vectors" if bits else "scalar",
        f"{elements:g} {'element' if elements == 1 else 'elements'} per pass" if elements else "",
        f"nested {loop.depth} deep" if loop.depth > 1 else "not nested",
        f"the remainder of loop {loop.remainder_of}" if loop.remainder_of else "",
    ]
    return f"{function}, loop {loop.number}: {', '.join(filter(None, parts))}"


def _pressure(estimate: LoopEstimate) -> str:
    highest = max(estimate.ports.values(), default=0.0)
    shown = {name: cycles for name, cycles in estimate.ports.items() if cycles >= HARDLY_BUSY * highest}
    return ", ".join(f"{name} {figure(cycles)}" for name, cycles in shown.items())
