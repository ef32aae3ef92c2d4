"""From millions of stacks to a call tree, all stacks of a block and depth at once.

A stack has a hash of 64 bits, the sum over its frames of a random number of the frame times one of its depth
(multilinear hashing), so that the hash of its caller is a subtraction away and the call paths of blocks are
joined by it. Two of a million call paths have the same hash with a probability of about 10^-7.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import ROOT, CallTree

_Hashes = NDArray[np.uint64]
_SEED = 20_240_229


@dataclass(frozen=True, kw_only=True, eq=False)
class _CallPaths:
    """Call paths of a block, those of a depth together, the deepest first; int64[n] but for the hashes.

    Attributes:
        path: uint64[n], hash of a call path.
        caller: which of them is its caller, the last one for a root and as good as any.
        region: its innermost frame.
        depth: number of its frames.
        first: the stack that it was first seen in.
    """

    path: _Hashes
    caller: IntArray
    region: IntArray
    depth: IntArray
    first: IntArray


@dataclass(kw_only=True)
class StackTree:
    """A call tree that grows block of stacks by block of stacks.

    Attributes:
        regions: how many there are.
        metrics: values of a stack.
        stacks: how many were added.
    """

    regions: int
    metrics: int
    stacks: int = 0
    _random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(_SEED))
    _of_region: _Hashes = field(init=False)
    _of_depth: _Hashes = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))
    _blocks: list[_CallPaths] = field(default_factory=list)
    _values: list[FloatArray] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Draw the numbers of the regions."""
        self._of_region = self._drawn(self.regions)

    def add(self, frames: IntArray, depth: IntArray, values: FloatArray) -> None:
        """Add a block of stacks.

        Args:
            frames: int64[sum of depth], the regions of all stacks, each from the innermost frame.
            depth: int64[stacks], the number of frames of each, at least 1.
            values: float64[stacks, metrics].
        """
        if not len(depth):
            return
        if (deeper := depth.max() - len(self._of_depth)) > 0:
            self._of_depth = np.concatenate([self._of_depth, self._drawn(max(deeper, 64))])
        start = np.cumsum(depth) - depth
        place = np.repeat(start + depth - 1, depth) - np.arange(len(frames))  # 0 is the outermost
        path = np.add.reduceat(self._of_region[frames] * self._of_depth[place], start)
        found, node = self._call_paths(frames, depth, start, path)
        self._blocks.append(found)
        sums = [np.bincount(node, values[:, metric], len(found.path)) for metric in range(self.metrics)]
        self._values.append(np.stack(sums, axis=1))
        self.stacks += len(depth)

    def build(self) -> tuple[CallTree, FloatArray]:
        """Return the tree, siblings in the order first seen, and the values, float64[call path, metric]."""
        path = np.concatenate([block.path for block in self._blocks])
        region, depth, first = (
            np.concatenate([getattr(block, name) for block in self._blocks])
            for name in ("region", "depth", "first")
        )
        sizes = [len(block.path) for block in self._blocks]
        caller = np.concatenate(
            [
                block.caller + before
                for block, before in zip(self._blocks, np.cumsum([0, *sizes]), strict=False)
            ]
        )
        order, starts, node = _grouped(path)
        one = order[starts]
        depth, region, first = depth[one], region[one], np.minimum.reduceat(first[order], starts)
        parent = np.where(depth > 1, node[caller[one]], ROOT)
        place = _preorder(parent, depth, first)
        ordered_parent, ordered_region = np.empty_like(parent), np.empty_like(region)
        ordered_parent[place] = np.where(parent >= 0, place[parent], ROOT)
        ordered_region[place] = region
        place, values = place[node], np.concatenate(self._values)
        sums = [np.bincount(place, values[:, metric], len(one)) for metric in range(self.metrics)]
        return CallTree(ordered_parent, ordered_region), np.stack(sums, axis=1)

    def _drawn(self, count: int) -> _Hashes:
        return self._random.integers(0, 1 << 64, count, dtype=np.uint64) | np.uint64(1)

    def _call_paths(
        self, frames: IntArray, depth: IntArray, start: IntArray, path: _Hashes
    ) -> tuple[_CallPaths, IntArray]:
        """Return the call paths of stacks and of all their callers, and which is that of each stack."""
        by_depth = np.argsort(_small(depth), kind="stable")
        bounds = np.searchsorted(depth[by_depth], np.arange(1, depth.max() + 2))
        callers = path[:0], start[:0], start[:0]  # hashes, innermost frames, where they were first seen
        node = np.empty(len(depth), dtype=np.int64)
        levels, caller, count = [], [], 0
        for level in range(len(bounds) - 1, 0, -1):
            ends = by_depth[bounds[level - 1] : bounds[level]]
            here = path[ends], start[ends], self.stacks + ends
            hashes, innermost, first = (np.concatenate(two) for two in zip(here, callers, strict=True))
            order, starts, group = _grouped(hashes)
            node[ends] = count + group[: len(ends)]
            caller.append(count + group[len(ends) :])
            one = order[starts]
            region, first = frames[innermost[one]], np.minimum.reduceat(first[order], starts)
            levels.append((hashes[one], region, np.full(len(one), level), first))
            above = hashes[one] - self._of_region[region] * self._of_depth[level - 1]
            callers = above, innermost[one] + 1, first
            count += len(one)
        caller.append(np.full(len(callers[0]), count - 1))
        columns = [np.concatenate(column) for column in zip(*levels, strict=True)]
        return _CallPaths(
            path=columns[0],
            caller=np.concatenate(caller),
            region=columns[1],
            depth=columns[2],
            first=columns[3],
        ), node


def _small(depth: IntArray) -> IntArray | NDArray[np.uint16]:
    """Return depths in two bytes if they fit: numpy sorts these by radix."""
    return depth.astype(np.uint16) if depth.max() < 1 << 16 else depth


def _grouped(hashes: _Hashes) -> tuple[IntArray, IntArray, IntArray]:
    """Return an order that puts equal hashes together, where each begins in it, and each one's group."""
    order = np.argsort(hashes)
    ordered = hashes[order]
    begins = np.ones(len(hashes), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    group = np.empty_like(order)
    group[order] = np.cumsum(begins) - 1
    return order, np.flatnonzero(begins), group


def _preorder(parent: IntArray, depth: IntArray, first: IntArray) -> IntArray:
    """Return the place of each call path in preorder, siblings in the order first seen, int64[n]."""
    by_depth = np.argsort(_small(depth), kind="stable")
    levels = np.split(by_depth, np.flatnonzero(np.diff(depth[by_depth])) + 1)
    size = np.ones(len(parent), dtype=np.int64)
    for level in levels[:0:-1]:
        np.add.at(size, parent[level], size[level])
    place = np.zeros(len(parent) + 1, dtype=np.int64)
    place[ROOT] = -1
    stacks = first.max() + 1
    for level in levels:
        nodes = level[np.argsort(parent[level] * stacks + first[level])]
        callers, sizes = parent[nodes], size[nodes]
        before = np.cumsum(sizes) - sizes
        family = np.flatnonzero(np.diff(callers, prepend=-2) != 0)
        earlier = before - np.repeat(before[family], np.diff(family, append=len(nodes)))
        place[nodes] = place[callers] + 1 + earlier
    return place[:-1]
