"""Values of options are checked against what is declared of them."""

from pathlib import Path
from typing import Literal

import pytest

from ingest.errors import UsageError
from ingest.options import Declaration, checked

PLAIN = Declaration(help="")


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
