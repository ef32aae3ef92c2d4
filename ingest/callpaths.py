"""`CallPaths`: the call paths of a tree as names from the root down, put together when one is asked for.

A chain of n calls has n^2 names in all its call paths together. Kept as the parents of a tree they take the
memory of n; written in full they would fill the disk, so files have very deep ones with their middle folded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

import numpy as np

from ingest.arrays import BoolArray, IntArray
from ingest.calltree import CallTree

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
