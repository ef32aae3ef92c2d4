"""Ranges of locations in place of single ones, where there are too many to be stored or shown."""

from dataclasses import replace

import numpy as np

from ingest.arrays import IntArray
from pipeline.models.kernel_locations import KernelLocations, PointLocations


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
    kept: IntArray = starts[place % width == 0]
    return kept
