import pytest

from pipeline.report.quantities import figure, percent, quantity


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (6.4321, "6.43"), (576.4, "576"), (9999.0, "9999"), (123456.0, "123 k"), (0.0456, "0.0456")],
)
def test_figures_have_three_digits(value, text):
    assert figure(value) == text


def test_figures_that_are_not_finite():
    assert figure(float("inf")) == "∞"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.5, "s", "500 ms"), (90.0, "s", "1.50 min"), (7.0, "core-s", "7.00 core-s"), (0.0, "s", "0 s")],
)
def test_quantities_have_units(value, unit, text):
    assert quantity(value, unit) == text


def test_what_is_not_nothing_never_shows_as_zero():
    assert percent(1e-9) == "<0.1 %"
    assert percent(0.0) == "0.0 %"
    assert percent(0.123) == "12.3 %"
