"""What kernels would gain if they were faster, scaled perfectly or were balanced."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired, TypedDict

import numpy as np

from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import ESTIMATE, SHARE, Column, filled
from pipeline.columns.kernel_tables import kernel_names, left_out
from pipeline.questions.analysis import Level
from pipeline.questions.what_if import BALANCED, SCALING, TWICE, WAYS, Potential
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import FigureJson, estimate_json, number, point_json, point_text, quantity

Row = Mapping[str, Any]
WORDS = {TWICE: "twice as fast", SCALING: "scaling perfectly", BALANCED: "balanced"}


class KernelPotentialJson(TypedDict):
    """What a kernel would gain in seconds of wall time."""

    id: NotRequired[Annotated[int, "of call paths only: the number in the preorder of the call tree"]]
    callpath: list[str]
    by: Annotated[str, "what gains most: twice as fast, perfect scaling or balanced"]
    gain: FigureJson | None
    share: Annotated[float, "of the wall time"]
    twice_as_fast: FigureJson | None
    perfect_scaling: FigureJson | None
    balanced: FigureJson | None


class PotentialJson(TypedDict):
    """What kernels would gain at a point, the largest gain first."""

    at: dict[str, float]
    wall_seconds: float
    kernels: list[KernelPotentialJson]


def potential_json(found: Potential, level: Level, parameters: Sequence[str]) -> PotentialJson:
    """Return what kernels of a level would gain as plain data, the largest gain first."""
    rows: list[KernelPotentialJson] = []
    for place, (kernel, best) in enumerate(zip(found.kernels.tolist(), found.best, strict=True)):
        node = int(level.kernels.node[kernel])
        gain = _gain(found, best, place)
        seconds = gain["value"] if gain is not None else None
        row: KernelPotentialJson = {
            "callpath": list(level.kernels.callpaths[kernel]),
            "by": best,
            "gain": gain,
            "share": number((seconds or 0.0) / found.wall if found.wall > 0 else 0.0),
            "twice_as_fast": _gain(found, TWICE, place),
            "perfect_scaling": _gain(found, SCALING, place),
            "balanced": _gain(found, BALANCED, place),
        }
        if node >= 0:
            row["id"] = node + 1
        rows.append(row)
    return {"at": point_json(parameters, found.point), "wall_seconds": number(found.wall), "kernels": rows}


def _gain(found: Potential, way: str, place: int) -> FigureJson | None:
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
    """Say which kernel would gain most at a point; empty if nothing would."""
    gain = gain_text(document)
    return f"Most to gain at {point_text(document['at'])}: {gain}." if document and gain else ""


def gain_text(document: Mapping[str, Any] | None) -> str:
    """Say the same without the point: ``MPI_Send without waiting saves 4.64 s of 10.9 s``."""
    if document is None or not document["kernels"] or not document["kernels"][0]["share"] > 0:
        return ""
    best = document["kernels"][0]
    gain, wall = (quantity(value, "s") for value in (best["gain"]["value"], document["wall_seconds"]))
    name = shown_name(best["callpath"][-1])
    return f"{name} {WORDS[best['by']]} saves {gain} of {wall}"
