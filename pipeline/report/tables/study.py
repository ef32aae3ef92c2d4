"""Tables of a study, from the content of ``summary.json``: ranking, predictions, models and scales.

Kernels with several targets have one row per kernel and target.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.models.kernels import callpath_id
from pipeline.report.runtime_summary import FIGURES, GPU_FIGURES
from pipeline.report.summary import leading_rows
from pipeline.report.tables.data_table import (
    Column,
    DataTable,
    amounts,
    answers,
    estimates,
    for_programs,
    kernels,
    parameters,
    quantities,
    shares,
    words,
)
from pipeline.report.terminal.results import growth_cell, probability_cell, remark_sentences
from pipeline.report.terminal.targets import far_target_sentences
from pipeline.wording.quantities import number, percent, value_text

BY_WALL_TIME = ("effort", "core_hours", "gpu_hours")  # people read the wall time instead
SHARES = ("efficiency", "weak_efficiency", "gpu_busy")

Summary = Mapping[str, Any]
Rows = Sequence[Mapping[str, Any]]


def ranking_table(summary: Summary, *, by: str, limit: int) -> DataTable:
    """Return the largest kernels at the targets: shares, prediction, growth.

    Args:
        summary: the content of ``summary.json``.
        by: ``regions`` or ``kernels`` (call paths).
        limit: the most kernels; start-up and shut-down are beside them.
    """
    kept = leading_rows(summary[by], limit)
    if not summary["targets"]:
        return _measured_table(summary, kept, by)
    rows = [row for row in kept for _ in row["predictions"]]
    entries = [entry for row in kept for entry in row["predictions"]]
    columns = [
        *_names(rows),
        shares("share_measured", (row["share_measured"] for row in rows)),
        *parameters(summary["parameters"], [entry["at"] for entry in entries]),
        shares("share_at_target", _shares_at_targets(summary[by], kept)),
        *estimates(entries, _unit(kept)),
        words("growth", (row["growth_class"] for row in rows), (growth_cell(row).plain for row in rows)),
        _probabilities(rows),
        _flags(rows),
    ]
    return DataTable(columns=columns, notes=[*_left_out(summary[by], kept), *far_target_sentences(summary)])


def _names(rows: Rows) -> list[Column]:
    """Return the ids of call paths, if rows have any, and the names of kernels."""
    ids = tuple(row.get("id") for row in rows)
    shown = tuple("" if number is None else callpath_id(number) for number in ids)
    column = Column(name="id", values=ids, shown=shown)
    return [*([column] if any(shown) else []), kernels(row["callpath"] for row in rows)]


def _shares_at_targets(rows: Rows, kept: Rows) -> list[float | None]:
    """Return the share of every kernel at every target, by kernel and then by target; None without a sum."""
    values = [[entry["value"] for entry in row["predictions"]] for row in rows]
    totals = [sum(column) for column in zip(*values, strict=True)][:-1]  # the summary has the last share
    found: list[float | None] = []
    for row in kept:
        last = row["share_at_target"]
        for entry, total in zip(row["predictions"][:-1], totals, strict=True):
            known = last is not None and total > 0
            found.append(number(entry["value"] / total) if known else last)
        found.append(last)
    return found


def _unit(rows: Rows) -> str:
    return str(rows[0]["unit"]) if rows else ""


def _with_total(summary: Summary, kept: Rows) -> Rows:
    """Return rows with that of the total behind them, if there is one."""
    return [*kept, summary["total"]] if summary["total"] else kept


def predictions_table(summary: Summary, *, by: str, limit: int) -> DataTable:
    """Return the predictions of the largest kernels and of the total at the targets.

    Args:
        summary: the content of ``summary.json``.
        by: ``regions`` or ``kernels`` (call paths).
        limit: the most kernels; start-up and shut-down are beside them.
    """
    kept = leading_rows(summary[by], limit)
    if not summary["targets"]:
        return _measured_table(summary, kept, by)
    rows = _with_total(summary, kept)
    entries = [entry for row in rows for entry in row["predictions"]]
    columns = [
        *_names([row for row in rows for _ in row["predictions"]]),
        *parameters(summary["parameters"], [entry["at"] for entry in entries]),
        *estimates(entries, _unit(rows)),
    ]
    return DataTable(columns=columns, notes=[*_left_out(summary[by], kept), *far_target_sentences(summary)])


def _measured_table(summary: Summary, kept: Rows, by: str) -> DataTable:
    """Return what was measured at one or two scales, from which nothing is predicted."""
    rows, points = _with_total(summary, kept), summary["points"]
    repeated = [row for row in rows for _ in points]
    columns = [
        *_names(repeated),
        *parameters(summary["parameters"], points * len(rows)),
        quantities("measured", (value for row in rows for value in row["measured"]), _unit(rows)),
        shares("share_measured", (row["share_measured"] for row in repeated)),
    ]
    return DataTable(columns=columns, notes=[*_left_out(summary[by], kept), summary["notices"][-1]])


def models_table(summary: Summary, *, by: str, limit: int) -> DataTable:
    """Return the formulas of kernels with their quality; arguments as of `ranking_table`."""
    rows = summary[by][:limit]
    quality = [row["quality"] for row in rows]
    columns = [
        *_names(rows),
        words("metric", (row["metric"] for row in rows)),
        words("unit", (row["unit"] for row in rows)),
        words("model", (row["model"]["formula"] for row in rows)),
        words("growth", (row["growth_class"] for row in rows), (growth_cell(row).plain for row in rows)),
        _probabilities(rows),
        amounts("smape", (found["smape"] for found in quality), "%", "{:.1f}".format),
        amounts("cv_smape", (found["cv_smape"] for found in quality), "%", "{:.1f}".format),
        amounts("points", (found["points"] for found in quality), show=value_text),
        amounts("repetitions", (found["repetitions"] for found in quality), show=value_text),
        _flags(rows),
    ]
    return DataTable(columns=columns, notes=[*_left_out(summary[by], rows), *remark_sentences(summary)])


def answer_table(summary: Summary, *, by: str, limit: int) -> DataTable:
    """Return the scales if the models are of time, else the ranking with arguments as of `ranking_table`."""
    if summary["runtime"] is None:
        return ranking_table(summary, by=by, limit=limit)
    return scales_table(summary)


def scales_table(summary: Summary) -> DataTable:
    """Return wall time, speed-up and efficiency of every measured point and every target.

    Figures that are available nowhere are left out. The summary has a ``runtime``.
    """
    runtime = summary["runtime"]
    entries = runtime["at"]
    columns: list[Column] = [
        *parameters(summary["parameters"], [entry["point"] for entry in entries]),
        answers("measured", (entry["measured"] for entry in entries)),
        amounts("locations", (entry["locations"] for entry in entries), show=value_text),
        amounts("extrapolation", (entry["extrapolation"] for entry in entries)),
    ]
    has_wall_time = any(entry["wall_seconds"] for entry in entries)
    for key in (*FIGURES, *GPU_FIGURES):
        found = [entry[key] for entry in entries]
        if any(one is not None for one in found):
            names = (key, f"{key}_lower", f"{key}_upper")
            show = percent if key in SHARES else None
            unit = runtime["effort_unit"] if key == "effort" else ""
            added = estimates(found, unit, names=names, show=show)
            columns += map(for_programs, added) if key in BY_WALL_TIME and has_wall_time else added
    return DataTable(columns=columns, notes=far_target_sentences(summary))


def _probabilities(rows: Rows) -> Column:
    values = [row["probability_growing"] for row in rows]
    return Column(name="probability_growing", values=values, shown=[probability_cell(row) for row in rows])


def _flags(rows: Rows) -> Column:
    return words("flags", (" ".join(row["flags"]) for row in rows))


def _left_out(rows: Rows, kept: Rows) -> list[str]:
    more = len(rows) - len(kept)
    return [f"{more} more left out; --limit shows them"] if more else []
