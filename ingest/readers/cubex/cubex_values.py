"""The values of a metric, read on demand: as stored, or exclusive and in blocks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import subtract_callees
from ingest.errors import InputError
from ingest.profile import LARGEST, Block, Metric, MetricKind
from ingest.readers.cubex.container import Container
from ingest.readers.cubex.stored_rows import Stored, StoredRows, ValueType, find_rows, read_index

_BLOCK_BYTES = 1 << 18  # a block stays in the cache while it is inflated, checked and placed
_MAX_BYTES = 1 << 34
_MAX_QUOTED = 120  # characters of a name in messages


@dataclass(frozen=True, eq=False)
class CubexMetric:
    """How a metric is stored.

    Attributes:
        number: the N of ``N.data`` and ``N.index``.
        order: int64[n], the metric's enumeration of the call paths: row r belongs to node ``order[r]``.
    """

    number: str
    type: ValueType
    order: IntArray


@dataclass(frozen=True, eq=False)
class CubexValues:
    """Reads the values of a `.cubex` file on demand: the `ValueLoader` of this format.

    Attributes:
        parent: int64[n], the callers of the call paths, -1 for roots.
        stored: how each metric is stored, by name.
    """

    container: Container
    parent: IntArray
    locations: int
    stored: Mapping[str, CubexMetric] = field(repr=False)

    def __call__(self, metric: Metric) -> FloatArray:
        """Return the stored values of a metric, float64[n, L]; rows never written are zero."""
        shape = (len(self.parent), self.locations)
        if 8 * shape[0] * shape[1] > _MAX_BYTES:
            what = f"{shape[0]} call paths x {shape[1]} locations are too large for memory"
            raise InputError(
                what, where=self._where(metric), hint="cut it with cube_part, or reduce it in blocks"
            )
        values = np.zeros(shape)
        for nodes, block in self.blocks(metric, len(self.parent)):
            values[nodes] = block
        return values

    def blocks(self, metric: Metric, rows: int) -> Iterator[Block]:
        """Yield the rows that were written, at most `rows` at once, in the order of the file.

        Yields:
            int64[k], the call paths, and float64[k, L], their stored values; all others are zero.
        """
        listed, found = self._find(metric)
        nodes = self.stored[metric.name].order[listed]
        for number, values in self._numbers(metric, found, rows):
            yield nodes[number], values

    def exclusive_blocks(self, metric: Metric, rows: int) -> Iterator[Block]:
        """Yield exclusive values of an exclusive or inclusive metric, reading at most `rows` rows at once.

        An inclusive metric takes memory for the rows of call paths whose callees are still to come, a few per
        level of the tree, in addition to the `rows` rows of a block.

        Yields:
            int64[k], the call paths, and float64[k, L], their exclusive values; all others are zero.
        """
        if metric.kind is not MetricKind.INCLUSIVE:
            yield from self.blocks(metric, rows)
            return
        listed, found = self._find(metric)
        found = found.ordered_by(listed[found.number])
        order = self.stored[metric.name].order
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        caller = np.where(self.parent[order] < 0, -1, place[self.parent[order]])
        inclusive = ((listed[number], values) for number, values in self._numbers(metric, found, rows))
        for places, values in _stream_exclusive(caller, listed[found.number], self.locations, inclusive):
            yield order[places], values

    def _find(self, metric: Metric) -> tuple[IntArray, StoredRows]:
        """Return the places listed in the metric's enumeration, and where the rows of those places are."""
        stored = self.stored[metric.name]
        listing, body = self.container.views(f"{stored.number}.index", f"{stored.number}.data")
        try:
            order, listed = read_index(listing, len(self.parent))
        except ValueError as damage:
            raise self._damaged(metric, "index", damage) from damage
        try:
            return listed, find_rows(body, order, stored.type.layout, self.locations, len(listed))
        except ValueError as damage:
            raise self._damaged(metric, "data", damage) from damage

    def _numbers(self, metric: Metric, found: StoredRows, rows: int) -> Iterator[Block]:
        """Yield the numbers of rows and their values as float64."""
        scalar = self.stored[metric.name].type.scalar
        rows = max(1, min(rows, _BLOCK_BYTES // (8 * self.locations)))
        try:
            for number, values in found.blocks(rows):
                yield number, _numbers(scalar(values), metric)
        except ValueError as damage:
            raise self._damaged(metric, "data", damage) from damage

    def _damaged(self, metric: Metric, part: str, damage: ValueError) -> InputError:
        what = f"{self.stored[metric.name].number}.{part}: {damage}"
        return InputError(what, where=self._where(metric), hint="copy or write the profile again")

    def _where(self, metric: Metric) -> str:
        return f"{self.container.path} (metric '{metric.name[:_MAX_QUOTED]}')"


def _numbers(values: Stored, metric: Metric) -> FloatArray:
    """Convert to float64; refuse values that would spoil every sum they go into."""
    numbers: FloatArray = values.astype(np.float64)
    checked = metric.kind.additive and values.dtype.kind == "f"
    if checked and not (numbers.min() > -LARGEST and numbers.max() < LARGEST):
        raise ValueError("a value is not a finite number")
    return numbers


def _stream_exclusive(
    caller: IntArray, stored: IntArray, locations: int, blocks: Iterator[Block]
) -> Iterator[Block]:
    """Turn inclusive rows into exclusive ones.

    A row is kept until its last callee has come. Cube's enumeration of inclusive metrics lists all callees of
    a call path together, so these are the call paths between the root and the current one, and their siblings
    that call others.

    Args:
        caller: int64[n], the caller of each row, negative for roots; rows come after their callers'.
        stored: int64[k], the rows that will come, ascending; all others are zero.
        blocks: those rows in ascending order: int64[b] and their values, float64[b, L].

    Yields:
        int64[m], rows, and their exclusive values, float64[m, L]; all rows not yielded are zero.
    """
    last = np.full(len(caller) + 1, -1)  # the last callee of each row; the last entry is that of the roots
    last[caller[stored]] = stored
    pool = _Pool(len(caller), locations)
    held = np.zeros(0, dtype=np.int64)
    for rows, values in blocks:
        callers = caller[rows]
        inner = last[rows] >= 0
        pool.hold(rows[inner], values[inner])
        unwritten = callers[(pool.slot[callers] < 0) & (callers >= 0)]
        if len(unwritten):
            unwritten = np.unique(unwritten)
            pool.hold(unwritten, np.zeros((len(unwritten), locations)))
        subtract_callees(values, np.where(callers < 0, -1, pool.slot[callers]), pool.values)
        held = np.concatenate([held, rows, unwritten])
        done = last[held] <= rows[-1]
        finished, held = held[done], held[~done]
        yield finished, pool.release(finished, values[~inner])


class _Pool:
    """Rows kept until their last callee has come, in slots that are reused.

    Attributes:
        slot: int64[n + 1], where a row is kept, -1 if it is not.
        values: float64[slots, L].
    """

    def __init__(self, rows: int, locations: int) -> None:
        self.slot: IntArray = np.full(rows + 1, -1)
        self.values: FloatArray = np.empty((0, locations))
        self._free: IntArray = np.zeros(0, dtype=np.int64)

    def hold(self, rows: IntArray, values: FloatArray) -> None:
        """Keep rows, int64[k], and their values, float64[k, L]."""
        missing = len(rows) - len(self._free)
        if missing > 0:
            size = len(self.values)
            more = np.empty((max(missing, size), values.shape[1]))
            self.values = np.concatenate([self.values, more])
            self._free = np.concatenate([self._free, np.arange(size, len(self.values))])
        slots, self._free = self._free[: len(rows)], self._free[len(rows) :]
        self.slot[rows] = slots
        self.values[slots] = values

    def release(self, rows: IntArray, others: FloatArray) -> FloatArray:
        """Return the values of rows, float64[k, L]; `others` has the values of those not kept, in order."""
        slots = self.slot[rows]
        held = slots >= 0
        released = np.empty((len(rows), others.shape[1]))
        released[held], released[~held] = self.values[slots[held]], others
        self._free = np.concatenate([slots[held], self._free])
        self.slot[rows] = -1
        return released
