"""How every kernel of a study goes over to another machine, and what is known of it for that.

What limits a kernel follows from the verdict on its hardware counters or, without, from signs in the study;
what calls of MPI take, from their number and bytes, times a network.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.cpp_names import short_name
from ingest.region_class import Activity, RegionClass
from pipeline.models.kernels import Kernels
from pipeline.projection.expressions.ensembles import stream
from pipeline.projection.rooflines.region_verdicts import (
    RESOURCES,
    TESTED_ERROR,
    UNTESTED_ERROR,
    RegionVerdict,
    Resource,
    own_value,
)
from pipeline.projection.study.study_machine import MACHINE_DRAWS, SMALLEST_MACHINE_VALUE, Rows, StudyMachine

_MEMORY = RESOURCES.index(Resource.MEMORY)


@dataclass(frozen=True, eq=False)
class CountedLimits:
    """What limits K kernels by their counters.

    A verdict decides nothing if it leaves something open, such as a level that was not counted, or if one of
    the machines does not state the value of what limits the kernel.
    """

    limits: FloatArray  # float64[K, resource] with a 1 for what limits a kernel
    lacking: tuple[str, ...] = ()  # values for want of which verdicts did not decide

    @property
    def decided(self) -> BoolArray:
        """Return bool[K], whether counters decide."""
        return np.asarray(self.limits.any(axis=1))


def limits_of(
    verdicts: Sequence[RegionVerdict | None], source: StudyMachine, target: StudyMachine
) -> CountedLimits:
    """Return what limits K kernels by their verdicts."""
    limits: FloatArray = np.zeros((len(verdicts), len(RESOURCES)))
    lacking = []
    for k, found in enumerate(verdicts):
        if found is None or found.resource is None or not found.decides:
            continue
        value = own_value(found.resource)
        if value in source.figures and value in target.figures:
            limits[k, RESOURCES.index(found.resource)] = 1.0
        else:
            lacking.append(value)
    return CountedLimits(limits, tuple(dict.fromkeys(lacking)))


# Calls of MPI (paper 004): small messages of a reduction or a broadcast go down or up a tree of all
# processes, an all-to-all sends one message to every other process, all else is one message. If calls were
# not counted, the pattern alone decides.

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
    """Return what a call takes of the time of one of float64[m] processes that moves float64[m] bytes."""
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

    `patterns` int64[K] are places in `PATTERNS`; calls and bytes, float64[K, Q], are of all processes
    together.
    """
    sizes = np.divide(moved, visits, out=np.zeros(visits.shape), where=visits > 0)
    found: Rows = np.zeros((1 + MACHINE_DRAWS, *visits.shape))
    for number in np.unique(patterns).tolist():
        kernels = np.flatnonzero(patterns == number)
        together = np.broadcast_to(processes, (len(kernels), len(processes))).ravel()
        one = seconds_of_call(machine, PATTERNS[number], together, sizes[kernels].ravel())
        found[:, kernels] = one.reshape(-1, len(kernels), len(processes))
    return visits * found


_SIZES = np.geomspace(8.0, 65536.0, 5)  # bytes of messages that were not counted, any as likely
_NETWORK_ERROR = (
    0.3  # standard deviation of the logarithm of what ping-pongs leave open about a program's messages
)


def network_ratio(
    source: StudyMachine, target: StudyMachine, pattern: Pattern, processes: FloatArray, key: str
) -> Rows:
    """Return what calls of unknown sizes take there over what they take here, rows of [Q]."""
    sizes = np.repeat(_SIZES, len(processes))
    together = np.tile(processes, len(_SIZES))
    here, there = (
        np.maximum(seconds_of_call(one, pattern, together, sizes), SMALLEST_MACHINE_VALUE)
        for one in (source, target)
    )
    logs = np.log(there / here).reshape(1 + MACHINE_DRAWS, len(_SIZES), -1)
    random = stream(key, pattern.value.encode())
    size = random.integers(len(_SIZES), size=MACHINE_DRAWS)
    error = _NETWORK_ERROR * random.standard_normal((MACHINE_DRAWS, 1))
    drawn = logs[1:][np.arange(MACHINE_DRAWS), size] + error
    return np.asarray(np.exp(np.concatenate([logs[:1].mean(axis=1), drawn])))


# Signs of what limits a kernel without counters: its name, and its time within a node. A name moves the mix
# halfway to what limits computing of its class: operations for each byte (Williams, Waterman, Patterson,
# "Roofline", 2009). It makes the mix no surer. Stencils have no class, since public times of a high-order
# one follow bandwidth no more than others do; nor have forces, which finite elements have, too. Within a
# node only the bandwidth of a process changes. How much its cost grows with what that falls by, in
# logarithms, is the exponent of bandwidth.

_CLASSES = (
    ("dense algebra", r"[sdczh]?(?:gemm|trsm|syrk|getrf|potrf)|matmul", (Resource.ARITHMETIC,)),
    ("Fourier transform", r"[dsr]?i?fftw?f?", (Resource.MEMORY, Resource.ARITHMETIC)),
    ("sparse or vector algebra", r"spmv|symgs|sparse|[sdw]?axpb?y|triad", (Resource.MEMORY,)),
    ("particles", r"nonbonded|nbnxn|lennard|lj", (Resource.ARITHMETIC, Resource.CLOCK)),
)
"""What a word of a name says, and what limits computing of that class, each as likely."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SIGN_ERROR = 0.1  # of a cost within a node: clocks that fall with the busy cores, imbalance, repetitions
_FALLS = _BEYOND = 2.0  # by which factor bandwidth has to fall; by how many deviations a cost may miss it


def signs_of(
    names: Sequence[str], typical: FloatArray, variance: float, within: tuple[FloatArray, FloatArray] | None
) -> tuple[FloatArray, FloatArray, list[str]]:
    """Return mixes float64[K, resource], what is left of the doubt about bandwidth, and the signs in words.

    The mix without signs is typical, with that variance of its exponent of bandwidth; `within` are
    `exponents_within` a node, if a study has several scales there.
    """
    found = [_class_of(name) for name in names]
    mix = np.stack([(typical + of_class) / 2 if word else typical for word, of_class in found])
    slope, error = within if within is not None else np.full((2, len(names)), np.nan)
    told = np.isfinite(slope)
    gain = np.where(told, variance / (variance + error**2), 0.0)
    before = mix[:, _MEMORY]
    after = before + gain * (np.where(told, slope, 0.0) - before)
    mix = mix * ((1.0 - after) / (1.0 - before))[:, None]
    mix[:, _MEMORY] = after
    words = [[f"the name says {word}"] if word else [] for word, _ in found]
    for k in np.flatnonzero(told).tolist():
        words[k].append(f"times within a node say {100 * slope[k]:.0f} % bandwidth")
    return mix, np.sqrt(1.0 - gain), [", ".join(some) for some in words]


def exponents_within(cost: FloatArray, bandwidth: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return the exponents of bandwidth of K kernels, 0 to 1, and their standard deviations, float64[K] each.

    They are NaN for a kernel that took no time at some scale, or whose cost, float64[K, P], grows faster, or
    earlier, than the bandwidth of a process, float64[P], lets it, as that of serial parts does. None if
    bandwidth hardly falls.
    """
    if len(bandwidth) < 2 or bandwidth.max() <= _FALLS * bandwidth.min():
        return None
    known = np.asarray((cost > 0).all(axis=1))
    x, y = -np.log(bandwidth), np.log(np.where(known[:, None], cost, 1.0))
    x, y = x - x.mean(), y - y.mean(axis=1, keepdims=True)
    spread = (x**2).sum()
    slope = y @ x / spread
    left = ((y - slope[:, None] * x) ** 2).sum(axis=1) / max(len(x) - 2, 1)
    error = np.sqrt(np.maximum(left, _SIGN_ERROR**2) / spread)
    early = np.ptp(y[:, x == x.min()], axis=1) > _BEYOND * _SIGN_ERROR
    usable = known & ~early & (slope <= 1.0 + _BEYOND * error)
    return np.where(usable, np.clip(slope, 0.0, 1.0), np.nan), error


def _class_of(name: str) -> tuple[str, FloatArray]:
    words = [word.lower() for word in _WORD.findall(short_name(name))]
    said = (one for one in _CLASSES if any(re.fullmatch(one[1], word) for word in words))
    found, _, limits = next(said, ("", "", ()))
    return found, np.array([(one in limits) / max(len(limits), 1) for one in RESOURCES])


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


PROJECTION_WAYS = tuple(Way)
_COMMUNICATES = (
    RegionClass.POINT_TO_POINT,
    RegionClass.COLLECTIVE,
    RegionClass.ONE_SIDED,
    RegionClass.COMPLETION,
)
_FINISHES = (RegionClass.COMPLETION, RegionClass.POINT_TO_POINT)
TYPICAL_MIX = {Resource.MEMORY: 0.3, Resource.ARITHMETIC: 0.35, Resource.LATENCY: 0.05, Resource.CLOCK: 0.3}
"""Without counters: the exponents of the ratios of both machines, which add up to 1.

A weighted geometric mean says the same in both directions, as shares of the time on the machine measured on
do not. Learned from public times of four programs, which weigh as much as each other and as knowing nothing:
finite differences (0.1, 0.25, 0, 0.65 on ten machines), molecular dynamics (0.1, 0.45, 0, 0.45 on six; both
github.com/hpc-uk/archer-benchmarks), finite volumes (1, 0, 0, 0 on six; OpenFOAM HPC Challenge and ARC4CFD),
exact exchange (0.15, 0.65, 0.2, 0 on two; CP2K). Programs differ from it as draws of a Dirichlet distribution
of one observation do. What the best mix of each leaves open is 9 to 31 %, 20 % in quadratic mean; one more
program follows Student's t with four degrees of freedom, as wide as a normal distribution of 26 %.
"""
_TYPICAL = np.array([TYPICAL_MIX.get(resource, 0.0) for resource in RESOURCES])
_MIX_OBSERVATIONS = 1.0
_TYPICAL_VARIANCE = float(_TYPICAL[_MEMORY] * (1 - _TYPICAL[_MEMORY]) / (_MIX_OBSERVATIONS + 1))
MIXED_ERROR = 0.26
_SMALLEST_SHARE = 1e-6


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelTable:
    """What is known of K kernels for a projection."""

    way: IntArray  # int64[K], places in `PROJECTION_WAYS`
    pattern: IntArray  # int64[K], places in `PATTERNS`: of kernels with calls
    # bool[K], completion and receipt of messages: what sending does not show is waited for there
    finishes: BoolArray
    mix: FloatArray  # float64[K, resource], shares of the computing time that each resource limits
    tested: BoolArray  # bool[K], whether counters show what limits the kernel
    doubt: FloatArray  # float64[K], of the doubt about its exponent of bandwidth, what signs leave
    # what the mix of each kernel follows; empty if it is the typical one, or counters decide
    signs: tuple[str, ...]
    visits: Counts | None  # calls of all processes; None if they were not counted
    moved: Counts | None  # bytes of all processes; None if they were not counted
    lacking: tuple[str, ...] = ()  # values of machines for want of which counters do not decide

    def is_way(self, way: Way) -> BoolArray:
        """Return which kernels go over that way, bool[K]."""
        return np.asarray(self.way == PROJECTION_WAYS.index(way))

    def drawn_mix(self, kernels: IntArray, random: np.random.Generator) -> Rows:
        """Return the mixes of some kernels, rows of [k, resource].

        Those of tested ones are certain. The others have one draw together: they are of one program, and
        their sum is not better known for being split up. It is moved as far as signs moved the mix.
        """
        from scipy.special import expit, logit

        best = self.mix[kernels]
        draws = random.dirichlet(np.maximum(_MIX_OBSERVATIONS * _TYPICAL, _SMALLEST_SHARE), MACHINE_DRAWS)[
            :, None
        ]
        moved = logit(draws[..., _MEMORY]) - logit(_TYPICAL[_MEMORY])
        memory = expit(logit(best[:, _MEMORY]) + moved * self.doubt[kernels])
        rest = draws * np.divide(best, _TYPICAL, out=np.zeros(best.shape), where=_TYPICAL > 0)
        rest[..., _MEMORY] = 0.0
        rest *= ((1.0 - memory) / np.maximum(rest.sum(axis=2), _SMALLEST_SHARE))[..., None]
        rest[..., _MEMORY] = memory
        return np.concatenate([best[None], np.where(self.tested[kernels, None], best, rest)])

    def method_error(self, kernels: IntArray) -> FloatArray:
        """Return the standard deviation of the logarithm of what the method misses, float64[k]."""
        by_latency = self.mix[kernels, RESOURCES.index(Resource.LATENCY)] == 1.0
        known = np.where(by_latency, UNTESTED_ERROR, TESTED_ERROR)
        return np.where(self.tested[kernels], known, MIXED_ERROR)


def kernel_table(
    kernels: Kernels,
    visits: Counts | None,
    moved: Counts | None,
    counted: CountedLimits,
    within: tuple[FloatArray, FloatArray] | None,
    *,
    network: bool,
    accelerators: bool,
) -> KernelTable:
    """Return how kernels go over.

    `within` are their `exponents_within` a node. A network is known if the time of a message is on the other
    machine and, if calls were not counted, here; accelerators if their figures are on both.
    """
    names = kernels.regions
    pairs = list(zip(kernels.classes, names, strict=True))
    calls = network and visits is not None
    communicates = Way.CALLS if calls else Way.MESSAGES if network else Way.WAITS
    tested = counted.decided
    patterns = [pattern_of(name) if found in _COMMUNICATES else Pattern.MESSAGE for found, name in pairs]
    ways = [_way(found, name, communicates, accelerators) for found, name in pairs]
    mix, doubt, signs = signs_of(names, _TYPICAL, _TYPICAL_VARIANCE, within)
    untold = ~tested & np.array([way is Way.COMPUTES for way in ways], dtype=np.bool_)
    return KernelTable(
        way=np.array([PROJECTION_WAYS.index(way) for way in ways], dtype=np.int64),
        pattern=np.array([PATTERNS.index(pattern) for pattern in patterns], dtype=np.int64),
        finishes=np.array([found in _FINISHES and not posts(name) for found, name in pairs], dtype=np.bool_),
        mix=np.where(tested[:, None], counted.limits, mix),
        tested=tested,
        doubt=doubt,
        signs=tuple(word if used else "" for word, used in zip(signs, untold.tolist(), strict=True)),
        visits=visits,
        moved=moved,
        lacking=counted.lacking,
    )


def _way(found: RegionClass, name: str, communicates: Way, accelerators: bool) -> Way:
    if found is RegionClass.KERNEL and accelerators:
        return Way.ACCELERATES
    if found.activity is Activity.COMPUTATION:
        return Way.COMPUTES
    if found in _COMMUNICATES:
        return communicates
    if found is RegionClass.MANAGEMENT and not _NAME.fullmatch(
        short_name(name)
    ):  # a program's own timer of communication
        return Way.MESSAGES if communicates is Way.CALLS else communicates
    return Way.WAITS if found.activity is Activity.WAITING else Way.STAYS
