"""The first stage: from a path to an experiment, one profile in memory at a time."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ingest.alignment import MeasuredRun, align, experiment_from_series
from ingest.discovery import Discovery, Run, RunSpec, Skipped, discover
from ingest.errors import InputError, RunNameError
from ingest.experiment import Experiment
from ingest.readers import find_series_reader
from ingest.reduction import ReducedProfile, reduce_profile
from ingest.run_names import parse_run_name
from pipeline.execution import local_executor

ALWAYS_KEPT = ("time", "visits", "PAPI_TOT_INS", "PAPI_TOT_CYC")
DIGEST_BLOCK = 1 << 20


@dataclass(frozen=True)
class InputFile:
    """A file that was read: its path, size in bytes and SHA-256 digest."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Located:
    """What there is to read at a path.

    Attributes:
        path: as given.
        found: the runs; None where the path is a file that holds a whole series.
        inputs: the files to be read.
    """

    path: Path
    found: Discovery | None
    inputs: tuple[InputFile, ...]


@dataclass(frozen=True, eq=False)
class Ingested:
    """What the first stage hands on.

    Attributes:
        experiment: the aligned runs.
        runs: the runs that were read; empty for a series file.
        beside: what lies beside the runs and is none of them.
        damaged: what should have been a run but could not be read, and why.
    """

    experiment: Experiment
    runs: tuple[Run, ...]
    beside: tuple[Skipped, ...]
    damaged: tuple[Skipped, ...]


Outcome = ReducedProfile | InputError
Watch = Callable[[Iterable[Outcome], int], Iterable[Outcome]]


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
        return Located(path, None, (describe_input(path),))
    found = discover(path, explicit or None)
    return Located(
        path, found, tuple(describe_input(file) for run in found.runs for file in files_of(run.path))
    )


def ingest(
    located: Located, metric: str, processes: int = 1, watch: Watch = lambda outcomes, _: outcomes
) -> Ingested:
    """Read and align what was located; a run that cannot be read is skipped with its reason.

    Args:
        located: what `locate` found.
        metric: the metric to model; time and visits are kept in any case.
        processes: how many processes may read at once.
        watch: passes the outcomes of the runs on and shows progress; the second argument is their number.

    Raises:
        InputError: where nothing can be read.
    """
    if located.found is None:
        reader = find_series_reader(located.path)
        assert reader is not None, "located as a series file"
        return Ingested(experiment_from_series(reader.read(located.path)), (), (), ())
    found = located.found
    executor = local_executor(processes, sum(file.size for file in located.inputs))
    outcomes = executor.map(partial(_read, metrics=(metric, *ALWAYS_KEPT)), found.runs)
    good, bad = _sort_out(found.runs, watch(outcomes, len(found.runs)))
    if not good:
        raise _nothing_read(bad)
    measured = (MeasuredRun(run.parameters, run.repetition, profile) for run, profile in good)
    experiment = align(found.parameters, measured)
    experiment = replace(experiment, notices=(*found.notices, *experiment.notices))
    empty = tuple(entry for entry in found.skipped if entry.damaged or _meant_as_run(entry))
    beside = tuple(entry for entry in found.skipped if entry not in empty)
    return Ingested(experiment, tuple(run for run, _ in good), beside, (*empty, *bad))


def _meant_as_run(entry: Skipped) -> bool:
    """Tell whether a folder without a profile bears the name of a run: then a measurement is missing."""
    try:
        return entry.path.is_dir() and bool(parse_run_name(entry.path.name).parameters)
    except RunNameError:
        return False


def _read(run: Run, metrics: Sequence[str]) -> Outcome:
    """Read and reduce one run; an error is a value here, since it may come from another process."""
    try:
        return reduce_profile(run.reader.read(run.path), metrics)
    except InputError as error:
        return InputError(error.what, where=error.where or str(run.path), mend=error.mend)


def _sort_out(
    runs: Sequence[Run], outcomes: Iterable[Outcome]
) -> tuple[list[tuple[Run, ReducedProfile]], list[Skipped]]:
    good: list[tuple[Run, ReducedProfile]] = []
    bad: list[Skipped] = []
    for run, outcome in zip(runs, outcomes, strict=True):
        if isinstance(outcome, InputError):
            bad.append(Skipped(run.path, f"{outcome.what}" + (f"; {outcome.mend}" if outcome.mend else "")))
        else:
            good.append((run, outcome))
    return good, bad


def _nothing_read(bad: Sequence[Skipped]) -> InputError:
    others = f" (and {len(bad) - 1} more runs that cannot be read)" if len(bad) > 1 else ""
    return InputError(f"{bad[0].reason}{others}", where=str(bad[0].path))


def files_of(path: Path) -> Iterator[Path]:
    """Yield the files of a run: itself, or all the files below its directory, in order."""
    if path.is_file():
        yield path
    else:
        yield from sorted(file for file in path.rglob("*") if file.is_file())


def describe_input(path: Path) -> InputFile:
    """Return a file's size and digest, read in blocks.

    Raises:
        InputError: where the file cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(DIGEST_BLOCK):
                digest.update(block)
            return InputFile(str(path), file.tell(), digest.hexdigest())
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from error
