"""Projections and sweeps, and the applications and machines that are shipped: in the terminal and as JSON."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

from rich.console import Console
from rich.text import Text

from pipeline.columns.projections import exact_figure, projection_table, tables_of_shipped, totals_table
from pipeline.projection.applications.application import ApplicationFile, ApplicationInput
from pipeline.projection.applications.projections import ApplicationProjection, ProjectedValue
from pipeline.projection.expressions.units import NONE
from pipeline.projection.machines.machine_values import Machine
from pipeline.projection.rooflines.rooflines import Roofline
from pipeline.report.render.terminal_tables import show_notes, show_table, terminal_table
from pipeline.wording.quantities import (
    estimate_text,
    figure,
    interval_text,
    number,
    percent,
    point_text,
    signed_percent,
    value_text,
)

LARGEST_WHOLE = 1e6


def show_projection(out: Console, projection: ApplicationProjection) -> None:
    """Print the breakdown with intervals, the machine's other variants, and the notices."""
    _print(out, heading_of(projection))
    if projection.at:
        _print(out, "at " + ", ".join(f"{name} = {_plain(value)}" for name, value in projection.at.items()))
    document = projection_json(projection)
    table = projection_table(document)
    paths = [line["path"] for line in (*document["breakdown"], document["total"])]
    indented = ["  " * (len(path) - 1) + path[-1] for path in paths]
    out.print(terminal_table(table, out.width, names=lambda _: indented))
    if projection.definitions:
        defined = ", ".join(
            f"{x.path[-1]} = {_plain(x.value)} {_unit(x)}".rstrip() for x in projection.definitions
        )
        out.print(Text(f"with {defined}"), soft_wrap=True, style="dim")
    _show_variants(out, projection)
    _show_measured(out, projection)
    _show_profile(out, projection)
    show_notes(out, table.notes)


def _plain(value: float) -> str:
    """Write an input or a count with all its digits below a million, rounded from there on."""
    return figure(value) if abs(value) >= LARGEST_WHOLE else value_text(value)


def _print(out: Console, sentence: str) -> None:
    out.print(Text(sentence), soft_wrap=True)


def heading_of(projection: ApplicationProjection) -> str:
    """Return which application is projected to which machine."""
    variant = f", {projection.variant}" if projection.variants else ""
    return f"{projection.title} on {projection.machine}{variant}"


def _unit(line: ProjectedValue) -> str:
    return "" if line.dimension == NONE else str(line.dimension)


def _show_variants(out: Console, projection: ApplicationProjection) -> None:
    for variant in projection.variants:
        if variant.total is None or variant.loss is None:
            _print(out, f"{variant.name}: no total: {variant.reason}")
            continue
        total = f"{exact_figure(variant.total.value)} {_unit(variant.total)}"
        _print(out, f"{variant.name}: {total}, {_compared(projection.variant, variant.loss)}")


def _compared(usual: str, loss: ProjectedValue) -> str:
    if loss.value >= 0:
        interval = interval_text(loss.lower, loss.upper, percent)
        return f"{usual} loses {percent(loss.value)} against it [{interval}]"
    interval = interval_text(-loss.upper, -loss.lower, percent)
    return f"{usual} takes {percent(-loss.value)} less [{interval}]"


def _show_measured(out: Console, projection: ApplicationProjection) -> None:
    if projection.measured is not None:
        off = signed_percent(projection.total.value / projection.measured - 1)
        _print(out, f"measured: {exact_figure(projection.measured)}, the projection is off by {off}")
    if projection.speedup is not None and projection.profile is not None:
        ratio = projection.speedup
        reference = f"{exact_figure(projection.profile.reference)} s on {projection.profile.machine}"
        _print(out, f"speed-up: {estimate_text(ratio.value, ratio.lower, ratio.upper)} over {reference}")


def _show_profile(out: Console, projection: ApplicationProjection) -> None:
    for verdict in _verdicts(projection):
        _print(out, f"{verdict['group']}: {verdict['sentence']}")


def _verdicts(projection: ApplicationProjection) -> list["GroupVerdictJson"]:
    """Return what limits every group of the profile where it was measured."""
    return [
        {"group": name, "limited_by": found.bound.value, "sentence": found.sentence}
        for name, found in (projection.profile.verdicts.items() if projection.profile else ())
    ]


class ProjectedValueJson(TypedDict):
    """A value of a breakdown with its interval."""

    path: list[str]
    value: float
    lower: float
    upper: float
    unit: str
    share: Annotated[float | None, "of the total"]


class VariantJson(TypedDict):
    """Another variant of the machine."""

    name: str
    total: ProjectedValueJson | None
    loss: ProjectedValueJson | None
    reason: Annotated[str, "why there is no total"]


class MeasuredTotalJson(TypedDict):
    """What was measured, and the relative error of the projection."""

    value: float
    error: float


class ReferenceJson(TypedDict):
    """The machine that a profile was measured on, and the seconds there."""

    machine: str
    value: float


class GroupVerdictJson(TypedDict):
    """What limits a group of regions where it was measured."""

    group: str
    limited_by: str
    sentence: str


class RooflinePointJson(TypedDict):
    """A region that was counted."""

    name: str
    run: str
    level: str
    intensity: Annotated[float, "flop/B"]
    rate: Annotated[float, "flop/s"]


class RooflineJson(TypedDict):
    """Ceilings of a machine, and the regions below them."""

    bandwidths: Annotated[dict[str, float], "B/s"]
    peaks: Annotated[dict[str, float], "flop/s"]
    points: list[RooflinePointJson]


class ProjectionJson(TypedDict):
    """An application on a machine: total, parts, definitions, other variants."""

    title: str
    machine: str
    variant: str
    level: Annotated[float, "of the intervals"]
    at: dict[str, float]
    total: ProjectedValueJson
    breakdown: list[ProjectedValueJson]
    definitions: list[ProjectedValueJson]
    variants: list[VariantJson]
    measured: MeasuredTotalJson | None
    reference: ReferenceJson | None
    speedup: ProjectedValueJson | None
    verdicts: list[GroupVerdictJson]
    roofline: RooflineJson | None
    notices: list[str]


class SweepJson(TypedDict):
    """Projections over an input with several values."""

    swept: str
    projections: list[ProjectionJson]


class InputJson(TypedDict):
    """An input of an application."""

    name: str
    meaning: str
    unit: str
    default: Annotated[float | None, "null if it must be given"]


class ShippedApplicationJson(TypedDict):
    """An application that is shipped."""

    name: str
    title: str
    source: str
    reproduces: str
    machine: Annotated[str | None, "that it is projected to by default"]
    inputs: list[InputJson]


class MachineValueJson(TypedDict):
    """A value of a machine."""

    value: float
    unit: str


class ShippedMachineJson(TypedDict):
    """A machine that is shipped."""

    name: str
    title: str
    source: str
    covers: list[str]
    variants: list[str]
    values: dict[str, MachineValueJson]


class MachinesJson(TypedDict):
    """The machines that are shipped."""

    machines: list[ShippedMachineJson]


class ShippedJson(MachinesJson):
    """The applications and machines that are shipped."""

    applications: list[ShippedApplicationJson]


def projection_json(projection: ApplicationProjection) -> ProjectionJson:
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
        "roofline": _roofline_json(profile.roofline) if profile and profile.roofline else None,
        "notices": list(projection.notices),
    }


def _roofline_json(roofline: Roofline) -> RooflineJson:
    """Return ceilings in B/s and flop/s, and the regions that were counted, in flop/B and flop/s."""
    return {
        "bandwidths": {name: number(value) for name, value in roofline.bandwidths.items()},
        "peaks": {name: number(value) for name, value in roofline.peaks.items()},
        "points": [
            {
                "name": point.name,
                "run": point.run,
                "level": point.level,
                "intensity": number(point.intensity),
                "rate": number(point.flop_rate),
            }
            for point in roofline.points
        ],
    }


def _line_json(line: ProjectedValue) -> ProjectedValueJson:
    return {
        "path": list(line.path),
        "value": number(line.value),
        "lower": number(line.lower),
        "upper": number(line.upper),
        "unit": str(_unit(line)),
        "share": None if line.share is None else number(line.share),
    }


def show_shipped(out: Console, shipped: Mapping[str, Any]) -> None:
    """Print applications, then machines: name, description, source; of what `shipped_json` returns."""
    for place, table in enumerate(tables_of_shipped(shipped)):
        if place:
            out.print()
        show_table(out, table)


def shipped_json(applications: Sequence[ApplicationFile], machines: Sequence[Machine]) -> ShippedJson:
    """Return the shipped applications and machines as plain data."""
    return {
        "applications": [
            {
                "name": application.path.stem,
                "title": application.title,
                "source": application.source,
                "reproduces": application.reproduces,
                "machine": application.machine,
                "inputs": [_input_json(entry) for entry in application.inputs.values()],
            }
            for application in applications
        ],
        "machines": machines_json(machines),
    }


def machines_json(machines: Sequence[Machine]) -> list[ShippedMachineJson]:
    """Return machines as plain data."""
    return [
        {
            "name": machine.path.stem,
            "title": machine.name,
            "source": machine.source,
            "covers": list(machine.covers),
            "variants": [machine.variant, *machine.variants] if machine.variants else [],
            "values": {
                name: {
                    "value": number(one.value),
                    "unit": "" if one.dimension == NONE else str(one.dimension),
                }
                for name, one in machine.values.items()
            },
        }
        for machine in machines
    ]


def _input_json(entry: ApplicationInput) -> InputJson:
    return {
        "name": entry.name,
        "meaning": entry.meaning,
        "unit": "" if entry.dimension == NONE else str(entry.dimension),
        "default": None if entry.default is None else number(entry.default),
    }


def sweep_json(projections: Sequence[ApplicationProjection], swept: str) -> SweepJson:
    """Return projections as plain data: which input has several values, and a projection for each."""
    return {"swept": swept, "projections": [projection_json(projection) for projection in projections]}


def show_sweep(out: Console, projections: Sequence[ApplicationProjection], swept: str) -> None:
    """Print one row per value: the outermost parts, the total with its interval, totals of other variants."""
    first = projections[0]
    _print(out, heading_of(first))
    if others := {name: value for name, value in first.at.items() if name != swept}:
        _print(out, f"at {point_text(others)}")
    show_table(out, totals_table(sweep_json(projections, swept), _once(projections, swept)))


def _once(projections: Sequence[ApplicationProjection], swept: str) -> list[str]:
    """Return every notice once, with the first value that it holds for unless it holds for all."""
    holds: dict[str, list[float]] = {}
    for projection in projections:
        for notice in projection.notices:
            holds.setdefault(notice, []).append(projection.at[swept])
    return [
        notice if len(values) == len(projections) else f"{notice} ({point_text({swept: values[0]})})"
        for notice, values in holds.items()
    ]
