"""Parquet files from anywhere, read in bounded memory: what they hold is counted before it is read.

Pages may inflate to any size, run lengths repeat a value as often as they like, and a dictionary lends all
rows one long text.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ingest.reading.packed import inflation_limit

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa
    import pyarrow.parquet as pq

_DEEPEST = 12  # structs and lists in each other; footers have six
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_WHOLE = (4, 5, 6)  # numbers of 16, 32 and 64 bits, all of which are variable in length

Fields: TypeAlias = dict[int, Any]  # of a struct, by number

_END = 8  # bytes behind the footer: its length, and the mark of the format
_ROW_GROUPS, _COLUMNS, _OF_COLUMN = 4, 1, 3
_NUMBER, _COMPRESSED, _DATA, _DICTIONARY = 5, 7, 9, 11  # of a column: values, bytes, offsets of pages
_SIZE, _IN_FILE, _KINDS, _VALUES = 2, 3, (5, 7, 8), 1  # of a page: bytes, in the file; of its kind: values
MAX_PARQUET_BYTES = 1 << 32
_CELL = 8  # bytes that a cell takes in memory at least
_MOST_ENTRIES = 1 << 16  # of a list in the footer: columns, row groups
_TEXT = "BYTE_ARRAY"


class BombError(ValueError):
    """A small file that would fill the memory."""


def open_parquet(content: bytes) -> "pq.ParquetFile":
    """Open a Parquet file, whose texts are read as dictionaries: each lies in memory once.

    A damaged one raises OSError, pyarrow.ArrowException, ValueError or LookupError.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    def opened(**how: list[str]) -> pq.ParquetFile:
        return pq.ParquetFile(pa.BufferReader(content), thrift_container_size_limit=_MOST_ENTRIES, **how)

    whole, held = opened().metadata, held_by_pages(content)
    cells = whole.num_rows * max(whole.num_columns, 1)
    if max(held.size, _CELL * held.values, _CELL * cells) > inflation_limit(len(content), MAX_PARQUET_BYTES):
        raise _bomb(len(content), f"{max(held.values, cells)} cells")
    columns = map(whole.schema.column, range(whole.num_columns))
    return opened(read_dictionary=[column.path for column in columns if column.physical_type == _TEXT])


def require_few_texts(table: "pa.Table", size: int) -> None:
    """Refuse a table of a file of some bytes whose dictionaries would be too many bytes as texts."""
    most = inflation_limit(size, MAX_PARQUET_BYTES)
    if sum(map(_bytes_of_texts, table.columns)) > most:
        raise _bomb(size, f"more than {most} bytes of text")


def plain_texts(table: "pa.Table", size: int) -> "pa.Table":
    """Return a table of a file of some bytes with dictionaries, also those in lists, as texts."""
    require_few_texts(table, size)
    for place, name in enumerate(table.column_names):
        column = table.column(place)
        table = table.set_column(place, name, column.cast(_plain_type(column.type)))
    return table


def _bytes_of_texts(column: "pa.ChunkedArray") -> int:
    """Return how many bytes the texts of a column of dictionaries have, as often as they occur."""
    import pyarrow as pa

    total = 0
    for chunk in column.chunks:
        flat = chunk.values if pa.types.is_list(chunk.type) else chunk
        if pa.types.is_dictionary(flat.type):
            lengths = np.diff(_buffer(flat.dictionary, "int32", 1))
            which = _buffer(flat.indices, str(flat.indices.type))
            times = np.bincount(which[(which >= 0) & (which < len(lengths))], minlength=len(lengths))
            total += int(times @ lengths.astype(np.int64))
    return total


def _buffer(array: "pa.Array", kind: str, more: int = 0) -> "npt.NDArray[Any]":
    """Return the numbers of an array, or where its texts begin and the last one ends; anything where null.

    Functions of Arrow do the same, but importing all of them takes a tenth of a command's start.
    """
    numbers = array.buffers()[1]
    first = array.offset
    return np.frombuffer(numbers or b"", kind)[first : first + len(array) + more]


def _plain_type(kind: "pa.DataType") -> "pa.DataType":
    import pyarrow as pa

    if pa.types.is_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _bomb(size: int, what: str) -> BombError:
    return BombError(f"refused as a decompression bomb: {size} bytes hold {what}")


# What the pages of a Parquet file hold, by their own headers: the footer may say less.
#
# Arrow takes as much memory as the header of a page asks for, and aborts the process when it is asked for a
# damaged part of a footer. Footer and headers are structs of Thrift's compact protocol (parquet.thrift,
# ``FileMetaData`` and ``PageHeader``).


@dataclass(frozen=True)
class Held:
    """What pages hold: bytes when they are inflated, and values."""

    size: int
    values: int


def held_by_pages(content: bytes) -> Held:
    """Return what all pages of a Parquet file hold; ValueError if the footer or a header is damaged."""
    try:
        length = int.from_bytes(content[-_END : -_END + 4], "little")
        footer = _Compact(content, len(content) - _END - length).struct()
        chunks = (column[_OF_COLUMN] for group in footer[_ROW_GROUPS] for column in group[_COLUMNS])
        pages = [page for chunk in chunks for page in _pages(content, chunk)]
    except (LookupError, TypeError, AttributeError) as error:
        raise _damaged() from error
    return Held(sum(page.size for page in pages), sum(page.values for page in pages))


def _pages(content: bytes, chunk: Fields) -> Iterator[Held]:
    """Yield what each page of a column of a row group holds; without values none is read."""
    if not chunk[_NUMBER]:
        return
    begin = min(chunk[_DATA], chunk.get(_DICTIONARY) or chunk[_DATA])
    reader, end = _Compact(content, begin), begin + chunk[_COMPRESSED]
    while reader.at < end:
        header = reader.struct()
        of_kind = [header[kind] for kind in _KINDS if kind in header]
        yield Held(_count(header[_SIZE]), sum(_count(one[_VALUES]) for one in of_kind))
        reader.at += _count(header[_IN_FILE])


def _count(value: int) -> int:
    if value < 0:
        raise _damaged()
    return value


def _damaged() -> ValueError:
    return ValueError("the footer or the header of a page is damaged")


class _Compact:
    """Structs of Thrift's compact protocol in some bytes; `at` is where the next one begins.

    Reading raises ValueError or IndexError if there is none.
    """

    def __init__(self, content: bytes, at: int) -> None:
        self.content, self.at = content, _count(at)

    def struct(self, deep: int = 0) -> Fields:
        """Read a struct."""
        fields: Fields = {}
        number = 0
        while start := self._byte():
            number = number + (start >> 4) if start >> 4 else self._whole()
            fields[number] = self._value(start & 15, deep + 1)
        return fields

    def _byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def _unsigned(self) -> int:
        value = 0
        for shift in range(0, 64, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise _damaged()

    def _whole(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)

    def _value(self, kind: int, deep: int) -> Any:  # noqa: ANN401
        if deep > _DEEPEST:
            raise _damaged()
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind in _WHOLE:
            return self._whole()
        if kind == _STRUCT:
            return self.struct(deep)
        if kind in (_LIST, _SET):
            return self._list(deep)
        if kind not in (_BYTE, _DOUBLE, _BINARY):
            raise _damaged()
        length = {_BYTE: 1, _DOUBLE: 8}.get(kind) or self._unsigned()
        self.at += length
        if self.at > len(self.content):
            raise _damaged()
        return None

    def _list(self, deep: int) -> list[Any]:
        start = self._byte()
        count = start >> 4 if start >> 4 < 15 else self._unsigned()
        if count > len(self.content):
            raise _damaged()
        kind = start & 15
        if kind in (_TRUE, _FALSE):  # a byte each, in lists
            kind = _BYTE
        return [self._value(kind, deep + 1) for _ in range(count)]
