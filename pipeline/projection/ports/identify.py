"""What variants tell of a class: whether anything, and which cycles per instruction they allow.

A class whose port set is never the bottleneck has no influence on any measurement. Its cycles can be anything
up to where they would make it one, and that range is the only honest answer.
"""

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from pipeline.projection.formula import told_apart
from pipeline.projection.ports.portmap import PortMap
from pipeline.projection.ports.schedule import port_sets
from pipeline.projection.ports.solver import PortProblem

_GRID = 200
_ACCEPTED = 2.71  # chi-squared with one degree of freedom, 90 %


def told(problem: PortProblem, unknowns: FloatArray, cycles: FloatArray) -> BoolArray:
    """Return bool[k]: whether the measurements weigh more in an unknown than the pull towards the manual.

    Args:
        problem: the fit.
        unknowns: float64[k], its solution.
        cycles: float64[n], the measurements.
    """
    loads = problem.loads(unknowns[None])[0]
    slopes = problem.slopes[np.arange(len(cycles)), loads.argmax(axis=1)]
    weighted = slopes / cycles[:, None]
    variance = np.diagonal(np.linalg.pinv(weighted.T @ weighted, hermitian=True))
    stronger: BoolArray = variance * (problem.pull / problem.prior) ** 2 < 1.0
    seen: BoolArray = told_apart(slopes, 1.0 / cycles) & stronger
    return seen


def allowed_range(
    portmap: PortMap, counts: FloatArray, cycles: FloatArray, cpi: FloatArray, *, fitted: int, most: float
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the most cycles of each class that the variants accept, all else as estimated.

    Accepted is what raises the sum of squared relative residuals by less than their own scatter can (90 %).

    Args:
        portmap: the map.
        counts: float64[n, class].
        cycles: float64[n], measured cycles without the offset.
        cpi: float64[class], the estimate.
        fitted: how many classes were fitted.
        most: the upper bound of the fit.
    """
    trial = np.geomspace(1.0, max(most, float(cpi.max())), _GRID)
    weights = port_sets(portmap).weights
    base = (counts * cpi) @ weights.T
    change = np.einsum("nk,sk,gk->gkns", counts, weights, trial[:, None] - cpi)
    misfit = np.sum(((base + change).max(axis=3) / cycles - 1) ** 2, axis=2)
    residual = np.sum((base.max(axis=1) / cycles - 1) ** 2)
    accepted = misfit <= residual * (1 + _ACCEPTED / max(len(cycles) - fitted, 1))
    lower = np.where(accepted, trial[:, None], np.inf).min(axis=0)
    upper = np.where(accepted, trial[:, None], 1.0).max(axis=0)
    return np.minimum(lower, cpi), np.maximum(upper, cpi)
