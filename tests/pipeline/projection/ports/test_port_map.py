"""Port maps: the shipped ones, and every mistake in one line."""

from pathlib import Path

import numpy as np
import pytest

from ingest.errors import InputError, UsageError
from pipeline.projection.files import Table, shipped
from pipeline.projection.ports.port_map import CATEGORIES, class_vector, port_map, read_port_map, superscalar

GOOD = {"name": "x", "isa": "y", "source": "z", "ports": ["A", "B"], "classes": {"c": {"ports": ["B"]}}}


def read(content):
    return port_map(Table(content, Path("cpu.toml")))


@pytest.mark.parametrize("name", shipped("port map"))
def test_shipped_maps_are_complete(name):
    portmap = read_port_map(name)
    assert portmap.source
    assert portmap.isa in ("x86-64", "aarch64")
    assert portmap.allowed.any(axis=1).all()
    assert portmap.allowed.any(axis=0).sum() >= 6
    assert (portmap.occupancy >= 1).all()


def test_a_map_has_ports_classes_and_cycles():
    classes = {
        "wide": {"ports": ["B", "A"]},
        "div": {"ports": ["B"], "cycles": 4},
        "one": {"ports": ["A"], "cycles": 1},
    }
    found = read({**GOOD, "classes": classes})
    assert (found.name, found.isa, found.source, found.ports) == ("x", "y", "z", ("A", "B"))
    assert found.classes == ("wide", "div", "one")
    assert found.allowed.tolist() == [[True, True], [False, True], [True, False]]
    assert found.occupancy.tolist() == [1.0, 4.0, 1.0]


def test_the_source_may_be_missing():
    assert read({key: value for key, value in GOOD.items() if key != "source"}).source == ""


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
            "class 'c' has cycles = 0.99; give a number of at least 1",
        ),
        ({"classes": {"c": {"ports": ["A"], "cycles": True}}}, "class 'c' has cycles = True"),
        ({"classes": {"c": {"ports": ["A"], "cycles": "4"}}}, "class 'c' has cycles = '4'"),
        ({"classes": {"c": {"ports": ["A"], "cycles": float("inf")}}}, "class 'c' has cycles = inf"),
        ({"classes": {"c": {"ports": ["A"], "cycle": 4}}}, "unknown key 'cycle'; did you mean 'cycles'?"),
        ({"classes": {"c": 4}}, "'c' has to be a table"),
        ({"classes": {}}, "cpu.toml: 'classes' is missing; write [classes]"),
        ({"port": []}, "unknown key 'port'; did you mean 'ports'?"),
        ({"ports": "A"}, "cpu.toml: 'ports' has to be a list of names; write ports = ["),
        ({"ports": []}, "'ports' has to be a list of names"),
        ({"ports": ["A", 1]}, "'ports' has to be a list of names"),
        ({"isa": 8}, "'isa' has to be a string"),
    ],
)
def test_mistakes_are_one_line_each(change, line):
    with pytest.raises(InputError) as caught:
        read({**GOOD, **change})
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_map_that_is_not_there(tmp_path):
    with pytest.raises(
        UsageError,
        match=r"no such file, and no shipped port map of that name; give a file, or one of broadwell",
    ):
        read_port_map(str(tmp_path / "none.toml"))
    broken = tmp_path / "broken.toml"
    broken.write_text("ports = [")
    with pytest.raises(InputError, match="not valid TOML"):
        read_port_map(broken)


def test_values_by_class_name():
    portmap = read({**GOOD, "classes": {"c": {"ports": ["A"]}, "d": {"ports": ["B"]}}})
    assert class_vector(portmap, {"d": 3}).tolist() == [0.0, 3.0]
    assert class_vector(portmap, {"d": 3}, missing=1.5).tolist() == [1.5, 3.0]
    with pytest.raises(UsageError, match="x has no instruction class 'fma'; its classes are c, d"):
        class_vector(portmap, {"fma": 1})


def test_the_superscalar_map_has_one_port_per_category():
    golden = read_port_map("golden-cove")
    apart, members = superscalar(golden)
    assert apart.classes == apart.ports == tuple(CATEGORIES)
    assert np.array_equal(apart.allowed, np.eye(4))
    # A division occupies its port for 4 cycles; every other category has a class of 1 cycle.
    assert apart.occupancy.tolist() == [4.0, 1.0, 1.0, 1.0]
    assert members.sum(axis=1).tolist() == [1.0 if kind != "load" else 0.0 for kind in golden.classes]
    assert apart.name == "Golden Cove, superscalar"


def test_a_category_without_classes_has_one_cycle():
    apart, _ = superscalar(read(GOOD), {"none": ("z",), "c": ("c",)})
    assert apart.occupancy.tolist() == [1.0, 1.0]
