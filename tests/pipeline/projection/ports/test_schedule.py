"""The ideal scheduler: published vectors, linear programming as an oracle, identities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from pipeline.projection.ports.port_fit import PortMap, class_vector, cycles, port_sets
from tests.pipeline.projection.ports.simulated import SKYLAKE

# Paper 000, Figure 6 on Skylake-X: counts, cycles of a division, total, bottleneck; FP is our mul and add.
VECTORS = [
    (
        {"div": 8, "shuffle": 6, "store": 10, "mul": 60, "add": 40, "vector": 20, "alu": 30},
        4.0,
        66.0,
        ("P0", "P1"),
    ),
    ({"div": 2, "shuffle": 40, "store": 60, "mul": 30, "vector": 20, "alu": 10}, 8.0, 60.0, ("P4",)),
    ({"div": 13, "shuffle": 6, "store": 43, "mul": 62, "add": 76, "alu": 10}, 4.0, 95.0, ("P0", "P1")),
]


@pytest.mark.parametrize(("counts", "division", "expected", "ports"), VECTORS)
def test_published_vectors(counts, division, expected, ports):
    mix = class_vector(SKYLAKE, counts)
    cpi = class_vector(SKYLAKE, {"div": division}, missing=1.0)
    assert cycles(SKYLAKE, mix, cpi) == pytest.approx(expected, rel=1e-12)
    sets = port_sets(SKYLAKE)
    inside = sets[((mix * cpi) @ sets.T).argmax(axis=-1)] > 0
    assert tuple(np.array(SKYLAKE.ports)[SKYLAKE.allowed[inside].any(axis=0)]) == ports


def _map(*, ports, classes, allowed):
    return PortMap(
        name="invented",
        ports=ports,
        classes=classes,
        allowed=allowed,
        occupancy=np.ones(len(classes)),
    )


def _random_map(rng: np.random.Generator) -> PortMap:
    n_ports, n_classes = rng.integers(1, 8), rng.integers(1, 9)
    allowed = rng.random((n_classes, n_ports)) < rng.uniform(0.15, 0.8)
    allowed[np.arange(n_classes), rng.integers(0, n_ports, n_classes)] = True
    return _map(
        ports=tuple(f"P{k}" for k in range(n_ports)),
        classes=tuple(f"c{k}" for k in range(n_classes)),
        allowed=allowed,
    )


def _least_busiest(portmap: PortMap, work: np.ndarray) -> float:
    """Minimise the busiest port's load over all fractional assignments, by linear programming."""
    pairs = np.argwhere(portmap.allowed)
    n, (n_classes, n_ports) = len(pairs), portmap.allowed.shape
    spread, load = np.zeros((n_classes, n + 1)), np.zeros((n_ports, n + 1))
    spread[pairs[:, 0], np.arange(n)] = 1.0
    load[pairs[:, 1], np.arange(n)] = 1.0
    load[:, n] = -1.0
    cost = np.r_[np.zeros(n), 1.0]
    found = linprog(cost, A_ub=load, b_ub=np.zeros(n_ports), A_eq=spread, b_eq=work, method="highs")
    return float(found.fun)


def test_closed_form_equals_linear_programming():
    rng = np.random.default_rng(1)
    for _ in range(200):
        portmap = _random_map(rng)
        counts, cpi = (
            rng.integers(0, 100, len(portmap.classes)) * 1.0,
            rng.uniform(1, 20, len(portmap.classes)),
        )
        expected = _least_busiest(portmap, counts * cpi)
        assert cycles(portmap, counts, cpi) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@settings(deadline=None)  # the first example searches the port sets
@given(st.integers(0, 2**32 - 1))
def test_cycles_are_subadditive_and_monotone(seed):
    rng = np.random.default_rng(seed)
    portmap = _random_map(rng)
    a, b = rng.uniform(0, 50, (2, len(portmap.classes)))
    cpi = rng.uniform(1, 9, len(portmap.classes))
    together = cycles(portmap, a + b, cpi)
    assert together <= (cycles(portmap, a, cpi) + cycles(portmap, b, cpi)) * (1 + 1e-12)
    assert together >= cycles(portmap, a, cpi) * (1 - 1e-12)
