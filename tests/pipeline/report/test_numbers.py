import pytest

from pipeline.report.numbers import number, numbers


@pytest.mark.parametrize(
    ("value", "written"), [(3.0, 3), (0.1 + 0.2, 0.3), (1e300, 1e300), (float("inf"), 1.7976931348623157e308)]
)
def test_numbers_are_readable(value, written):
    assert number(value) == written


def test_nan_never_reaches_a_report():
    with pytest.raises(ValueError, match="NaN"):
        number(float("nan"))


def test_a_row_is_rounded_as_its_values_are():
    row = [0.0, -0.0, 1 / 3, 2.0**60, -1e-320, 123456789012.5, float("-inf")]
    assert numbers(row) == [number(value) for value in row]
    assert [type(value) for value in numbers([2.0, 2.5])] == [int, float]
