"""What the largest kernels of a study take on each location, at every measured point."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.experiment import Experiment, RunRecord
from ingest.profile import LocationTable
from ingest.reduction import GPU, LocationValues, SmallFloatArray
from pipeline.models.kernels import mean_over_repetitions, sum_groups

_LARGEST = 50  # call paths, and as many regions, by their largest share at any point
_EVEN = 1e-6  # relative difference of locations below which nothing was measured on them, as in logs


@dataclass(frozen=True, eq=False, kw_only=True)
class PointLocations:
    """The K largest kernels on locations of a point, by node, process and thread, or on B ranges of them."""

    point: int  # index of the measurement point
    node: tuple[str, ...]  # names, of B; empty strings if they are unknown or differ within a range
    process: IntArray  # int64[B], of the first location of each range
    thread: IntArray  # int64[B], the same
    last_process: IntArray  # int64[B], of the last location of each range
    last_thread: IntArray  # int64[B], the same
    count: IntArray  # int64[B], locations of each range
    # float32[K, B], mean over the locations of a range and over repetitions; NaN for a kernel that was not
    # among the largest of any run there
    mean: SmallFloatArray
    low: SmallFloatArray  # float32[K, B], smallest value of a location
    high: SmallFloatArray  # float32[K, B], largest value of a location

    def __len__(self) -> int:
        return len(self.count)

    @property
    def folded(self) -> bool:
        """Whether a range has several locations."""
        return bool((self.count > 1).any())

    def take(self, kernels: IntArray) -> "PointLocations":
        """Return some of the kernels."""
        return replace(self, mean=self.mean[kernels], low=self.low[kernels], high=self.high[kernels])


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelLocations:
    """The K largest kernels of a study on its locations; all values are exclusive."""

    metric: str
    unit: str
    region: tuple[str, ...]
    callpath: IntArray  # int64[K], call paths of the experiment; -1 for the sum of all call paths of a region
    alone: BoolArray  # bool[K], whether a call path is the only one of its region
    points: tuple[PointLocations, ...]

    @property
    def on_accelerators(self) -> bool:
        """Whether the locations are accelerators."""
        return self.metric.startswith(GPU)

    def take(self, kernels: IntArray) -> "KernelLocations":
        """Return some of the kernels."""
        return replace(
            self,
            region=tuple(self.region[k] for k in kernels.tolist()),
            callpath=self.callpath[kernels],
            alone=self.alone[kernels],
            points=tuple(point.take(kernels) for point in self.points),
        )


def study_locations(experiment: Experiment, metric: str) -> tuple[KernelLocations, ...]:
    """Return `kernel_locations` of a metric on cores and of the same on accelerators, if there are any."""
    plain = metric.removeprefix(GPU)
    found = (kernel_locations(experiment, name) for name in (plain, GPU + plain))
    return tuple(one for one in found if one is not None)


def kernel_locations(experiment: Experiment, metric: str) -> KernelLocations | None:
    """Return the values of the largest kernels by location, None where there are not several that differ.

    They are those of the experiment: the values of a kernel in a run are scaled to its sum there, so a
    correction for overhead, values per visit and kernels that were left out show here, too. Of a region whose
    call paths are corrected differently the sum is scaled as a whole. Locations of two repetitions are the
    same if their processes and threads are; each has the mean of the repetitions that have it.
    """
    runs = [run for run in experiment.runs if metric in run.largest]
    if not runs or max(len(run.largest[metric].locations) for run in runs) < 2:
        return None
    kernels, sums = _largest(experiment, metric)
    points = [
        _at_point(point, [run for run in runs if run.point == point], kernels, sums)
        for point in sorted({run.point for run in runs})
    ]
    if not any(_differs(point) for point in points):
        return None
    return replace(kernels, points=tuple(points))


def _differs(point: PointLocations) -> bool:
    spread = np.ptp(point.mean, axis=1, keepdims=True) if len(point) > 1 else np.zeros((1, 1))
    return bool((spread > _EVEN * np.abs(point.mean).max(axis=1, keepdims=True)).any())


def _largest(experiment: Experiment, metric: str) -> tuple[KernelLocations, FloatArray]:
    """Choose the kernels, largest first, without points; and return their sums, float64[K, P, R]."""
    callpaths = experiment.values[metric].sum
    names = [experiment.regions.name[r] for r in experiment.tree.region.tolist()]
    number = {name: i for i, name in enumerate(dict.fromkeys(names))}
    group = np.array([number[name] for name in names], dtype=np.int64)
    regions = sum_groups(callpaths, group, len(number))
    alone = np.bincount(group, minlength=len(number)) == 1
    total = np.nansum(mean_over_repetitions(callpaths), axis=0)
    first = np.unique(group, return_index=True)[1]
    share_of_callpath, share_of_region = (_largest_share(of, total) for of in (callpaths, regions))
    leading = _leading(share_of_region)
    chosen = {int(first[r]) if alone[r] else -1 - r for r in leading.tolist()}  # a region is below zero
    chosen |= set(_leading(share_of_callpath).tolist())
    share = {k: float(share_of_callpath[k] if k >= 0 else share_of_region[-1 - k]) for k in chosen}
    order = sorted(chosen, key=lambda k: (-share[k], k))
    found = KernelLocations(
        metric=metric,
        unit=experiment.metric(metric).unit,
        region=tuple(names[k] if k >= 0 else names[first[-1 - k]] for k in order),
        callpath=np.array([max(k, -1) for k in order], dtype=np.int64),
        alone=np.array([k >= 0 and alone[group[k]] for k in order], dtype=np.bool_),
        points=(),
    )
    rows = [callpaths[k] if k >= 0 else regions[-1 - k] for k in order]
    return found, np.array(rows).reshape(len(order), *experiment.shape)


def _largest_share(values: FloatArray, total: FloatArray) -> FloatArray:
    """Return the largest share of each row of float64[n, P, R] at any point."""
    mean = np.nan_to_num(mean_over_repetitions(values))
    share = np.divide(mean, total, out=np.zeros(mean.shape), where=total > 0)
    return np.asarray(share.max(axis=1, initial=0.0))


def _leading(share: FloatArray) -> IntArray:
    order = np.argsort(-share, kind="stable")[:_LARGEST]
    return np.asarray(order[share[order] > 0], dtype=np.int64)


def _at_point(
    point: int, runs: Sequence[RunRecord], kernels: KernelLocations, sums: FloatArray
) -> PointLocations:
    """Return the means over the repetitions of a point."""
    found = [run.largest[kernels.metric] for run in runs]
    table, places = _joined([values.locations for values in found])
    total = np.zeros((len(kernels.region), len(table)))
    known = np.zeros(total.shape)
    for run, values, place in zip(runs, found, places, strict=True):
        rows = _rows(values, kernels, sums[:, run.point, run.repetition])
        total[:, place] += np.nan_to_num(rows)
        known[:, place] += np.isfinite(rows)
    mean = np.full(total.shape, np.nan, dtype=np.float32)
    np.divide(total, known, out=mean, where=known > 0, casting="same_kind")
    return PointLocations(
        point=point,
        node=table.node or ("",) * len(table),
        process=table.process,
        thread=table.thread,
        last_process=table.process,
        last_thread=table.thread,
        count=np.ones(len(table), dtype=np.int64),
        mean=mean,
        low=mean,
        high=mean,
    )


def _rows(values: LocationValues, kernels: KernelLocations, sums: FloatArray) -> FloatArray:
    """Return the values of the kernels in one run, float64[K, L], which add up to `sums`, float64[K].

    They are NaN for kernels that were not among the largest of the run, or are beyond float32.
    """
    rows = np.full((len(kernels.region), len(values.locations)), np.nan)
    place = _places(values)
    measured = values.values
    for k, kernel in enumerate(zip(kernels.region, kernels.callpath.tolist(), strict=True)):
        if (row := place.get(kernel)) is not None:
            rows[k] = measured[row]
    raw = rows.sum(axis=1)
    rows[np.isinf(raw)] = np.nan
    rows *= np.divide(sums, raw, out=np.ones(len(raw)), where=raw > 0)[:, None]
    rows[sums == 0] = 0.0
    return rows


def _places(values: LocationValues) -> dict[tuple[str, int], int]:
    """Return the row of each call path, and of each region with -1: its sum, or its only call path."""
    place: dict[tuple[str, int], int] = {}
    columns = values.region, values.callpath.tolist(), values.shared.tolist()
    for row, (region, callpath, shared) in enumerate(zip(*columns, strict=True)):
        place[region, callpath] = row
        if not shared:
            place[region, -1] = row
    return place


def _joined(tables: Sequence[LocationTable]) -> tuple[LocationTable, list[IntArray]]:
    """Return all locations by node, process and thread, and the places of those of each table among them.

    Nodes are those of the first table: other repetitions may run on others.
    """
    keys = np.concatenate([np.stack([table.process, table.thread], axis=1) for table in tables])
    united, inverse = np.unique(keys, axis=0, return_inverse=True)
    bounds = np.cumsum([len(table) for table in tables])[:-1]
    places = np.split(inverse.reshape(-1), bounds)
    names = [""] * len(united)
    for table, place in reversed(list(zip(tables, places, strict=True))):
        for i, name in zip(place.tolist(), table.node, strict=False):
            names[i] = name
    number = {name: i for i, name in enumerate(dict.fromkeys(names))}
    order = np.argsort([number[name] for name in names], kind="stable")
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    joined = LocationTable.of_threads(united[order, 0], united[order, 1])
    node = tuple(names[i] for i in order.tolist()) if any(names) else ()
    return replace(joined, node=node), [back[place] for place in places]


def folded(found: KernelLocations, most: int) -> KernelLocations:
    """Fold the locations of every point into at most `most` ranges, as `fold_point` does."""
    return replace(found, points=tuple(fold_point(point, most) for point in found.points))


def fold_point(point: PointLocations, most: int) -> PointLocations:
    """Fold locations into at most `most` ranges with their mean, smallest and largest value.

    Threads of a process are folded first, then processes of a node, then processes whichever their nodes; a
    range has a power of two of them, or what is left. What is folded already may be folded again.
    """
    if len(point) <= most:
        return point
    starts = _starts(point, most)
    last = np.append(starts[1:], len(point)) - 1
    count = np.add.reduceat(point.count, starts)
    weighted = np.add.reduceat(point.mean.astype(np.float64) * point.count, starts, axis=1)
    return PointLocations(
        point=point.point,
        node=tuple(
            point.node[a] if len(set(point.node[a : b + 1])) == 1 else ""
            for a, b in zip(starts.tolist(), last.tolist(), strict=True)
        ),
        process=point.process[starts],
        thread=point.thread[starts],
        last_process=point.last_process[last],
        last_thread=point.last_thread[last],
        count=count,
        mean=(weighted / count).astype(np.float32),
        low=np.minimum.reduceat(point.low, starts, axis=1),
        high=np.maximum.reduceat(point.high, starts, axis=1),
    )


def _starts(point: PointLocations, most: int) -> IntArray:
    """Return where the ranges begin, int64[at most `most`]."""
    everywhere = np.zeros(len(point), dtype=np.int64)
    number = {name: i for i, name in enumerate(dict.fromkeys(point.node))}
    node = np.array([number[name] for name in point.node], dtype=np.int64)
    processes = _begins(point.process)
    if len(processes) <= most:
        return _thinned(np.arange(len(point)), point.process, most)
    inside = node if len(_begins(node[processes])) <= most else everywhere
    return _thinned(processes, inside[processes], most)


def _begins(inside: IntArray) -> IntArray:
    """Return where values begin that differ from those before."""
    return np.flatnonzero(np.diff(inside, prepend=inside[:1] - 1) != 0)


def _thinned(starts: IntArray, inside: IntArray, most: int) -> IntArray:
    """Keep every second start, every fourth ... within what is of the same, until there are few enough."""
    begins = _begins(inside)
    place = np.arange(len(starts)) - np.repeat(begins, np.diff(np.append(begins, len(starts))))
    width = 1
    while np.count_nonzero(place % width == 0) > most:
        width *= 2
    return np.asarray(starts[place % width == 0])
