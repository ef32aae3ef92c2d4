"""Loops on processor cores, in the terminal and as JSON."""

from collections.abc import Mapping
from typing import Annotated, TypedDict

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.columns.loops import BOUNDS
from pipeline.projection.ports.loop_estimate import LoopEstimate, LoopReport, PortsReport
from pipeline.wording.quantities import counted, figure, number

_MOST_KINDS = 3
_IDLE = 0.05  # of the busiest port
_MOST_UNKNOWN = 4


def show_ports(out: Console, report: PortsReport) -> None:
    """Print the loops of a function, what limits each, and the time on the other processor."""
    for loop in report.loops:
        _show_loop(out, report, loop)
    if report.others:
        _print(out, f"{counted(report.others, 'more innermost loop')}: see --loop and --limit")
    for notice in _notices(report):
        out.print(Text(f"Note: {notice}"), style="yellow", soft_wrap=True)


def _show_loop(out: Console, report: PortsReport, loop: LoopReport) -> None:
    _print(
        out,
        f"{report.function}, loop {loop.number}: {counted(loop.instructions, 'instruction')}, "
        f"nested {loop.depth} deep",
    )
    estimates = [one for one in (loop.there, loop.here) if one is not None]
    table = Table(box=None, pad_edge=False)
    table.add_column("cycles per pass", no_wrap=True)
    for estimate in estimates:
        table.add_column(estimate.processor.name, justify="right", no_wrap=True)
    table.add_row(Text("estimated", style="bold"), *(figure(e.cycles) for e in estimates))
    for limit in BOUNDS:
        table.add_row(f"  limited by {limit} alone", *(figure(e.bounds[limit]) for e in estimates))
    out.print(table)
    for estimate in estimates:
        where = f"{estimate.processor.name}: " if len(estimates) > 1 else ""
        _print(out, f"{where}{bottleneck_sentence(estimate)}")
        _print(out, f"{where}busy cycles of the ports: {_pressure(estimate)}")
    if loop.time is not None and loop.here is not None and report.seconds is not None:
        time = loop.time
        _print(
            out,
            f"time on {loop.there.processor.name}: {figure(time.value, 4)} s "
            f"({figure(time.lower, 4)} .. {figure(time.upper, 4)}), measured on {loop.here.processor.name}: "
            f"{figure(report.seconds, 4)} s",
        )


def bottleneck_sentence(estimate: LoopEstimate) -> str:
    """Return what limits a loop, in a sentence."""
    if estimate.limit == "front end":
        many = figure(estimate.micro_operations)
        return f"the bottleneck is the front end: {many} micro-operations, {estimate.dispatch} a cycle"
    most = estimate.work[0][1] if estimate.work else 0.0
    leading = [entry for entry in estimate.work[:_MOST_KINDS] if entry[1] >= _IDLE * most]
    kinds = ", ".join(f"{kind} {figure(cycles)}" for kind, cycles in leading)
    ports = f"{'port' if len(estimate.busiest) == 1 else 'ports'} {', '.join(estimate.busiest)}: {kinds}"
    if estimate.limit == "ports":
        return f"the bottleneck is {ports}"
    return f"the bottleneck is latency: instructions wait for results of others; the busiest is {ports}"


def _pressure(estimate: LoopEstimate) -> str:
    highest = max(estimate.ports.values(), default=0.0)
    shown = {name: cycles for name, cycles in estimate.ports.items() if cycles >= _IDLE * highest}
    return ", ".join(f"{name} {figure(cycles)}" for name, cycles in shown.items())


def _print(out: Console, sentence: str) -> None:
    out.print(Text(sentence), soft_wrap=True)


def _notices(report: PortsReport) -> tuple[str, ...]:
    """Return the notices of the report and of its estimates, each once."""
    estimates = [e for loop in report.loops for e in (loop.there, loop.here) if e is not None]
    found = [f"cycles from {e.source}" for e in estimates[:1]]
    found += [note for e in estimates for note in e.notes]
    unknown = list(dict.fromkeys(text for e in estimates for text in e.unknown))
    if unknown:
        some = "; ".join(unknown[:_MOST_UNKNOWN])
        found.append(f"{counted(len(unknown), 'instruction')} without a known cost: {some}")
    return tuple(dict.fromkeys([*found, *report.notices]))


class PortWorkJson(TypedDict):
    """Cycles of the busiest ports by the kind of instructions."""

    kind: str
    cycles: float


class LoopEstimateJson(TypedDict):
    """What limits a loop on a processor: cycles per pass."""

    processor: str
    source: str
    cycles: float
    bounds: dict[str, float]
    limit: str
    bottleneck: Annotated[str, "what limits it, in a sentence"]
    busiest_ports: list[str]
    work: list[PortWorkJson]
    ports: Annotated[dict[str, float], "busy cycles by port"]
    micro_operations: float
    unknown: Annotated[list[str], "instructions without a known cost"]


class LoopTimeJson(TypedDict):
    """The time on the other processor in seconds, with its interval."""

    value: float
    lower: float
    upper: float
    cycle_ratio: float
    clock_ratio: float


LoopJson = TypedDict(
    "LoopJson",
    {
        "number": int,
        "instructions": int,
        "depth": int,
        "on": LoopEstimateJson,
        "from": LoopEstimateJson | None,
        "time": LoopTimeJson | None,
    },
)


class PortsJson(TypedDict):
    """What limits the loops of a function."""

    file: str
    function: str
    measured_seconds: float | None
    loops: list[LoopJson]
    other_loops: Annotated[int, "how many are left out"]
    notices: list[str]


def ports_json(report: PortsReport) -> PortsJson:
    """Return the loops of a function as plain data."""
    return {
        "file": str(report.path),
        "function": report.function,
        "measured_seconds": None if report.seconds is None else number(report.seconds),
        "loops": [_loop_json(loop) for loop in report.loops],
        "other_loops": report.others,
        "notices": list(_notices(report)),
    }


def _loop_json(loop: LoopReport) -> LoopJson:
    time = loop.time
    return {
        "number": loop.number,
        "instructions": loop.instructions,
        "depth": loop.depth,
        "on": _estimate_json(loop.there),
        "from": _estimate_json(loop.here) if loop.here else None,
        "time": None
        if time is None
        else {
            "value": number(time.value),
            "lower": number(time.lower),
            "upper": number(time.upper),
            "cycle_ratio": number(time.ratio),
            "clock_ratio": number(time.clocks),
        },
    }


def _estimate_json(estimate: LoopEstimate) -> LoopEstimateJson:
    return {
        "processor": estimate.processor.key,
        "source": estimate.source,
        "cycles": number(estimate.cycles),
        "bounds": _numbers(estimate.bounds),
        "limit": estimate.limit,
        "bottleneck": bottleneck_sentence(estimate),
        "busiest_ports": list(estimate.busiest),
        "work": [{"kind": kind, "cycles": number(cycles)} for kind, cycles in estimate.work],
        "ports": _numbers(estimate.ports),
        "micro_operations": number(estimate.micro_operations),
        "unknown": list(estimate.unknown),
    }


def _numbers(values: Mapping[str, float]) -> dict[str, float]:
    return {name: number(value) for name, value in values.items()}
