"""A kernel across commits: its series, change points and drift."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal, TypedDict

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.gate.change_points import FALSE_ALARMS
from pipeline.gate.kernel_values import KernelId
from pipeline.gate.trends import Entries, development, measured_places, too_few
from pipeline.wording.quantities import (
    callpath_text,
    counted,
    figure,
    growth_text,
    number,
    percent,
    point_text,
    value_text,
)

BAR = 20  # characters
LEVEL_NAMES = {"callpath": "call path", "region": "region"}  # the total needs none


class HistoryEntryJson(TypedDict):
    """A kernel at one label."""

    label: str
    added: Annotated[str, "when, by ISO 8601"]
    value: float
    share: float
    growth: str
    predicted: float
    verdict: str


class ChangePointJson(TypedDict):
    """A change of a kernel, with the labels between which it surely lies."""

    label: str
    first_label: str
    last_label: str
    factor: float
    lower: float
    upper: float
    p: float
    named_by: Annotated[list[str], "the call path that shows it best"]


class DriftJson(TypedDict):
    """A slow change over the series, or over the part of it between two labels."""

    first_label: str
    last_label: str
    factor: float
    p: float


class KernelHistoryJson(TypedDict):
    """The series of one kernel."""

    level: Literal["total", "region", "callpath"]
    callpath: list[str]
    unit: str
    at: dict[str, float]
    entries: list[HistoryEntryJson]
    other_functions: Annotated[list[str], "labels from which on other functions were recorded"]
    change_points: list[ChangePointJson]
    drift: DriftJson | None


class HistoryJson(TypedDict):
    """Kernels across commits."""

    kernels: list[KernelHistoryJson]


@dataclass(frozen=True)
class NamedEntry:
    """Labels of the entry of a change and of those it may be at, and the call path that shows it best."""

    label: str
    first_label: str
    last_label: str
    named_by: list[str]


def places_of(entries: Entries) -> dict[KernelId, list[NamedEntry]]:
    """Return where the measured value of each kernel changed, as named by the kernels that show it best."""
    labels = entries.labels
    return {
        kernel: [
            NamedEntry(labels[one.at], labels[one.first], labels[one.last], list(best.callpath))
            for one, best in found
        ]
        for kernel, found in measured_places(entries).items()
    }


def history_document(
    kernel: KernelId, rows: Sequence[Mapping[str, Any]], places: Sequence[NamedEntry] = ()
) -> KernelHistoryJson:
    """Return the series of one kernel with its change points and drift as plain data.

    Only entries measured at the same point as the last one are compared, and on the same machine if it is
    known.

    Args:
        places: of its changes as all kernels show them; without them its own series names the entries.
    """
    last = rows[-1]
    known = ("", last["machine"])
    same = [row for row in rows if row["at"] == last["at"] and row["machine"] in known and row["value"] > 0]
    values = np.array([row["value"] for row in same], dtype=np.float64)
    found = development(values)
    trend = found.drift
    if len(places) != len(found.steps):
        labels = [row["label"] for row in same]
        places = [
            NamedEntry(labels[c.at], labels[c.first], labels[c.last], list(kernel.callpath))
            for c in found.steps
        ]
    return {
        "level": kernel.level.value,
        "callpath": list(kernel.callpath),
        "unit": last["unit"],
        "at": json.loads(last["at"]),
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
        "other_functions": _other_functions(same),
        "change_points": [
            {
                "label": place.label,
                "first_label": place.first_label,
                "last_label": place.last_label,
                "named_by": place.named_by,
                "factor": number(c.factor),
                "lower": number(c.lower),
                "upper": number(c.upper),
                "p": number(c.p),
            }
            for c, place in zip(found.steps, places, strict=True)
        ],
        "drift": None
        if trend is None
        else {
            "first_label": same[trend.first]["label"],
            "last_label": same[trend.last]["label"],
            "factor": number(trend.factor),
            "p": number(trend.p),
        },
    }


def _other_functions(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the labels from which on other functions were recorded than before, if both are known."""
    known = [row for row in rows if row["recorded"]]
    return [row["label"] for last, row in pairwise(known) if row["recorded"] != last["recorded"]]


def show_history(out: Console, document: Mapping[str, Any], limit: int) -> None:
    """Print a series, the newest entry last, with its change points and drift."""
    out.print(Text(title(document), style="bold"))
    entries = document["entries"]
    largest = max((e["value"] for e in entries), default=1.0)
    changes = {c["label"]: c["factor"] for c in document["change_points"]}
    table = Table(box=None, pad_edge=False)
    value = document["unit"] or "value"
    for name in ("label", value, "", "share", "growth", ""):
        table.add_column(name, justify="right" if name in (value, "share") else "left", no_wrap=True)
    for e in entries[-limit:]:
        bar = "█" * max(1, round(BAR * e["value"] / largest))
        remark = _remark(e, changes)
        cells = (figure(e["value"]), bar, percent(e["share"]), growth_text(e["growth"]))
        table.add_row(Text(e["label"]), *map(Text, cells), Text(remark, style="yellow"))
    out.print(table)
    out.print(conclusion(document), soft_wrap=True)
    if text := recording_note(document):
        out.print(Text(f"Note: {text}", style="yellow"), soft_wrap=True)


def title(document: Mapping[str, Any]) -> str:
    """Return which kernel a series is of, and at which point."""
    name = callpath_text(document["callpath"], 100)
    level = f" ({LEVEL_NAMES[document['level']]})" if document["level"] in LEVEL_NAMES else ""
    return f"{name}{level} at {point_text(document['at'])}"


def recording_note(document: Mapping[str, Any]) -> str:
    """Say from where on other functions were recorded; empty if they were always the same."""
    if not document["other_functions"]:
        return ""
    labels = ", ".join(document["other_functions"])
    return f"other functions were recorded from {labels} on, so time moved between callers and callees"


def history_notes(documents: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say what each series concludes, and where other functions were recorded."""
    notes = [f"{title(one)}: {conclusion(one)}" for one in documents]
    return notes + [text for one in documents if (text := recording_note(one))]


def _remark(entry: Mapping[str, Any], changes: Mapping[str, float]) -> str:
    if entry["label"] in changes:
        return f"{figure(changes[entry['label']])} × before"
    return str(entry["verdict"])


def conclusion(document: Mapping[str, Any]) -> str:
    """Say how many change points a series has, and whether it drifts."""
    if text := too_few(len(document["entries"]), " at this point"):
        return text
    trend = document["drift"]
    points = document["change_points"]
    if not points and trend is None:
        return f"no change (level {value_text(FALSE_ALARMS)})"
    parts = [f"{counted(len(points), 'change point')} (level {value_text(FALSE_ALARMS)})"] if points else []
    if trend is not None:
        ends = f"from {trend['first_label']} to {trend['last_label']}"
        test = f"Mann-Kendall test, p = {figure(trend['p'], 2)}"
        parts.append(f"drift by a factor of {figure(trend['factor'])} {ends} ({test})")
    return "; ".join(parts)
