"""Priors over exponents are read by name or from a file."""

from fractions import Fraction
from pathlib import Path

import pytest

from ingest.errors import UsageError
from pipeline.models.options import read_prior


def test_a_file_gives_a_weight_per_exponent(tmp_path):
    path = tmp_path / "prior.toml"
    path.write_text('[exponents]\n"1" = 3\n"3/2, 1" = 0.5\n"-1, 0" = 1\n')
    assert read_prior(path.name, path.parent) == {
        (Fraction(1), 0): 3.0,
        (Fraction(3, 2), 1): 0.5,
        (Fraction(-1), 0): 1.0,
    }


@pytest.mark.parametrize("name", ["uniform", "simple"])
def test_names_of_priors(name):
    assert read_prior(name, Path()) == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[exponents]\n"one" = 1\n', "prior.toml:2: one: is not an exponent"),
        ('[exponents]\n"1/0" = 1\n', "prior.toml:2: 1/0: is not an exponent"),
        ('[exponents]\n"1e999999999" = 1\n', "prior.toml:2: 1e999999999: is not an exponent"),
        ('[exponents]\n"11" = 1\n', "prior.toml:2: 11: is out of range; powers of p are from -10 to 10"),
        ('[exponents]\n"1, -1" = 1\n', "prior.toml:2: 1, -1: is out of range"),
        ('[exponents]\n"1" = 1e300\n', "prior.toml:2: 1: invalid value 1e[+]300; write a number"),
        ('[exponents]\n"1" = 0\n', "prior.toml:2: 1: invalid weight 0"),
        ("[other]\n", "exponents: is missing or empty"),
        ("[exponents", "is not valid TOML"),
    ],
)
def test_what_is_no_prior_file(tmp_path, text, message):
    path = tmp_path / "prior.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_prior(path.name, path.parent)


def test_what_is_no_prior():
    with pytest.raises(UsageError, match="invalid prior 'wild'"):
        read_prior("wild", Path())
