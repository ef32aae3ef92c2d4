"""The ideal scheduler: the fewest cycles in which the ports can execute a mix of instructions.

Paper 000 describes a scheduler that spreads whole classes over their ports so that the busiest port is least
busy (Figure 6, Eq. 8 and 9). That is a fractional assignment problem, and by max-flow/min-cut its optimum is

    C(n, c) = max over nonempty port sets S of  (sum of c_k n_k over classes k whose ports lie inside S) / |S|

for any map, convex and piecewise linear in c; the maximising S is the bottleneck.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import UsageError
from pipeline.projection.ports.port_map import PortMap

_MOST_SETS = 4096


@dataclass(frozen=True, eq=False)
class PortSets:
    """The port sets that can be the bottleneck, smallest first.

    Attributes:
        ports: bool[set, port].
        weights: float64[set, class], 1/|S| where the class can only go to ports inside S, else 0.
    """

    ports: BoolArray
    weights: FloatArray


@lru_cache(maxsize=64)
def port_sets(portmap: PortMap) -> PortSets:
    """Return the sets over which the closed form takes its maximum.

    Only unions of overlapping classes' ports matter: a port that no class inside S can use only lowers the
    quotient, and the quotient of a disconnected union lies between those of its parts.

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
    return PortSets(ports, inside / ports.sum(axis=1, keepdims=True))


def set_cycles(portmap: PortMap, counts: FloatArray, cpi: FloatArray) -> FloatArray:
    """Return float64[..., set], the cycles each port set needs.

    Args:
        portmap: the map.
        counts: float64[..., class], instructions per iteration.
        cpi: float64[..., class], cycles an instruction occupies its port; broadcast against `counts`.
    """
    result: FloatArray = (counts * cpi) @ port_sets(portmap).weights.T
    return result


def cycles(portmap: PortMap, counts: FloatArray, cpi: FloatArray) -> FloatArray:
    """Return float64[...], cycles per iteration of the ideal scheduler (Eq. 9); arguments as `set_cycles`."""
    result: FloatArray = set_cycles(portmap, counts, cpi).max(axis=-1)
    return result


def bottleneck(portmap: PortMap, counts: FloatArray, cpi: FloatArray) -> IntArray:
    """Return int64[...], the index in `port_sets` of the (smallest) set that needs the most cycles."""
    result: IntArray = set_cycles(portmap, counts, cpi).argmax(axis=-1)
    return result


def port_names(portmap: PortMap, index: int) -> tuple[str, ...]:
    """Return the names of the ports in one of `port_sets`."""
    return tuple(portmap.ports[k] for k in np.flatnonzero(port_sets(portmap).ports[index]))


def levelled(portmap: PortMap, counts: FloatArray, cpi: FloatArray) -> FloatArray:
    """Return float64[port, class], the cycles of each class on each port in the paper's order of scheduling.

    Classes with fewest ports come first and each is spread so as to level its ports (Figure 6; the matrix A
    of Eq. 8 times the class's CPI). The row sums are the port loads p. Their maximum equals `cycles` if the
    classes' port sets are nested or disjoint; otherwise this order can be worse than the optimum.

    Args:
        portmap: the map.
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
    poured: FloatArray = np.maximum(level - loads, 0.0)
    return poured
