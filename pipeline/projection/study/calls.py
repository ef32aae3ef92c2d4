"""What MPI calls take: how often a kernel was called and the bytes it moved, times a network (paper 004).

A call is one of three patterns. Small messages of a reduction or a broadcast go down or up a tree of all
processes; an all-to-all sends one message to every other process; all else is one message. What a call takes
is compared with its measured time: the rest was waiting.
"""

import re
from enum import Enum

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.cpp_names import short_name
from pipeline.projection.study.place import Drawn, Place

_NAME = re.compile(
    r"p?mpi_i?(?:neighbor_)?(?P<call>\w+?)(?:_init)?(?:_c)?(?:_f08(?:ts)?)?_{0,2}", re.IGNORECASE
)
_REDUCTIONS = frozenset(("allreduce", "reduce", "scan", "exscan", "reduce_scatter", "reduce_scatter_block"))
_TREES = frozenset(
    ("barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv")
)
_ALL_TO_ALL = frozenset(("alltoall", "alltoallv", "alltoallw"))


class Pattern(Enum):
    """How the messages of a call go."""

    MESSAGE = "one message"
    REDUCTION = "down and up a tree"
    TREE = "down or up a tree"
    ALL_TO_ALL = "a message to every other process"


PATTERNS = tuple(Pattern)


def pattern_of(name: str) -> Pattern:
    """Return the pattern of an MPI function by its name."""
    match = _NAME.fullmatch(short_name(name))
    call = match["call"].lower() if match else ""
    if call in _REDUCTIONS:
        return Pattern.REDUCTION
    if call in _TREES:
        return Pattern.TREE
    return Pattern.ALL_TO_ALL if call in _ALL_TO_ALL else Pattern.MESSAGE


def posts(name: str) -> bool:
    """Return whether an MPI function starts what another one completes."""
    return re.match(r"p?mpi_(i|start|\w+_init)", short_name(name).lower()) is not None


def seconds_of_call(place: Place, pattern: Pattern, processes: FloatArray, sizes: FloatArray) -> Drawn:
    """Return what one call takes of the time of one process.

    Args:
        place: the machine.
        pattern: how its messages go.
        processes: float64[m], of the program.
        sizes: float64[m], bytes that a process moves in the call.
    """
    if pattern is Pattern.MESSAGE:
        return place.message(processes, sizes)
    if pattern is Pattern.ALL_TO_ALL:
        others = np.maximum(processes - 1, 1.0)
        one = place.message(processes, sizes / others)
        return Drawn(others * one.best, others * one.draws)
    steps = 1.0 if pattern is Pattern.REDUCTION else 0.5
    tree = place.allreduce(processes)
    moved = place.message(processes, sizes)
    empty = place.message(processes, np.ones(len(sizes)))
    return Drawn(
        steps * tree.best + np.maximum(moved.best - empty.best, 0.0),
        steps * tree.draws + np.maximum(moved.draws - empty.draws, 0.0),
    )


def seconds_of_calls(
    place: Place, patterns: IntArray, visits: FloatArray, moved: FloatArray, processes: FloatArray
) -> Drawn:
    """Return the core-seconds of all calls of K kernels at Q points.

    Args:
        place: the machine.
        patterns: int64[K], places in `PATTERNS`.
        visits: float64[K, Q], calls of all processes together.
        moved: float64[K, Q], bytes of all of them.
        processes: float64[Q].

    Returns:
        float64[K, Q].
    """
    sizes = np.divide(moved, visits, out=np.zeros(visits.shape), where=visits > 0)
    best, draws = np.zeros(visits.shape), np.zeros((1, *visits.shape))
    for number in np.unique(patterns).tolist():
        rows = np.flatnonzero(patterns == number)
        together = np.broadcast_to(processes, (len(rows), len(processes))).ravel()
        one = seconds_of_call(place, PATTERNS[number], together, sizes[rows].ravel())
        if len(draws) < len(one.draws):
            draws = np.repeat(draws, len(one.draws), axis=0)
        shape = (len(rows), len(processes))
        best[rows] = one.best.reshape(shape)
        draws[:, rows] = one.draws.reshape(-1, *shape)
    return Drawn(visits * best, visits * draws)
