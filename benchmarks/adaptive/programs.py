"""Programs with a known truth, and runs of them with noise, a rare slow run and a cost."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from pipeline.questions.planning.plan import Quantity

Array = npt.NDArray[np.float64]
Random = np.random.Generator

SCALES = np.array([2.0, 4.0, 8.0, 16.0, 32.0])  # processes
SIZES = np.array([8.0, 12.0, 16.0, 24.0, 32.0])  # cells along the edge of a mesh
REACH = {"p": 4.0, "n": 2.0}  # target over the largest scale
CORES = 4  # of a run of a mesh alone
LOSSES = ((0.0, 1), (0.25, 0), (1 / 3, 1), (0.5, 0), (2 / 3, 0), (1.0, 0), (1.0, 1))
"""Exponents (a, b) of p^a log2(p)^b in the effort that is lost under strong scaling."""
GROWTHS = ((2.0, 0), (2.5, 0), (3.0, 0), (3.0, 1), (10 / 3, 0), (4.0, 0))
"""Exponents (a, b) of n^a log2(n)^b."""
WALK = 0.03  # per root of a doubling: what formulas miss of real programs (`LEAST_MISFIT` of observations)
BEND, BENDS = 0.2, 1.0
"""How much the exponent of a program that bends changes per root of a doubling: median over programs, and
standard deviation of its logarithm. With these, our forecasts of the fixed design err as on 65 real series
(`benchmarks/real_series`): quartiles of |log error| per log factor 0.05, 0.12, 0.25 and 0.06, 0.11, 0.22."""
NOISE = (0.01, 0.05)
SLOW_RUNS, SLOWEST = 0.02, (1.1, 1.5)
OF_RUN = 0.5  # share of the noise's variance that all kernels of a run have in common


VALUES = {"p": SCALES, "n": SIZES}


@dataclass(frozen=True, eq=False, kw_only=True)
class Program:
    """K kernels whose effort is known exactly.

    Attributes:
        family: what kind of program.
        parameters: p (strong scaling), n (size of a mesh), or both.
        effort: gives float64[K, Q] core-seconds at points float64[Q, D].
        noise: relative standard deviation of a run.
        quantity: what is asked.
    """

    family: str
    parameters: tuple[str, ...]
    effort: Callable[[Array], Array]
    noise: float
    quantity: Quantity

    @property
    def scales(self) -> Array:
        """The points of the fixed design, float64[5 or 25, D]: five values of each parameter, combined."""
        return _combined(*(VALUES[name] for name in self.parameters))

    @property
    def candidates(self) -> Array:
        """What may be measured: the same points, or of a mesh alone all whole numbers of its range."""
        return np.arange(SIZES[0], SIZES[-1] + 1)[:, None] if self.parameters == ("n",) else self.scales

    @property
    def target(self) -> Array:
        """Where the figure is asked for, float64[D]."""
        return np.array([VALUES[name][-1] * REACH[name] for name in self.parameters])

    @property
    def truth(self) -> float:
        """The figure that is asked for."""
        first, target = self.effort(np.stack([self.scales[0], self.target])).sum(axis=0)
        return (
            float(first / target)
            if self.quantity == "efficiency"
            else float(target / self.cores(self.target))
        )

    def cores(self, point: Array) -> int:
        """Return the cores of a run: as many as processes, or the same for all sizes."""
        return int(point[self.parameters.index("p")]) if "p" in self.parameters else CORES

    def run(self, point: Array, random: Random) -> Array:
        """Measure once, float64[K] core-seconds."""
        exact = self.effort(point[None])[:, 0]
        shared = np.sqrt(OF_RUN) * random.standard_normal()
        own = np.sqrt(1 - OF_RUN) * random.standard_normal(len(exact))
        slow = random.uniform(*SLOWEST) if random.random() < SLOW_RUNS else 1.0
        measured: Array = exact * slow * np.exp(self.noise * (shared + own))
        return measured


def _combined(*values: Array) -> Array:
    return np.array(list(product(*(one.tolist() for one in values))))


def draw(family: str, random: Random) -> Program:
    """Draw a program of a family."""
    noise = float(random.uniform(*NOISE))
    parameters = ("n",) if family.startswith("mesh") else ("p", "n") if "sizes" in family else ("p",)
    kernels = 1 if "one kernel" in family else 5
    make = {("p",): _strong, ("n",): _mesh, ("p", "n"): _strong_at_sizes}[parameters]
    formulas = make(random, kernels)
    off = [_leaving(family, random, kernels) for _ in parameters]
    return Program(
        family=family,
        parameters=parameters,
        effort=lambda points: (
            formulas(points) * math.prod(np.exp(one(points[:, n])) for n, one in enumerate(off))
        ),
        noise=noise,
        quantity="efficiency" if parameters == ("p",) else "time",
    )


FORMULAS = ("strong, one kernel", "strong", "strong, walking", "mesh, walking", "strong at sizes, walking")
"""Families that formulas describe but for noise and a slow walk."""
AS_REAL = (
    "strong, one kernel, bending",
    "strong, bending",
    "mesh, one kernel, bending",
    "mesh, bending",
    "strong at sizes, bending",
)
"""Families that are as hard to forecast as real programs."""
FAMILIES = FORMULAS + AS_REAL


def _strong(random: Random, kernels: int) -> Callable[[Array], Array]:
    """Work that stays the same, and losses that are 10 to 70 % of the effort at the largest scale."""
    work, share = 10 ** random.uniform(1, 3), random.uniform(0.1, 0.7)
    parts = random.dirichlet(np.ones(max(kernels - 2, 1)))
    of_work = random.dirichlet(np.ones(min(kernels, 2)))
    terms = [LOSSES[i] for i in random.integers(len(LOSSES), size=len(parts))]
    loss = work * share / (1 - share) * parts

    def effort(points: Array) -> Array:
        scales = points[:, 0]
        lost = np.stack(
            [f * _term(scales, t) / _term(SCALES[-1:], t) for f, t in zip(loss, terms, strict=True)]
        )
        if kernels == 1:
            return work + lost
        return np.concatenate([np.outer(of_work * work, np.ones(len(scales))), lost])

    return effort


def _mesh(random: Random, kernels: int) -> Callable[[Array], Array]:
    """Kernels that grow with powers of the size; their shares are drawn at the largest one."""
    total = 10 ** random.uniform(1, 3)
    parts = total * random.dirichlet(np.ones(kernels))
    terms = [GROWTHS[i] for i in random.integers(len(GROWTHS), size=kernels)]
    fixed = parts * random.uniform(0.0, 0.01, kernels)
    return lambda points: np.stack(
        [c + f * _grown(points[:, 0], t) for c, f, t in zip(fixed, parts, terms, strict=True)]
    )


def _strong_at_sizes(random: Random, kernels: int) -> Callable[[Array], Array]:
    """Work and losses as under strong scaling, each of which grows with a power of the size."""
    strong = _strong(random, kernels)
    terms = [GROWTHS[i] for i in random.integers(len(GROWTHS), size=kernels)]
    return lambda points: strong(points[:, :1]) * np.stack([_grown(points[:, 1], term) for term in terms])


def _grown(sizes: Array, exponents: tuple[float, int]) -> Array:
    """Return a term of the size relative to its value at the largest one."""
    return _term(sizes, exponents) / _term(SIZES[-1:], exponents)


def _term(scales: Array, exponents: tuple[float, int]) -> Array:
    value: Array = scales ** exponents[0] * np.log2(scales) ** exponents[1]
    return value


def _leaving(family: str, random: Random, kernels: int) -> Callable[[Array], Array]:
    """How the logarithm of each kernel's effort leaves its formula, as a function to float64[K, Q]."""
    steps = random.standard_normal((kernels, 64))

    def nothing(scales: Array) -> Array:
        return np.zeros((kernels, len(scales)))

    def walking(scales: Array) -> Array:
        return _path(WALK * np.sqrt(0.25) * steps, scales)

    size = BEND * np.exp(BENDS * random.standard_normal())

    def bending(scales: Array) -> Array:
        slopes = np.cumsum(size * np.sqrt(0.25) * steps, axis=1)
        return _path(np.log(2.0) * 0.25 * slopes, scales)

    return walking if family.endswith("walking") else bending if family.endswith("bending") else nothing


def _path(steps: Array, scales: Array) -> Array:
    """Add up steps of a quarter of a doubling from scale 1, float64[K, Q]."""
    places = np.arange(steps.shape[1] + 1) / 4
    walk = np.concatenate([np.zeros((len(steps), 1)), np.cumsum(steps, axis=1)], axis=1)
    return np.stack([np.interp(np.log2(scales), places, row) for row in walk])
