"""The time of a loop (paper 002, Figure 1).

    T_v = (VLOADS + VSTORES) 8 B / BW * 64 / AVL + VFLOPS / F_v        vector part, where it is vectorised
    T_s = (SLOADS + SSTORES) 8 B / BW + SFLOPS / F_s                    scalar part

BW is the bandwidth for the loop's MV score and locality, F the peak for its MV score. 64 / AVL is the penalty
for vectors that do not fill their registers. The figure is damaged in the text we have; this reading agrees
with the units, the text and the constants.
"""

from dataclasses import dataclass
from functools import reduce
from typing import Literal, TypeAlias, get_args

from ingest.errors import UsageError
from pipeline.projection.model import Model, constant, maximum, minimum
from pipeline.projection.units import TIME
from pipeline.projection.vector_loops.loop import LEVELS, VectorLoop, as_flops
from pipeline.projection.vector_loops.machine import Values, cell

Strategy: TypeAlias = Literal["pred", "pred_novl", "pred_lb", "pred_hb"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


@dataclass(frozen=True)
class Conventions:
    """What the paper leaves open, with our reading of it.

    Attributes:
        strategy: ``pred`` uses locality and AVL, ``pred_novl`` full vectors, ``pred_lb`` and ``pred_hb``
            full vectors and the lowest or highest bandwidth of the MV score.
        scalar_bandwidth: ``loop``: scalar references of a vectorised loop get the loop's bandwidth, as the
            text has one a loop; ``scalar``: that of the same loop unvectorised.
        references: ``elements``: VLOADS counts elements; ``instructions``: instructions of AVL elements.
        overlap: whether memory and computation overlap; the paper adds them.
    """

    strategy: Strategy = "pred"
    scalar_bandwidth: Literal["loop", "scalar"] = "loop"
    references: Literal["elements", "instructions"] = "elements"
    overlap: bool = False


PAPER = Conventions()


@dataclass(frozen=True, eq=False, kw_only=True)
class LoopTime:
    """The components of a loop's time, in seconds.

    Attributes:
        vector_memory: T_vm.
        vector_compute: T_vc.
        scalar_memory: T_sm.
        scalar_compute: T_sc.
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


def loop_time(loop: VectorLoop, machine: Values, conventions: Conventions = PAPER) -> LoopTime:
    """Return the time of one execution of a loop.

    Raises:
        UsageError: where the machine lacks a value, a count has a wrong unit, or vector operations are stated
            for a loop that is not vectorised.
    """
    streams = "m1" if loop.streamed else "m0"
    bandwidth = _bandwidth(loop.score, loop, machine, conventions)
    slow = bandwidth
    if loop.vectorised and conventions.scalar_bandwidth == "scalar":
        slow = _bandwidth(f"{loop.score[0]}0", loop, machine, conventions)
    scalar = (loop.scalar_loads + loop.scalar_stores) * machine("element") / slow
    computed = as_flops(loop.scalar_flops) / machine(f"peak.scalar.{streams}")
    if not loop.vectorised:
        _check_scalar(loop)
        nothing = constant(0, TIME)
        return LoopTime(
            vector_memory=nothing,
            vector_compute=nothing,
            scalar_memory=scalar,
            scalar_compute=computed,
            overlap=conventions.overlap,
        )
    moved = (loop.vector_loads + loop.vector_stores) * machine("element") / bandwidth
    return LoopTime(
        vector_memory=moved * _penalty(loop, machine, conventions),
        vector_compute=as_flops(loop.vector_flops) / machine(f"peak.vector.{streams}"),
        scalar_memory=scalar,
        scalar_compute=computed,
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


def _check_scalar(loop: VectorLoop) -> None:
    stated = (loop.vector_flops, loop.vector_loads, loop.vector_stores)
    if not all(count.expression.is_zero for count in stated):
        raise UsageError(
            f"MV score {loop.score} is not vectorised, yet it has vector operations",
            where=loop.name,
            hint="count them as scalar",
        )
