"""How far means may be off, by hand."""

import numpy as np
import pytest

from pipeline.models.multi_parameter.added_term import WeightedMeans
from pipeline.models.multi_parameter.search import (
    BELIEF,
    drift,
    inside,
    inverse_variances,
    pooled_misfit,
    relative_variance,
    shown_drift,
    significant,
    size_ratio,
)
from pipeline.models.observations import Observations
from tests.pipeline.models.made import one_parameter

GRID = np.array([(x, y) for x in (1.0, 2.0, 4.0, 8.0) for y in (1.0, 2.0, 3.0, 5.0)])


def observations(mean, count, squares):
    return Observations(GRID[: len(mean[0])], np.array(mean), np.array(count), np.array(squares))


def test_the_variance_of_a_repetition_is_shrunk_towards_the_median_of_the_kernels():
    data = observations([[1.0, 0.5], [1.0, 1.0], [1.0, 0.1]], [[3, 3], [2, 3], [5, 1]], np.full((3, 2), 0.02))
    size = data.mean**2 + 0.1**2
    squares = (0.02 / size).sum(axis=1)
    degrees = np.array([4, 3, 4])
    pool = np.median(squares / degrees)
    expected = (10 * pool + squares) / (10 + degrees)
    assert relative_variance(data, 0.1) == pytest.approx(expected)
    assert inverse_variances(data, 0.1) == pytest.approx(data.count / (expected[:, None] * size))


def test_without_repetitions_two_percent_are_assumed_and_clocks_have_a_resolution():
    once = observations([[1.0, 0.5]], [[1, 1]], [[0.0, 0.0]])
    assert relative_variance(once, 0.1).tolist() == [0.02**2]
    exact = observations([[1.0, 0.5]], [[3, 3]], [[0.0, 0.0]])
    assert relative_variance(exact, 0.1).tolist() == [2e-4**2]


def test_a_kernel_without_repetitions_takes_the_noise_of_the_others():
    data = observations([[1.0, 1.0]] * 2, [[1, 1], [4, 4]], [[0.0, 0.0], [0.03, 0.03]])
    assert relative_variance(data, 0.0) == pytest.approx([0.01, 0.01])


def test_weights_move_to_the_fitted_values_by_at_most_a_factor_of_four():
    mean, fitted = np.array([1.0, 0.5, 0.0, 1.0]), np.array([1.0, 0.6, 1.0, 0.0])
    expected = [1.0, (0.25 + 0.01) / (0.36 + 0.01), 0.25, 4.0]
    assert size_ratio(mean, fitted, 0.1) == pytest.approx(expected)


def test_misfit_is_the_median_ratio_if_chance_does_not_explain_it():
    chi2, degrees = np.array([30.0, 50.0, 700.0, 9.0]), np.array([10.0, 10.0, 10.0, 0.0])
    assert pooled_misfit(chi2, degrees, 40.0) == 5.0
    assert pooled_misfit(chi2 / 4, degrees, 40.0) == 1.0
    assert significant(30.0, 40.0) == pytest.approx(1 + 3 * np.sqrt(2 / 30 + 2 / 40))
    assert pooled_misfit(chi2 / 50, degrees, 40.0) == 1.0
    assert pooled_misfit(chi2 / 50, degrees, 0.0) == pytest.approx(0.1)
    assert pooled_misfit(chi2 * 0, degrees, 0.0) == 1e-4
    assert pooled_misfit(chi2, np.zeros(4), 40.0) == 1.0


def test_drift_is_what_repetitions_leave_unexplained_at_the_largest_value():
    weight = np.array([[4.0, 25.0], [100.0, 4.0]])
    data = WeightedMeans(np.array([[0.5, 1.0], [1.0, 0.2]]), weight, np.full((2, 1, 1), 2.0), True)
    variance = np.array([3.0, 0.5])
    shown = drift(data, variance, 2.0, 40.0, 6.0)
    assert shown == pytest.approx([15 / 6 * 2 / 25, 0.0])
    assert drift(data, variance, 1.0, 0.0, 6.0) == pytest.approx([15 / 6 * 3 / 25, 15 / 6 * 0.5 / 100])
    assert drift(data, variance, 2.0, 40.0, 0.0).tolist() == [1.0, 1.0]


def test_a_variance_that_chance_explains_is_no_drift():
    data = WeightedMeans(np.ones((2, 2)), np.ones((2, 2)), np.full((2, 1, 1), 2.0), True)
    limit = significant(BELIEF + 2, 40.0)
    assert drift(data, np.array([limit - 0.01, limit + 0.01]), 1.0, 40.0, 15.0) == pytest.approx(
        [0.0, limit + 0.01 - 1]
    )


def test_the_inner_points_have_no_parameter_at_its_largest():
    assert inside(GRID).tolist() == ((GRID[:, 0] < 8) & (GRID[:, 1] < 5)).tolist()
    alone = np.column_stack([GRID, np.full(16, 7.0)])
    assert inside(alone).tolist() == inside(GRID).tolist()


def test_too_few_inner_points_are_none():
    assert not inside(GRID[GRID[:, 1] < 4]).any()
    assert not inside(np.array([(p, p) for p in (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)])).any()
    assert inside(np.array([(p, p) for p in (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)])).sum() == 6


def test_straying_is_what_models_and_noise_do_not_explain_per_doubling():
    """Two kernels, points up to 64: hidden are 64 itself, one doubling and two doublings beyond."""
    covariance = np.zeros((2, 1, 2, 2))
    covariance[:, 0, 0, 0] = [0.04, 0.01]
    models = one_parameter([[[10.0, 0.0]], [[5.0, 0.0]]], [[0], [0]], covariance=covariance)
    mean = np.array([[99.0, 14.0, 40.0], [99.0, 4.0, 99.0]])
    count = np.array([[1, 3, 1], [1, 2, 0]])
    squares = np.array([[0.0, 0.6, 0.0], [0.0, 0.2, 0.0]])
    hidden = Observations(np.array([[64.0], [128.0], [256.0]]), mean, count, squares)
    predicted = models.predict(hidden.points[:1])
    width = (predicted.upper - predicted.lower)[:, 0] / 3.29
    first = 0.4**2 - (width[0] / 10) ** 2 - 0.6 / 6 / 100
    second = (1.0 - (width[0] / 10) ** 2) / 2
    other = 0.2**2 - (width[1] / 5) ** 2 - 0.2 / 2 / 25
    assert shown_drift(models, hidden) == pytest.approx(((first + second) / 2 + other) / 2)


def test_models_that_explain_what_was_hidden_do_not_stray():
    models = one_parameter([[[10.0, 0.0]]], [[0]])
    exact = Observations(np.array([[128.0]]), np.array([[10.0]]), np.array([[1]]), np.array([[0.0]]))
    assert shown_drift(models, exact) == 0.0
    inside_only = Observations(np.array([[64.0]]), np.array([[40.0]]), np.array([[1]]), np.array([[0.0]]))
    assert shown_drift(models, inside_only) == 0.0
    below = Observations(np.array([[128.0]]), np.array([[-90.0]]), np.array([[1]]), np.array([[0.0]]))
    assert shown_drift(models, below) == pytest.approx(1.0)
