"""Callgrind's output: costs of functions, in events such as instructions, and numbers of their calls.

The format is described in Valgrind's manual (*Callgrind Format Specification*). Costs belong to the function
of the last ``fn=`` line, but for the line after ``calls=``, which is the inclusive cost of that call. Files
have a graph of calls, not a tree, so that functions are read without their callers. Names may be numbered,
``(1) main`` and later ``(1)``, and a cost may be given by its difference to the one before, ``+5``, ``-5`` or
``*`` for none.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingest.calltree import ROOT
from ingest.errors import InputError
from ingest.profile import Metric, Profile
from ingest.readers import ProfileReader
from ingest.reading.files import head, head_lines, lines_of
from ingest.reading.stacks import UNKNOWN, VISITS_METRIC, Place, Stacks, found_of

_MAX_EVENTS = 64
_MAX_DIGITS = 18
_HINT = "is the file truncated?"

_MARK = "# callgrind format"
_NUMBERED = re.compile(r"\((\d{1,9})\)(?:\s+(.*))?", re.ASCII)
_HEADER = re.compile(r"([A-Za-z_]\w*):\s*(.*)", re.ASCII)
_DIGITS = "+-*0123456789"
_COST = re.compile(r"(?:[+-]?\d{1,18}|\*)", re.ASCII)
_FILES = ("fl", "fi", "fe")  # of functions, of lines from elsewhere and their end; also of calls and jumps


@dataclass(kw_only=True)
class _Reading:
    source: str
    stacks: Stacks = field(default_factory=Stacks)
    events: tuple[str, ...] = ()
    # per event values by location and node
    costs: list[defaultdict[Place, float]] = field(default_factory=list)
    positions: int = 1  # how many columns precede the costs
    # numbers of functions -> their names; `files` likewise
    functions: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    last: list[int] = field(default_factory=list)  # the costs before, which others may be relative to
    # per event the costs of the function that is read, up to here
    own: list[int] = field(default_factory=list)
    plain: bool = False  # whether costs are one number behind one position
    file: str = ""
    place: Place | None = None  # location and node that costs belong to; None before the first function
    callee: str = ""  # the function of the last ``cfn=``
    called: bool = False  # whether the next line is the cost of a call
    process: int = 0  # the process and thread, as the last header states them
    thread: int = 0
    # per part the stated sums of each event, by where they are stated
    totals: dict[str, list[int]] = field(default_factory=dict)
    sources: dict[str, tuple[str, int]] = field(default_factory=dict)
    stated: dict[str, str] = field(default_factory=dict)  # what else headers state


def matches(path: Path) -> bool:
    """Return whether a file states the format, or names events and functions as it does."""
    start = head(path, READER.head_bytes)
    if not (b"fn" in start and b"events" in start) and not start.startswith(_MARK.encode()):
        return False
    lines = head_lines(path, READER.head_bytes)
    if lines and lines[0].startswith(_MARK):
        return True
    starts = {line.partition("=")[0] if "=" in line else line.partition(":")[0] for line in lines}
    return {"events", "fn"} <= starts


def read(path: Path) -> Profile:
    """Read a file: one location for each process and thread that its parts are of."""
    reading = _Reading(source=str(path))
    number = 0
    try:
        for number, line in enumerate(lines_of(path), start=1):  # noqa: B007
            _, _, cost = line.partition(" ")
            if cost.isdecimal() and reading.plain and len(cost) <= _MAX_DIGITS and line[0] in _DIGITS:
                reading.last[0] = value = int(cost)  # most lines: the cost of one event
                if reading.called:
                    reading.called = False
                else:
                    reading.own[0] += value
            else:
                _add(reading, line)
        _finish_function(reading)
    except ValueError as error:
        raise InputError(f"line {number}: {error}", where=str(path), hint=_HINT) from error
    if reading.called:
        raise InputError("the cost of its last call is missing", where=str(path), hint=_HINT)
    stacks = reading.stacks
    visits = stacks.values.pop(VISITS_METRIC, None)
    for name, values in zip(reading.events, reading.costs, strict=True):
        stacks.of(Metric(f"{name} events" if name in ("time", VISITS_METRIC.name) else name, "occ")).update(
            values
        )
    if visits:
        stacks.of(VISITS_METRIC).update(visits)
    if not reading.events:
        raise InputError("no events are named in it", where=reading.source, hint=_HINT)
    stated = (reading.totals.get("totals") or reading.totals.get("summary") or [0])[0]
    listed = sum(reading.costs[0].values())
    reconciled = found_of("functions", listed, stated or None, reading.events[0], digits=15)
    return stacks.built(str(path)).profile(
        reading.stated.get("creator", "callgrind"),
        reconciled,
        sampled=False,
        files=reading.sources,
        attributes={name: text for name, text in reading.stated.items() if name in ("cmd", "desc")},
    )


def _add(reading: _Reading, line: str) -> None:
    key, equals, text = line.partition("=")
    if line[:1] in _DIGITS and line:
        _add_costs(reading, line)
    elif equals and key.isidentifier():
        _add_position(reading, key, text.strip())
    elif match := _HEADER.match(line):
        _add_header(reading, match[1], match[2].strip())
    elif line.strip() and not line.startswith("#"):
        raise ValueError(f"not a line of callgrind: {line[:60]}")


def _add_costs(reading: _Reading, line: str) -> None:
    costs = _absolute(line.split()[reading.positions :], reading.last)
    if reading.called:
        reading.called = False
        return
    if not costs:
        return  # the position of a jump
    if reading.place is None or len(costs) > len(reading.own):
        what = "costs before the first function" if reading.place is None else "more costs than events"
        raise ValueError(what)
    for i, cost in enumerate(costs):
        reading.own[i] += cost


def _absolute(texts: Sequence[str], last: list[int]) -> list[int]:
    """Return costs as numbers, and keep them in `last` for those that are relative to them."""
    costs = []
    for i, text in enumerate(texts[:_MAX_EVENTS]):
        if not ((text.isdecimal() and len(text) <= _MAX_DIGITS) or _COST.fullmatch(text)):
            raise ValueError(f"not a cost: {text[:30]}")
        if i >= len(last):
            raise ValueError("more costs than events")
        before = last[i]
        cost = before if text == "*" else int(text) + (before if text[0] in "+-" else 0)
        costs.append(cost)
    last[: len(costs)] = costs
    return costs


def _add_position(reading: _Reading, key: str, text: str) -> None:
    if key == "fn":
        _finish_function(reading)
        name = _name(text, reading.functions)
        node = reading.stacks.callpaths.callee(ROOT, name)
        reading.place = reading.stacks.location(reading.process, reading.thread), node
        reading.plain = reading.positions == 1 and len(reading.events) == 1
        reading.sources.setdefault(name, (reading.file, -1))
        reading.callee = ""
    elif key == "cfn":
        reading.callee = _name(text, reading.functions)
    elif key == "fl":
        reading.file = _name(text, reading.files)
    elif key.endswith(_FILES):
        _name(text, reading.files)
    elif key == "jfn":
        _name(text, reading.functions)
    elif key == "calls":
        if not reading.events:
            raise ValueError("a call before the events are named")
        count = text.split(maxsplit=1)[0] if text else ""
        if not _COST.fullmatch(count) or not count.isdecimal():
            raise ValueError(f"not a number of calls: {text[:30]}")
        node = reading.stacks.callpaths.callee(ROOT, reading.callee or UNKNOWN)
        place = reading.stacks.location(reading.process, reading.thread), node
        reading.stacks.of(VISITS_METRIC)[place] += int(count)
        reading.called = True


def _finish_function(reading: _Reading) -> None:
    """Add the costs of the function that ends here to what it has."""
    if reading.place is not None:
        for values, cost in zip(reading.costs, reading.own, strict=True):
            values[reading.place] += cost
    reading.own = [0] * len(reading.events)


def _name(text: str, known: dict[str, str]) -> str:
    match = _NUMBERED.fullmatch(text)
    if match is None:
        return text or UNKNOWN
    if match[2]:
        known[match[1]] = match[2]
    elif match[1] not in known:
        raise ValueError(f"the name ({match[1]}) is not known")
    return known[match[1]]


def _add_header(reading: _Reading, key: str, text: str) -> None:
    if key in ("events", "positions", "pid", "thread"):  # of another part
        _finish_function(reading)
        reading.place, reading.plain = None, False
    if key == "events":
        names = tuple(text.split())
        if not names or len(set(names)) < len(names) or len(names) > _MAX_EVENTS:
            raise ValueError("not a list of different events")
        if reading.events not in ((), names):
            raise ValueError("its parts have different events")
        if not reading.events:
            reading.events, reading.costs = names, [defaultdict(float) for _ in names]
            reading.last = [0] * len(names)
    elif key == "positions":
        reading.positions = max(len(text.split()), 1)
    elif key in ("pid", "thread") and text.isdecimal() and len(text) <= _MAX_DIGITS:
        if key == "pid":
            reading.process, reading.thread = int(text), 0
        else:
            reading.thread = int(text)
    elif key in ("summary", "totals"):
        _add_totals(reading.totals.setdefault(key, []), text.split())
    else:
        reading.stated.setdefault(key, text[:200])


def _add_totals(totals: list[int], texts: Iterable[str]) -> None:
    for i, text in enumerate(texts):
        if not text.isdecimal() or len(text) > _MAX_DIGITS or i >= _MAX_EVENTS:
            raise ValueError(f"not a total: {text[:30]}")
        if i == len(totals):
            totals.append(0)
        totals[i] += int(text)


READER = ProfileReader(
    name="callgrind", pattern="callgrind.out.*", matches=matches, read=read, fallback=1, head_bytes=1 << 16
)
