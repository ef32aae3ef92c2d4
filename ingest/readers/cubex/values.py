"""Reading the values of a metric when they are asked for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.errors import InputError
from ingest.profile import Metric, MetricKind
from ingest.readers.cubex.container import Container
from ingest.readers.cubex.dtypes import Stored, ValueType
from ingest.readers.cubex.index import read_index
from ingest.readers.cubex.rows import Rows, find_rows
from ingest.readers.cubex.streaming import stream_exclusive

_BLOCK_BYTES = 1 << 18  # a block stays in the cache between inflating, checking and placing it
_LARGEST = 1e280  # sums of smaller numbers do not overflow
_MAX_BYTES = 1 << 34
_MAX_TOLD = 120  # characters of a name in messages


@dataclass(frozen=True, eq=False)
class StoredMetric:
    """How a metric is stored.

    Attributes:
        number: the N of ``N.data`` and ``N.index``.
        type: what a value is.
        order: int64[n], the metric's enumeration of the call paths: row r belongs to node ``order[r]``.
    """

    number: str
    type: ValueType
    order: IntArray


@dataclass(frozen=True, eq=False)
class CubexValues:
    """The values of a `.cubex` file, read on demand: what `Profile.load` is for this format.

    Attributes:
        container: the file.
        parent: int64[n], the callers of the call paths, -1 for roots.
        locations: number of locations L.
        stored: how each metric is stored, by name.
    """

    container: Container
    parent: IntArray
    locations: int
    stored: Mapping[str, StoredMetric] = field(repr=False)

    def __call__(self, metric: Metric) -> FloatArray:
        """Return the stored values of a metric, float64[n, L]; rows never written are zero.

        Raises:
            InputError: where the values are damaged or would take more than 16 GiB.
        """
        shape = (len(self.parent), self.locations)
        if 8 * shape[0] * shape[1] > _MAX_BYTES:
            what = f"{shape[0]} call paths x {shape[1]} locations do not fit into memory"
            raise InputError(
                what, where=self._where(metric), hint="cut it with cube_part, or reduce it in blocks"
            )
        values = np.zeros(shape)
        for nodes, block in self.blocks(metric, len(self.parent)):
            values[nodes] = block
        return values

    def blocks(self, metric: Metric, rows: int) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yield the rows that were written, at most `rows` at once, in the order they stand in the file.

        Yields:
            int64[k], the call paths, and float64[k, L], their stored values; all others are zero.

        Raises:
            InputError: where the values are damaged.
        """
        listed, found = self._find(metric)
        nodes = self.stored[metric.name].order[listed]
        for number, values in self._numbers(metric, found, rows):
            yield nodes[number], values

    def exclusive_blocks(self, metric: Metric, rows: int) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yield exclusive values of an exclusive or inclusive metric, reading at most `rows` rows at once.

        An inclusive metric takes memory for the rows of call paths whose callees are still to come beside the
        `rows` rows of a block: some per level of the tree, not all of it.

        Yields:
            int64[k], the call paths, and float64[k, L], their exclusive values; all others are zero.

        Raises:
            InputError: where the values are damaged.
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
        for places, values in stream_exclusive(caller, listed[found.number], self.locations, inclusive):
            yield order[places], values

    def _find(self, metric: Metric) -> tuple[IntArray, Rows]:
        """Return the places listed in the metric's enumeration, and where the rows of those places stand."""
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

    def _numbers(self, metric: Metric, found: Rows, rows: int) -> Iterator[tuple[IntArray, FloatArray]]:
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
        return f"{self.container.path} (metric '{metric.name[:_MAX_TOLD]}')"


def _numbers(values: Stored, metric: Metric) -> FloatArray:
    """Convert to float64; refuse what would poison every sum it goes into."""
    numbers: FloatArray = values.astype(np.float64)
    checked = metric.kind.additive and values.dtype.kind == "f"
    if checked and not (numbers.min() > -_LARGEST and numbers.max() < _LARGEST):
        raise ValueError("a value is not a finite number")
    return numbers
