"""pprof's profiles, as Go, gperftools and others write them: a protocol buffer, mostly compressed.

The message is `profile.proto` of github.com/google/pprof. Locations of a stack are listed from the innermost,
and so are the lines of a location, which are inlined functions. All samples of a file are of one location of
the profile: threads are in labels at most.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from ingest.calltree import ROOT, CallTree
from ingest.errors import InputError
from ingest.profile import CPU, Metric, Profile
from ingest.readers import ProfileReader
from ingest.reading.files import head, read_bytes
from ingest.reading.stacks import NO_SECONDS, SAMPLES, TIME_METRIC, UNKNOWN, StackValues, require_room
from ingest.units import SECONDS

_NUMBER, _EIGHT_BYTES, _TEXT, _FOUR_BYTES = 0, 1, 2, 5

_Bytes = NDArray[np.uint8]
_MORE = 0x80  # the bit of a byte that another one of the same number follows
_MAX_NUMBER = 10  # bytes
_EARLY = "it ends early"
_LONG = "a number of more than ten bytes"


@dataclass(frozen=True, kw_only=True, eq=False)
class Fields(Rows):
    """The fields of many messages in one content; those of a message stand in their order."""

    _of_all = frozenset(("content",))
    content: _Bytes  # uint8[n]
    messages: int  # how many messages there are
    message: IntArray  # int64[f], which each belongs to
    key: IntArray  # int64[f], its number and kind
    begin: IntArray  # int64[f], where its content begins
    end: IntArray  # int64[f], where that ends

    def only(self, number: int, kind: int) -> "Fields":
        """Return the fields of a number and kind."""
        return self._where(self.key == (number << 3 | kind))

    def values(self, number: int) -> IntArray:
        """Return the number of a field in each message, the last one if it is repeated, int64[messages].

        It is 0, as the format has it, in messages without the field.
        """
        found = self.only(number, _NUMBER)
        values = np.zeros(self.messages, dtype=np.int64)
        values[found.message] = found._numbers()[0]
        return values

    def rows(self, number: int) -> tuple[IntArray, IntArray]:
        """Return all numbers of a repeated field, in a row behind their length or one by one.

        They come after int64[messages], how many each message has.
        """
        found = self._where((self.key == (number << 3 | _TEXT)) | (self.key == (number << 3 | _NUMBER)))
        found = found._where(found.begin < found.end)
        numbers, counts = found._numbers()
        return np.bincount(found.message, counts, self.messages).astype(np.int64), numbers

    def _where(self, chosen: BoolArray) -> "Fields":
        kept = np.flatnonzero(chosen)
        begin = self.begin[kept]
        return self.take(kept[np.argsort(begin)] if (np.diff(begin) < 0).any() else kept)

    def _numbers(self) -> tuple[IntArray, IntArray]:
        """Return the numbers in all fields, in the order of the content, and how many each has."""
        if not len(self.key):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        if (self.content[self.end - 1] >= _MORE).any():
            raise ValueError(_EARLY)
        lengths = np.stack([self.begin, self.end], axis=1).ravel()  # outside and inside in turn
        inside = np.repeat(np.arange(len(lengths)) % 2 == 1, np.diff(lengths, prepend=0))
        content = self.content[: lengths[-1]][inside]
        last = np.flatnonzero(content < _MORE)
        bounds = np.searchsorted(last, np.cumsum(self.end - self.begin))
        return _decoded(content, last), np.diff(bounds, prepend=0)


_Hashes = NDArray[np.uint64]
_SEED = 20_240_229
_MAX_TYPES = 64
_BLOCK_BYTES = 1 << 22  # of samples that are read at once
_LAST_FIELD = 14  # with the greatest number
_HINT = "is the file truncated?"

_SAMPLE_TYPE, _SAMPLE, _LOCATION, _FUNCTION, _STRING, _DURATION = 1, 2, 4, 5, 6, 10
_USED = (_SAMPLE_TYPE, _SAMPLE, _LOCATION, _FUNCTION, _STRING)
_KIND, _UNIT = 1 << 3 | _NUMBER, 2 << 3 | _NUMBER  # of a type of values
_LINES = 4  # of a location
_SPARSE = 8  # numbers of locations up to so many times their count are looked up in a table


@dataclass(frozen=True, kw_only=True, eq=False)
class _Message:
    content: NDArray[np.uint8]  # uint8[n]
    # by the number of a field where its messages or texts begin and end, int64[count, 2]
    spans: dict[int, IntArray]
    duration: int  # nanoseconds, 0 if not stated

    def fields(self, number: int) -> Fields:
        """Return the fields of all messages of a field."""
        return _fields_of(self.content, *self.spans[number].T)

    def text(self, number: int) -> str:
        """Return a text of the table."""
        texts = self.spans[_STRING]
        if not 0 <= number < max(len(texts), 1):
            raise ValueError(f"the text {number} is not in its table")
        begin, end = texts[number] if len(texts) else (0, 0)
        return self.content[begin:end].tobytes().decode("utf-8", "replace")


def matches(path: Path) -> bool:
    """Return whether a file, unpacked if need be, has fields up to a type of values: two numbers of texts."""
    content = head(path, READER.head_bytes)
    at = 0
    try:
        for end in _field_ends(content):
            key, begin = _number_at(content, at)
            if key == _SAMPLE_TYPE << 3 | _TEXT:
                found = _fields_of_one(content[_number_at(content, begin)[1] : end])
                return found.key.tolist() in ([_KIND], [_UNIT], [_KIND, _UNIT])
            if not 1 <= key >> 3 <= _LAST_FIELD:
                return False
            at = end
    except ValueError:
        return False
    return False


def _read(path: Path) -> Profile:
    """Read the stacks of a file with all their values."""
    content = read_bytes(path, READER.max_bytes)
    try:
        return _profile(_message(content), str(path))
    except ValueError as error:
        raise InputError(f"not a profile of pprof: {error}", where=str(path), hint=_HINT) from error


def _message(content: bytes) -> _Message:
    found = _fields_of_one(content)
    texts = {number: found.only(number, _TEXT) for number in _USED}
    return _Message(
        content=found.content,
        spans={number: np.stack([of.begin, of.end], axis=1) for number, of in texts.items()},
        duration=int(found.values(_DURATION)[0]),
    )


def _fields_of_one(content: bytes) -> Fields:
    """Return the fields of one message."""
    found, ends = np.frombuffer(content, np.uint8), np.fromiter(_field_ends(content), np.int64)
    at = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
    key, begin, end = _fields_at(found, at, ends)
    return Fields(content=found, messages=1, message=np.zeros_like(ends), key=key, begin=begin, end=end)


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
    return StackValues(source, tree, names, by_metric, [(0, 0, CPU)]).profile(
        "pprof",
        f"{stacks.stacks} stacks with {listed}{duration}, no total is stated",
        files=places.files,
        notices=() if TIME_METRIC in by_metric else (NO_SECONDS,),
    )


def _blocks(message: _Message) -> Iterator[Fields]:
    """Yield the fields of the samples, those of a few MiB at once."""
    spans = message.spans[_SAMPLE]
    first = 0
    while first < len(spans):
        begin = spans[first, 0]
        last = max(int(np.searchsorted(spans[:, 1], begin + _BLOCK_BYTES)), first + 1)
        block = spans[first:last] - begin
        yield _fields_of(message.content[begin : begin + block[-1, 1]], *block.T)
        first = last


def _values(samples: Fields, types: int) -> FloatArray:
    counts, values = samples.rows(2)
    if (wrong := counts != types).any():
        raise ValueError(f"a sample has {counts[wrong][0]} values of {types}")
    return values.reshape(-1, types).astype(np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Locations:
    """The frames of the locations: several where functions are inlined."""

    number: IntArray  # int64[locations], by which samples name them, ascending
    # int64[locations + 1], where the frames of each begin; the last is that of a sample without any
    first: IntArray
    count: IntArray  # int64[locations + 1], how many frames there are
    region: IntArray  # int64[frames], from the innermost of each location
    names: tuple[str, ...]  # of the regions
    files: dict[str, tuple[str, int]]  # of the regions, and no line

    @classmethod
    def of(cls, message: _Message) -> "_Locations":
        """Return the locations of a profile; of those with the same number the last one counts."""
        found = message.fields(_LOCATION)
        lines = found.only(_LINES, _TEXT)
        location = lines.message
        functions = _fields_of(message.content, lines.begin, lines.end).values(1)
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
    if not 0 < types.messages <= _MAX_TYPES:
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
        return (TIME_METRIC if name == main_time else Metric(f"{name} time", "s")), SECONDS[unit]
    if name == SAMPLES.name:
        return SAMPLES, 1.0
    return Metric(
        "time values" if name == TIME_METRIC.name else name or "values", "occ" if unit == "count" else unit
    ), 1.0


READER = ProfileReader(
    name="pprof",
    pattern="*.prof, *.pb.gz",
    matches=matches,
    read=_read,
    fallback=1,
    max_bytes=1 << 29,
    head_bytes=1 << 16,
)


# From millions of stacks to a call tree, all stacks of a block and depth at once.
#
# A stack has a hash of 64 bits, the sum over its frames of a random number of the frame times one of its
# depth (multilinear hashing), so that the hash of its caller is a subtraction away and the call paths of
# blocks are joined by it. Two of a million call paths have the same hash with a probability of about 10^-7.


@dataclass(frozen=True, kw_only=True, eq=False)
class _CallPaths(Rows):
    """Call paths of a block, those of a depth together, the deepest first; int64[n] but for the hashes."""

    path: _Hashes  # uint64[n], hash of a call path
    caller: IntArray  # which of them is its caller, the last one for a root and as good as any
    region: IntArray  # its innermost frame
    depth: IntArray  # number of its frames
    first: IntArray  # the stack that it was first seen in


@dataclass(kw_only=True)
class StackTree:
    """A call tree that grows block of stacks by block of stacks."""

    regions: int  # how many there are
    metrics: int  # values of a stack
    stacks: int = 0  # how many were added
    _random: "np.random.Generator" = field(default_factory=lambda: np.random.default_rng(_SEED))
    _of_region: _Hashes = field(init=False)
    _of_depth: _Hashes = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))
    _blocks: list[_CallPaths] = field(default_factory=list)
    _values: list[FloatArray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._of_region = self._drawn(self.regions)

    def add(self, frames: IntArray, depth: IntArray, values: FloatArray) -> None:
        """Add a block of stacks, with float64[stacks, metrics] of values.

        `frames`, int64[sum of depth], are the regions of all stacks, each from the innermost frame; `depth`,
        int64[stacks], is the number of frames of each, at least 1.
        """
        if not len(depth):
            return
        if (deeper := depth.max() - len(self._of_depth)) > 0:
            self._of_depth = np.concatenate([self._of_depth, self._drawn(max(deeper, 64))])
        start = np.cumsum(depth) - depth
        place = np.repeat(start + depth - 1, depth) - np.arange(len(frames))  # 0 is the outermost
        path = np.add.reduceat(self._of_region[frames] * self._of_depth[place], start)
        found, node = self._call_paths(frames, depth, start, path)
        self._blocks.append(found)
        sums = [np.bincount(node, values[:, metric], len(found.path)) for metric in range(self.metrics)]
        self._values.append(np.stack(sums, axis=1))
        self.stacks += len(depth)

    def build(self) -> tuple[CallTree, FloatArray]:
        """Return the tree, siblings in the order first seen, and the values, float64[call path, metric]."""
        every, sizes = _CallPaths.joined(self._blocks), list(map(len, self._blocks))
        caller = every.caller + np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
        order, starts, node = _grouped(every.path)
        one = order[starts]
        depth, region, first = (
            every.depth[one],
            every.region[one],
            np.minimum.reduceat(every.first[order], starts),
        )
        parent = np.where(depth > 1, node[caller[one]], ROOT)
        place = _preorder(parent, depth, first)
        ordered_parent, ordered_region = np.empty_like(parent), np.empty_like(region)
        ordered_parent[place] = np.where(parent >= 0, place[parent], ROOT)
        ordered_region[place] = region
        place, values = place[node], np.concatenate(self._values)
        sums = [np.bincount(place, values[:, metric], len(one)) for metric in range(self.metrics)]
        return CallTree(ordered_parent, ordered_region), np.stack(sums, axis=1)

    def _drawn(self, count: int) -> _Hashes:
        return self._random.integers(0, 1 << 64, count, dtype=np.uint64) | np.uint64(1)

    def _call_paths(
        self, frames: IntArray, depth: IntArray, start: IntArray, path: _Hashes
    ) -> tuple[_CallPaths, IntArray]:
        """Return the call paths of stacks and of all their callers, and which is that of each stack."""
        by_depth = np.argsort(_small(depth), kind="stable")
        bounds = np.searchsorted(depth[by_depth], np.arange(1, depth.max() + 2))
        callers = path[:0], start[:0], start[:0]  # hashes, innermost frames, where they were first seen
        node = np.empty(len(depth), dtype=np.int64)
        levels, caller, count = [], [], 0
        for level in range(len(bounds) - 1, 0, -1):
            ends = by_depth[bounds[level - 1] : bounds[level]]
            here = path[ends], start[ends], self.stacks + ends
            hashes, innermost, first = (np.concatenate(two) for two in zip(here, callers, strict=True))
            order, starts, group = _grouped(hashes)
            node[ends] = count + group[: len(ends)]
            caller.append(count + group[len(ends) :])
            one = order[starts]
            region, first = frames[innermost[one]], np.minimum.reduceat(first[order], starts)
            levels.append((hashes[one], region, np.full(len(one), level), first))
            above = hashes[one] - self._of_region[region] * self._of_depth[level - 1]
            callers = above, innermost[one] + 1, first
            count += len(one)
        caller.append(np.full(len(callers[0]), count - 1))
        columns = [np.concatenate(column) for column in zip(*levels, strict=True)]
        return _CallPaths(
            path=columns[0],
            caller=np.concatenate(caller),
            region=columns[1],
            depth=columns[2],
            first=columns[3],
        ), node


def _small(depth: IntArray) -> IntArray | NDArray[np.uint16]:
    """Return depths in two bytes if they fit: numpy sorts these by radix."""
    return depth.astype(np.uint16) if depth.max() < 1 << 16 else depth


def _grouped(hashes: _Hashes) -> tuple[IntArray, IntArray, IntArray]:
    """Return an order that puts equal hashes together, where each begins in it, and each one's group."""
    order = np.argsort(hashes)
    ordered = hashes[order]
    begins = np.ones(len(hashes), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    group = np.empty_like(order)
    group[order] = np.cumsum(begins) - 1
    return order, np.flatnonzero(begins), group


def _preorder(parent: IntArray, depth: IntArray, first: IntArray) -> IntArray:
    """Return the place of each call path in preorder, siblings in the order first seen, int64[n]."""
    by_depth = np.argsort(_small(depth), kind="stable")
    levels = np.split(by_depth, np.flatnonzero(np.diff(depth[by_depth])) + 1)
    size = np.ones(len(parent), dtype=np.int64)
    for level in levels[:0:-1]:
        np.add.at(size, parent[level], size[level])
    place = np.zeros(len(parent) + 1, dtype=np.int64)
    place[ROOT] = -1
    stacks = first.max() + 1
    for level in levels:
        nodes = level[np.argsort(parent[level] * stacks + first[level])]
        callers, sizes = parent[nodes], size[nodes]
        before = np.cumsum(sizes) - sizes
        family = np.flatnonzero(np.diff(callers, prepend=-2) != 0)
        earlier = before - np.repeat(before[family], np.diff(family, append=len(nodes)))
        place[nodes] = place[callers] + 1 + earlier
    return place[:-1]


# The wire format of protocol buffers, read without the package `protobuf` or code made for it.
#
# Numbers have seven bits per byte, the lowest first, and are negative as if they had 64. A field is a number
# that holds its kind, and its content: a number, four or eight bytes, or a text, message or row of numbers
# behind its length (protobuf.dev, "Encoding"). A message of many fields is walked field by field, many
# messages of few fields at once.


def _field_ends(content: bytes) -> Iterator[int]:
    """Yield where the fields of one message end, one by one; ValueError if it is damaged from here on."""
    at, end = 0, len(content)
    while at < end:
        key, at = (content[at], at + 1) if content[at] < _MORE else _number_at(content, at)
        kind = key & 7
        if kind == _TEXT:  # keys and most lengths are one byte
            size, at = (content[at], at + 1) if at < end and content[at] < _MORE else _number_at(content, at)
            at += size
        elif kind == _NUMBER:
            at = _number_at(content, at)[1]
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            at += 8 if kind == _EIGHT_BYTES else 4
        else:
            raise ValueError(f"a field of kind {kind}")
        if at > end:
            raise ValueError(_EARLY)
        yield at


def _number_at(content: bytes, at: int) -> tuple[int, int]:
    """Return the number that begins at a place, without sign, and its end; ValueError if it has none."""
    value = shift = 0
    while True:
        if at >= len(content) or shift > 63:
            raise ValueError(_EARLY if at >= len(content) else _LONG)
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < _MORE:
            return value, at
        shift += 7


def _fields_of(content: _Bytes, begin: IntArray, end: IntArray) -> Fields:
    """Return the fields of messages of few fields, given where these begin and end, int64[messages]."""
    parts: list[tuple[IntArray, ...]] = [(np.zeros(0, dtype=np.int64),) * 4]
    message, at = np.flatnonzero(begin < end), begin[begin < end]
    while len(message):
        stop = end[message]
        key, start, at = _fields_at(content, at, stop)
        parts.append((message, key, start, at))
        left = at < stop
        message, at = message[left], at[left]
    message, key, start, at = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Fields(content=content, messages=len(begin), message=message, key=key, begin=start, end=at)


def _fields_at(content: _Bytes, at: IntArray, stop: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the keys of the fields at places before `stop`, and where their contents begin and end."""
    key, start = _numbers_at(content, at, stop)
    kind = key & 7
    text, variable = kind == _TEXT, (kind == _TEXT) | (kind == _NUMBER)
    if (wrong := (kind > _TEXT) & (kind != _FOUR_BYTES)).any():
        raise ValueError(f"a field of kind {kind[wrong][0]}")
    end = start + np.where(kind == _EIGHT_BYTES, 8, 4)
    value, behind = _numbers_at(content, start[variable], stop[variable])
    sized = text[variable]
    if ((value < 0) | (value > len(content)))[sized].any():
        raise ValueError(_EARLY)
    end[variable] = behind + np.where(sized, value, 0)
    start[text] = behind[sized]
    if (end > stop).any():
        raise ValueError(_EARLY)
    return key, start, end


def _numbers_at(content: _Bytes, at: IntArray, stop: IntArray) -> tuple[IntArray, IntArray]:
    """Return the numbers that begin at places and where they end, before `stop`, all int64[places]."""
    if (at >= stop).any():
        raise ValueError(_EARLY)
    byte = content[at]
    value, behind = (byte & 0x7F).astype(np.uint64), at + 1
    more, length = np.flatnonzero(byte >= _MORE), 1
    while len(more):
        if length == _MAX_NUMBER or (behind[more] >= stop[more]).any():
            raise ValueError(_LONG if length == _MAX_NUMBER else _EARLY)
        byte = content[behind[more]]
        value[more] |= (byte & np.uint64(0x7F)) << np.uint64(7 * length)
        behind[more] += 1
        more, length = more[byte >= _MORE], length + 1
    return value.view(np.int64), behind


def _decoded(content: _Bytes, last: IntArray) -> IntArray:
    """Return numbers that stand one after the other, given their last bytes, int64[numbers]."""
    padded = np.concatenate([np.zeros(_MAX_NUMBER, dtype=np.uint8), content])
    value = content[last].astype(np.uint64)
    more = np.ones(len(last), dtype=np.bool_)
    for before in range(1, _MAX_NUMBER + 1):
        byte = padded[_MAX_NUMBER - before :][last]
        more &= byte >= _MORE
        if not more.any():
            return value.view(np.int64)
        value = np.where(more, value << np.uint64(7) | (byte & np.uint8(0x7F)), value)
    raise ValueError(_LONG)
