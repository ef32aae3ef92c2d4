"""Tables of kernels, from the content of ``summary.json``: ranking, models, predictions, measurements.

With several targets, files have one row per kernel and target.
"""

from collections.abc import Iterable, Mapping, Sized
from dataclasses import replace
from functools import partial
from typing import Any

from ingest.experiment import per_text
from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import EXACT_KIND, QUANTITY, SHARE_OF_SUM, Column, filled, parameters
from pipeline.columns.kernels import CANNOT_TELL, PREDICTION, further_columns, kernel_columns
from pipeline.columns.summary import Row, Rows, Summary
from pipeline.columns.target_sentences import far_targets
from pipeline.questions.analysis import NOTEWORTHY_SHARE
from pipeline.wording.quantities import counted, display_unit, number, point_text

TABLE_NAMES = {"regions": "region", "kernels": "call path", "groups": "group"}
_KINDS = {"regions": "regions", "kernels": "call paths", "groups": "groups"}
_REMARKS = {CANNOT_TELL: "the measurements do not determine the growth"}


def leading_rows(rows: Rows, limit: int) -> list[Row]:
    """Return the first kernels of a summary, and behind them start-up and shut-down of a noteworthy share."""
    apart = [row for row in rows if "start_up" in row["flags"]]
    kernels = [row for row in rows if "start_up" not in row["flags"]]
    shares = ("share_measured", "share_at_target")
    return [*kernels[:limit], *(r for r in apart if max(r[key] or 0.0 for key in shares) >= NOTEWORTHY_SHARE)]


def _largest_at_target(summary: Summary, *, by: str, limit: int) -> list[Row]:
    """Return the kernels that take most at the last target, the largest first."""
    metrics = {row["metric"]: None for row in summary.rows(by)}  # what metrics take cannot be compared
    ordered = [
        row
        for metric in metrics
        for row in sorted(
            (row for row in summary.rows(by) if row["metric"] == metric),
            key=lambda row: row["predictions"][-1]["value"] or 0.0,
            reverse=True,
        )
    ]
    return ordered[:limit]


def kernel_names(by: str, heading: str = "") -> list[Column[Any]]:
    """Return ids and names of call paths (`by` is ``kernels``), or names of ``regions`` or ``groups``."""
    ident, name = kernel_columns("id", "callpath")
    named = replace(name, heading=heading or TABLE_NAMES[by])
    return [ident, named] if by == "kernels" else [named]


def _ranked_names(by: str) -> list[Column[Any]]:
    """Return the same with ranks of what has no ids."""
    rank: Column[Rows] = Column(
        key="rank", heading="#", kind=EXACT_KIND, values=_ranks, texts=_rank_texts, audience=Audience.TERMINAL
    )
    return [*([] if by == "kernels" else [rank]), *kernel_names(by)]


def _ranks(rows: Rows) -> Iterable[int | None]:
    """Return the place of kernels; start-up and shut-down have none."""
    return (n if "start_up" not in row["flags"] else None for n, row in enumerate(rows, start=1))


def _rank_texts(rows: Rows) -> Iterable[str]:
    return ("" if rank is None else str(rank) for rank in _ranks(rows))


def ranking_table(summary: Summary, *, by: str, limit: int, last: bool = False) -> DataTable:
    """Return the largest kernels at the targets, or the last one: shares, prediction, growth.

    Start-up and shut-down are beside the `limit` kernels; `by` is ``regions``, ``kernels`` (call paths) or
    ``groups``.
    """
    kept = leading_rows(summary.rows(by), limit)
    if not summary.targets:
        return _measured_table(summary, by=by, limit=limit)
    rows = [row for row in _at_targets(summary, by, kept) if not last or row["is_last"]]
    share_now, share_then, growth = kernel_columns("share_measured", "share_at_target", "growth_class")
    shown = [
        *_ranked_names(by),
        share_now,
        *parameters(summary.parameters, [row["at"] for row in rows], Audience.FILES),
        share_then,
        PREDICTION,
        growth,
    ]
    columns = [*shown, *further_columns(shown)]
    title = ""
    if rows:
        at, metric = point_text(rows[-1]["at"]), rows[0]["metric"]
        _, unit = display_unit(rows[0]["unit"], max(row["prediction"]["value"] for row in rows))
        title = f"Largest {_KINDS[by]} at {at} ({', '.join(filter(None, (metric, unit)))})"
    return filled(columns, rows, notes=_notes(summary, by, kept), title=title)


def _at_targets(summary: Summary, by: str, kept: Rows) -> list[Row]:
    """Return a row per kernel and target with its prediction and share there; None without a sum."""
    totals = {metric: _totals(summary, by, metric) for metric in {row["metric"] for row in kept}}
    found: list[Row] = []
    for row in kept:
        share, last = row["share_at_target"], len(row["predictions"]) - 1
        of_metric = totals[row["metric"]]
        for n, (entry, total) in enumerate(zip(row["predictions"], of_metric, strict=True)):
            known = n < last and share is not None and total > 0  # the summary has the last share
            shown = number(entry["value"] / total) if known else share
            found.append({**_at(row, entry), "share_at_target": shown, "is_last": n == last})
    return found


def _totals(summary: Summary, by: str, metric: str) -> list[float]:
    """Return the sum of a metric at every target, also of kernels that are not listed."""
    whole = [summary.total] if summary.total and summary.beyond(by) else summary.rows(by)
    values = ([entry["value"] for entry in row["predictions"]] for row in whole if row["metric"] == metric)
    return [sum(column) for column in zip(*values, strict=True)]


def _at(row: Row, entry: Mapping[str, Any]) -> Row:
    return {**row, "prediction": entry, "at": entry["at"]}


def _with_total(summary: Summary, kept: Rows) -> list[Row]:
    """Return rows with that of the total behind them, if there is one."""
    return [*kept, summary.total] if summary.total else list(kept)


def predictions_table(summary: Summary, *, by: str, limit: int) -> DataTable:
    """Return the predictions of the largest kernels and of the total at targets, as of `ranking_table`."""
    if not summary.targets:
        return _measured_table(summary, by=by, limit=limit)
    kept = _largest_at_target(summary, by=by, limit=limit)
    rows = [_at(row, entry) for row in _with_total(summary, kept) for entry in row["predictions"]]
    columns = [*kernel_names(by), *parameters(summary.parameters, [row["at"] for row in rows]), PREDICTION]
    return filled(columns, rows, notes=_notes(summary, by, kept))


def _measured_table(summary: Summary, *, by: str, limit: int) -> DataTable:
    """Return what was measured at one or two scales, from which nothing is predicted."""
    kept, points = leading_rows(summary.rows(by), limit), summary.points
    rows = _with_total(summary, kept)
    cells = [{**row, "mean": value} for row in rows for value in row["measured"]]
    unit = rows[0]["unit"] if rows else ""
    mean: Column[Rows] = Column(key="mean", name=summary.observed, kind=QUANTITY, unit=unit)
    columns = [
        *kernel_names(by),
        *parameters(summary.parameters, [point for _ in rows for point in points]),
        mean,
        *kernel_columns("share_measured"),
    ]
    notes = [*left_out(summary.rows(by), kept, summary.beyond(by)), summary.notices[-1]]
    return filled(columns, cells, notes=notes)


def measured_by_point(summary: Summary, *, by: str, limit: int) -> DataTable:
    """Return the same with one row per kernel and one column per point, as terminals show it."""
    kept = leading_rows(summary.rows(by), limit)
    rows = _with_total(summary, kept)
    points: list[Column[Rows]] = [
        Column(
            key=point_text(point),
            kind=QUANTITY,
            unit=rows[0]["unit"] if rows else "",
            values=partial(_measured_at, p),
        )
        for p, point in enumerate(summary.points)
    ]
    share: Column[Rows] = Column(key="share_measured", kind=SHARE_OF_SUM, heading="share")
    notes = left_out(summary.rows(by), kept, summary.beyond(by))
    title = f"{summary.observed.capitalize()} ({rows[0]['metric']})" if rows else ""
    names = kernel_names(by)
    return filled([*names, *points, *([share] if summary.total else [])], rows, notes=notes, title=title)


def _measured_at(point: int, rows: Rows) -> list[float | None]:
    return [row["measured"][point] for row in rows]


def predictions_by_target(summary: Summary, *, by: str, limit: int) -> DataTable:
    """Return predictions with one row per kernel and one column per target, as terminals show them."""
    kept = _largest_at_target(summary, by=by, limit=limit)
    rows = _with_total(summary, kept)
    targets: list[Column[Rows]] = []
    for n, target in enumerate(summary.targets):
        entries = [row["predictions"][n] for row in rows]
        targets.append(_predictions_at(point_text(target.at), entries, rows))
    notes = left_out(summary.rows(by), kept, summary.beyond(by))
    return filled([*kernel_names(by), *targets], rows, notes=notes)


def _predictions_at(heading: str, entries: Rows, rows: Rows) -> Column[Rows]:
    """Return value and interval of kernels at one target as one text, all in one unit."""
    at: Column[Rows] = replace(PREDICTION, values=lambda _: entries, unit=rows[-1]["unit"] if rows else "")
    value, _, interval = at.filled(rows)
    unit = value.heading.removeprefix(PREDICTION.heading)
    texts = [f"{one} ({both})" for one, both in zip(value.texts, interval.texts, strict=True)]
    return Column(
        key=heading,
        kind=EXACT_KIND,
        heading=heading + unit,
        values=lambda _: value.values,
        texts=lambda _: texts,
    )


def models_table(summary: Summary, *, by: str, limit: int) -> DataTable:
    """Return the formulas of kernels with their quality; arguments as of `ranking_table`."""
    rows = summary.rows(by)[:limit]
    metrics = list(dict.fromkeys((row["metric"], row["unit"]) for row in rows))
    several = Audience.ALL if len(metrics) > 1 else Audience.FILES
    measured_as = [replace(column, audience=several) for column in kernel_columns("metric", "unit")]
    model = kernel_columns("model", "growth_class", "quality.smape", "quality.cv_smape")
    counts = kernel_columns("quality.points", "quality.repetitions")
    shown = [
        *kernel_names(by),
        *measured_as,
        *model,
        *(replace(column, audience=Audience.FILES) for column in counts),
    ]
    columns = [*shown, *further_columns(shown)]
    notes = [*left_out(summary.rows(by), rows, summary.beyond(by)), *remark_sentences(summary)]
    named = (f"{name} [{in_unit}]" if in_unit else name for name, in_unit in metrics)
    return filled(columns, rows, notes=notes, title=f"Models of {', '.join(named)}")


def left_out(rows: Sized, kept: Sized, beyond: int = 0) -> list[str]:
    """Say how many kernels are not shown, if any; so many lie beyond the rows."""
    more = len(rows) - len(kept)
    way = "--limit shows them" if more > 0 else "`pipeline bottlenecks --limit` shows them"
    return [f"{more + beyond} more left out; {way}"] if more + beyond > 0 else []


def _notes(summary: Summary, by: str, kept: Rows) -> list[str]:
    more = left_out(summary.rows(by), kept, summary.beyond(by))
    return [*more, *(text for text, _ in far_targets(summary))]


def remark_sentences(summary: Summary) -> list[str]:
    """Say what limits the trust in the models, each remark once with the number of kernels it concerns."""
    counts: dict[str, int] = {}
    for row in summary.kernels:
        for note in row["notes"]:
            counts[note] = counts.get(note, 0) + 1
    listed, beyond = len(summary.kernels), summary.beyond("kernels")
    largest = f" of the {listed} largest" if beyond else ""
    return [
        f"{_REMARKS.get(note, note)} "
        f"({'all call paths' if count == listed + beyond else counted(count, 'call path') + largest})"
        for note, count in counts.items()
    ]


def brackets_sentence(summary: Summary) -> str:
    """Say what stands in brackets behind predictions."""
    per = f", {per_text(summary.per)}" if summary.per else ""
    return f"In brackets: 90 % intervals of the expected values{per}."
