"""Tables of timers that applications and libraries print at the end of their logs.

`timer_kind` says what a description of a kind is, `kinds` has one for each, `log_tables` finds and reads
tables as they say, `placements` puts rows in their places, `timer_profile` makes profiles of them.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from ingest.errors import InputError
from ingest.profile import Profile
from ingest.readers import ProfileReader
from ingest.readers.timer_tables.beside_log import (
    named_parents,
    other_parts,
    parents_files,
    processes_beside,
    processes_named,
)
from ingest.readers.timer_tables.log import Log, count, read_log
from ingest.readers.timer_tables.log_tables import LogTables, ReadTable
from ingest.readers.timer_tables.nesting import nested
from ingest.readers.timer_tables.partitions import all_partitions, joined, partitions, stands_for_run
from ingest.readers.timer_tables.timer_kind import TimerTable, timer_kinds
from ingest.readers.timer_tables.timer_profile import assemble, sizes_of
from ingest.reading.files import ends_of, is_page, stamp
from ingest.run_names import PROCESSES

__all__ = ["beside", "content", "context", "matches", "parameters", "read", "stated_sizes"]


def matches(path: Path) -> bool:
    """Return whether a file is a log with a table of timers, by its beginning and end.

    Pages quote tables, not all of them with values: these are read. Of the partitions of one run the first
    stands for all.
    """
    kind = _kind_of(Log(ends_of(path))) if path.is_file() else None
    if kind is None or not stands_for_run(path):
        return False
    try:
        return not is_page(path) or bool(_tables(path))
    except InputError:
        return False


def read(path: Path) -> Profile:
    """Read the tables of timers of a log, and of the other partitions of its run."""
    parents, parts = named_parents(path), []
    for log in all_partitions(path):
        kind, tables, notices = _tables(log)
        placed = [replace(table, placed=nested(table.placed, kind, parents)) for table in tables]
        parts.append(assemble(placed, kind, str(log), notices))
    return joined(parts, str(path))


def parameters(path: Path) -> Mapping[str, float]:
    """Return the number of processes of a run; nothing if neither the log nor names state it."""
    processes = [count(_tables(log)[1][-1].facts, "processes") or 0 for log in partitions(path).values()]
    return {PROCESSES: float(sum(processes))} if all(processes) else {}


def stated_sizes(path: Path) -> Mapping[str, float]:
    """Return the sizes of the problem that a log states, such as ``atoms``, the one that says most first."""
    kind, tables, _ = _tables(path)
    return sizes_of(tables[-1].facts, kind)


def beside(path: Path) -> Iterator[Path]:
    """Yield the files beside a log that reading it looks at."""
    yield from (log for log in partitions(path).values() if log != path)
    yield from other_parts(path)
    yield from (file for file in parents_files(path) if file.is_file())


def context(path: Path) -> str:
    """Return what names say of the processes of a run: logs that do not state them are read with it."""
    return processes_named(path)


def content(path: Path) -> Hashable:
    """Return what a log and a copy of it have in common, such as what was printed to the screen as well."""
    try:
        found = [_tables(log) for log in partitions(path).values()]
    except InputError:
        return path
    kept = (table for _, tables, _ in found for table in tables)
    return found[0][0].name, tuple((t.path, t.seconds) for table in kept for t in table.placed.timers)


def _kind_of(log: Log) -> TimerTable | None:
    """Return the description that fits a log or its ends, None if there is none."""
    for kind in timer_kinds():
        if next(log.find(kind.mark or kind.begin), None):
            return kind
    return next((kind for kind in timer_kinds() if kind.program and next(log.find(kind.program), None)), None)


def _tables(path: Path) -> tuple[TimerTable, list[ReadTable], tuple[str, ...]]:
    """Read the tables of a log, with the number of processes from elsewhere if it does not state it."""
    kind, printed, notices = _printed_tables(path, stamp(path))
    tables = list(printed)
    if count(tables[-1].facts, "processes") is None:
        marks = {kind.name: kind.mark or kind.begin for kind in timer_kinds()}
        elsewhere = processes_beside(path, marks, kind.facts) or processes_named(path)
        tables = [replace(table, facts=_with_processes(table, elsewhere)) for table in tables]
    return kind, tables, notices


@lru_cache(maxsize=4)
def _printed_tables(
    path: Path, stamp: tuple[int, ...]
) -> tuple[TimerTable, tuple[ReadTable, ...], tuple[str, ...]]:
    """Read the tables of a log once for all questions; it may be large."""
    log = read_log(path)
    kind = _kind_of(Log(ends_of(path))) or _kind_of(log)
    if kind is None:
        raise InputError("no table of timers in it", where=str(path))
    tables, notices = LogTables(log, kind, path).read()
    return kind, tuple(tables), notices


def _with_processes(table: ReadTable, processes: str) -> dict[str, str]:
    stated = {name: value for name, value in table.facts.items() if name != "processes"}
    return stated | ({"processes": processes} if processes else {})


READER = ProfileReader(
    name="timer table",
    pattern="*.log, *.out",
    matches=matches,
    read=read,
    unnamed_parameters=parameters,
    stated_sizes=stated_sizes,
    beside=beside,
    context=context,
    content=content,
    fallback=3,
    precedence=2,
)
