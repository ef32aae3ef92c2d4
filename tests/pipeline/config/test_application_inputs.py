"""Inputs as users write them, and sweeps."""

import pytest

from ingest.errors import UsageError
from pipeline.config.application_inputs import read_inputs
from tests.pipeline.projection.mistakes import refused


def test_inputs_are_numbers_or_texts_with_a_unit():
    found = read_inputs(["L=8, P = 1e3 ,", "halo=64 KiB", "", "x=-0.5"])
    assert found.values == ({"L": 8.0, "P": 1000.0, "halo": "64 KiB", "x": -0.5},)
    assert found.swept == ""
    assert read_inputs(["a=b=c"]).values == ({"a": "b=c"},)
    assert read_inputs([]).values == ({},)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("L=4:8", [4, 5, 6, 7, 8]),
        ("L=1:2:0.25", [1, 1.25, 1.5, 1.75, 2]),
        ("L=1:2:0.4", [1, 1.4, 1.8]),
        ("L=0:0.3:0.1", [0, 0.1, 0.2, 0.3]),
        ("L=64:4096:x4", [64, 256, 1024, 4096]),
        ("L=64:4000:x4", [64, 256, 1024]),
        ("L=1:1000:x10", [1, 10, 100, 1000]),
        ("L=3,5,-8", [3, 5, -8]),
        ("L=7:7,P=2", [7]),
    ],
)
def test_sweeps(text, values):
    found = read_inputs([text])
    assert [point["L"] for point in found.values] == pytest.approx(values)
    assert found.swept == ("L" if len(values) > 1 else "")


def test_other_inputs_stay_as_they_are():
    found = read_inputs(["L=4:6,P=64", "halo=3 kB"])
    assert found.values[2] == {"L": 6.0, "P": 64.0, "halo": "3 kB"}
    assert len(found.values) == 3


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x=1 KiB:4 KiB:x2", ["1024 B", "2048 B", "4096 B"]),
        ("x=1 kB:2 kB:500 B", ["1000 B", "1500 B", "2000 B"]),
        ("x=1 kB:3 kB", ["1000 B", "2000 B", "3000 B"]),
        ("x=1 kB,2 MB", ["1 kB", "2 MB"]),
    ],
)
def test_ranges_may_have_units(text, values):
    assert [point["x"] for point in read_inputs([text]).values] == values


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        (["L=8,P"], "--at: 'P' is not an input; write it like L=8,P=1024"),
        (["L=8,=4"], "--at: '=4' is not an input"),
        (["8"], "--at: '8' is not an input"),
        (["L=8", "16"], "--at: '16' is not an input"),
        (
            ["L=8", "L=4"],
            "--at: L is given twice; give an input once; several values are a sweep, such as L=4:14",
        ),
        (
            ["L=8:4"],
            "--at L: a range goes upwards, by a step above 0 or a factor above 1; write it like L=4:14",
        ),
        (["L=4:8:0"], "a range goes upwards"),
        (["L=4:8:x1"], "a range goes upwards"),
        (["L=0:8:x2"], "a range goes upwards"),
        (["L=4:"], "--at L: '4:' is not a range"),
        (["L=4:8:2:1"], "--at L: '4:8:2:1' is not a range"),
        (["L=4:a"], "--at L: 'a' is not a quantity"),
        (["L=4:8 kB"], "--at L: the ends of '4:8 kB' have different units"),
        (["L=1:1e9"], "--at L: a range of more than 1000 values; choose a larger step"),
        (["L=1:4,P=2,4"], "--at: L and P have several values; sweep one input at a time"),
    ],
)
def test_mistakes_are_one_line(texts, line):
    assert line in refused(lambda: read_inputs(texts), raises=UsageError)
