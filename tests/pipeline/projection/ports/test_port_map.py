"""Port maps: the shipped ones, and every mistake in one line."""

from pathlib import Path

import numpy as np
import pytest

from ingest.errors import InputError, UsageError
from ingest.toml_table import TomlTable
from pipeline.projection.expressions.shipped_files import shipped
from pipeline.projection.ports.assembly import functions_in
from pipeline.projection.ports.counting import count_classes, shipped_class_table
from pipeline.projection.ports.port_map import CATEGORIES, class_vector, port_map, read_port_map, superscalar
from tests.pipeline.projection.mistakes import refused

GOOD = {"name": "x", "isa": "y", "source": "z", "ports": ["A", "B"], "classes": {"c": {"ports": ["B"]}}}


def read(content):
    return port_map(TomlTable(content, Path("cpu.toml")))


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
        ({"isa": 8}, "isa: invalid value"),
        ({"wide": 0.5}, "wide: invalid value 0.5; write a number of at least 1"),
        (
            {"classes": {"c": {"ports": ["A"]}, "d": {"like": "e"}}},
            "cpu.toml: [classes.d]: class 'd' is like 'e'; name a class that has ports, and give no ports",
        ),
        ({"classes": {"c": {"ports": ["A"]}, "d": {"like": "c", "ports": ["B"]}}}, "class 'd' is like 'c'"),
    ],
)
def test_mistakes_are_one_line_each(change, line):
    assert line in refused(lambda: read({**GOOD, **change}), raises=InputError)


def test_a_map_that_is_not_there(tmp_path):
    with pytest.raises(
        UsageError,
        match=r"no such file, and no shipped port map of that name; give a file, or one of a64fx, broadwell",
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


def test_instructions_of_other_widths_count_for_their_class():
    classes = {
        "div": {"ports": ["A"], "cycles": 4},
        "add": {"ports": ["B"]},
        "div_256": {"like": "div", "cycles": 10},
    }
    portmap = read({**GOOD, "classes": classes})
    assert portmap.classes == ("div", "add")
    assert portmap.weighted("div") == ("div", 1.0)
    assert portmap.weighted("div_256") == ("div", 2.5)
    # What the map does not have counts for the class that it refines.
    assert portmap.weighted("sqrt_512") == ("div", 1.0)
    assert portmap.weighted("compare") == ("add", 1.0)
    assert portmap.weighted("cross") == ("shuffle", 1.0)


# --- the shipped maps against LLVM's models


def stated():
    """Return the cycles by port that ``llvm-mca --instruction-tables`` 19.1.7 states, by map and class.

    The instructions are ``vmulpd``, ``vaddpd``, ``vmaxpd``, ``vandpd`` and ``vpermpd`` of ymm registers
    (``_512``: zmm), divisions and square roots of doubles; units have the names of the maps.
    """
    rows = (Path(__file__).parent / "llvm-mca-instructions.tsv").read_text().splitlines()[1:]
    found = {}
    for name, kind, cycles in (row.split("\t") for row in rows):
        units = (unit.split("=") for unit in cycles.split())
        found[name, kind] = {unit: float(number) for unit, number in units}
    return found


STATED = stated()
NO_DIVIDER = ("golden-cove", "sapphire-rapids")  # in LLVM's model
DIVISIONS = ("div", "sqrt")
KINDS = ("mul", "add", "compare", "logic", "cross")


@pytest.mark.parametrize(("name", "kind"), [each for each in STATED if each[1] in KINDS])
def test_ports_are_those_of_llvm(name, kind):
    portmap = read_port_map(name)
    own, weight = portmap.weighted(kind)
    row = portmap.allowed[portmap.classes.index(own)]
    ports = {port for port, allowed in zip(portmap.ports, row, strict=True) if allowed}
    if (name, kind) not in {("zen3", "cross"), ("zen4", "cross")}:  # two micro-operations there
        assert ports == set(STATED[name, kind])
        assert weight == pytest.approx(sum(STATED[name, kind].values()), abs=1e-3)


@pytest.mark.parametrize(
    ("name", "kind"),
    [each for each in STATED if each[1][:4].rstrip("_") in DIVISIONS and each[0] not in NO_DIVIDER],
)
def test_divisions_take_the_cycles_that_llvm_states(name, kind):
    portmap = read_port_map(name)
    own, weight = portmap.weighted(kind)
    assert own == "div"
    units = STATED[name, kind]
    cycles = sum(units.values()) if name == "neoverse-v2" else max(units.values())  # two units divide there
    assert weight * portmap.occupancy[portmap.classes.index(own)] == pytest.approx(cycles)


def test_zen4_takes_two_passes_for_512_bits():
    portmap = read_port_map("zen4")
    for kind in ("add", "mul", "logic", "compare"):
        half, whole = STATED["zen4", kind], STATED["zen4", f"{kind}_512"]
        assert whole == {port: 2 * cycles for port, cycles in half.items()}
    code = "f:\n\tvaddpd %zmm0,%zmm1,%zmm2\n\tvaddpd %ymm0,%ymm1,%ymm2\n\tvmovupd (%rax),%zmm3\n"
    counts = count_classes(portmap, shipped_class_table("x86-64"), functions_in(code)["f"])
    assert dict(zip(portmap.classes, counts.tolist(), strict=True))["add"] == 3.0
    assert dict(zip(portmap.classes, counts.tolist(), strict=True))["load"] == 1.0
