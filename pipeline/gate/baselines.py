"""What a study is compared with: a baseline as plain data, or the last results of a history.

A baseline is small enough for a repository, with one line per kernel so that diffs are readable. It holds
every number that a check needs (values per point and repetition). Model, noise and residuals are for the
reader; the check fits them again from the values.

Of a history every entry counts as one repetition. What differs from entry to entry, days and machines
included, is the noise that a new result is held against.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError
from ingest.parameter_roles import LeftOut, ProcessCount, is_function
from ingest.scaling import Scaling
from pipeline.gate.kernel_values import NO_LINE, KernelId, KernelValues, Origin, Scope
from pipeline.gate.repetition_noise import log_means
from pipeline.models.agreeing_formulas import formula_range, prediction_formulas
from pipeline.models.fit import fit
from pipeline.models.options import ModelOptions

BASELINE_VERSION = 1
_TREATMENTS = ("", "corrected", "measured")  # of the overhead of measuring; empty if unknown
SMALLEST_SHARE = 0.001  # kernels below it at every point are left out
BASELINE_DIGITS = 6
_FEWEST = 3  # entries that say how much results differ
Rows = Mapping[KernelId, Sequence[Mapping[str, Any]]]


def to_document(
    study: KernelValues, models: ModelOptions, configuration: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the content of a baseline file.

    Args:
        study: what was measured.
        models: how to fit the models shown.
        configuration: options on which the result depends, for the reader.
    """
    fitted = fit(study.parameters, study.points, study.values, models, per=study.per)
    logs = log_means(study.values)
    degrees = logs.degrees.sum(axis=1)
    noise = np.sqrt(logs.squares.sum(axis=1) / np.maximum(degrees, 1))
    predicted = fitted.expected(study.points)
    column = study.parameters.index(study.parameter)
    formulas = prediction_formulas(fitted, formula_range(fitted, column, study.points))
    kernels = [
        {
            "level": kernel.level.value,
            "callpath": list(kernel.callpath),
            "file": study.files[k],
            "line": int(study.lines[k]),
            "model": formulas[k].text(),
            "growth": formulas[k].growth,
            "smape": _rounded(fitted.quality.smape[k]),
            "noise": _rounded(noise[k]) if degrees[k] else None,
            "residuals": [_rounded(v) for v in _residuals(study.mean[k], predicted[k])],
            "values": [[_rounded(v) for v in row if np.isfinite(v)] for row in study.values[k]],
        }
        | ({} if study.common_error is None else {"common_error": _rounded(study.common_error[k])})
        for k, kernel in enumerate(study.kernels)
    ]
    whole = study.over((*study.parameters, *study.left_out.values))
    return {
        "version": BASELINE_VERSION,
        "machine": study.origin.machine or study.origin.processor,
        "processor": study.origin.processor,
        "filter": study.origin.filter,
        "overhead": study.origin.overhead,
        "recorded": sorted(study.origin.recorded),
        "projected": study.origin.projected,
        "configuration": dict(configuration),
        "parameters": list(whole.parameters),
        "parameter": study.parameter,
        "scaling": study.scaling,
        "metric": study.metric,
        "unit": study.unit,
        "smallest_share": study.smallest_share,
        "points": whole.points.tolist(),
        "parallel_efficiency": [_rounded(v) if np.isfinite(v) else None for v in study.parallel_efficiency],
        "kernels": kernels,
    }


def _residuals(measured: FloatArray, predicted: FloatArray) -> FloatArray:
    """Relative residuals of the model, measured / predicted - 1; 0 if the model predicts nothing."""
    ratio = np.ones(measured.shape)
    np.divide(measured, predicted, out=ratio, where=predicted > 0)
    return ratio - 1.0


def _rounded(value: float) -> float:
    return float(f"{value:.{BASELINE_DIGITS}g}")


def document_text(document: Mapping[str, Any]) -> str:
    """Return the text of the file: one line per key, one line per kernel; its digest last."""
    lines = [
        f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}"
        for key, value in document.items()
        if key != "kernels"
    ]
    kernels = [f"  {json.dumps(k, ensure_ascii=False, allow_nan=False)}" for k in document["kernels"]]
    lines.append(' "kernels": [\n' + ",\n".join(kernels) + "\n ]")
    lines.append(f' "sha256": "{_digest(document)}"')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of the content, however it is laid out."""
    content = {key: value for key, value in document.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def from_document(document: Any, where: str) -> KernelValues:  # noqa: ANN401  # it is checked here
    """Read the content of a baseline file.

    Args:
        document: parsed JSON.
        where: the file, for messages.

    Raises:
        InputError: if it is not a baseline, or one of another version.
    """
    hint = "write it with `pipeline baseline`"
    if not isinstance(document, dict) or "version" not in document or "kernels" not in document:
        raise InputError("is not a baseline", where=where, hint=hint)
    if document["version"] != BASELINE_VERSION:
        raise InputError(
            f"is a baseline of version {document['version']}; this program reads version {BASELINE_VERSION}",
            where=where,
            hint=hint,
        )
    try:
        if document.get("sha256") not in (None, _digest(document)):  # not in earlier files of this version
            raise ValueError("it has changed since it was written")
        return _measurements(document)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise InputError(
            f"is a damaged baseline ({type(error).__name__}: {error})", where=where, hint=hint
        ) from error


def _measurements(document: Mapping[str, Any]) -> KernelValues:
    entries = document["kernels"]
    points = np.array(document["points"], dtype=np.float64).reshape(-1, len(document["parameters"]))
    if document["parameter"] not in document["parameters"] or not (points > 0).all() or not len(points):
        raise ValueError("points and parameters do not match")
    if not entries or entries[0]["level"] != Scope.TOTAL.value:
        raise ValueError("the first kernel is not the total")
    efficiency = [np.nan if v is None else float(v) for v in document["parallel_efficiency"]]
    if len(efficiency) != len(points):
        raise ValueError("not one parallel efficiency per point")
    names, scaled = document["parameters"], document["parameters"].index(document["parameter"])
    own = [
        c for c, column in enumerate(points.T) if c == scaled or not is_function(points[:, scaled], column)
    ]
    counts = document["scaling"] != Scaling.NONE.value
    left_out = {name: tuple(points[:, c].tolist()) for c, name in enumerate(names) if c not in own}
    return KernelValues(
        parameters=tuple(ProcessCount(names[c]) if counts and c == scaled else names[c] for c in own),
        parameter=document["parameter"],
        scaling=document["scaling"],
        metric=document["metric"],
        unit=document["unit"],
        points=points[:, own],
        left_out=LeftOut(values=left_out),
        kernels=tuple(KernelId(Scope(e["level"]), tuple(map(str, e["callpath"]))) for e in entries),
        values=_values([e["values"] for e in entries], len(points)),
        files=tuple(str(e["file"]) for e in entries),
        lines=np.array([int(e["line"]) for e in entries]),
        parallel_efficiency=np.array(efficiency),
        origin=_origin(document),
        smallest_share=float(document["smallest_share"]),
        common_error=_common_errors(entries),
    )


def _origin(document: Mapping[str, Any]) -> Origin:
    recorded = document.get("recorded", [])  # not in earlier files of this version
    if document.get("overhead", "") not in _TREATMENTS:
        raise ValueError(f"unknown treatment of overhead {document['overhead']!r}")
    machine, processor = (str(document.get(name, "")) for name in ("machine", "processor"))
    return Origin(
        machine="" if machine == processor else machine,
        processor=processor,
        filter=str(document["filter"]),
        overhead=str(document.get("overhead", "")),
        recorded=frozenset(map(str, recorded)),
        projected=str(document.get("projected", "")),
    )


def _common_errors(entries: list[Mapping[str, Any]]) -> FloatArray | None:
    if "common_error" not in entries[0]:
        return None
    return np.array([float(entry["common_error"]) for entry in entries])


def _values(rows: list[list[list[float]]], points: int) -> FloatArray:
    """Pad repetitions with NaN: float64[K, P, R]."""
    if any(len(row) != points for row in rows):
        raise ValueError("a kernel does not have one list of values per point")
    width = max((len(repetitions) for row in rows for repetitions in row), default=0)
    values = np.full((len(rows), points, max(width, 1)), np.nan)
    for k, row in enumerate(rows):
        for p, repetitions in enumerate(row):
            values[k, p, : len(repetitions)] = repetitions
    if (np.nan_to_num(values, nan=0.0, posinf=-1.0) < 0).any():
        raise ValueError("a value is negative or infinite")
    return values


def against_history(candidate: KernelValues, rows: Rows, last: int) -> tuple[KernelValues, KernelValues]:
    """Return the last entries as a baseline of one point, and the candidate's mean there as one repetition.

    Args:
        candidate: the study to check; its largest scale is compared.
        rows: per kernel the entries in the order they were added: label, point (JSON), value, metric, unit.
        last: number of entries that count.

    Raises:
        InputError: fewer than `_FEWEST` entries have that point.
    """
    at = int(np.argmax(candidate.scale))
    (point,) = candidate.named(candidate.points[[at]])
    total = rows.get(KernelId(Scope.TOTAL, ("total",)), ())
    left_out = {name: values[at] for name, values in candidate.left_out.values.items()}

    def is_here(row: Mapping[str, Any]) -> bool:
        stated = json.loads(row["at"]).items()
        return {name: value for name, value in stated if left_out.get(name) != value} == point

    same = [row for row in total if is_here(row) and row["metric"] == candidate.metric]
    labels = {row["label"]: n for n, row in enumerate(same[-last:])}
    if len(labels) < _FEWEST:
        raise InputError(
            f"{len(labels)} entries of the history have this point, {_FEWEST} are needed",
            hint="add results with `pipeline history add`, measured at the same largest scale",
        )
    kernels = tuple(sorted(rows, key=lambda kernel: kernel.level is not Scope.TOTAL))
    values = np.full((len(kernels), 1, len(labels)), np.nan)
    for k, kernel in enumerate(kernels):
        for row in rows[kernel]:
            if row["label"] in labels and is_here(row):
                values[k, 0, labels[row["label"]]] = row["value"]
    seen = np.isfinite(values).any(axis=(1, 2))
    now = replace(
        candidate,
        points=candidate.points[[at]],
        left_out=LeftOut(values={name: (value,) for name, value in left_out.items()}),
        parallel_efficiency=candidate.parallel_efficiency[[at]],
        values=candidate.mean[:, [at], None],
        repetitions=None,
    )
    baseline = replace(
        now,
        kernels=tuple(kernel for kernel, known in zip(kernels, seen.tolist(), strict=True) if known),
        values=values[seen],
        files=("",) * int(seen.sum()),
        lines=np.full(int(seen.sum()), NO_LINE),
        smallest_share=SMALLEST_SHARE,
    )
    return baseline, now
