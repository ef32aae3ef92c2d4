"""One case: the file that a number stands for, and what reading it comes to."""

import shutil
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType

import numpy as np

from ingest.discovery import discover
from ingest.errors import InputError, PipelineError
from ingest.inferred_runs import noted_metadata
from ingest.readers import profile_readers, series_readers
from ingest.run_names import parse_run_name
from ingest.table_mapping import TableMapping
from ingest.tables.table_files import find_tables
from pipeline.projection.machines.machine_values import load_machine
from pipeline.projection.study.study_machine import slowdowns, study_machine
from pipeline.projection.terms.measured_term import StoredModels
from tests.fuzz.consistency import check_notices, check_profile, check_series
from tests.fuzz.layers import mutate
from tests.fuzz.mutations import mutate_text
from tests.fuzz.seeds import Seed, seeds

SECONDS = 5.0  # that a case may take
RUN_NAMES = "run names"  # the target beside the readers: what the names of folders may say
NAMES = ("hpcg.p{}.n32.r1", "p{}.n100.r1", "x{}y1z1", "lulesh.x{}.5.y20,5", "study.p{}", "{}", "a.r{}")
LONGEST_LINE = 2000
MAX_RUNS = 8  # of a table that are looked at
TABLES = (
    "CSV table",
    "benchmark tools",
    "text tables",
    "Parquet table",
    "ReFrame log",
    "ReFrame report",
    "Ramble results",
    "messages",
    "sacct",
)

MACHINES, METADATA_FILES = "machine file", "metadata file"
TARGETS = (
    *(reader.name for reader in (*profile_readers(), *series_readers())),
    *TABLES,
    MACHINES,
    METADATA_FILES,
    RUN_NAMES,
)


class TooSlowError(BaseException):
    """Raised within a case that takes too long; not an Exception, so that no reader takes it for damage."""


@dataclass(frozen=True)
class Outcome:
    """What a case came to.

    Attributes:
        kind: ``accepted``, ``refused``, or ``finding``.
        told: the message of a refusal, or what is wrong.
    """

    kind: str
    told: str = ""


def make_case(target: str, number: int) -> Seed:
    """Return the files of a case; the same number always gives the same."""
    rng = Random(f"{target} {number}")
    if target == RUN_NAMES:
        return _named_runs(rng)
    choice = seeds()[target]
    seed, donor = rng.choice(choice), rng.choice(choice)
    files = dict(seed.files)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        name = rng.choice(list(files))
        if seed.target or rng.random() < 0.97:
            files[name] = mutate(files[name], rng, rng.choice(list(donor.files.values())))
        elif len(files) > 1:
            del files[name]
    return Seed(files, seed.target)


def _named_runs(rng: Random) -> Seed:
    pattern = rng.choice(NAMES)
    names = [pattern.format(number).encode() for number in (2, 4, 16)]
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(3)
        names[at] = mutate_text(names[at], rng, rng.choice(NAMES).encode())
    content = b"# not read, only found"
    texts = (name.decode("utf-8", "surrogateescape").replace("/", "_").replace("\0", "_") for name in names)
    return Seed({f"{text[:60].strip('.') or 'none'}/a.cubex": content for text in texts}, "")


def write_case(case: Seed, folder: Path) -> Path:
    """Write the files of a case and return what the reader is to be given."""
    for name, content in case.files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder / case.target


def run_case(target: str, case: Seed, folder: Path) -> Outcome:
    """Read the files of a case from an empty folder, which is removed afterwards, and judge what comes."""
    folder.mkdir()
    unraised: list[str] = []
    try:
        with _watched(unraised), _limited(SECONDS):
            _ways()[target](write_case(case, folder))
    except InputError as error:
        return _refusal(str(error))
    except (Exception, TooSlowError):
        return Outcome("finding", traceback.format_exc())
    finally:
        shutil.rmtree(folder)
    return Outcome("finding", unraised[0]) if unraised else Outcome("accepted")


def _refusal(line: str) -> Outcome:
    try:
        line.encode("utf-8", "surrogateescape")  # paths may hold any bytes
    except UnicodeEncodeError as error:
        return Outcome("finding", f"the message cannot be written: {error}")
    good = len(line.splitlines()) == 1 and len(line) <= LONGEST_LINE and line.isprintable()
    return Outcome("refused", line) if good else Outcome("finding", f"not a line: {line[:300]!r}")


def _ways() -> Mapping[str, Callable[[Path], None]]:
    """Return what is done with the files of each target."""
    ways: dict[str, Callable[[Path], None]] = {
        RUN_NAMES: _discover,
        MACHINES: _use_machine,
        METADATA_FILES: _read_metadata,
    }
    for profiles in profile_readers():
        ways[profiles.name] = lambda path, reader=profiles: _read_profile(reader, path)
    ways |= dict.fromkeys(TABLES, _read_tables)
    for series in series_readers():
        ways[series.name] = lambda path, reader=series: _read_series(reader, path)
    return ways


def _read_profile(reader, path: Path) -> None:
    reader.matches(path)
    for ask in filter(None, (reader.parameters, reader.processes)):
        ask(path)
    check_profile(reader.read(path))


def _read_series(reader, path: Path) -> None:
    reader.matches(path)
    check_series(reader.read(path))


def _read_tables(path: Path) -> None:
    found = find_tables(path, TableMapping())
    if found is None:
        raise InputError("no table")
    study = found.read()
    if study.series is not None:
        check_series(study.series)
    for run in study.runs[:MAX_RUNS]:
        check_profile(run.profile)
    check_notices((*study.notices, *(what for _, what in study.damaged)))


def _use_machine(path: Path) -> None:
    """Take a study to the machine of a file and back, as far as the machine is concerned."""
    many = np.array([1.0, 8.0, 4096.0])
    try:
        found = study_machine(load_machine(path), _no_results)
        slowdowns(found, found, many)
        if found.has_messages:
            found.allreduce(many)
            found.message(many, np.array([0.0, 8.0, 1e9]))
    except PipelineError as error:  # of any kind: values are wrong, or terms have none
        raise InputError(error.what, where=error.where, hint=error.hint) from error


def _read_metadata(path: Path) -> None:
    for name, text in noted_metadata(path.parent, path).items():
        check_notices((name, text))


def _no_results(directory: Path, level: str) -> StoredModels:
    raise InputError("no results", where=str(directory), hint="none are needed")


def _discover(path: Path) -> None:
    for entry in path.iterdir():
        try:
            parse_run_name(entry.name)
        except InputError as error:
            if len(str(error).splitlines()) != 1:
                raise ValueError(f"not a line: {error}") from error
    discovery = discover(path)
    for run in discovery.runs:
        if len(run.parameters) != len(discovery.parameters):
            raise ValueError("a run without all parameters")


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Stop what takes more seconds of the processor, however busy the machine is."""

    def stop(signal_number: int, frame: FrameType | None) -> None:
        raise TooSlowError(f"more than {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def _watched(unraised: list[str]) -> Iterator[None]:
    """Make errors of warnings, and keep what Python can only print, such as files left open."""
    before = sys.unraisablehook
    sys.unraisablehook = lambda told: unraised.append(f"{told.exc_value!r} in {told.object!r}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    finally:
        sys.unraisablehook = before
