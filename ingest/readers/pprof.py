"""pprof's profiles, as Go, gperftools and others write them: a protocol buffer, mostly compressed.

The message is `profile.proto` of github.com/google/pprof. Locations of a stack are listed from the innermost,
and so are the lines of a location, which are inlined functions. All samples of a file are of one location of
the profile: threads are in labels at most.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import CallTree
from ingest.errors import InputError
from ingest.number_text import SECONDS
from ingest.profile import CPU, Metric, Profile
from ingest.readers import ProfileReader
from ingest.reading.files import head, read_bytes
from ingest.reading.protocol_buffers import (
    NUMBER,
    TEXT,
    Fields,
    field_ends,
    fields_between,
    fields_of,
    number_at,
)
from ingest.reading.stack_tree import StackTree
from ingest.reading.stacks import NO_SECONDS, SAMPLES, TIME, UNKNOWN, profile_of, require_room

MAX_BYTES = 1 << 29
MAX_TYPES = 64
HEAD_BYTES = 1 << 16
BLOCK_BYTES = 1 << 22  # of samples that are read at once
LAST_FIELD = 14  # with the greatest number
HINT = "is the file truncated?"

_SAMPLE_TYPE, _SAMPLE, _LOCATION, _FUNCTION, _STRING, _DURATION = 1, 2, 4, 5, 6, 10
_USED = (_SAMPLE_TYPE, _SAMPLE, _LOCATION, _FUNCTION, _STRING)
_KIND, _UNIT = 1 << 3 | NUMBER, 2 << 3 | NUMBER  # of a type of values
_LINES = 4  # of a location
_SPARSE = 8  # numbers of locations up to so many times their count are looked up in a table


@dataclass(frozen=True, kw_only=True, eq=False)
class _Message:
    """A profile as it is written.

    Attributes:
        content: uint8[n].
        spans: by the number of a field where its messages or texts begin and end, int64[count, 2].
        duration: nanoseconds, 0 if not stated.
    """

    content: NDArray[np.uint8]
    spans: dict[int, IntArray]
    duration: int

    def fields(self, number: int) -> Fields:
        """Return the fields of all messages of a field."""
        return fields_of(self.content, *self.spans[number].T)

    def text(self, number: int) -> str:
        """Return a text of the table."""
        texts = self.spans[_STRING]
        if not 0 <= number < max(len(texts), 1):
            raise ValueError(f"the text {number} is not in its table")
        begin, end = texts[number] if len(texts) else (0, 0)
        return self.content[begin:end].tobytes().decode("utf-8", "replace")


def matches(path: Path) -> bool:
    """Return whether a file, unpacked if need be, has fields up to a type of values: two numbers of texts."""
    content = head(path, HEAD_BYTES)
    at = 0
    try:
        for end in field_ends(content):
            key, begin = number_at(content, at)
            if key == _SAMPLE_TYPE << 3 | TEXT:
                found = _fields_of_one(content[number_at(content, begin)[1] : end])
                return found.key.tolist() in ([_KIND], [_UNIT], [_KIND, _UNIT])
            if not 1 <= key >> 3 <= LAST_FIELD:
                return False
            at = end
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
    found = _fields_of_one(content)
    texts = {number: found.only(number, TEXT) for number in _USED}
    return _Message(
        content=found.content,
        spans={number: np.stack([of.begin, of.end], axis=1) for number, of in texts.items()},
        duration=int(found.values(_DURATION)[0]),
    )


def _fields_of_one(content: bytes) -> Fields:
    return fields_between(np.frombuffer(content, np.uint8), np.fromiter(field_ends(content), np.int64))


def _profile(message: _Message, source: str) -> Profile:
    weights = _weights(message)
    places = _Locations.of(message)
    stacks = StackTree(regions=len(places.names), metrics=len(weights))
    for samples in _blocks(message):
        values = _values(samples, len(weights))
        stacks.add(*places.frames(samples), values * [scale for _, scale in weights])
    require_room(stacks.stacks, 1, len(weights), source)
    tree, values = stacks.build()
    tree, names = _named(tree, places.names)
    by_metric = {metric: values[:, [column]] for column, (metric, _) in enumerate(weights)}
    duration = f", the program ran {1e-9 * message.duration:.10g} s" if message.duration else ""
    listed = ", ".join(f"{of.sum():.15g} {m.name} {m.unit}" for m, of in by_metric.items())
    return profile_of(
        tree,
        names,
        by_metric,
        [(0, 0, CPU)],
        source,
        "pprof",
        f"{stacks.stacks} stacks with {listed}{duration}, no total is stated",
        files=places.files,
        notices=() if TIME in by_metric else (NO_SECONDS,),
    )


def _blocks(message: _Message) -> Iterator[Fields]:
    """Yield the fields of the samples, those of a few MiB at once."""
    spans = message.spans[_SAMPLE]
    first = 0
    while first < len(spans):
        begin = spans[first, 0]
        last = max(int(np.searchsorted(spans[:, 1], begin + BLOCK_BYTES)), first + 1)
        block = spans[first:last] - begin
        yield fields_of(message.content[begin : begin + block[-1, 1]], *block.T)
        first = last


def _values(samples: Fields, types: int) -> FloatArray:
    counts, values = samples.rows(2)
    if (wrong := counts != types).any():
        raise ValueError(f"a sample has {counts[wrong][0]} values of {types}")
    return values.reshape(-1, types).astype(np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Locations:
    """The frames of the locations: several where functions are inlined.

    Attributes:
        number: int64[locations], by which samples name them, ascending.
        first: int64[locations + 1], where the frames of each begin; the last is that of a sample without any.
        count: int64[locations + 1], how many frames there are.
        region: int64[frames], from the innermost of each location.
        names: of the regions.
        files: of the regions, and no line.
    """

    number: IntArray
    first: IntArray
    count: IntArray
    region: IntArray
    names: tuple[str, ...]
    files: dict[str, tuple[str, int]]

    @classmethod
    def of(cls, message: _Message) -> "_Locations":
        """Return the locations of a profile; of those with the same number the last one counts."""
        found = message.fields(_LOCATION)
        lines = found.only(_LINES, TEXT)
        location = lines.message
        functions = fields_of(message.content, lines.begin, lines.end).values(1)
        of_function, names, files = _functions(message, functions)
        count = np.bincount(location, minlength=found.messages)
        first = np.cumsum(count) - count
        unknown = len(functions)  # the place of a frame behind those of all lines
        first, count = np.where(count > 0, first, unknown), np.maximum(count, 1)
        number, last = np.unique(found.values(1)[::-1], return_index=True)
        last = found.messages - 1 - last
        return cls(
            number=number,
            first=np.append(first[last], unknown),
            count=np.append(count[last], 1),
            region=np.append(of_function, 0),
            names=names,
            files=files,
        )

    def frames(self, samples: Fields) -> tuple[IntArray, IntArray]:
        """Return the regions of the stacks from the innermost frame, int64[frames], and how many each has."""
        depth, numbers = samples.rows(1)
        location = self._places(numbers)
        nowhere = np.flatnonzero(depth == 0)
        if len(nowhere):
            location = np.insert(location, (np.cumsum(depth) - depth)[nowhere], len(self.number))
            depth = np.maximum(depth, 1)
        count = self.count[location]
        if (count == 1).all():
            return self.region[self.first[location]], depth
        before = np.cumsum(count) - count
        frame = np.repeat(self.first[location] - before, count) + np.arange(count.sum())
        return self.region[frame], np.add.reduceat(count, np.cumsum(depth) - depth)

    def _places(self, numbers: IntArray) -> IntArray:
        """Return the places of locations given by number, int64 both."""
        none = len(self.number)
        if none and self.number[0] >= 0 and self.number[-1] < _SPARSE * (none + 1024):
            table = np.full(self.number[-1] + 2, none)
            table[self.number] = np.arange(none)
            place = table[np.where((numbers >= 0) & (numbers < len(table)), numbers, len(table) - 1)]
        else:
            place = np.searchsorted(self.number, numbers)
            place[np.append(self.number, 0)[place] != numbers] = none
        if (unknown := place == none).any():
            raise ValueError(f"the location {numbers[unknown][0]} is not known")
        return place


def _functions(
    message: _Message, numbers: IntArray
) -> tuple[IntArray, tuple[str, ...], dict[str, tuple[str, int]]]:
    """Return the regions of functions, int64[numbers], given by number, their names and files."""
    found = message.fields(_FUNCTION)
    known = dict(
        zip(found.values(1).tolist(), zip(found.values(2), found.values(4), strict=True), strict=True)
    )
    regions, files = {UNKNOWN: 0}, dict[str, tuple[str, int]]()
    used, place = np.unique(numbers, return_inverse=True)
    of_function = np.zeros(len(used), dtype=np.int64)
    for i, number in enumerate(used.tolist()):
        text, file = map(message.text, known.get(number, (0, 0)))
        files.setdefault(text or UNKNOWN, (file, -1))
        of_function[i] = regions.setdefault(text or UNKNOWN, len(regions))
    return of_function[place], tuple(regions), files


def _named(tree: CallTree, names: Sequence[str]) -> tuple[CallTree, tuple[str, ...]]:
    """Return the tree with the regions that occur in it, in the order in which they do, and their names."""
    used, first, region = np.unique(tree.region, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return CallTree(tree.parent, np.argsort(order)[region]), tuple(names[i] for i in used[order])


def _weights(message: _Message) -> list[tuple[Metric, float]]:
    """Return the metrics of the types of values, and what to multiply them by; processor time is the time."""
    types = message.fields(_SAMPLE_TYPE)
    if not 0 < types.messages <= MAX_TYPES:
        raise ValueError(f"{types.messages} types of values")
    stated = [
        (message.text(kind), message.text(unit))
        for kind, unit in zip(types.values(1), types.values(2), strict=True)
    ]
    if len({name for name, _ in stated}) < len(stated):
        raise ValueError("two types of values have the same name")
    times = [name for name, unit in stated if unit in SECONDS]
    main = next((name for name in ("cpu", "time", "wall") if name in times), "")
    return [_weight(name, unit, main) for name, unit in stated]


def _weight(name: str, unit: str, main_time: str) -> tuple[Metric, float]:
    if unit in SECONDS:
        return (TIME if name == main_time else Metric(f"{name} time", "s")), SECONDS[unit]
    if name == SAMPLES.name:
        return SAMPLES, 1.0
    return Metric(
        "time values" if name == TIME.name else name or "values", "occ" if unit == "count" else unit
    ), 1.0


READER = ProfileReader(name="pprof", pattern="*.prof, *.pb.gz", matches=matches, read=read, fallback=1)
