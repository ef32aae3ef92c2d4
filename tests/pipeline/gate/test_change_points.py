from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from pipeline.gate.change_points import ENOUGH, LEVEL, change_points, drift, pettitt


def series(*levels, noise=0.02, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([np.full(n, level) for n, level in levels]) * np.exp(
        noise * rng.normal(size=sum(n for n, _ in levels))
    )


def test_a_step_is_found_where_it_is():
    (found,) = change_points(series((10, 1.0), (12, 1.2)))
    assert found.at == 10
    assert found.factor == pytest.approx(1.2, rel=0.03)
    assert found.p <= LEVEL == 0.01


def test_the_factor_is_that_of_the_medians():
    values = series((10, 1.0), (10, 2.0))
    values[12] = 50.0
    (found,) = change_points(values)
    assert found.factor == np.median(values[10:]) / np.median(values[:10])


def test_two_steps_are_found():
    assert [c.at for c in change_points(series((10, 1.0), (10, 1.5), (10, 1.2)))] == [10, 20]


@pytest.mark.parametrize("length", [10, 12, 15, 20, 40, 80])
def test_three_measurements_at_another_level_are_never_significant(length):
    step = np.concatenate([np.arange(length - 3.0) + 1, 1000.0 + np.arange(3)])
    rng = np.random.default_rng(0)
    for _ in range(20):
        part = np.concatenate([rng.permutation(step[:-3]), rng.permutation(step[-3:])])
        assert length - 3 not in [c.at for c in change_points(part)]


def test_the_statistic_is_that_of_mann_and_whitney_at_its_largest():
    values = series((6, 1.0), (9, 1.01), seed=5)
    n = len(values)
    u = [2 * stats.mannwhitneyu(values[:t], values[t:]).statistic - t * (n - t) for t in range(1, n)]
    assert pettitt(values)[0] == int(np.argmax(np.abs(u))) + 1


@pytest.mark.parametrize("values", [np.arange(8.0), np.array([1.0, 2, 4, 3, 7, 5, 8, 6])])
def test_the_p_value_is_that_of_all_orders(values):
    """Pettitt's statistic of all 40320 orders of eight ranks, by his definition with signs."""
    orders = np.array(list(permutations(range(8))))
    signs = np.sign(orders[:, None, :] - orders[:, :, None])
    largest = np.max([np.abs(signs[:, :t, t:].sum(axis=(1, 2))) for t in range(1, 8)], axis=0)
    sign = np.sign(values[None, :] - values[:, None])
    observed = max(abs(sign[:t, t:].sum()) for t in range(1, 8))
    assert pettitt(values)[1] == pytest.approx((largest >= observed).mean(), abs=0.02)


def test_the_p_value_of_a_certain_change_is_as_small_as_permutations_allow():
    assert pettitt(series((20, 1.0), (20, 2.0)))[1] == 1 / 2000
    assert pettitt(np.ones(20))[1] == 1


def test_chance_alone_rarely_changes_anything():
    rng = np.random.default_rng(3)
    assert sum(pettitt(rng.normal(size=15))[1] <= 0.05 for _ in range(200)) <= 20


def test_one_slow_run_is_no_change():
    values = series((20, 1.0))
    values[7] = 9.0
    assert change_points(values) == ()


def test_a_slow_drift_shows():
    values = series((20, 1.0)) * 1.02 ** np.arange(20)
    found = drift(values)
    assert found is not None
    slope = stats.theilslopes(np.log(values)).slope
    assert found.factor == pytest.approx(np.exp(19 * slope))
    assert found.factor == pytest.approx(1.02**19, rel=0.05)
    assert found.p == pytest.approx(stats.kendalltau(np.arange(20), values).pvalue)
    assert found.p < 1e-4


def test_short_or_constant_series_say_nothing():
    assert ENOUGH == 8
    assert drift(np.ones(30)) is None
    assert drift(np.arange(1.0, 8.0)) is None
    assert drift(np.arange(1.0, 9.0)) is not None
    assert change_points(np.array([1.0, 1, 1, 2, 2, 2])) == ()
    step = np.array([1.0, 1.01, 1.02, 1.03, 2, 2.01, 2.02, 2.03])
    assert pettitt(step)[1] > LEVEL  # with eight measurements no order is rare enough
