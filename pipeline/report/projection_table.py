"""Projections, and the applications and machines that are shipped, in the terminal and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.projection.applications.application import ApplicationFile, ApplicationInput
from pipeline.projection.applications.projections import ApplicationProjection, ProjectedValue
from pipeline.projection.expressions.units import NONE
from pipeline.projection.machines.machine_values import Machine
from pipeline.wording.part_rounding import Part, amount_text, last_digit, rounded_to_sum, share_texts
from pipeline.wording.quantities import figure, number

NO_SPREAD = "no spread stated"
DIGITS = 5
_LARGEST_WHOLE = 1e6


def show_projection(out: Console, projection: ApplicationProjection) -> None:
    """Print the breakdown with intervals, the machine's other variants, and the notices."""
    _print(out, heading_of(projection))
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


def heading_of(projection: ApplicationProjection) -> str:
    """Return which application is projected to which machine."""
    variant = f", {projection.variant}" if projection.variants else ""
    return f"{projection.title} on {projection.machine}{variant}"


def _breakdown(projection: ApplicationProjection) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("part", no_wrap=True)
    for name in (_unit(projection.total) or "value", f"{100 * projection.level:g} % interval", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    total = _line_json(projection.total)
    for line in shown_lines([_line_json(line) for line in projection.parts], total):
        *above, name = line.path
        table.add_row(Text("  " * len(above) + name), line.value, line.interval, line.share)
    (whole,) = shown_lines([total], total)
    table.add_row(Text("total", style="bold"), whole.value, whole.interval, "")
    return table


@dataclass(frozen=True)
class ShownLine:
    """A line of a breakdown as people read it."""

    path: tuple[str, ...]
    value: str
    interval: str
    share: str


def shown_lines(lines: Sequence[Mapping[str, Any]], total: Mapping[str, Any]) -> list[ShownLine]:
    """Return lines of a breakdown rounded to the digits of the total, so that they still add up.

    Lines in another unit than the total are rounded by themselves.

    Args:
        lines: as in `projection_json`.
        total: the same.
    """
    unit = last_digit(total["value"], DIGITS)
    own = [_part(line, line["value"]) for line in lines if line["unit"] == total["unit"]]
    rounded = dict(zip((part.path for part in own), rounded_to_sum(own, total["value"], unit), strict=True))
    shared = [_part(line, line["share"]) for line in lines if line["share"] is not None]
    share_of = dict(zip((part.path for part in shared), share_texts(shared), strict=True))

    def shown(line: Mapping[str, Any]) -> ShownLine:
        path = tuple(line["path"])
        if path not in rounded:
            value = f"{figure(line['value'], DIGITS)} {line['unit']}".rstrip()
            ends = [figure(line[end], DIGITS) for end in ("lower", "upper")]
        else:
            value = amount_text(rounded[path], line["value"], unit, DIGITS)
            ends = [
                amount_text(round(line[end] / unit) * unit, line[end], unit, DIGITS)
                for end in ("lower", "upper")
            ]
        interval = NO_SPREAD if line["lower"] == line["upper"] else " .. ".join(ends)
        return ShownLine(path, value, interval, share_of.get(path, ""))

    return [shown(line) for line in lines]


def _unit(line: ProjectedValue) -> str:
    return "" if line.dimension == NONE else str(line.dimension)


def _part(line: Mapping[str, Any], value: float) -> Part:
    return Part(tuple(line["path"]), value, line["upper"] - line["lower"])


def _show_variants(out: Console, projection: ApplicationProjection) -> None:
    for variant in projection.variants:
        if variant.total is None or variant.loss is None:
            _print(out, f"{variant.name}: no total: {variant.reason}")
            continue
        total = f"{figure(variant.total.value, DIGITS)} {_unit(variant.total)}"
        _print(out, f"{variant.name}: {total}, {_compared(projection.variant, variant.loss)}")


def _compared(usual: str, loss: ProjectedValue) -> str:
    if loss.value >= 0:
        return f"{usual} loses {100 * loss.value:.1f} % against it ({_percents(loss.lower, loss.upper)})"
    return f"{usual} takes {-100 * loss.value:.1f} % less ({_percents(-loss.upper, -loss.lower)})"


def _percents(lower: float, upper: float) -> str:
    return f"{100 * lower:.1f} .. {100 * upper:.1f} %"


def _show_measured(out: Console, projection: ApplicationProjection) -> None:
    if projection.measured is not None:
        off = 100 * (projection.total.value / projection.measured - 1)
        _print(out, f"measured: {figure(projection.measured, DIGITS)}, the projection is off by {off:+.1f} %")
    if projection.speedup is not None and projection.profile is not None:
        ratio = projection.speedup
        reference = f"{figure(projection.profile.reference, DIGITS)} s on {projection.profile.machine}"
        ends = f"{ratio.lower:.2f} .. {ratio.upper:.2f}"
        _print(out, f"speed-up: {ratio.value:.2f} ({ends}) over {reference}")


def _show_profile(out: Console, projection: ApplicationProjection) -> None:
    for verdict in _verdicts(projection):
        _print(out, f"{verdict['group']}: {verdict['sentence']}")


def _verdicts(projection: ApplicationProjection) -> list[dict[str, str]]:
    """Return what limits every group of the profile where it was measured."""
    return [
        {"group": name, "limited_by": found.bound.value, "sentence": found.sentence}
        for name, found in (projection.profile.verdicts.items() if projection.profile else ())
    ]


def projection_json(projection: ApplicationProjection) -> dict[str, Any]:
    """Return a projection as plain data: all that `show_projection` prints."""
    measured, profile = projection.measured, projection.profile
    return {
        "title": projection.title,
        "machine": projection.machine,
        "variant": projection.variant,
        "level": projection.level,
        "at": {name: number(value) for name, value in projection.at.items()},
        "total": _line_json(projection.total),
        "breakdown": [_line_json(line) for line in projection.parts],
        "definitions": [_line_json(line) for line in projection.definitions],
        "variants": [
            {
                "name": variant.name,
                "total": _line_json(variant.total) if variant.total else None,
                "loss": _line_json(variant.loss) if variant.loss else None,
                "reason": variant.reason,
            }
            for variant in projection.variants
        ],
        "measured": None
        if measured is None
        else {"value": number(measured), "error": number(projection.total.value / measured - 1)},
        "reference": {"machine": profile.machine, "value": number(profile.reference)} if profile else None,
        "speedup": _line_json(projection.speedup) if projection.speedup else None,
        "verdicts": _verdicts(projection),
        "notices": list(projection.notices),
    }


def _line_json(line: ProjectedValue) -> dict[str, Any]:
    return {
        "path": list(line.path),
        "value": number(line.value),
        "lower": number(line.lower),
        "upper": number(line.upper),
        "unit": str(_unit(line)),
        "share": None if line.share is None else number(line.share),
    }


def show_shipped(out: Console, applications: Sequence[ApplicationFile], machines: Sequence[Machine]) -> None:
    """Print the shipped applications and machines: name, description, source."""
    given = [(x.path.stem, f"{x.title}{_needs(x)}", x.source) for x in applications]
    out.print(_listing("application", given))
    out.print()
    show_machines(out, machines)


def show_machines(out: Console, machines: Sequence[Machine]) -> None:
    """Print machines: name, description, what is described, source."""
    stated = [(x.path.stem, f"{x.name}{_offers(x)}{_covers(x)}", x.source) for x in machines]
    out.print(_listing("machine", stated))


def _listing(kind: str, rows: Sequence[tuple[str, str, str]]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(kind, no_wrap=True)
    table.add_column("description")
    table.add_column("source")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _needs(application: ApplicationFile) -> str:
    required = [entry.name for entry in application.inputs.values() if entry.default is None]
    return f" (--at {', '.join(required)})" if required else ""


def _offers(machine: Machine) -> str:
    return f" (--variant {', '.join((machine.variant, *machine.variants))})" if machine.variants else ""


def _covers(machine: Machine) -> str:
    return f"; {' and '.join(machine.covers)}" if machine.covers else ""


def shipped_json(applications: Sequence[ApplicationFile], machines: Sequence[Machine]) -> dict[str, Any]:
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
        "machines": machines_json(machines),
    }


def machines_json(machines: Sequence[Machine]) -> list[dict[str, Any]]:
    """Return machines as plain data."""
    return [
        {
            "name": machine.path.stem,
            "title": machine.name,
            "source": machine.source,
            "covers": list(machine.covers),
            "variants": [machine.variant, *machine.variants] if machine.variants else [],
        }
        for machine in machines
    ]


def _input_json(entry: ApplicationInput) -> dict[str, Any]:
    return {
        "name": entry.name,
        "meaning": entry.meaning,
        "unit": "" if entry.dimension == NONE else str(entry.dimension),
        "default": None if entry.default is None else number(entry.default),
    }
