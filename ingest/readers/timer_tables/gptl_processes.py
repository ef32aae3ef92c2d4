"""GPTL's files of single processes, ``timing.0``, ``timing.1`` ...: a tree of timers for each thread.

Below ``Stats for thread 0:`` and a header (``Called  Recurse  Wall  max  min``, in E3SM with ``On`` before
it) there is a row for each timer, indented by two blanks below its parent, with inclusive wall seconds. A
star in the first column marks timers with several parents: they stand below one with the values of all.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import InputError
from ingest.profile import OVERLAPPING, Metric, MetricKind, Profile
from ingest.readers import ProfileReader
from ingest.readers.timer_tables.log import known
from ingest.readers.timer_tables.timer_kind import OVERLAPPING_TIMERS
from ingest.reading.files import all_of_run, entries, head, is_folder, lines_of, numbered_files
from ingest.reading.stacks import TIME_METRIC, VISITS_METRIC, Stacks, found_of
from ingest.run_settings import OVERLAPPING_TIME

_HEAD_BYTES = 1 << 14
_MAX_BYTES = 1 << 27
_ROUNDING = 1e-3  # relative, of values with three or more digits

_INSIDE = Metric(OVERLAPPING_TIME, "s", MetricKind.SIMPLE)
_NAMED = re.compile(r"\S*timing\S*?\.\d{1,7}")
_THREAD = re.compile(r"Stats for thread (?P<number>\d{1,6}):\s*")
_HEADER = re.compile(r"\s+(?:On\s+)?Called\s+Recurse\s+Wall")
_BEGIN = re.compile(rb"^Stats for thread 0:\s*\n\s+(?:On\s+)?Called\s+Recurse\s+Wall", re.MULTILINE)
_ROW = re.compile(
    r"(?P<star>[* ])(?P<indent> *)(?P<name>\"[^\"]*\"|\S+(?: \S+)*?)\s+(?:[-y]\s+)?"
    r"(?P<calls>[0-9.]+(?:[eE][-+]?\d+)?)\s+(?:-|[0-9.]+(?:[eE][-+]?\d+)?)\s+"
    r"(?P<wall>[0-9.]+(?:[eE][-+]?\d+)?)(?:\s|$)"
)


@dataclass(frozen=True, kw_only=True)
class _Row:
    """A timer of a thread: names from the root down, and inclusive seconds."""

    thread: int
    path: tuple[str, ...]
    calls: float
    seconds: float
    several: bool


def _by_process(folder: Path) -> dict[int, Path]:
    """Return the files of the processes in a folder by their numbers."""
    named = [file for file in entries(folder) if _NAMED.fullmatch(file.name)] if is_folder(folder) else []
    return {number: file for number, file in numbered_files(named)[1].items() if _is_process(file)}


def _processes(folder: Path) -> list[Path]:
    return [*_by_process(folder).values()]


def _is_process(path: Path) -> bool:
    start = head(path, _HEAD_BYTES)
    return b"Stats for thread 0" in start and _BEGIN.search(start) is not None


def _read(path: Path) -> Profile:
    """Read the files of all processes in a folder, or one file."""
    files = all_of_run(_by_process(path)) or [path]
    stacks = Stacks()
    found = stated = 0.0
    several: set[str] = set()
    for process, file in enumerate(files):
        rows = list(_rows(file))
        if not rows:
            raise InputError("no timer in it", where=str(file), hint="was the run interrupted?")
        below: dict[tuple[int, tuple[str, ...]], float] = {}
        for row in rows:
            parent = (row.thread, row.path[:-1])
            below[parent] = below.get(parent, 0.0) + (0.0 if row.several else row.seconds)
        for row in rows:
            here = stacks.location(process, row.thread)
            if row.several:
                several.add(row.path[-1])
                node = stacks.callpaths.add([*row.path[:-1], OVERLAPPING_TIMERS, row.path[-1]])
                stacks.of(_INSIDE)[here, node] += row.seconds
                continue
            own = row.seconds - below.get((row.thread, row.path), 0.0)
            if own < -_ROUNDING * row.seconds - _ROUNDING:
                what = f"'{row.path[-1][:80]}' took less than the timers below it"
                raise InputError(what, where=str(file), hint="is the file damaged?")
            node = stacks.callpaths.add(row.path)
            stacks.of(TIME_METRIC)[here, node] += max(own, 0.0)
            stacks.of(VISITS_METRIC)[here, node] += row.calls
            found, stated = found + max(own, 0.0), stated + (row.seconds if len(row.path) == 1 else 0.0)
    notices = []
    if several:
        notices.append(f"timers with several parents are in no sum: {', '.join(sorted(several)[:3])}")
    if len(files) == 1:
        notices.append("this is one process: the files of the others belong into the same folder")
    return stacks.built(str(path)).profile(
        "GPTL",
        found_of("timers", found, stated, "s"),
        sampled=False,
        paradigms={OVERLAPPING_TIMERS: OVERLAPPING},
        notices=notices,
    )


def _rows(file: Path) -> Iterator[_Row]:
    """Yield the timers of all threads; those below one with several parents lie inside others, too."""
    thread, inside = -1, False
    above: list[tuple[int, str, bool]] = []
    for number, line in enumerate(lines_of(file, _MAX_BYTES), start=1):
        if match := _THREAD.fullmatch(line):
            thread, inside, above = int(match["number"]), False, []
        elif thread >= 0 and _HEADER.match(line):
            inside = True
        elif inside and (match := _ROW.match(line)):
            indent, name = len(match["indent"]), match["name"].strip('"')
            while above and above[-1][0] >= indent:
                above.pop()
            several = match["star"] == "*" or (bool(above) and above[-1][2])
            above.append((indent, name, several))
            calls, seconds = known(match["calls"]), known(match["wall"])
            if calls is None or seconds is None:
                raise InputError(f"line {number}: not the values of a timer", where=str(file))
            path = tuple(name for _, name, _ in above)
            yield _Row(thread=thread, path=path, calls=calls, seconds=seconds, several=several)
        elif not line.strip() or line.startswith("Overhead sum"):
            inside = False


READERS = (
    ProfileReader(
        name="GPTL processes",
        pattern="timing.0, timing.1 ... in a folder",
        matches=lambda path: bool(_processes(path)),
        read=_read,
        files=_processes,
        processes=lambda path: len(_processes(path)),
        fallback=3,
        precedence=2,
    ),
    ProfileReader(
        name="GPTL process", pattern="timing.0", matches=_is_process, read=_read, fallback=4, precedence=2
    ),
)
