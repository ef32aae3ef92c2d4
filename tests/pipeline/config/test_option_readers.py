"""Values of options: their types, limits and choices, forms of their own, and what is said about others."""

from fractions import Fraction
from pathlib import Path
from typing import Literal

import pytest

from ingest.errors import UsageError
from ingest.options import Declaration
from pipeline.config.option_readers import checked, parse_budget, read_prior_option
from pipeline.models.options import Prior

PLAIN = Declaration(help="")


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


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("a", str, "a"),
        (True, bool, True),
        (False, bool, False),
        (3, int, 3),
        (3, float, 3.0),
        (2.5, float, 2.5),
        ("a/b", Path, Path("a/b")),
        (Path("a"), Path, Path("a")),
        ("weak", Literal["weak", "strong"], "weak"),
        (4, int | None, 4),
        ("x", Literal["x", "y"] | None, "x"),
        ("uniform", Prior, "uniform"),
    ],
)
def test_values_of_their_type(value, kind, expected):
    found = checked(value, kind, PLAIN, Path())
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (3, str, "invalid value 3; write text in quotes"),
        ("yes", bool, "invalid value 'yes'; write true or false"),
        (1, bool, "invalid value 1; write true or false"),
        (3, Path, "invalid value 3; write text in quotes"),
        (True, int, "invalid value True; write a whole number"),
        (2.5, int, "invalid value 2.5; write a whole number"),
        (True, float, "invalid value True; write a number"),
        ("3", float, "invalid value '3'; write a number"),
        ("odd", Literal["a", "b", "c"], "invalid value 'odd'; choose a, b or c"),
    ],
)
def test_values_of_another_type(value, kind, message):
    with pytest.raises(UsageError) as error:
        checked(value, kind, PLAIN, Path())
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("limits", "good", "bad", "wanted"),
    [
        ({"least": 1}, (1, 9), (0,), "number of at least 1"),
        ({"least": 0, "most": 1}, (0, 1, 0.5), (-0.1, 1.1), "number from 0 to 1"),
        ({"least": 1e-6, "most": 0.5}, (1e-6, 0.5), (1e-7, 0.51), "number from 1e-06 to 0.5"),
    ],
)
def test_limits_are_inclusive(limits, good, bad, wanted):
    declared = Declaration(help="", **limits)
    for value in good:
        assert checked(value, float, declared, Path()) == value
    for value in bad:
        with pytest.raises(UsageError, match=f"write a {wanted}$"):
            checked(value, float, declared, Path())


def test_a_reader_of_its_own_gets_value_and_folder():
    declared = Declaration(help="", read=lambda value, folder: (value, folder))
    assert checked(7, int, declared, Path("here")) == (7, Path("here"))


def test_a_prior_is_read_from_a_file_beside_the_configuration(tmp_path):
    (tmp_path / "prior.toml").write_text('[exponents]\n"1" = 2.0\n')
    assert checked("prior.toml", Prior, PLAIN, tmp_path) == {(Fraction(1), 0): 2.0}
