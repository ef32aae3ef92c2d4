"""Tables of a study on two machines, side by side: wall times, and kernels."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ingest.number_text import percent
from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import (
    ANSWER,
    ENDS,
    ESTIMATE,
    FIGURE,
    MOST_SPAN,
    PATH,
    SHARE,
    Column,
    filled,
    parameters,
)
from pipeline.columns.kernel_tables import kernel_names, leading_rows
from pipeline.columns.target_sentences import far_targets
from pipeline.projection.study.kernel_table import Way
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import estimate_text, point_text

_VAGUE = f"over a factor of {MOST_SPAN:.0f}"
SIDES = ("from", "on")
"""Keys of the machine measured on, and of the other one."""
WORDS = {
    Way.COMPUTES: "computes",
    Way.CALLS: "network",
    Way.MESSAGES: "network, waits",
    Way.WAITS: "waits",
    Way.ACCELERATES: "accelerator",
    Way.STAYS: "as measured",
}


@dataclass(frozen=True)
class KernelOnBoth:
    """A kernel at the last target: its rows of both summaries, and how it went over."""

    here: Mapping[str, Any]
    there: Mapping[str, Any]
    way: Mapping[str, Any]

    @property
    def prediction(self) -> Mapping[str, Any]:
        """What it takes on the other machine."""
        prediction: Mapping[str, Any] = self.there["predictions"][-1]
        return prediction


def leading_kernels(document: Mapping[str, Any], *, by: str, limit: int) -> list[KernelOnBoth]:
    """Return the kernels that are largest on the other machine; none without predictions."""
    here, there = (document[side]["summary"][by] for side in SIDES)
    before, ways = ({tuple(row["callpath"]): row for row in rows} for rows in (here, document[by]))
    return [
        KernelOnBoth(before[path], row, ways[path])
        for row in leading_rows(there, limit)
        if row["predictions"] and (path := tuple(row["callpath"]))
    ]


def study_projection_table(document: Mapping[str, Any], *, by: str, limit: int) -> DataTable:
    """Return one row per kernel of `leading_kernels` at the last target."""
    leading = leading_kernels(document, by=by, limit=limit)
    there = document["on"]["summary"]
    unit = leading[0].there["unit"] if leading else ""
    here, on = (document[side]["machine"] for side in SIDES)
    *_, name = kernel_names(by)
    files, programs = Audience.FILES, Audience.PROGRAMS
    columns: list[Column[Sequence[KernelOnBoth]]] = [
        Column(key="kernel", heading=name.heading, kind=PATH, each=lambda one: one.there["callpath"]),
        *parameters(there["parameters"], [one.prediction["at"] for one in leading], files),
        Column(
            key=f"share_on_{here}",
            heading=visible(here),
            kind=SHARE,
            each=lambda one: one.here["share_at_target"],
        ),
        *(
            Column(key=f"{end}_here", kind=FIGURE, unit=unit, each=partial(_end_here, end), audience=programs)
            for end in ENDS
        ),
        Column(
            key=f"share_on_{on}",
            heading=visible(on),
            kind=SHARE,
            each=lambda one: one.there["share_at_target"],
        ),
        Column(
            key="value",
            heading="there",
            kind=ESTIMATE,
            unit=unit,
            each=lambda one: one.prediction,
            vague=_VAGUE,
        ),
        Column(
            key="goes_over",
            each=lambda one: one.way["way"],
            texts=lambda both: (_way(one.way) for one in both),
            dispensable=2,
        ),
        Column(key="tested", kind=ANSWER, each=lambda one: one.way["tested"], audience=programs),
    ]
    notes = [*document["assumptions"], *(text for text, _ in far_targets(there))]
    title = f"Shares at {point_text(leading[0].prediction['at'])}" if leading else ""
    return filled(columns, leading, notes=notes, title=title)


def _end_here(end: str, one: KernelOnBoth) -> float:
    value: float = one.here["predictions"][-1][end]
    return value


def _way(row: Mapping[str, Any]) -> str:
    """Say what limits a kernel there, or how it was taken over."""
    if row["tested"] and row["limits"]:
        return str(max(row["limits"], key=lambda name: row["limits"][name]))
    return WORDS[Way(row["way"])]


def times_table(document: Mapping[str, Any]) -> DataTable:
    """Return wall times on both machines, one row per scale; what is predicted is marked."""
    here, there = (document[side]["summary"]["runtime"]["at"] for side in SIDES)
    rows = [
        {
            "at": point_text(a["point"]) + ("" if a["measured"] else " *"),
            "from": a,
            "on": b,
            "faster_by": gain,
        }
        for a, b, gain in zip(here, there, document["faster_by"], strict=True)
    ]
    columns: list[Column[Any]] = [
        Column(key="at", heading="wall time at"),
        *(
            Column(key=f"{side}.wall_seconds", heading=visible(name), kind=ESTIMATE, unit="s", vague=_VAGUE)
            for side, name in ((side, document[side]["machine"]) for side in SIDES)
        ),
        Column(key="faster_by", kind=ESTIMATE, vague=_VAGUE),
    ]
    return filled(columns, rows)


def gain_sentence(document: Mapping[str, Any]) -> str:
    """Say by what each resource alone is faster, at the last scale."""
    parts = [f"{value:.3g} by {name}" for name, value in document["faster_by"][-1]["by"].items()]
    last = document["on"]["summary"]["runtime"]["at"][-1]["point"]
    return f"Faster by, for a process at {point_text(last)}: {', '.join(parts)}."


def efficiency_sentence(summary: Mapping[str, Any]) -> str:
    """Say the efficiency at the last scale, and its interval if there is one; empty if it is unknown."""
    last = summary["runtime"]["at"][-1]
    found = last["efficiency"] or last["weak_efficiency"]
    if not found or found["value"] is None:
        return ""
    value, lower, upper = (math.nan if found[end] is None else found[end] for end in ENDS)
    said = estimate_text(value, lower, upper, write=percent)
    return f"At {point_text(last['point'])} the efficiency is {said}."


def limit_sentences(document: Mapping[str, Any]) -> Iterator[str]:
    """Say what limits the kernels that compute, here and there: all kernels of one mix in one sentence."""
    mixes: dict[tuple[str, str, str], list[str]] = {}
    for row in document["regions"]:
        if row["limits"]:
            sign = f"; {row['sign']}" if row["sign"] else ""
            key = _likely(row["limits_here"]), _likely(row["limits_there"]), sign
            mixes.setdefault(key, []).append(visible(row["callpath"][-1]))
    here, there = (visible(document[side]["machine"]) for side in SIDES)
    for (before, after, sign), names in mixes.items():
        whose = names[0] if len(names) == 1 else f"{len(names)} regions ({names[0]}, ...)"
        yield f"{whose}: limited on {here} by {before}; on {there} by {after}{sign}."


def _likely(limits: Mapping[str, float]) -> str:
    pairs = sorted(limits.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name} {100 * share:.0f} %" for name, share in pairs)
