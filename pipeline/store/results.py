"""A results directory as a whole: provenance, reuse, and the models of both levels."""

import base64
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pyarrow as pa

from ingest.alignment import REDUCTIONS
from ingest.arrays import FloatArray, IntArray
from ingest.calltree import CallTree, folded
from ingest.errors import InputError, UsageError
from ingest.experiment import Experiment, RunRecord
from ingest.profile import Metric, RegionTable
from ingest.record_codec import Array, as_plain, restored
from ingest.reduction import DEVICE_CLASSES, Reduction
from ingest.region_class import RegionClass
from ingest.scaling import ScalingDecision, named_by_runs
from pipeline.models.back_test import BackTest
from pipeline.models.forms import stored_exponent, term
from pipeline.models.growth import stated_laws
from pipeline.models.kernels import kernels_of
from pipeline.models.quality import Quality
from pipeline.models.rivals import Hypotheses, Rivals
from pipeline.models.scaling_models import LocationCount, ScalingModels
from pipeline.models.trend import CombinedTrend
from pipeline.questions.analysis import Analysis, Level, analysis_of, kernel_formulas
from pipeline.questions.groups import NO_GROUPS, OwnGroups
from pipeline.questions.held_out import hold_out
from pipeline.store import arrow
from pipeline.store.generation import STORE_VERSION, StoredResult, damaged, read_result
from pipeline.store.made_from import InputFile, software

CALLPATHS, MEASUREMENTS, _RUNS = "callpaths.parquet", "measurements.parquet", "runs.parquet"
_KEY = b"experiment"
_MANY_CELLS = 1 << 22  # of a metric, of which any number may be empty
_EMPTIEST = 100  # cells for one measured value, beyond
MODELS, _REGION_MODELS = "models.parquet", "region_models.parquet"
SUMMARY, FILTER, EVIDENCE, REPORT = "summary.json", "app.filter", "app.filter.json", "report.html"
_METRIC_MODELS = "metric_models.parquet"
DAMAGE = (  # what damaged content makes readers raise
    *(OSError, pa.ArrowException, LookupError, TypeError, ValueError, AttributeError, ArithmeticError),
    *(RecursionError, MemoryError),
)


def write_analysis(
    directory: Path, analysis: Analysis, others: Mapping[str, Analysis], described: tuple[IntArray, IntArray]
) -> None:
    """Store the experiment, the models of its call paths and regions, and those of all other metrics.

    Of each level, some kernels are `described`, int64[n]: readers see their formulas.
    """
    held_out = analysis.experiment.held_out
    write_experiment(directory, held_out.whole if held_out else analysis.experiment)
    levels = {MODELS: analysis.callpaths, _REGION_MODELS: analysis.regions}
    for (name, level), some in zip(levels.items(), described, strict=True):
        formulas = kernel_formulas(analysis, level, some)
        laws = stated_laws(level.models.take(some), (formula.growth for formula in formulas))
        for_readers = {
            "callpath": arrow.lists_of_texts(folded(level.kernels.callpaths)),
            "formula": _texts_of_some(len(level.models), some, [formula.text() for formula in formulas]),
            "growth": _texts_of_some(len(level.models), some, laws),
        }
        table = to_table(level.models)
        for place, (column, values) in enumerate(for_readers.items()):
            table = table.add_column(place, column, values)
        arrow.write_table(directory / name, table)
    arrow.write_table(directory / _METRIC_MODELS, _metric_models(others))


def _texts_of_some(count: int, some: IntArray, found: Sequence[str]) -> pa.Array:
    """Return texts of some of so many rows; the others are empty."""
    known = dict(zip(some.tolist(), found, strict=True))
    return arrow.texts([known.get(row, "") for row in range(count)])


def _metric_models(others: Mapping[str, Analysis]) -> pa.Table:
    """One row per metric: its name, and the tables of its call paths and regions in Arrow's IPC format."""
    analyses = others.values()
    return pa.table(
        {
            "metric": arrow.texts(list(others)),
            "callpaths": arrow.binaries(
                [arrow.ipc_bytes(to_table(found.callpaths.models)) for found in analyses]
            ),
            "regions": arrow.binaries(
                [arrow.ipc_bytes(to_table(found.regions.models)) for found in analyses]
            ),
        }
    )


def run_provenance(analysis: Analysis, **entries: Any) -> dict[str, Any]:  # noqa: ANN401  # any plain data
    """Return the content of run.json, what a result was made from and how, but for what it says of the files.

    Args:
        entries: ``command``; ``configuration``, the options that matter; ``filter``, what the instrumentation
            filter does, one sentence; ``inputs``, the files found; ``damaged``, path and reason of everything
            that should have been a run but could not be read; ``beside``, the same of everything else that
            was not read; ``notices``, one sentence per doubt; ``seconds``, wall time per stage.
    """
    return {
        "version": STORE_VERSION,
        "software": software(),
        **entries,
        "decision": as_plain(analysis.decision),
        "back_test": as_plain(analysis.back_test),
    }


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredStudy:
    """What a results directory holds; tables of every other metric as stored."""

    result: StoredResult
    chosen: Analysis
    tables: Mapping[str, tuple[bytes, bytes]]

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of all metrics, the chosen one first."""
        return (self.chosen.metric, *self.tables)

    @property
    def others(self) -> dict[str, Analysis]:
        """All other metrics by name."""
        return {metric: self.of(metric) for metric in self.tables}

    def of(self, metric: str | None) -> Analysis:
        """Return the models of a metric; of the chosen one if none is named.

        UsageError if there are none of that metric; InputError if they are damaged.
        """
        if metric in (None, self.chosen.metric, self.chosen.callpaths.kernels.metric):
            return self.chosen
        if metric not in self.tables:
            hint = f"metrics here: {', '.join(self.metrics)}"
            raise UsageError(f"no models of '{metric}'", where="--metric", hint=hint)
        try:
            models = [from_table(arrow.from_ipc(content)) for content in self.tables[metric]]
            chosen = self.chosen
            return _analysis(chosen.experiment, chosen.decision, metric, models, own_groups=chosen.own_groups)
        except DAMAGE as error:
            raise damaged(self.result.directory, f"{type(error).__name__}: {error}") from error


def read_analysis(directory: Path, metric: str | None = None) -> Analysis:
    """Read back what `write_analysis` stored of a metric; of the chosen one if none is named."""
    return read_study(directory).of(metric)


def read_study(directory: Path) -> StoredStudy:
    """Read back what `write_analysis` stored."""
    return read_result(directory, _study)


def _study(result: StoredResult) -> StoredStudy:
    provenance = result.provenance
    try:
        _require_entries(provenance)
        experiment = hold_out(read_experiment(result.read), result.configuration.get("hold_out", ()))
        models = [from_table(arrow.read_encoded(result.read(name))) for name in (MODELS, _REGION_MODELS)]
        tables = {
            row["metric"]: (row["callpaths"], row["regions"])
            for row in arrow.read_encoded(result.read(_METRIC_MODELS)).to_pylist()
        }
        decision = restored(ScalingDecision, provenance["decision"])
        metric = experiment.chosen_metric(result.configuration["metric"])
        back_test = restored(BackTest | None, provenance["back_test"])
        groups = {
            name: tuple(map(str, some)) for name, some in result.configuration.get("groups", {}).items()
        }
        chosen = _analysis(experiment, decision, metric, models, back_test, groups)
    except DAMAGE as error:
        raise damaged(result.directory, f"{type(error).__name__}: {error}") from error
    return StoredStudy(result=result, chosen=chosen, tables=tables)


def read_models(
    directory: Path, of_callpaths: bool
) -> tuple[ScalingModels, tuple[tuple[str, ...], ...], str]:
    """Return the models of call paths or regions of the chosen metric, their names, the unit of the total."""
    return read_result(directory, lambda stored: _models(stored, MODELS if of_callpaths else _REGION_MODELS))


def _models(stored: StoredResult, name: str) -> tuple[ScalingModels, tuple[tuple[str, ...], ...], str]:
    contents = stored.read(name), stored.read(SUMMARY)
    try:
        table = arrow.read_encoded(contents[0])
        callpaths = tuple(tuple(names) for names in table["callpath"].to_pylist())
        return from_table(table), callpaths, str(json.loads(contents[1])["total"]["unit"])
    except DAMAGE as error:
        raise damaged(stored.directory, str(error)) from error


def _require_entries(provenance: Mapping[str, Any]) -> None:
    """Raise what a missing or wrong entry raises: LookupError, TypeError, ValueError or AttributeError."""
    for entry in provenance["inputs"]:
        InputFile(**entry)
    for entry in (*provenance["damaged"], *provenance["beside"]):
        f"{entry['path']}{entry['reason']}"
    for value in provenance["seconds"].values():
        float(value)
    provenance["software"].items()
    "".join((provenance["command"], provenance["filter"], *provenance["notices"]))


def _analysis(
    experiment: Experiment,
    decision: ScalingDecision,
    metric: str,
    models: Sequence[ScalingModels],
    back_test: BackTest | None = None,
    own_groups: OwnGroups = NO_GROUPS,
) -> Analysis:
    named = (replace(of_level, parameters=experiment.parameters) for of_level in models)
    callpaths, regions = map(Level, kernels_of(experiment, metric, decision.scaling), named)
    return analysis_of(experiment, decision, callpaths, regions, back_test, own_groups)


_SHARED = {
    name: kind
    for name, kind in get_type_hints(Experiment).items()
    if name not in ("points", "tree", "regions", "values", "runs", "held_out")
}
"""The fields that stand as JSON in the metadata of call paths, with their types."""


def write_experiment(directory: Path, experiment: Experiment) -> None:
    """Store an experiment in a results directory.

    ``callpaths.parquet`` has one row per call path (callpath, parent, region, mangled, paradigm, file, line),
    ``measurements.parquet`` one per call path, metric, point and repetition with the reductions over CPU
    locations, ``runs.parquet`` one per run.
    """
    arrow.write_table(directory / CALLPATHS, _callpaths(experiment))
    arrow.write_tables(directory / MEASUREMENTS, _measurements(experiment))
    arrow.write_table(directory / _RUNS, _runs(experiment))


def _callpaths(experiment: Experiment) -> pa.Table:
    tree, regions = experiment.tree, experiment.regions
    at = tree.region.tolist()
    table = pa.table(
        {
            "callpath": arrow.numbers(np.arange(len(tree))),
            "parent": arrow.numbers(tree.parent),
            "region": arrow.texts([regions.name[r] for r in at]),
            "mangled": arrow.texts([regions.mangled[r] for r in at]),
            "paradigm": arrow.texts([regions.paradigm[r] for r in at]),
            "file": arrow.texts([regions.file[r] for r in at]),
            "line": arrow.numbers(regions.line[tree.region]),
        }
    )
    shared = {
        "points": experiment.points.tolist(),
        "repetitions": experiment.shape[1],
        **{name: as_plain(getattr(experiment, name)) for name in _SHARED},
    }
    return table.replace_schema_metadata({_KEY: json.dumps(shared).encode()})


def _measurements(experiment: Experiment) -> Iterator[pa.Table]:
    """Yield one row per call path, metric, point and repetition, as many as are encoded together."""
    points, repetitions = experiment.shape
    at_once = max(arrow.ROWS_AT_ONCE // max(points * repetitions, 1), 1)
    for metric in experiment.metrics:
        for first in range(0, max(len(experiment.tree), 1), at_once):
            yield _measurements_of(experiment, metric.name, slice(first, first + at_once))


def _measurements_of(experiment: Experiment, metric: str, callpaths: slice) -> pa.Table:
    reduced = {name: getattr(experiment.values[metric], name)[callpaths] for name in REDUCTIONS}
    columns = {name: values.reshape(-1) for name, values in reduced.items()}
    node, point, repetition = (
        indices.reshape(-1) for indices in np.indices(reduced["max"].shape, dtype=np.int32)
    )
    measured = np.isfinite(columns["max"])  # extremes have no sum
    place = {"callpath": node + np.int32(callpaths.start), "point": point, "repetition": repetition}
    if not set(experiment.parameters) & {*place, *REDUCTIONS, "metric"}:
        place |= {name: experiment.points[point, d] for d, name in enumerate(experiment.parameters)}
    table = pa.table({name: arrow.numbers(a[measured]) for name, a in (place | columns).items()})
    return table.add_column(0, "metric", arrow.repeated_text(metric, len(table)))


def _runs(experiment: Experiment) -> pa.Table:
    runs = experiment.runs
    return pa.table(
        {
            "source": arrow.texts([run.source.encode(errors="backslashreplace").decode() for run in runs]),
            "point": arrow.numbers(np.array([run.point for run in runs], dtype=np.int64)),
            "repetition": arrow.numbers(np.array([run.repetition for run in runs], dtype=np.int64)),
            "dilation": arrow.numbers(np.array([run.dilation for run in runs], dtype=np.float64)),
            "process": arrow.lists_of_numbers([run.process for run in runs], np.int64),
            "classes": arrow.lists_of_texts([[found.value for found in run.classes] for run in runs]),
            "class_time": arrow.lists_of_numbers([run.class_time.reshape(-1) for run in runs], np.float64),
            "device_time": arrow.lists_of_numbers([run.device_time.reshape(-1) for run in runs], np.float64),
            "attributes": arrow.texts([json.dumps(dict(run.attributes)) for run in runs]),
        }
    )


def read_experiment(read: Callable[[str], bytes]) -> Experiment:
    """Read what `write_experiment` stored; `read` returns the content of a file by name."""
    callpaths = arrow.read_encoded(read(CALLPATHS))
    shared = json.loads(callpaths.schema.metadata[_KEY])
    columns = {key: arrow.texts_of(callpaths[key]) for key in ("region", "mangled", "paradigm", "file")}
    first: dict[str, int] = {}
    for row, name in enumerate(columns["region"]):
        first.setdefault(name, row)
    number = {name: i for i, name in enumerate(first)}
    region = np.array([number[name] for name in columns["region"]], dtype=np.int64)
    mangled, paradigm, file = (
        tuple(columns[key][row] for row in first.values()) for key in ("mangled", "paradigm", "file")
    )
    line = arrow.numbers_of(callpaths["line"]).astype(np.int64)[[*first.values()]]
    tree = CallTree(arrow.numbers_of(callpaths["parent"]).astype(np.int64), region)
    held = {name: restored(kind, shared[name]) for name, kind in _SHARED.items()}
    points = np.array(shared["points"], dtype=np.float64).reshape(-1, len(held["parameters"]))
    shape = (len(tree), len(points), shared["repetitions"])
    runs = tuple(
        RunRecord(
            source=row["source"],
            point=row["point"],
            repetition=row["repetition"],
            dilation=row["dilation"],
            process=np.array(row["process"], dtype=np.int64),
            classes=tuple(map(RegionClass, row["classes"])),
            class_time=np.array(row["class_time"], dtype=np.float64).reshape(len(row["classes"]), -1),
            device_time=np.array(row["device_time"], dtype=np.float64).reshape(len(DEVICE_CLASSES), -1),
            attributes=json.loads(row["attributes"]),
        )
        for row in arrow.read_encoded(read(_RUNS)).to_pylist()
    )
    held["parameters"] = named_by_runs(held["parameters"], points, runs)
    return Experiment(
        points=points,
        tree=tree,
        regions=RegionTable(name=tuple(first), mangled=mangled, paradigm=paradigm, file=file, line=line),
        values=_read_values(read(MEASUREMENTS), held["metrics"], shape),
        runs=runs,
        **held,
    )


def _read_values(content: bytes, metrics: tuple[Metric, ...], shape: tuple[int, ...]) -> dict[str, Reduction]:
    values, measured = {}, arrow.read_encoded(content)
    if math.prod(shape) > max(_MANY_CELLS, _EMPTIEST * len(measured)):
        raise ValueError(f"{len(measured)} rows are too few for {' x '.join(map(str, shape))} values")
    places = [arrow.numbers_of(measured[name]) for name in ("callpath", "point", "repetition")]
    reduced = [arrow.numbers_of(measured[name]) for name in REDUCTIONS]
    for metric in metrics:
        rows = arrow.rows_with(measured["metric"], metric.name)
        place = tuple(of_all[rows] for of_all in places)
        values[metric.name] = Reduction(*(_dense(of_all[rows], place, shape) for of_all in reduced))
    return values


def _dense(values: FloatArray, place: tuple[FloatArray, ...], shape: tuple[int, ...]) -> FloatArray:
    dense = np.full(shape, np.nan)
    dense[place] = values
    return dense


_BESIDE_ARRAYS = b"scaling_models"
_RAGGED = ("chosen", "weight", "coefficients", "covariance")
_IN_RIVALS = {"chosen": "hypothesis"}
_OF_RIVALS = ("degrees", "drift")
_PER_KERNEL = (*_OF_RIVALS, *(field.name for field in fields(Quality)))
_TRENDS = {f"trend_{name}": f"trend.{name}" for name in ("noise", "shift", "grows")}
_TRENDS |= {f"trend_{name}": f"trend.trend.{name}" for name in ("logs", "misfit", "steady", "usual")}
"""The columns of the arrays of a `CombinedTrend` that have a row per kernel."""


def to_table(models: ScalingModels) -> pa.Table:
    """Write models as a table.

    Columns are the arrays of `Rivals`, `Quality` and the trends, lists where a kernel has several values; all
    else is JSON in the metadata, the model of the sum among it.
    """
    columns: dict[str, pa.Array] = {}
    rivals = models.rivals
    for name in _RAGGED:
        columns[name] = _lists(getattr(rivals, _IN_RIVALS.get(name, name)), rivals.begin)
    for name in _PER_KERNEL:
        columns[name] = _column(getattr(rivals if name in _OF_RIVALS else models.quality, name))
    arrays: dict[str, Array] = {}
    trend = as_plain(models.trend, arrays, "trend")
    columns |= {name: _column(arrays.pop(place)) for name, place in _TRENDS.items() if place in arrays}
    if models.common_error is not None:
        columns["common_error"] = _column(models.common_error)
    table = pa.table(columns)
    shared = {
        "parameters": models.parameters,
        "terms": [[stored_exponent(one) for one in t] for t in models.hypotheses.terms],
        "hypotheses": models.hypotheses.rows.tolist(),
        "width": models.hypotheses.rows.shape[1],
        "sharpness": models.hypotheses.sharpness.tolist(),
        "first": models.first.tolist(),
        "last": models.last.tolist(),
        "nonnegative": models.nonnegative,
        "correlation": models.correlation,
        "per": as_plain(models.per),
        "trend": trend,
        "arrays": {name: values.tolist() for name, values in arrays.items()},
        "whole": None
        if models.whole is None
        else base64.b64encode(arrow.ipc_bytes(to_table(models.whole))).decode(),
    }
    return table.replace_schema_metadata({_BESIDE_ARRAYS: json.dumps(shared).encode()})


def from_table(table: pa.Table) -> ScalingModels:
    """Read what `to_table` wrote; InputError if the table holds no models."""
    metadata = table.schema.metadata or {}
    if _BESIDE_ARRAYS not in metadata:
        raise InputError("the table holds no scaling models", hint="run `pipeline run` again")
    shared: dict[str, Any] = json.loads(metadata[_BESIDE_ARRAYS])
    width = 1 + shared["width"]
    flat = {name: _values(table, name) for name in _RAGGED}
    per_kernel = {name: _values(table, name) for name in _PER_KERNEL}
    arrays = {name: np.array(values) for name, values in shared["arrays"].items()}
    arrays |= {place: _values(table, name) for name, place in _TRENDS.items() if name in table.column_names}
    return ScalingModels(
        parameters=tuple(shared["parameters"]),
        first=np.array(shared["first"], dtype=np.float64),
        last=np.array(shared["last"], dtype=np.float64),
        nonnegative=shared["nonnegative"],
        correlation=shared["correlation"],
        hypotheses=Hypotheses(
            terms=tuple(term(*exponents) for exponents in shared["terms"]),
            rows=np.array(shared["hypotheses"], dtype=np.int64).reshape(-1, shared["width"]),
            sharpness=np.array(shared["sharpness"], dtype=np.float64),
        ),
        rivals=Rivals(
            begin=arrow.numbers_of(table.column("chosen").combine_chunks().offsets).astype(np.int64),
            hypothesis=flat["chosen"],
            weight=flat["weight"],
            coefficients=flat["coefficients"].reshape(-1, width),
            covariance=flat["covariance"].reshape(-1, width, width),
            **{name: per_kernel.pop(name) for name in _OF_RIVALS},
        ),
        quality=Quality(**per_kernel),
        per=restored(LocationCount | None, shared["per"]),
        trend=restored(CombinedTrend | None, shared["trend"], arrays, "trend"),
        whole=None
        if shared["whole"] is None
        else from_table(arrow.from_ipc(base64.b64decode(shared["whole"]))),
        common_error=_values(table, "common_error") if "common_error" in table.column_names else None,
    )


def _values(table: pa.Table, name: str) -> Array:
    """All values of a column: an array of `_column`, or those of lists one after the other."""
    column = table.column(name).combine_chunks()
    if pa.types.is_fixed_size_list(column.type):
        return arrow.numbers_of(column.values).reshape(-1, column.type.list_size)
    found = arrow.numbers_of(column.values if pa.types.is_nested(column.type) else column)
    return found.view(np.bool_) if found.dtype == np.uint8 else found


def _column(values: Array) -> pa.Array:
    """One value per row, or a list of fixed length; truth values as bytes."""
    flat = arrow.numbers(
        values.reshape(-1).view(np.uint8) if values.dtype == np.bool_ else values.reshape(-1)
    )
    return flat if values.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat, values.shape[1])


def _lists(values: Array, begin: IntArray) -> pa.Array:
    """A list of as many values per row as a kernel has rivals, those of a rival one after the other."""
    each = int(np.prod(values.shape[1:]))
    return pa.ListArray.from_arrays(
        arrow.numbers((begin * each).astype(np.int32)), arrow.numbers(values.reshape(-1))
    )
