"""Parts that add up to their groups and to the total."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.projection.applications.projections import adding_up

PATHS = [("a",), ("a", "x"), ("a", "y"), ("b",), ("c",), ("c", "z"), ("c", "z", "u"), ("c", "z", "v")]
INNERMOST = [("a", "x"), ("a", "y"), ("b",), ("c", "z", "u"), ("c", "z", "v")]


def test_what_is_missing_goes_where_least_is_known():
    values = {("a",): 3.0, ("b",): 5.0, ("c",): 1.0}
    variances = {("a",): 1.0, ("b",): 3.0, ("c",): 0.0}
    assert adding_up(values, variances, 10.0) == {("a",): 3.25, ("b",): 5.75, ("c",): 1.0}


def test_without_a_total_every_outermost_part_keeps_its_value():
    values = {("a",): 3.0, ("a", "x"): 1.0, ("a", "y"): 1.0, ("b",): 5.0}
    found = adding_up(values, dict.fromkeys(values, 1.0), None)
    assert found == {("a",): 3.0, ("a", "x"): 1.5, ("a", "y"): 1.5, ("b",): 5.0}


def test_exact_parts_stay_as_they_are():
    values = {("a",): 3.0, ("b",): 5.0}
    assert adding_up(values, dict.fromkeys(values, 0.0), 8.0) == values


numbers = st.floats(0.0, 1e6)


@given(st.tuples(*[numbers] * len(PATHS)), st.tuples(*[st.floats(0.01, 1e6)] * len(PATHS)), numbers)
def test_every_group_and_the_total_are_the_sums_of_their_parts(values, variances, total):
    found = adding_up(dict(zip(PATHS, values, strict=True)), dict(zip(PATHS, variances, strict=True)), total)
    size = max(1.0, total, *values)
    assert sum(found[path] for path in PATHS if len(path) == 1) == pytest.approx(total, abs=1e-9 * size)
    assert found["a",] == pytest.approx(found["a", "x"] + found["a", "y"], abs=1e-9 * size)
    assert found["c",] == pytest.approx(found["c", "z", "u"] + found["c", "z", "v"], abs=1e-9 * size)
