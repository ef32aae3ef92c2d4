"""A log as one text, whose lines are found by what they contain, without looking at each; and its numbers."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import InputError
from ingest.readers.timer_tables.timer_kind import Facts, LogLine, Timer, TimerRow, compiled
from ingest.reading.files import read_bytes

MAX_BYTES = 1 << 31
MAX_LINE = 1000  # bytes of a line that are looked at
MAX_TABLE_LINES = 50_000


@dataclass(frozen=True)
class Found:
    """A line that was searched for.

    Attributes:
        start: where it begins.
        facts: the named groups of its pattern that took part.
    """

    start: int
    facts: Mapping[str, str]


@dataclass(frozen=True)
class Log:
    """The bytes of a log, or of a part of it."""

    content: bytes

    def find(self, line: LogLine, start: int = 0, stop: int | None = None) -> Iterator[Found]:
        """Yield the lines of a part that contain a text and match a pattern, in their order."""
        text, pattern = line.text.encode(), compiled(line.pattern)
        last = len(self.content) if stop is None else stop
        position = self.content.find(text, start, last)
        while position >= 0:
            begin, end = self.bounds(position)
            if match := pattern.search(decoded(self.content[begin:end])):
                named = {name: value for name, value in match.groupdict().items() if value is not None}
                yield Found(begin, named)
            position = self.content.find(text, max(end, position + 1), last)

    def bounds(self, position: int) -> tuple[int, int]:
        """Return start and end of the line around a position, at most `MAX_LINE` bytes to either side."""
        before = self.content.rfind(b"\n", max(position - MAX_LINE, 0), position)
        start = before + 1 if before >= 0 else max(position - MAX_LINE, 0)
        end = self.content.find(b"\n", position, position + MAX_LINE)
        return start, end if end >= 0 else min(position + MAX_LINE, len(self.content))

    def lines(self, start: int, stop: int) -> Iterator[str]:
        """Yield the lines of a part, long ones cut."""
        for _ in range(MAX_TABLE_LINES):
            if start >= stop:
                return
            end = self.content.find(b"\n", start, stop)
            end = end if end >= 0 else stop
            yield decoded(self.content[start : min(end, start + MAX_LINE)])
            start = end + 1

    def line_number(self, position: int) -> int:
        """Return the number of the line at a position, from 1."""
        return self.content.count(b"\n", 0, position) + 1


def decoded(line: bytes) -> str:
    """Decode a line; logs are in any encoding, and the bytes of others are replaced."""
    return line.decode("utf-8", "replace").rstrip("\r\n").expandtabs()


def read_log(path: Path) -> Log:
    """Read a whole log."""
    content = read_bytes(path, MAX_BYTES)
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
