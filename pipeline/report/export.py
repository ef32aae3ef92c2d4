"""An experiment or its models in the formats of other tools."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.questions.analysis import Analysis, Outlook, largest_point
from pipeline.wording.escaping import csv_text
from pipeline.wording.quantities import number

ExportFormat: TypeAlias = Literal["extrap-jsonl", "csv", "hatchet-json"]


def export(
    analysis: Analysis, outlook: Outlook, form: ExportFormat, targets: FloatArray | None = None
) -> str:
    """Return the text of an export.

    Args:
        analysis: the modelled experiment.
        outlook: predictions for its call paths.
        form: ``extrap-jsonl``: measured values, for Extra-P; ``csv``: one row per call path with its model;
            ``hatchet-json``: the call tree with the values at the largest scale, for Hatchet's
            ``GraphFrame.from_literal``.
        targets: float64[Q, D], the points of the outlook; if there are several, CSV has columns for each.
    """
    if form == "extrap-jsonl":
        return "".join(f"{line}\n" for line in _extrap_lines(analysis))
    if form == "csv":
        return _csv(analysis, outlook, targets if targets is not None and len(targets) > 1 else None)
    return json.dumps(call_tree_literal(analysis), ensure_ascii=False, indent=1) + "\n"


def _extrap_lines(analysis: Analysis) -> Iterator[str]:
    """Yield Extra-P's JSON lines: one per call path and point, with all repetitions."""
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


def _csv(analysis: Analysis, outlook: Outlook, targets: FloatArray | None) -> str:
    """Return one row per call path: path, model, quality, share and the prediction at the last target.

    The predictions at all targets follow if they are given, with columns such as ``value at p=64``.
    """
    kernels, models = analysis.callpaths.kernels, analysis.callpaths.models
    names = ["callpath", "region", "metric", "unit", "formula", "growth", "probability_growing", "smape"]
    names += ["share_measured", "share_at_target", "value_at_target", "lower_at_target", "upper_at_target"]
    for target in [] if targets is None else targets.tolist():
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
                number(models.probability_growing[k]),
                number(models.smape[k]),
                *_shares(outlook, k),
                *(number(f[k, -1]) for f in figures),
                *(
                    number(f[k, q])
                    for q in range(len(targets) if targets is not None else 0)
                    for f in figures
                ),
            ]
        )
    return text.getvalue()


def _shares(outlook: Outlook, kernel: int) -> list[float | str]:
    """Return the shares of a kernel; empty texts if the metric has no total."""
    shares = float(outlook.share_measured[kernel]), float(outlook.share_target[kernel])
    return [number(share) if np.isfinite(share) else "" for share in shares]


def hatchet_graph_frame(analysis: Analysis) -> Any:  # noqa: ANN401  # Hatchet's GraphFrame
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


def call_tree_literal(analysis: Analysis) -> list[dict[str, object]]:
    """Return the call tree with the values at the largest scale, as Hatchet's ``from_literal`` takes it."""
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
