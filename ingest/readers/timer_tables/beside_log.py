"""What lies beside a log: a file that says how timers nest, another part of the log, the name of the run."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ingest.readers.timer_tables.log import Log, last_facts
from ingest.readers.timer_tables.timer_kind import LogLine
from ingest.reading.files import ends_of, entries
from ingest.reading.packed import plain_name
from ingest.run_names import PROCESS_PARAMETERS, named_parameters
from ingest.toml_table import read_toml

PARENTS_FILE = "timers.toml"
MAX_COMPANIONS = 16
MAX_COMPANION_BYTES = 1 << 22
COMMON_PREFIX = 3  # characters that the names of the parts of a log share


def parents_files(log: Path) -> tuple[Path, ...]:
    """Return where `timers.toml` may be: beside the log, or above its folder, where it holds for all runs."""
    folder = log.absolute().parent
    return folder / PARENTS_FILE, folder.parent / PARENTS_FILE


def named_parents(log: Path) -> dict[str, str]:
    """Return the parent of each timer that the user names, empty for the whole run."""
    file = next((file for file in parents_files(log) if file.is_file()), None)
    if file is None:
        return {}
    whole = read_toml(file)
    parents = whole.table("parents").content
    if "parents" not in whole or not all(isinstance(value, str) for value in parents.values()):
        hint = 'write "PCApply" = "KSPSolve"; "" is the whole run'
        raise whole.error("parents", "is no table that gives the parent of each timer as text", hint)
    return dict(parents)


def other_parts(log: Path) -> Iterator[Path]:
    """Yield small files beside a log whose names begin and end like its own: they may be its other parts."""
    names = [entry.name for entry in entries(log.absolute().parent) if entry.suffix == log.suffix]
    if len(names) > MAX_COMPANIONS:
        return
    for name in names:
        file = log.with_name(name)
        alike = name[:COMMON_PREFIX] == log.name[:COMMON_PREFIX]
        if name != log.name and alike and file.is_file() and file.stat().st_size <= MAX_COMPANION_BYTES:
            yield file


def processes_beside(log: Path, marks: Mapping[str, LogLine], facts: tuple[LogLine, ...]) -> str:
    """Return the number of processes that another part of the log states, empty if none does.

    Args:
        marks: lines that only other logs with tables have, which are runs of their own.
    """
    for file in other_parts(log):
        part: Log = Log(ends_of(file))
        if any(next(part.find(mark), None) for mark in marks.values()):
            continue
        if stated := last_facts(part, facts).get("processes"):
            return stated
    return ""


def processes_named(log: Path) -> str:
    """Return the number of processes in the name of a log or of its folder, empty if there is none."""
    for name in (log.name, plain_name(log).stem, log.absolute().parent.name):
        for parameter, value in named_parameters(name).items():
            if parameter.lower() in PROCESS_PARAMETERS and value >= 1 and value == int(value):
                return str(int(value))
    return ""
