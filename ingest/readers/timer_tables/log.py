"""A log as one text, whose lines are found by what they contain, without looking at each; and its numbers.

What lies next to a log: a file that says how timers nest, another part of the log, the name of the run.

Rates that programs state, ``Performance: 31.459 ns/day``, say what work a run did: a rate times the seconds
that it was taken over are units of work, which stay the same when a run becomes faster, so that times at
other scales give the rate there.
"""

import math
import mmap
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ingest.errors import InputError, one_line
from ingest.readers.timer_tables.timer_kind import Facts, LogLine, Timer, TimerRow, TimerTable, compiled
from ingest.reading.files import ends_of, entries, read_bytes, unreadable
from ingest.reading.packed import is_packed, open_regular, plain_name
from ingest.resource_use import MEMORY, TOTAL_RESOURCE, bytes_per, memory_attributes
from ingest.run_names import PROCESS_PARAMETERS, named_parameters
from ingest.run_settings import SETTING
from ingest.toml_table import read_toml
from ingest.units import RATE_METRIC, UNITS_OF_WORK, WorkRate, work_rate

_PARENTS_FILE = "timers.toml"
_MAX_COMPANIONS = 16
_MAX_COMPANION_BYTES = 1 << 22
_COMMON_PREFIX = 3  # characters that the names of the parts of a log share


def parents_files(log: Path) -> tuple[Path, ...]:
    """Return where `timers.toml` may be: next to the log, or above its folder for all runs."""
    folder = log.absolute().parent
    return folder / _PARENTS_FILE, folder.parent / _PARENTS_FILE


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
    """Yield small files next to a log whose names begin and end like its own: they may be its other parts."""
    names = [entry.name for entry in entries(log.absolute().parent) if entry.suffix == log.suffix]
    if len(names) > _MAX_COMPANIONS:
        return
    for name in names:
        file = log.with_name(name)
        alike = name[:_COMMON_PREFIX] == log.name[:_COMMON_PREFIX]
        if name != log.name and alike and file.is_file() and file.stat().st_size <= _MAX_COMPANION_BYTES:
            yield file


def processes_beside(log: Path, marks: Sequence[LogLine], facts: tuple[LogLine, ...]) -> str:
    """Return the number of processes that another part of the log states, empty if none does.

    Other logs with tables, which have one of the marks, are runs of their own.
    """
    for file in other_parts(log):
        part: Log = Log(ends_of(file))
        if any(next(part.find(mark), None) for mark in marks):
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


_MAX_BYTES = 1 << 31
_MAX_LINE = 1 << 16  # bytes of a line that are looked at
_MAX_TABLE_LINES = 50_000
_STARS = re.compile(r"\*{3,}")
_WINDOW = 1 << 24  # bytes that are searched at once: no more of a large log need be in memory


@dataclass(frozen=True)
class Found:
    """A line that was searched for."""

    start: int  # where it begins
    facts: Mapping[str, str]  # the named groups of its pattern that took part


@dataclass(frozen=True)
class Log:
    """The bytes of a log, or of a part of it; those of a large one stay in its file."""

    content: bytes | mmap.mmap

    def find(self, line: LogLine, start: int = 0, stop: int | None = None) -> Iterator[Found]:
        """Yield the lines of a part that contain a text and match a pattern, in their order."""
        if not self.may_have(line):
            return
        text = line.content
        pattern = compiled(line.pattern)
        last = len(self.content) if stop is None else stop
        position = self._next(text, start, last)
        while position >= 0:
            begin, end = self.bounds(position)
            if (facts := groups_of(pattern, _decoded(self.content[begin:end]))) is not None:
                yield Found(begin, facts)
            position = self._next(text, max(end, position + 1), last)

    def may_have(self, line: LogLine) -> bool:
        """Return whether it may have such a line: a log in memory is searched for its text."""
        return not isinstance(self.content, bytes) or line.content in self.content

    def _next(self, text: bytes, start: int, stop: int) -> int:
        """Return where a text is next, -1 if nowhere; windows that were searched leave memory."""
        while start < stop:
            window = start - start % _WINDOW
            end = min(window + _WINDOW, stop)
            position = self.content.find(text, start, min(end + len(text) - 1, stop))
            if position >= 0:
                return position
            if isinstance(self.content, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
                self.content.madvise(mmap.MADV_DONTNEED, window, end - window)
            start = end
        return -1

    def bounds(self, position: int) -> tuple[int, int]:
        """Return start and end of the line around a position, at most `_MAX_LINE` bytes to either side."""
        before = self.content.rfind(b"\n", max(position - _MAX_LINE, 0), position)
        start = before + 1 if before >= 0 else max(position - _MAX_LINE, 0)
        end = self.content.find(b"\n", position, position + _MAX_LINE)
        return start, end if end >= 0 else min(position + _MAX_LINE, len(self.content))

    def lines(self, start: int, stop: int) -> Iterator[str]:
        """Yield the lines of a part, long ones cut."""
        for _ in range(_MAX_TABLE_LINES):
            if start >= stop:
                return
            end = self.content.find(b"\n", start, stop)
            end = end if end >= 0 else stop
            yield _decoded(self.content[start : min(end, start + _MAX_LINE)])
            start = end + 1

    def line_number(self, position: int) -> int:
        """Return the number of the line at a position, from 1."""
        starts = range(0, position, _WINDOW)
        return 1 + sum(self.content[at : min(at + _WINDOW, position)].count(b"\n") for at in starts)


def groups_of(pattern: re.Pattern[str], line: str) -> dict[str, str] | None:
    """Return the named groups of a pattern that take part in a line, None if it is not found.

    Numbers may be too large for their columns: then Fortran prints stars instead, which are returned.
    """
    match = pattern.search(line)
    if match is None and "***" in line:
        forms = (partial(_digits, end) for end in ("9", ".99", ".9"))
        match = next(filter(None, (pattern.search(_STARS.sub(form, line)) for form in forms)), None)
    if match is None:
        return None
    spans = {name: match.span(name) for name in match.groupdict()}
    return {name: line[start:end] for name, (start, end) in spans.items() if start >= 0}


def _digits(end: str, stars: re.Match[str]) -> str:
    return end.rjust(len(stars[0]), "9")


def overflows(text: str) -> bool:
    """Return whether a number was too large for its column."""
    return "***" in text


def _decoded(line: bytes) -> str:
    """Decode a line; logs are in any encoding, and the bytes of others are replaced."""
    return line.decode("utf-8", "replace").rstrip("\r\n").expandtabs()


def read_log(path: Path) -> Log:
    """Read a whole log; a large one is searched in its file."""
    try:
        with open_regular(path) as file:
            if _WINDOW < os.fstat(file.fileno()).st_size <= _MAX_BYTES and not is_packed(file.peek(8)):
                return Log(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise unreadable(path, error) from error
    content = read_bytes(path, _MAX_BYTES)
    if not content.strip():
        raise InputError("the file is empty", where=str(path), hint="was the run interrupted?")
    return Log(content)


def last_facts(log: Log, lines: Sequence[LogLine]) -> dict[str, str]:
    """Return what a log states: each fact by the first of the lines that states it, as it was said last."""
    stated: dict[str, str] = {}
    for line in lines:
        facts: dict[str, str] = {}
        for found in log.find(line):
            facts |= found.facts
            if line.first:
                break
        stated = facts | stated
    return stated


_COUNT = re.compile(r"\s*[0-9]{1,15}\s*")
_DURATION = re.compile(r"(?:(\d+)\s*d)?\s*(?:(\d+)\s*h)?\s*(?:(\d+)\s*m)?\s*(?:(\d*\.?\d+)\s*s)?")
_LARGEST = 1e15  # seconds, calls: more is damage


def number(text: str | None, what: str) -> float:
    """Return a number of a log."""
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        value = math.nan
    if not abs(value) < _LARGEST:
        shown = "is missing" if text is None else f"is not a number: '{text[:40]}'"
        raise InputError(f"{what} {shown}", hint="is the log truncated?")
    return value


def known(text: str | None) -> float | None:
    """Return a number of a log, None if it is missing or not one."""
    try:
        return number(text, "") if text else None
    except InputError:
        return None


def count(facts: Facts, name: str) -> int | None:
    """Return a stated count, None if there is none or it is zero."""
    text = facts.get(name, "")
    return int(text) or None if _COUNT.fullmatch(text) else None


def duration(text: str, what: str) -> float:
    """Return the seconds of a time such as ``1d 3h``, ``1h 2m``, ``2m 3.89s`` or ``49.50s``."""
    match = _DURATION.fullmatch(text.strip())
    if match is None or not any(match.groups()):
        raise InputError(f"{what} is not a time: '{text.strip()[:40]}'", hint="is the log truncated?")
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return number(str(((days * 24 + hours) * 60 + minutes) * 60 + seconds), what)


def timer(
    row: TimerRow, path: Sequence[str] = (), *, seconds: float | None = None, overlapping: bool = False
) -> Timer:
    """Return the timer of a row with columns `seconds`, `calls`, `least` and `most`."""
    if seconds is None:
        seconds = number(row.values.get("seconds"), f"the time of '{row.name[:80]}'")
    return Timer(
        path=tuple(path) or (row.name,),
        seconds=seconds,
        calls=known(row.values.get("calls")),
        least=known(row.values.get("least")),
        most=known(row.values.get("most")),
        overlapping=overlapping,
    )


_PREFIX = "_memory "
_SOURCE = _PREFIX + "source"


def stated_memory(log: Log, lines: Sequence[LogLine]) -> Facts:
    """Return the bytes that a log states, as `TimerTable.memory` says, as facts."""
    stated: dict[str, str] = {}
    for line in lines:
        largest: dict[str, float] = {}
        facts: dict[str, str] = {}
        for found in log.find(line):
            unit = bytes_per(found.facts.get("unit", "")) or 1.0
            for of in (MEMORY, "mean", TOTAL_RESOURCE):
                if value := (known(found.facts.get(of)) or 0.0) * unit:
                    largest[of] = max(largest.get(of, value), value)
            facts = {_SOURCE: one_line(found.facts["source"])} if "source" in found.facts else {}
        stated = {**facts, **{_PREFIX + of: repr(value) for of, value in largest.items()}, **stated}
    return stated


def memory_of(facts: Facts, processes: int) -> dict[str, str]:
    """Return the attributes of a run of as many processes."""
    most, mean, total = (known(facts.get(_PREFIX + of)) or 0.0 for of in (MEMORY, "mean", TOTAL_RESOURCE))
    return memory_attributes(
        facts.get(_SOURCE, ""), **{MEMORY: most, TOTAL_RESOURCE: total or mean * processes}
    )


RATE_SECONDS = "_rate_seconds"
"""The fact with the seconds that a rate was taken over, if these are not all of the table."""

_TOLERANCE = 0.02  # relative, of rates that are printed with three digits


def _stated_rate(facts: Facts, kind: TimerTable) -> tuple[float, WorkRate] | None:
    """Return the rate that a table or its log states, None if there is none."""
    amount, _, unit = facts.get("rate", "").partition(" ")
    value, rate = known(amount), work_rate(unit.strip() or kind.rate_unit)
    return (value, rate) if value and value > 0 and rate else None


def rate_text(facts: Facts, kind: TimerTable) -> str:
    """Return what to say of the rate of a table after its time; empty if it states none."""
    found = _stated_rate(facts, kind)
    of = " for the steps alone" if RATE_SECONDS in facts else ""
    return f"; {found[0]:.10g} {found[1].text} stated{of}" if found else ""


def rate_attributes(tables: Sequence[tuple[Facts, float]], kind: TimerTable) -> dict[str, str]:
    """Return the rate of a run and its units of work, given facts and seconds of each of its tables.

    Nothing if a table states no rate, or they state different ones.
    """
    units, texts = 0.0, {""}
    for facts, seconds in tables:
        found = _stated_rate(facts, kind)
        if found is None:
            return {}
        value, rate = found
        over = known(facts.get(RATE_SECONDS)) or seconds
        units, texts = units + value * over / rate.seconds, texts - {""} | {rate.text}
    return (
        {SETTING + RATE_METRIC: texts.pop(), UNITS_OF_WORK: repr(units)} if units and len(texts) == 1 else {}
    )


def rate_notices(facts: Facts, seconds: float) -> tuple[str, ...]:
    """Compare the steps that a table states with those that its rate means."""
    rate, steps = known(facts.get("_steps_per_second")), count(facts, "steps")
    seconds = known(facts.get("total")) or seconds
    if not rate or not steps or abs(rate * seconds - steps) <= _TOLERANCE * steps + 1:
        return ()
    return (f"the stated {rate:.6g} steps/s are {rate * seconds:.6g} steps, but {steps} are stated",)
