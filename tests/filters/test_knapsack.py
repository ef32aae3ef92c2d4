"""The knapsack against an exact solver."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from filters.knapsack import Packing, pack

ITEMS = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 30)), max_size=12)


def best_choice(value, weight, capacity):
    """Return the best value of a 0/1 choice within the capacity."""
    if not len(value):
        return 0.0
    found = milp(
        -value,
        constraints=LinearConstraint(weight[None, :], ub=capacity),
        integrality=np.ones(len(value)),
        bounds=Bounds(0, 1),
    )
    return -found.fun


def best_fractional_choice(value, weight, capacity):
    if not len(value):
        return 0.0
    return -linprog(-value, A_ub=weight[None, :], b_ub=[capacity], bounds=(0, 1)).fun


@settings(max_examples=150, deadline=None)
@given(ITEMS, st.integers(0, 120))
@example([(10, 6), (9, 5), (9, 5)], 10)
@example([(1, 1), (30, 30)], 30)
@example([(4, 3), (3, 3), (2, 3)], 6)
def test_against_an_exact_solver(items, capacity):
    value, weight = (np.array([item[i] for item in items], dtype=np.float64) for i in (0, 1))
    found = pack(value, weight, float(capacity))
    best = best_choice(value, weight, capacity)
    largest = value[weight <= capacity].max(initial=0.0)
    assert weight[found.taken].sum() <= capacity
    assert found.value == value[found.taken].sum()
    assert max(best / 2, best - largest) - 1e-9 <= found.value <= best + 1e-9
    assert best - 1e-9 <= found.bound
    fitting = weight <= capacity
    expected = best_fractional_choice(value[fitting], weight[fitting], capacity)
    assert found.bound == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_items_are_taken_by_value_per_weight_and_what_no_longer_fits_is_skipped():
    value = np.array([1.0, 8.0, 6.0, 3.0, 2.0])
    weight = np.array([1.0, 5.0, 4.0, 3.0, 1.0])
    found = pack(value, weight, 9.0)
    assert found.taken.tolist() == [False, True, False, True, True]
    assert found.value == 13.0
    assert found.bound == 2.0 + 8.0 + 3.0 / 4.0 * 6.0


def test_ties_are_broken_by_value_then_by_place():
    found = pack(np.array([1.0, 2.0, 1.0]), np.array([1.0, 2.0, 1.0]), 3.0)
    assert found.taken.tolist() == [True, True, False]


def test_one_large_item_beats_many_small_ones():
    found = pack(np.array([3.0, 100.0]), np.array([1.0, 60.0]), 60.0)
    assert found.taken.tolist() == [False, True]


@pytest.mark.parametrize("capacity", [-1.0, 0.0])
def test_nothing_fits_without_capacity_but_what_weighs_nothing(capacity):
    found = pack(np.array([1.0, 2.0]), np.array([1.0, 0.0]), capacity)
    assert found.taken.tolist() == [False, capacity == 0.0]


def test_the_gap_is_the_largest_share_that_may_be_missing():
    assert Packing(np.zeros(1, dtype=np.bool_), 0.375, 0.5).gap == 0.25
    assert Packing(np.zeros(1, dtype=np.bool_), 4.0, 4.0 - 1e-12).gap == 0.0
    assert Packing(np.zeros(0, dtype=np.bool_), 0.0, 0.0).gap == 0.0
