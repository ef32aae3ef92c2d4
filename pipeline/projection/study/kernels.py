"""How every kernel of a study goes over to another machine, and what is known of it for that."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.region_class import Activity, RegionClass, region_class
from pipeline.models.kernels import Kernels
from pipeline.projection.study.calls import PATTERNS, pattern_of, posts
from pipeline.projection.study.place import RESOURCES, Drawn, Resource

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
DRAWS = 500
TYPICAL_MIX = {Resource.MEMORY: 0.5, Resource.ARITHMETIC: 0.25, Resource.LATENCY: 0.25}
"""Of memory, arithmetic and latency, if no counters tell: half of a program's time waits for memory, as paper
003 assumes for all of it; how much is as uncertain as a Dirichlet distribution of four observations."""
MIX_OBSERVATIONS = 4.0
UNTESTED_ERROR, TESTED_ERROR = 0.42, 0.13
"""Standard deviations of the method without and with counters, as of the projection by bandwidths."""


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

    def drawn_mix(self, kernels: IntArray, random: np.random.Generator) -> Drawn:
        """Return the shares of some kernels, float64[k, resource], with draws if they are not tested."""
        best = self.mix[kernels]
        draws = random.standard_gamma(np.broadcast_to(MIX_OBSERVATIONS * best, (DRAWS, *best.shape)))
        draws /= np.maximum(draws.sum(axis=2, keepdims=True), 1e-300)
        return Drawn(best, np.where(self.tested[kernels, None], best, draws))

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
        kernels: K call paths or regions.
        visits: their calls.
        moved: their bytes.
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
