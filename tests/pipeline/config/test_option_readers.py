"""Values of options: their types, limits and choices, forms of their own, and what is said about others."""

import pytest

from ingest.errors import UsageError
from ingest.options import Declaration
from pipeline.config.option_readers import parse_budget

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
