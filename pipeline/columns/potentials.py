"""What kernels would gain if they were faster, scaled perfectly or were balanced."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import ESTIMATE, SHARE, Column, filled
from pipeline.columns.kernel_tables import kernel_names, left_out
from pipeline.columns.model_json import point_json
from pipeline.questions.analysis import Level
from pipeline.questions.potential import BALANCED, SCALING, TWICE, WAYS, Potential
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import estimate_json, number, point_text, quantity

Row = Mapping[str, Any]
WORDS = {TWICE: "twice as fast", SCALING: "scaling perfectly", BALANCED: "balanced"}


def potential_json(found: Potential, level: Level, parameters: Sequence[str]) -> dict[str, Any]:
    """Return what kernels of a level would gain as plain data, the largest gain first."""
    rows = []
    for place, (kernel, best) in enumerate(zip(found.kernels.tolist(), found.best, strict=True)):
        node = int(level.kernels.node[kernel])
        gains = {way: _gain(found, way, place) for way in WAYS}
        gain = gains[best]
        rows.append(
            {
                **({"id": node + 1} if node >= 0 else {}),
                "callpath": list(level.kernels.callpaths[kernel]),
                "by": best,
                "gain": gain,
                "share": number(gain["value"] / found.wall if gain and found.wall > 0 else 0.0),
                **{way.replace(" ", "_"): gains[way] for way in WAYS},
            }
        )
    return {"at": point_json(parameters, found.point), "wall_seconds": number(found.wall), "kernels": rows}


def _gain(found: Potential, way: str, place: int) -> dict[str, Any] | None:
    value, lower, upper = (float(end[place]) for end in found.gains[way])
    return estimate_json(value, lower, upper) if np.isfinite(value) else None


def potential_table(document: Mapping[str, Any], *, by: str, limit: int) -> DataTable:
    """Return the kernels with the largest gains; `by` is ``regions`` or ``kernels`` (call paths)."""
    rows: Sequence[Row] = document["kernels"]
    kept = rows[:limit]

    def seconds(value: float) -> str:
        return quantity(value, "s")

    columns: list[Column[Any]] = [
        *kernel_names(by),
        Column(key="gain", kind=ESTIMATE, write=seconds),
        Column(key="share", kind=SHARE, heading="of wall time"),
        Column(key="by"),
    ]
    columns += [
        Column(key=way.replace(" ", "_"), kind=ESTIMATE, write=seconds, audience=Audience.FILES)
        for way in WAYS
    ]
    title = f"Gains in wall time at {point_text(document['at'])} ({seconds(document['wall_seconds'])})"
    return filled(columns, kept, notes=left_out(rows, kept), title=title)


def potential_sentence(document: Mapping[str, Any] | None) -> str:
    """Say which kernel would gain most; empty if nothing would."""
    if document is None or not document["kernels"] or not document["kernels"][0]["share"] > 0:
        return ""
    best = document["kernels"][0]
    gain, wall = (quantity(value, "s") for value in (best["gain"]["value"], document["wall_seconds"]))
    name = shown_name(best["callpath"][-1])
    return f"Most to gain at {point_text(document['at'])}: {name} {WORDS[best['by']]} saves {gain} of {wall}."
