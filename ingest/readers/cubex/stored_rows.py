"""`N.index` and `N.data`: what a stored value is, which rows a metric has, and the rows block by block.

The container of a `.cubex` file: a tar archive as Cube writes it, which is not quite tar.

Python's `tarfile` stops at two defects of real writers: a member whose size is a multiple of 512 is followed
by one zero block too many, and CubeWriter 4.8 writes wrong header checksums without a type flag. Here only
names and sizes are used. Nothing is unpacked and no path is taken from the archive.
"""

import mmap
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import FileIO
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from ingest.arrays import IntArray, distinct
from ingest.errors import InputError
from ingest.profile import MetricKind
from ingest.reading.packed import InflateError, inflate_row, is_packed, open_regular, unpack

ANCHOR = "anchor.xml"
_BLOCK = 512
_MAX_MEMBERS = 1 << 16
_MAX_ANCHOR = 1 << 30
_FEW_BYTES = 1 << 20
_MAX_ZERO_BLOCKS = 40  # tar pads to 20 blocks; more zeros than that are the end of the archive
_WANTED = re.compile(rb"(?:\./)?(anchor\.xml|[0-9]{1,9}\.(?:data|index))")
_REGULAR = b"\x0007 "  # type flags of a regular file, also as old and odd writers set them
_AGAIN = "copy or write the file again"


@dataclass(frozen=True)
class Container:
    """A `.cubex` file and the positions of its members.

    The file is opened again for every view, so that a profile kept for later keeps no file open.
    """

    path: Path
    size: int  # its size in bytes when it was opened
    # offset and size in bytes of ``anchor.xml``, ``N.data`` and ``N.index``, by name
    members: dict[str, tuple[int, int]] = field(repr=False)
    # the archive itself if the whole file is gzip-compressed, else empty
    unpacked: bytes = field(default=b"", repr=False)

    def read(self, name: str) -> bytes:
        """Return a copy of the bytes of a member."""
        (content,) = self._copies([self.members[name]])
        return content

    def views(self, *names: str) -> list[memoryview]:
        """Return the bytes of members: a copy if they are few, else mapped into memory."""
        extents = [self.members[name] for name in names]
        if sum(size for _, size in extents) <= _FEW_BYTES:
            return [memoryview(content) for content in self._copies(extents)]
        if self.unpacked:
            archive = memoryview(self.unpacked)
        else:
            with self._reopen() as file:
                archive = _map(file)
        return [archive[offset : offset + size] for offset, size in extents]

    def _copies(self, extents: Sequence[tuple[int, int]]) -> list[bytes]:
        if self.unpacked:
            return [self.unpacked[offset : offset + size] for offset, size in extents]
        with self._reopen() as file:
            contents = [_read_at(file, offset, size) for offset, size in extents]
        if any(len(content) < size for content, (_, size) in zip(contents, extents, strict=True)):
            raise self._changed()
        return contents

    def _reopen(self) -> FileIO:
        file = _open(self.path)
        if os.fstat(file.fileno()).st_size != self.size:
            file.close()
            raise self._changed()
        return file

    def _changed(self) -> InputError:
        return InputError("the file changed while it was read", where=str(self.path), hint="run again")


def open_container(path: Path) -> Container:
    """Find the members of a `.cubex` file."""
    with _open(path) as file:
        archive = _map(file)
    size, unpacked = len(archive), b""
    if is_packed(archive):
        unpacked = unpack(archive, where=str(path))
        archive = memoryview(unpacked)
    members: dict[str, tuple[int, int]] = {}
    for name, offset, length in _walk(archive, str(path)):
        wanted = _WANTED.fullmatch(name)
        if wanted:
            members[wanted[1].decode()] = (offset, length)
    if ANCHOR not in members:
        what = f"it contains no {ANCHOR}: not a Cube profile, or truncated"
        raise InputError(what, where=str(path), hint=_AGAIN)
    if members[ANCHOR][1] > _MAX_ANCHOR:
        what = f"its {ANCHOR} has {members[ANCHOR][1]} bytes, more than the limit of {_MAX_ANCHOR}"
        raise InputError(what, where=str(path), hint="filter or aggregate the call tree")
    return Container(path, size, members, unpacked)


def _open(path: Path) -> FileIO:
    try:
        return cast(FileIO, open_regular(path).detach())
    except OSError as problem:
        reason = problem.strerror or "cannot be read"
        raise InputError(reason, where=str(path), hint="check path and permissions") from None


def _read_at(file: FileIO, offset: int, size: int) -> bytes:
    file.seek(offset)  # not os.pread, which Windows lacks
    return file.read(size)


def _map(file: FileIO) -> memoryview:
    """Map a file into memory; the mapping lives as long as the view."""
    try:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except ValueError:  # an empty file cannot be mapped
        raise InputError("the file is empty", where=str(file.name), hint=_AGAIN) from None


def _walk(archive: memoryview, where: str) -> Iterator[tuple[bytes, int, int]]:
    """Yield name, offset and size of the regular members."""
    position, zero_blocks, count = 0, 0, 0
    while position + _BLOCK <= len(archive) and zero_blocks < _MAX_ZERO_BLOCKS:
        header = bytes(archive[position : position + _BLOCK])
        if not header[0] and not any(header):
            zero_blocks += 1
            position += _BLOCK
            continue
        zero_blocks = 0
        name, size = header[:100].partition(b"\0")[0], _number(header[124:136])
        if not name or size < 0:
            what = f"no tar header at byte {position}" if count else "not a tar archive, so not a .cubex"
            raise InputError(what, where=where, hint=_AGAIN)
        offset = position + _BLOCK
        if offset + size > len(archive):
            what = f"truncated: member '{name[:40].decode('ascii', 'replace')}' should end at byte"
            raise InputError(f"{what} {offset + size} of {len(archive)}", where=where, hint=_AGAIN)
        if header[156] in _REGULAR:
            yield name, offset, size
        position = offset + -(-size // _BLOCK) * _BLOCK
        count += 1
        if count > _MAX_MEMBERS:
            raise InputError(
                f"more than {_MAX_MEMBERS} members", where=where, hint="remove what is not Cube's"
            )
    if not count:
        raise InputError("not a tar archive, so not a .cubex", where=where, hint=_AGAIN)


def _number(digits: bytes) -> int:
    """Return a tar number field, octal or (GNU, for 8 GiB and more) binary; -1 if it is neither."""
    if digits[0] == 0x80:
        return int.from_bytes(digits[1:], "big")
    try:
        return int(digits.partition(b"\0")[0].strip(b" ") or b"x", 8)
    except ValueError:
        return -1


ByteOrder: TypeAlias = Literal["<", ">"]
Stored: TypeAlias = npt.NDArray[Any]  # of any numeric or structured type

_INTEGERS = {
    "i1": ("INT8",),
    "u1": ("UINT8", "CHAR"),
    "i2": ("INT16", "SHORT INT", "SIGNED SHORT INT"),
    "u2": ("UINT16", "UNSIGNED SHORT INT"),
    "i4": ("INT32", "INT", "SIGNED INT"),
    "u4": ("UINT32", "UNSIGNED INT"),
    "i8": ("INT64", "INTEGER", "SIGNED INTEGER"),
    "u8": ("UINT64", "UNSIGNED INTEGER"),
}
_PLAIN = {name: code for code, names in _INTEGERS.items() for name in names}
_PLAIN |= dict.fromkeys(("DOUBLE", "FLOAT", "MINDOUBLE", "MAXDOUBLE"), "f8")
_RATE = [("value", "f8"), ("time", "f8")]
_TAU_ATOMIC = [("n", "u4"), ("min", "f8"), ("max", "f8"), ("sum", "f8"), ("sum2", "f8")]


@dataclass(frozen=True)
class ValueType:
    """How one stored value becomes one number."""

    layout: npt.DTypeLike  # numpy type of a stored value, little-endian; ``newbyteorder`` gives the other
    scalar: Callable[[Stored], Stored]  # from an array of `layout` to an array of numbers of the same shape
    # the kind that the type gives its metric; None if the metric keeps its own
    kind: MetricKind | None = None


def value_type(name: str, metric: str) -> ValueType | None:
    """Return the type of that name in an anchor, or None if it has no single number.

    TAU_ATOMIC statistics give their count for ``visits`` and their sum for every other metric. Rates and
    moduli of complex numbers must not be summed over call paths, so they are simple metrics. A name is such
    as ``UINT64`` or ``NDOUBLES(10)``.
    """
    name = name.strip().upper()
    if name in _PLAIN:
        return ValueType(f"<{_PLAIN[name]}", _as_stored, _EXTREMES.get(name))
    if name == "TAU_ATOMIC":
        return ValueType(np.dtype(_TAU_ATOMIC), itemgetter("n" if metric == "visits" else "sum"))
    if name == "RATE":
        return ValueType(np.dtype(_RATE), _rate, MetricKind.SIMPLE)
    if name == "COMPLEX":
        return ValueType("<c16", _modulus, MetricKind.SIMPLE)
    return None


_EXTREMES = {"MINDOUBLE": MetricKind.MINIMUM, "MAXDOUBLE": MetricKind.MAXIMUM}


def _as_stored(values: Stored) -> Stored:
    return values


def _modulus(values: Stored) -> Stored:
    with np.errstate(all="ignore"):  # as for rates
        return np.abs(values)


def _rate(values: Stored) -> Stored:
    value, time = values["value"], values["time"]
    with np.errstate(all="ignore"):  # rates are summed nowhere, whatever damaged numbers give
        rate: Stored = np.divide(value, time, out=np.zeros(values.shape), where=time != 0)
    return rate


_INDEX = b"CUBEX.INDEX"
_INDEX_HEADER = len(_INDEX) + 7  # u32 byte-order mark, u16 version, u8 format
_SPARSE, _DENSE = 1, 3
_BYTE_ORDERS: dict[bytes, ByteOrder] = {b"\1\0\0\0": "<", b"\0\0\0\1": ">"}
_RAW = b"CUBEX.DATA"
_COMPRESSED = b"ZCUBEX.DATA"


def read_index(data: memoryview, nodes: int) -> tuple[ByteOrder, IntArray]:
    """Return the byte order, ``<`` or ``>``, and int64[rows], the places of its rows in the enumeration."""
    if len(data) < _INDEX_HEADER or data[: len(_INDEX)] != _INDEX:
        raise ValueError("it does not begin with CUBEX.INDEX")
    mark = bytes(data[len(_INDEX) : len(_INDEX) + 4])
    order = _BYTE_ORDERS.get(mark)
    if order is None:
        raise ValueError("its byte-order mark is damaged")
    form = data[_INDEX_HEADER - 1]
    if form == _DENSE:
        return order, np.arange(nodes)
    if form != _SPARSE:
        raise ValueError(f"unknown index format {form}")
    return order, _sparse(data[_INDEX_HEADER:], order, nodes)


def _sparse(data: memoryview, order: ByteOrder, nodes: int) -> IntArray:
    """Read the list of a sparse index: u32 count, then as many u32 places."""
    count = int.from_bytes(data[:4], "little" if order == "<" else "big")
    if len(data) < 4 + 4 * count:
        raise ValueError(f"it should have {count} rows but ends before")
    rows = np.frombuffer(data, f"{order}u4", count, 4).astype(np.int64)
    if count and rows.max() >= nodes:
        raise ValueError(f"it points to row {rows.max()} of {nodes} call paths")
    if (rows[1:] <= rows[:-1]).any() and len(distinct(rows)) < count:
        raise ValueError("it lists a row twice")
    return rows


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredRows:
    """Where the rows of a metric are."""

    body: memoryview  # the bytes after all headers
    layout: np.dtype[Any]  # numpy type of one value
    locations: int  # number of values L in a row
    number: IntArray  # int64[k], which rows there are, in the order of the file
    start: IntArray  # int64[k], where each begins in `body`
    stop: IntArray  # int64[k], where each ends in `body`
    compressed: bool  # whether each row is a zlib stream of its own

    def blocks(self, size: int) -> Iterator[tuple[IntArray, Stored]]:
        """Yield at most `size` rows at once: their numbers, int64[k], and values, layout[k, L]."""
        for first in range(0, len(self.number), size):
            part = slice(first, first + size)
            values = self._inflated(part) if self.compressed else self._raw(part)
            yield self.number[part], values.reshape(-1, self.locations)

    def ordered_by(self, key: IntArray) -> "StoredRows":
        """Return the same rows in ascending order of `key`, int64[k]."""
        at = np.argsort(key, kind="stable")
        return replace(self, number=self.number[at], start=self.start[at], stop=self.stop[at])

    def _raw(self, part: slice) -> Stored:
        start, stop = self.start[part], self.stop[part]
        if (start[1:] == stop[:-1]).all():
            return np.frombuffer(self.body[start[0] : stop[-1]], self.layout)
        apart = zip(start.tolist(), stop.tolist(), strict=True)
        return np.frombuffer(b"".join([self.body[first:last] for first, last in apart]), self.layout)

    def _inflated(self, part: slice) -> Stored:
        size = self.locations * self.layout.itemsize
        body = self.body
        extents = zip(self.start[part].tolist(), self.stop[part].tolist(), strict=True)
        try:
            plain = b"".join([inflate_row(body[start:stop], size) for start, stop in extents])
        except InflateError as damage:
            raise ValueError(f"a compressed row is damaged ({damage})") from damage
        return np.frombuffer(plain, self.layout)


def find_rows(
    data: memoryview, order: ByteOrder, layout: npt.DTypeLike, locations: int, count: int
) -> StoredRows:
    """Locate the `count` rows of a metric that its index lists; those never written count as zero."""
    dtype = np.dtype(layout).newbyteorder(order)
    if data[: len(_RAW)] == _RAW:
        return _find_raw(data[len(_RAW) :], dtype, locations, count)
    if data[: len(_COMPRESSED)] == _COMPRESSED:
        return _find_compressed(data[len(_COMPRESSED) :], order, dtype, locations, count)
    raise ValueError("it begins neither with CUBEX.DATA nor with ZCUBEX.DATA")


def _find_raw(body: memoryview, dtype: np.dtype[Any], locations: int, count: int) -> StoredRows:
    size = locations * dtype.itemsize
    there, rest = divmod(len(body), size)
    if rest or there > count:
        raise ValueError(f"{len(body)} bytes do not match {count} rows of {size} bytes")
    number = np.arange(there)
    return StoredRows(
        body=body,
        layout=dtype,
        locations=locations,
        number=number,
        start=number * size,
        stop=(number + 1) * size,
        compressed=False,
    )


def _find_compressed(
    data: memoryview, order: ByteOrder, dtype: np.dtype[Any], locations: int, count: int
) -> StoredRows:
    """Read the table of rows: u64 n, then n x (start uncompressed, start compressed, size compressed)."""
    entries = int.from_bytes(data[:8], "little" if order == "<" else "big")
    behind = 8 + 24 * entries
    if len(data) < behind:
        raise ValueError(f"its table should have {entries} rows but ends before")
    table = np.frombuffer(data, f"{order}u8", 3 * entries, 8).reshape(-1, 3)
    table = table[table[:, 2] > 0]
    plain, start, size = (column.astype(np.uint64) for column in table.T)
    body = data[behind:]
    number, odd = np.divmod(plain, np.uint64(locations * dtype.itemsize))
    if odd.any() or (number >= count).any() or len(distinct(number)) < len(number):
        raise ValueError("its table has rows at impossible places")
    room = np.uint64(len(body))
    if (start > room).any() or (size > room - np.minimum(start, room)).any():
        raise ValueError("its table points beyond its end")
    at = np.argsort(start, kind="stable")
    begin, end = start[at].astype(np.int64), (start + size)[at].astype(np.int64)
    if (begin[1:] < end[:-1]).any():
        raise ValueError("its table has rows that share bytes")
    return StoredRows(
        body=body,
        layout=dtype,
        locations=locations,
        number=number[at].astype(np.int64),
        start=begin,
        stop=end,
        compressed=True,
    )
