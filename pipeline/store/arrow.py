"""Columns of Arrow tables made from buffers, and tables as Parquet files."""

from collections.abc import Iterator, Sequence, Sized
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from ingest.errors import InputError
from ingest.reading.packed import inflation_limit
from ingest.reading.parquet_files import (
    MAX_PARQUET_BYTES,
    BombError,
    open_parquet,
    plain_texts,
    require_few_texts,
)
from pipeline.store.atomic import write_atomically

MOST_BYTES = 2**31 - 1  # or entries of lists: offsets have 32 bits
_PACKED = (b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18")  # how frames of zstd and LZ4 begin


def numbers(values: npt.NDArray[Any]) -> pa.Array:
    """Return a column of numbers, of the type of the array; NaN stays NaN."""
    flat = np.ascontiguousarray(values)
    kind = pa.from_numpy_dtype(flat.dtype)
    return pa.Array.from_buffers(kind, len(flat), [None, pa.py_buffer(flat)])


def numbers_of(column: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """Return the numbers of a column of `numbers`, read-only; `to_numpy` would import pandas."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return np.from_dlpack(whole)


def texts(values: Sequence[str]) -> pa.Array:
    """Return a column of texts."""
    return _of_bytes([text.encode() for text in values], pa.string())


def binaries(values: Sequence[bytes]) -> pa.Array:
    """Return a column of bytes."""
    return _of_bytes(values, pa.binary())


def _of_bytes(values: Sequence[bytes], kind: pa.DataType) -> pa.Array:
    buffers = [None, _offsets(values).buffers()[1], pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(kind, len(values), buffers)


def ipc_bytes(table: pa.Table) -> bytes:
    """Return a table in Arrow's IPC format; `from_ipc` reads it."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def from_ipc(content: bytes) -> pa.Table:
    """Return the table of `ipc_bytes`."""
    total = 0
    for magic in _PACKED:
        at = content.find(magic)
        while at >= 0:
            total += max(int.from_bytes(content[max(at - 8, 0) : at], "little", signed=True), 0)
            at = content.find(magic, at + 1)
    if total > inflation_limit(len(content), MAX_PARQUET_BYTES):
        raise BombError(f"refused as a decompression bomb of {len(content)} bytes")
    return pa.ipc.open_stream(content).read_all()


def repeated_text(value: str, count: int) -> pa.Array:
    """Return a column with the same text in every row; errors as `texts`."""
    encoded = value.encode()
    offsets = _checked(np.arange(count + 1) * len(encoded))
    buffers = [None, offsets.buffers()[1], pa.py_buffer(encoded * count)]
    return pa.Array.from_buffers(pa.string(), count, buffers)


def lists_of_texts(values: Sequence[Sequence[str]]) -> pa.Array:
    """Return a column of lists of texts; errors as `texts`."""
    return pa.ListArray.from_arrays(_offsets(values), texts(list(chain.from_iterable(values))))


def lists_of_numbers(values: Sequence[npt.NDArray[Any]], kind: type[np.number[Any]]) -> pa.Array:
    """Return a column of lists of numbers of one type, from one array per list."""
    joined = np.concatenate([np.empty(0, dtype=kind), *values])
    return pa.ListArray.from_arrays(_offsets(values), numbers(joined))


def _offsets(parts: Sequence[Sized]) -> pa.Array:
    """Return where each part begins among all of them, int32[n + 1] as a column."""
    offsets = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    return _checked(offsets)


def _checked(offsets: npt.NDArray[np.int64]) -> pa.Array:
    if offsets[-1] > MOST_BYTES:
        raise InputError("the names of its call paths are too long to be stored", hint="shorten them")
    return numbers(offsets.astype(np.int32))


ROWS_AT_ONCE = 1 << 14  # rows that are encoded together: all of a column would be held twice


def write_table(path: Path, table: pa.Table) -> None:
    """Write an Arrow table as Parquet atomically."""
    write_tables(path, iter([table]))


def write_tables(path: Path, tables: Iterator[pa.Table]) -> None:
    """Write tables of the same columns, one at least, behind one another as one Parquet file."""

    def write(temporary: Path) -> None:
        first = next(tables)
        with (
            temporary.open("wb") as file,  # Arrow opens no path that is not UTF-8
            pq.ParquetWriter(file, first.schema, compression="zstd") as writer,
        ):
            for table in chain([first], tables):
                writer.write_table(table, ROWS_AT_ONCE)

    write_atomically(path, write)
    pa.default_memory_pool().release_unused()  # of a large study it keeps a hundred megabytes


def read_table(content: bytes) -> pa.Table:
    """Read a Parquet file."""
    return plain_texts(_read(content), len(content))


def read_encoded(content: bytes) -> pa.Table:
    """Read a Parquet file whose texts stay dictionaries; `texts_of` has them."""
    found = _read(content)
    require_few_texts(found, len(content))
    return found


def texts_of(column: pa.ChunkedArray) -> list[str]:
    """Return the texts of a column of `read_encoded`."""
    names = [chunk.dictionary.to_pylist() for chunk in column.chunks]
    places = [chunk.indices.to_pylist() for chunk in column.chunks]
    return [of[place] for of, here in zip(names, places, strict=True) for place in here]


def rows_with(column: pa.ChunkedArray, text: str) -> npt.NDArray[np.bool_]:
    """Return which rows of a column of `read_encoded` have a text."""
    found = [np.zeros(0, dtype=np.bool_)]
    for chunk in column.chunks:
        names = np.array([name == text for name in chunk.dictionary.to_pylist()], dtype=np.bool_)
        found.append(names[numbers_of(chunk.indices)])
    return np.concatenate(found)


def _read(content: bytes) -> pa.Table:
    """Read a Parquet file with dictionaries.

    `pyarrow.parquet.read_table` would start threads, one of which aborts the process if that ends before it.
    Row groups are read one by one: together, lists of texts have no dictionary that Arrow can read.
    """
    file = open_parquet(content)
    groups = [file.read_row_group(group, use_threads=False) for group in range(file.num_row_groups)]
    return pa.concat_tables(groups) if groups else file.read(use_threads=False)
