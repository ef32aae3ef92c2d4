"""One profile reduced over its CPU locations: what is kept of it once its file is closed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.activity import activity
from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import CallTree
from ingest.profile import Metric, MetricKind, Profile, RegionTable

ROWS_PER_BLOCK = 1 << 20  # values read at once: 8 MiB, so that memory does not grow with the profile


@dataclass(frozen=True, eq=False)
class Reduction:
    """A metric's exclusive values reduced over CPU locations; all arrays of one shape, in the metric's unit.

    Attributes:
        sum: summed over locations: for ``time`` this is the effort in core-seconds (paper 001, section 2).
        mean: mean over locations.
        min: smallest value of a location.
        max: largest value of a location.
    """

    sum: FloatArray
    mean: FloatArray
    min: FloatArray
    max: FloatArray


@dataclass(frozen=True, eq=False)
class ReducedProfile:
    """What the experiment keeps of one run.

    Attributes:
        source: the file or directory it was read from.
        tree: call paths in preorder, siblings with the same region name summed into one.
        regions: the regions of the call paths.
        metrics: the additive metrics that were reduced.
        values: per metric name the reductions, float64[call path].
        paradigms: the activities that occur (see `ingest.activity`), sorted.
        paradigm_time: float64[paradigm, CPU location], exclusive time in seconds per paradigm.
        process: int64[CPU location], the process a CPU location belongs to.
        attributes: what the measurement system says of itself.
        notices: one sentence for everything skipped or doubted.
    """

    source: str
    tree: CallTree
    regions: RegionTable
    metrics: tuple[Metric, ...]
    values: Mapping[str, Reduction]
    paradigms: tuple[str, ...]
    paradigm_time: FloatArray
    process: IntArray
    attributes: Mapping[str, str]
    notices: tuple[str, ...]


def reduce_profile(profile: Profile, metrics: Sequence[str]) -> ReducedProfile:
    """Reduce a profile over its CPU locations.

    Args:
        profile: one run.
        metrics: names of metrics to keep; those the profile has not, or which are no sums, are left out.

    Returns:
        The reductions of the exclusive values; the profile itself is no longer needed.

    Raises:
        InputError: where the values of a metric are damaged.
    """
    cpu = profile.locations.cpu
    node, tree = merge_siblings(profile.tree, profile.regions.name)
    kept = tuple(m for m in profile.metrics if m.name in metrics and m.kind.additive)
    activities = [activity(p, n) for p, n in zip(profile.regions.paradigm, profile.regions.name, strict=True)]
    paradigms = tuple(sorted(set(activities)))
    rank = {name: i for i, name in enumerate(paradigms)}
    paradigm_of = np.array([rank[name] for name in activities], dtype=np.int64)[profile.tree.region]
    paradigm_time = np.zeros((len(paradigms), int(cpu.sum())))
    values = {}
    for metric in kept:
        values[metric.name] = _reduce(profile, metric, node, len(tree), cpu)
        if metric.name == "time":
            for rows, block in _exclusive_blocks(profile, metric, cpu):
                np.add.at(paradigm_time, paradigm_of[rows], block)
    return ReducedProfile(
        profile.source,
        tree,
        profile.regions,
        kept,
        values,
        paradigms,
        paradigm_time,
        profile.locations.process[cpu],
        profile.attributes,
        profile.notices,
    )


def merge_siblings(tree: CallTree, names: Sequence[str]) -> tuple[IntArray, CallTree]:
    """Merge siblings whose regions have the same name: to a reader they are the same call path.

    Returns:
        int64[n], for every node its place in the merged tree, and the merged tree.
    """
    number = {name: i for i, name in reversed(list(enumerate(names)))}
    key = np.array([number[name] for name in names], dtype=np.int64)[tree.region]
    pairs = np.stack([tree.parent, key])
    if np.unique(pairs, axis=1).shape[1] == len(tree):
        return np.arange(len(tree)), tree
    merged: dict[tuple[int, int], int] = {}
    node = np.empty(len(tree), dtype=np.int64)
    for i, (parent, region) in enumerate(zip(tree.parent.tolist(), key.tolist(), strict=True)):
        above = int(node[parent]) if parent >= 0 else -1
        node[i] = merged.setdefault((above, region), len(merged))
    parent_of, region_of = (np.array(column, dtype=np.int64) for column in zip(*merged, strict=True))
    order, flat = in_preorder(parent_of, region_of)
    return order[node], flat


def in_preorder(parent: IntArray, region: IntArray) -> tuple[IntArray, CallTree]:
    """Bring nodes that stand after their parents into preorder, children in the order they stand in.

    Returns:
        int64[n], for every node its place in the ordered tree, and that tree.
    """
    above = parent.tolist()
    size = [1] * len(above)
    for node in range(len(above) - 1, -1, -1):
        if above[node] >= 0:
            size[above[node]] += size[node]
    placed = [0] * len(above)
    following = [0] * (len(above) + 1)  # next free place below a node; the last entry is that of the roots
    for node, caller in enumerate(above):
        placed[node] = following[caller]
        following[caller] += size[node]
        following[node] = placed[node] + 1
    place = np.array(placed, dtype=np.int64)
    ordered_parent, ordered_region = np.empty_like(parent), np.empty_like(region)
    ordered_parent[place] = np.where(parent >= 0, place[parent], -1)
    ordered_region[place] = region
    return place, CallTree(ordered_parent, ordered_region)


def _reduce(profile: Profile, metric: Metric, node: IntArray, size: int, cpu: BoolArray) -> Reduction:
    """Reduce one metric; `node` maps the profile's call paths to the `size` merged ones."""
    locations = max(int(cpu.sum()), 1)
    if size == len(node):
        total, low, high = (np.zeros(size) for _ in range(3))
        for rows, block in _exclusive_blocks(profile, metric, cpu):
            total[rows] = block.sum(axis=1)
            if block.shape[1]:
                low[rows], high[rows] = block.min(axis=1), block.max(axis=1)
    else:
        merged = np.zeros((size, int(cpu.sum())))
        for rows, block in _exclusive_blocks(profile, metric, cpu):
            np.add.at(merged, node[rows], block)
        total, low, high = (f(merged) for f in (_row_sum, _row_min, _row_max))
    return Reduction(total, total / locations, low, high)


def _row_sum(values: FloatArray) -> FloatArray:
    return np.asarray(values.sum(axis=1))


def _row_min(values: FloatArray) -> FloatArray:
    return np.asarray(values.min(axis=1, initial=np.inf if values.shape[1] else 0.0))


def _row_max(values: FloatArray) -> FloatArray:
    return np.asarray(values.max(axis=1, initial=-np.inf if values.shape[1] else 0.0))


def _exclusive_blocks(
    profile: Profile, metric: Metric, cpu: BoolArray
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield exclusive values on CPU locations in blocks of call paths: node indices, float64[rows, CPU]."""
    blocks = getattr(profile.load, "blocks", None)
    everywhere = bool(cpu.all())
    if metric.kind is MetricKind.EXCLUSIVE and blocks is not None:
        rows = max(1, ROWS_PER_BLOCK // max(len(profile.locations), 1))
        for nodes, values in blocks(metric, rows):
            yield nodes, values if everywhere else values[:, cpu]
    else:
        values = profile.values(metric.name)
        yield np.arange(len(values)), values if everywhere else values[:, cpu]
