"""Studies side by side: one row per group of runs and scale."""

from collections.abc import Mapping
from typing import Any

from pipeline.report.tables.data_table import (
    Column,
    DataTable,
    amounts,
    answers,
    estimates,
    parameters,
    shares,
    words,
)


def groups_table(name: str, summaries: Mapping[str, Mapping[str, Any]]) -> DataTable:
    """Return one row per value and scale: what was measured, then targets.

    Args:
        name: what the runs are grouped by.
        summaries: per value the content of summary.json.
    """
    rows = [
        (value, summary["scaling"], scale)
        for value, summary in summaries.items()
        for scale in (summary["runtime"] or {}).get("at", ())
    ]
    scales = [scale for _, _, scale in rows]
    names = dict.fromkeys(key for scale in scales for key in scale["point"])
    columns: list[Column] = [
        words(name, [value for value, _, _ in rows]),
        *parameters(names, [scale["point"] for scale in scales]),
        answers("measured", [scale["measured"] for scale in scales]),
        *estimates(
            [scale["wall_seconds"] for scale in scales], "s", names=("wall", "wall_lower", "wall_upper")
        ),
        amounts("speedup", [_value(scale["speedup"]) for scale in scales]),
        shares("efficiency", [_value(scale["efficiency"]) for scale in scales]),
    ]
    without = [value for value, summary in summaries.items() if not summary["runtime"]]
    notes = [f"{value}: no wall time is known" for value in without]
    return DataTable(columns=columns, notes=notes)


def _value(estimate: Mapping[str, float] | None) -> float | None:
    return None if estimate is None else estimate["value"]
