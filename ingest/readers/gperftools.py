"""gperftools' profiles of before the protocol buffers: samples of the processor, waits for locks.

CPU (cpuprofile-fileformat of gperftools): words of the machine, of 4 or 8 bytes in either order. A header
``0 n version period ...`` of n words behind the second, the period in microseconds; then ``samples depth
address ...`` for each stack, the innermost address first, up to ``0 1 0``; then the text of /proc/self/maps.

Waits: ``--- contention``, lines ``name = value``, then ``cycles waits @ address ...``, then the map. What was
sampled stands for `sampling period` times as much (legacy_profile.go of pprof).

Functions have names if ``pprof --raw`` wrote the file, which puts ``--- symbol`` with a line per address and
``--- cpu`` before it; otherwise an address stands for its function, as the place in its library.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ingest.arrays import IntArray
from ingest.errors import InputError
from ingest.profile import Metric, Profile
from ingest.readers import ProfileReader
from ingest.reading.files import head, read_bytes
from ingest.reading.stacks import SAMPLES, TIME_METRIC, Stacks
from ingest.units import MICROSECOND

_MAX_BYTES = 1 << 28
_HEAD_BYTES = 1 << 16
_MAX_DEPTH = 1 << 14
_DELAY = Metric("delay", "s")
_WAITS = Metric("contentions", "occ")
_NO_NAMES = (
    "functions have no names: addresses stand for them; pprof --raw PROGRAM FILE writes one with names"
)

_SYMBOLS = b"--- symbol\n"
_PART = re.compile(rb"^--- (?!symbol)[a-z].*\n", re.MULTILINE)
_CONTENTION = re.compile(rb"--- (contention|contentionz \d+|mutex)(:| ---|)\s*\n")
_SETTING = re.compile(r"\s*([a-z/ ]+?)\s*=\s*(\d{1,18})\s*")
_WAIT = re.compile(r"\s*(\d{1,18})\s+(\d{1,18})\s+@((?:\s+0x[0-9a-f]{1,16})*)\s*")
_MAP = re.compile(
    r"\s*([0-9a-f]{1,16})-([0-9a-f]{1,16}):? +(?:[rwxsp-]{4}) +([0-9a-f]{1,16}) +\S+ +\d+ +(/?\S.*?)\s*"
)
_SYMBOL = re.compile(r"0x([0-9a-f]{1,16}) (\S.*?)\s*")


@dataclass(kw_only=True)
class _Addresses:
    functions: Mapping[int, str]  # names by address, as ``--- symbol`` states them
    begin: Sequence[int]  # first addresses of the mapped files, ascending
    mapped: Sequence[tuple[int, int, str]]  # end, offset and name of each
    known: dict[int, str] = field(default_factory=dict)  # names that were asked for, by address

    def names(self, innermost_first: Sequence[int]) -> list[str]:
        """Return the functions of a stack, the outermost first.

        The innermost address may be there twice, from the signal and from the stack. Others are where calls
        return to, so that the call is before them.
        """
        leaf, *callers = innermost_first
        callers = callers[1:] if callers[:1] == [leaf] else callers
        return [*(self.name(address - 1) for address in reversed(callers)), self.name(leaf)]

    def name(self, address: int) -> str:
        """Return the function of an address, or the place in its file."""
        if address not in self.known:
            self.known[address] = self._name(address)
        return self.known[address]

    def _name(self, address: int) -> str:
        for stated in (address, address + 1):  # of a call or of where it returns to
            if stated in self.functions:
                return self.functions[stated]
        place = bisect_right(self.begin, address) - 1
        if place >= 0 and address < self.mapped[place][0]:
            _, offset, name = self.mapped[place]
            return f"{name.rpartition('/')[2]}+0x{address - self.begin[place] + offset:x}"
        return f"0x{address:x}"


def _addresses(symbols: str, maps: str) -> _Addresses:
    functions = {
        int(found[1], 16): found[2] for found in map(_SYMBOL.fullmatch, symbols.split("\n")) if found
    }
    mapped = sorted(
        (int(found[1], 16), int(found[2], 16), int(found[3], 16), found[4])
        for found in map(_MAP.fullmatch, maps.split("\n"))
        if found
    )
    return _Addresses(
        functions=functions, begin=[row[0] for row in mapped], mapped=[row[1:] for row in mapped]
    )


def _parts(content: bytes) -> tuple[str, bytes]:
    """Return the text with the names of functions, empty if there is none, and the profile."""
    if content.startswith(_SYMBOLS) and (end := _PART.search(content)):
        return content[: end.start()].decode("utf-8", "replace"), content[end.end() :]
    return "", content


def _words(content: bytes) -> IntArray | None:
    """Return the words of a profile of the processor, int64[n]; None if it is not one."""
    for kind in ("<u8", "<u4", ">u8", ">u4"):
        size = int(kind[-1])
        words = np.frombuffer(content[: len(content) // size * size], dtype=kind)
        if len(words) >= 5 and words[0] == 0 and 3 <= words[1] < 64 and words[2] == 0 and 0 < words[3] < 1e9:
            return words.astype(np.int64)
    return None


def _matches_cpu(path: Path) -> bool:
    """Return whether a file begins with the header of samples, or has it behind names of functions."""
    start = head(path, _HEAD_BYTES)
    if start.startswith(_SYMBOLS):
        return not _CONTENTION.search(start)
    return start.startswith(b"\0\0\0\0") and _words(start[:64]) is not None


def _read_cpu(path: Path) -> Profile:
    """Read the samples: seconds by the sampling period."""
    symbols, content = _parts(read_bytes(path, _MAX_BYTES))
    words = _words(content)
    if words is None:
        raise InputError("no samples of gperftools in it", where=str(path), hint="is the file damaged?")
    samples, end = _samples(words, str(path))
    unit = len(content) // max(len(words), 1)
    maps = content[end * unit :].decode("utf-8", "replace")
    addresses = _addresses(symbols, maps)
    stacks = Stacks()
    here = stacks.location(0, 0)
    for count, stack in samples:
        place = here, stacks.callpaths.add(addresses.names(stack))
        stacks.of(SAMPLES)[place] += count
        stacks.of(TIME_METRIC)[place] += count * float(words[3]) * MICROSECOND
    total = f"{stacks.total(SAMPLES):.15g} samples, no total is stated"
    notices = () if addresses.functions else (_NO_NAMES,)
    return stacks.built(str(path)).profile("gperftools", total, notices=notices)


def _samples(words: IntArray, where: str) -> tuple[list[tuple[int, list[int]]], int]:
    """Return numbers of samples with their stacks, the innermost address first, and where the map begins."""
    place, found = 2 + int(words[1]), list[tuple[int, list[int]]]()
    while place + 2 < len(words):
        count, depth = int(words[place]), int(words[place + 1])
        stack = words[place + 2 : place + 2 + depth].tolist()
        if (count, depth, stack) == (0, 1, [0]):
            return found, place + 3
        if not (count > 0 and 0 < depth == len(stack) <= _MAX_DEPTH):
            raise InputError(f"damaged at word {place}: no stack", where=where, hint="copy the file again")
        found.append((count, stack))
        place += 2 + depth
    raise InputError("the samples end early", where=where, hint="was the program stopped while it wrote?")


def _matches_waits(path: Path) -> bool:
    """Return whether a file begins with the line of waits, or has it behind names of functions."""
    start = head(path, _HEAD_BYTES)
    if start.startswith(_SYMBOLS):
        return _CONTENTION.search(start) is not None
    return _CONTENTION.match(start) is not None


def _read_waits(path: Path) -> Profile:
    """Read the waits for locks: their number and, if the clock is stated, their seconds."""
    symbols, content = _parts(read_bytes(path, _MAX_BYTES))
    text = content.decode("utf-8", "replace")
    addresses = _addresses(symbols, text)
    stacks = Stacks()
    here = stacks.location(0, 0)
    settings: dict[str, int] = {}
    for cycles, waits, stack in _waits(text, settings, str(path)):
        place = here, stacks.callpaths.add(addresses.names(stack))
        weight = settings.get("sampling period", 0) or 1
        stacks.of(_WAITS)[place] += waits * weight
        if clock := settings.get("cycles/second", 0):
            stacks.of(_DELAY)[place] += cycles * weight / clock
    total = f"{stacks.total(_WAITS):.15g} waits, no total is stated"
    notices = () if addresses.functions else (_NO_NAMES,)
    return stacks.built(str(path)).profile("gperftools", total, notices=notices)


def _waits(text: str, settings: dict[str, int], where: str) -> Iterator[tuple[int, int, list[int]]]:
    """Yield cycles, waits and stacks; the settings, which stand before them, are noted."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("---") and not settings:
            continue
        if line.startswith(("---", "MAPPED_LIBRARIES")):
            return
        if found := _SETTING.fullmatch(line):
            settings[found[1]] = int(found[2])
        elif found := _WAIT.fullmatch(line):
            if stack := [int(address, 16) for address in found[3].split()]:
                yield int(found[1]), int(found[2]), stack
        elif line.strip() and not line.startswith("#"):
            raise InputError(f"line {number}: neither a setting nor a wait", where=where)


READERS = (
    ProfileReader(
        name="gperftools", pattern="*.prof", matches=_matches_cpu, read=_read_cpu, fallback=1, precedence=1
    ),
    ProfileReader(
        name="gperftools waits",
        pattern="*.contention",
        matches=_matches_waits,
        read=_read_waits,
        fallback=1,
        precedence=1,
    ),
)
