"""Inclusive values of regions, counting recursion once."""

import numpy as np

from ingest.arrays import BoolArray, IntArray
from ingest.calltree import CallTree


def outermost(tree: CallTree, group: IntArray) -> BoolArray:
    """Return the call paths that do not lie below one of the same group, bool[call path].

    The inclusive values of these, summed over a group, are its inclusive value; recursion counts once.

    Args:
        tree: n call paths in preorder.
        group: int64[n], what the call paths are grouped by.
    """
    order = np.argsort(group, kind="stable")
    rank = np.cumsum(np.diff(group[order], prepend=group[order][:1]) != 0)
    shift = rank * (len(tree) + 1)
    reached = np.maximum.accumulate(tree.end[order] + shift)
    found = np.ones(len(tree), dtype=np.bool_)
    found[order[1:]] = order[1:] + shift[1:] >= reached[:-1]
    return found
