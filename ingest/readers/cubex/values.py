"""Reading the values of a metric when they are asked for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.errors import InputError
from ingest.profile import Metric
from ingest.readers.cubex.container import Container
from ingest.readers.cubex.dtypes import Stored, ValueType
from ingest.readers.cubex.index import read_index
from ingest.readers.cubex.rows import find_rows

_BLOCK_BYTES = 1 << 18  # a block stays in the cache between inflating, checking and placing it
_LARGEST = 1e280  # sums of smaller numbers do not overflow
_MAX_BYTES = 1 << 34


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
        nodes: number of call paths n.
        locations: number of locations L.
        stored: how each metric is stored, by name.
    """

    container: Container
    nodes: int
    locations: int
    stored: Mapping[str, StoredMetric] = field(repr=False)

    def __call__(self, metric: Metric) -> FloatArray:
        """Return the stored values of a metric, float64[n, L]; rows never written are zero.

        Raises:
            InputError: where the values are damaged or would take more than 16 GiB.
        """
        if self.nodes * self.locations * 8 > _MAX_BYTES:
            what = f"{self.nodes} call paths x {self.locations} locations do not fit into memory"
            raise InputError(what, where=self._where(metric), mend="read it in blocks")
        values = np.zeros((self.nodes, self.locations))
        for nodes, block in self.blocks(metric, max(1, _BLOCK_BYTES // (8 * self.locations))):
            values[nodes] = block
        return values

    def blocks(self, metric: Metric, rows: int) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yield the rows that were written, at most `rows` at once, in the order they stand in the file.

        Yields:
            int64[k], the call paths, and float64[k, L], their stored values; all others are zero.

        Raises:
            InputError: where the values are damaged.
        """
        stored = self.stored[metric.name]
        index, data = (f"{stored.number}.{part}" for part in ("index", "data"))
        member = index
        listing, body = self.container.views(index, data)
        try:
            order, listed = read_index(listing, self.nodes)
            nodes, member = stored.order[listed], data
            found = find_rows(body, order, stored.type.layout, self.locations, len(nodes))
            for number, values in found.blocks(max(rows, 1)):
                yield nodes[number], _numbers(stored.type.scalar(values), metric)
        except ValueError as damage:
            mend = "copy or write the profile again"
            raise InputError(f"{member}: {damage}", where=self._where(metric), mend=mend) from damage

    def _where(self, metric: Metric) -> str:
        return f"{self.container.path} (metric '{metric.name}')"


def _numbers(values: Stored, metric: Metric) -> FloatArray:
    """Convert to float64; refuse what would poison every sum it goes into."""
    numbers: FloatArray = values.astype(np.float64)
    checked = metric.kind.additive and values.dtype.kind == "f"
    if checked and not (numbers.min() > -_LARGEST and numbers.max() < _LARGEST):
        raise ValueError("a value is not a finite number")
    return numbers
