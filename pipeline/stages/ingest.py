"""The ingest stage: from a path to an experiment, one profile in memory at a time."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from ingest.accelerators import GPU
from ingest.alignment import MeasuredRun, align, experiment_from_series, with_processes
from ingest.discovery import Run, Skipped
from ingest.errors import InputError
from ingest.locate import Located
from ingest.metric_choice import MetricChoice
from ingest.profile import Profile
from ingest.readers import SeriesReader
from ingest.reduction import ReducedProfile, reduce_profile
from ingest.run_checks import doubts
from ingest.tables.table_files import TableSource
from ingest.tables.table_study import TableStudy
from pipeline.execution.executors import ExecutorChoice, ProgressDisplay, local_executor, no_progress
from pipeline.stages.read_runs import ReadRun, RunReader, share_tables
from pipeline.stages.usable_runs import Ingested, usable_runs
from pipeline.store.cache import ProfileCache
from pipeline.store.freshness import described_inputs, files_of_run
from pipeline.store.generation import is_result
from pipeline.store.made_from import InputFile

ALWAYS_KEPT = ("time", "visits")


def with_parameter(read: Ingested) -> Ingested:
    """Return runs that can be modelled: without a parameter, their number of processes is it."""
    return replace(read, experiment=with_processes(read.experiment))


def ingest(
    located: Located,
    metric: str,
    processes: int = 1,
    progress: ProgressDisplay = no_progress,
    *,
    cache: ProfileCache | None = None,
    executor: ExecutorChoice | None = None,
    excluded: Sequence[str] | None = None,
) -> Ingested:
    """Read and align what was located; a run that cannot be read is skipped with its reason.

    So is a run of another program, and one that contradicts its name (see `ingest.run_checks`) unless the
    configuration lists the runs. The result does not depend on where and in what order runs are read, nor on
    what the cache has.

    Args:
        located: what `locate` found.
        metric: the metric to model; it, time, visits, and counts of instructions and cycles are always kept.
        processes: how many processes of this machine may read at once.
        progress: passes the runs on as they are finished.
        cache: of the results directory; runs in it are not read again.
        executor: chooses where to read; None is this machine.
        excluded: keep all other metrics, too, but for those that match these patterns; None keeps none.
    """
    if isinstance(located.found, SeriesReader):
        series = experiment_from_series(located.found.read(located.path))
        inputs = described_inputs(located)
        return Ingested(experiment=series, inputs=inputs)
    if isinstance(located.found, TableSource):
        _require_no_result(located.path)
        return ingest_study(located.found.read(), described_inputs(located), located.found.skipped)
    found = located.found
    metrics = MetricChoice(
        required=(metric.removeprefix(GPU), *ALWAYS_KEPT),
        every=excluded is not None,
        excluded=tuple(excluded or ()),
        on_locations=metric.removeprefix(GPU),
    )
    reader = RunReader(metrics, executor or partial(local_executor, processes), cache)
    return usable_runs(found, _read(found.runs, reader, progress))


def _require_no_result(path: Path) -> None:
    """Refuse tables that a run wrote itself: they hold its results."""
    if is_result(path):
        hint = "give the profiles, or see its models with `pipeline predict` and `pipeline bottlenecks`"
        raise InputError("a results directory, not measurements", where=str(path), hint=hint)


def ingest_study(
    study: TableStudy, inputs: tuple[InputFile, ...] = (), skipped: tuple[Skipped, ...] = ()
) -> Ingested:
    """Take up what tables hold: their runs are aligned as profiles are, with all of their metrics."""
    if study.series is not None:
        series = experiment_from_series(study.series)
        return Ingested(experiment=series, beside=skipped, inputs=inputs)
    reduced = (reduce_profile(run.profile, _names(run.profile)) for run in study.runs)
    measured = [MeasuredRun(r.parameters, r.repetition, p) for r, p in zip(study.runs, reduced, strict=True)]
    experiment = align(study.parameters, measured)
    doubtful = doubts(experiment)
    return Ingested(
        experiment=replace(experiment, notices=(*study.notices, *experiment.notices, *doubtful)),
        beside=skipped,
        damaged=tuple(Skipped(Path(name), what) for name, what in study.damaged),
        inputs=inputs,
        doubts=doubtful,
    )


def _names(profile: Profile) -> list[str]:
    return [metric.name for metric in profile.metrics]


def _read(runs: Sequence[Run], reader: RunReader, progress: ProgressDisplay) -> list[ReadRun]:
    """Read runs and return them in their order; equal call trees are in memory once."""
    memory = reader.cache.digests if reader.cache else None
    files = [files_of_run(run, memory) for run in runs]
    outcomes: dict[int, ReadRun] = {}
    last: ReducedProfile | None = None
    for number, read in progress(reader.read(files), len(files)):
        outcomes[number] = read
        if not isinstance(read.outcome, InputError):
            last = share_tables(read.outcome, last)
            outcomes[number] = replace(read, outcome=last)
    return [outcomes[number] for number in range(len(files))]


def skipped_entry(skipped: Skipped) -> dict[str, str]:
    """Return path and reason as plain data."""
    return {"path": str(skipped.path), "reason": skipped.reason}
