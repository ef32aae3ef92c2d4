"""Port maps, and every mistake in one line; variants of a kernel in CSV tables."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from ingest.errors import InputError, UsageError
from ingest.toml_table import TomlTable, read_toml
from pipeline.projection.fitting.measured_columns import read_columns
from pipeline.projection.ports.port_fit import PortMap, class_vector, cycles, port_map, port_sets, variants_in
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.ports.simulated import GOLDEN, SKYLAKE
from tools.gallery.asking import ROOT

GOOD = {"name": "x", "source": "z", "ports": ["A", "B"], "classes": {"c": {"ports": ["B"]}}}


def read(content):
    return port_map(TomlTable(content, Path("cpu.toml")))


def test_a_map_has_ports_classes_and_cycles():
    classes = {
        "wide": {"ports": ["B", "A"]},
        "div": {"ports": ["B"], "cycles": 4},
        "one": {"ports": ["A"], "cycles": 1},
    }
    found = read({**GOOD, "classes": classes})
    assert (found.name, found.ports) == ("x", ("A", "B"))
    assert found.classes == ("wide", "div", "one")
    assert found.allowed.tolist() == [[True, True], [False, True], [True, False]]
    assert found.occupancy.tolist() == [1.0, 4.0, 1.0]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            {"classes": {"c": {"ports": ["C"]}}},
            "cpu.toml: [classes.c]: class 'c' does not name its ports; list some of A, B",
        ),
        ({"classes": {"c": {"ports": []}}}, "does not name its ports"),
        ({"classes": {"c": {"ports": "A"}}}, "does not name its ports"),
        (
            {"classes": {"c": {"ports": ["A"], "cycles": 0.99}}},
            "[classes.c]: cycles: invalid value 0.99; write a number of at least 1",
        ),
        ({"classes": {"c": {"ports": ["A"], "cycles": True}}}, "[classes.c]: cycles: invalid value True"),
        ({"classes": {"c": {"ports": ["A"], "cycles": "4"}}}, "[classes.c]: cycles: invalid value '4'"),
        (
            {"classes": {"c": {"ports": ["A"], "cycles": float("inf")}}},
            "[classes.c]: cycles: invalid value inf",
        ),
        ({"classes": {"c": {"ports": ["A"], "cycle": 4}}}, "cycle: unknown key; did you mean 'cycles'?"),
        ({"classes": {"c": 4}}, "[classes]: c: 4 is not a table"),
        ({"classes": {}}, "cpu.toml: classes: is missing; write [classes]"),
        ({"port": []}, "port: unknown key; did you mean 'ports'?"),
        ({"ports": "A"}, "cpu.toml: ports: is not a list of texts; write ports = ["),
        ({"ports": []}, "ports: is not a list of texts"),
        ({"ports": ["A", 1]}, "ports: is not a list of texts"),
        ({"name": 8}, "name: invalid value"),
    ],
)
def test_mistakes_are_one_line_each(change, line):
    assert line in refused(lambda: read({**GOOD, **change}), raises=InputError)


def test_a_file_that_is_no_toml(tmp_path):
    broken = tmp_path / "broken.toml"
    broken.write_text("ports = [")
    with pytest.raises(InputError, match="not valid TOML"):
        port_map(read_toml(broken))


def test_values_by_class_name():
    portmap = read({**GOOD, "classes": {"c": {"ports": ["A"]}, "d": {"ports": ["B"]}}})
    assert class_vector(portmap, {"d": 3}).tolist() == [0.0, 3.0]
    assert class_vector(portmap, {"d": 3}, missing=1.5).tolist() == [1.5, 3.0]
    with pytest.raises(UsageError, match="x has no instruction class 'fma'; its classes are c, d"):
        class_vector(portmap, {"fma": 1})


HEADER = ",".join(["isa", "variant", "instructions", *GOLDEN.classes, "cycles", "ignored"])
LINES = [
    "AVX2,base,100,1,2,3,4,5,6,7,8,50,x",
    "AVX2,less,90,1,2,3,4,5,6,7,9,40,y",
    "SSE,base,80,2,2,2,2,2,2,2,2,70,z",
]


@pytest.fixture
def read_lines(tmp_path):
    def from_lines(lines=LINES, **where):
        (tmp_path / "variants.csv").write_text("\n".join([HEADER, *lines]))
        return variants_in(read_columns(tmp_path / "variants.csv"), GOLDEN, where=where)

    return from_lines


def test_variants_are_read_in_the_order_of_the_maps_classes(read_lines):
    found = read_lines(isa="AVX2")
    assert found.names == ("base", "less")
    assert found.instructions.tolist() == [100.0, 90.0]
    assert found.counts.tolist() == [[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 9]]
    assert found.cycles.tolist() == [50.0, 40.0]
    assert read_lines(LINES[1:]).names == ("less", "base")
    assert (found.index("base"), found.index("less")) == (0, 1)


def test_variants_that_are_not_there_or_there_twice(read_lines):
    with pytest.raises(InputError, match=r"^no variant 'more'; variants: base, less$"):
        read_lines(isa="AVX2").index("more")
    what = "variants.csv: variant 'less' is defined twice"
    hint = "choose one instruction set and machine, or average repetitions"
    assert refused(lambda: read_lines([LINES[1], *LINES]), raises=InputError).endswith(f"{what}; {hint}")


def test_every_class_of_the_map_needs_a_column(tmp_path):
    (tmp_path / "variants.csv").write_text("\n".join([HEADER, *LINES[1:]]))
    with pytest.raises(InputError, match="no column 'c'"):
        variants_in(read_columns(tmp_path / "variants.csv"), read(GOOD))


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


def test_the_map_of_the_docs_is_the_sample_s(tmp_path):
    text = (ROOT / "docs" / "explanations" / "ports.md").read_text()
    (block,) = (block for block in text.split("```toml\n") if block.startswith('name = "Golden Cove"'))
    (tmp_path / "core.toml").write_text(block.partition("```")[0])
    found = port_map(read_toml(tmp_path / "core.toml"))
    assert (found.ports, found.classes) == (GOLDEN.ports, GOLDEN.classes)
    assert np.array_equal(found.allowed, GOLDEN.allowed)
    assert np.array_equal(found.occupancy, GOLDEN.occupancy)
