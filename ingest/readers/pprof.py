"""pprof's profiles, as Go, gperftools and others write them: a protocol buffer, mostly compressed.

The message is `profile.proto` of github.com/google/pprof. The wire format of protocol buffers has numbers of
seven bits per byte, groups of four or eight bytes, and texts with their length; this much is read here, so
that neither the package `protobuf` nor code generated for it is needed. Locations of a stack are listed from
the innermost, and so are the lines of a location, which are inlined functions. All samples of a file are of
one location of the profile: threads are in labels at most.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from ingest.calltree import ROOT
from ingest.errors import InputError
from ingest.number_text import SECONDS
from ingest.profile import Metric, Profile
from ingest.readers import ProfileReader
from ingest.reading.files import head, read_bytes
from ingest.reading.stacks import NO_SECONDS, SAMPLES, TIME, UNKNOWN, Stacks

MAX_BYTES = 1 << 29
MAX_TYPES = 64
HEAD_BYTES = 1 << 16
LAST_FIELD = 14  # with the greatest number
HINT = "is the file truncated?"

Field: TypeAlias = tuple[int, int, bytes]  # number, value of a number, content of a text or group

_SAMPLE_TYPE, _SAMPLE, _LOCATION, _FUNCTION, _STRING, _DURATION = 1, 2, 4, 5, 6, 10
_NUMBER, _EIGHT_BYTES, _TEXT, _FOUR_BYTES = 0, 1, 2, 5
_SIGN = 1 << 63
_END = re.compile(rb"[\x80-\xff]*+[\x00-\x7f]")  # a number up to its last byte


@dataclass
class _Message:
    """The parts of a profile that are used, as numbers of the string table where they are texts."""

    types: list[tuple[int, int]] = field(default_factory=list)
    samples: list[bytes] = field(default_factory=list)
    locations: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    functions: dict[int, tuple[int, int]] = field(default_factory=dict)
    strings: list[str] = field(default_factory=list)
    duration: int = 0


def matches(path: Path) -> bool:
    """Return whether a file, unpacked if need be, has fields up to a type of values: two numbers of texts."""
    try:
        for number, _, part in _fields(head(path, HEAD_BYTES)):
            if number == _SAMPLE_TYPE:
                return [key for key, _, text in _fields(part) if not text] in ([1], [2], [1, 2])
            if not 1 <= number <= LAST_FIELD:
                return False
    except ValueError:
        return False
    return False


def read(path: Path) -> Profile:
    """Read the stacks of a file with all their values."""
    content = read_bytes(path, MAX_BYTES)
    try:
        return _profile(_message(content), str(path))
    except ValueError as error:
        raise InputError(f"not a profile of pprof: {error}", where=str(path), hint=HINT) from error


def _message(content: bytes) -> _Message:
    found = _Message()
    for number, value, part in _fields(content):
        if number == _SAMPLE_TYPE:
            of = {key: index for key, index, _ in _fields(part)}
            found.types.append((of.get(1, 0), of.get(2, 0)))
        elif number == _SAMPLE:
            found.samples.append(part)
        elif number == _LOCATION:
            of = {key: index for key, index, _ in _fields(part)}
            lines = [{k: v for k, v, _ in _fields(line)} for key, _, line in _fields(part) if key == 4]
            found.locations[of.get(1, 0)] = [(line.get(1, 0), line.get(2, 0)) for line in lines]
        elif number == _FUNCTION:
            of = {key: index for key, index, _ in _fields(part)}
            found.functions[of.get(1, 0)] = of.get(2, 0), of.get(4, 0)
        elif number == _STRING:
            found.strings.append(part.decode("utf-8", "replace"))
        elif number == _DURATION:
            found.duration = value
    if not found.types or len(found.types) > MAX_TYPES:
        raise ValueError(f"{len(found.types)} types of values")
    return found


def _profile(message: _Message, source: str) -> Profile:
    stacks, files = Stacks(), dict[str, tuple[str, int]]()
    location = stacks.location(0, 0)
    regions = stacks.callpaths.regions
    frames: dict[bytes, list[int]] = {}
    callers = {b"": ROOT}
    weights = [_weight(message, kind, unit) for kind, unit in message.types]
    values = [stacks.of(metric) for metric, _ in weights]
    nodes = stacks.callpaths.nodes
    for sample in message.samples:
        stack, numbers = _sample(sample)
        if len(numbers) != len(weights):
            raise ValueError(f"a sample has {len(numbers)} values of {len(weights)}")
        pending = []  # frames from the innermost up to a caller that is known
        while stack not in callers:
            if (end := _END.match(stack)) is None:
                raise ValueError("it ends early")
            pending.append((end[0], stack))
            stack = stack[end.end() :]
        node = callers[stack]
        for number, called in reversed(pending):
            if number not in frames:
                names = _functions(message, _varint(number, 0)[0], files)
                frames[number] = [regions.setdefault(name, len(regions)) for name in names]
            for region in frames[number]:
                node = nodes.setdefault((node, region), len(nodes))
            callers[called] = node
        if node == ROOT:
            node = stacks.callpaths.callee(ROOT, UNKNOWN)
        for sums, (_, scale), value in zip(values, weights, numbers, strict=True):
            sums[location, node] += scale * value
    duration = f", the program ran {1e-9 * message.duration:.10g} s" if message.duration else ""
    listed = ", ".join(f"{stacks.total(m):.15g} {m.name} {m.unit}" for m in stacks.values)
    notices = () if TIME in stacks.values else (NO_SECONDS,)
    return stacks.profile(
        source,
        "pprof",
        f"{len(message.samples)} stacks with {listed}{duration}, no total is stated",
        files=files,
        notices=notices,
    )


def _functions(message: _Message, location: int, files: dict[str, tuple[str, int]]) -> list[str]:
    if location not in message.locations:
        raise ValueError(f"the location {location} is not known")
    lines = reversed(message.locations[location])
    return [_function(message, function, files) for function, _ in lines] or [UNKNOWN]


def _function(message: _Message, number: int, files: dict[str, tuple[str, int]]) -> str:
    name, file = message.functions.get(number, (0, 0))
    text = _string(message, name) or UNKNOWN
    files.setdefault(text, (_string(message, file), -1))
    return text


def _string(message: _Message, number: int) -> str:
    if not 0 <= number < max(len(message.strings), 1):
        raise ValueError(f"the text {number} is not in its table")
    return message.strings[number] if message.strings else ""


def _weight(message: _Message, kind: int, unit: int) -> tuple[Metric, float]:
    """Return the metric of a type of values, and what to multiply them by; processor time is the time."""
    name, of = _string(message, kind), _string(message, unit)
    metrics = [(_string(message, k), _string(message, u)) for k, u in message.types]
    if metrics.count((name, of)) > 1 or len({k for k, _ in metrics}) < len(metrics):
        raise ValueError("two types of values have the same name")
    if of in SECONDS:
        times = [k for k, u in metrics if u in SECONDS]
        main = next((k for k in ("cpu", "time", "wall") if k in times), "")
        return (TIME if name == main else Metric(f"{name} time", "s")), SECONDS[of]
    if name == SAMPLES.name:
        return SAMPLES, 1.0
    return Metric(
        "time values" if name == TIME.name else name or "values", "occ" if of == "count" else of
    ), 1.0


def _sample(content: bytes) -> tuple[bytes, tuple[int, ...]]:
    """Return the locations of a sample from the innermost, as they are written, and its values."""
    stack, values = b"", b""
    for number, value, part in _fields(content):
        if number == 1:
            stack += part or _written(value)
        elif number == 2:
            values += part or _written(value)
    return stack, _packed(values)


def _written(value: int) -> bytes:
    """Return a number as `_varint` reads it."""
    value &= (_SIGN << 1) - 1
    groups = []
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*groups, value))


@lru_cache(maxsize=1 << 12)
def _packed(content: bytes) -> tuple[int, ...]:
    """Return numbers that are written one after the other."""
    values, at = [], 0
    while at < len(content):
        value, at = _varint(content, at)
        values.append(value)
    return tuple(values)


def _signed(value: int) -> int:
    if value < _SIGN:
        return value
    value &= (_SIGN << 1) - 1
    return value - (_SIGN << 1) if value & _SIGN else value


def _fields(content: bytes) -> Iterator[Field]:
    at, end = 0, len(content)
    while at < end:
        key, at = (content[at], at + 1) if content[at] < 0x80 else _varint(content, at)
        number, kind = key >> 3, key & 7
        if kind == _NUMBER:
            value, at = _varint(content, at)
            yield number, value, b""
            continue
        if kind == _TEXT:  # keys and most sizes are one byte, and these are most of a file
            size, at = (content[at], at + 1) if at < end and content[at] < 0x80 else _varint(content, at)
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            size = 8 if kind == _EIGHT_BYTES else 4
        else:
            raise ValueError(f"a field of kind {kind}")
        if not 0 <= size <= end - at:
            raise ValueError("it ends early")
        yield number, 0, content[at : at + size]
        at += size


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """Return a signed number of up to ten bytes, and where the next field begins."""
    value = shift = 0
    while True:
        if at >= len(content) or shift > 63:
            raise ValueError("it ends early" if at >= len(content) else "a number of more than ten bytes")
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return _signed(value), at
        shift += 7


READER = ProfileReader(name="pprof", pattern="*.prof, *.pb.gz", matches=matches, read=read, fallback=1)
