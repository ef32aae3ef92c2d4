"""The efficiency table: plain data for the summary, and what the terminal shows of it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ingest.experiment import Experiment
from pipeline.models.efficiency import Efficiencies
from pipeline.report.numbers import number

FIGURES = {
    "overall": "global efficiency",
    "parallel": "parallel efficiency",
    "load_balance": "load balance",
    "communication": "communication efficiency",
    "computation": "computation scalability",
    "ipc": "IPC scalability",
    "instructions": "instruction scalability",
}
GOOD, FAIR = 0.8, 0.6
NOT_TOLD = "no region is marked as communication, so computing and waiting cannot be told apart"


def efficiency_summary(experiment: Experiment, found: Efficiencies | None) -> dict[str, Any]:
    """Return the metrics of every point, null where they cannot be told, and why."""
    if found is None:
        return {"points": [], "notices": [NOT_TOLD]}
    rows = []
    for i, point in enumerate(experiment.points.tolist()):
        figures = {key: getattr(found, key)[i] for key in FIGURES}
        row: dict[str, Any] = {"at": dict(zip(experiment.parameters, map(number, point), strict=True))}
        rows.append(row | {key: number(v) if np.isfinite(v) else None for key, v in figures.items()})
    return {"points": rows, "notices": list(found.notices)}


def show_efficiency(out: Console, summary: Mapping[str, Any]) -> None:
    """Print one row a metric and one column a point; what is unknown at all points is left to the notices."""
    rows = summary["efficiency"]["points"]
    if rows:
        table = Table(title="Efficiency (POP)", title_justify="left", box=None, pad_edge=False)
        table.add_column("")
        for row in rows:
            table.add_column(", ".join(f"{k} = {v:g}" for k, v in row["at"].items()), justify="right")
        for key, name in FIGURES.items():
            if any(row[key] is not None for row in rows):
                table.add_row(name, *(_cell(row[key]) for row in rows))
        out.print(table)
    for notice in summary["efficiency"]["notices"]:
        out.print(Text(f"Not told: {notice}"), style="dim", soft_wrap=True)


def _cell(value: float | None) -> Text:
    if value is None:
        return Text("-", style="dim")
    style = "green" if value >= GOOD else "yellow" if value >= FAIR else "red"
    return Text(f"{100 * value:.0f} %", style=style)
