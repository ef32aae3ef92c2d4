"""What calls of MPI take on a machine: their number and bytes, times a network (paper 004).

Small messages of a reduction or a broadcast go down or up a tree of all processes, an all-to-all sends one
message to every other process, all else is one message. If calls were not counted, the pattern alone tells.
"""

import re
from enum import Enum

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.cpp_names import short_name
from pipeline.projection.expressions.units import stream
from pipeline.projection.study.study_machine import DRAWS, SMALLEST, Rows, StudyMachine

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


def is_call(name: str) -> bool:
    """Return whether a region is a function of MPI."""
    return _NAME.fullmatch(short_name(name)) is not None


def posts(name: str) -> bool:
    """Return whether an MPI function starts what another one completes."""
    return re.match(r"p?mpi_(i|start|\w+_init)", short_name(name).lower()) is not None


def seconds_of_call(
    machine: StudyMachine, pattern: Pattern, processes: FloatArray, sizes: FloatArray
) -> Rows:
    """Return what one call takes of the time of one process.

    Args:
        processes: float64[m], of the program.
        sizes: float64[m], bytes that a process moves in the call.
    """
    if pattern is Pattern.MESSAGE:
        return machine.message(processes, sizes)
    if pattern is Pattern.ALL_TO_ALL:
        others: FloatArray = np.maximum(processes - 1, 1.0)
        return others * machine.message(processes, sizes / others)
    steps = 1.0 if pattern is Pattern.REDUCTION else 0.5
    moved = machine.message(processes, sizes) - machine.message(processes, np.ones(len(sizes)))
    return steps * machine.allreduce(processes) + np.maximum(moved, 0.0)


def seconds_of_calls(
    machine: StudyMachine, patterns: IntArray, visits: FloatArray, moved: FloatArray, processes: FloatArray
) -> Rows:
    """Return the core-seconds of all calls of K kernels at Q points.

    Args:
        patterns: int64[K], places in `PATTERNS`.
        visits: float64[K, Q], calls of all processes together.
        moved: float64[K, Q], bytes of all of them.
        processes: float64[Q].

    Returns:
        Rows of [K, Q].
    """
    sizes = np.divide(moved, visits, out=np.zeros(visits.shape), where=visits > 0)
    found: Rows = np.zeros((1 + DRAWS, *visits.shape))
    for number in np.unique(patterns).tolist():
        kernels = np.flatnonzero(patterns == number)
        together = np.broadcast_to(processes, (len(kernels), len(processes))).ravel()
        one = seconds_of_call(machine, PATTERNS[number], together, sizes[kernels].ravel())
        found[:, kernels] = one.reshape(-1, len(kernels), len(processes))
    return visits * found


_SIZES = np.geomspace(8.0, 65536.0, 5)  # bytes of messages that were not counted, any as likely
_NETWORK_ERROR = (
    0.3  # standard deviation of the logarithm of what ping-pongs do not tell of a program's messages
)


def network_ratio(
    source: StudyMachine, target: StudyMachine, pattern: Pattern, processes: FloatArray, key: str
) -> Rows:
    """Return what calls of unknown sizes take there over what they take here, rows of [Q].

    Args:
        processes: float64[Q], of the program.
    """
    sizes = np.repeat(_SIZES, len(processes))
    together = np.tile(processes, len(_SIZES))
    here, there = (
        np.maximum(seconds_of_call(one, pattern, together, sizes), SMALLEST) for one in (source, target)
    )
    logs = np.log(there / here).reshape(1 + DRAWS, len(_SIZES), -1)
    random = stream(key, pattern.value.encode())
    size = random.integers(len(_SIZES), size=DRAWS)
    error = _NETWORK_ERROR * random.standard_normal((DRAWS, 1))
    drawn = logs[1:][np.arange(DRAWS), size] + error
    ratio: Rows = np.exp(np.concatenate([logs[:1].mean(axis=1), drawn]))
    return ratio
