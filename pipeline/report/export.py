"""An experiment or its models in the formats of other tools; each is one row of `EXPORTS`.

The command line knows the rows from the start: functions import what takes long to import.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ingest.errors import UsageError

if TYPE_CHECKING:
    from ingest.arrays import FloatArray
    from pipeline.questions.analysis import Analysis, Outlook

Writer: TypeAlias = "Callable[[Analysis, Outlook, FloatArray], str]"
"""Makes the text of an analysis and its predictions at the targets, float64[Q, D]."""


@dataclass(frozen=True, kw_only=True)
class Export:
    """A format.

    Attributes:
        name: as users give it.
        write: makes the text.
        predicts: whether it has predictions, so that targets mean something.
        adds_up: whether values of call paths are added to those of their callers.
    """

    name: str
    write: Writer
    predicts: bool = False
    adds_up: bool = False


def export_format(name: str) -> Export:
    """Return the format of that name.

    Raises:
        UsageError: there is none.
    """
    for one in EXPORTS:
        if one.name == name:
            return one
    known = ", ".join(one.name for one in EXPORTS)
    raise UsageError(f"no export format '{name}'", hint=f"known formats: {known}")


def _extrap(analysis: "Analysis", *_: object) -> str:
    return "".join(f"{line}\n" for line in _extrap_lines(analysis))


def _extrap_lines(analysis: "Analysis") -> Iterator[str]:
    """Yield Extra-P's JSON lines: one per call path and point, with all repetitions."""
    import numpy as np

    kernels, experiment = analysis.callpaths.kernels, analysis.experiment
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
                yield json.dumps(entry, ensure_ascii=False)


def _csv(analysis: "Analysis", outlook: "Outlook", targets: "FloatArray") -> str:
    """Return one row per call path: path, model, quality, share and the prediction at the last target.

    The predictions at all targets follow if there are several, with columns such as ``value at p=64``.
    """
    from pipeline.wording.escaping import csv_text
    from pipeline.wording.quantities import number

    several = len(targets) if len(targets) > 1 else 0
    kernels, models = analysis.callpaths.kernels, analysis.callpaths.models
    names = ["callpath", "region", "metric", "unit", "formula", "growth", "probability_growing", "smape"]
    names += ["share_measured", "share_at_target", "value_at_target", "lower_at_target", "upper_at_target"]
    for target in targets[:several].tolist():
        point = ",".join(f"{n}={v:.12g}" for n, v in zip(analysis.experiment.parameters, target, strict=True))
        names += [f"{figure} at {point}" for figure in ("value", "lower", "upper")]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    for k, callpath in enumerate(kernels.callpaths):
        figures = (outlook.prediction.value, outlook.prediction.lower, outlook.prediction.upper)
        writer.writerow(
            [
                csv_text("->".join(callpath)),
                csv_text(callpath[-1]),
                csv_text(kernels.metric),
                csv_text(kernels.unit),
                models.formula(k).text(),
                models.formula(k).growth,
                number(models.quality.probability_growing[k]),
                number(models.quality.smape[k]),
                *_shares(outlook, k),
                *(number(f[k, -1]) for f in figures),
                *(number(f[k, q]) for q in range(several) for f in figures),
            ]
        )
    return text.getvalue()


def _shares(outlook: "Outlook", kernel: int) -> list[float | str]:
    """Return the shares of a kernel; empty texts if the metric has no total."""
    import numpy as np

    from pipeline.wording.quantities import number

    shares = float(outlook.share_measured[kernel]), float(outlook.share_target[kernel])
    return [number(share) if np.isfinite(share) else "" for share in shares]


def _hatchet(analysis: "Analysis", *_: object) -> str:
    """Return what ``GraphFrame.from_literal`` of Hatchet takes."""
    return json.dumps(call_tree_literal(analysis), ensure_ascii=False, indent=1) + "\n"


def hatchet_graph_frame(analysis: "Analysis") -> Any:  # noqa: ANN401  # Hatchet's GraphFrame
    """Return the call tree with the values at the largest scale as a GraphFrame of Hatchet.

    Raises:
        UsageError: Hatchet is not installed.
    """
    try:
        from hatchet import GraphFrame
    except ImportError as error:
        hint = "pip install 'callpath-pipeline[hatchet]'"
        raise UsageError("Hatchet is not installed", hint=hint) from error
    return GraphFrame.from_literal(call_tree_literal(analysis))


def call_tree_literal(analysis: "Analysis") -> list[dict[str, object]]:
    """Return the call tree with the values at the largest scale, as Hatchet's ``from_literal`` takes it."""
    import numpy as np

    from pipeline.questions.analysis import largest_point
    from pipeline.wording.quantities import number

    experiment, kernels = analysis.experiment, analysis.callpaths.kernels
    names = kernels.regions
    largest = largest_point(experiment.points, experiment.parameters.index(analysis.parameter))
    own = np.nan_to_num(kernels.mean[:, largest])
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
    Export(name="hatchet-json", write=_hatchet, adds_up=True),
)
"""Measured values for Extra-P; one row per call path with its model; the call tree at the largest scale."""
