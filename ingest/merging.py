"""Call trees brought into preorder, and siblings that are the same call path merged."""

from collections.abc import Sequence

import numpy as np

from ingest.arrays import IntArray
from ingest.calltree import CallTree


def merge_siblings(tree: CallTree, names: Sequence[str]) -> tuple[IntArray, CallTree]:
    """Merge siblings whose regions have the same name: to a reader they are the same call path.

    Returns:
        int64[n], for every node its place in the merged tree, and the merged tree.
    """
    number = {name: i for i, name in reversed(list(enumerate(names)))}
    key = np.array([number[name] for name in names], dtype=np.int64)[tree.region]
    if len(np.unique(tree.parent * len(names) + key)) == len(tree):
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
