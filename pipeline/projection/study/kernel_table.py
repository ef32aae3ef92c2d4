"""How every kernel of a study goes over to another machine, and what is known of it for that.

What limits a kernel is told by the verdict on its hardware counters. What MPI calls take is how often they
were called and the bytes they moved, times a network (paper 004). A call is one of three patterns: small
messages of a reduction or a broadcast go down or up a tree of all processes; an all-to-all sends one message
to every other process; all else is one message. What a call takes is compared with its measured time: the
rest was waiting.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.cpp_names import short_name
from ingest.region_class import Activity, RegionClass, region_class
from pipeline.models.kernels import Kernels
from pipeline.projection.rooflines.region_verdicts import TESTED_ERROR, UNTESTED_ERROR, Bound, RegionVerdict
from pipeline.projection.study.study_machine import DRAWS, RESOURCES, Resource, Rows, StudyMachine

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


_LEVELS = {"DRAM": Resource.MEMORY, "L3": Resource.L3, "L2": Resource.L2, "L1": Resource.L1}


def limits_of(verdicts: Sequence[RegionVerdict | None]) -> tuple[FloatArray, BoolArray]:
    """Return what limits K kernels.

    A verdict that leaves something open, such as a level that was not counted, tells nothing.

    Returns:
        float64[K, resource] with a 1 for what limits a kernel, and bool[K], whether its verdict tells.
    """
    limits: FloatArray = np.zeros((len(verdicts), len(RESOURCES)))
    for k, found in enumerate(verdicts):
        resource = None if found is None else _resource(found)
        if resource is not None:
            limits[k, RESOURCES.index(resource)] = 1.0
    return limits, np.asarray(limits.any(axis=1))


def _resource(found: RegionVerdict) -> Resource | None:
    if found.doubts and not found.proportional:
        return None
    if found.bound is Bound.MEMORY:
        return _LEVELS[found.level]
    if found.bound is Bound.ARITHMETIC:
        return Resource.ARITHMETIC
    return Resource.LATENCY if found.bound is Bound.LATENCY and not found.not_judged else None


Counts = Callable[[FloatArray], FloatArray]
"""Returns float64[K, Q], at points float64[Q, D]."""


class Way(Enum):
    """How a kernel goes over."""

    COMPUTES = "computes"
    CALLS = "calls and bytes over the network, the rest waits"
    WAITS = "waits, with the computing"
    STAYS = "as measured"


WAYS = tuple(Way)
_COMMUNICATES = (
    RegionClass.POINT_TO_POINT,
    RegionClass.COLLECTIVE,
    RegionClass.ONE_SIDED,
    RegionClass.COMPLETION,
)
_FINISHES = (RegionClass.COMPLETION, RegionClass.POINT_TO_POINT)
TYPICAL_MIX = {Resource.MEMORY: 0.5, Resource.ARITHMETIC: 0.25, Resource.LATENCY: 0.25}
"""Of memory, arithmetic and latency, if no counters tell: half of a program's time waits for memory, as paper
003 assumes for all of it; how much is as uncertain as a Dirichlet distribution of four observations."""
MIX_OBSERVATIONS = 4.0


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelTable:
    """What is known of K kernels for a projection.

    Attributes:
        way: int64[K], places in `WAYS`.
        pattern: int64[K], places in `PATTERNS`: of kernels with calls.
        finishes: bool[K], completion and receipt of messages: what sending does not show is waited for there.
        mix: float64[K, resource], shares of the computing time that each resource limits.
        tested: bool[K], whether counters tell what limits the kernel.
        visits: calls of all processes; None if they were not counted.
        moved: bytes of all processes; None if they were not counted.
    """

    way: IntArray
    pattern: IntArray
    finishes: BoolArray
    mix: FloatArray
    tested: BoolArray
    visits: Counts | None
    moved: Counts | None

    def is_way(self, way: Way) -> BoolArray:
        """Return which kernels go over that way, bool[K]."""
        return np.asarray(self.way == WAYS.index(way))

    def drawn_mix(self, kernels: IntArray, random: np.random.Generator) -> Rows:
        """Return the shares of some kernels, rows of [k, resource]; those of tested ones are certain."""
        best = self.mix[kernels]
        draws = random.standard_gamma(np.broadcast_to(MIX_OBSERVATIONS * best, (DRAWS, *best.shape)))
        draws /= np.maximum(draws.sum(axis=2, keepdims=True), 1e-300)
        return np.concatenate([best[None], np.where(self.tested[kernels, None], best, draws)])

    def method_error(self, kernels: IntArray) -> FloatArray:
        """Return the standard deviation of the logarithm of what the method misses, float64[k]."""
        return np.where(self.tested[kernels], TESTED_ERROR, UNTESTED_ERROR)


def kernel_table(
    kernels: Kernels,
    visits: Counts | None,
    moved: Counts | None,
    counted: tuple[FloatArray, BoolArray] | None = None,
    *,
    network: bool,
) -> KernelTable:
    """Return how kernels go over.

    Args:
        counted: what limits them by their counters, and whether these tell, as of `limits_of`.
        network: whether the time of a message on the other machine is known.
    """
    names = kernels.regions
    classes = [region_class(*pair) for pair in zip(kernels.paradigms, names, strict=True)]
    calls = network and visits is not None
    ways = np.array([WAYS.index(_way(found, calls)) for found in classes], dtype=np.int64)
    patterns = [
        PATTERNS.index(pattern_of(name)) if found in _COMMUNICATES else 0
        for name, found in zip(names, classes, strict=True)
    ]
    typical = np.array([TYPICAL_MIX.get(resource, 0.0) for resource in RESOURCES])
    nothing = np.zeros((len(kernels), len(RESOURCES))), np.zeros(len(kernels), dtype=np.bool_)
    limits, tested = nothing if counted is None else counted
    return KernelTable(
        way=ways,
        pattern=np.array(patterns, dtype=np.int64),
        finishes=np.array(
            [found in _FINISHES and not posts(name) for name, found in zip(names, classes, strict=True)],
            dtype=np.bool_,
        ),
        mix=np.where(tested[:, None], limits, typical),
        tested=tested,
        visits=visits,
        moved=moved,
    )


def _way(found: RegionClass, calls: bool) -> Way:
    if found.activity is Activity.COMPUTATION:
        return Way.COMPUTES
    if found in _COMMUNICATES:
        return Way.CALLS if calls else Way.WAITS
    return Way.WAITS if found.activity is Activity.WAITING else Way.STAYS
