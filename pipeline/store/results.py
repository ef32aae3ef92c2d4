"""A results directory as a whole: provenance, reuse, and the models of both levels."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from ingest.callpaths import folded
from ingest.errors import UsageError
from ingest.experiment import Experiment
from ingest.scaling import ScalingDecision
from pipeline.models.back_test import BackTest
from pipeline.models.growth import stated_laws
from pipeline.models.metrics import kernels_of
from pipeline.models.scaling_models import ScalingModels
from pipeline.questions.analysis import Analysis, Level, analysis_of, kernel_formulas
from pipeline.questions.groups import NO_GROUPS, OwnGroups
from pipeline.questions.held_out import hold_out
from pipeline.store.arrow import binaries, from_ipc, ipc_bytes, lists_of_texts, read_table, texts, write_table
from pipeline.store.experiments import read_experiment, write_experiment
from pipeline.store.generation import STORE_VERSION, StoredResult, damaged, read_result
from pipeline.store.made_from import InputFile, software
from pipeline.store.stored_models import from_table, to_table
from pipeline.wording.record_codec import as_plain, restored

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
    """Read back what `write_analysis` stored of a metric; of the chosen one if none is named.

    Raises:
        InputError: the directory is not a complete result of this version.
        UsageError: there are no models of that metric.
    """
    return read_study(directory).of(metric)


def read_study(directory: Path) -> StoredStudy:
    """Read back what `write_analysis` stored.

    Raises:
        InputError: the directory is not a complete result of this version.
    """
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
    """Return the models of the chosen metric's call paths or regions, their names, and the unit of the total.

    Raises:
        InputError: the directory does not hold them.
    """
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
