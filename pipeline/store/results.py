"""A results directory as a whole: provenance, reuse, and the models of both levels."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.accelerators import DEVICE_CLASSES
from ingest.alignment import REDUCTIONS
from ingest.arrays import FloatArray
from ingest.callpaths import folded
from ingest.calltree import CallTree
from ingest.errors import UsageError
from ingest.experiment import Experiment, OverheadCorrection, PerVisit, RunRecord
from ingest.parameter_roles import LeftOut
from ingest.profile import Metric, MetricKind, RegionTable
from ingest.reduction import Reduction
from ingest.region_class import RegionClass
from ingest.scaling import ScalingDecision, named_by_runs
from pipeline.models.back_test import BackTest
from pipeline.models.growth import stated_laws
from pipeline.models.kernels import kernels_of
from pipeline.models.scaling_models import ScalingModels
from pipeline.questions.analysis import Analysis, Level, analysis_of, kernel_formulas
from pipeline.questions.groups import NO_GROUPS, OwnGroups
from pipeline.questions.held_out import hold_out
from pipeline.store.arrow import (
    ROWS_AT_ONCE,
    binaries,
    from_ipc,
    ipc_bytes,
    lists_of_numbers,
    lists_of_texts,
    numbers,
    numbers_of,
    read_table,
    repeated_text,
    texts,
    write_table,
    write_tables,
)
from pipeline.store.generation import STORE_VERSION, StoredResult, damaged, read_result
from pipeline.store.made_from import InputFile, software
from pipeline.store.stored_models import from_table, to_table
from pipeline.wording.record_codec import as_plain, restored

CALLPATHS, MEASUREMENTS, RUNS = "callpaths.parquet", "measurements.parquet", "runs.parquet"
_KEY = b"experiment"
MANY_CELLS = 1 << 22  # of a metric, of which any number may be empty
EMPTIEST = 100  # cells for one measured value, beyond
MODELS, REGION_MODELS = "models.parquet", "region_models.parquet"
SUMMARY, FILTER, EVIDENCE, REPORT = "summary.json", "app.filter", "app.filter.json", "report.html"
METRIC_MODELS = "metric_models.parquet"
DAMAGE = (  # what damaged content makes readers raise
    *(OSError, pa.ArrowException, LookupError, TypeError, ValueError, AttributeError, ArithmeticError),
    *(RecursionError, MemoryError),
)


def write_analysis(directory: Path, analysis: Analysis, others: Mapping[str, Analysis]) -> None:
    """Store the experiment, the models of its call paths and regions, and those of all other metrics."""
    held_out = analysis.experiment.held_out
    write_experiment(directory, held_out.whole if held_out else analysis.experiment)
    levels = {MODELS: analysis.callpaths, REGION_MODELS: analysis.regions}
    for name, level in levels.items():
        formulas = kernel_formulas(analysis, level)
        described = {  # for human readers
            "callpath": lists_of_texts(folded(level.kernels.callpaths)),
            "formula": texts([formula.text() for formula in formulas]),
            "growth": texts(stated_laws(level.models, (formula.growth for formula in formulas))),
        }
        table = to_table(level.models)
        for place, (column, values) in enumerate(described.items()):
            table = table.add_column(place, column, values)
        write_table(directory / name, table)
    write_table(directory / METRIC_MODELS, _metric_models(others))


def _metric_models(others: Mapping[str, Analysis]) -> pa.Table:
    """One row per metric: its name, and the tables of its call paths and regions in Arrow's IPC format."""
    analyses = others.values()
    return pa.table(
        {
            "metric": texts(list(others)),
            "callpaths": binaries([ipc_bytes(to_table(found.callpaths.models)) for found in analyses]),
            "regions": binaries([ipc_bytes(to_table(found.regions.models)) for found in analyses]),
        }
    )


def run_provenance(analysis: Analysis, **entries: Any) -> dict[str, Any]:  # noqa: ANN401  # any plain data
    """Return the content of run.json, what a result was made from and how, but for what it says of the files.

    Args:
        analysis: the chosen metric.
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
    """What a results directory holds.

    Attributes:
        result: the files, and where they are.
        chosen: the chosen metric.
        tables: of every other metric the models of its call paths and regions, as stored.
    """

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

        Raises:
            UsageError: there are none of that metric.
            InputError: they are damaged.
        """
        if metric in (None, self.chosen.metric, self.chosen.callpaths.kernels.metric):
            return self.chosen
        if metric not in self.tables:
            hint = f"metrics here: {', '.join(self.metrics)}"
            raise UsageError(f"no models of '{metric}'", where="--metric", hint=hint)
        try:
            models = [from_table(from_ipc(content)) for content in self.tables[metric]]
            chosen = self.chosen
            return _analysis(chosen.experiment, chosen.decision, metric, models, own_groups=chosen.own_groups)
        except DAMAGE as error:
            raise damaged(self.result.directory, _reason(error)) from error


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
        models = [from_table(read_table(result.read(name))) for name in (MODELS, REGION_MODELS)]
        tables = {
            row["metric"]: (row["callpaths"], row["regions"])
            for row in read_table(result.read(METRIC_MODELS)).to_pylist()
        }
        decision = restored(ScalingDecision, provenance["decision"])
        metric = experiment.chosen_metric(result.configuration["metric"])
        back_test = restored(BackTest | None, provenance.get("back_test"))
        groups = {
            name: tuple(map(str, some)) for name, some in result.configuration.get("groups", {}).items()
        }
        chosen = _analysis(experiment, decision, metric, models, back_test, groups)
    except DAMAGE as error:
        raise damaged(result.directory, _reason(error)) from error
    return StoredStudy(result=result, chosen=chosen, tables=tables)


def read_models(
    directory: Path, of_callpaths: bool
) -> tuple[ScalingModels, tuple[tuple[str, ...], ...], str]:
    """Return the models of call paths or regions of the chosen metric, their names, the unit of the total."""
    return read_result(directory, lambda stored: _models(stored, MODELS if of_callpaths else REGION_MODELS))


def _models(stored: StoredResult, name: str) -> tuple[ScalingModels, tuple[tuple[str, ...], ...], str]:
    contents = stored.read(name), stored.read(SUMMARY)
    try:
        table = read_table(contents[0])
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


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


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


def write_experiment(directory: Path, experiment: Experiment) -> None:
    """Store an experiment in a results directory.

    ``callpaths.parquet`` has one row per call path (callpath, parent, region, mangled, paradigm, file, line),
    ``measurements.parquet`` one per call path, metric, point and repetition with the reductions over CPU
    locations, ``runs.parquet`` one per run.
    """
    write_table(directory / CALLPATHS, _callpaths(experiment))
    write_tables(directory / MEASUREMENTS, _measurements(experiment))
    write_table(directory / RUNS, _runs(experiment))


def _callpaths(experiment: Experiment) -> pa.Table:
    tree, regions = experiment.tree, experiment.regions
    at = tree.region.tolist()
    table = pa.table(
        {
            "callpath": numbers(np.arange(len(tree))),
            "parent": numbers(tree.parent),
            "region": texts([regions.name[r] for r in at]),
            "mangled": texts([regions.mangled[r] for r in at]),
            "paradigm": texts([regions.paradigm[r] for r in at]),
            "file": texts([regions.file[r] for r in at]),
            "line": numbers(regions.line[tree.region]),
        }
    )
    shared = {
        "parameters": experiment.parameters,
        "points": experiment.points.tolist(),
        "repetitions": experiment.shape[1],
        "metrics": [(m.name, m.unit, m.kind.value) for m in experiment.metrics],
        "notices": experiment.notices,
        "correction": as_plain(experiment.correction),
        "overhead_left": experiment.overhead_left,
        "hooks_uncounted": experiment.hooks_uncounted,
        "recorded": experiment.recorded,
        "per": as_plain(experiment.per),
        "left_out": as_plain(experiment.left_out),
        "stated": dict(experiment.stated),
    }
    return table.replace_schema_metadata({_KEY: json.dumps(shared).encode()})


def _measurements(experiment: Experiment) -> Iterator[pa.Table]:
    """Yield one row per call path, metric, point and repetition, as many as are encoded together."""
    points, repetitions = experiment.shape
    at_once = max(ROWS_AT_ONCE // max(points * repetitions, 1), 1)
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
    if _free_of(experiment.parameters, place):
        place |= {name: experiment.points[point, d] for d, name in enumerate(experiment.parameters)}
    table = pa.table({name: numbers(a[measured]) for name, a in (place | columns).items()})
    return table.add_column(0, "metric", repeated_text(metric, len(table)))


def _free_of(parameters: tuple[str, ...], columns: dict[str, object]) -> bool:
    """Return whether parameter names can be columns of their own beside the fixed ones."""
    return not set(parameters) & (set(columns) | set(REDUCTIONS) | {"metric"})


def _runs(experiment: Experiment) -> pa.Table:
    runs = experiment.runs
    return pa.table(
        {
            "source": texts([run.source.encode(errors="backslashreplace").decode() for run in runs]),
            "point": numbers(np.array([run.point for run in runs], dtype=np.int64)),
            "repetition": numbers(np.array([run.repetition for run in runs], dtype=np.int64)),
            "process": lists_of_numbers([run.process for run in runs], np.int64),
            "classes": lists_of_texts([[found.value for found in run.classes] for run in runs]),
            "class_time": lists_of_numbers([run.class_time.reshape(-1) for run in runs], np.float64),
            "device_time": lists_of_numbers([run.device_time.reshape(-1) for run in runs], np.float64),
            "attributes": texts([json.dumps(dict(run.attributes)) for run in runs]),
        }
    )


def read_experiment(read: Callable[[str], bytes]) -> Experiment:
    """Read what `write_experiment` stored; `read` returns the content of a file by name."""
    callpaths = read_table(read(CALLPATHS))
    shared = json.loads(callpaths.schema.metadata[_KEY])
    columns = callpaths.to_pydict()
    first: dict[str, int] = {}
    for row, name in enumerate(columns["region"]):
        first.setdefault(name, row)
    number = {name: i for i, name in enumerate(first)}
    region = np.array([number[name] for name in columns["region"]], dtype=np.int64)
    mangled, paradigm, file = (
        tuple(columns[key][row] for row in first.values()) for key in ("mangled", "paradigm", "file")
    )
    line = np.array([columns["line"][row] for row in first.values()], dtype=np.int64)
    tree = CallTree(np.array(columns["parent"], dtype=np.int64), region)
    metrics = tuple(Metric(name, unit, MetricKind(kind)) for name, unit, kind in shared["metrics"])
    points = np.array(shared["points"], dtype=np.float64).reshape(-1, len(shared["parameters"]))
    shape = (len(tree), len(points), shared["repetitions"])
    runs = _read_runs(read(RUNS))
    return Experiment(
        parameters=named_by_runs(tuple(shared["parameters"]), points, runs),
        points=points,
        tree=tree,
        regions=RegionTable(name=tuple(first), mangled=mangled, paradigm=paradigm, file=file, line=line),
        metrics=metrics,
        values=_read_values(read(MEASUREMENTS), metrics, shape),
        runs=runs,
        notices=tuple(shared["notices"]),
        correction=restored(OverheadCorrection | None, shared.get("correction")),
        overhead_left=float(shared.get("overhead_left", 0.0)),
        hooks_uncounted=bool(shared.get("hooks_uncounted", False)),
        recorded=tuple(shared.get("recorded", ())),  # not in earlier files of this version
        per=restored(PerVisit | None, shared.get("per")),
        left_out=restored(LeftOut, shared.get("left_out", {})),
        stated=dict(shared.get("stated", {})),
    )


def _read_values(content: bytes, metrics: tuple[Metric, ...], shape: tuple[int, ...]) -> dict[str, Reduction]:
    values, measured = {}, read_table(content)
    if math.prod(shape) > max(MANY_CELLS, EMPTIEST * len(measured)):
        raise ValueError(f"{len(measured)} rows are too few for {' x '.join(map(str, shape))} values")
    for metric in metrics:
        table = measured.filter(pc.is_in(measured["metric"], value_set=texts([metric.name])))
        place = tuple(numbers_of(table[name]) for name in ("callpath", "point", "repetition"))
        values[metric.name] = Reduction(
            *(_dense(numbers_of(table[name]), place, shape) for name in REDUCTIONS)
        )
    return values


def _dense(values: FloatArray, place: tuple[FloatArray, ...], shape: tuple[int, ...]) -> FloatArray:
    dense = np.full(shape, np.nan)
    dense[place] = values
    return dense


def _read_runs(content: bytes) -> tuple[RunRecord, ...]:
    return tuple(
        RunRecord(
            source=row["source"],
            point=row["point"],
            repetition=row["repetition"],
            process=np.array(row["process"], dtype=np.int64),
            classes=tuple(map(RegionClass, row["classes"])),
            class_time=np.array(row["class_time"], dtype=np.float64).reshape(len(row["classes"]), -1),
            device_time=_device_time(row.get("device_time")),
            attributes=json.loads(row["attributes"]),
        )
        for row in read_table(content).to_pylist()
    )


def _device_time(stored: list[float] | None) -> FloatArray:
    """Return the times of accelerators; there are none in earlier files of this version."""
    return np.array(stored or (), dtype=np.float64).reshape(len(DEVICE_CLASSES), -1)
