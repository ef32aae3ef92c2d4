"""Call trees as two index arrays in preorder: how they are built, and what is computed along them.

`CallPaths` are the call paths of a tree as names from the root down, put together when one is asked for. A
chain of n calls has n^2 names in all its call paths together. Kept as the parents of a tree they take the
memory of n; written in full they would fill the disk, so files have very deep ones with their middle folded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias, overload

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, distinct

ROOT = -1
Rounds: TypeAlias = Sequence[tuple[IntArray, IntArray]]

_ROUNDS = 64  # callees of one caller that get a round each; those of rare larger families go one by one
_LONG = 256  # values of a row from which adding it by itself is faster than in a round


@dataclass(frozen=True, eq=False)
class CallTree:
    """A forest of call paths in preorder: every node stands before its children."""

    parent: IntArray  # int64[n], index of the caller, `ROOT` for a root; always ``parent[i] < i``
    region: IntArray  # int64[n], index into the region table of the profile

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def roots(self) -> BoolArray:
        """bool[n], the call paths without a caller."""
        return np.asarray(self.parent < 0)

    @cached_property
    def depth(self) -> IntArray:
        """int64[n], 0 for a root."""
        depth = (self.parent >= 0).astype(np.int64)
        ancestor = self.parent.copy()
        pending = np.flatnonzero(ancestor >= 0)
        while len(pending):  # each step doubles the distance to the ancestor looked at
            above = ancestor[pending]
            depth[pending] += depth[above]
            ancestor[pending] = ancestor[above]
            pending = pending[ancestor[pending] >= 0]
        return depth

    @cached_property
    def end(self) -> IntArray:
        """int64[n], the subtree of node i is the range ``i : end[i]``."""
        return np.arange(len(self)) + self.inclusive(np.ones((len(self), 1)))[:, 0].astype(np.int64)

    @cached_property
    def levels(self) -> list[tuple[IntArray, IntArray, IntArray]]:
        """Per depth from the deepest up: nodes, start of each family in them, and the families' parents."""
        order = np.argsort(self.depth, kind="stable")  # preorder: within a depth, families stay together
        parent = self.parent[order]
        bounds = np.searchsorted(self.depth[order], np.arange(1, self.depth.max(initial=0) + 2))
        family = np.diff(parent, prepend=-2) != 0  # whether a node begins the family of its parent
        levels = []
        for first, last in zip(bounds[-2::-1], bounds[:0:-1], strict=True):
            starts = np.flatnonzero(family[first:last])
            levels.append((order[first:last], starts, parent[first:last][starts]))
        return levels

    @cached_property
    def rounds(self) -> Rounds:
        """All first children and their parents, then all second ones, and so on."""
        return callee_rounds(self.parent)

    def inclusive(self, exclusive: FloatArray) -> FloatArray:
        """Sum values without those of the callees, float64[n, ...], over subtrees.

        Children are added to their callers level by level instead of by differences of one running sum: the
        latter loses the digits of short call paths in long programs.
        """
        total = np.array(exclusive, dtype=np.float64)
        for nodes, starts, parents in self.levels:
            total[parents] += np.add.reduceat(total[nodes], starts, axis=0)
        return total

    def exclusive(self, inclusive: FloatArray) -> FloatArray:
        """Subtract the values of the direct callees: the inverse of `inclusive`, float64[n, ...]."""
        own = np.array(inclusive, dtype=np.float64)
        _accumulate_rounds(np.subtract, inclusive, self.rounds, own)
        return own

    def path(self, node: int) -> tuple[int, ...]:
        """Return the nodes from the root to `node`, both included."""
        nodes = []
        while node >= 0:
            nodes.append(node)
            node = int(self.parent[node])
        return tuple(reversed(nodes))

    def take(self, kept: BoolArray) -> "CallTree":
        """Return the tree of some nodes, none of which may lie below one that is left out, bool[n]."""
        number = np.append(np.cumsum(kept) - 1, ROOT)
        return CallTree(number[self.parent[kept]], self.region[kept])

    def paths(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """Return every call path as region names from the root down, given the names of the region table.

        It is for trees that are not deep: a chain of n calls has n^2 names; `CallPaths` makes them on demand.
        """
        found: list[tuple[str, ...]] = []
        for parent, region in zip(self.parent.tolist(), self.region.tolist(), strict=True):
            found.append((*(found[parent] if parent >= 0 else ()), names[region]))
        return found

    def nearest(self, marked: BoolArray) -> IntArray:
        """Return for each node the nearest marked one on the way to its root, itself first; -1 for none."""
        nowhere = len(self)
        step = np.append(np.where(marked, np.arange(len(self)), self.parent), nowhere)
        step[step < 0] = nowhere
        while not np.array_equal(further := step[step], step):  # each pass doubles the distance
            step = further
        return np.where(step[:-1] == nowhere, -1, step[:-1])

    def with_callers(self, marked: BoolArray) -> BoolArray:
        """Return the marked call paths and all that lead to them, bool[n]."""
        before = np.concatenate([[0], np.cumsum(marked)])
        return np.asarray(before[self.end] > before[: len(self)])

    def outermost(self, group: IntArray) -> BoolArray:
        """Return the call paths that do not lie below one of the same `group`, int64[n]: bool[n].

        The inclusive values of these, summed over a group, are its inclusive value; recursion counts once.
        """
        order = np.argsort(group, kind="stable")
        rank = np.cumsum(np.diff(group[order], prepend=group[order][:1]) != 0)
        shift = rank * (len(self) + 1)
        reached = np.maximum.accumulate(self.end[order] + shift)
        found = np.ones(len(self), dtype=np.bool_)
        found[order[1:]] = order[1:] + shift[1:] >= reached[:-1]
        return found

    def merge_siblings(self, names: Sequence[str]) -> tuple[IntArray, "CallTree"]:
        """Return int64[n], the nodes' places in the tree with siblings of one name merged, and that tree."""
        key = first_of_name(names)[self.region]
        if len(distinct(self.parent * len(names) + key)) == len(self):
            return np.arange(len(self)), self
        merged: dict[tuple[int, int], int] = {}
        node = np.empty(len(self), dtype=np.int64)
        for i, (parent, region) in enumerate(zip(self.parent.tolist(), key.tolist(), strict=True)):
            above = int(node[parent]) if parent >= 0 else ROOT
            node[i] = merged.setdefault((above, region), len(merged))
        parent_of, region_of = (np.array(column, dtype=np.int64) for column in zip(*merged, strict=True))
        order, tree = _in_preorder(parent_of, region_of)
        return order[node], tree


def first_of_name(names: Sequence[str]) -> IntArray:
    """Return for each region the first one of the same name, int64[len(names)]."""
    first = dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))
    if len(first) == len(names):
        return np.arange(len(names))
    return np.fromiter(map(first.__getitem__, names), np.int64, len(names))


def _in_preorder(parent: IntArray, region: IntArray) -> tuple[IntArray, CallTree]:
    """Return int64[n], places of nodes in preorder, children in the order they stand in, and that tree."""
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
    ordered_parent[place] = np.where(parent >= 0, place[parent], ROOT)
    ordered_region[place] = region
    return place, CallTree(ordered_parent, ordered_region)


@dataclass
class CallTreeBuilder:
    """A call tree that grows call path by call path: for formats that have no call tree of their own.

    Call paths are the same if their region names are; nodes are numbered as they are first seen.
    """

    regions: dict[str, int] = field(default_factory=dict)  # region name -> number
    # (node of the caller or `ROOT`, number of the region) -> node
    nodes: dict[tuple[int, int], int] = field(default_factory=dict)

    def callee(self, caller: int, region: str) -> int:
        """Return the node of a region called from a node, or from `ROOT`."""
        number = self.regions.setdefault(region, len(self.regions))
        return self.nodes.setdefault((caller, number), len(self.nodes))

    def add(self, path: Sequence[str]) -> int:
        """Return the node of a call path, given as region names from the root down."""
        node, regions, nodes = ROOT, self.regions, self.nodes
        for region in path:  # `callee`, without a call for each of the millions of frames of sampled stacks
            number = regions.setdefault(region, len(regions))
            node = nodes.setdefault((node, number), len(nodes))
        return node

    def build(self) -> tuple[IntArray, CallTree, tuple[str, ...]]:
        """Return the place of every node in the tree, int64[n], the tree, and the names of its regions.

        The tree is in preorder, siblings in the order first seen.
        """
        pairs = np.array(list(self.nodes), dtype=np.int64).reshape(-1, 2)
        place, tree = _in_preorder(pairs[:, 0], pairs[:, 1])
        return place, tree, tuple(self.regions)


def callee_rounds(caller: IntArray) -> Rounds:
    """Group callees so that none of a group share a caller: int64[n], negative if none called.

    The first callees and their callers, then the second ones, and so on; the last group is all the rest.
    """
    callees = np.argsort(caller, kind="stable")
    callers = caller[callees]
    called = np.searchsorted(callers, 0)
    callees, callers = callees[called:], callers[called:]
    turn = np.minimum(np.arange(len(callees)) - np.searchsorted(callers, callers), _ROUNDS)
    order = np.argsort(turn, kind="stable")
    callees, callers = callees[order], callers[order]
    bounds = np.cumsum(np.bincount(turn)).tolist()
    return [(callees[a:b], callers[a:b]) for a, b in zip([0, *bounds], bounds, strict=False)]


def add_callees(callees: FloatArray, caller: IntArray, callers: FloatArray) -> None:
    """Add rows of callees, float64[n, L], to rows `caller`, int64[n], of callers, float64[m, L], in place.

    They are added in their order; one whose caller is negative is left out.
    """
    _accumulate(np.add, callees, caller, callers)


def subtract_callees(callees: FloatArray, caller: IntArray, callers: FloatArray) -> None:
    """Subtract rows of `callees` from rows of `callers` as `add_callees` adds them.

    CubeLib does it one by one, too: where little is left of much, a sum of the callees subtracted at once
    would differ from CubeLib's values in most of their digits.
    """
    _accumulate(np.subtract, callees, caller, callers)


def _accumulate(operation: np.ufunc, callees: FloatArray, caller: IntArray, callers: FloatArray) -> None:
    if callees.shape[1] < _LONG:
        _accumulate_rounds(operation, callees, callee_rounds(caller), callers)
        return
    called = np.flatnonzero(caller >= 0)
    for callee, place in zip(called.tolist(), caller[called].tolist(), strict=True):
        row = callers[place]
        operation(row, callees[callee], row)


def _accumulate_rounds(operation: np.ufunc, callees: FloatArray, rounds: Rounds, callers: FloatArray) -> None:
    for number, (callee, caller) in enumerate(rounds):
        if number < _ROUNDS:
            callers[caller] = operation(callers[caller], callees[callee])
        else:
            operation.at(callers, caller, callees[callee])


CallPath: TypeAlias = tuple[str, ...]

MOST_NAMES = 200
"""Call paths of up to this many names are written in full."""
_NAMES_BELOW = MOST_NAMES // 2  # that stay below the folded middle
_NAMES_ABOVE = MOST_NAMES - _NAMES_BELOW - 1


@dataclass(frozen=True, eq=False)
class CallPaths(Sequence[CallPath]):
    """Call paths of a tree as tuples of region names, all or some of them; equal to others by their names."""

    tree: CallTree  # n call paths
    names: Sequence[str]
    node: IntArray  # int64[k], which of the call paths these are, ascending

    @classmethod
    def of(cls, tree: CallTree, names: Sequence[str]) -> "CallPaths":
        """Return all call paths of a tree, given the names of its region table."""
        return cls(tree, names, np.arange(len(tree)))

    def __len__(self) -> int:
        return len(self.node)

    @overload
    def __getitem__(self, place: int) -> CallPath: ...
    @overload
    def __getitem__(self, place: slice) -> "CallPaths": ...

    def __getitem__(self, place: int | slice) -> "CallPath | CallPaths":
        if isinstance(place, slice):
            return CallPaths(self.tree, self.names, np.sort(self.node[place]))
        return tuple(self.names[self.tree.region[node]] for node in self.tree.path(int(self.node[place])))

    def __iter__(self) -> Iterator[CallPath]:
        return (tuple(names) for _, names in self._descent())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # as that of a list

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:  # noqa: ANN401
        """Return the first place of a call path; ValueError if it is not there."""
        for place, path in enumerate(self):
            if path == value and start <= place and (stop is None or place < stop):
                return place
        raise ValueError(f"no call path {value}")

    @property
    def last_names(self) -> list[str]:
        """The name of the region that each call path ends in."""
        return [self.names[region] for region in self.tree.region[self.node].tolist()]

    def take(self, some: BoolArray) -> "CallPaths":
        """Return some of the call paths, bool[k]."""
        return CallPaths(self.tree, self.names, self.node[some])

    def folded(self) -> Iterator[CallPath]:
        """Yield the call paths as they are written: of at most `MOST_NAMES` names, longer ones folded.

        One name then stands for those left out. It has their number and that of the call path, counted from 1
        in preorder, so that no two call paths look the same.
        """
        for node, names in self._descent():
            if (hidden := len(names) - MOST_NAMES + 1) > 1:
                middle = f"<{hidden} names left out, call path #{node + 1}>"
                yield (*names[:_NAMES_ABOVE], middle, *names[-_NAMES_BELOW:])
            else:
                yield tuple(names)

    def _descent(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number of each call path and its names, in a list that is changed for the next one."""
        wanted = np.zeros(len(self.tree), dtype=np.bool_)
        wanted[self.node] = True
        names: list[str] = []
        for node, (depth, region, found) in enumerate(
            zip(self.tree.depth.tolist(), self.tree.region.tolist(), wanted.tolist(), strict=True)
        ):
            del names[depth:]
            names.append(self.names[region])
            if found:
                yield node, names


def last_names(callpaths: Sequence[CallPath]) -> list[str]:
    """Return the name of the region that each call path ends in."""
    return callpaths.last_names if isinstance(callpaths, CallPaths) else [path[-1] for path in callpaths]


def folded(callpaths: Sequence[CallPath]) -> Sequence[CallPath]:
    """Return call paths as they are written, see `CallPaths.folded`; those of other sequences in full."""
    return list(callpaths.folded()) if isinstance(callpaths, CallPaths) else callpaths
