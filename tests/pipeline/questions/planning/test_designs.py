"""The first runs of a campaign."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.questions.planning.advice import pilot_design, series_design

LISTED = np.array([[2.0], [4.0], [8.0], [16.0], [32.0]])
RANGE = np.arange(8.0, 33.0)[:, None]
GRID = np.array([(p, n) for p in (1.0, 2.0, 4.0, 8.0) for n in (10.0, 20.0, 30.0, 40.0, 50.0, 60.0)])
INFINITE = float("inf")
NOTHING = np.zeros(64, dtype=np.int64)


def series(points, done=None, cost=None, repetitions=5, budget=INFINITE):
    done = NOTHING[: len(points)] if done is None else np.array(done)
    cost = np.ones(len(points)) if cost is None else np.asarray(cost)
    return series_design(points, done, cost, repetitions, budget)


def test_the_pilot_runs_the_three_smallest_listed_scales_once():
    assert pilot_design(LISTED).tolist() == [1, 1, 1, 0, 0]
    assert pilot_design(LISTED[::-1]).tolist() == [0, 0, 1, 1, 1]
    assert pilot_design(LISTED[:2]).tolist() == [1, 1]


def test_the_pilot_of_a_range_takes_the_scales_that_its_series_begins_with():
    assert RANGE[pilot_design(RANGE) > 0, 0].tolist() == [8, 11, 16]
    assert (series(RANGE, pilot_design(RANGE)) >= pilot_design(RANGE)).all()


def test_the_pilot_of_a_grid_varies_one_parameter_at_a_time():
    chosen = GRID[pilot_design(GRID) > 0]
    assert len(chosen) == 5
    assert ((chosen == GRID.min(axis=0)).sum(axis=1) >= 1).all()
    assert GRID.min(axis=0).tolist() in chosen.tolist()


def test_a_series_runs_five_scales_twice_and_reaches_both_ends():
    assert series(LISTED).tolist() == [2] * 5
    design = series(RANGE, pilot_design(RANGE))
    assert RANGE[design > 0, 0].tolist() == [8, 11, 16, 23, 32]
    assert set(design[design > 0]) == {2}
    assert series(LISTED, repetitions=1).tolist() == [1] * 5


def test_a_series_reaches_as_far_as_the_budget_allows_once():
    cost = LISTED[:, 0]
    done = [1, 1, 1, 0, 0]
    assert series(LISTED, done, cost, budget=16 + 32).tolist() == [2] * 5
    assert series(LISTED, done, cost, budget=16 + 31).tolist() == [2, 2, 2, 2, 0]
    assert series(LISTED, done, cost, budget=15).tolist() == [2, 2, 2, 0, 0]


def test_scales_of_unknown_cost_are_not_affordable():
    cost = [1, 1, 1, 1, np.nan]
    assert series(LISTED, [1, 1, 1, 0, 0], cost, budget=100.0).tolist() == [2, 2, 2, 2, 0]
    assert series(LISTED, [1, 1, 1, 0, 0], cost).tolist() == [2] * 5


def test_a_series_on_a_grid_has_lines_and_one_point_where_all_are_large():
    design = series(GRID)
    chosen = GRID[design > 0]
    on_lines = (chosen == GRID.min(axis=0)).any(axis=1)
    assert chosen[~on_lines].tolist() == [[8, 60]]
    assert len(chosen) == 4 + 5 - 1 + 1
    assert design[(GRID == [8, 60]).all(axis=1)] == 1


def test_all_lines_of_a_grid_share_the_budget():
    cost = np.ones(len(GRID))
    assert series(GRID, cost=cost, budget=4 + 4.0).sum() == 16
    assert series(GRID, cost=cost, budget=4 + 5.0).sum() == 17  # the last one where both are large


def test_a_series_is_filled_whatever_was_measured_before():
    assert series(LISTED, [0, 1, 1, 0, 0])[0] == 2
    assert series(LISTED, [1, 0, 0, 0, 1]).tolist() == [2] * 5
    assert RANGE[series(RANGE, (RANGE[:, 0] == 20).astype(np.int64)) > 0, 0].tolist()[0] == 8


@given(st.lists(st.integers(1, 2000), min_size=1, max_size=40, unique=True), st.floats(1, 1e4))
def test_what_was_chosen_stays_chosen(values, budget):
    points = np.array(values, dtype=float)[:, None]
    cost, budget = points[:, 0], budget + points.sum()
    first = series(points, pilot_design(points), cost, budget=budget)
    left = budget - float((np.maximum(first - pilot_design(points), 0) * cost).sum())
    assert series(points, first, cost, budget=max(left, 0.0)).tolist() == first.tolist()


@pytest.mark.parametrize("points", [LISTED, RANGE, GRID])
def test_designs_hold_the_smallest_point(points):
    smallest = (points == points.min(axis=0)).all(axis=1)
    assert pilot_design(points)[smallest] == 1
    assert series(points)[smallest] == 2
