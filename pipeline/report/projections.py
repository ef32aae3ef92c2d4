"""Projections and sweeps, and the applications and machines that are shipped, in the terminal."""

from collections.abc import Sequence

from rich.console import Console

from ingest.units import unit_text
from pipeline.columns.projections import exact_figure, projection_table, totals_table
from pipeline.projection.applications.projections import ApplicationProjection, ProjectedValue, Sweep
from pipeline.report.render.console import show_sentence
from pipeline.report.render.terminal_tables import show_notes, show_table, terminal_table
from pipeline.wording.quantities import (
    estimate_text,
    figure,
    percent,
    point_text,
    signed_percent,
    spoken_interval,
    value_text,
)

_LARGEST_WHOLE = 1e6
_MOST_CROSSING = 6  # sentences on who overtakes whom


def show_projection(out: Console, projection: ApplicationProjection, details: bool) -> None:
    """Print the breakdown with intervals, the machine's other variants, and notices; `details` define it."""
    show_sentence(out, _heading_of(projection))
    if projection.at:
        show_sentence(
            out, "at " + ", ".join(f"{name} = {_plain(value)}" for name, value in projection.at.items())
        )
    table = projection_table(projection)
    paths = [line.path for line in (*projection.parts, projection.total)]
    indented = ["  " * (len(path) - 1) + path[-1] for path in paths]
    out.print(terminal_table(table, out.width, names=lambda _: indented))
    if details and projection.definitions:
        defined = ", ".join(
            f"{x.path[-1]} = {_plain(x.value)} {unit_text(x.dimension)}".rstrip()
            for x in projection.definitions
        )
        show_sentence(out, f"with {defined}", "dim")
    for variant in projection.variants:
        if variant.total is None or variant.loss is None:
            show_sentence(out, f"{variant.name}: no total: {variant.reason}")
            continue
        total = f"{exact_figure(variant.total.value)} {unit_text(variant.total.dimension)}"
        show_sentence(out, f"{variant.name}: {total}, {_compared(projection.variant, variant.loss)}")
    _show_measured(out, projection)
    for group, verdict in projection.verdicts.items():
        show_sentence(out, f"{group}: {verdict.sentence}")
    show_notes(out, table.notes)


def _plain(value: float) -> str:
    """Write an input or a count with all its digits below a million, rounded from there on."""
    return figure(value) if abs(value) >= _LARGEST_WHOLE else value_text(value)


def _heading_of(projection: ApplicationProjection) -> str:
    """Return which application is projected to which machine."""
    variant = f", {projection.variant}" if projection.variants else ""
    return f"{projection.title} on {projection.machine}{variant}"


def _compared(usual: str, loss: ProjectedValue) -> str:
    if loss.value >= 0:
        interval = spoken_interval(loss.lower, loss.upper, percent)
        return f"{usual} loses {percent(loss.value)} against it ({interval})"
    interval = spoken_interval(-loss.upper, -loss.lower, percent)
    return f"{usual} takes {percent(-loss.value)} less ({interval})"


def _show_measured(out: Console, projection: ApplicationProjection) -> None:
    if projection.measured is not None:
        measured = projection.measured
        off = signed_percent(measured.error)
        show_sentence(out, f"measured: {exact_figure(measured.value)}, the projection is off by {off}")
    if projection.speedup is not None and projection.reference is not None:
        ratio = projection.speedup
        reference = f"{exact_figure(projection.reference.value)} s on {projection.reference.machine}"
        show_sentence(
            out, f"speed-up: {estimate_text(ratio.value, ratio.lower, ratio.upper)} over {reference}"
        )


def show_sweep(out: Console, sweep: Sweep, crossing: Sequence[str] = ()) -> None:
    """Print one row per value: the outermost parts, the total with its interval, totals of other variants."""
    first = sweep.projections[0]
    show_sentence(out, _heading_of(first))
    if others := {name: value for name, value in first.at.items() if name != sweep.swept}:
        show_sentence(out, f"at {point_text(others)}")
    show_table(out, totals_table(sweep, _once(sweep)))
    for sentence in crossing[:_MOST_CROSSING]:
        show_sentence(out, sentence)
    if (more := len(crossing) - _MOST_CROSSING) > 0:
        show_sentence(out, f"... and {more} more")


def _once(sweep: Sweep) -> list[str]:
    """Return every notice once, with the first value that it holds for unless it holds for all."""
    holds: dict[str, list[float]] = {}
    for projection in sweep.projections:
        for notice in projection.notices:
            holds.setdefault(notice, []).append(projection.at[sweep.swept])
    return [
        notice
        if len(values) == len(sweep.projections)
        else f"{notice} ({point_text({sweep.swept: values[0]})})"
        for notice, values in holds.items()
    ]
