"""Least squares with bounds against numpy and scipy."""

import numpy as np
import pytest
from scipy.optimize import curve_fit, lsq_linear, nnls

from ingest.errors import ModelError
from pipeline.projection.fitting.bounded_least_squares import identifiable, solve_linear, solve_nonlinear

RNG = np.random.default_rng(5)
X = np.linspace(1.0, 10.0, 9)
DESIGN = np.column_stack([np.ones(9), X, 1e6 * X**2])
TARGETS = RNG.uniform(1.0, 5.0, (6, 9)) * X
WEIGHTS = RNG.uniform(0.2, 3.0, (6, 9))
FREE = np.full(3, -np.inf)


def test_without_bounds_it_is_weighted_least_squares():
    found = solve_linear(DESIGN, FREE, TARGETS, WEIGHTS)
    for row, target, weight in zip(found, TARGETS, WEIGHTS, strict=True):
        expected = np.linalg.lstsq(DESIGN * weight[:, None], target * weight, rcond=None)[0]
        assert row == pytest.approx(expected, rel=1e-6)


def test_a_weight_of_zero_leaves_a_point_out():
    weights = np.ones((1, 9))
    weights[0, 4] = 0.0
    targets = TARGETS[:1].copy()
    targets[0, 4] = 1e6
    kept = np.arange(9) != 4
    expected = np.linalg.lstsq(DESIGN[kept], TARGETS[0, kept], rcond=None)[0]
    assert solve_linear(DESIGN, FREE, targets, weights)[0] == pytest.approx(expected, rel=1e-6)


def test_bounds_hold_and_the_rest_is_best():
    falling = np.concatenate([TARGETS, -TARGETS, 20.0 - TARGETS])
    weights = np.tile(WEIGHTS, (3, 1))
    found = solve_linear(DESIGN, np.zeros(3), falling, weights)
    for row, target, weight in zip(found, falling, weights, strict=True):
        expected = nnls(DESIGN * weight[:, None], target * weight)[0]
        assert row == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert (found[:6] != 0).any()
    assert (found[6:12] == 0).all()


def test_bounds_may_differ_by_coefficient():
    lower = np.array([-1.0, -np.inf, 2e-7])
    found = solve_linear(DESIGN, lower, TARGETS, WEIGHTS)
    for row, target, weight in zip(found, TARGETS, WEIGHTS, strict=True):
        scale = np.array([1.0, 1.0, 1e6])
        expected = lsq_linear(
            DESIGN / scale * weight[:, None], target * weight, (lower * scale, np.inf), tol=1e-14
        )
        assert row * scale == pytest.approx(expected.x, rel=1e-5, abs=1e-7)
        assert (row >= lower).all()


def test_what_the_data_leave_open_is_spread_evenly():
    twice = np.column_stack([X, X, np.zeros(9)])
    found = solve_linear(twice, FREE, 4 * X[None], np.ones((1, 9)))[0]
    assert found == pytest.approx([2.0, 2.0, 0.0], abs=1e-12)
    bounded = solve_linear(twice, np.zeros(3), -X[None], np.ones((1, 9)))[0]
    assert bounded == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


def test_columns_of_very_different_size_are_fitted_alike():
    scales = np.array([1e-9, 1.0, 1e9])
    plain = solve_linear(DESIGN, FREE, TARGETS, WEIGHTS)
    assert solve_linear(DESIGN * scales, FREE, TARGETS, WEIGHTS) * scales == pytest.approx(plain, rel=1e-6)
    bounded = solve_linear(DESIGN, np.zeros(3), -TARGETS + 9.0, WEIGHTS)
    rescaled = solve_linear(DESIGN * scales, np.zeros(3), -TARGETS + 9.0, WEIGHTS) * scales
    assert rescaled == pytest.approx(bounded, rel=1e-6, abs=1e-15)
    assert identifiable(DESIGN * scales, np.ones(9)).all()


def power(parameters):
    return parameters[:, :1] * X ** parameters[:, 1:]


def test_nonlinear_fits_equal_scipys():
    rng = np.random.default_rng(2)
    targets = 1e-6 * X**1.5 * (1 + 0.1 * rng.standard_normal((3, 9)))
    weights = 1 / targets
    bounds = np.array([0.0, 0.0]), np.array([np.inf, 3.0])
    found = solve_nonlinear(power, np.array([1e-6, 1.0]), bounds, targets, weights)
    for row, target, weight in zip(found, targets, weights, strict=True):
        expected, _ = curve_fit(lambda x, a, k: 1e-6 * a * x**k, X, target, p0=[1, 1], sigma=1 / weight)
        assert row == pytest.approx(expected * [1e-6, 1.0], rel=1e-5)


def test_nonlinear_bounds_hold():
    bounds = np.array([0.0, 0.0]), np.array([np.inf, 1.2])
    exact = 2 * X[None] ** 1.5
    found = solve_nonlinear(power, np.array([1.0, 5.0]), bounds, exact, np.ones_like(exact))
    assert found[0, 1] == pytest.approx(1.2, rel=1e-6)
    low = solve_nonlinear(
        power, np.array([1.0, 2.0]), (np.array([0.0, 1.8]), np.array([9.0, 3.0])), exact, 1 / exact
    )
    assert low[0, 1] == pytest.approx(1.8, rel=1e-6)


def test_a_search_may_start_at_zero_or_below():
    def line(parameters):
        return parameters[:, :1] + parameters[:, 1:] * X

    bounds = np.full(2, -np.inf), np.full(2, np.inf)
    found = solve_nonlinear(line, np.array([0.0, -4.0]), bounds, (3 - 2 * X)[None], np.ones((1, 9)))
    assert found[0] == pytest.approx([3.0, -2.0])


def test_parameters_are_identifiable_unless_data_leave_them_open():
    weights = np.ones(9)
    assert identifiable(DESIGN, weights).tolist() == [True, True, True]
    assert identifiable(np.column_stack([X, np.zeros(9), np.ones(9)]), weights).tolist() == [
        True,
        False,
        True,
    ]
    # x and 2 x are not to be distinguished, 1 is.
    assert identifiable(np.column_stack([X, 2 * X, np.ones(9)]), weights).tolist() == [False, False, True]
    assert identifiable(np.zeros((9, 2)), weights).tolist() == [False, False]
    # Fewer points than parameters leave all of them open.
    assert identifiable(DESIGN[:2], weights[:2]).tolist() == [False, False, False]


def test_weights_decide_what_the_data_show():
    slopes = np.column_stack([np.ones(3), [1.0, 1.0, 2.0]])
    assert identifiable(slopes, np.ones(3)).tolist() == [True, True]
    assert identifiable(slopes, np.array([1.0, 1.0, 0.0])).tolist() == [False, False]


def test_a_small_difference_is_enough():
    for difference, known in ((1e-6, True), (1e-10, False)):
        slopes = np.column_stack([X, X + difference * X**2])
        assert identifiable(slopes, np.ones(9)).tolist() == [known, known]


def test_slopes_have_to_be_finite():
    with pytest.raises(
        ModelError, match=r"^the formula has no finite slope where it fits best; change the starting"
    ):
        identifiable(np.array([[1.0, np.inf], [1.0, 2.0]]), np.ones(2))
