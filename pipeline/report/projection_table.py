"""Projections, and the applications and machines that are shipped, in the terminal and as JSON."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.projection.application import Application, Input
from pipeline.projection.machine import Machine
from pipeline.projection.project import Line, Projection
from pipeline.projection.units import NONE
from pipeline.report.formatting import figure, number, percent

NO_SPREAD = "no spread stated"
DIGITS = 5
_LARGEST_WHOLE = 1e6


def show_projection(out: Console, projection: Projection) -> None:
    """Print the breakdown with intervals, the machine's other variants, and the notices."""
    _print(out, f"{projection.title} on {projection.machine}{_variant(projection)}")
    if projection.at:
        _print(out, "at " + ", ".join(f"{name} = {_plain(value)}" for name, value in projection.at.items()))
    out.print(_breakdown(projection))
    if projection.definitions:
        defined = ", ".join(
            f"{x.path[-1]} = {_plain(x.value)} {_unit(x)}".rstrip() for x in projection.definitions
        )
        out.print(Text(f"with {defined}"), soft_wrap=True, style="dim")
    _show_variants(out, projection)
    _show_measured(out, projection)
    _show_profile(out, projection)
    for notice in projection.notices:
        out.print(Text(f"Note: {notice}"), style="yellow", soft_wrap=True)


def _plain(value: float) -> str:
    """Write an input or a count with all its digits below a million, rounded from there on."""
    return figure(value) if abs(value) >= _LARGEST_WHOLE else f"{value:.6g}"


def _print(out: Console, sentence: str) -> None:
    out.print(Text(sentence), soft_wrap=True)


def _variant(projection: Projection) -> str:
    return f", {projection.variant}" if projection.variants else ""


def _breakdown(projection: Projection) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("part", no_wrap=True)
    for name in (_unit(projection.total) or "value", f"{100 * projection.level:g} % interval", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in projection.parts:
        name = "  " * (len(line.path) - 1) + line.path[-1]
        unit = "" if line.dimension == projection.total.dimension else f" {_unit(line)}"
        share = "" if line.share is None else percent(line.share)
        table.add_row(Text(name), figure(line.value, DIGITS) + unit, _interval(line), share)
    total = projection.total
    table.add_row(Text("total", style="bold"), figure(total.value, DIGITS), _interval(total), "")
    return table


def _unit(line: Line) -> str:
    return "" if line.dimension == NONE else str(line.dimension)


def _interval(line: Line) -> str:
    if line.lower == line.upper:
        return NO_SPREAD
    return f"{figure(line.lower, DIGITS)} .. {figure(line.upper, DIGITS)}"


def _show_variants(out: Console, projection: Projection) -> None:
    for variant in projection.variants:
        if variant.total is None or variant.loss is None:
            _print(out, f"{variant.name}: no total: {variant.reason}")
            continue
        total = f"{figure(variant.total.value, DIGITS)} {_unit(variant.total)}"
        _print(out, f"{variant.name}: {total}, {_compared(projection.variant, variant.loss)}")


def _compared(usual: str, loss: Line) -> str:
    if loss.value >= 0:
        return f"{usual} loses {100 * loss.value:.1f} % against it ({_percents(loss.lower, loss.upper)})"
    return f"{usual} takes {-100 * loss.value:.1f} % less ({_percents(-loss.upper, -loss.lower)})"


def _percents(lower: float, upper: float) -> str:
    return f"{100 * lower:.1f} .. {100 * upper:.1f} %"


def _show_measured(out: Console, projection: Projection) -> None:
    if projection.measured is not None:
        off = 100 * (projection.total.value / projection.measured - 1)
        _print(out, f"measured: {figure(projection.measured, DIGITS)}, the projection is off by {off:+.1f} %")
    if projection.speedup is not None and projection.profile is not None:
        ratio = projection.speedup
        reference = f"{figure(projection.profile.reference, DIGITS)} s on {projection.profile.machine}"
        ends = f"{ratio.lower:.2f} .. {ratio.upper:.2f}"
        _print(out, f"speed-up: {ratio.value:.2f} ({ends}) over {reference}")


def _show_profile(out: Console, projection: Projection) -> None:
    for name, found in projection.profile.verdicts.items() if projection.profile else ():
        _print(out, f"{name}: {found.sentence}")


def projection_json(projection: Projection) -> dict[str, Any]:
    """Return a projection as plain data: the total, the breakdown and the machine's other variants."""
    return {
        "title": projection.title,
        "machine": projection.machine,
        "at": {name: number(value) for name, value in projection.at.items()},
        "total": _line_json(projection.total),
        "breakdown": [_line_json(line) for line in projection.parts],
        "variants": [
            {
                "name": variant.name,
                "total": _line_json(variant.total) if variant.total else None,
                "loss": _line_json(variant.loss) if variant.loss else None,
                "reason": variant.reason,
            }
            for variant in projection.variants
        ],
        "notices": list(projection.notices),
    }


def _line_json(line: Line) -> dict[str, Any]:
    return {
        "path": list(line.path),
        "value": number(line.value),
        "lower": number(line.lower),
        "upper": number(line.upper),
        "unit": str(_unit(line)),
        "share": None if line.share is None else number(line.share),
    }


def show_shipped(out: Console, applications: Sequence[Application], machines: Sequence[Machine]) -> None:
    """Print the shipped applications and machines: name, description, source."""
    given = [(x.path.stem, f"{x.title}{_needs(x)}", x.source) for x in applications]
    out.print(_listing("application", given))
    out.print()
    stated = [(x.path.stem, f"{x.name}{_offers(x)}", x.source) for x in machines]
    out.print(_listing("machine", stated))


def _listing(kind: str, rows: Sequence[tuple[str, str, str]]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(kind, no_wrap=True)
    table.add_column("description")
    table.add_column("source")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _needs(application: Application) -> str:
    required = [entry.name for entry in application.inputs.values() if entry.default is None]
    return f" (--at {', '.join(required)})" if required else ""


def _offers(machine: Machine) -> str:
    return f" (--variant {', '.join((machine.variant, *machine.variants))})" if machine.variants else ""


def shipped_json(applications: Sequence[Application], machines: Sequence[Machine]) -> dict[str, Any]:
    """Return the shipped applications and machines as plain data."""
    return {
        "applications": [
            {
                "name": application.path.stem,
                "title": application.title,
                "source": application.source,
                "machine": application.machine,
                "inputs": [_input_json(entry) for entry in application.inputs.values()],
            }
            for application in applications
        ],
        "machines": [
            {
                "name": machine.path.stem,
                "title": machine.name,
                "source": machine.source,
                "variants": [machine.variant, *machine.variants] if machine.variants else [],
            }
            for machine in machines
        ],
    }


def _input_json(entry: Input) -> dict[str, Any]:
    return {
        "name": entry.name,
        "meaning": entry.meaning,
        "unit": "" if entry.dimension == NONE else str(entry.dimension),
        "default": None if entry.default is None else number(entry.default),
    }
