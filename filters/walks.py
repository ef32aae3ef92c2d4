"""Ways through call trees, for all call paths at once."""

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


def nearest_upwards(tree: CallTree, nodes: IntArray, allowed: BoolArray) -> IntArray:
    """Return for each node the nearest allowed one on the way to its root, itself first, roots allowed."""
    at = nodes.copy()
    allowed = allowed | (tree.parent < 0)
    climbing = np.flatnonzero(~allowed[at])
    while len(climbing):
        at[climbing] = tree.parent[at[climbing]]
        climbing = climbing[~allowed[at[climbing]]]
    return at


def prefixes(tree: CallTree, kept: BoolArray) -> BoolArray:
    """Return the kept call paths and everything that leads to them, bool[call path]."""
    before = np.concatenate([[0], np.cumsum(kept)])
    return np.asarray(before[tree.end] > before[: len(tree)])


def nearest_recorded(tree: CallTree, recorded: BoolArray) -> IntArray:
    """Return the nearest recorded call path upwards, itself first, int64[n]; -1 where there is none."""
    nowhere = len(tree)
    step = np.append(np.where(recorded, np.arange(len(tree)), tree.parent), nowhere)
    step[step < 0] = nowhere
    while not np.array_equal(further := step[step], step):
        step = further
    return np.where(step[:-1] == nowhere, -1, step[:-1])
