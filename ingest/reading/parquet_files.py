"""Parquet files from anywhere, read in bounded memory: what they hold is counted before it is read.

Pages may inflate to any size, run lengths repeat a value as often as they like, and a dictionary lends all
rows one long text.
"""

from typing import TYPE_CHECKING

from ingest.reading.packed import inflation_limit
from ingest.reading.parquet_pages import held_by_pages

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MAX_BYTES = 1 << 32
CELL = 8  # bytes that a cell takes in memory at least
MOST_ENTRIES = 1 << 16  # of a list in the footer: columns, row groups
TEXT = "BYTE_ARRAY"


class BombError(ValueError):
    """A small file that would fill the memory."""


def open_parquet(content: bytes) -> "pq.ParquetFile":
    """Open a Parquet file, whose texts are read as dictionaries: each lies in memory once.

    Raises:
        BombError: it holds more than packed files may inflate to.
        OSError, pyarrow.ArrowException, ValueError, LookupError: it is damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    def opened(**how: list[str]) -> pq.ParquetFile:
        return pq.ParquetFile(pa.BufferReader(content), thrift_container_size_limit=MOST_ENTRIES, **how)

    whole, held = opened().metadata, held_by_pages(content)
    cells = whole.num_rows * max(whole.num_columns, 1)
    if max(held.size, CELL * held.values, CELL * cells) > inflation_limit(len(content), MAX_BYTES):
        raise _bomb(len(content), f"{max(held.values, cells)} cells")
    columns = map(whole.schema.column, range(whole.num_columns))
    return opened(read_dictionary=[column.path for column in columns if column.physical_type == TEXT])


def plain_texts(table: "pa.Table", size: int) -> "pa.Table":
    """Return a table of a file of some bytes with dictionaries, also those in lists, as texts.

    Raises:
        BombError: all texts together would have more bytes than packed files may inflate to.
    """
    left = inflation_limit(size, MAX_BYTES)
    for place, name in enumerate(table.column_names):
        column = table.column(place)
        left -= _bytes_of_texts(column)
        if left < 0:
            raise _bomb(size, f"more than {inflation_limit(size, MAX_BYTES)} bytes of text")
        table = table.set_column(place, name, column.cast(_plain_type(column.type)))
    return table


def _bytes_of_texts(column: "pa.ChunkedArray") -> int:
    """Return how many bytes the texts of a column of dictionaries have, as often as they occur."""
    import pyarrow as pa
    import pyarrow.compute as pc

    total = 0
    for chunk in column.chunks:
        flat = pc.list_flatten(chunk) if pa.types.is_list(chunk.type) else chunk
        if pa.types.is_dictionary(flat.type):
            lengths = pc.cast(pc.binary_length(flat.dictionary), pa.int64())
            total += pc.sum(lengths.take(flat.indices)).as_py() or 0
    return total


def _plain_type(kind: "pa.DataType") -> "pa.DataType":
    import pyarrow as pa

    if pa.types.is_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _bomb(size: int, what: str) -> BombError:
    return BombError(f"refused as a decompression bomb: {size} bytes hold {what}")
