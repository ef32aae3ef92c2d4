"""Units and quantities as files write them, against SI by hand."""

import re
from fractions import Fraction

import pytest

from ingest.errors import UsageError
from ingest.profile import Metric
from ingest.resource_use import energy_factor
from ingest.tables.headings import read_headings
from ingest.units import (
    BANDWIDTH,
    BYTES,
    CORE_TIME,
    FLOP,
    FLOP_RATE,
    IN_A_SECOND,
    JOULE,
    NONE,
    RATE,
    SECONDS,
    TIME_DIMENSION,
    Dimension,
    Quantity,
    parse_positive,
    parse_quantity,
    parse_unit,
    size_of,
    stated,
    work_rate,
)
from pipeline.config.job_options import read_job
from pipeline.config.option_readers import parse_budget
from pipeline.projection.machines.machine_values import load_machine
from tests.pipeline.projection.mistakes import refused

# The value of one such unit in SI, and the SI unit.
ONE_UNIT = {
    "": (1, "no unit"),
    "1": (1, "no unit"),
    "core": (1, "core"),
    "process": (1, "core"),
    "cycle": (1, "no unit"),
    "%": (0.01, "no unit"),
    "s": (1, "s"),
    "sec": (1, "s"),
    "ms": (1e-3, "s"),
    "us": (1e-6, "s"),
    "µs": (1e-6, "s"),
    "ns": (1e-9, "s"),
    "min": (60, "s"),
    "h": (3600, "s"),
    "B": (1, "B"),
    "kB": (1e3, "B"),
    "MB": (1e6, "B"),
    "GB": (1e9, "B"),
    "TB": (1e12, "B"),
    "KiB": (1024, "B"),
    "MiB": (1024**2, "B"),
    "GiB": (1024**3, "B"),
    "TiB": (1024**4, "B"),
    "flop": (1, "flop"),
    "kflop": (1e3, "flop"),
    "Mflop": (1e6, "flop"),
    "Gflop": (1e9, "flop"),
    "Tflop": (1e12, "flop"),
    "Pflop": (1e15, "flop"),
    "Hz": (1, "1/s"),
    "kHz": (1e3, "1/s"),
    "MHz": (1e6, "1/s"),
    "GHz": (1e9, "1/s"),
    "us/B": (1e-6, "s/B"),
    "MiB/s": (2.0**20, "B/s"),
    "Gflop/s": (1e9, "flop/s"),
    "1/s": (1, "1/s"),
    "core-s": (1, "core-s"),
    "core-h": (3600, "core-s"),
    "ms^2/kB": (1e-9, "s^2/B"),
    "ns^-1": (1e9, "1/s"),
    "flop*ms/B": (1e-3, "s*flop/B"),
    "B/ms^2": (1e6, "B/s^2"),
    "s/kB*ms": (1e-6, "s^2/B"),
    "B/s/core": (1, "B/s/core"),
    "1/s/B": (1, "1/s/B"),
}


@pytest.mark.parametrize(("text", "si"), ONE_UNIT.items())
def test_units_become_si(text, si):
    factor, dimension = parse_unit(text)
    assert factor == pytest.approx(si[0], rel=1e-14)
    assert str(dimension) == si[1]


@pytest.mark.parametrize("text", ["parsec/s", "B/parsec", "/", "s^", "s^1.5", "m", "S", "5 s"])
def test_an_unknown_unit_is_one_line(text):
    with pytest.raises(UsageError, match="is not a known unit; units are s, us, B, kB") as caught:
        parse_unit(text)
    assert str(caught.value).startswith(f"'{text}'")
    assert "\n" not in str(caught.value)


def test_dimensions_by_name():
    named = {"no unit": NONE, "s": TIME_DIMENSION, "B": BYTES, "flop": FLOP, "1/s": RATE, "B/s": BANDWIDTH}
    assert {str(dimension): dimension for dimension in (*named.values(), FLOP_RATE)} == {
        **named,
        "flop/s": FLOP_RATE,
    }


def test_dimensions_multiply_and_divide():
    assert str(TIME_DIMENSION * TIME_DIMENSION / BYTES) == "s^2/B"
    assert str(BANDWIDTH ** Fraction(1, 2)) == "B^1/2/s^1/2"
    assert BYTES / BYTES == NONE
    assert Dimension() == NONE


@pytest.mark.parametrize(
    ("given", "value", "unit", "relative_sd"),
    [
        ("195 us +- 0.4 %", 195e-6, "s", 0.004),
        ("167 MiB/s ± 7%", 167 * 2.0**20, "B/s", 0.07),
        (" 3  +-  2 % ", 3.0, "no unit", 0.02),
        ("1 s +- -5 %", 1.0, "s", 0.05),
        ("2500", 2500.0, "no unit", 0.0),
        (2500, 2500.0, "no unit", 0.0),
        (-0.5, -0.5, "no unit", 0.0),
        ("1e-3 s", 1e-3, "s", 0.0),
        ("-.5e+1 B", -5.0, "B", 0.0),
        ("+2. h", 7200.0, "s", 0.0),
        ("90 %", 0.9, "no unit", 0.0),
        ({"value": "5.8 us", "note": "a guess"}, 5.8e-6, "s", 0.0),
    ],
)
def test_quantities(given, value, unit, relative_sd):
    found = parse_quantity(given)
    assert found.value == pytest.approx(value, rel=1e-15)
    assert (str(found.dimension), found.relative_sd) == (unit, pytest.approx(relative_sd))


def test_a_quantity_keeps_its_note_and_the_size_of_its_unit():
    assert parse_quantity({"value": "5 kB", "note": "a guess"}).note == "a guess"
    assert parse_quantity({"value": 5}).note == parse_quantity("5 kB").note == ""
    assert parse_quantity("5 kB").factor == 1e3
    assert parse_quantity(5).factor == parse_quantity("5").factor == 1.0


def test_a_number_alone_is_exact_and_without_unit():
    assert Quantity(value=2.0) == Quantity(value=2.0, dimension=NONE, relative_sd=0.0, note="", factor=1.0)


AS_TABLE = "a quantity written as a table holds 'value' and, optionally, 'note'"


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("fast", "'fast' is not a quantity; write a number or a text such as"),
        ("", "'' is not a quantity"),
        ("5 s + 3", "'5 s + 3' is not a quantity"),
        (None, "'None' is not a quantity"),
        (True, "'True' is not a quantity"),
        ([1], "'[1]' is not a quantity"),
        ("5 parsec", "'parsec' is not a known unit; units are s"),
        ({"note": "x"}, f"{AS_TABLE}; give its 'value'"),
        ({"value": 1, "sd": 2, "at": 3}, f"{AS_TABLE}; remove at, sd"),
        ({"value": {"value": 1}}, AS_TABLE),
        ({"value": "fast"}, "'fast' is not a quantity"),
        (float("nan"), "a quantity has to be finite; correct the number"),
        ("1e999", "a quantity has to be finite"),
        ("1 s +- 1e999 %", "a quantity has to be finite"),
    ],
)
def test_what_is_not_a_quantity_is_one_line(given, line):
    assert refused(
        lambda: parse_quantity(given, where="machine.toml: latency"), raises=UsageError
    ).startswith(f"machine.toml: latency: {line}")


def test_a_long_gap_is_read_at_once():
    """Three gaps that may each be empty took the cube of their length."""
    assert parse_quantity("1" + " " * 100_000 + "us").value == 1e-6
    with pytest.raises(UsageError, match="is not a quantity"):
        parse_quantity("1" + " " * 100_000 + "= 2")


def test_a_spread_that_says_nothing_is_refused():
    assert parse_quantity("1 s +- 1000 %").relative_sd == 10
    with pytest.raises(UsageError, match="a spread of 1e\\+202 % says nothing"):
        parse_quantity("1 s +- 1e202 %")


def test_units_in_a_second_are_whole_numbers():
    assert set(IN_A_SECOND.values()) == {1.0, 1e3, 1e6, 1e9}
    assert IN_A_SECOND["ns"] == IN_A_SECOND["nsecond"] == 1e9
    longer = "min mins minute minutes h hr hrs hour hours d day days"
    assert IN_A_SECOND.keys() == SECONDS.keys() - set(longer.split())


# What a user writes, its value in SI units and its dimension.
WRITTEN = [
    ("90sec", 90.0, TIME_DIMENSION),
    ("2 hours", 7200.0, TIME_DIMENSION),
    ("1.5 H", None, TIME_DIMENSION),
    ("2 Days", 172_800.0, TIME_DIMENSION),
    ("3 MIN", 180.0, TIME_DIMENSION),
    ("4gb", 4e9, BYTES),
    ("4 KB", 4e3, BYTES),
    ("2 mib", 2.0**21, BYTES),
    ("4 Gb", None, BYTES),
    ("10 GB/sec", 1e10, BANDWIDTH),
    ("500 core-s", 500.0, CORE_TIME),
    ("2core-hours", 7200.0, CORE_TIME),
    ("3 kwh", 1.08e7, JOULE),
    ("2 MJ", 2e6, JOULE),
    ("2 mJ", 2e-3, JOULE),
    ("2 mj", None, JOULE),
]


def read_option(text, dimension):
    return parse_positive(text, dimension, "value", "write another")


def read_stated(text, dimension):
    return stated(text, dimension, "f.toml:1", ("has another unit", ""), bool)


def read_heading(text, dimension):
    return float(re.match(r"[0-9.]+", text)[0]) * size_of(
        text.lstrip("0123456789. "), dimension, "", where=""
    )


@pytest.mark.parametrize("read", [read_option, read_stated, read_heading])
@pytest.mark.parametrize(("text", "value", "dimension"), WRITTEN)
def test_units_are_read_alike_by_options_files_and_tables(read, text, value, dimension):
    if value is None:
        with pytest.raises(UsageError):
            read(text, dimension)
    else:
        assert read(text, dimension) == pytest.approx(value, rel=1e-14)


def test_every_reader_takes_the_same_units(tmp_path):
    job = read_job(deadline="90sec", budget="500 core-s", memory_per_node="4gb", energy="2kwh").limits
    assert (job.deadline, job.budget, job.memory, job.energy) == (90, 500 / 3600, 4e9, 7.2e6)
    assert read_job(deadline="2 hours").limits.deadline == 7200
    assert read_job(price="3600/core-hours").price == 3600
    assert parse_budget("500 core-s") == 500
    (tmp_path / "m.toml").write_text('[values]\nnet = "10 GB/sec"\nlag = "2 hours"\nmemory = "4gb"\n')
    values = load_machine(tmp_path / "m.toml").values
    assert [values[key].value for key in ("net", "lag", "memory")] == [1e10, 7200, 4e9]
    for unit, seconds in (("sec", 1.0), ("hours", 3600.0), ("Days", 86400.0)):
        assert read_headings([f"time [{unit}]"])[0].seconds == seconds == work_rate(f"steps/{unit}").seconds
    assert energy_factor(Metric("bill", "kwh")) == 3.6e6


@pytest.mark.parametrize("text", ["1 s +- 5 %", "0 s", "-1 s", "1e999 s", "s", "1,5 s"])
def test_an_option_is_one_positive_number(text):
    with pytest.raises(UsageError, match="invalid deadline"):
        parse_positive(text, TIME_DIMENSION, "deadline", "write 2h")
