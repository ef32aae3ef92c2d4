"""How every kernel of a study goes over to another machine, and what is known of it for that.

What limits a kernel is told by the verdict on its hardware counters.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.region_class import Activity, RegionClass, region_class
from pipeline.models.kernels import Kernels
from pipeline.projection.rooflines.region_verdicts import TESTED_ERROR, Bound, RegionVerdict
from pipeline.projection.study.mix_signs import signs_of
from pipeline.projection.study.mpi_calls import PATTERNS, Pattern, is_call, pattern_of, posts
from pipeline.projection.study.study_machine import DRAWS, RESOURCES, Resource, Rows

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
    MESSAGES = "an unknown part over the network, the rest waits"
    WAITS = "waits, with the computing"
    ACCELERATES = "by bandwidth and peak of the accelerators"
    STAYS = "as measured"


WAYS = tuple(Way)
_COMMUNICATES = (
    RegionClass.POINT_TO_POINT,
    RegionClass.COLLECTIVE,
    RegionClass.ONE_SIDED,
    RegionClass.COMPLETION,
)
_FINISHES = (RegionClass.COMPLETION, RegionClass.POINT_TO_POINT)
TYPICAL_MIX = {Resource.MEMORY: 0.3, Resource.ARITHMETIC: 0.35, Resource.LATENCY: 0.05, Resource.CLOCK: 0.3}
"""If no counters tell: the exponents of the ratios of both machines, which add up to 1.

A weighted geometric mean says the same in both directions, as shares of the time on the machine measured on
do not. Learned from public times of four programs, which weigh as much as each other and as knowing nothing:
finite differences (0.1, 0.25, 0, 0.65 on ten machines), molecular dynamics (0.1, 0.45, 0, 0.45 on six; both
github.com/hpc-uk/archer-benchmarks), finite volumes (1, 0, 0, 0 on six; OpenFOAM HPC Challenge and ARC4CFD),
exact exchange (0.15, 0.65, 0.2, 0 on two; CP2K). Programs differ from it as draws of a Dirichlet distribution
of one observation do. What the best mix of each leaves open is 9 to 31 %, 20 % in quadratic mean; one more
program follows Student's t with four degrees of freedom, as wide as a normal distribution of 26 %.
"""
_TYPICAL = np.array([TYPICAL_MIX.get(resource, 0.0) for resource in RESOURCES])
MIX_OBSERVATIONS = 1.0
_MEMORY = RESOURCES.index(Resource.MEMORY)
_TYPICAL_VARIANCE = float(_TYPICAL[_MEMORY] * (1 - _TYPICAL[_MEMORY]) / (MIX_OBSERVATIONS + 1))
MIXED_ERROR = 0.26
SMALLEST_SHARE = 1e-6
COMMON_VARIANCE = 0.5  # of the errors of kernels: compilers and processors are the same for all of a program


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelTable:
    """What is known of K kernels for a projection.

    Attributes:
        way: int64[K], places in `WAYS`.
        pattern: int64[K], places in `PATTERNS`: of kernels with calls.
        finishes: bool[K], completion and receipt of messages: what sending does not show is waited for there.
        mix: float64[K, resource], shares of the computing time that each resource limits.
        tested: bool[K], whether counters tell what limits the kernel.
        doubt: float64[K], of the doubt about its exponent of bandwidth, what signs leave.
        signs: what the mix of each kernel follows; empty if it is the typical one, or counters tell.
        visits: calls of all processes; None if they were not counted.
        moved: bytes of all processes; None if they were not counted.
    """

    way: IntArray
    pattern: IntArray
    finishes: BoolArray
    mix: FloatArray
    tested: BoolArray
    doubt: FloatArray
    signs: tuple[str, ...]
    visits: Counts | None
    moved: Counts | None

    def is_way(self, way: Way) -> BoolArray:
        """Return which kernels go over that way, bool[K]."""
        return np.asarray(self.way == WAYS.index(way))

    def drawn_mix(self, kernels: IntArray, random: np.random.Generator) -> Rows:
        """Return the mixes of some kernels, rows of [k, resource].

        Those of tested ones are certain. The others have one draw together: they are of one program, and
        their sum is not better known for being split up. It is moved as far as signs moved the mix.
        """
        from scipy.special import expit, logit

        best = self.mix[kernels]
        draws = random.dirichlet(np.maximum(MIX_OBSERVATIONS * _TYPICAL, SMALLEST_SHARE), DRAWS)[:, None]
        moved = logit(draws[..., _MEMORY]) - logit(_TYPICAL[_MEMORY])
        memory = expit(logit(best[:, _MEMORY]) + moved * self.doubt[kernels])
        rest = draws * np.divide(best, _TYPICAL, out=np.zeros(best.shape), where=_TYPICAL > 0)
        rest[..., _MEMORY] = 0.0
        rest *= ((1.0 - memory) / np.maximum(rest.sum(axis=2), SMALLEST_SHARE))[..., None]
        rest[..., _MEMORY] = memory
        return np.concatenate([best[None], np.where(self.tested[kernels, None], best, rest)])

    def method_error(self, kernels: IntArray) -> FloatArray:
        """Return the standard deviation of the logarithm of what the method misses, float64[k]."""
        return np.where(self.tested[kernels], TESTED_ERROR, MIXED_ERROR)


def kernel_table(
    kernels: Kernels,
    visits: Counts | None,
    moved: Counts | None,
    counted: tuple[FloatArray, BoolArray],
    within: tuple[FloatArray, FloatArray] | None,
    *,
    network: bool,
    accelerators: bool,
) -> KernelTable:
    """Return how kernels go over.

    Args:
        counted: what limits them by their counters, and whether these tell, as of `limits_of`.
        within: their exponents of bandwidth with standard deviations, as of `exponents_within` a node.
        network: whether the time of a message is known on the other machine, and, if calls were not counted,
            here.
        accelerators: whether bandwidth and peak of accelerators are known on both machines.
    """
    names = kernels.regions
    classes = [region_class(*pair) for pair in zip(kernels.paradigms, names, strict=True)]
    pairs = list(zip(classes, names, strict=True))
    calls = network and visits is not None
    communicates = Way.CALLS if calls else Way.MESSAGES if network else Way.WAITS
    limits, tested = counted
    patterns = [pattern_of(name) if found in _COMMUNICATES else Pattern.MESSAGE for found, name in pairs]
    ways = [_way(found, name, communicates, accelerators) for found, name in pairs]
    mix, doubt, signs = signs_of(names, _TYPICAL, _TYPICAL_VARIANCE, within)
    untold = ~tested & np.array([way is Way.COMPUTES for way in ways], dtype=np.bool_)
    return KernelTable(
        way=np.array([WAYS.index(way) for way in ways], dtype=np.int64),
        pattern=np.array([PATTERNS.index(pattern) for pattern in patterns], dtype=np.int64),
        finishes=np.array([found in _FINISHES and not posts(name) for found, name in pairs], dtype=np.bool_),
        mix=np.where(tested[:, None], limits, mix),
        tested=tested,
        doubt=doubt,
        signs=tuple(word if used else "" for word, used in zip(signs, untold.tolist(), strict=True)),
        visits=visits,
        moved=moved,
    )


def _way(found: RegionClass, name: str, communicates: Way, accelerators: bool) -> Way:
    if found is RegionClass.KERNEL and accelerators:
        return Way.ACCELERATES
    if found.activity is Activity.COMPUTATION:
        return Way.COMPUTES
    if found in _COMMUNICATES:
        return communicates
    if found is RegionClass.MANAGEMENT and not is_call(name):  # a program's own timer of communication
        return Way.MESSAGES if communicates is Way.CALLS else communicates
    return Way.WAITS if found.activity is Activity.WAITING else Way.STAYS
