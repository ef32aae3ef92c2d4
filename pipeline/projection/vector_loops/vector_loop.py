"""Vector loops: what describes one, and its time (paper 002, Figure 1): docs/explanations/vector-loops.md.

    T_v = (VLOADS + VSTORES) 8 B / BW * 64 / AVL + VFLOPS / F_v        vector part, if it is vectorised
    T_s = (SLOADS + SSTORES) 8 B / BW + SFLOPS / F_s                    scalar part

BW is the bandwidth for the loop's MV score and locality, F the peak for its MV score. The paper assigns
levels of locality by hand from observed bandwidths (section 4.1), as `nearest_localities` does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Literal, TypeAlias, get_args

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.projection.expressions.expression_text import Names
from pipeline.projection.expressions.symbolic_model import Model, ceiling, constant, fits, maximum, minimum
from pipeline.projection.expressions.units import FLOP, NONE, TIME, Quantity

LEVELS = 3
"""Levels of spatial and of temporal locality: 0 extremely low, 1 moderate, 2 extremely high."""
Values: TypeAlias = Callable[[str], Model]
"""Returns the value of a machine by one of the names above."""

_EQUAL = 1e-6


def cell(score: str, spatial: int, temporal: int) -> str:
    """Return the name of one cell of the bandwidth table."""
    return f"bandwidth.tl{temporal}.mv{score}.sl{spatial}"


def machine_values(names: Names) -> Values:
    """Return the values of the target machine among the names that an application's expressions may use."""

    def value(name: str) -> Model:
        found = names.get(f"mach.{name}")
        if not isinstance(found, Model):
            hint = "choose one with a bandwidth table, such as x1e, or add it to the machine file"
            raise UsageError(f"the machine does not define '{name}'", hint=hint)
        return found

    return value


def bandwidth_table(values: Mapping[str, Quantity], score: str) -> FloatArray:
    """Return float64[temporal, spatial], bytes per second of loops with an MV score.

    Raises:
        UsageError: the machine does not state a cell.
    """
    names = [[cell(score, sl, tl) for sl in range(LEVELS)] for tl in range(LEVELS)]
    missing = next((name for row in names for name in row if name not in values), None)
    if missing:
        raise UsageError(f"the machine does not define '{missing}'", hint=f'write {missing} = "8 GB/s"')
    return np.array([[values[name].value for name in row] for row in names])


@dataclass(frozen=True)
class Locality:
    """A cell of the bandwidth table: levels of spatial and temporal locality, and its bandwidth in B/s."""

    spatial: int
    temporal: int
    bandwidth: float


def nearest_localities(table: FloatArray, observed: float) -> tuple[Locality, ...]:
    """Return the cells whose bandwidth is nearest to the observed one by ratio, all of them if several are.

    Args:
        table: float64[temporal, spatial], bandwidths for the loop's MV score, B/s.
        observed: the loop's bandwidth, B/s.

    Raises:
        UsageError: it is not positive.
    """
    if not observed > 0:
        raise UsageError(f"an observed bandwidth of {observed:g} B/s", hint="give a positive number")
    distance = np.abs(np.log(table / observed))
    cells = np.argwhere(distance <= distance.min() + _EQUAL)
    return tuple(Locality(int(sl), int(tl), float(table[tl, sl])) for tl, sl in cells)


Strategy: TypeAlias = Literal["pred", "pred_novl", "pred_lb", "pred_hb"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

_SCORES = ("00", "01", "10", "11")
_NONE = constant(0)


@dataclass(frozen=True, eq=False, kw_only=True)
class VectorLoop:
    """One loop nest.

    Attributes:
        score: its MV score: first digit 1 if it is multistreamed (spread over the processors of a
            multistreaming processor; today: threaded), second digit 1 if it is vectorised.
        spatial: level of spatial locality.
        temporal: level of temporal locality.
        vector_flops: in vector instructions, as a count or in flop; scalar ones likewise.
        vector_loads: elements; stores and scalar loads and stores likewise.
        vector_length: average vector length (AVL); None if it is full.
    """

    name: str
    score: str
    spatial: int
    temporal: int
    vector_flops: Model = _NONE
    vector_loads: Model = _NONE
    vector_stores: Model = _NONE
    scalar_flops: Model = _NONE
    scalar_loads: Model = _NONE
    scalar_stores: Model = _NONE
    vector_length: Model | None = None

    def __post_init__(self) -> None:
        if self.score not in _SCORES:
            hint = f"choose one of {', '.join(_SCORES)}"
            raise UsageError(f"invalid MV score '{self.score}'", where=self.name, hint=hint)

    @property
    def streamed(self) -> bool:
        """Whether it is multistreamed."""
        return self.score[0] == "1"

    @property
    def vectorised(self) -> bool:
        """Whether it is vectorised."""
        return self.score[1] == "1"


def average_vector_length(trips: Model, longest: Model) -> Model:
    """Return N / ceil(N / 64), the average vector length of a fully vectorised loop of N iterations."""
    return trips / ceiling(trips / longest)


def as_flops(count: Model) -> Model:
    """Return an operation count in flop, whether it was written as a plain number or with its unit.

    Raises:
        UsageError: it has another dimension.
    """
    if fits(count, FLOP):
        return count
    if count.dimension == NONE:
        return count * constant(1, FLOP)
    raise UsageError(f"unit mismatch: floating-point operations in {count.dimension}")


@dataclass(frozen=True)
class Conventions:
    """What the paper leaves open, with our reading as the default.

    Attributes:
        strategy: ``pred`` uses locality and AVL, ``pred_novl`` full vectors, ``pred_lb`` and ``pred_hb``
            full vectors and the lowest or highest bandwidth of the MV score.
        scalar_bandwidth: ``loop``: scalar references of a vectorised loop get the loop's bandwidth, since the
            text has one per loop; ``scalar``: that of the same loop unvectorised.
        references: ``elements``: VLOADS counts elements; ``instructions``: instructions of AVL elements.
        overlap: whether memory and computation overlap; the paper adds them.
    """

    strategy: Strategy = "pred"
    scalar_bandwidth: Literal["loop", "scalar"] = "loop"
    references: Literal["elements", "instructions"] = "elements"
    overlap: bool = False


PAPER = Conventions()


@dataclass(frozen=True, eq=False, kw_only=True)
class VectorLoopTime:
    """The components of a loop's time, in seconds.

    Attributes:
        overlap: whether memory and computation overlap.
    """

    vector_memory: Model
    vector_compute: Model
    scalar_memory: Model
    scalar_compute: Model
    overlap: bool = False

    @property
    def vector(self) -> Model:
        """T_v."""
        return self._both(self.vector_memory, self.vector_compute)

    @property
    def scalar(self) -> Model:
        """T_s."""
        return self._both(self.scalar_memory, self.scalar_compute)

    @property
    def total(self) -> Model:
        """T_v + T_s."""
        return self.vector + self.scalar

    def _both(self, memory: Model, compute: Model) -> Model:
        return maximum(memory, compute) if self.overlap else memory + compute


def loop_time(loop: VectorLoop, machine: Values, conventions: Conventions = PAPER) -> VectorLoopTime:
    """Return the time of one execution of a loop.

    Raises:
        UsageError: the machine lacks a value, a count has a wrong unit, or vector operations are stated for a
            loop that is not vectorised.
    """
    streams = "m1" if loop.streamed else "m0"
    bandwidth = _bandwidth(loop.score, loop, machine, conventions)
    slow = bandwidth
    if loop.vectorised and conventions.scalar_bandwidth == "scalar":
        slow = _bandwidth(f"{loop.score[0]}0", loop, machine, conventions)
    moved = computed = constant(0, TIME)
    if loop.vectorised:
        moved = (loop.vector_loads + loop.vector_stores) * machine("element") / bandwidth
        moved = moved * _penalty(loop, machine, conventions)
        computed = as_flops(loop.vector_flops) / machine(f"peak.vector.{streams}")
    elif not all(n.expression.is_zero for n in (loop.vector_flops, loop.vector_loads, loop.vector_stores)):
        what = f"vector operations in a loop that is not vectorised (MV score {loop.score})"
        raise UsageError(what, where=loop.name, hint="count them as scalar")
    return VectorLoopTime(
        vector_memory=moved,
        vector_compute=computed,
        scalar_memory=(loop.scalar_loads + loop.scalar_stores) * machine("element") / slow,
        scalar_compute=as_flops(loop.scalar_flops) / machine(f"peak.scalar.{streams}"),
        overlap=conventions.overlap,
    )


def _bandwidth(score: str, loop: VectorLoop, machine: Values, conventions: Conventions) -> Model:
    if conventions.strategy in ("pred", "pred_novl"):
        return machine(cell(score, loop.spatial, loop.temporal))
    column = [machine(cell(score, sl, tl)) for tl in range(LEVELS) for sl in range(LEVELS)]
    return reduce(minimum if conventions.strategy == "pred_lb" else maximum, column)


def _penalty(loop: VectorLoop, machine: Values, conventions: Conventions) -> Model:
    longest = machine("vector_length")
    length = loop.vector_length
    if length is None or conventions.strategy != "pred":
        length = longest
    return length if conventions.references == "instructions" else longest / length
