"""``profile.db``: the values of threads, those of one thread at a time.

Profiles list the contexts that have values, and for each its values by metric. Contexts that ``meta.db`` does
not list are instructions; the inclusive values of the contexts above have them.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from struct import Struct

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.readers.hpctoolkit.structures import EXTENT, HEADER, FilePart, sections

MAX_PROFILES = 1 << 24
MAX_IDENTIFIERS = 64  # of one profile

_PROFILES = Struct("<QIB")
_TUPLE = Struct("<H6x")
_PROFILE = np.dtype(
    [
        ("values", "<u8"),
        ("first_value", "<u8"),
        ("contexts", "<u4"),
        ("first_context", "<u8"),
        ("identifiers", "<u8"),
        ("flags", "<u4"),
    ],
    align=True,
)
_IDENTIFIER = np.dtype(
    [("kind", "u1"), ("flags", "<u2"), ("logical", "<u4"), ("physical", "<u8")], align=True
)
_VALUE = np.dtype([("metric", "<u2"), ("value", "<f8")])
_CONTEXT = np.dtype([("identifier", "<u4"), ("first", "<u8")])

Identity = Mapping[str, int]


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredProfile:
    """Where the values of a thread or an accelerator are.

    Attributes:
        identity: what it belongs to: number by kind (``NODE``, ``RANK``, ``THREAD``, ``GPUDEVICE`` ...).
        physical: the kinds whose numbers are those of hardware.
        summary: whether it has sums over profiles.
        values: number of values.
        first_value: offset of the first.
        contexts: number of contexts.
        first_context: offset of the first.
    """

    identity: Identity
    physical: frozenset[str]
    summary: bool
    values: int
    first_value: int
    contexts: int
    first_context: int

    @property
    def size(self) -> int:
        """Bytes of its values and contexts."""
        return self.values * _VALUE.itemsize + self.contexts * _CONTEXT.itemsize


@dataclass(frozen=True, eq=False)
class ProfileFile:
    """An open file; methods raise ValueError if it is damaged.

    Attributes:
        stream: the file.
        size: its size in bytes.
        sections: size and offset of the descriptions of profiles, and of their identifiers.
    """

    stream: BufferedReader
    size: int
    sections: Sequence[tuple[int, int]]

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator["ProfileFile"]:
        """Open a file.

        Raises:
            OSError: if it cannot be read.
        """
        with path.open("rb") as stream:
            head = stream.read(HEADER.size + 2 * EXTENT.size)
            yield cls(stream, os.fstat(stream.fileno()).st_size, sections(head, b"prof", 2))

    def profiles(self, kinds: Sequence[str]) -> list[StoredProfile]:
        """Return the profiles of the file.

        Args:
            kinds: the names of the kinds of identifiers.
        """
        (size, at), (tuples_size, tuples_at) = self.sections
        part, tuples = self._part(at, size), self._part(tuples_at, tuples_size)
        first, number, stride = part.unpack(_PROFILES, at)
        if number > MAX_PROFILES:
            raise ValueError(f"{number} profiles")
        found = []
        for row in part.table(_PROFILE, first, number, stride).tolist():
            values, first_value, contexts, first_context, identifiers, flags = row
            identity, physical = _identity(tuples, identifiers, kinds)
            found.append(
                StoredProfile(
                    identity=identity,
                    physical=physical,
                    summary=bool(flags & 1),
                    values=values,
                    first_value=first_value,
                    contexts=contexts,
                    first_context=first_context,
                )
            )
        if sum(profile.size for profile in found) > self.size:
            raise ValueError("more values than the file has: truncated")
        return found

    def values(self, profile: StoredProfile, metrics: IntArray) -> Iterator[tuple[int, IntArray, FloatArray]]:
        """Yield the values of some of the metrics of a profile.

        Args:
            profile: one of the profiles.
            metrics: int64[65536], for each identifier of a metric its number, -1 if it is not wanted.

        Yields:
            The number of a metric, its contexts, int64[k], ascending, and its values, float64[k].
        """
        part = self._part(profile.first_value, _VALUE.itemsize * profile.values)
        stored = part.table(_VALUE, profile.first_value, profile.values)
        part = self._part(profile.first_context, _CONTEXT.itemsize * profile.contexts)
        contexts = part.table(_CONTEXT, profile.first_context, profile.contexts)
        identifier = contexts["identifier"].astype(np.int64)
        first = np.append(contexts["first"], np.uint64(profile.values))
        if (first[1:] < first[:-1]).any() or (np.diff(identifier) <= 0).any():
            raise ValueError("the contexts of a profile are not in order")
        metric = metrics[stored["metric"][int(first[0]) :]]
        context = np.repeat(identifier, np.diff(first).astype(np.int64))
        value = stored["value"][int(first[0]) :]
        for number in np.unique(metric[metric >= 0]).tolist():
            chosen = metric == number
            of = context[chosen]
            if (np.diff(of) == 0).any():
                raise ValueError("two values of one metric and context")
            yield number, of, value[chosen]

    def _part(self, at: int, size: int) -> FilePart:
        if at + size > self.size:
            raise ValueError(f"{size} bytes at {at}, behind the end: truncated")
        self.stream.seek(at)
        return FilePart(at, self.stream.read(size))


def _identity(tuples: FilePart, at: int, kinds: Sequence[str]) -> tuple[Identity, frozenset[str]]:
    """Return what a profile belongs to, and the kinds whose numbers are those of hardware."""
    if not at:
        return {}, frozenset()
    (number,) = tuples.unpack(_TUPLE, at)
    if number > MAX_IDENTIFIERS:
        raise ValueError(f"{number} identifiers of one profile")
    rows = tuples.table(_IDENTIFIER, at + _TUPLE.size, number).tolist()
    names = [kinds[kind] if kind < len(kinds) else f"kind {kind}" for kind, *_ in rows]
    identity = {
        name: physical if flags & 1 else logical
        for name, (_, flags, logical, physical) in zip(names, rows, strict=True)
    }
    return identity, frozenset(name for name, (_, flags, *_) in zip(names, rows, strict=True) if flags & 1)
