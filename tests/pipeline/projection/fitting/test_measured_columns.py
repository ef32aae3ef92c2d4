"""CSV tables: units from headers, conditions on rows, and every mistake in one line."""

import pytest

from ingest.units import BANDWIDTH, BYTES, NONE, TIME_DIMENSION
from pipeline.projection.fitting.measured_columns import read_columns
from tests.pipeline.projection.mistakes import refused

TEXT = """\
kernel, V ,time_us,size [KiB],rate [GB/s],n_items,xy,note
a,1,2.5,3,4,5,1, x
b,2,1e3,-3,0.5,6,2,y

a,3,0,.5,1,7,3,
"""


@pytest.fixture
def read(tmp_path):
    def from_text(text, *verbatim):
        path = tmp_path / "data.csv"
        path.write_text(text)
        return read_columns(path, lambda name: name in verbatim) if verbatim else read_columns(path)

    return from_text


def test_units_come_from_headers(read):
    found = read(TEXT)
    assert list(found.cells) == ["kernel", "V", "time", "size", "rate", "n_items", "xy", "note"]
    assert found.numbers("V", NONE).tolist() == [1, 2, 3]
    assert found.numbers("time", TIME_DIMENSION).tolist() == pytest.approx([2.5e-6, 1e-3, 0])
    assert found.numbers("size", BYTES).tolist() == [3 * 1024, -3 * 1024, 512]
    assert found.numbers("rate", BANDWIDTH).tolist() == [4e9, 0.5e9, 1e9]
    assert found.numbers("n_items", NONE).tolist() == [5, 6, 7]
    assert found.texts("note") == ("x", "y", "")


@pytest.mark.parametrize(
    ("suffix", "factor"),
    [
        ("s", 1),
        ("ms", 1e-3),
        ("us", 1e-6),
        ("ns", 1e-9),
        ("B", 1),
        ("KiB", 2**10),
        ("MiB", 2**20),
        ("GiB", 2**30),
    ],
)
def test_suffixes_are_units(read, suffix, factor):
    found = read(f"a_b_{suffix},_{suffix}\n2,3\n")
    assert found.cells.keys() == {"a_b", f"_{suffix}"}
    dimension = BYTES if suffix.endswith("B") else TIME_DIMENSION
    assert found.numbers("a_b", dimension) == pytest.approx([2 * factor])
    assert found.numbers(f"_{suffix}", NONE).tolist() == [3]


def test_some_headers_are_taken_verbatim(read):
    name = "Memory data volume [GBytes]"
    assert read(f"region,{name}\na,2\n", name).numbers(name, NONE).tolist() == [2.0]
    assert "'GBytes' is not a known unit" in refused(read, f"region,{name}\na,2\n")


def test_rows_are_chosen_by_what_they_hold(read):
    found = read("op,n,t\nsum,1,10\nmax,2,x\nsum,3,30\n")
    rows = found.matching({"op": "sum"})
    assert rows.tolist() == [True, False, True]
    assert found.numbers("t", NONE, rows).tolist() == [10.0, 30.0]
    assert found.matching({"op": "sum", "n": 3}).tolist() == [False, False, True]
    assert found.matching({}).tolist() == [True, True, True]
    where = found.where
    assert refused(found.matching, {"op": "min", "n": 3}) == (
        f"{where}: no rows with op = min, n = 3; check the condition"
    )
    assert refused(found.matching, {"opp": "sum"}) == f"{where}: no column 'opp'; columns here: op, n, t"


def test_errors_name_file_line_and_column(read):
    found = read("n,t [s]\n1,2\n\n3,inf\n5,x\n")
    where = found.where
    assert where.endswith("data.csv")
    assert refused(found.numbers, "t", TIME_DIMENSION) == (
        f"{where}: line 3: 'inf' in column 't' is not a number; correct or remove the line"
    )
    assert refused(found.numbers, "t", BYTES) == (
        f"{where}: column 't' is in s, not in B; give its unit in the header, such as 'time [us]'"
    )
    assert "column 'n' is in no unit, not in s" in refused(found.numbers, "n", TIME_DIMENSION)
    assert "no column 'm'; columns here: n, t" in refused(found.texts, "m")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a,b\n", "data.csv: a header and at least one line are needed"),
        ("a,b\n,\n", "a header and at least one line are needed"),
        ("a,b\n1,2\n1\n", "line 3 has 1 cells, the header 2; correct the line"),
        ("a,b\n1,2,3\n", "line 2 has 3 cells, the header 2"),
        ("a,\n1,2\n", "'' is not a column name; write it like 'time [us]'"),
        ("a,[s]\n1,2\n", "'[s]' is not a column name"),
        ("a,b [s] c\n1,2\n", "'b [s] c' is not a column name"),
        (
            "a,t [parsec]\n1,2\n",
            "data.csv: column 't [parsec]': 'parsec' is not a known unit; units are s, us",
        ),
    ],
)
def test_tables_that_cannot_be_read(read, text, line):
    assert line in refused(read, text)
