"""What the largest kernels of a run took on each of its locations: kept while the run is reduced."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import CallTree, first_of_name
from ingest.profile import LocationTable

SmallFloatArray: TypeAlias = npt.NDArray[np.float32]

LOCATED_CALL_PATHS = (
    128  # call paths, and as many regions: the 50 largest of all scales should be among those of each run
)
_MOST_HELD = 1 << 23  # values of call paths that are held until the largest are known: 32 MiB
MOST_SUMS = 1 << 24  # values of regions that are summed up at once: 128 MiB
_MANY_LOCATIONS = 256  # from which adding up each region by itself is faster than all at once

_BEYOND_FLOAT32 = np.errstate(over="ignore")  # such values become infinite


@dataclass(frozen=True)
class InMemory:
    """Values that need no reading, float32[K, L]."""

    values: SmallFloatArray = field(repr=False)

    def __call__(self) -> SmallFloatArray:
        """Return them."""
        return self.values


@dataclass(frozen=True, eq=False, kw_only=True)
class LocationValues:
    """Exclusive values of the K largest kernels of a run on its L locations."""

    region: tuple[str, ...]  # names of the kernels' regions
    callpath: IntArray  # int64[K], call paths; -1 for the sum of all call paths of a region that has several
    shared: BoolArray  # bool[K], whether the run has several call paths of the region
    locations: LocationTable  # what the values were measured on: threads, or accelerators
    load: Callable[[], SmallFloatArray] = field(repr=False)  # reads the values; use `values` instead

    @property
    def values(self) -> SmallFloatArray:
        """float32[K, L], in the metric's unit; infinite beyond 3.4e38."""
        return self.load()

    @_BEYOND_FLOAT32
    def with_callpath(self, region: str, callpath: int, values: FloatArray) -> "LocationValues":
        """Add the only call path of a region with its values, float64[L]."""
        return replace(
            self,
            region=(*self.region, region),
            callpath=np.append(self.callpath, callpath),
            shared=np.append(self.shared, np.False_),
            load=InMemory(np.vstack([self.values, values.astype(np.float32)])),
        )


class LargestKernels:
    """Finds the largest call paths and regions of a run in blocks of values, each of which passes once.

    Which they are is known when all values have passed, so these are held until then. If there are too many,
    those of call paths that are not among the largest so far are added to the sums of their regions.

    Attributes:
        complete: whether regions of several call paths are among them; with too many locations they are not.
    """

    def __init__(self, tree: CallTree, names: Sequence[str], counted: BoolArray, locations: int) -> None:
        """Begin without values.

        Args:
            counted: bool[n], the call paths that take part.
        """
        self._names = names
        self._region = first_of_name(names)[tree.region]
        self._counted = counted
        self._several: BoolArray = np.bincount(self._region[counted], minlength=len(names)) > 1
        shared = np.flatnonzero(self._several)
        self.complete = len(shared) * locations <= MOST_SUMS
        self._shared = shared if self.complete else shared[:0]  # regions that are summed up
        group = np.full(len(names), -1)
        group[self._shared] = np.arange(len(self._shared))
        self._group = np.where(counted, group[self._region], -1)
        self._sums = np.zeros((0, locations))  # of these regions; none while all values are held
        self._total = np.zeros(len(tree))
        self._least = 0.0
        room = min(len(tree), max(_MOST_HELD // max(locations, 1), 2 * LOCATED_CALL_PATHS))
        self._nodes = np.empty(room, dtype=np.int64)
        self._values = np.empty((room, locations), dtype=np.float32)
        self._held = 0

    @_BEYOND_FLOAT32
    def add(self, nodes: IntArray, values: FloatArray, total: FloatArray) -> None:
        """Take the values of some call paths, each of which comes once.

        Args:
            nodes: int64[k].
            values: float64[k, L].
            total: float64[k], their sums over locations.
        """
        self._total[nodes] = total
        needed = self._counted[nodes] & (total > self._least) | (self._group[nodes] >= 0)
        if not needed.all():
            nodes, values = nodes[needed], values[needed]
        while len(nodes):
            if self._held == len(self._nodes):
                self._hold_largest()
            count = min(len(nodes), len(self._nodes) - self._held)
            free = slice(self._held, self._held + count)
            self._nodes[free], self._values[free] = nodes[:count], values[:count]
            nodes, values, self._held = nodes[count:], values[count:], self._held + count

    def _hold_largest(self) -> None:
        """Add the values of all call paths but the largest to the sums of their regions; hold these."""
        nodes = self._nodes
        kept = self._largest_held()
        group = self._group[nodes]
        group[kept] = -1
        if not len(self._sums):
            self._sums = np.zeros((len(self._shared), self._values.shape[1]))
        _add_rows(self._sums, group, self._values)
        self._held = len(kept)
        nodes[: self._held], self._values[: self._held] = nodes[kept], self._values[kept]
        if self._held == LOCATED_CALL_PATHS:
            self._least = float(self._total[nodes[:LOCATED_CALL_PATHS]].min())

    def _largest_held(self) -> IntArray:
        total = self._total[self._nodes[: self._held]]
        return _largest(total, np.flatnonzero(total > 0))

    @_BEYOND_FLOAT32
    def found(self, locations: LocationTable) -> LocationValues:
        """Return the values of the largest call paths, then those of the largest regions of several."""
        largest, regions = self._largest_held(), self._largest_summed()
        callpaths = self._nodes[largest]
        values = np.zeros((len(largest) + len(regions), len(locations)), dtype=np.float32)
        values[: len(largest)] = self._values[largest]
        self._add_up(regions, values[len(largest) :])
        places = np.append(self._region[callpaths], self._shared[regions])
        return LocationValues(
            region=tuple(self._names[place] for place in places.tolist()),
            callpath=np.append(callpaths, np.full(len(regions), -1)),
            shared=self._several[places],
            locations=locations,
            load=InMemory(values),
        )

    def _largest_summed(self) -> IntArray:
        """Return the largest of the regions that are summed up, by their numbers among these."""
        summed = self._group >= 0
        total = np.zeros(len(self._shared))
        np.add.at(total, self._group[summed], self._total[summed])
        return _largest(total, np.flatnonzero(total > 0))

    def _add_up(self, regions: IntArray, values: SmallFloatArray) -> None:
        """Put the sums of some regions into float32[K, L]."""
        if len(self._sums):
            values[:] = self._sums[regions]
        place = np.full(len(self._shared) + 1, -1)  # of each region; the last entry is that of no region
        place[regions] = np.arange(len(regions))
        _add_rows(values, place[self._group[self._nodes[: self._held]]], self._values)


def _add_rows(sums: npt.NDArray[np.floating], place: IntArray, values: SmallFloatArray) -> None:
    """Add the first rows of `values` to those rows of `sums` that `place` has for them, unless it is -1."""
    rows = np.flatnonzero(place >= 0)
    if not len(rows):
        return
    rows = rows[np.argsort(place[rows], kind="stable")]
    places = place[rows]
    first = np.flatnonzero(np.diff(places, prepend=-1))
    if values.shape[1] < _MANY_LOCATIONS:
        sums[places[first]] += np.add.reduceat(values[rows], first, axis=0, dtype=np.float64)
        return
    bounds = [*first.tolist(), len(rows)]
    for begin, end, to in zip(bounds, bounds[1:], places[first].tolist(), strict=False):
        sums[to] += values[rows[begin:end]].sum(axis=0, dtype=np.float64)


def _largest(total: FloatArray, some: IntArray) -> IntArray:
    if len(some) <= LOCATED_CALL_PATHS:
        return some
    chosen = np.argpartition(-total[some], LOCATED_CALL_PATHS - 1)[:LOCATED_CALL_PATHS]
    return np.sort(some[chosen])
