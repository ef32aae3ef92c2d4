"""What the largest kernels of a run took on each of its locations: kept while the run is reduced."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import CallTree
from ingest.profile import LocationTable

SmallFloatArray: TypeAlias = npt.NDArray[np.float32]

KEPT = 128  # call paths, and as many regions: the 50 largest of all scales should be among those of each run
MOST_SUMS = 1 << 24  # values of regions that are summed up at once: 128 MiB
MANY_LOCATIONS = 512  # from which rows are added one by one, since each takes longer than finding it


@dataclass(frozen=True)
class InMemory:
    """Values that need no reading, float32[K, L]."""

    values: SmallFloatArray = field(repr=False)

    def __call__(self) -> SmallFloatArray:
        """Return them."""
        return self.values


@dataclass(frozen=True, eq=False, kw_only=True)
class LocationValues:
    """Exclusive values of the K largest kernels of a run on its L locations.

    Attributes:
        region: names of the kernels' regions.
        callpath: int64[K], call paths; -1 for the sum of all call paths of a region that has several.
        shared: bool[K], whether the run has several call paths of the region.
        locations: what the values were measured on: threads, or accelerators.
        load: reads the values; use `values` instead.
    """

    region: tuple[str, ...]
    callpath: IntArray
    shared: BoolArray
    locations: LocationTable
    load: Callable[[], SmallFloatArray] = field(repr=False)

    @property
    def values(self) -> SmallFloatArray:
        """float32[K, L], in the metric's unit.

        Raises:
            InputError: they were left in a file that has changed.
        """
        return self.load()

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

    Attributes:
        complete: whether regions of several call paths are among them; with too many locations they are not.
    """

    def __init__(self, tree: CallTree, names: Sequence[str], counted: BoolArray, locations: int) -> None:
        """Begin without values.

        Args:
            tree: n call paths.
            names: of their regions.
            counted: bool[n], the call paths that take part.
            locations: number of locations.
        """
        number = {name: i for i, name in reversed(list(enumerate(names)))}
        self._names = names
        self._region = np.array([number[name] for name in names], dtype=np.int64)[tree.region]
        self._counted = counted
        of_region = np.bincount(self._region[counted], minlength=len(names))
        self._several: BoolArray = of_region > 1
        self._shared = np.flatnonzero(self._several)
        self.complete = len(self._shared) * locations <= MOST_SUMS
        if not self.complete:
            self._shared = self._shared[:0]
        group = np.full(len(names), -1)
        group[self._shared] = np.arange(len(self._shared))
        self._group = np.where(counted, group[self._region], -1)
        self._sums = np.zeros((len(self._shared), locations))
        self._nodes = np.empty(0, dtype=np.int64)
        self._totals = np.empty(0)
        self._rows: list[SmallFloatArray] = []
        self._least = 0.0

    def add(self, nodes: IntArray, values: FloatArray, total: FloatArray) -> None:
        """Take the values of some call paths, each of which comes once.

        Args:
            nodes: int64[k].
            values: float64[k, L].
            total: float64[k], their sums over locations.
        """
        self._add_to_regions(self._group[nodes], values)
        large = np.flatnonzero((total > self._least) & self._counted[nodes])
        if not len(large):
            return
        large = _largest(total, large)
        self._nodes = np.append(self._nodes, nodes[large])
        self._totals = np.append(self._totals, total[large])
        self._rows.extend(values[large].astype(np.float32))
        if len(self._rows) > 2 * KEPT:
            self._keep_largest()

    def _add_to_regions(self, group: IntArray, values: FloatArray) -> None:
        shared = np.flatnonzero(group >= 0)
        locations = values.shape[1]
        if not len(shared):
            return
        if locations >= MANY_LOCATIONS:
            for row, place in zip(shared.tolist(), group[shared].tolist(), strict=True):
                of_region = self._sums[place]
                np.add(of_region, values[row], of_region)
            return
        rows = values if len(shared) == len(values) else values[shared]
        place = (group[shared, None] * locations + np.arange(locations)).ravel()
        self._sums += np.bincount(place, rows.ravel(), self._sums.size).reshape(self._sums.shape)

    def _keep_largest(self) -> None:
        kept = _largest(self._totals, np.arange(len(self._totals)))
        self._nodes, self._totals = self._nodes[kept], self._totals[kept]
        self._rows = [self._rows[i] for i in kept.tolist()]
        if len(kept) == KEPT:
            self._least = float(self._totals.min())

    def found(self, locations: LocationTable) -> LocationValues:
        """Return the values of the largest call paths, then those of the largest shared regions."""
        self._keep_largest()
        total = self._sums.sum(axis=1)
        regions = _largest(total, np.flatnonzero(total > 0))
        places = np.append(self._region[self._nodes], self._shared[regions])
        return LocationValues(
            region=tuple(self._names[place] for place in places.tolist()),
            callpath=np.append(self._nodes, np.full(len(regions), -1)),
            shared=self._several[places],
            locations=locations,
            load=InMemory(
                np.vstack(
                    [
                        np.empty((0, len(locations)), dtype=np.float32),
                        *self._rows,
                        self._sums[regions].astype(np.float32),
                    ]
                )
            ),
        )


def _largest(total: FloatArray, some: IntArray) -> IntArray:
    """Return those of `some` with the `KEPT` largest totals, in their order."""
    if len(some) <= KEPT:
        return some
    chosen = np.argpartition(-total[some], KEPT - 1)[:KEPT]
    return np.sort(some[chosen])
