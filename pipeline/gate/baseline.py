"""A baseline as plain data: small enough for a repository, one line a kernel so that changes can be read.

Every figure that a check needs is there (values per point and repetition); model, noise and residuals are for
the reader, and are fitted again from the values by the check.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError
from pipeline.gate.log_ratios import log_means
from pipeline.gate.snapshot import KernelId, Level, Origin, Snapshot
from pipeline.models.fit import fit
from pipeline.models.options import ModelOptions

VERSION = 1
SMALLEST_SHARE = 0.001  # kernels below it at every point are left out
DIGITS = 6


def to_document(snapshot: Snapshot, models: ModelOptions, configuration: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a baseline file.

    Args:
        snapshot: what was measured.
        models: how the models shown are fitted.
        configuration: options on which the result depends, for the reader.
    """
    fitted = fit(snapshot.parameters, snapshot.points, snapshot.values, models)
    logs = log_means(snapshot.values)
    freedom = np.maximum(logs.count - 1, 0).sum(axis=1)
    noise = np.sqrt(logs.squares.sum(axis=1) / np.maximum(freedom, 1))
    predicted = fitted.values(snapshot.points)
    kernels = [
        {
            "level": kernel.level.value,
            "callpath": list(kernel.callpath),
            "file": snapshot.files[k],
            "line": int(snapshot.lines[k]),
            "model": fitted.formula(k),
            "growth": fitted.growth(k),
            "smape": _rounded(fitted.smape[k]),
            "noise": _rounded(noise[k]) if freedom[k] else None,
            "residuals": [_rounded(v) for v in _residuals(snapshot.mean[k], predicted[k])],
            "values": [[_rounded(v) for v in row if np.isfinite(v)] for row in snapshot.values[k]],
        }
        for k, kernel in enumerate(snapshot.kernels)
    ]
    return {
        "version": VERSION,
        "machine": snapshot.origin.machine,
        "filter": snapshot.origin.filter,
        "configuration": dict(configuration),
        "parameters": list(snapshot.parameters),
        "parameter": snapshot.parameter,
        "scaling": snapshot.scaling,
        "metric": snapshot.metric,
        "unit": snapshot.unit,
        "smallest_share": snapshot.smallest_share,
        "points": snapshot.points.tolist(),
        "parallel_efficiency": [
            _rounded(v) if np.isfinite(v) else None for v in snapshot.parallel_efficiency
        ],
        "kernels": kernels,
    }


def _residuals(measured: FloatArray, predicted: FloatArray) -> FloatArray:
    """Relative residuals of the model, measured / predicted - 1; 0 where the model says nothing."""
    ratio = np.ones(measured.shape)
    np.divide(measured, predicted, out=ratio, where=predicted > 0)
    return ratio - 1.0


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def document_text(document: Mapping[str, Any]) -> str:
    """Return the file's text: keys one a line, kernels one a line."""
    lines = [
        f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}"
        for key, value in document.items()
        if key != "kernels"
    ]
    kernels = [f"  {json.dumps(k, ensure_ascii=False, allow_nan=False)}" for k in document["kernels"]]
    lines.append(' "kernels": [\n' + ",\n".join(kernels) + "\n ]")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def from_document(document: Any, where: str) -> Snapshot:  # noqa: ANN401 - it is checked here
    """Read the content of a baseline file.

    Args:
        document: parsed JSON.
        where: the file, for messages.

    Raises:
        InputError: where it is no baseline, or one of another version.
    """
    hint = "write it with `pipeline baseline`"
    if not isinstance(document, dict) or "version" not in document or "kernels" not in document:
        raise InputError("is no baseline", where=where, hint=hint)
    if document["version"] != VERSION:
        raise InputError(
            f"is a baseline of version {document['version']}, this program reads {VERSION}",
            where=where,
            hint=hint,
        )
    try:
        return _snapshot(document)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(
            f"is a damaged baseline ({type(error).__name__}: {error})", where=where, hint=hint
        ) from error


def _snapshot(document: Mapping[str, Any]) -> Snapshot:
    entries = document["kernels"]
    points = np.array(document["points"], dtype=np.float64).reshape(-1, len(document["parameters"]))
    if document["parameter"] not in document["parameters"] or not (points > 0).all() or not len(points):
        raise ValueError("points and parameters do not fit together")
    if not entries or entries[0]["level"] != Level.TOTAL.value:
        raise ValueError("the first kernel is not the total")
    efficiency = [np.nan if v is None else float(v) for v in document["parallel_efficiency"]]
    if len(efficiency) != len(points):
        raise ValueError("not one parallel efficiency a point")
    return Snapshot(
        parameters=tuple(document["parameters"]),
        parameter=document["parameter"],
        scaling=document["scaling"],
        metric=document["metric"],
        unit=document["unit"],
        points=points,
        kernels=tuple(KernelId(Level(e["level"]), tuple(map(str, e["callpath"]))) for e in entries),
        values=_values([e["values"] for e in entries], len(points)),
        files=tuple(str(e["file"]) for e in entries),
        lines=np.array([int(e["line"]) for e in entries], dtype=np.int64),
        parallel_efficiency=np.array(efficiency),
        origin=Origin(str(document["machine"]), str(document["filter"])),
        smallest_share=float(document["smallest_share"]),
    )


def _values(rows: list[list[list[float]]], points: int) -> FloatArray:
    """Pad repetitions with NaN: float64[K, P, R]."""
    if any(len(row) != points for row in rows):
        raise ValueError("a kernel has not one list of values a point")
    width = max((len(repetitions) for row in rows for repetitions in row), default=0)
    values = np.full((len(rows), points, max(width, 1)), np.nan)
    for k, row in enumerate(rows):
        for p, repetitions in enumerate(row):
            values[k, p, : len(repetitions)] = repetitions
    if (np.nan_to_num(values, nan=0.0, posinf=-1.0) < 0).any():
        raise ValueError("a value is negative or infinite")
    return values
