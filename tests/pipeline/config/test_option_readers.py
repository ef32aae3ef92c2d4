"""Values of options that have a form of their own."""

from fractions import Fraction
from pathlib import Path

import pytest

from ingest.errors import UsageError
from pipeline.config.option_readers import parse_budget, read_prior_option


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("500 core-h", 1.8e6),
        ("1.5core-h", 5400.0),
        (" 90 core-s ", 90.0),
        ("1e3core-s", 1000.0),
        ("2. core-hours", 7200.0),
    ],
)
def test_a_budget_is_core_seconds(text, seconds):
    assert parse_budget(text) == seconds


def test_a_number_has_the_unit_that_is_usual_there():
    assert parse_budget("30", unit="core-s") == 30.0
    with pytest.raises(UsageError, match="'30' has no unit"):
        parse_budget("30")


@pytest.mark.parametrize(
    "text", ["", "core-h", "0 core-h", "-1 core-h", "nan core-h", "1e999 core-s", "1,5 core-h"]
)
def test_what_is_no_budget_is_refused(text):
    with pytest.raises(UsageError, match="invalid budget"):
        parse_budget(text, where="--budget")


def test_other_units_are_named():
    with pytest.raises(UsageError, match="unknown unit 'h'"):
        parse_budget("3h")


def test_a_file_gives_a_weight_per_exponent(tmp_path):
    path = tmp_path / "prior.toml"
    path.write_text('[exponents]\n"1" = 3\n"3/2, 1" = 0.5\n"-1, 0" = 1\n')
    assert read_prior_option(path.name, path.parent) == {
        (Fraction(1), 0): 3.0,
        (Fraction(3, 2), 1): 0.5,
        (Fraction(-1), 0): 1.0,
    }


@pytest.mark.parametrize("name", ["uniform", "simple"])
def test_names_of_priors(name):
    assert read_prior_option(name, Path()) == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[exponents]\n"one" = 1\n', "'one' is not an exponent"),
        ('[exponents]\n"1/0" = 1\n', "'1/0' is not an exponent"),
        ('[exponents]\n"1" = 0\n', "has the invalid weight 0"),
        ("[other]\n", "has no exponents"),
        ("[exponents", "cannot be read"),
    ],
)
def test_what_is_no_prior_file(tmp_path, text, message):
    path = tmp_path / "prior.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_prior_option(path.name, path.parent)


def test_what_is_no_prior():
    with pytest.raises(UsageError, match="invalid prior 'wild'"):
        read_prior_option("wild", Path())
