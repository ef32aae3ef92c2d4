"""The ideal scheduler: the fewest cycles in which the ports can execute a mix of instructions, and its fit.

Paper 000 describes a scheduler that spreads whole classes over their ports so that the busiest port is least
busy (Figure 6, Eq. 8 and 9). That is a fractional assignment problem, and by max-flow/min-cut its optimum is

    C(n, c) = max over nonempty port sets S of  (sum of c_k n_k over classes k whose ports lie inside S) / |S|

for any map, convex and piecewise linear in c; the maximising S is the bottleneck.

The sum of squares of a fit has kinks and several minima. The search starts from many points and follows a
smoothed maximum, T log sum exp(x / T), whose temperature T falls to zero, by Levenberg-Marquardt steps within
hard bounds, for a block of data sets at once.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.projection.ports.port_map import PortMap

_MOST_SETS = 4096


@lru_cache(maxsize=64)
def port_sets(portmap: PortMap) -> FloatArray:
    """Return float64[set, class], the sets over which the closed form takes its maximum, smallest first.

    A class that can only go to ports inside S has 1/|S| there, any other class 0. Only unions of overlapping
    classes' ports matter: a port that no class inside S can use only lowers the quotient, and the quotient of
    a disconnected union lies between those of its parts.

    Raises:
        UsageError: the map has more sets than can be searched.
    """
    own = {frozenset(np.flatnonzero(row).tolist()) for row in portmap.allowed}
    found, edge = set(own), set(own)
    while edge:
        edge = {a | b for a in edge for b in own if a & b} - found
        found |= edge
        if len(found) > _MOST_SETS:
            raise UsageError(f"{portmap.name} has too many overlapping classes", hint="merge some of them")
    ordered = sorted(found, key=lambda ports: (len(ports), sorted(ports)))
    ports = np.array([[k in chosen for k in range(len(portmap.ports))] for chosen in ordered])
    inside = ~(portmap.allowed[None, :, :] & ~ports[:, None, :]).any(axis=2)
    return np.asarray(inside / ports.sum(axis=1, keepdims=True))


def cycles(portmap: PortMap, counts: FloatArray, cpi: FloatArray) -> FloatArray:
    """Return float64[...], cycles per iteration of the ideal scheduler (Eq. 9).

    Args:
        counts: float64[..., class], instructions per iteration.
        cpi: float64[..., class], cycles an instruction occupies its port; broadcast against `counts`.
    """
    return np.asarray(((counts * cpi) @ port_sets(portmap).T).max(axis=-1))


def levelled(portmap: PortMap, counts: FloatArray, cpi: FloatArray) -> FloatArray:
    """Return float64[port, class], the cycles of each class on each port in the paper's order of scheduling.

    Classes with fewest ports come first and each is spread so as to level its ports (Figure 6; the matrix A
    of Eq. 8 times the class's CPI). The row sums are the port loads p. Their maximum equals `cycles` if the
    classes' port sets are nested or disjoint; otherwise this order can be worse than the optimum.

    Args:
        counts: float64[class], instructions per iteration.
        cpi: float64[class], cycles an instruction occupies its port.
    """
    spread = np.zeros((len(portmap.ports), len(portmap.classes)))
    for k in np.argsort(portmap.allowed.sum(axis=1), kind="stable"):
        ports = np.flatnonzero(portmap.allowed[k])
        spread[ports, k] = _poured(spread[ports].sum(axis=1), float(counts[k] * cpi[k]))
    return spread


def _poured(loads: FloatArray, amount: float) -> FloatArray:
    """Return how much each port gets when `amount` is poured onto the loads until the lowest are level."""
    ordered = np.sort(loads)
    reached = (amount + np.cumsum(ordered)) / np.arange(1, len(ordered) + 1)
    level = reached[np.flatnonzero(reached >= ordered)[-1]]
    return np.asarray(np.maximum(level - loads, 0.0))


_TEMPERATURES = (0.1, 0.03, 0.01, 0.003, 0.001, 0.0)
_STEPS = 12
_FIRST_DAMPING = 1e-3
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class PortProblem:
    """Cycles of n variants as a maximum over port sets of functions linear in k unknowns.

    Attributes:
        slopes: float64[n, set, k], cycles a port set needs per unit of each unknown.
        fixed: float64[n, set], cycles it needs for what is not fitted.
        lower: float64[k], hard bounds.
        upper: float64[k].
        prior: float64[k], values towards which the unknowns are drawn weakly.
        pull: weight of the relative distance to the prior among the relative residuals.
    """

    slopes: FloatArray
    fixed: FloatArray
    lower: FloatArray
    upper: FloatArray
    prior: FloatArray
    pull: float

    def loads(self, unknowns: FloatArray) -> FloatArray:
        """Return float64[row, n, set], the cycles that every port set needs, for unknowns float64[row, k]."""
        flat = unknowns @ self.slopes.reshape(-1, self.slopes.shape[-1]).T
        return flat.reshape(len(unknowns), *self.fixed.shape) + self.fixed

    def curve(self, unknowns: FloatArray) -> FloatArray:
        """Return float64[row, n], the modelled cycles."""
        return np.asarray(self.loads(unknowns).max(axis=2))


def solve_ports(
    problem: PortProblem, starts: FloatArray, targets: FloatArray, weights: FloatArray
) -> FloatArray:
    """Return float64[row, k], the best unknowns of every row among the minima found from the starts.

    Args:
        starts: float64[start, k], within the bounds.
        targets: float64[row, n], measured cycles.
        weights: float64[row, n], factors on the residuals; 0 leaves a variant out.
    """
    rows, count = len(targets), len(starts)
    unknowns = np.tile(starts, (rows, 1))
    repeated = np.repeat(targets, count, axis=0), np.repeat(weights, count, axis=0)
    for temperature in _TEMPERATURES:
        unknowns = _descend(problem, unknowns, *repeated, temperature)
    cost = _misfit(problem, unknowns, *repeated, 0.0)[0].reshape(rows, count)
    chosen = np.arange(rows) * count + cost.argmin(axis=1)
    return np.asarray(unknowns[chosen])


def _descend(
    problem: PortProblem, unknowns: FloatArray, targets: FloatArray, weights: FloatArray, temperature: float
) -> FloatArray:
    damping = np.full(len(unknowns), _FIRST_DAMPING)
    cost, gradient, curvature = _misfit(problem, unknowns, targets, weights, temperature)
    for _ in range(_STEPS):
        trial = _stepped(problem, unknowns, gradient, curvature, damping)
        new = _misfit(problem, trial, targets, weights, temperature)
        better = new[0] < cost
        if not (better & (cost - new[0] > _NOTHING * cost)).any() and damping.min() > 1.0:
            break
        unknowns = np.where(better[:, None], trial, unknowns)
        cost = np.where(better, new[0], cost)
        gradient = np.where(better[:, None], new[1], gradient)
        curvature = np.where(better[:, None, None], new[2], curvature)
        damping = np.clip(np.where(better, damping / 5, damping * 8), 1e-9, 1e9)
    return unknowns


def _misfit(
    problem: PortProblem, unknowns: FloatArray, targets: FloatArray, weights: FloatArray, temperature: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return half the sum of squares, its gradient and its Gauss-Newton curvature, one per row."""
    scale = np.maximum(np.abs(targets), _NOTHING)[..., None]
    values, shares = _soft_maximum(problem.loads(unknowns), temperature * scale)
    slopes = np.matmul(shares.swapaxes(0, 1), problem.slopes).swapaxes(0, 1) * weights[..., None]
    residuals = (values - targets) * weights
    distance = (unknowns / problem.prior - 1.0) * problem.pull
    cost = 0.5 * (np.sum(residuals**2, axis=1) + np.sum(distance**2, axis=1))
    gradient = np.einsum("rn,rnk->rk", residuals, slopes) + distance * problem.pull / problem.prior
    curvature = np.matmul(slopes.swapaxes(1, 2), slopes) + np.diag((problem.pull / problem.prior) ** 2)
    return cost, gradient, curvature


def _soft_maximum(loads: FloatArray, temperature: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the (soft) maximum over the last axis and the share of every entry in its slope."""
    highest = loads.max(axis=-1, keepdims=True)
    if not temperature.any():
        first = loads.argmax(axis=-1)[..., None] == np.arange(loads.shape[-1])
        return highest[..., 0], first.astype(np.float64)
    above = np.exp((loads - highest) / temperature)
    total = above.sum(axis=-1, keepdims=True)
    value = highest + temperature * np.log(total)
    return value[..., 0], above / total


def _stepped(
    problem: PortProblem,
    unknowns: FloatArray,
    gradient: FloatArray,
    curvature: FloatArray,
    damping: FloatArray,
) -> FloatArray:
    """Return the unknowns after a damped Newton step; those held at a bound do not move."""
    held = ((unknowns <= problem.lower) & (gradient > 0)) | ((unknowns >= problem.upper) & (gradient < 0))
    free = (~held).astype(np.float64)
    diagonal = np.einsum("rkk->rk", curvature)
    damped = diagonal * (1 + damping[:, None]) + _NOTHING
    eye = np.eye(unknowns.shape[1])
    matrix = curvature * (1 - eye) * free[:, :, None] * free[:, None, :]
    matrix = matrix + eye * np.where(held, 1.0, damped)[:, None, :]
    step = np.linalg.solve(matrix, -(gradient * free)[..., None])[..., 0]
    return np.clip(unknowns + step, problem.lower, problem.upper)
