"""Numbers of JSON: what is too large for a number of the machine is infinite, with its sign."""

import math

import pytest

from ingest.errors import InputError
from ingest.reading.json_values import measured_values, parameter_values

HUGE = 10**400


def test_whole_numbers_of_any_size_are_values():
    assert measured_values([3, HUGE, -HUGE, 2.5], "a value", "x") == [3.0, math.inf, -math.inf, 2.5]
    assert math.isnan(measured_values(None, "a value", "x")[0])


@pytest.mark.parametrize("value", [True, "3", [1], {}])
def test_what_is_not_a_number_is_refused(value):
    with pytest.raises(InputError, match="x: a value should be a number but is "):
        measured_values([value], "a value", "x")


def test_coordinates_are_finite():
    assert parameter_values([2, 0.5], "a point", "x") == (2.0, 0.5)
    with pytest.raises(InputError, match="a point should be finite numbers"):
        parameter_values([2, -HUGE], "a point", "x")
