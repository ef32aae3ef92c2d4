"""One profile reduced over its locations: what remains of it once its file is closed.

Time on accelerators, GPU-seconds of kernels, copies and idle time, is in metrics of its own. Streams of a
device are summed, so that a location is an accelerator. Core-seconds and GPU-seconds are never added: a host
that waits for a kernel and the kernel are the same time twice.

What the largest kernels took on each location is kept while the run is reduced.
"""

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows, distinct, places_in_groups
from ingest.calltree import CallTree, add_callees, first_of_name
from ingest.interruptions import LongVisits, has_longest_visits
from ingest.profile import (
    LARGEST,
    OVERLAPPING,
    Block,
    LocationTable,
    Metric,
    MetricKind,
    Profile,
    RegionTable,
    SummedOver,
    ValuesInMemory,
)
from ingest.region_class import CLASSES, GPU_IDLE, RegionClass, region_classes
from ingest.resource_use import recorded_memory
from ingest.run_settings import SUMMED

GPU = "gpu_"
"""What the names of metrics begin with that were measured on accelerators: ``gpu_time``, ``gpu_visits``."""
GPU_TIME = GPU + "time"
IDLE = "GPU idle"
"""The region of the time in which a device does nothing."""
DEVICE_CLASSES = (RegionClass.KERNEL, RegionClass.COPY, RegionClass.IDLE)
"""What devices do; all that is neither a copy nor idle time is a kernel."""


@dataclass(frozen=True, eq=False)
class Devices:
    """The accelerators of a run."""

    streams: IntArray  # int64[L], the locations that are streams, ordered by their device
    first: IntArray  # int64[D], the first stream of each device among them

    @classmethod
    def of(cls, profile: Profile) -> "Devices":
        """Return the accelerators that a profile has streams of, by ascending number."""
        streams = np.flatnonzero(profile.locations.accelerator)
        device = profile.locations.device[streams]
        order = np.argsort(device, kind="stable")
        _, first = np.unique(device[order], return_index=True)
        return cls(streams[order], first)

    def __len__(self) -> int:
        return len(self.first)

    def table(self, locations: LocationTable) -> LocationTable:
        """Return the accelerators as locations: each is of the process of its first stream."""
        table = locations.take(self.streams[self.first])
        return replace(table, thread=places_in_groups(table.process))

    def blocks(self, profile: Profile, metric: str) -> Iterator[Block]:
        """Yield exclusive values summed over streams of a device: int64[k], call paths, and float64[k, D]."""
        streams = profile.locations.accelerator
        place = np.cumsum(streams)[self.streams] - 1  # of each stream in a block
        for nodes, values in profile.exclusive_blocks(metric, streams):
            yield nodes, np.add.reduceat(values[:, place], self.first, axis=1)


def device_rows(classes: IntArray) -> IntArray:
    """Return for classes of regions, places in `CLASSES`, those in `DEVICE_CLASSES`: what a device does."""
    row = {CLASSES.index(found): i for i, found in enumerate(DEVICE_CLASSES)}
    return np.array([row.get(found, 0) for found in classes.tolist()], dtype=np.int64)


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
    those of call paths that are not among the largest so far are added to the sums of their regions. Regions
    of several call paths are only among them if `complete`: with too many locations they are not.
    """

    def __init__(self, tree: CallTree, names: Sequence[str], counted: BoolArray, locations: int) -> None:
        """Begin without values; the call paths `counted`, bool[n], take part."""
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
        """Take values, float64[k, L], of call paths, int64[k], each of which comes once, and their sums."""
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
        summed = self._group >= 0
        total = np.zeros(len(self._shared))
        np.add.at(total, self._group[summed], self._total[summed])
        largest, regions = self._largest_held(), _largest(total, np.flatnonzero(total > 0))
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


_SHORT = 64  # locations below which extremes are found faster across call paths than along each


@dataclass(frozen=True, eq=False)
class Reduction(Rows):
    """Exclusive values of a metric reduced over CPU locations or over accelerators, in the metric's unit.

    All arrays are of one shape. Of the extremes of single visits, locations without a visit do not count.
    """

    # summed over locations: for ``time`` this is the effort in core-seconds (paper 001, section 2). NaN for
    # extremes
    sum: FloatArray
    mean: FloatArray  # mean over locations
    min: FloatArray  # smallest value of a location
    max: FloatArray  # largest value of a location

    def overall(self, kind: MetricKind) -> FloatArray:
        """Return what a metric is over all locations: their sum, or the most extreme of their values."""
        if kind is MetricKind.MINIMUM:
            return self.min
        return self.max if kind is MetricKind.MAXIMUM else self.sum

    def each(self, change: Callable[[FloatArray], FloatArray]) -> "Reduction":
        """Return the same with all arrays changed alike."""
        return Reduction(**{name: change(array) for name, array in vars(self).items()})


@dataclass(frozen=True, eq=False, kw_only=True)
class RunFacts:
    """What is kept of a run beyond the values of its call paths."""

    source: str
    # what the regions do, each class that occurs once, in the order of `RegionClass`
    classes: tuple[RegionClass, ...]
    class_time: FloatArray  # float64[class, CPU location], exclusive time in seconds per class
    # float64[class, accelerator], seconds of kernels, copies and idle time (`DEVICE_CLASSES`)
    device_time: FloatArray
    process: IntArray  # int64[CPU location], the process a CPU location belongs to
    attributes: Mapping[str, str]  # what the measurement system says about itself
    # the values of the largest kernels on each location, of one metric on cores and of the same one on
    # accelerators, by their names; there are none in stored experiments
    largest: Mapping[str, LocationValues] = field(default_factory=dict)

    @property
    def locations(self) -> int:
        """The number of CPU locations; of accelerators if there is nothing else."""
        return len(self.process) or max(self.device_time.shape[1], 1)


@dataclass(frozen=True, eq=False, kw_only=True)
class ReducedProfile(RunFacts):
    """What the experiment keeps of one run."""

    tree: CallTree  # call paths in preorder, siblings with the same region name summed into one
    regions: RegionTable
    metrics: tuple[Metric, ...]  # the metrics that were reduced: sums, and extremes of single visits
    # per metric name the reductions, float64[call path]; of ``gpu_time`` and the like over accelerators, of
    # all others over CPU locations
    values: Mapping[str, Reduction]
    notices: tuple[str, ...]
    long_visits: LongVisits | None = None  # what may have interrupted the run; None if nothing tells


@dataclass(frozen=True, eq=False)
class _Merged:
    """The call tree whose values are reduced."""

    node: IntArray  # int64[n], for each of the profile's call paths its place in the tree
    tree: CallTree  # siblings with the same region name are one
    counted: BoolArray  # bool[merged call path], whether it is not a timer that overlaps others
    names: tuple[str, ...]

    @classmethod
    def of(cls, profile: Profile) -> "_Merged":
        names = profile.regions.name
        node, tree = profile.tree.merge_siblings(names)
        counted = np.ones(len(tree), dtype=np.bool_)
        if OVERLAPPING in profile.regions.paradigm:
            overlapping = np.array([paradigm == OVERLAPPING for paradigm in profile.regions.paradigm])
            counted = tree.nearest(overlapping[tree.region]) < 0
        return cls(node, tree, counted, names)

    def largest(self, locations: int) -> LargestKernels:
        return LargestKernels(self.tree, self.names, self.counted, locations)


def reduce_profile(profile: Profile, metrics: Container[str], on_locations: str = "time") -> ReducedProfile:
    """Reduce a profile over its CPU locations, and over its accelerators if it has any.

    Timers that overlap others are left out: they count in no sum. So are, of the metrics to keep, those that
    are neither sums nor extremes of single visits. Sums that were measured on accelerators are kept under the
    same name after ``gpu_``. The profile itself is no longer needed.
    """
    cpu, devices = profile.locations.cpu, Devices.of(profile)
    merged = _Merged.of(profile)
    wanted = tuple(m for m in profile.metrics if m.name in metrics and (m.kind.additive or m.kind.extreme))
    long_visits = None
    size = len(profile.tree) * len(profile.locations)
    alone = profile.summed.count == 1 and bool(merged.counted.all())
    if alone and size <= _MOST_IN_MEMORY and has_longest_visits(profile):
        read_twice = {"time", "visits", *(metric.name for metric in wanted)}
        kept = [m for m in profile.metrics if m.name in read_twice or m.kind is MetricKind.MAXIMUM]
        values_in_memory = {metric.name: profile.load(metric) for metric in kept}
        profile = replace(profile, load=ValuesInMemory(profile.tree, values_in_memory))
        long_visits = LongVisits.of(profile, merged.node, len(merged.tree))
    found, class_of_region = np.unique(region_classes(profile.regions), return_inverse=True)
    class_of = class_of_region.reshape(-1)[profile.tree.region]
    class_time = np.zeros((len(found), int(cpu.sum())))
    device_time = np.zeros((len(DEVICE_CLASSES), len(devices)))
    values: dict[str, Reduction] = {}
    largest: dict[str, LargestKernels] = {}
    if cpu.any() or not len(devices):
        largest[on_locations] = merged.largest(int(cpu.sum()))
        values |= _on_cores(profile, wanted, merged, class_of, class_time, largest)
    if len(devices):
        rows = device_rows(found)[class_of]
        largest[GPU + on_locations] = merged.largest(len(devices))
        values |= _on_devices(profile, devices, wanted, merged, rows, device_time, largest)
    tree, counted, summed = merged.tree, merged.counted, profile.summed
    if summed.count > 1:  # sums on threads are not values of single ones
        largest = {}
        values = {
            metric.name: _of_each(metric, values, summed, merged) for metric in _reduced(wanted, values)
        }
    if not counted.all():
        tree, values = tree.take(counted), {name: of.take(counted) for name, of in values.items()}
    reduced = ReducedProfile(
        source=profile.source,
        tree=tree,
        regions=profile.regions,
        metrics=_reduced(wanted, values),
        values=values,
        classes=tuple(CLASSES[i] for i in found.tolist()),
        class_time=summed.spread(class_time),
        device_time=replace(summed, longest=math.nan).spread(device_time),
        process=summed.processes(profile.locations.process[cpu]),
        attributes={
            **profile.attributes,
            **recorded_memory(profile),
            **({SUMMED: str(summed.count)} if summed.count > 1 else {}),
        },
        notices=(*profile.notices, *([] if all(of.complete for of in largest.values()) else [_TOO_MANY])),
        long_visits=long_visits,
        largest={
            name: _found(of, profile.locations, devices if name.startswith(GPU) else None, counted)
            for name, of in largest.items()
            if name in values
        },
    )
    return reduced if RegionClass.IDLE in reduced.classes else _with_idle_time(reduced)


_TOO_MANY = (
    f"regions of several call paths would have more than {MOST_SUMS} values,"
    " so their values per location are not kept"
)
_MOST_IN_MEMORY = 1 << 18  # values of a metric: in larger profiles one visit of one location is nothing


def _reduced(wanted: Sequence[Metric], values: Container[str]) -> tuple[Metric, ...]:
    on_devices = (replace(metric, name=GPU + metric.name) for metric in wanted)
    return tuple(metric for metric in (*wanted, *on_devices) if metric.name in values)


def _of_each(
    metric: Metric, values: Mapping[str, Reduction], summed: SummedOver, merged: _Merged
) -> Reduction:
    """Return the reduction of sums as one over single locations: their mean is known, and what is stated."""
    found = values[metric.name]
    if metric.kind.extreme:
        return found
    mean = found.mean / summed.count
    low, high = found.min / summed.count, found.max / summed.count
    if metric.name == "time":
        low = low if summed.least is None else np.minimum(_merge(summed.least, merged), mean)
        high = high if summed.most is None else np.maximum(_merge(summed.most, merged), mean)
    return Reduction(found.sum, mean, low, high)


def _merge(values: FloatArray, merged: _Merged) -> FloatArray:
    found = np.zeros(len(merged.tree))
    np.add.at(found, merged.node, values)
    return found


def _found(
    largest: LargestKernels, locations: LocationTable, devices: Devices | None, counted: BoolArray
) -> LocationValues:
    """Return the values on cores, or on accelerators if there are any, of the call paths that are counted."""
    if devices is not None:
        table = devices.table(locations)
    else:
        table = locations if locations.cpu.all() else locations.take(np.flatnonzero(locations.cpu))
    found = largest.found(table)
    if counted.all():
        return found
    number = np.append(np.cumsum(counted) - 1, -1)
    return replace(found, callpath=number[found.callpath])


def _on_cores(
    profile: Profile,
    metrics: Iterable[Metric],
    merged: _Merged,
    class_of: IntArray,
    class_time: FloatArray,
    largest: Mapping[str, LargestKernels],
) -> dict[str, Reduction]:
    """Reduce metrics over CPU locations, and add the times of the classes of call paths to `class_time`.

    The values of a metric also go to the kernels of its name in `largest`.
    """
    cpu, values = profile.locations.cpu, {}
    for metric in metrics:
        blocks = profile.exclusive_blocks(metric.name, cpu)
        if metric.name == "time":
            blocks = _summed_by_class(blocks, class_of, class_time)
        if metric.kind.extreme:
            values[metric.name] = _reduce_extremes(blocks, merged)
        else:
            values[metric.name] = _reduce(blocks, merged, int(cpu.sum()), largest.get(metric.name))
    return values


def _on_devices(
    profile: Profile,
    devices: Devices,
    metrics: Iterable[Metric],
    merged: _Merged,
    class_of: IntArray,
    device_time: FloatArray,
    largest: Mapping[str, LargestKernels],
) -> dict[str, Reduction]:
    """Reduce sums over accelerators: their time, and others that are not zero there."""
    values = {}
    for metric in metrics:
        if not metric.kind.additive:
            continue
        blocks = devices.blocks(profile, metric.name)
        if metric.name == "time":
            blocks = _summed_by_class(blocks, class_of, device_time)
        reduction = _reduce(blocks, merged, len(devices), largest.get(GPU + metric.name))
        if metric.name == "time" or reduction.max.any():
            values[GPU + metric.name] = reduction
    return values


def _with_idle_time(reduced: ReducedProfile) -> ReducedProfile:
    """Add the time that the devices of a run had nothing to do, if the profile does not have it."""
    if GPU_TIME not in reduced.values:
        return reduced
    wall = float(reduced.class_time.sum(axis=0).max(initial=0.0))
    idle: FloatArray = np.maximum(wall - reduced.device_time.sum(axis=0), 0.0)  # 0 where kernels overlap
    if not idle.any():
        return reduced
    tree = CallTree(np.append(reduced.tree.parent, -1), np.append(reduced.tree.region, len(reduced.regions)))
    regions = RegionTable.joined([reduced.regions, RegionTable.named((IDLE,), (GPU_IDLE,))])
    nothing = Reduction(*np.zeros((4, 1)))
    of_idle = Reduction(*np.array([[idle.sum()], [idle.mean()], [idle.min()], [idle.max()]]))
    values = {
        name: Reduction.joined([reduction, of_idle if name == GPU_TIME else nothing])
        for name, reduction in reduced.values.items()
    }
    device_time = np.vstack([reduced.device_time[:-1], idle])
    largest = dict(reduced.largest)
    if GPU_TIME in largest:
        largest[GPU_TIME] = largest[GPU_TIME].with_callpath(IDLE, len(tree) - 1, idle)
    return replace(
        reduced, tree=tree, regions=regions, values=values, device_time=device_time, largest=largest
    )


def _summed_by_class(blocks: Iterator[Block], class_of: IntArray, class_time: FloatArray) -> Iterator[Block]:
    """Pass blocks on and add them to the time of their classes: the values are read only once."""
    for rows, block in blocks:
        classes = class_of[rows]
        for place in distinct(classes).tolist():
            of_it = classes == place
            class_time[place] += (block if of_it.all() else block[of_it]).sum(axis=0)
        yield rows, block


def _reduce(
    blocks: Iterator[Block], of: _Merged, locations: int, largest: LargestKernels | None
) -> Reduction:
    """Reduce one metric over locations, and pass its values on to the largest kernels.

    Only call paths into which several of the profile's are merged are held until all values are read.
    """
    node, size = of.node, len(of.tree)
    total, low, high = (np.zeros(size) for _ in range(3))
    merged = np.bincount(node, minlength=size) > 1
    held = np.where(merged, np.cumsum(merged) - 1, -1)
    sums = np.zeros((int(merged.sum()), locations))
    for rows, block in blocks:
        nodes = node[rows]
        alone = held[nodes] < 0
        if not alone.all():
            add_callees(block, held[nodes], sums)
            nodes = nodes[alone]
        values = block if len(nodes) == len(block) else block[alone]
        total[nodes], low[nodes], high[nodes] = _over_locations(values)
        if largest is not None:
            largest.add(nodes, values, total[nodes])
    if len(sums):
        total[merged], low[merged], high[merged] = _over_locations(sums)
        if largest is not None:
            largest.add(np.flatnonzero(merged), sums, total[merged])
    return Reduction(total, total / max(locations, 1), low, high)


def _reduce_extremes(blocks: Iterator[Block], of: _Merged) -> Reduction:
    """Reduce the extremes of single visits; call paths without a visit, with values of zero, keep zero."""
    node, size = of.node, len(of.tree)
    total, visited = np.zeros(size), np.zeros(size)
    low, high = np.full(size, np.inf), np.zeros(size)
    for rows, block in blocks:
        there = (block > 0) & (block < LARGEST)
        nodes, values = node[rows], np.where(there, block, 0.0)
        np.add.at(total, nodes, values.sum(axis=1))
        np.add.at(visited, nodes, there.sum(axis=1))
        np.minimum.at(low, nodes, np.where(there, block, np.inf).min(axis=1, initial=np.inf))
        np.maximum.at(high, nodes, values.max(axis=1, initial=0.0))
    low = np.where(visited > 0, low, 0.0)
    return Reduction(np.where(visited > 0, np.nan, 0.0), total / np.maximum(visited, 1), low, high)


def _over_locations(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Sum, minimum and maximum of each row; zero if there is no location."""
    if not values.shape[1]:
        nothing = np.zeros(len(values))
        return nothing, nothing, nothing
    total = values.sum(axis=1)
    if values.shape[1] < _SHORT:
        values = np.ascontiguousarray(values.T).T
    return total, values.min(axis=1), values.max(axis=1)
