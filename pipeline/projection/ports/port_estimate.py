"""Cycles per instruction of each class, estimated from variants of one kernel (paper 000, section 6.3).

A class whose port set is never the bottleneck has no influence on any measurement: its cycles can be anything
up to where they would make it one, and that range is given.
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import ModelError
from pipeline.projection.expressions.units import stream
from pipeline.projection.fitting.bounded_least_squares import identifiable
from pipeline.projection.ports.port_map import PortMap
from pipeline.projection.ports.schedule import PortProblem, port_sets, solve_ports

MOST_CYCLES = 40.0
PULL = 0.05
"""Weight of the manual's occupancy: twice its cycles counts like one variant off by 5 %, the usual scatter of
such timings. It decides only what the variants leave open."""

_GRID = 200
_ACCEPTED = 2.71  # chi-squared with one degree of freedom, 90 %
_STARTS = 64
_WIDEST_START = 10.0


@dataclass(frozen=True, eq=False, kw_only=True)
class PortEstimate:
    """Cycles per instruction of the classes of a port map, from n variants.

    Attributes:
        cpi: float64[class], cycles an instruction occupies its port; the manual's if nothing is known.
        identified: bool[class], whether the variants determine the class.
        present: bool[class], whether any variant has such instructions.
        lower: float64[class], fewest cycles that the variants allow with all else as estimated.
        upper: float64[class], most cycles that they allow, up to the bound of the fit.
        problem: the fit of the identified classes, the others held.
        unknowns: float64[k], its solution.
    """

    cpi: FloatArray
    identified: BoolArray
    present: BoolArray
    lower: FloatArray
    upper: FloatArray
    problem: PortProblem
    unknowns: FloatArray


def estimate_cpi(portmap: PortMap, counts: FloatArray, cycles: FloatArray) -> PortEstimate:
    """Return the cycles per instruction that fit the variants best.

    All classes that occur are fitted first; those that the variants do not determine are then held at the
    value of that fit, which is the manual's unless the measurements contradict it; the others are fitted
    again.

    Args:
        counts: float64[n, class], instructions per iteration of each variant.
        cycles: float64[n], measured cycles per iteration.

    Raises:
        ModelError: a measurement is not positive, or there are not more variants than classes.
    """
    present: BoolArray = np.any(counts > 0, axis=0)
    _check(counts, cycles, int(present.sum()))
    everything = _problem(portmap, counts, portmap.occupancy, present)
    found = _solved(everything, _starts(everything), cycles)
    cpi, identified = portmap.occupancy.copy(), np.zeros_like(present)
    cpi[present] = found
    identified[present] = _identified(everything, found, cycles)
    if not identified.any():
        raise ModelError("the variants do not determine any class", hint="measure variants that differ more")
    problem = _problem(portmap, counts, cpi, identified)
    cpi[identified] = unknowns = _solved(problem, cpi[identified][None], cycles)
    lower, upper = _allowed_range(portmap, counts, cycles, cpi, fitted=len(unknowns))
    return PortEstimate(
        cpi=cpi,
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


def _problem(portmap: PortMap, counts: FloatArray, cpi: FloatArray, free: BoolArray) -> PortProblem:
    """Return the fit of the free classes, the others held at their cpi."""
    slopes = counts[:, None, :] * port_sets(portmap)
    prior = portmap.occupancy[free]
    return PortProblem(
        slopes=slopes[:, :, free],
        fixed=slopes[:, :, ~free] @ cpi[~free],
        lower=np.ones(len(prior)),
        upper=np.maximum(MOST_CYCLES, prior),
        prior=prior,
        pull=PULL,
    )


def _starts(problem: PortProblem) -> FloatArray:
    """Return float64[start, k]: the manual's values, and random multiples of them."""
    factors = np.exp(stream("ports").uniform(0, np.log(_WIDEST_START), (_STARTS, len(problem.prior))))
    factors[0] = 1.0
    return np.clip(problem.prior * factors, problem.lower, problem.upper)


def _solved(problem: PortProblem, starts: FloatArray, cycles: FloatArray) -> FloatArray:
    return np.asarray(solve_ports(problem, starts, cycles[None], 1.0 / cycles[None])[0])


def _identified(problem: PortProblem, unknowns: FloatArray, cycles: FloatArray) -> BoolArray:
    """Return bool[k]: whether the measurements determine an unknown more than the pull towards the manual.

    Args:
        unknowns: float64[k], its solution.
        cycles: float64[n], the measurements.
    """
    loads = problem.loads(unknowns[None])[0]
    slopes = problem.slopes[np.arange(len(cycles)), loads.argmax(axis=1)]
    weighted = slopes / cycles[:, None]
    variance = np.diagonal(np.linalg.pinv(weighted.T @ weighted, hermitian=True))
    stronger: BoolArray = variance * (problem.pull / problem.prior) ** 2 < 1.0
    return identifiable(slopes, 1.0 / cycles) & stronger


def _allowed_range(
    portmap: PortMap, counts: FloatArray, cycles: FloatArray, cpi: FloatArray, *, fitted: int
) -> tuple[FloatArray, FloatArray]:
    """Return the fewest and the most cycles of each class that the variants allow, all else as estimated.

    Allowed is what raises the sum of squared relative residuals by less than their own scatter can (90 %).

    Args:
        counts: float64[n, class].
        cycles: float64[n], measured cycles.
        cpi: float64[class], the estimate.
    """
    trial = np.geomspace(1.0, max(MOST_CYCLES, float(cpi.max())), _GRID)
    weights = port_sets(portmap)
    base = (counts * cpi) @ weights.T
    change = np.einsum("nk,sk,gk->gkns", counts, weights, trial[:, None] - cpi)
    misfit = np.sum(((base + change).max(axis=3) / cycles - 1) ** 2, axis=2)
    residual = np.sum((base.max(axis=1) / cycles - 1) ** 2)
    accepted = misfit <= residual * (1 + _ACCEPTED / max(len(cycles) - fitted, 1))
    lower = np.where(accepted, trial[:, None], np.inf).min(axis=0)
    upper = np.where(accepted, trial[:, None], 1.0).max(axis=0)
    return np.minimum(lower, cpi), np.maximum(upper, cpi)
