"""The first stage: from a path to an experiment, one profile in memory at a time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from filters.digest import FILTER_ATTRIBUTE, mixed_filters
from ingest.alignment import MeasuredRun, align, experiment_from_series
from ingest.discovery import Discovery, Run, Skipped, discover
from ingest.errors import InputError, RunNameError
from ingest.experiment import Experiment
from ingest.readers import find_series_reader
from ingest.reduction import ReducedProfile
from ingest.run_names import RunSpec, parse_run_name
from pipeline.execution.executor import Work
from pipeline.execution.local import local_executor
from pipeline.stages.read_profiles import Reading, ReadRun, Watch, look_up, same_program, unwatched
from pipeline.store.cache import Cache
from pipeline.store.inputs import InputFile, describe_input

__all__ = ["Ingested", "Located", "Watch", "ingest", "locate", "remembered_inputs"]

ALWAYS_KEPT = ("time", "visits", "PAPI_TOT_INS", "PAPI_TOT_CYC")


@dataclass(frozen=True)
class Located:
    """What there is to read at a path.

    Attributes:
        path: as given.
        found: the runs; None where the path is a file that holds a whole series.
    """

    path: Path
    found: Discovery | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Ingested:
    """What the first stage hands on.

    Attributes:
        experiment: the aligned runs.
        runs: the runs that were read; empty for a series file.
        beside: what lies beside the runs and is none of them.
        damaged: what should have been a run but could not be read, and why.
        inputs: the files of the runs, also of damaged ones as far as their bytes can be read.
    """

    experiment: Experiment
    runs: tuple[Run, ...]
    beside: tuple[Skipped, ...]
    damaged: tuple[Skipped, ...]
    inputs: tuple[InputFile, ...]


def locate(path: Path, explicit: Sequence[RunSpec] = ()) -> Located:
    """Find the runs or the series file at a path, without reading values.

    Args:
        path: a directory of runs, one profile, or a file that holds a whole series.
        explicit: runs named by the configuration; they replace discovery.

    Raises:
        InputError: where there is nothing to read.
        RunNameError: where the parameters of a run cannot be told.
    """
    if path.is_file() and find_series_reader(path) is not None:
        return Located(path, None)
    return Located(path, discover(path, explicit or None))


def remembered_inputs(located: Located, cache: Cache) -> tuple[InputFile, ...] | None:
    """Return the files of what was located, None where one is not remembered or may have changed."""
    if located.found is None:
        return (describe_input(located.path),)
    known = [file for run in located.found.runs for file in look_up(run, cache).known]
    inputs = tuple(file for file in known if file is not None)
    return inputs if len(inputs) == len(known) else None


def ingest(
    located: Located,
    metric: str,
    processes: int = 1,
    watch: Watch = unwatched,
    *,
    cache: Cache | None = None,
    work: Work | None = None,
) -> Ingested:
    """Read and align what was located; a run that cannot be read is skipped with its reason.

    The result does not depend on where and in what order runs are read, nor on what the cache has.

    Args:
        located: what `locate` found.
        metric: the metric to model; time and visits are kept in any case.
        processes: how many processes of this machine may read at once.
        watch: passes the runs on as they are done, and shows progress.
        cache: what was read goes there, and what it has is not read again.
        work: where to read instead of on this machine.

    Raises:
        InputError: where nothing can be read.
        UsageError: where the cache cannot be written.
    """
    if located.found is None:
        reader = find_series_reader(located.path)
        assert reader is not None, "located as a series file"
        experiment = experiment_from_series(reader.read(located.path))
        return Ingested(
            experiment=experiment, runs=(), beside=(), damaged=(), inputs=(describe_input(located.path),)
        )
    found = located.found
    reading = Reading((metric, *ALWAYS_KEPT), work or partial(local_executor, processes), cache)
    read = _read(found.runs, reading, watch)
    good, bad = _sort_out(read)
    if not good:
        raise _nothing_read(bad)
    measured = (MeasuredRun(run.parameters, run.repetition, profile) for run, profile in good)
    experiment = align(found.parameters, measured)
    mixed = mixed_filters({run.source: run.attributes.get(FILTER_ATTRIBUTE) for run in experiment.runs})
    notices = (*found.notices, *experiment.notices, *([mixed] if mixed else []))
    experiment = replace(experiment, notices=notices)
    empty = tuple(entry for entry in found.skipped if entry.damaged or _meant_as_run(entry))
    return Ingested(
        experiment=experiment,
        runs=tuple(run for run, _ in good),
        beside=tuple(entry for entry in found.skipped if entry not in empty),
        damaged=(*empty, *bad),
        inputs=tuple(file for run in read for file in run.inputs),
    )


def _read(runs: Sequence[Run], reading: Reading, watch: Watch) -> list[ReadRun]:
    """Read runs and bring them into their order again; equal call trees are held once."""
    files = [look_up(run, reading.cache) for run in runs]
    done: dict[int, ReadRun] = {}
    last: ReducedProfile | None = None
    for number, read in watch(reading.read(files), len(files)):
        done[number] = read
        if not isinstance(read.outcome, InputError):
            last = same_program(read.outcome, last)
            done[number] = replace(read, outcome=last)
    return [done[number] for number in range(len(files))]


def _meant_as_run(entry: Skipped) -> bool:
    """Tell whether a folder without a profile bears the name of a run: then a measurement is missing."""
    try:
        return entry.path.is_dir() and bool(parse_run_name(entry.path.name).parameters)
    except RunNameError:
        return False


def _sort_out(read: Iterable[ReadRun]) -> tuple[list[tuple[Run, ReducedProfile]], list[Skipped]]:
    good: list[tuple[Run, ReducedProfile]] = []
    bad: list[Skipped] = []
    for one in read:
        run, outcome = one.run, one.outcome
        if isinstance(outcome, InputError):
            bad.append(Skipped(run.path, f"{outcome.what}" + (f"; {outcome.hint}" if outcome.hint else "")))
        else:
            good.append((run, outcome))
    return good, bad


def _nothing_read(bad: Sequence[Skipped]) -> InputError:
    others = f" (and {len(bad) - 1} more runs that cannot be read)" if len(bad) > 1 else ""
    return InputError(f"{bad[0].reason}{others}", where=str(bad[0].path))


def skipped_entry(skipped: Skipped) -> dict[str, str]:
    """Return path and reason as plain data."""
    return {"path": str(skipped.path), "reason": skipped.reason}
