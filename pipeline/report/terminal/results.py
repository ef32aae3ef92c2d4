"""Ranking, models, predictions and efficiency of a study, from the content of ``summary.json``."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from ingest.experiment import per_text
from pipeline.models.kernels import callpath_id
from pipeline.models.metrics import FACTORS
from pipeline.report.summary import EFFICIENCY_METRICS, FAIR, GOOD, leading_rows
from pipeline.report.terminal.sentences import show_sentence
from pipeline.report.terminal.tables import (
    SHORTEST_CALLPATH,
    SHORTEST_REGION,
    Column,
    named_table,
    side_by_side,
)
from pipeline.report.terminal.targets import beyond, show_far_targets
from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.quantities import (
    counted,
    display_unit,
    figure,
    percent,
    point_text,
    value_text,
)

CROSSING, CROSSING_WIDTH = ("overtakes", "overtaken"), 60
SURE = 0.9
VALUES_LISTED = 8
CANNOT_TELL = "cannot tell"
REMARKS = {CANNOT_TELL: "the measurements do not determine the growth"}
NAMES = {"regions": "region", "kernels": "call path"}
SHORTEST = {"regions": SHORTEST_REGION, "kernels": SHORTEST_CALLPATH}

Rows = Sequence[Mapping[str, Any]]


def show_head(out: Console, summary: Mapping[str, Any]) -> None:
    """Say what was measured and how it scales."""
    points = summary["points"]
    ranges = "; ".join(measured_values(name, points) for name in summary["parameters"])
    most = max((row["quality"]["repetitions"] for row in summary["kernels"]), default=0)
    repetitions = counted(most, "repetition")
    callpaths, regions = (
        counted(len(summary[key]) + summary["not_listed"][key], NAMES[key]) for key in ("kernels", "regions")
    )
    show_sentence(
        out,
        f"{counted(len(points), 'measurement point')} ({ranges}), up to {repetitions}, "
        f"{callpaths} in {regions}",
    )
    show_sentence(out, f"Scaling: {summary['scaling_reason']}")
    show_unit(out, summary)


def show_unit(out: Console, summary: Mapping[str, Any]) -> None:
    """Say that values are not of whole runs, if so."""
    if summary.get("per"):
        show_sentence(out, f"All values are {per_text(summary['per'])}.")


def measured_values(name: str, points: Sequence[Mapping[str, float]]) -> str:
    """Write the values of a parameter, or the first and the last of many."""
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
    shown = leading_rows(rows, limit)
    if not shown[0]["predictions"]:
        _show_profile(out, summary, shown, by)
        _show_rest(out, len(rows) - len(shown))
        return
    last = [row["predictions"][-1] for row in shown]
    factor, unit = display_unit(rows[0]["unit"], max(entry["value"] for entry in last))
    what = f"{rows[0]['metric']}, {unit}" if unit else rows[0]["metric"]
    columns = [
        *_shares(shown),
        Column(header="predicted", cells=[figure(entry["value"] * factor) for entry in last], dispensable=3),
        Column(header="90 % interval", cells=[interval_text(entry, factor) for entry in last]),
        Column(header="growth", cells=[growth_cell(row) for row in shown], justify="left"),
        Column(header="grows", cells=[probability_cell(row) for row in shown], dispensable=2),
    ]
    kind = "regions" if by == "regions" else "call paths"
    title = f"Largest {kind} at {point_text(last[0]['at'])} ({what})"
    ranks = [str(n) if "start_up" not in row["flags"] else "" for n, row in enumerate(shown, 1)]
    names = name_column(shown, NAMES[by], ranks)
    out.print(named_table(*names, columns, width=out.width, title=title, shortest=SHORTEST[by]))
    _show_rest(out, len(rows) - len(shown))


def _shares(shown: Rows) -> list[Column]:
    """Return the columns of shares; none if the metric has no total."""
    if shown[0]["share_measured"] is None:
        return []
    return [
        Column(header="share now", cells=[percent(row["share_measured"]) for row in shown], dispensable=1),
        Column(header="at target", cells=[percent(row["share_at_target"]) for row in shown]),
    ]


def show_factors(out: Console, summary: Mapping[str, Any], *, by: str = "regions", limit: int = 15) -> None:
    """Print what effort consists of for kernels with a count that varies: how often, and how long each time.

    Args:
        out: where to.
        summary: the content of summary.json.
        by: ``regions`` or ``kernels`` (call paths).
        limit: the most rows that are shown.
    """
    for factor in FACTORS:
        if not {factor.count, factor.each} <= summary["metrics"].keys():
            continue
        count, each = (
            {tuple(row["callpath"]): row for row in summary["metrics"][name][by]}
            for name in (factor.count, factor.each)
        )
        shown = [row for row in leading_rows(summary[by], limit) if tuple(row["callpath"]) in each]
        if not shown:
            continue
        pairs = [(count[tuple(row["callpath"])], each[tuple(row["callpath"])]) for row in shown]
        columns = [
            Column(header="growth", cells=[growth_cell(row) for row in shown], justify="left", dispensable=1),
            Column(header=f"= {factor.count}", cells=[growth_cell(one) for one, _ in pairs], justify="left"),
            Column(
                header=f"x time per {factor.noun}",
                cells=[growth_cell(other) for _, other in pairs],
                justify="left",
            ),
        ]
        title = f"{factor.whole} is {factor.count} times the time per {factor.noun}"
        names = name_column(shown, NAMES[by])
        out.print(named_table(*names, columns, width=out.width, title=title, shortest=SHORTEST[by]))
        out.print()


def _show_profile(out: Console, summary: Mapping[str, Any], shown: Rows, by: str) -> None:
    """Print what was measured at one or two scales, from which nothing is predicted."""
    total = summary["total"]
    rows = [*shown, total] if total else shown
    factor, unit = display_unit(rows[0]["unit"], max(v or 0.0 for row in rows for v in row["measured"]))
    columns = [
        Column(
            header=point_text(point),
            cells=["-" if (v := row["measured"][p]) is None else figure(v * factor) for row in rows],
        )
        for p, point in enumerate(summary["points"])
    ]
    if total:
        columns.append(Column(header="share", cells=[percent(row["share_measured"]) for row in rows]))
    what = f"{rows[0]['metric']}, {unit}" if unit else rows[0]["metric"]
    title = f"Measured ({what})"
    names = name_column(rows, NAMES[by])
    out.print(named_table(*names, columns, width=out.width, title=title, shortest=SHORTEST[by]))


def name_column(
    rows: Rows, header: str, ranks: Sequence[str] = ()
) -> tuple[str, Callable[[int], Sequence[str]]]:
    """Return the header of kernels, and a function from a width to their names within it.

    Args:
        rows: kernels of a summary.
        header: title of the names.
        ranks: one per row; they stand before regions, as ids stand before call paths.
    """
    paths = [row["callpath"] for row in rows]
    marks = [callpath_id(row["id"]) if "id" in row else "" for row in rows]
    title = "id" if any(marks) else ""
    marks = marks if any(marks) else list(ranks)
    if not marks:
        return header, lambda width: distinct_texts(paths, width)
    digits = max(map(len, (title, *marks)))
    return f"{title:>{digits}}  {header}", lambda width: [
        f"{mark:>{digits}}  {name}"
        for mark, name in zip(marks, distinct_texts(paths, width - digits - 2), strict=True)
    ]


def interval_text(prediction: Mapping[str, Any], factor: float) -> str:
    """Write the interval of a prediction in a unit."""
    return f"{figure(prediction['lower'] * factor)} .. {figure(prediction['upper'] * factor)}"


def probability_cell(row: Mapping[str, Any]) -> str:
    """Write with which probability a kernel grows."""
    return "-" if "unreliable" in row["flags"] else f"{100 * row['probability_growing']:.0f} %"


def growth_cell(row: Mapping[str, Any]) -> Text:
    """Write the growth class of a kernel in the colour of its growth."""
    growth = row["growth"] if row["growth_class"].startswith("grows") else "1"
    style = growth_style(growth, row["probability_growing"], row["notes"])
    style = "yellow" if "unreliable" in row["flags"] else style
    return Text(row["growth_class"].removeprefix("grows, about "), style=style)


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
    for prediction in total["predictions"] if total else ():
        factor, unit = display_unit(total["unit"], abs(prediction["value"]))
        far, style = beyond(summary, prediction["at"])
        show_sentence(
            out,
            f"Total at {point_text(prediction['at'])}: {figure(prediction['value'] * factor)} {unit}, "
            f"90 % interval {interval_text(prediction, factor)} {unit} (the sum of the kernels' models)"
            f"{far and '; '}{far}",
            style,
        )


def show_crossovers(out: Console, summary: Mapping[str, Any], *, by: str = "regions", limit: int = 8) -> None:
    """Say which kernel overtakes which, and at which scale."""
    found = summary["region_crossovers" if by == "regions" else "crossovers"]
    if found:
        out.print("Crossovers")
    shown = found[:limit]
    paths = [one[key][-1:] if by == "regions" else one[key] for one in shown for key in CROSSING]
    names = iter(distinct_texts(paths, CROSSING_WIDTH))
    for crossover, over, past in zip(shown, names, names, strict=True):
        ((name, scale),) = crossover["at"].items()
        place = "within" if crossover["measured"] else "beyond"
        show_sentence(
            out, f"  {name} = {figure(scale)}: {over} overtakes {past} ({place} the measured range)"
        )
    if len(found) > limit:
        out.print(f"  and {len(found) - limit} more", style="dim")


def show_remarks(out: Console, summary: Mapping[str, Any]) -> None:
    """Print what limits the trust in the models."""
    for sentence in remark_sentences(summary):
        show_sentence(out, f"Note: {sentence}", "yellow")


def remark_sentences(summary: Mapping[str, Any]) -> list[str]:
    """Say what limits the trust in the models, each remark once with the number of kernels it concerns."""
    counts: dict[str, int] = {}
    for row in summary["kernels"]:
        for note in row["notes"]:
            counts[note] = counts.get(note, 0) + 1
    everywhere = len(summary["kernels"]) + summary["not_listed"]["kernels"]
    return [
        f"{REMARKS.get(note, note)} "
        f"({'all call paths' if count == everywhere else counted(count, 'call path')})"
        for note, count in counts.items()
    ]


def show_result(out: Console, summary: Mapping[str, Any], *, by: str, limit: int) -> None:
    """Print head, ranking, crossovers, total and remarks."""
    show_head(out, summary)
    out.print()
    show_ranking(out, summary, by=by, limit=limit)
    out.print()
    if len(summary["targets"]) > 1:
        show_predictions(out, summary, by=by, limit=limit)
        out.print()
    if not summary["targets"]:
        out.print(summary["notices"][-1], soft_wrap=True, markup=False)
        return
    show_factors(out, summary, by=by, limit=limit)
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
        Column(header="grows", cells=[probability_cell(row) for row in shown]),
        Column(header="SMAPE", cells=[f"{row['quality']['smape']:.1f} %" for row in shown], dispensable=1),
        Column(
            header="SMAPE cv", cells=[f"{row['quality']['cv_smape']:.1f} %" for row in shown], dispensable=2
        ),
    ]
    title = f"Models of {', '.join(dict.fromkeys(metrics))}"
    if len(set(metrics)) > 1:
        columns.insert(0, Column(header="metric", cells=metrics, justify="left"))
    names = name_column(shown, NAMES[by])
    out.print(named_table(*names, columns, width=out.width, title=title, shortest=SHORTEST[by]))
    _show_rest(out, len(rows) - len(shown))
    show_remarks(out, summary)


def show_predictions(out: Console, summary: Mapping[str, Any], *, by: str, limit: int) -> None:
    """Print the predictions of the largest kernels, one column per target."""
    if not summary["targets"]:
        show_ranking(out, summary, by=by, limit=limit)
        out.print(summary["notices"][-1], soft_wrap=True, markup=False)
        return
    shown = [*leading_rows(summary[by], limit), *([summary["total"]] if summary["total"] else [])]
    if not shown:
        return
    columns = []
    for number, target in enumerate(summary["targets"]):
        cells = [row["predictions"][number] for row in shown]
        factor, unit = display_unit(shown[-1]["unit"], max(abs(cell["value"]) for cell in cells))
        columns.append(
            Column(
                header=point_text(target["at"]) + (f" ({unit})" if unit else ""),
                cells=[f"{figure(c['value'] * factor)} [{interval_text(c, factor)}]" for c in cells],
            )
        )
    names = name_column(shown, NAMES[by])
    out.print(named_table(*names, columns, width=out.width, shortest=SHORTEST[by]))
    per = f", {per_text(summary['per'])}" if summary.get("per") else ""
    show_sentence(out, f"In brackets: 90 % intervals of the expected values{per}.", "dim")
    show_far_targets(out, summary)


def show_efficiency(out: Console, summary: Mapping[str, Any]) -> None:
    """Print one row per POP metric and one column per point; metrics without any value are left out."""
    rows = summary["efficiency"]["points"]
    if rows:
        out.print("Efficiency (POP)", style="italic")
        known = {
            key: name for key, name in EFFICIENCY_METRICS.items() if any(row[key] is not None for row in rows)
        }
        columns = [
            Column(header=point_text(row["at"]), cells=[_efficiency(row[key]) for key in known])
            for row in rows
        ]
        for table in side_by_side(list(known.values()), columns, width=out.width):
            out.print(table)
    for notice in summary["efficiency"]["notices"]:
        show_sentence(out, f"Not available: {notice}", "dim")


def _efficiency(value: float | None) -> Text:
    if value is None:
        return Text("-", style="dim")
    style = "green" if value >= GOOD else "yellow" if value >= FAIR else "red"
    return Text(f"{100 * value:.0f} %", style=style)
