"""A results directory as a whole: provenance, reuse, and the models of both levels."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.callpaths import folded
from ingest.errors import InputError, UsageError
from ingest.experiment import Experiment
from ingest.scaling import Scaling, ScalingDecision
from pipeline.models.analysis import Analysis, Level, analysis_of
from pipeline.models.metrics import kernels_of
from pipeline.models.runtime.back_test import BackTest
from pipeline.models.scaling_models import ScalingModels
from pipeline.store.arrow import binaries, from_ipc, ipc_bytes, lists_of_texts, texts, write_table
from pipeline.store.atomic import not_writable, write_json
from pipeline.store.experiments import read_experiment, write_experiment
from pipeline.store.inputs import InputFile, software
from pipeline.store.models import from_table, to_table

MODELS, REGION_MODELS, PROVENANCE = "models.parquet", "region_models.parquet", "run.json"
SUMMARY, FILTER, EVIDENCE, REPORT = "summary.json", "app.filter", "app.filter.json", "report.html"
METRIC_MODELS = "metric_models.parquet"
STORE_VERSION = 3
LIBRARIES = ("callpath-pipeline", "numpy", "pandas", "scipy", "scikit-learn", "pyarrow")


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What a result was made from and how; the content of run.json.

    Attributes:
        command: the command line.
        configuration: the options that matter for the result.
        decision: scaling, its parameter and the reason.
        filter: what the instrumentation filter does, one sentence.
        inputs: the files found.
        damaged: path and reason of everything that should have been a run but could not be read.
        beside: the same of everything else that was not read.
        notices: one sentence per doubt about the runs.
        seconds: wall time per stage.
        back_test: that of the total, if there is one.
    """

    command: str
    configuration: Mapping[str, Any]
    decision: Mapping[str, str]
    filter: str
    inputs: tuple[InputFile, ...]
    damaged: tuple[Mapping[str, str], ...]
    beside: tuple[Mapping[str, str], ...]
    notices: tuple[str, ...]
    seconds: Mapping[str, float]
    back_test: BackTest | None = None


def write_analysis(directory: Path, analysis: Analysis, others: Mapping[str, Analysis]) -> None:
    """Store the experiment, and the models of its call paths and regions.

    Args:
        directory: of the results.
        analysis: the chosen metric.
        others: all other metrics, by name.
    """
    write_experiment(directory, analysis.experiment)
    levels = {MODELS: analysis.callpaths, REGION_MODELS: analysis.regions}
    for name, level in levels.items():
        paths = lists_of_texts(folded(level.kernels.callpaths))
        write_table(directory / name, to_table(level.models).add_column(0, "callpath", paths))
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


def write_provenance(directory: Path, provenance: Provenance) -> None:
    """Store run.json; it is written last, so that its presence shows that a result is complete."""
    write_json(directory / PROVENANCE, provenance_content(provenance))


def provenance_content(provenance: Provenance) -> dict[str, Any]:
    """Return the content of run.json."""
    return {"version": STORE_VERSION, "software": software(), **asdict(provenance)}


def read_provenance(directory: Path) -> dict[str, Any]:
    """Read run.json.

    Raises:
        InputError: the directory is not a complete result of this version.
    """
    path = directory / PROVENANCE
    hint = "make it with `pipeline run DIR --out " + str(directory) + "`"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(
            "not a results directory (it has no run.json)", where=str(directory), hint=hint
        ) from error
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({error})", where=str(path), hint=hint) from error
    if not isinstance(content, dict) or content.get("version") != STORE_VERSION:
        raise InputError("written by another version of pipeline", where=str(path), hint=hint)
    return content


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredStudy:
    """What a results directory holds.

    Attributes:
        directory: of the results.
        chosen: the chosen metric.
        tables: of every other metric the models of its call paths and regions, as stored.
    """

    directory: Path
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
        except (OSError, pa.ArrowException, KeyError, ValueError) as error:
            raise _damaged(self.directory, error) from error
        return _analysis(self.chosen.experiment, self.chosen.decision, metric, models)


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
    provenance = read_provenance(directory)
    try:
        experiment = read_experiment(directory)
        models = [from_table(pq.read_table(directory / name)) for name in (MODELS, REGION_MODELS)]
        tables = {
            row["metric"]: (row["callpaths"], row["regions"])
            for row in pq.read_table(directory / METRIC_MODELS).to_pylist()
        }
        stored = provenance["decision"]
        decision = ScalingDecision(Scaling(stored["scaling"]), stored["parameter"], stored["reason"])
        metric = experiment.stored_metric(provenance["configuration"]["metric"])
        tested = provenance.get("back_test")
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise _damaged(directory, error) from error
    if read_provenance(directory) != provenance:
        raise InputError("another run wrote to it in the meantime", where=str(directory), hint="try again")
    back_test = None if tested is None else BackTest(**tested | {"point": tuple(tested["point"])})
    chosen = _analysis(experiment, decision, metric, models, back_test)
    return StoredStudy(directory=directory, chosen=chosen, tables=tables)


def _analysis(
    experiment: Experiment,
    decision: ScalingDecision,
    metric: str,
    models: Sequence[ScalingModels],
    back_test: BackTest | None = None,
) -> Analysis:
    callpaths, regions = map(Level, kernels_of(experiment, metric, decision.scaling), models)
    return analysis_of(experiment, decision, callpaths, regions, back_test)


def _damaged(directory: Path, error: Exception) -> InputError:
    return InputError(
        f"the stored results are damaged ({error})", where=str(directory), hint="run `pipeline run` again"
    )


def discard(directory: Path) -> None:
    """Remove run.json before the first file of a new result is written: until it is back, none is complete.

    Raises:
        UsageError: it cannot be removed.
    """
    try:
        (directory / PROVENANCE).unlink(missing_ok=True)
    except OSError as error:
        raise not_writable(directory, error) from error


def unchanged(directory: Path, configuration: Mapping[str, Any], inputs: Sequence[InputFile]) -> bool:
    """Return whether a results directory holds the complete result of these inputs and options."""
    try:
        found = read_provenance(directory)
    except InputError:
        return False
    return (
        found["configuration"] == json.loads(json.dumps(configuration))
        and found["inputs"] == [asdict(file) for file in inputs]
        and found["software"] == software()
        and all((directory / name).is_file() for name in (MODELS, REGION_MODELS, METRIC_MODELS, SUMMARY))
    )
