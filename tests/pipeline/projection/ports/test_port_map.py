"""Port maps, and every mistake in one line; variants of a kernel in CSV tables."""

from pathlib import Path

import pytest

from ingest.errors import InputError, UsageError
from ingest.toml_table import TomlTable, read_toml
from pipeline.projection.fitting.measured_columns import read_columns
from pipeline.projection.ports.port_fit import class_vector, port_map, variants_in
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.ports.simulated import GOLDEN

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
