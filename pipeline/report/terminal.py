"""What a person reads in the terminal: tables and sentences made of a summary."""

import sys
from collections.abc import Mapping, Sequence
from typing import IO, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ingest.cpp_names import short_name
from pipeline.report.names import callpath_text
from pipeline.report.quantities import figure, percent

PIPED_WIDTH = 120
SURE = 0.9
CANNOT_TELL = "cannot tell"


def console(stream: IO[str] | None = None) -> Console:
    """Return a console that adapts to the terminal and writes plain text elsewhere."""
    stream = stream or sys.stdout
    if stream.isatty():
        return Console(file=stream, highlight=False)
    return Console(file=stream, highlight=False, width=PIPED_WIDTH, no_color=True, force_terminal=False)


def show_head(out: Console, summary: Mapping[str, Any]) -> None:
    """Say what was measured and how it scales."""
    points = summary["points"]
    ranges = ", ".join(_range(name, points) for name in summary["parameters"])
    repetitions = summary["total"]["quality"]["repetitions"]
    out.print(
        f"{len(points)} points ({ranges}), up to {repetitions} repetitions, "
        f"{len(summary['kernels'])} call paths in {len(summary['regions'])} regions",
        soft_wrap=True,
    )
    out.print(f"Scaling: {summary['scaling_reason']}", soft_wrap=True)


def _range(name: str, points: Sequence[Mapping[str, float]]) -> str:
    values = sorted({point[name] for point in points})
    if len(values) > 8:
        return f"{name} = {values[0]:g} .. {values[-1]:g}"
    return f"{name} = {' '.join(f'{v:g}' for v in values)}"


def show_ranking(out: Console, summary: Mapping[str, Any], *, by: str = "regions", limit: int = 15) -> None:
    """Print kernels as a ranked table, the largest at the target first.

    Args:
        out: where to.
        summary: the shape of summary.json.
        by: ``regions`` or ``kernels`` (call paths).
        limit: how many rows.
    """
    rows = summary[by]
    target = rows[0]["predictions"][-1]["at"] if rows else {}
    at = ", ".join(f"{name} = {value:g}" for name, value in target.items())
    unit = rows[0]["unit"] if rows else ""
    title = f"Largest {'regions' if by == 'regions' else 'call paths'} at {at} ({rows[0]['metric']}, {unit})"
    table = Table(title=title.replace(", )", ")"), title_justify="left", box=None, pad_edge=False)
    table.add_column("#", justify="right", style="dim")
    table.add_column("region" if by == "regions" else "call path", no_wrap=True)
    for name in ("share now", "at target", "predicted", "90 % interval"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("growth", no_wrap=True)
    table.add_column("grows", justify="right", no_wrap=True)
    width = max(24, out.width - 78)
    for rank, row in enumerate(rows[:limit], 1):
        table.add_row(str(rank), *_cells(row, width))
    out.print(table)
    if len(rows) > limit:
        out.print(f"and {len(rows) - limit} more, all in summary.json", style="dim")


def _cells(row: Mapping[str, Any], width: int) -> list[str | Text]:
    last = row["predictions"][-1]
    return [
        Text(callpath_text(row["callpath"], width)),
        percent(row["share_measured"]),
        percent(row["share_at_target"]),
        figure(last["value"]),
        f"{figure(last['lower'])} .. {figure(last['upper'])}",
        _growth(row),
        f"{100 * row['probability_growing']:.0f} %",
    ]


def _growth(row: Mapping[str, Any]) -> Text:
    text = row["growth"] if row["growth"] != "1" else "constant" if not row["model"]["terms"] else "falling"
    style = growth_style(row["growth"], row["probability_growing"], row["notes"])
    return Text(f"{text} ?" if CANNOT_TELL in row["notes"] else text, style=style)


def growth_style(growth: str, probability: float, notes: Sequence[str]) -> str:
    """Return the colour of a growth: red grows beyond doubt, yellow perhaps, green is constant or falls."""
    if CANNOT_TELL in notes:
        return "yellow"
    if growth == "1":
        return "green"
    return "red" if probability >= SURE else "yellow"


def show_total(out: Console, summary: Mapping[str, Any]) -> None:
    """Print the prediction of the whole program."""
    total = summary["total"]
    for prediction in total["predictions"]:
        at = ", ".join(f"{name} = {value:g}" for name, value in prediction["at"].items())
        interval = f"{figure(prediction['lower'])} .. {figure(prediction['upper'])}"
        out.print(
            f"Total at {at}: {figure(prediction['value'])} {total['unit']} (90 % interval {interval}), "
            f"the sum of the kernels' models"
        )


def show_crossovers(out: Console, summary: Mapping[str, Any], *, by: str = "regions", limit: int = 8) -> None:
    """Say which kernel overtakes which, and where."""
    found = summary["region_crossovers" if by == "regions" else "crossovers"]
    if found:
        out.print("Crossovers")
    for crossover in found[:limit]:
        ((name, scale),) = crossover["at"].items()
        where = "within the measured range" if crossover["measured"] else "beyond it"
        over, past = (_crossing_name(crossover[key], by) for key in ("overtakes", "overtaken"))
        out.print(Text(f"  {name} = {figure(scale)}: {over} overtakes {past} ({where})"), soft_wrap=True)
    if len(found) > limit:
        out.print(f"  and {len(found) - limit} more", style="dim")


def _crossing_name(callpath: Sequence[str], by: str) -> str:
    return short_name(callpath[-1]) if by == "regions" else callpath_text(callpath, 60)


def show_doubts(out: Console, summary: Mapping[str, Any]) -> None:
    """Say what limits the trust in the models, each remark once with the number of kernels it concerns."""
    counts: dict[str, int] = {}
    for row in summary["kernels"]:
        for note in row["notes"]:
            counts[note] = counts.get(note, 0) + 1
    for note, count in counts.items():
        everything = "all" if count == len(summary["kernels"]) else str(count)
        out.print(f"Note: {note} ({everything} call paths)", style="yellow", soft_wrap=True)


def show_result(out: Console, summary: Mapping[str, Any], *, by: str, limit: int) -> None:
    """Print head, ranking, crossovers, total and doubts."""
    show_head(out, summary)
    out.print()
    show_ranking(out, summary, by=by, limit=limit)
    out.print()
    show_crossovers(out, summary, by=by)
    show_total(out, summary)
    show_doubts(out, summary)


def show_models(out: Console, summary: Mapping[str, Any], *, by: str, limit: int) -> None:
    """Print formulas with their quality."""
    show_head(out, summary)
    table = Table(box=None, pad_edge=False)
    width = max(24, (out.width - 46) // 2)
    table.add_column("region" if by == "regions" else "call path", no_wrap=True)
    table.add_column("metric", no_wrap=True)
    table.add_column("model", overflow="fold", max_width=width)
    for name in ("grows", "SMAPE", "left out"):
        table.add_column(name, justify="right", no_wrap=True)
    rows = summary[by]
    for row in rows[:limit]:
        table.add_row(
            Text(callpath_text(row["callpath"], width)),
            Text(f"{row['metric']} {row['unit']}".rstrip()),
            Text(row["model"]["formula"]),
            f"{100 * row['probability_growing']:.0f} %",
            f"{row['quality']['smape']:.1f} %",
            f"{row['quality']['cv_smape']:.1f} %",
        )
    out.print(table)
    if len(rows) > limit:
        out.print(f"and {len(rows) - limit} more; --limit or --json shows them", style="dim")
    show_doubts(out, summary)


def show_predictions(out: Console, summary: Mapping[str, Any], *, by: str, limit: int) -> None:
    """Print the predictions of the largest kernels, a column per target."""
    rows = summary[by]
    table = Table(box=None, pad_edge=False)
    table.add_column("region" if by == "regions" else "call path", no_wrap=True)
    for prediction in summary["total"]["predictions"]:
        at = ", ".join(f"{name} = {value:g}" for name, value in prediction["at"].items())
        table.add_column(f"{at} ({summary['total']['unit']})", justify="right", no_wrap=True)
    width = max(24, out.width - 34 * len(summary["total"]["predictions"]))
    for row in [*rows[:limit], summary["total"]]:
        cells = [
            f"{figure(p['value'])} [{figure(p['lower'])} .. {figure(p['upper'])}]" for p in row["predictions"]
        ]
        table.add_row(Text(callpath_text(row["callpath"], width)), *(Text(cell) for cell in cells))
    out.print(table)
    out.print("in brackets the 90 % intervals for the expected value", style="dim")
