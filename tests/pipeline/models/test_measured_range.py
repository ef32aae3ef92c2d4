"""Inside the measured range predictions stay near what was measured."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.models.fit import LEAST_MISS, fit
from pipeline.models.observations import observe
from pipeline.models.trend import local_trend, strays

P = 2.0 ** np.arange(2, 9)[:, None]
LEAP = np.array([41.0, 43, 40, 42, 41, 43, 180])[None, :, None]


def trend_of(values, points=P):
    data = observe(points, np.asarray(values, dtype=float)[:, :, None])
    return local_trend(("p",), data, lambda asked: np.ones((len(values), len(asked))))


def test_with_few_points_formulas_are_followed():
    assert not fit(("p",), P[:4], np.array([41.0, 180, 41, 43])[None, :, None]).trend.trend.misfit.any()


def test_one_noisy_last_point_does_not_lift_the_range_before_it():
    found = fit(("p",), P, LEAP).predict(np.array([[24.0], [32.0], [100.0]]))
    assert (found.value < 55).all() and (found.value > 34).all()


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_corrected_predictions_miss_no_measured_point_by_more_than_may_be_noise(seed):
    random = np.random.default_rng(seed)
    values = random.lognormal(0, 1, (3, len(P), 1))
    models = fit(("p",), P, values)
    trend = models.trend.trend
    found = models.predict(P).value
    plain, least = found / np.exp(trend.misfit), 1e-2 * values.max(axis=1)
    off, before = np.log(found / values[..., 0]), np.log(plain / values[..., 0])
    assert (np.abs(off) <= np.abs(before) + 1e-9).all()
    allowed = np.maximum(LEAST_MISS, 1.6449 * strays(trend))[:, None]
    large = (plain > least) & (values[..., 0] > least) & trend.misfit.any(axis=1, keepdims=True)
    assert (np.abs(off) <= allowed + np.log(1.1))[large].all()


def test_values_next_to_nothing_need_not_be_explained():
    curve = 5 * np.log2(P[:, 0] / 4) ** 2  # nothing at p = 4, where a little is measured
    curve[0] = 1e-3
    assert not fit(("p",), P / 4, curve[None, :, None]).trend.trend.misfit.any()


def test_what_is_missed_is_missed_between_the_points_and_fades_beyond_them():
    trend = replace(trend_of(np.ones((1, 7))), misfit=np.array([[0, 0, 0.3, -0.5, 0, 0, 1.0]]))
    at = np.sqrt(P[2:3] * P[3:4])
    assert trend.missed_inside(at)[0, 0] == pytest.approx(trend.misfit[0, 2:4].mean())
    assert trend.missed_inside(P)[0] == pytest.approx(trend.misfit[0])
    assert trend.missed_inside(4 * P[-1:])[0, 0] == 0


def test_a_formula_that_leaves_the_points_is_corrected_by_what_cannot_be_noise():
    waves = np.exp(np.array([0, 0, 0, 1.5, 0, 0, 0.0]))[None, :, None] * P[:, 0][:, None]
    models = fit(("p",), P, waves)
    assert models.trend.trend.misfit[0, 3] > LEAST_MISS
    assert models.predict(P[3:4]).value[0, 0] > 2 * models.formula_values(P[3:4])[0, 0]


def test_formulas_that_fit_are_followed():
    curve = (5 + 3 * P[:, 0] ** 0.7)[None, :, None]
    assert not fit(("p",), P, curve).trend.trend.misfit.any()


def test_points_on_a_power_law_do_not_stray_and_one_that_leaps_counts_little():
    assert strays(trend_of([P[:, 0] ** 0.7])) == pytest.approx(0, abs=1e-9)
    leap = P[:, 0] * np.array([1, 1, 1, 1, 1, 1, 5.0])
    assert strays(trend_of([leap])) == pytest.approx(0, abs=1e-9)
    waves = np.exp(0.1 * (-1.0) ** np.arange(7))  # points 0.2 off the line between their neighbours
    assert strays(trend_of([waves])) == pytest.approx(1.4826 * 0.2 / np.sqrt(1.5))


def test_gaps_few_points_and_several_parameters_do_not_tell_how_far_points_stray():
    assert strays(trend_of([[1.0, np.nan, 9, 1, 1, 7, 1]])) == 0
    assert strays(trend_of([[1.0, 9, 3]], P[:3])) == 0
    grid = np.array([(p, n) for p in (1.0, 2, 4) for n in (1.0, 2)])
    wild = observe(grid, np.array([1.0, 9, 2, 7, 1, 5])[None, :, None])
    several = local_trend(("p", "n"), wild, lambda at: np.ones((1, len(at))))
    assert strays(several) == 0 and not several.missed_inside(grid).any()


def test_intervals_in_the_range_hold_how_far_points_stray():
    values = np.exp(0.2 * (-1.0) ** np.arange(7))[None, :, None]
    models = fit(("p",), P, values)
    found = models.predict(np.array([[24.0]]))
    spread = 1.6449 * strays(models.trend.trend)[0]
    assert np.log(found.upper / found.value)[0, 0] >= 0.99 * spread
    assert np.log(found.value / found.lower)[0, 0] >= 0.99 * spread
    far = np.log(found.upper / found.value)[0, 0] / spread
    assert far < 2


def test_values_alone_are_those_with_intervals():
    one, other = fit(("p",), P, LEAP), fit(("p",), P, LEAP)
    at = np.array([[5.0], [24.0], [250.0]])
    np.testing.assert_allclose(one.expected(at), other.predict(at).value, rtol=1e-12)
