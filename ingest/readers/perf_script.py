"""The text that ``perf script`` prints: samples of Linux perf with their stacks.

A sample is a head line ``command pid/tid [cpu] time: period event:`` and one line per frame, the innermost
first, ``address symbol+offset (object)``, up to an empty line; ``pid/``, ``[cpu]``, the time and the period
may be missing. A sample without a call chain is one line, its frame behind the event. With ``--header``,
lines that begin with ``#`` come first. What perf itself says (``2>&1``) may stand anywhere.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ingest.calltree import ROOT
from ingest.cpp_names import short_list
from ingest.errors import InputError
from ingest.number_text import figure
from ingest.profile import Metric, Profile
from ingest.readers import ProfileReader
from ingest.reading.files import head_lines, is_page, lines_of
from ingest.reading.stacks import NO_SECONDS, SAMPLES, TIME_METRIC, UNKNOWN, Place, Stacks, skipped_lines
from ingest.run_settings import SETTING
from ingest.units import NANOSECOND

_MAX_HEAD = 1000  # characters of a head line before the frame
_MAX_MESSAGES, _MAX_BETWEEN = 100, 4  # lines before the first sample, and before its first frame
_CLOCKS = frozenset(("cpu-clock", "task-clock"))  # their periods are nanoseconds
_CYCLES = frozenset(("cycles", "cpu-cycles"))
_IDLE = "swapper"  # the task of the kernel that runs if nothing else does
_MAX_COMMANDS = 4  # that a notice lists
_MAX_BLOCK = 1 << 13  # lines of a sample; samples without call chains have no empty lines between them
_MAX_KNOWN_STACKS = 1 << 16
_NO_PROCESSES = (
    "threads are stated without their processes and read as those of one (perf script -F +pid states them)"
)

_HEAD = re.compile(
    r"\s*(?P<command>\S.{0,63}?)\s+(?:(?P<process>-?\d{1,18})/\s*)?(?P<thread>-?\d{1,18})\s+"
    r"(?:\[\d+\]\s+)?(?:(?P<time>\d+\.\d+):\s+)?(?:(?P<period>\d{1,18})\s+)?"
    r"(?P<event>(?(time)\S+?|[^\s\d]\S*?)):(?:\s+(?P<frame>.*))?",
    re.ASCII,
)
_MAY_BE_HEAD = re.compile(r"[\d\]:]\s+\S+:(?:\s|$)", re.ASCII)  # an event behind a number, tried first
_FRAME = re.compile(r"\s*[0-9a-f]{1,16}\s(?P<function>.*)")
_FRAME_WITH_OBJECT = re.compile(r"\s*[0-9a-f]{1,16}\s+\S.*\)\s*")
_OFFSET = re.compile(r"\+0x[0-9a-f]+$")
_SOURCE_LINE = re.compile(r"\s+\S.*(?::\d+|\[[0-9a-f]+\])")
_MODIFIER = re.compile(r"/?:[ukhGHpPSDeWb]+$|/[ukhGHpPSDeWb]*$|^cpu_(?:core|atom)/")
_EVENT = re.compile(
    r"# event : name = (?P<event>[^,\s]+),.*\{ sample_period, sample_freq \} = (?P<frequency>\d{1,9}),"
    r".*\bfreq = 1\b"
)
_STATED = re.compile(r"# (hostname|cpudesc|perf version) +: (.{1,200})")
_ATTRIBUTES = {"hostname": "hostname", "cpudesc": "cpu.model", "perf version": "perf version"}


@dataclass
class _Event:
    """What was sampled by one event: numbers of samples and sums of periods, by location and node."""

    samples: defaultdict[Place, float] = field(default_factory=lambda: defaultdict(float))
    periods: defaultdict[Place, float] = field(default_factory=lambda: defaultdict(float))


@dataclass
class _Script:
    stacks: Stacks = field(default_factory=Stacks)
    events: dict[str, _Event] = field(default_factory=dict)  # per name what was sampled
    # samples per second by event, as the header states them
    frequencies: dict[str, float] = field(default_factory=dict)
    commands: Counter[str] = field(default_factory=Counter)  # number of samples of each
    invalid: list[int] = field(default_factory=list)  # numbers of lines that are not understood
    lines: int = 0  # number of heads and frames
    known: dict[str, int] = field(default_factory=dict)  # frame line -> number of its function
    # functions of a stack from the innermost to the outermost -> node, of some stacks
    nodes: dict[tuple[int | None, ...], int] = field(default_factory=dict)
    with_processes: bool = True  # whether all samples state their process
    stated: dict[str, str] = field(default_factory=dict)  # of the header, machine and version


def matches(path: Path) -> bool:
    """Return whether the first line of a file that is not a comment is the head of a sample.

    Other texts have lines like heads without a time: a frame must follow these, and heads below messages.
    """
    found = head_lines(path, READER.head_bytes)
    stated = (line for line in found if line[:1] not in "#" and not line.isspace())  # nothing is in all texts
    lines = list(islice(stated, _MAX_MESSAGES + _MAX_BETWEEN))
    for number, line in enumerate(lines[:_MAX_MESSAGES]):
        if not (":" in line and _MAY_BE_HEAD.search(line, 0, _MAX_HEAD)):
            continue
        if head := _HEAD.fullmatch(line[:_MAX_HEAD]):
            below = [line[head.start("frame") :]] if head["frame"] else lines[number + 1 :][:_MAX_BETWEEN]
            surely = (head["time"] and not number) or any(map(_FRAME_WITH_OBJECT.fullmatch, below))
            return bool(surely) and not (number and is_page(path))
    return False


def read(path: Path) -> Profile:
    """Read all samples; each thread is a location."""
    script = _read(lines_of(path))
    stacks = script.stacks
    if not script.events:
        raise InputError("no sample of perf in it", where=str(path), hint="was perf script interrupted?")
    notices = skipped_lines(script.invalid, script.lines, "neither a sample nor a frame", str(path))
    events = _by_name(script.events)
    event = min(events, key=lambda name: _preference(name, events[name], script.frequencies))
    clock = event in _CLOCKS and bool(events[event].periods)
    found = ""
    if clock or script.frequencies.get(event):
        time = stacks.of(TIME_METRIC)
        if clock:
            time.update({place: NANOSECOND * period for place, period in events[event].periods.items()})
        else:
            rate = script.frequencies[event]
            time.update({place: count / rate for place, count in events[event].samples.items()})
        found = f", {stacks.total(TIME_METRIC):.15g} s by {event}"
    stacks.of(SAMPLES).update(events[event].samples)
    for name, of in events.items():
        unique = f"{name} events" if name in (TIME_METRIC.name, SAMPLES.name) else name
        if name != event or (of.periods and not clock):
            stacks.of(Metric(unique, "occ")).update(of.periods or of.samples)
    names = [name for name in events if name != event]
    other_events = f"samples are those of {event}; --metric NAME models another: {short_list(names)}"
    return stacks.built(str(path)).profile(
        "perf",
        f"{stacks.total(SAMPLES):.15g} samples{found}, no total is stated",
        attributes=script.stated | ({SETTING + "event": event} if len(events) > 1 else {}),
        notices=(
            *notices,
            *([] if found else [NO_SECONDS]),
            *([other_events] if names else []),
            *_of_threads(script),
        ),
    )


def _read(lines: Iterator[str]) -> _Script:
    """Read line by line; what a frame line says is remembered, since most lines are printed many times."""
    script = _Script()
    block: list[str] = []
    first = 1
    for number, line in enumerate(lines, start=1):
        if line:
            block.append(line)
            if len(block) < _MAX_BLOCK:
                continue
        if block:
            _add_block(script, block, first)
            block = []
        first = number + 1
    if block:
        _add_block(script, block, first)
    return script


def _add_block(script: _Script, block: list[str], first: int) -> None:
    """Add the lines between two empty ones, mostly a head and known frames; `first` is their first number."""
    frames = list(map(script.known.get, block))
    del frames[0]
    head = None if block[0].startswith("#") else _HEAD.fullmatch(block[0][:_MAX_HEAD])
    if head is None or head["frame"] or None in frames:
        _add_lines(script, block, first)
    else:
        _add(script, head, frames)


def _add_lines(script: _Script, lines: list[str], first: int) -> None:
    head: re.Match[str] | None = None
    frames: list[int | None] = []
    for number, line in enumerate(lines, start=first):
        if head is not None:
            region = _region(line, script)
            if region is not None:
                frames.append(region)
                continue
            if _HEAD.fullmatch(line[:_MAX_HEAD]) is None and not line.startswith("#"):
                if not _SOURCE_LINE.fullmatch(line):
                    script.invalid.append(number)
                continue
            _add(script, head, frames)
            frames = []
        head = _begun(script, line, number)
    if head is not None:
        _add(script, head, frames)


def _begun(script: _Script, line: str, number: int) -> re.Match[str] | None:
    """Return the head of a sample whose frames follow; a sample of one line is added at once."""
    if line.startswith("#"):
        if match := _EVENT.match(line):
            script.frequencies[_MODIFIER.sub("", match["event"])] = float(match["frequency"])
        elif match := _STATED.match(line):
            script.stated[_ATTRIBUTES[match[1]]] = match[2].strip()
        return None
    head = _HEAD.fullmatch(line[:_MAX_HEAD])
    if head is None:
        if not line.isspace():
            script.invalid.append(number)
    elif head["frame"] and (region := _region(line[head.start("frame") :], script)) is not None:
        _add(script, head, [region])
        return None
    return head


def _region(line: str, script: _Script) -> int | None:
    """Return the number of the function in a frame line; None if it is another line."""
    if (number := script.known.get(line)) is not None:
        return number
    match = _FRAME.fullmatch(line)
    if match is None:
        return None
    function = match["function"].rstrip()
    if function.endswith(")"):
        last = function.removesuffix(" (deleted))").rfind(" (")
        function = function[:last] if last >= 0 else function
    regions = script.stacks.callpaths.regions
    number = regions.setdefault(_OFFSET.sub("", function).strip() or UNKNOWN, len(regions))
    script.known[line] = number
    return number


def _add(script: _Script, head: re.Match[str], frames: Sequence[int | None]) -> None:
    """Add a sample, its frames from the innermost to the outermost."""
    stack = tuple(frames)
    node = script.nodes.get(stack)
    if node is None:
        # most stacks occur again
        nodes, node = script.stacks.callpaths.nodes, ROOT
        for region in reversed(stack):
            node = nodes.setdefault((node, region or 0), len(nodes))
        if node == ROOT:
            node = script.stacks.callpaths.callee(ROOT, UNKNOWN)
        if len(script.nodes) < _MAX_KNOWN_STACKS:
            script.nodes[tuple(stack)] = node
    process = head["process"]
    place = script.stacks.location(int(process or 0), int(head["thread"])), node
    event = script.events.get(head["event"])
    if event is None:
        event = script.events.setdefault(head["event"], _Event())
    event.samples[place] += 1.0
    if period := head["period"]:
        event.periods[place] += float(period)
    script.commands[head["command"]] += 1
    script.lines += 1 + len(stack)
    script.with_processes &= process is not None


def _by_name(events: Mapping[str, _Event]) -> dict[str, _Event]:
    """Add what was sampled by one event, as in ``cycles:u`` and ``cycles:k``, or on two kinds of cores."""
    found: dict[str, _Event] = {}
    for name, event in events.items():
        whole = found.setdefault(_MODIFIER.sub("", name), _Event())
        for sums, values in ((whole.samples, event.samples), (whole.periods, event.periods)):
            for place, value in values.items():
                sums[place] += value
    return found


def _preference(name: str, event: _Event, frequencies: Mapping[str, float]) -> tuple[bool, ...]:
    """Return the key of an event whose least is modelled: clocks, cycles, what gives seconds come first."""
    return not (name in _CLOCKS and event.periods), name not in _CLOCKS | _CYCLES, not frequencies.get(name)


def _of_threads(script: _Script) -> Iterator[str]:
    """Say what makes the sum over all threads other than the time of a program."""
    if not script.with_processes and len(script.stacks.locations) > 1:
        yield _NO_PROCESSES
    commands = script.commands.most_common()
    total = script.commands.total()
    if len(commands) > 1:
        shown = ", ".join(f"{name} ({count} samples)" for name, count in commands[:_MAX_COMMANDS])
        more = f" and {len(commands) - _MAX_COMMANDS} more" if len(commands) > _MAX_COMMANDS else ""
        yield f"several commands in it: {shown}{more}"
    if idle := script.commands.get(_IDLE):
        yield (
            f"{figure(100 * idle / total, 2)} % of the samples are of idle processors ({_IDLE}):"
            " perf script --comm NAME leaves them out"
        )


READER = ProfileReader(
    name="perf", pattern="*.perf", matches=matches, read=read, fallback=1, head_bytes=1 << 18
)
