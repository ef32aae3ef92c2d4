"""Ranking, models, predictions and efficiency of a study, from the content of ``summary.json``."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ingest.cpp_names import short_name
from pipeline.report.formatting import (
    callpath_text,
    counted,
    display_unit,
    figure,
    percent,
    point_text,
    value_text,
)
from pipeline.report.summary import EFFICIENCY_METRICS, FAIR, GOOD
from pipeline.report.terminal.tables import SHORTEST_CALLPATH, SHORTEST_REGION, Column, named_table

SURE = 0.9
VALUES_LISTED = 8
CANNOT_TELL = "cannot tell"
REMARKS = {CANNOT_TELL: "the measurements do not determine the growth, marked '?'"}
NAMES = {"regions": "region", "kernels": "call path"}
SHORTEST = {"regions": SHORTEST_REGION, "kernels": SHORTEST_CALLPATH}

Rows = Sequence[Mapping[str, Any]]


def show_head(out: Console, summary: Mapping[str, Any]) -> None:
    """Say what was measured and how it scales."""
    points = summary["points"]
    ranges = "; ".join(_range(name, points) for name in summary["parameters"])
    repetitions = counted(summary["total"]["quality"]["repetitions"], "repetition")
    callpaths, regions = (
        counted(len(summary["kernels"]), "call path"),
        counted(len(summary["regions"]), "region"),
    )
    out.print(
        f"{counted(len(points), 'measurement point')} ({ranges}), up to {repetitions}, "
        f"{callpaths} in {regions}",
        soft_wrap=True,
    )
    out.print(f"Scaling: {summary['scaling_reason']}", soft_wrap=True)


def _range(name: str, points: Sequence[Mapping[str, float]]) -> str:
    values = sorted({point[name] for point in points})
    if len(values) > VALUES_LISTED:
        return f"{name} = {value_text(values[0])} .. {value_text(values[-1])}"
    return f"{name} = {', '.join(map(value_text, values))}"


def show_ranking(out: Console, summary: Mapping[str, Any], *, by: str = "regions", limit: int = 15) -> None:
    """Print kernels as a ranked table, the largest at the target first.

    Args:
        out: where to.
        summary: the content of summary.json.
        by: ``regions`` or ``kernels`` (call paths).
        limit: the most rows that are shown.
    """
    rows = summary[by]
    if not rows:
        return
    shown = rows[:limit]
    last = [row["predictions"][-1] for row in shown]
    factor, unit = display_unit(rows[0]["unit"], max(entry["value"] for entry in last))
    what = f"{rows[0]['metric']}, {unit}" if unit else rows[0]["metric"]
    columns = [
        Column(header="share now", cells=[percent(row["share_measured"]) for row in shown], dispensable=1),
        Column(header="at target", cells=[percent(row["share_at_target"]) for row in shown]),
        Column(header="predicted", cells=[figure(entry["value"] * factor) for entry in last], dispensable=3),
        Column(header="90 % interval", cells=[_interval(entry, factor) for entry in last]),
        Column(header="growth", cells=[_growth(row) for row in shown], justify="left"),
        Column(header="grows", cells=[_probability(row) for row in shown], dispensable=2),
    ]
    kind = "regions" if by == "regions" else "call paths"
    title = f"Largest {kind} at {point_text(last[0]['at'])} ({what})"
    names, digits = _names(shown), len(str(len(shown)))
    out.print(
        named_table(
            f"{'#':>{digits}}  {NAMES[by]}",
            lambda width: [f"{n:>{digits}}  {name}" for n, name in enumerate(names(width - digits - 2), 1)],
            columns,
            width=out.width,
            title=title,
            shortest=SHORTEST[by],
        )
    )
    _show_rest(out, len(rows) - len(shown))


def _names(rows: Rows) -> Callable[[int], list[str]]:
    return lambda width: [callpath_text(row["callpath"], width) for row in rows]


def _interval(prediction: Mapping[str, Any], factor: float) -> str:
    return f"{figure(prediction['lower'] * factor)} .. {figure(prediction['upper'] * factor)}"


def _probability(row: Mapping[str, Any]) -> str:
    return f"{100 * row['probability_growing']:.0f} %"


def _growth(row: Mapping[str, Any]) -> Text:
    text = row["growth"] if row["growth"] != "1" else "constant" if not row["model"]["terms"] else "falling"
    style = growth_style(row["growth"], row["probability_growing"], row["notes"])
    return Text(f"{text} ?" if CANNOT_TELL in row["notes"] else text, style=style)


def growth_style(growth: str, probability: float, notes: Sequence[str]) -> str:
    """Return the colour of a growth: red surely grows, yellow may grow, green is constant or falls."""
    if CANNOT_TELL in notes:
        return "yellow"
    if growth == "1":
        return "green"
    return "red" if probability >= SURE else "yellow"


def _show_rest(out: Console, count: int) -> None:
    if count > 0:
        out.print(f"and {count} more; --limit or --json shows them", style="dim")


def show_total(out: Console, summary: Mapping[str, Any]) -> None:
    """Print the predictions of the whole program."""
    total = summary["total"]
    for prediction in total["predictions"]:
        factor, unit = display_unit(total["unit"], abs(prediction["value"]))
        out.print(
            f"Total at {point_text(prediction['at'])}: {figure(prediction['value'] * factor)} {unit}, "
            f"90 % interval {_interval(prediction, factor)} {unit} (the sum of the kernels' models)",
            soft_wrap=True,
        )


def show_crossovers(out: Console, summary: Mapping[str, Any], *, by: str = "regions", limit: int = 8) -> None:
    """Say which kernel overtakes which, and at which scale."""
    found = summary["region_crossovers" if by == "regions" else "crossovers"]
    if found:
        out.print("Crossovers")
    for crossover in found[:limit]:
        ((name, scale),) = crossover["at"].items()
        place = "within" if crossover["measured"] else "beyond"
        over, past = (_crossing_name(crossover[key], by) for key in ("overtakes", "overtaken"))
        text = f"  {name} = {figure(scale)}: {over} overtakes {past} ({place} the measured range)"
        out.print(Text(text), soft_wrap=True)
    if len(found) > limit:
        out.print(f"  and {len(found) - limit} more", style="dim")


def _crossing_name(callpath: Sequence[str], by: str) -> str:
    return short_name(callpath[-1]) if by == "regions" else callpath_text(callpath, 60)


def show_remarks(out: Console, summary: Mapping[str, Any]) -> None:
    """Say what limits the trust in the models, each remark once with the number of kernels it concerns."""
    counts: dict[str, int] = {}
    for row in summary["kernels"]:
        for note in row["notes"]:
            counts[note] = counts.get(note, 0) + 1
    for note, count in counts.items():
        concerned = "all call paths" if count == len(summary["kernels"]) else counted(count, "call path")
        text = f"Note: {REMARKS.get(note, note)} ({concerned})"
        out.print(text, style="yellow", soft_wrap=True, markup=False)


def show_result(out: Console, summary: Mapping[str, Any], *, by: str, limit: int) -> None:
    """Print head, ranking, crossovers, total and remarks."""
    show_head(out, summary)
    out.print()
    show_ranking(out, summary, by=by, limit=limit)
    out.print()
    if len(summary["total"]["predictions"]) > 1:
        show_predictions(out, summary, by=by, limit=limit)
        out.print()
    show_crossovers(out, summary, by=by)
    show_total(out, summary)
    show_remarks(out, summary)


def show_models(out: Console, summary: Mapping[str, Any], *, by: str, limit: int) -> None:
    """Print formulas with their quality."""
    show_head(out, summary)
    rows = summary[by]
    shown = rows[:limit]
    metrics = [f"{row['metric']} [{row['unit']}]" if row["unit"] else row["metric"] for row in shown]
    columns = [
        Column(
            header="model",
            cells=[row["model"]["formula"] for row in shown],
            justify="left",
            folds_at=max(24, (out.width - 46) // 2),
        ),
        Column(header="grows", cells=[_probability(row) for row in shown]),
        Column(header="SMAPE", cells=[f"{row['quality']['smape']:.1f} %" for row in shown], dispensable=1),
        Column(
            header="SMAPE cv", cells=[f"{row['quality']['cv_smape']:.1f} %" for row in shown], dispensable=2
        ),
    ]
    title = f"Models of {', '.join(dict.fromkeys(metrics))}"
    if len(set(metrics)) > 1:
        columns.insert(0, Column(header="metric", cells=metrics, justify="left"))
    out.print(
        named_table(NAMES[by], _names(shown), columns, width=out.width, title=title, shortest=SHORTEST[by])
    )
    _show_rest(out, len(rows) - len(shown))
    show_remarks(out, summary)


def show_predictions(out: Console, summary: Mapping[str, Any], *, by: str, limit: int) -> None:
    """Print the predictions of the largest kernels, one column per target."""
    total = summary["total"]
    shown = [*summary[by][:limit], total]
    columns = []
    for number, prediction in enumerate(total["predictions"]):
        factor, unit = display_unit(total["unit"], abs(prediction["value"]))
        cells = [row["predictions"][number] for row in shown]
        columns.append(
            Column(
                header=point_text(prediction["at"]) + (f" ({unit})" if unit else ""),
                cells=[f"{figure(c['value'] * factor)} [{_interval(c, factor)}]" for c in cells],
            )
        )
    out.print(named_table(NAMES[by], _names(shown), columns, width=out.width, shortest=SHORTEST[by]))
    out.print("In brackets: 90 % intervals of the expected values.", style="dim")


def show_efficiency(out: Console, summary: Mapping[str, Any]) -> None:
    """Print one row per POP metric and one column per point; metrics without any value are left out."""
    rows = summary["efficiency"]["points"]
    if rows:
        table = Table(title="Efficiency (POP)", title_justify="left", box=None, pad_edge=False)
        table.add_column("")
        for row in rows:
            table.add_column(point_text(row["at"]), justify="right")
        for key, name in EFFICIENCY_METRICS.items():
            if any(row[key] is not None for row in rows):
                table.add_row(name, *(_efficiency(row[key]) for row in rows))
        out.print(table)
    for notice in summary["efficiency"]["notices"]:
        out.print(Text(f"Not available: {notice}"), style="dim", soft_wrap=True)


def _efficiency(value: float | None) -> Text:
    if value is None:
        return Text("-", style="dim")
    style = "green" if value >= GOOD else "yellow" if value >= FAIR else "red"
    return Text(f"{100 * value:.0f} %", style=style)
