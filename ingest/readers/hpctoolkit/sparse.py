"""Values of which most are zero: kept by call path, made dense block by block."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.errors import InputError
from ingest.profile import Block, Metric

MAX_DENSE = 1 << 31  # values: 16 GiB

Triplets: TypeAlias = tuple[IntArray, IntArray, FloatArray]  # int64[k], call path and location; float64[k]


@dataclass(frozen=True, eq=False)
class SparseEntries:
    """The values of a metric that are not zero, sorted by call path, then location.

    Attributes:
        first: int64[n + 1], the entries of call path i are ``first[i] : first[i + 1]``.
        location: int64[k].
        value: float64[k].
    """

    first: IntArray
    location: IntArray
    value: FloatArray


def summed_entries(parts: Sequence[Triplets], shape: tuple[int, int]) -> SparseEntries:
    """Sort values and add those of the same call path and location.

    Args:
        parts: the values; equal places may stand in several of them.
        shape: number of call paths and of locations.
    """
    place = np.concatenate([node * shape[1] + location for node, location, _ in parts])
    value = np.concatenate([value for _, _, value in parts])
    order = np.argsort(place, kind="stable")
    place, value = place[order], value[order]
    begins = np.flatnonzero(np.diff(place, prepend=-1))
    if len(begins) < len(place):
        place, value = place[begins], np.add.reduceat(value, begins)
    node, location = np.divmod(place, max(shape[1], 1))
    return SparseEntries(np.searchsorted(node, np.arange(shape[0] + 1)), location, value)


@dataclass(frozen=True, eq=False)
class SparseValues:
    """The loader of exclusive metrics that are kept sparse.

    Attributes:
        source: the database, for messages.
        shape: number of call paths n and of locations L.
        entries: the values of each metric by its name.
    """

    source: str
    shape: tuple[int, int]
    entries: Mapping[str, SparseEntries] = field(repr=False)

    def __call__(self, metric: Metric) -> FloatArray:
        """Return all values of a metric, float64[n, L].

        Raises:
            InputError: if they would take more than 16 GiB.
        """
        if self.shape[0] * self.shape[1] > MAX_DENSE:
            what = f"{self.shape[0]} call paths x {self.shape[1]} locations are too large for memory"
            raise InputError(what, where=self.source)
        return self._dense(metric, np.arange(self.shape[0]))

    def exclusive_blocks(self, metric: Metric, rows: int) -> Iterator[Block]:
        """Yield the call paths that have values, `rows` at once."""
        used = np.flatnonzero(np.diff(self.entries[metric.name].first))
        for begin in range(0, len(used), rows):
            nodes = used[begin : begin + rows]
            yield nodes, self._dense(metric, nodes)

    def _dense(self, metric: Metric, nodes: IntArray) -> FloatArray:
        """Return the values of call paths in ascending order, float64[k, L]."""
        entries = self.entries[metric.name]
        number = entries.first[nodes + 1] - entries.first[nodes]
        row = np.repeat(np.arange(len(nodes)), number)
        chosen = np.arange(len(row)) + np.repeat(entries.first[nodes] - np.cumsum(number) + number, number)
        values = np.zeros((len(nodes), self.shape[1]))
        values[row, entries.location[chosen]] = entries.value[chosen]
        return values
