"""Cycles per instruction of each class, estimated from variants of one kernel (paper 000, section 6.3).

The paper fits Eq. (9) to the variants by basin hopping with lower bounds of 1. Here the bounds are hard, the
residuals relative, the search is a multi-start, and what the variants cannot tell is said.
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import ModelError
from pipeline.projection.ensemble import stream
from pipeline.projection.ports.identify import allowed_range, told
from pipeline.projection.ports.portmap import PortMap
from pipeline.projection.ports.schedule import port_sets
from pipeline.projection.ports.solver import PortProblem, solve_ports

MOST_CYCLES = 40.0
PULL = 0.05
"""Weight of the manual's occupancy: costing twice as much counts like one variant off by 5 %, which is how
far such timings scatter. It decides only what the variants leave open."""

_STARTS = 64
_WIDEST_START = 10.0


@dataclass(frozen=True, eq=False, kw_only=True)
class PortEstimate:
    """What n variants tell of the classes of a port map.

    Attributes:
        cpi: float64[class], cycles an instruction keeps its port; the manual's where nothing is known.
        offset: cycles per iteration that no port explains, 0 where none were asked for.
        identified: bool[class], whether the variants tell the class.
        present: bool[class], whether any variant has such instructions.
        lower: float64[class], least cycles that the variants allow with all else as estimated.
        upper: float64[class], most cycles that they allow, as far as the bound of the fit.
        problem: the fit of the identified classes (and the offset, last), the others held.
        unknowns: float64[k], its solution.
    """

    cpi: FloatArray
    offset: float
    identified: BoolArray
    present: BoolArray
    lower: FloatArray
    upper: FloatArray
    problem: PortProblem
    unknowns: FloatArray


def estimate_cpi(
    portmap: PortMap,
    counts: FloatArray,
    cycles: FloatArray,
    *,
    offset: bool = False,
    most: float = MOST_CYCLES,
) -> PortEstimate:
    """Return the cycles per instruction that fit the variants best.

    All classes that occur are fitted first; those that the variants do not tell are then held where the
    manual (or, where it contradicts the measurements, the fit) puts them, and the others are fitted again.

    Args:
        portmap: which class may use which port.
        counts: float64[n, class], instructions per iteration of each variant.
        cycles: float64[n], measured cycles per iteration.
        offset: whether to fit cycles that every variant spends besides, at least 0.
        most: upper bound of a class's cycles.

    Raises:
        ModelError: where a measurement is not positive, or there are not more variants than classes.
    """
    present: BoolArray = np.any(counts > 0, axis=0)
    _check(counts, cycles, int(present.sum()) + offset)
    everything = _problem(portmap, counts, portmap.occupancy, present, offset, cycles, most)
    found = _solved(everything, _starts(everything), cycles)
    cpi, identified = portmap.occupancy.copy(), np.zeros_like(present)
    cpi[present] = found[: present.sum()]
    identified[present] = told(everything, found, cycles)[: present.sum()]
    if not identified.any():
        raise ModelError("the variants tell no class apart", hint="measure variants that differ more")
    problem = _problem(portmap, counts, cpi, identified, offset, cycles, most)
    start = np.append(cpi[identified], found[present.sum() :])
    unknowns = _solved(problem, start[None], cycles)
    cpi[identified] = unknowns[: identified.sum()]
    rest = float(unknowns[-1]) if offset else 0.0
    lower, upper = allowed_range(portmap, counts, cycles - rest, cpi, fitted=len(unknowns), most=most)
    return PortEstimate(
        cpi=cpi,
        offset=rest,
        identified=identified,
        present=present,
        lower=lower,
        upper=upper,
        problem=problem,
        unknowns=unknowns,
    )


def _check(counts: FloatArray, cycles: FloatArray, unknowns: int) -> None:
    if not (np.isfinite(cycles).all() and (cycles > 0).all()):
        raise ModelError("cycles per iteration have to be positive numbers", hint="correct the measurements")
    if not (np.isfinite(counts).all() and (counts >= 0).all() and counts.any(axis=1).all()):
        raise ModelError("instruction counts have to be 0 or more, not all 0", hint="correct the counts")
    if len(cycles) <= unknowns:
        raise ModelError(
            f"{len(cycles)} variants cannot determine {unknowns} classes",
            hint=f"measure at least {unknowns + 1} variants or merge classes",
        )


def _problem(
    portmap: PortMap,
    counts: FloatArray,
    cpi: FloatArray,
    free: BoolArray,
    offset: bool,
    cycles: FloatArray,
    most: float,
) -> PortProblem:
    """Return the fit of the free classes, the others held at their cpi, and of the offset where asked for."""
    slopes = counts[:, None, :] * port_sets(portmap).weights
    fixed = slopes[:, :, ~free] @ cpi[~free]
    prior = portmap.occupancy[free]
    bounds = np.ones(len(prior)), np.maximum(most, prior)
    if not offset:
        return PortProblem(
            slopes=slopes[:, :, free],
            fixed=fixed,
            lower=bounds[0],
            upper=bounds[1],
            prior=prior,
            pull=np.full(len(prior), PULL),
        )
    besides = np.ones((*fixed.shape, 1))
    return PortProblem(
        slopes=np.concatenate([slopes[:, :, free], besides], axis=2),
        fixed=fixed,
        lower=np.append(bounds[0], 0.0),
        upper=np.append(bounds[1], cycles.max()),
        prior=np.append(prior, 1.0),
        pull=np.append(np.full(len(prior), PULL), 0.0),
    )


def _starts(problem: PortProblem) -> FloatArray:
    """Return float64[start, k]: the manual's values, and random multiples of them."""
    factors = np.exp(stream("ports").uniform(0, np.log(_WIDEST_START), (_STARTS, len(problem.prior))))
    factors[0] = 1.0
    starts: FloatArray = np.clip(problem.prior * factors, problem.lower, problem.upper)
    return starts


def _solved(problem: PortProblem, starts: FloatArray, cycles: FloatArray) -> FloatArray:
    solution: FloatArray = solve_ports(problem, starts, cycles[None], 1.0 / cycles[None])[0]
    return solution
