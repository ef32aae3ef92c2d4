import pytest

from ingest.errors import UsageError
from pipeline.projection.units import BANDWIDTH, BYTES, FLOP, NONE, TIME, parse_quantity, parse_unit


@pytest.mark.parametrize(
    ("text", "factor", "dimension"),
    [
        ("", 1.0, NONE),
        ("1", 1.0, NONE),
        ("us", 1e-6, TIME),
        ("us/B", 1e-6, TIME / BYTES),
        ("MiB/s", 2.0**20, BANDWIDTH),
        ("MB/s", 1e6, BANDWIDTH),
        ("GB/s", 1e9, BANDWIDTH),
        ("Gflop/s", 1e9, FLOP / TIME),
        ("GHz", 1e9, NONE / TIME),
        ("1/s", 1.0, NONE / TIME),
        ("core-s", 1.0, TIME),
        ("s^2/B", 1.0, TIME * TIME / BYTES),
    ],
)
def test_units_become_si(text, factor, dimension):
    found = parse_unit(text)
    assert found[0] == pytest.approx(factor, rel=1e-15)
    assert found[1] == dimension


def test_unknown_unit_is_one_line():
    with pytest.raises(UsageError, match="'parsec/s' is not a known unit") as caught:
        parse_unit("parsec/s")
    assert "\n" not in str(caught.value)


def test_dimension_is_shown_in_si():
    assert str(BANDWIDTH) == "B/s"
    assert str(NONE) == "no unit"
    assert str(NONE / TIME) == "1/s"


@pytest.mark.parametrize(
    ("given", "value", "dimension", "relative_sd"),
    [
        ("195 us +- 0.4 %", 195e-6, TIME, 0.004),
        ("167 MiB/s ± 7%", 167 * 2.0**20, BANDWIDTH, 0.07),
        ("2500", 2500.0, NONE, 0.0),
        (2500, 2500.0, NONE, 0.0),
        ("1e-3 s", 1e-3, TIME, 0.0),
        ({"value": "5.8 us", "note": "a guess"}, 5.8e-6, TIME, 0.0),
    ],
)
def test_quantities(given, value, dimension, relative_sd):
    found = parse_quantity(given)
    assert found.value == pytest.approx(value, rel=1e-15)
    assert (found.dimension, found.relative_sd) == (dimension, pytest.approx(relative_sd))


@pytest.mark.parametrize(
    "given", ["fast", "", None, True, [1], {"note": "x"}, {"value": 1, "sd": 2}, float("nan"), "1e999"]
)
def test_what_is_no_quantity_is_one_line(given):
    with pytest.raises(UsageError) as caught:
        parse_quantity(given, where="machine.toml: latency")
    assert str(caught.value).startswith("machine.toml: latency: ")
    assert "\n" not in str(caught.value)
