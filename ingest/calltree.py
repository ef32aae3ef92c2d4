"""Call trees as two index arrays in preorder."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.siblings import Turns, in_turns, subtract


@dataclass(frozen=True, eq=False)
class CallTree:
    """A forest of call paths in preorder: every node stands before its children.

    Attributes:
        parent: int64[n], index of the caller, -1 for a root; always ``parent[i] < i``.
        region: int64[n], index into the region table of the profile.
    """

    parent: IntArray
    region: IntArray

    def __len__(self) -> int:
        """Return the number of call paths n."""
        return len(self.parent)

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
    def siblings(self) -> Turns:
        """All first children and their parents, then all second ones, and so on."""
        return in_turns(self.parent)

    def inclusive(self, exclusive: FloatArray) -> FloatArray:
        """Sum values over subtrees.

        Children are added to their callers level by level instead of by differences of one running sum: the
        latter loses the digits of short call paths in long programs.

        Args:
            exclusive: float64[n, ...], the values without those of the callees.

        Returns:
            float64[n, ...], the values with those of the callees.
        """
        total = np.array(exclusive, dtype=np.float64)
        for nodes, starts, parents in self.levels:
            total[parents] += np.add.reduceat(total[nodes], starts, axis=0)
        return total

    def exclusive(self, inclusive: FloatArray) -> FloatArray:
        """Take the values of the direct callees off: the inverse of `inclusive`, float64[n, ...]."""
        own = np.array(inclusive, dtype=np.float64)
        subtract(inclusive, self.siblings, own)
        return own

    def path(self, node: int) -> tuple[int, ...]:
        """Return the nodes from the root to `node`, both included."""
        nodes = []
        while node >= 0:
            nodes.append(node)
            node = int(self.parent[node])
        return tuple(reversed(nodes))

    def paths(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """Return every call path as region names from the root down, given the names of the region table."""
        found: list[tuple[str, ...]] = []
        for parent, region in zip(self.parent.tolist(), self.region.tolist(), strict=True):
            found.append((*(found[parent] if parent >= 0 else ()), names[region]))
        return found
