"""What lies beside a log: a file that says how timers nest, another part of the log, the name of the run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ingest.errors import InputError
from ingest.readers.timer_tables.log import Log, last_facts
from ingest.readers.timer_tables.timer_kind import WHOLE, LogLine, Placed, Timer
from ingest.reading.files import ends_of, entries, read_text
from ingest.reading.packed import plain_name
from ingest.run_names import PROCESS_PARAMETERS, named_parameters
from ingest.toml_text import TomlError, parse_toml

PARENTS_FILE = "timers.toml"
MAX_COMPANIONS = 16
MAX_COMPANION_BYTES = 1 << 22
MAX_PARENTS_BYTES = 1 << 22
MAX_DEPTH = 100  # of timers below parents
ALL = "*"  # stands for all timers that are not named
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
    try:
        content = parse_toml(read_text(file, MAX_PARENTS_BYTES), str(file))
    except TomlError as error:
        raise InputError(f"not TOML: {error}", where=str(file)) from error
    parents = content.get("parents")
    if not isinstance(parents, dict) or not all(isinstance(value, str) for value in parents.values()):
        raise InputError(
            "no table [parents] that gives the parent of each timer as text",
            where=str(file),
            hint='write "PCApply" = "KSPSolve"; "" is the whole run',
        )
    return parents


def nested(placed: Placed, parents: Mapping[str, str]) -> Placed:
    """Put overlapping timers below their parents; the rest of a parent is what its children leave.

    A timer is placed if its parents lead to the whole run (an empty name) or to a timer that overlaps
    nothing; all others stay as they are.

    Args:
        parents: name of the parent by name of the timer, ``*`` for all others.
    """
    loose = [timer for timer in placed.timers if timer.overlapping]
    if not parents or not loose:
        return placed
    fixed = [timer for timer in placed.timers if not timer.overlapping]
    if not fixed:
        fixed = [Timer(path=(WHOLE,), seconds=_whole(placed, loose))]
    roots = {timer.path: timer for timer in fixed}
    places = {id(timer): _place(timer, loose, roots, parents) for timer in loose}
    moved = {places[id(t)]: t for t in loose if places[id(t)]}
    below: dict[tuple[str, ...], float] = {}
    for path, timer in moved.items():
        below[path[:-1]] = below.get(path[:-1], 0.0) + timer.seconds
    inside = [
        replace(timer, path=path, overlapping=False, seconds=timer.seconds - below.get(path, 0.0))
        for path, timer in moved.items()
    ]
    owners = [replace(timer, seconds=timer.seconds - below.get(timer.path, 0.0)) for timer in fixed]
    others = [timer for timer in loose if not places[id(timer)]]
    known = {timer.path[-1] for timer in placed.timers}
    unknown = sorted((set(parents) | set(parents.values())) - known - {"", ALL})
    notices = [f"timers.toml names timers that are not in the table: {', '.join(unknown)}"] if unknown else []
    return replace(placed, timers=(*owners, *inside, *others), notices=(*placed.notices, *notices))


def _whole(placed: Placed, loose: Sequence[Timer]) -> float:
    return placed.total if placed.total is not None else max(timer.seconds for timer in loose)


def _place(
    timer: Timer, loose: Sequence[Timer], roots: Mapping[tuple[str, ...], Timer], parents: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the path of a timer from a root down, empty if its parents lead to none."""
    group = timer.path[:-1]
    siblings = {other.path[-1] for other in loose if other.path[:-1] == group}
    chain = [timer.path[-1]]
    while len(chain) <= MAX_DEPTH:
        parent = parents.get(chain[0], parents.get(ALL))
        if parent is None:
            return ()
        if parent == "":
            above = group if group in roots else next(iter(roots)) if len(roots) == 1 else ()
            return (*above, *chain) if above else ()
        if (*group, parent) in roots:
            return (*group, parent, *chain)
        if parent not in siblings:
            return ()
        chain.insert(0, parent)
    return ()


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
