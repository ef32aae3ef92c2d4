"""The efficiency metrics of every point as the rows of a table."""

from collections.abc import Mapping
from typing import Any

from pipeline.report.summary import EFFICIENCY_METRICS, FAIR, GOOD

DEPTH = {"overall": 0, "parallel": 1, "load_balance": 2, "communication": 2, "computation": 1, "ipc": 2}
DEEPEST = 2


def efficiency_table(efficiency: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the template shows of ``efficiency`` in a summary, without what is unknown everywhere."""
    points = efficiency["points"]
    return {
        "points": [", ".join(f"{name} = {value:g}" for name, value in row["at"].items()) for row in points],
        "rows": [
            {"name": name, "depth": DEPTH.get(key, DEEPEST), "cells": [_cell(row[key]) for row in points]}
            for key, name in EFFICIENCY_METRICS.items()
            if any(row[key] is not None for row in points)
        ],
        "notices": efficiency["notices"],
    }


def _cell(value: float | None) -> dict[str, str]:
    if value is None:
        return {"text": "–", "rating": "none"}
    rating = "good" if value >= GOOD else "fair" if value >= FAIR else "poor"
    return {"text": f"{100 * value:.1f} %", "rating": rating}
