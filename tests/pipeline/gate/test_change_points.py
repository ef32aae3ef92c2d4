from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pipeline.gate.change_points import ENOUGH, FALSE_ALARMS, change_points_of_each


def change_points(values):
    return change_points_of_each(np.asarray(values, dtype=np.float64)[None])[0]


def series(*levels, noise=0.02, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([np.full(n, level) for n, level in levels]) * np.exp(
        noise * rng.normal(size=sum(n for n, _ in levels))
    )


def autoregressive(rng, count, n, correlation):
    """Series of variance 1 in which neighbours are correlated."""
    steps = rng.normal(size=(count, n + 100))
    found = np.zeros_like(steps)
    for t in range(1, n + 100):
        found[:, t] = correlation * found[:, t - 1] + steps[:, t]
    return found[:, 100:] * np.sqrt(1 - correlation**2)


def alarms(logs):
    """Share of series with a change point."""
    return np.mean([len(found) > 0 for found in change_points_of_each(np.exp(logs))])


def test_a_step_is_found_where_it_is():
    (found,) = change_points(series((10, 1.0), (12, 1.2)))
    assert found.first == found.at == found.last == 10
    assert found.factor == pytest.approx(1.2, rel=0.03)
    assert found.lower < 1.2 < found.upper
    assert found.p <= FALSE_ALARMS == 0.01


def test_steps_in_and_out_of_a_level_are_both_found():
    assert [c.at for c in change_points(series((20, 1.0), (15, 1.5), (20, 1.0)))] == [20, 35]
    assert [c.at for c in change_points(series((120, 1.0), (60, 1.5), (80, 1.2)))] == [120, 180]


def test_the_factor_is_the_median_ratio_and_its_interval_that_of_wilcoxon():
    values = series((20, 1.0), (15, 1.3), seed=3)
    (found,) = change_points(values)
    ratios = np.sort(np.divide.outer(values[20:], values[:20]).ravel())
    assert found.factor == pytest.approx(np.median(ratios))
    outside = [
        stats.mannwhitneyu(values[20:] / ratio, values[:20]).pvalue
        for ratio in (0.999 * found.lower, 1.001 * found.upper)
    ]
    assert outside == pytest.approx([0.1, 0.1], abs=0.04)


def test_one_slow_run_moves_neither_place_nor_factor():
    values = series((20, 1.0), (20, 1.3))
    values[16] = values[33] = 50.0
    (found,) = change_points(values)
    assert found.first == found.at == found.last == 20
    assert found.factor == pytest.approx(1.3, rel=0.05)


@pytest.mark.slow
def test_an_unclear_place_has_a_wide_interval_that_holds_it():
    rng = np.random.default_rng(4)
    shift = 1.5 * 0.02 * (np.arange(200) >= 120)
    found = change_points_of_each(np.exp(shift + 0.02 * rng.normal(size=(200, 200))))
    ones = [found_in[0] for found_in in found if len(found_in) == 1]
    assert len(ones) > 190
    assert np.mean([c.first <= 120 <= c.last for c in ones]) >= 0.9
    assert 3 < np.mean([c.last - c.first for c in ones]) < 15
    assert np.mean([c.lower <= np.exp(0.03) <= c.upper for c in ones]) == pytest.approx(0.9, abs=0.07)


@pytest.mark.slow
def test_large_steps_do_not_hide_small_ones():
    """They make entries far apart differ, as correlation does; four standard deviations are found."""
    logs = 0.02 * np.random.default_rng(8).normal(size=(100, 200))
    logs[:, 66:132] += 0.5
    logs[:, 168:] += 0.08
    found = change_points_of_each(np.exp(logs))
    assert np.mean([any(abs(c.at - 168) <= 1 for c in one) for one in found]) > 0.8


@pytest.mark.slow
def test_a_new_level_shows_after_few_commits_of_a_long_history():
    rng = np.random.default_rng(5)
    logs = 0.02 * rng.normal(size=(100, 2000))
    logs[:, -5:] += 0.1  # five standard deviations
    found = [change_points_in[-1] for change_points_in in change_points_of_each(np.exp(logs))]
    assert all(abs(c.at - 1995) <= 1 for c in found)


SLOW = pytest.mark.slow


@pytest.mark.slow
@pytest.mark.parametrize(
    "noise",
    [
        pytest.param(lambda rng, shape: rng.normal(size=shape), id="normal", marks=SLOW),
        pytest.param(lambda rng, shape: rng.standard_t(2, size=shape), id="heavy tails", marks=SLOW),
        pytest.param(
            lambda rng, shape: (
                rng.normal(size=shape) + 20 * (rng.random(shape) < 0.05) * rng.exponential(size=shape)
            ),
            id="one run in twenty slow",
            marks=SLOW,
        ),
        pytest.param(lambda rng, shape: np.round(rng.normal(size=shape)), id="five values"),
    ],
)
def test_a_flat_history_of_2000_commits_rarely_has_a_change_point(noise):
    """Of 300 series 3 are expected, and more than 8 with a probability below 0.004."""
    logs = 0.02 * noise(np.random.default_rng(6), (300, 2000))
    assert alarms(logs) <= 8 / 300


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 12, 17, 30, 50])
def test_a_short_flat_history_rarely_has_a_change_point(n):
    """Of 3000 series at most 30 are expected, and more than 47 with a probability of 0.001."""
    assert alarms(0.05 * np.random.default_rng(n).normal(size=(3000, n))) <= 47 / 3000


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.3, 0.7])
@pytest.mark.parametrize(
    ("n", "most"),
    [
        (32, 0.04),
        (64, 0.04),
        pytest.param(200, 0.04, marks=SLOW),
        pytest.param(1000, 0.03, marks=SLOW),
    ],
)
def test_good_and_bad_days_rarely_look_like_changes(correlation, n, most):
    logs = 0.05 * autoregressive(np.random.default_rng(7), 300, n, correlation)
    assert alarms(logs) <= most


def test_series_are_looked_at_one_by_one():
    rows = [series((20, 1.0), (20, 1 + step), seed=n) for n, step in enumerate((0, 0.2, 0.3, 0))]
    found = change_points_of_each(np.array(rows * 40))
    assert found == [change_points(row) for row in rows] * 40


def test_equal_values_and_differences_by_rounding_are_no_change():
    assert change_points(np.ones(50)) == ()
    step = np.where(np.arange(50) < 25, 1.0, 1 + 1e-9)
    assert change_points(step) == ()
    (found,) = change_points(np.where(np.arange(50) < 25, 1.0, 1.001))
    assert (found.first, found.at, found.last) == (25, 25, 25)
    assert found.lower == found.factor == found.upper == pytest.approx(1.001)


@given(st.integers(ENOUGH, 80), st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6))
def test_the_unit_does_not_matter_and_intervals_hold_their_middle(n, seed, unit):
    values = series((n // 2, 1.0), (n - n // 2, 1.5), seed=seed)
    found = change_points(values)
    scaled = change_points(unit * values)
    assert [c.at for c in scaled] == [c.at for c in found]
    assert [c.p for c in scaled] == pytest.approx([c.p for c in found], rel=0.05)
    assert all(c.first <= c.at <= c.last for c in found)
    assert all(c.lower <= c.factor <= c.upper for c in found)


def test_with_few_measurements_only_a_clear_step_shows():
    assert ENOUGH == 7
    assert [c.at for c in change_points(np.array([1.0, 1.01, 1.02, 1.03, 1.0, 2, 2.01]))] == [5]
    assert change_points(np.array([1.0, 1.01, 1.02, 1.03, 2, 2.01, 2.02])) == ()
    orders = np.array([[*first, *(set(range(10)) - set(first))] for first in combinations(range(10), 5)])
    assert sum(len(change_points(1.0 + order)) for order in orders) <= 2
