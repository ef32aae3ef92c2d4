"""An experiment or its models in the formats of other tools; each is one row of `EXPORTS`.

The command line knows the rows from the start: functions import what takes long to import.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from ingest.errors import UsageError, extra
from pipeline.wording.escaping import json_line

if TYPE_CHECKING:
    from ingest.arrays import FloatArray
    from pipeline.columns.column import Row
    from pipeline.questions.analysis import Analysis, Outlook

Writer: TypeAlias = "Callable[[Analysis, Outlook, FloatArray], str]"
"""Makes the text of an analysis and its predictions at the targets, float64[Q, D]."""


@dataclass(frozen=True, kw_only=True)
class Export:
    """A format."""

    name: str  # as users give it
    write: Writer  # makes the text
    predicts: bool = False  # whether it has predictions, so that targets mean something
    adds_up: bool = False  # whether values of call paths are added to those of their callers


def export_format(name: str) -> Export:
    """Return the format of that name; UsageError if there is none."""
    for one in EXPORTS:
        if one.name == name:
            return one
    known = ", ".join(one.name for one in EXPORTS)
    raise UsageError(f"no export format '{name}'", hint=f"known formats: {known}")


def _extrap(analysis: "Analysis", *_: object) -> str:
    """Return Extra-P's JSON lines: one per call path and point, with all repetitions."""
    import numpy as np

    kernels, experiment = analysis.callpaths.kernels, analysis.experiment
    lines = []
    for callpath, values in zip(kernels.callpaths, kernels.values, strict=True):
        for point, repetitions in zip(experiment.points.tolist(), values, strict=True):
            known = repetitions[np.isfinite(repetitions)].tolist()
            if known:
                entry = {
                    "params": dict(zip(experiment.parameters, point, strict=True)),
                    "callpath": "->".join(callpath),
                    "metric": kernels.metric,
                    "value": known,
                }
                lines.append(f"{json_line(entry)}\n")
    return "".join(lines)


def _csv(analysis: "Analysis", outlook: "Outlook", targets: "FloatArray") -> str:
    """Return one row per call path with its model and the prediction at the last target.

    The predictions at all targets follow if there are several, with columns such as ``value at p=64``.
    """
    import numpy as np

    from pipeline.columns.column import ENDS, Column, filled, json_rows
    from pipeline.columns.kernels import CELLS, KERNELS, RankedKernels
    from pipeline.report.render.text_formats import csv_text
    from pipeline.wording.quantities import value_text

    parameters, level = analysis.experiment.parameters, analysis.callpaths
    kernels = RankedKernels(
        level=level,
        outlook=outlook,
        chosen=np.arange(len(level.kernels)),
        parameters=parameters,
        targets=targets,
    )
    points = [dict(zip(parameters, at, strict=True)) for at in targets.tolist()]
    texts = [",".join(f"{name}={value_text(value)}" for name, value in at.items()) for at in points]
    shown = [("_at_target", -1), *((f" at {at}", n) for n, at in enumerate(texts) if len(texts) > 1)]
    predicted: list[Column[Any]] = [
        Column(key=f"{end}{suffix}", each=partial(_predicted, n, end)) for suffix, n in shown for end in ENDS
    ]
    columns = [*(column.as_stored for column in CELLS), *predicted]
    return csv_text(filled(columns, json_rows(KERNELS, kernels)))


def _predicted(target: int, end: str, row: "Row") -> float:
    found: float = row["predictions"][target][end]
    return found


def hatchet_graph_frame(analysis: "Analysis") -> Any:  # noqa: ANN401  # Hatchet's GraphFrame
    """Return the call tree with the values at the largest scale as a GraphFrame of Hatchet."""
    with extra("hatchet"):
        from hatchet import GraphFrame
    return GraphFrame.from_literal(_call_tree_literal(analysis))


def _call_tree_literal(analysis: "Analysis") -> list[dict[str, object]]:
    """Return the call tree with the values at the largest scale, as Hatchet's ``from_literal`` takes it."""
    import numpy as np

    from pipeline.wording.quantities import number

    experiment, kernels = analysis.experiment, analysis.callpaths.kernels
    names = kernels.regions
    own = np.nan_to_num(kernels.mean[:, analysis.largest])
    inclusive = experiment.tree.inclusive(own[:, None])[:, 0]
    children: list[list[dict[str, object]]] = []
    roots: list[dict[str, object]] = []
    for i, parent in enumerate(experiment.tree.parent.tolist()):
        callees: list[dict[str, object]] = []
        node: dict[str, object] = {
            "frame": {"name": names[i], "type": "function"},
            "metrics": {kernels.metric: number(own[i]), f"{kernels.metric} (inc)": number(inclusive[i])},
            "children": callees,
        }
        (children[parent] if parent >= 0 else roots).append(node)
        children.append(callees)
    return roots


EXPORTS = (
    Export(name="extrap-jsonl", write=_extrap),
    Export(name="csv", write=_csv, predicts=True),
    Export(
        name="hatchet-json",
        write=lambda analysis, *_: json_line(_call_tree_literal(analysis), indent=1) + "\n",
        adds_up=True,
    ),
)
"""Measured values for Extra-P; one row per call path with its model; the call tree at the largest scale."""
