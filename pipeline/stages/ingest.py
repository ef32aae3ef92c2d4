"""The ingest stage: from a path to an experiment, one profile in memory at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from filters.digest import FILTER_ATTRIBUTE, mixed_filters
from ingest.accelerators import GPU
from ingest.alignment import MeasuredRun, align, experiment_from_series, with_processes
from ingest.discovery import Discovery, Run, Skipped, discover
from ingest.errors import InputError
from ingest.experiment import Experiment
from ingest.formats import SeriesReader
from ingest.metric_choice import MetricChoice
from ingest.profile import Profile
from ingest.profile_search import search_profiles
from ingest.readers import find_profile_reader, find_series_reader
from ingest.reduction import ReducedProfile, reduce_profile
from ingest.run_checks import RENAME, foreign_runs, misnamed_runs
from ingest.run_names import RunSpec, named_parameters
from ingest.study_checks import doubts
from ingest.table_mapping import TableMapping
from ingest.tables.table_files import TableSource, find_tables
from ingest.tables.table_study import TableStudy
from pipeline.execution.choice import local_executor
from pipeline.execution.executor import ExecutorChoice, Progress, no_progress
from pipeline.stages.comparable_runs import comparable_runs
from pipeline.stages.read_runs import ReadRun, RunReader, files_of_run, share_tables
from pipeline.store.cache import Cache
from pipeline.store.inputs import InputFile, describe_input

GoodRun: TypeAlias = tuple[Run, ReducedProfile]

ALWAYS_KEPT = ("time", "visits", "PAPI_TOT_INS", "PAPI_TOT_CYC")


@dataclass(frozen=True)
class Located:
    """What there is to read at a path.

    Attributes:
        path: as given.
        found: the runs, tables that hold them, or the reader of the file if it holds a whole series.
    """

    path: Path
    found: Discovery | TableSource | SeriesReader


@dataclass(frozen=True, eq=False, kw_only=True)
class Ingested:
    """What was read.

    Attributes:
        experiment: the aligned runs.
        runs: the runs that were read; empty for a series file and for tables.
        beside: what lies beside the runs and is not a run, and runs under another filter.
        damaged: what should have been a run but could not be read, and why.
        inputs: the files of the runs, including those of damaged runs whose bytes can be read.
        widest: the runs, perhaps under another filter, that recorded the most functions.
        doubts: those notices of the experiment that say what makes the runs hard to compare.
    """

    experiment: Experiment
    runs: tuple[Run, ...]
    beside: tuple[Skipped, ...]
    damaged: tuple[Skipped, ...]
    inputs: tuple[InputFile, ...]
    widest: tuple[Run, ...] = ()
    doubts: tuple[str, ...] = ()


def locate(path: Path, explicit: Sequence[RunSpec] = (), table: TableMapping | None = None) -> Located:
    """Find the runs, tables or the series file at a path, without reading values.

    Args:
        path: a directory of runs or tables, one profile, or a file that holds a whole series.
        explicit: runs named by the configuration; they replace discovery.
        table: what the configuration says of tables; a file that it names replaces discovery, too.

    Raises:
        InputError: there is nothing to read.
        RunNameError: the parameters of a run are not in its name.
    """
    mapping = table or TableMapping()
    is_file = path.is_file() and find_profile_reader(path) is None
    if (is_file or mapping.file) and not explicit and (tables := find_tables(path, mapping)):
        return Located(path, tables)
    if (
        path.is_dir()
        and not explicit
        and not search_profiles(path)[0]
        and (tables := find_tables(path, mapping))
    ):
        return Located(path, tables)
    series = find_series_reader(path) if is_file else None
    return Located(path, series or discover(path, explicit or None))


def with_parameter(read: Ingested) -> Ingested:
    """Return runs that can be modelled: without a parameter, their number of processes is it."""
    return replace(read, experiment=with_processes(read.experiment))


def remembered_inputs(located: Located, cache: Cache) -> tuple[InputFile, ...] | None:
    """Return the files of what was located; None if one is new or may have changed."""
    if isinstance(located.found, SeriesReader):
        return (describe_input(located.path),)
    if isinstance(located.found, TableSource):
        return tuple(map(describe_input, located.found.files))
    known = [file for run in located.found.runs for file in files_of_run(run, cache).known]
    inputs = tuple(file for file in known if file is not None)
    return inputs if len(inputs) == len(known) else None


def ingest(
    located: Located,
    metric: str,
    processes: int = 1,
    progress: Progress = no_progress,
    *,
    cache: Cache | None = None,
    executor: ExecutorChoice | None = None,
    excluded: Sequence[str] | None = None,
) -> Ingested:
    """Read and align what was located; a run that cannot be read is skipped with its reason.

    So is a run of another program, and one that contradicts its name (see `ingest.run_checks`) unless the
    configuration lists the runs.

    The result does not depend on where and in what order runs are read, nor on what the cache has.

    Args:
        located: what `locate` found.
        metric: the metric to model; it, time and visits are always kept.
        processes: how many processes of this machine may read at once.
        progress: passes the runs on as they are finished.
        cache: of the results directory; runs in it are not read again.
        executor: chooses where to read; None is this machine.
        excluded: keep all other metrics, too, but for those that match these patterns; None keeps none.

    Raises:
        InputError: nothing can be read.
        UsageError: the cache cannot be written.
    """
    if isinstance(located.found, SeriesReader):
        series = experiment_from_series(located.found.read(located.path))
        inputs = (describe_input(located.path),)
        return Ingested(experiment=series, runs=(), beside=(), damaged=(), inputs=inputs)
    if isinstance(located.found, TableSource):
        tables = located.found
        return ingest_study(tables.read(), tuple(map(describe_input, tables.files)), tables.skipped)
    found = located.found
    metrics = MetricChoice(
        required=(metric.removeprefix(GPU), *ALWAYS_KEPT),
        every=excluded is not None,
        excluded=tuple(excluded or ()),
        on_locations=metric.removeprefix(GPU),
    )
    reader = RunReader(metrics, executor or partial(local_executor, processes), cache)
    read = _read(found.runs, reader, progress)
    good, bad = _separate(read)
    if not good:
        raise _nothing_read(bad)
    good, contradictions, more = _without_misnamed(found, good)
    bad += more
    experiment = align(found.parameters, _measured(good))
    read_runs = len(good)
    good, more = _without_foreign(experiment, good)
    bad += more
    used = comparable_runs(found.parameters, good)
    if len(used.runs) < read_runs:
        experiment = align(found.parameters, _measured(used.runs))
    mixed = mixed_filters({run.source: run.attributes.get(FILTER_ATTRIBUTE) for run in experiment.runs})
    doubtful = (*contradictions, *used.notices, *([mixed] if mixed else []), *doubts(experiment))
    notices = (*found.notices, *experiment.notices, *doubtful)
    experiment = replace(experiment, notices=notices, recorded=used.recorded)
    empty = tuple(filter(is_problem, found.skipped))
    return Ingested(
        experiment=experiment,
        runs=tuple(run for run, _ in used.runs),
        beside=(*(entry for entry in found.skipped if entry not in empty), *used.left_out),
        widest=used.widest,
        damaged=(*empty, *bad),
        inputs=tuple(file for run in read for file in run.inputs),
        doubts=doubtful,
    )


def ingest_study(
    study: TableStudy, inputs: tuple[InputFile, ...] = (), skipped: tuple[Skipped, ...] = ()
) -> Ingested:
    """Take up what tables hold: their runs are aligned as profiles are, with all of their metrics."""
    if study.series is not None:
        series = experiment_from_series(study.series)
        return Ingested(experiment=series, runs=(), beside=skipped, damaged=(), inputs=inputs)
    reduced = (reduce_profile(run.profile, _names(run.profile)) for run in study.runs)
    measured = [MeasuredRun(r.parameters, r.repetition, p) for r, p in zip(study.runs, reduced, strict=True)]
    experiment = align(study.parameters, measured)
    doubtful = doubts(experiment)
    return Ingested(
        experiment=replace(experiment, notices=(*study.notices, *experiment.notices, *doubtful)),
        runs=(),
        beside=skipped,
        damaged=tuple(Skipped(Path(name), what) for name, what in study.damaged),
        inputs=inputs,
        doubts=doubtful,
    )


def _names(profile: Profile) -> list[str]:
    return [metric.name for metric in profile.metrics]


def _read(runs: Sequence[Run], reader: RunReader, progress: Progress) -> list[ReadRun]:
    """Read runs and return them in their order; equal call trees are in memory once."""
    files = [files_of_run(run, reader.cache) for run in runs]
    outcomes: dict[int, ReadRun] = {}
    last: ReducedProfile | None = None
    for number, read in progress(reader.read(files), len(files)):
        outcomes[number] = read
        if not isinstance(read.outcome, InputError):
            last = share_tables(read.outcome, last)
            outcomes[number] = replace(read, outcome=last)
    return [outcomes[number] for number in range(len(files))]


def is_problem(entry: Skipped) -> bool:
    """Return whether a measurement is missing: a damaged profile, or none in a folder named like a run."""
    return entry.damaged or (entry.path.is_dir() and bool(named_parameters(entry.path.name)))


def _separate(read: Sequence[ReadRun]) -> tuple[list[GoodRun], list[Skipped]]:
    """Separate the runs with a profile from those that could not be read."""
    good: list[GoodRun] = []
    bad: list[Skipped] = []
    for entry in read:
        run, outcome = entry.run, entry.outcome
        if isinstance(outcome, InputError):
            bad.append(Skipped(run.path, f"{outcome.what}" + (f"; {outcome.hint}" if outcome.hint else "")))
        else:
            good.append((run, replace(outcome, attributes=run.described(outcome.attributes))))
    return good, bad


def _measured(good: Sequence[GoodRun]) -> list[MeasuredRun]:
    return [MeasuredRun(run.parameters, run.repetition, profile) for run, profile in good]


def _without_misnamed(
    found: Discovery, good: Sequence[GoodRun]
) -> tuple[list[GoodRun], list[str], list[Skipped]]:
    """Return the runs to use, notices, and runs whose names contradict their profiles.

    Raises:
        InputError: if they are half of the runs: then it is unclear which names are right.
    """
    reasons = misnamed_runs(found.parameters, _measured(good))
    if found.listed:
        return list(good), [f"{good[i][0].path}: {reason}" for i, reason in reasons.items()], []
    if reasons and 2 * len(reasons) >= len(good):
        first, what = next(iter(reasons.items()))
        raise InputError(
            f"{what}, and {len(reasons)} of {len(good)} runs contradict their names",
            where=str(good[first][0].path),
            hint="rename the runs, or list them in pipeline.toml",
        )
    skipped = [Skipped(good[i][0].path, f"{reason}; {RENAME}") for i, reason in reasons.items()]
    return [entry for i, entry in enumerate(good) if i not in reasons], [], skipped


def _without_foreign(experiment: Experiment, good: Sequence[GoodRun]) -> tuple[list[GoodRun], list[Skipped]]:
    """Separate the runs of another program than most are of."""
    reasons = foreign_runs(experiment)
    foreign = [(run, reasons[profile.source]) for run, profile in good if profile.source in reasons]
    others = [entry for entry in good if entry[1].source not in reasons]
    return others, [Skipped(run.path, reason) for run, reason in foreign]


def _nothing_read(bad: Sequence[Skipped]) -> InputError:
    others = f" (and {len(bad) - 1} more runs that cannot be read)" if len(bad) > 1 else ""
    return InputError(f"{bad[0].reason}{others}", where=str(bad[0].path))


def skipped_entry(skipped: Skipped) -> dict[str, str]:
    """Return path and reason as plain data."""
    return {"path": str(skipped.path), "reason": skipped.reason}
