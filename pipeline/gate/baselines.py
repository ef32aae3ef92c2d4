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
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError
from ingest.experiment import PlainTotals
from ingest.parameter_roles import LeftOut, ProcessCount, is_function
from ingest.record_codec import document, entry, restored
from ingest.scaling import Scaling
from pipeline.gate.kernel_values import NO_LINE, KernelId, KernelValues, Origin, Scope, Treatment
from pipeline.gate.repetition_noise import log_means
from pipeline.gate.trends import HistoryRow
from pipeline.models.agreeing_formulas import formula_range, prediction_formulas
from pipeline.models.fit import fit
from pipeline.models.options import ModelOptions
from pipeline.wording.escaping import json_line

BASELINE_VERSION = 1
SMALLEST_SHARE = 0.001  # kernels below it at every point are left out
BASELINE_DIGITS = 6
_FEWEST = 3  # entries that say how much results differ


@dataclass(frozen=True, kw_only=True)
class BaselineKernel:
    """A kernel in a baseline: where it is, its model, noise and residuals, and its values by point."""

    level: Scope
    callpath: tuple[str, ...]
    file: str
    line: int
    model: str
    growth: str
    smape: float
    noise: float | None
    residuals: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]
    common_error: float | None = field(default=None, metadata=entry(may_lack=True))


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """The content of a baseline file; what has a default is not in earlier files of this version."""

    exact_numbers: ClassVar[bool] = True

    version: int
    machine: str  # that it was measured on, or the processor
    processor: str = ""
    filter: str
    overhead: Treatment = ""  # and `recorded`, `projected`: those of `Origin`
    recorded: tuple[str, ...] = ()
    projected: str = ""
    configuration: Mapping[str, object]  # options on which the result depends, for the reader
    parameters: tuple[str, ...]
    parameter: str
    scaling: str
    metric: str
    unit: str
    smallest_share: float
    points: tuple[tuple[float, ...], ...]
    parallel_efficiency: tuple[float, ...]
    load_balance: tuple[float, ...] | None = field(default=None, metadata=entry(may_lack=True))
    plain: PlainTotals | None = field(default=None, metadata=entry(may_lack=True))
    kernels: tuple[BaselineKernel, ...]

    @property
    def text(self) -> str:
        """The text of the file: one line per key, one line per kernel; its digest last."""
        content = document(self)
        lines = [f' "{key}": {json_line(value)}' for key, value in content.items() if key != "kernels"]
        kernels = [f"  {json_line(kernel)}" for kernel in content["kernels"]]
        lines.append(' "kernels": [\n' + ",\n".join(kernels) + "\n ]")
        lines.append(f' "sha256": "{_digest(content)}"')
        return "{\n" + ",\n".join(lines) + "\n}\n"


def baseline_of(study: KernelValues, models: ModelOptions, configuration: Mapping[str, object]) -> Baseline:
    """Return the content of a baseline file, with models that are fitted for it."""
    fitted = fit(study.parameters, study.points, study.values, models, per=study.per)
    logs = log_means(study.values)
    degrees = logs.degrees.sum(axis=1)
    noise = np.sqrt(logs.squares.sum(axis=1) / np.maximum(degrees, 1))
    predicted = fitted.expected(study.points)
    formulas = prediction_formulas(fitted, formula_range(fitted, study.column, study.points))
    kernels = [
        BaselineKernel(
            level=kernel.level,
            callpath=kernel.callpath,
            file=study.files[k],
            line=int(study.lines[k]),
            model=formulas[k].text(),
            growth=formulas[k].growth,
            smape=_rounded(fitted.quality.smape[k]),
            noise=_rounded(noise[k]) if degrees[k] else None,
            residuals=tuple(map(_rounded, _residuals(study.mean[k], predicted[k]))),
            values=tuple(tuple(_rounded(v) for v in row if np.isfinite(v)) for row in study.values[k]),
            common_error=None if study.common_error is None else _rounded(study.common_error[k]),
        )
        for k, kernel in enumerate(study.kernels)
    ]
    whole = study.over((*study.parameters, *study.left_out.values))
    origin = study.origin
    return Baseline(
        version=BASELINE_VERSION,
        machine=origin.machine or origin.processor,
        processor=origin.processor,
        filter=origin.filter,
        overhead=origin.overhead,
        recorded=tuple(sorted(origin.recorded)),
        projected=origin.projected,
        configuration=configuration,
        parameters=whole.parameters,
        parameter=study.parameter,
        scaling=study.scaling,
        metric=study.metric,
        unit=study.unit,
        smallest_share=study.smallest_share,
        points=tuple(map(tuple, whole.points.tolist())),
        parallel_efficiency=tuple(map(_rounded, study.parallel_efficiency)),
        load_balance=None if study.load_balance is None else tuple(map(_rounded, study.typical_balance)),
        plain=study.plain,
        kernels=tuple(kernels),
    )


def _residuals(measured: FloatArray, predicted: FloatArray) -> FloatArray:
    """Relative residuals of the model, measured / predicted - 1; 0 if the model predicts nothing."""
    ratio = np.ones(measured.shape)
    np.divide(measured, predicted, out=ratio, where=predicted > 0)
    return ratio - 1.0


def _rounded(value: float) -> float:
    return float(f"{value:.{BASELINE_DIGITS}g}")


def _digest(content: Mapping[str, object]) -> str:
    """SHA-256 of the content, however it is laid out."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def from_document(content: object, where: str) -> KernelValues:
    """Read the parsed JSON of a baseline file; InputError if it is none, or one of another version."""
    hint = "write it with `pipeline baseline`"
    if not isinstance(content, dict) or "version" not in content or "kernels" not in content:
        raise InputError("is not a baseline", where=where, hint=hint)
    if content["version"] != BASELINE_VERSION:
        raise InputError(
            f"is a baseline of version {content['version']}; this program reads version {BASELINE_VERSION}",
            where=where,
            hint=hint,
        )
    try:
        stated = {name: value for name, value in content.items() if name != "sha256"}
        if content.get("sha256") not in (None, _digest(stated)):  # not in earlier files of this version
            raise ValueError("it has changed since it was written")
        return _measurements(restored(Baseline, stated))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise InputError(
            f"is a damaged baseline ({type(error).__name__}: {error})", where=where, hint=hint
        ) from error


def _measurements(read: Baseline) -> KernelValues:
    points = np.array(read.points, dtype=np.float64).reshape(-1, len(read.parameters))
    if read.parameter not in read.parameters or not (points > 0).all() or not len(points):
        raise ValueError("points and parameters do not match")
    if not read.kernels or read.kernels[0].level is not Scope.TOTAL:
        raise ValueError("the first kernel is not the total")
    efficiency = np.array(read.parallel_efficiency, dtype=np.float64)
    balance = None if read.load_balance is None else np.array(read.load_balance, dtype=np.float64)
    if any(one is not None and len(one) != len(points) for one in (efficiency, balance)):
        raise ValueError("not one parallel efficiency or load balance per point")
    names, scaled = read.parameters, read.parameters.index(read.parameter)
    own = [
        c for c, column in enumerate(points.T) if c == scaled or not is_function(points[:, scaled], column)
    ]
    counts = read.scaling != Scaling.NONE.value
    left_out = {name: tuple(points[:, c].tolist()) for c, name in enumerate(names) if c not in own}
    errors = [one.common_error for one in read.kernels]
    return KernelValues(
        parameters=tuple(ProcessCount(names[c]) if counts and c == scaled else names[c] for c in own),
        parameter=read.parameter,
        scaling=read.scaling,
        metric=read.metric,
        unit=read.unit,
        points=points[:, own],
        left_out=LeftOut(values=left_out),
        kernels=tuple(KernelId(one.level, one.callpath) for one in read.kernels),
        values=_values([one.values for one in read.kernels], len(points)),
        files=tuple(one.file for one in read.kernels),
        lines=np.array([one.line for one in read.kernels]),
        parallel_efficiency=efficiency,
        load_balance=None if balance is None else balance[:, None],
        origin=Origin(
            machine="" if read.machine == read.processor else read.machine,
            processor=read.processor,
            filter=read.filter,
            overhead=read.overhead,
            recorded=frozenset(read.recorded),
            projected=read.projected,
        ),
        smallest_share=read.smallest_share,
        common_error=None if None in errors else np.array(errors, dtype=np.float64),
        plain=read.plain,
    )


def _values(rows: Sequence[Sequence[Sequence[float]]], points: int) -> FloatArray:
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


def against_history(
    candidate: KernelValues, rows: Mapping[KernelId, Sequence[HistoryRow]], last: int
) -> tuple[KernelValues, KernelValues]:
    """Return the last entries as a baseline of one point, and the candidate's mean there as one repetition.

    The point is the candidate's largest scale; `rows` are in the order they were added. InputError if fewer
    than `_FEWEST` entries have it.
    """
    at = int(np.argmax(candidate.scale))
    (point,) = candidate.named(candidate.points[[at]])
    total = rows.get(KernelId(Scope.TOTAL, ("total",)), ())
    left_out = {name: values[at] for name, values in candidate.left_out.values.items()}

    def is_here(row: HistoryRow) -> bool:
        stated = json.loads(row.at).items()
        return {name: value for name, value in stated if left_out.get(name) != value} == point

    same = [row for row in total if is_here(row) and row.metric == candidate.metric]
    labels = {row.label: n for n, row in enumerate(same[-last:])}
    if len(labels) < _FEWEST:
        raise InputError(
            f"{len(labels)} entries of the history have this point, {_FEWEST} are needed",
            hint="add results with `pipeline history add`, measured at the same largest scale",
        )
    kernels = tuple(sorted(rows, key=lambda kernel: kernel.level is not Scope.TOTAL))
    values = np.full((len(kernels), 1, len(labels)), np.nan)
    for k, kernel in enumerate(kernels):
        for row in rows[kernel]:
            if row.label in labels and is_here(row):
                values[k, 0, labels[row.label]] = row.value
    seen = np.isfinite(values).any(axis=(1, 2))
    now = replace(
        candidate,
        points=candidate.points[[at]],
        left_out=LeftOut(values={name: (value,) for name, value in left_out.items()}),
        parallel_efficiency=candidate.parallel_efficiency[[at]],
        load_balance=None,
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
