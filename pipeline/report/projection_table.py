"""A projection as a person reads it in the terminal."""

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.projection.project import Line, Projection
from pipeline.projection.units import NONE
from pipeline.report.formatting import figure, number, percent

_DIGITS = 5


def show_projection(out: Console, projection: Projection) -> None:
    """Print the breakdown with intervals, the machine's other variants, and what has to be known."""
    _say(out, f"{projection.title} on {projection.machine}{_variant(projection)}")
    if projection.at:
        _say(out, "at " + ", ".join(f"{name} = {value:.6g}" for name, value in projection.at.items()))
    out.print(_breakdown(projection))
    if projection.definitions:
        defined = ", ".join(
            f"{x.path[-1]} = {x.value:.6g} {_unit(x)}".rstrip() for x in projection.definitions
        )
        out.print(Text(f"with {defined}"), soft_wrap=True, style="dim")
    _show_variants(out, projection)
    _show_measured(out, projection)
    _show_profile(out, projection)
    for notice in projection.notices:
        out.print(Text(f"Note: {notice}"), style="yellow", soft_wrap=True)


def _say(out: Console, sentence: str) -> None:
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
        table.add_row(Text(name), figure(line.value, _DIGITS) + unit, _interval(line), share)
    total = projection.total
    table.add_row(Text("total", style="bold"), figure(total.value, _DIGITS), _interval(total), "")
    return table


def _unit(line: Line) -> str:
    return "" if line.dimension == NONE else str(line.dimension)


def _interval(line: Line) -> str:
    if line.lower == line.upper:
        return "no spread stated"
    return f"{figure(line.lower, _DIGITS)} .. {figure(line.upper, _DIGITS)}"


def _show_variants(out: Console, projection: Projection) -> None:
    for variant in projection.variants:
        if variant.total is None or variant.loss is None:
            _say(out, f"{variant.name}: no total here, {variant.reason}")
            continue
        total = f"{figure(variant.total.value, _DIGITS)} {_unit(variant.total)}"
        _say(out, f"{variant.name}: {total}, {_compared(projection.variant, variant.loss)}")


def _compared(usual: str, loss: Line) -> str:
    if loss.value >= 0:
        return f"{usual} loses {100 * loss.value:.1f} % against it ({_percents(loss.lower, loss.upper)})"
    return f"{usual} takes {-100 * loss.value:.1f} % less ({_percents(-loss.upper, -loss.lower)})"


def _percents(lower: float, upper: float) -> str:
    return f"{100 * lower:.1f} .. {100 * upper:.1f} %"


def _show_measured(out: Console, projection: Projection) -> None:
    if projection.measured is not None:
        off = 100 * (projection.total.value / projection.measured - 1)
        _say(out, f"measured: {figure(projection.measured, _DIGITS)}, the projection is {off:+.1f} % off")
    if projection.speedup is not None and projection.profile is not None:
        ratio = projection.speedup
        reference = f"{figure(projection.profile.reference, _DIGITS)} s on {projection.profile.machine}"
        ends = f"{ratio.lower:.2f} .. {ratio.upper:.2f}"
        _say(out, f"speed-up: {ratio.value:.2f} ({ends}) over {reference}")


def _show_profile(out: Console, projection: Projection) -> None:
    for verdict in projection.profile.verdicts if projection.profile else ():
        _say(out, verdict.sentence)


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
