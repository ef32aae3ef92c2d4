"""`N.index`: which rows of values a metric stores, and in which byte order."""

import numpy as np

from ingest.arrays import IntArray
from ingest.readers.cubex.dtypes import ByteOrder

_MAGIC = b"CUBEX.INDEX"
_HEADER = len(_MAGIC) + 7  # u32 byte-order mark, u16 version, u8 format
_SPARSE, _DENSE = 1, 3
_BYTE_ORDERS: dict[bytes, ByteOrder] = {b"\1\0\0\0": "<", b"\0\0\0\1": ">"}


def read_index(data: memoryview, nodes: int) -> tuple[ByteOrder, IntArray]:
    """Return the byte order and the stored rows of a metric.

    Args:
        data: the whole member.
        nodes: number of call paths n.

    Returns:
        ``<`` or ``>``, and int64[rows]: for every stored row its place in the metric's enumeration.

    Raises:
        ValueError: where the index is damaged, with the reason.
    """
    if len(data) < _HEADER or data[: len(_MAGIC)] != _MAGIC:
        raise ValueError("it does not begin with CUBEX.INDEX")
    mark = bytes(data[len(_MAGIC) : len(_MAGIC) + 4])
    order = _BYTE_ORDERS.get(mark)
    if order is None:
        raise ValueError("its byte-order mark is damaged")
    form = data[_HEADER - 1]
    if form == _DENSE:
        return order, np.arange(nodes)
    if form != _SPARSE:
        raise ValueError(f"unknown index format {form}")
    return order, _sparse(data[_HEADER:], order, nodes)


def _sparse(data: memoryview, order: ByteOrder, nodes: int) -> IntArray:
    """Read the list of a sparse index: u32 count, then as many u32 places."""
    count = int.from_bytes(data[:4], "little" if order == "<" else "big")
    if len(data) < 4 + 4 * count:
        raise ValueError(f"it announces {count} rows but ends before")
    rows = np.frombuffer(data, f"{order}u4", count, 4).astype(np.int64)
    if count and rows.max() >= nodes:
        raise ValueError(f"it points to row {rows.max()} of {nodes} call paths")
    if (rows[1:] <= rows[:-1]).any() and len(np.unique(rows)) < count:
        raise ValueError("it lists a row twice")
    return rows
