"""Variants of a kernel in CSV tables."""

import pytest

from ingest.errors import InputError
from pipeline.projection.fitting.measured_columns import read_columns
from pipeline.projection.ports.port_map import read_port_map, variants_in
from tests.pipeline.projection.mistakes import refused

SKYLAKE = read_port_map("skylake-x")
COLUMNS = [name for name in SKYLAKE.classes if name != "idiv"]
HEADER = ",".join(["isa", "variant", "instructions", *COLUMNS, "cycles", "ignored"])
LINES = [
    "AVX2,base,100,1,2,3,4,5,6,7,8,50,x",
    "AVX2,less,90,1,2,3,4,5,6,7,9,40,y",
    "SSE,base,80,2,2,2,2,2,2,2,2,70,z",
]


@pytest.fixture
def read(tmp_path):
    def from_lines(lines=LINES, **where):
        (tmp_path / "variants.csv").write_text("\n".join([HEADER, *lines]))
        return variants_in(read_columns(tmp_path / "variants.csv"), SKYLAKE, where=where)

    return from_lines


def test_variants_are_read_in_the_order_of_the_maps_classes(read):
    found = read(isa="AVX2")
    assert found.names == ("base", "less")
    assert found.instructions.tolist() == [100.0, 90.0]
    assert found.counts.tolist() == [
        [1, 2, 3, 4, 5, 6, 7, 8, 0],
        [1, 2, 3, 4, 5, 6, 7, 9, 0],
    ]  # integer division refines division
    assert found.cycles.tolist() == [50.0, 40.0]
    assert read(LINES[1:]).names == ("less", "base")
    assert (found.index("base"), found.index("less")) == (0, 1)


def test_variants_that_are_not_there_or_there_twice(read):
    with pytest.raises(InputError, match=r"^no variant 'more'; variants: base, less$"):
        read(isa="AVX2").index("more")
    what = "variants.csv: variant 'less' is defined twice"
    hint = "choose one instruction set and machine, or average repetitions"
    assert refused(lambda: read([LINES[1], *LINES]), raises=InputError).endswith(f"{what}; {hint}")


def test_every_class_of_the_map_needs_a_column(tmp_path):
    (tmp_path / "variants.csv").write_text("\n".join([HEADER, *LINES[1:]]))
    with pytest.raises(InputError, match="no column 'predicate'"):
        variants_in(read_columns(tmp_path / "variants.csv"), read_port_map("neoverse-v2"))
