"""A kernel over commits in the terminal."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.gate.change_points import ENOUGH, LEVEL, change_points, drift
from pipeline.gate.snapshot import KernelId
from pipeline.report.formatting import callpath_text, figure, number, percent

GROWTH = {"1": "constant"}


def history_document(kernel: KernelId, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the series of one kernel with its change points and drift as plain data.

    Only entries measured at the same point as the last one are compared.
    """
    same = [row for row in rows if row["at"] == rows[-1]["at"] and row["value"] > 0]
    values = np.array([row["value"] for row in same], dtype=np.float64)
    trend = drift(values)
    return {
        "level": kernel.level.value,
        "callpath": list(kernel.callpath),
        "unit": rows[-1]["unit"],
        "at": json.loads(rows[-1]["at"]),
        "entries": [
            {
                "label": row["label"],
                "added": row["added"].isoformat(),
                "value": number(row["value"]),
                "share": number(row["share"]),
                "growth": row["growth"],
                "predicted": number(row["predicted"]),
                "verdict": row["verdict"],
            }
            for row in same
        ],
        "change_points": [
            {"label": same[c.at]["label"], "factor": number(c.factor), "p": number(c.p)}
            for c in change_points(values)
        ],
        "drift": None if trend is None else {"factor": number(trend.factor), "p": number(trend.p)},
    }


def show_history(out: Console, document: Mapping[str, Any], limit: int) -> None:
    """Print the series, newest last, and what the tests say of it."""
    at = ", ".join(f"{name} = {value:g}" for name, value in document["at"].items())
    out.print(Text(f"{callpath_text(document['callpath'], 100)} ({document['level']}) at {at}", style="bold"))
    entries = document["entries"]
    largest = max((e["value"] for e in entries), default=1.0) or 1.0
    changed = {c["label"]: c["factor"] for c in document["change_points"]}
    table = Table(box=None, pad_edge=False)
    for name, side in (("label", "left"), (document["unit"] or "value", "right"), ("", "left")):
        table.add_column(name, justify="right" if side == "right" else "left", no_wrap=True)
    table.add_column("share", justify="right")
    table.add_column("growth")
    table.add_column("")
    for e in entries[-limit:]:
        bar = "█" * max(1, round(20 * e["value"] / largest))
        told = f"level changes {changed[e['label']]:.3g}-fold" if e["label"] in changed else e["verdict"]
        cells = (figure(e["value"]), bar, percent(e["share"]), GROWTH.get(e["growth"], e["growth"]))
        table.add_row(Text(e["label"]), *map(Text, cells), Text(told, style="yellow"))
    out.print(table)
    out.print(_conclusion(document), soft_wrap=True)


def _conclusion(document: Mapping[str, Any]) -> str:
    if len(document["entries"]) < ENOUGH:
        return f"{len(document['entries'])} entries at this point: change points need at least {ENOUGH}"
    found = document["change_points"]
    text = f"{len(found)} change point{'' if len(found) == 1 else 's'} (Pettitt, level {LEVEL:g})"
    trend = document["drift"]
    if trend is not None and trend["p"] <= LEVEL:
        text += f"; drifts {trend['factor']:.3g}-fold over the series (Mann-Kendall p = {trend['p']:.2g})"
    return text
