"""The wire format of protocol buffers, read without the package `protobuf` or code made for it.

Numbers have seven bits per byte, the lowest first, and are negative as if they had 64. A field is a number
that holds its kind, and its content: a number, four or eight bytes, or a text, message or row of numbers
behind its length (protobuf.dev, "Encoding"). A message of many fields is walked field by field, many messages
of few fields at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.arrays import BoolArray, IntArray

NUMBER, EIGHT_BYTES, TEXT, FOUR_BYTES = 0, 1, 2, 5

_Bytes = NDArray[np.uint8]
_MORE = 0x80  # the bit of a byte that another one of the same number follows
_MAX_NUMBER = 10  # bytes
_EARLY = "it ends early"
_LONG = "a number of more than ten bytes"


def field_ends(content: bytes) -> Iterator[int]:
    """Yield where the fields of one message end, one after the other.

    Raises:
        ValueError: if it is damaged from here on.
    """
    at, end = 0, len(content)
    while at < end:
        key, at = (content[at], at + 1) if content[at] < _MORE else number_at(content, at)
        kind = key & 7
        if kind == TEXT:  # keys and most lengths are one byte
            size, at = (content[at], at + 1) if at < end and content[at] < _MORE else number_at(content, at)
            at += size
        elif kind == NUMBER:
            at = number_at(content, at)[1]
        elif kind in (EIGHT_BYTES, FOUR_BYTES):
            at += 8 if kind == EIGHT_BYTES else 4
        else:
            raise ValueError(f"a field of kind {kind}")
        if at > end:
            raise ValueError(_EARLY)
        yield at


def number_at(content: bytes, at: int) -> tuple[int, int]:
    """Return the number that begins at a place, without sign, and where it ends.

    Raises:
        ValueError: if it does not end.
    """
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


@dataclass(frozen=True, kw_only=True, eq=False)
class Fields:
    """The fields of many messages in one content; those of a message stand in their order.

    Attributes:
        content: uint8[n].
        messages: how many messages there are.
        message: int64[f], which each belongs to.
        key: int64[f], its number and kind.
        begin: int64[f], where its content begins.
        end: int64[f], where that ends.
    """

    content: _Bytes
    messages: int
    message: IntArray
    key: IntArray
    begin: IntArray
    end: IntArray

    def only(self, number: int, kind: int) -> "Fields":
        """Return the fields of a number and kind."""
        return self._where(self.key == (number << 3 | kind))

    def values(self, number: int) -> IntArray:
        """Return the number of a field in each message, the last one if it is repeated, int64[messages].

        It is 0, as the format has it, in messages without the field.
        """
        found = self.only(number, NUMBER)
        values = np.zeros(self.messages, dtype=np.int64)
        values[found.message] = found._numbers()[0]
        return values

    def rows(self, number: int) -> tuple[IntArray, IntArray]:
        """Return all numbers of a repeated field, in a row behind their length or one by one.

        Returns:
            int64[messages], how many each message has; and the numbers of all messages.

        Raises:
            ValueError: if a number is longer than ten bytes or does not end.
        """
        found = self._where((self.key == (number << 3 | TEXT)) | (self.key == (number << 3 | NUMBER)))
        found = found._where(found.begin < found.end)
        numbers, counts = found._numbers()
        return np.bincount(found.message, counts, self.messages).astype(np.int64), numbers

    def _where(self, chosen: BoolArray) -> "Fields":
        kept = np.flatnonzero(chosen)
        begin = self.begin[kept]
        if (np.diff(begin) < 0).any():
            order = np.argsort(begin)
            kept, begin = kept[order], begin[order]
        return Fields(
            content=self.content,
            messages=self.messages,
            message=self.message[kept],
            key=self.key[kept],
            begin=begin,
            end=self.end[kept],
        )

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


def fields_of(content: _Bytes, begin: IntArray, end: IntArray) -> Fields:
    """Return the fields of messages of few fields, given where these begin and end, int64[messages].

    Raises:
        ValueError: if one is damaged.
    """
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


def fields_between(content: _Bytes, ends: IntArray) -> Fields:
    """Return the fields of one message, given their ends."""
    at = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
    key, begin, end = _fields_at(content, at, ends)
    return Fields(content=content, messages=1, message=np.zeros_like(ends), key=key, begin=begin, end=end)


def _fields_at(content: _Bytes, at: IntArray, stop: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the keys of the fields at places before `stop`, and where their contents begin and end."""
    key, start = _numbers_at(content, at, stop)
    kind = key & 7
    text, variable = kind == TEXT, (kind == TEXT) | (kind == NUMBER)
    if (wrong := (kind > TEXT) & (kind != FOUR_BYTES)).any():
        raise ValueError(f"a field of kind {kind[wrong][0]}")
    end = start + np.where(kind == EIGHT_BYTES, 8, 4)
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
