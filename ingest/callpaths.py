"""Call trees that grow call path by call path: for the formats that have no call tree of their own."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ingest.arrays import IntArray
from ingest.calltree import CallTree
from ingest.merging import in_preorder

ROOT = -1


@dataclass
class CallPathSet:
    """Call paths with all their callers, numbered as they are first seen.

    Attributes:
        regions: region name -> number.
        nodes: (node of the caller or `ROOT`, number of the region) -> node.
    """

    regions: dict[str, int] = field(default_factory=dict)
    nodes: dict[tuple[int, int], int] = field(default_factory=dict)

    def callee(self, caller: int, region: str) -> int:
        """Return the node of a region called from a node."""
        number = self.regions.setdefault(region, len(self.regions))
        return self.nodes.setdefault((caller, number), len(self.nodes))

    def add(self, path: Sequence[str]) -> int:
        """Return the node of a call path, given as region names from the root down."""
        node = ROOT
        for region in path:
            node = self.callee(node, region)
        return node

    def tree(self) -> tuple[IntArray, CallTree, tuple[str, ...]]:
        """Bring the call paths into a tree.

        Returns:
            int64[n], the place of every node in the tree; the tree, in preorder, siblings in the order first
            seen; and the names of its regions.
        """
        pairs = np.array(list(self.nodes), dtype=np.int64).reshape(-1, 2)
        place, tree = in_preorder(pairs[:, 0], pairs[:, 1])
        return place, tree, tuple(self.regions)
