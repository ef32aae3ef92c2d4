"""The ideal scheduler: published vectors, linear programming as an oracle, identities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from pipeline.projection.expressions.shipped_files import shipped
from pipeline.projection.ports.port_map import (
    PortMap,
    class_vector,
    read_port_map,
    superscalar,
)
from pipeline.projection.ports.schedule import cycles, levelled, port_sets

# Paper 000, Figure 6 on Skylake-X: counts, cycles of a division, total, bottleneck, the loads the paper's
# scheduler gives, and Eq. (6) with a port for each of the six classes. The paper's FP is our mul and add.
OTHERS = ("div", "shuffle", "store", "vector", "alu")
VECTORS = [
    (
        {"div": 8, "shuffle": 6, "store": 10, "mul": 60, "add": 40, "vector": 20, "alu": 30},
        4.0,
        66.0,
        ("P0", "P1"),
        {"P0": 66.0, "P1": 66.0, "P4": 10.0, "P5": 28.0, "P6": 28.0},
        100.0,
    ),
    (
        {"div": 2, "shuffle": 40, "store": 60, "mul": 30, "vector": 20, "alu": 10},
        8.0,
        60.0,
        ("P4",),
        {"P0": 33.0, "P1": 33.0, "P4": 60.0, "P5": 40.0, "P6": 10.0},
        60.0,
    ),
    (
        {"div": 13, "shuffle": 6, "store": 43, "mul": 62, "add": 76, "alu": 10},
        4.0,
        95.0,
        ("P0", "P1"),
        {"P0": 95.0, "P1": 95.0, "P4": 43.0, "P5": 8.0, "P6": 8.0},
        138.0,
    ),
]


@pytest.mark.parametrize(("counts", "division", "expected", "ports", "loads", "alone"), VECTORS)
def test_published_vectors(counts, division, expected, ports, loads, alone):
    skylake = read_port_map("skylake-x")
    mix = class_vector(skylake, counts)
    cpi = class_vector(skylake, {"div": division}, missing=1.0)
    assert cycles(skylake, mix, cpi) == pytest.approx(expected, rel=1e-12)
    sets = port_sets(skylake)
    inside = sets[((mix * cpi) @ sets.T).argmax(axis=-1)] > 0
    assert tuple(np.array(skylake.ports)[skylake.allowed[inside].any(axis=0)]) == ports
    found = dict(zip(skylake.ports, levelled(skylake, mix, cpi).sum(axis=1), strict=True))
    assert {port: found[port] for port in loads} == pytest.approx(loads)
    apart, members = superscalar(skylake, {"fp": ("mul", "add"), **{k: (k,) for k in OTHERS}})
    assert cycles(apart, mix @ members, np.array([1, division, 1, 1, 1, 1])) == pytest.approx(alone)


def test_superscalar_model_has_the_papers_four_categories():
    skylake = read_port_map("skylake-x")
    apart, members = superscalar(skylake)
    mix = class_vector(skylake, VECTORS[1][0])
    assert dict(zip(apart.classes, mix @ members, strict=True)) == {
        "division": 2,
        "floating point": 30,
        "integer": 70,
        "store": 60,
    }
    assert cycles(apart, mix @ members, np.array([8, 1, 1, 1])) == pytest.approx(70)


def test_skylake_has_the_ports_of_the_paper():
    skylake = read_port_map("skylake-x")
    where = {
        name: set(np.array(skylake.ports)[row])
        for name, row in zip(skylake.classes, skylake.allowed, strict=True)
    }
    assert where["div"] == {"P0"}
    assert where["shuffle"] == {"P5"}
    assert where["store"] == {"P4"}
    assert where["mul"] == where["add"] == {"P0", "P1"}
    assert where["vector"] == {"P0", "P1", "P5"}
    assert where["alu"] == {"P0", "P1", "P5", "P6"}


def _map(*, ports, classes, allowed):
    return PortMap(
        name="invented",
        isa="none",
        source="",
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


@pytest.mark.parametrize("name", shipped("port map"))
def test_closed_form_equals_linear_programming_on_shipped_maps(name):
    portmap, rng = read_port_map(name), np.random.default_rng(2)
    for _ in range(10):
        counts, cpi = rng.uniform(0, 100, len(portmap.classes)), rng.uniform(1, 9, len(portmap.classes))
        assert cycles(portmap, counts, cpi) == pytest.approx(_least_busiest(portmap, counts * cpi), rel=1e-9)


@settings(deadline=None)  # the first example searches the port sets
@given(st.integers(0, 2**32 - 1))
def test_the_papers_scheduler_is_never_better_and_conserves_work(seed):
    rng = np.random.default_rng(seed)
    portmap = _random_map(rng)
    counts, cpi = rng.uniform(0, 50, len(portmap.classes)), rng.uniform(1, 9, len(portmap.classes))
    spread = levelled(portmap, counts, cpi)
    np.testing.assert_allclose(spread.sum(axis=0), counts * cpi, rtol=1e-9, atol=1e-9)
    assert not spread.T[~portmap.allowed].any()
    assert spread.sum(axis=1).max() >= cycles(portmap, counts, cpi) * (1 - 1e-12)


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


def test_division_first_beats_the_order_by_listing():
    """Nested sets are levelled to the optimum only if the class with the fewest ports goes first."""
    classes = {"wide": [True, True], "narrow": [True, False]}
    portmap = _map(ports=("A", "B"), classes=tuple(classes), allowed=np.array(list(classes.values())))
    mix, cpi = np.array([6.0, 4.0]), np.ones(2)
    assert levelled(portmap, mix, cpi).sum(axis=1) == pytest.approx([5.0, 5.0])
