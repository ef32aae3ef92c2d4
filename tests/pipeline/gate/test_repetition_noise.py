import numpy as np
import pytest
from scipy import integrate, stats

from pipeline.gate.repetition_noise import (
    CERTAIN,
    FEWEST_VARIANCES,
    LEAST_NOISE,
    common_variance,
    log_means,
    moderated_noise,
)


def sums_of_squares(sigma, degrees, rng):
    return sigma**2 * rng.chisquare(degrees, size=np.shape(sigma))


def variance_of_log_f(one, two):
    """Variance of the logarithm of an F-distributed value, by integration."""
    law = stats.f(one, two)
    quantile = np.linspace(0.0005, 0.9995, 1000)
    logs = np.log(law.ppf(quantile))
    mean, square = (
        integrate.quad(lambda x, n=n: x**n * law.pdf(np.exp(x)) * np.exp(x), -30, 30)[0] for n in (1, 2)
    )
    assert mean == pytest.approx(logs.mean(), abs=0.02)
    return square - mean**2


def test_log_means_leave_out_what_has_no_logarithm():
    values = np.array([[[1.0, np.e**2, np.nan, 0.0, -1.0], [0.0, np.nan, np.inf, 0.0, 0.0]]])
    logs = log_means(values)
    assert logs.mean[0, 0] == pytest.approx(1.0)
    assert np.isnan(logs.mean[0, 1])
    assert logs.count.tolist() == [[2, 0]]
    assert np.allclose(logs.squares, [[2.0, 0.0]])
    assert logs.degrees.tolist() == [[1.0, 0.0]]


def test_equal_variances_are_recognised_as_one():
    rng = np.random.default_rng(0)
    variance = sums_of_squares(np.full(400, 0.1), 8, rng) / 8
    center, weight = common_variance(variance, np.full(400, 8.0))
    assert center == pytest.approx(0.01, rel=0.1)
    assert weight > 50


def test_variances_that_differ_by_less_than_chance_are_as_good_as_known():
    assert common_variance(np.full(5, 0.01), np.full(5, 4.0))[1] == pytest.approx(CERTAIN)


def test_the_spread_of_true_variances_is_recovered():
    rng = np.random.default_rng(1)
    true = 0.01 * 6 / rng.chisquare(6, 4000)
    variance = true * rng.chisquare(10, 4000) / 10
    center, weight = common_variance(variance, np.full(4000, 10.0))
    assert (center, weight) == (pytest.approx(0.01, rel=0.1), pytest.approx(6, rel=0.2))


def test_the_weight_of_the_common_variance_is_that_of_the_f_distribution():
    """Variances over the common one are F-distributed: their logarithms must have the variance observed."""
    variance, degrees = np.exp([-1.5, -0.5, 0.0, 0.5, 1.5]), 12.0
    _, weight = common_variance(variance, np.full(5, degrees))
    assert variance_of_log_f(degrees, weight) == pytest.approx(np.log(variance).var(ddof=1), rel=1e-3)


@pytest.mark.parametrize("number", range(FEWEST_VARIANCES + 1))
def test_too_few_variances_have_no_weight_beside_each(number):
    variance = 0.01 * np.arange(1.0, 5.0) ** 3
    degrees = np.where(np.arange(4) < number, 4.0, 0.0)
    assert (common_variance(variance, degrees)[1] > 0) == (number >= FEWEST_VARIANCES)


def test_noise_per_point_follows_kernels_and_points():
    rng = np.random.default_rng(2)
    sigma = np.array([0.01, 0.1])[np.arange(40) % 2][:, None] * np.array([1.0, 1.0, 3.0])
    noise = moderated_noise(sums_of_squares(sigma, 8, rng), np.full(sigma.shape, 8.0))
    ratio = np.sqrt(noise.variance) / sigma
    assert np.median(ratio) == pytest.approx(1, abs=0.1)
    assert (ratio > 0.6).all() and (ratio < 1.6).all()
    assert (noise.degrees >= 8).all()


def test_a_single_variance_is_the_usual_one():
    noise = moderated_noise(np.array([[0.08]]), np.array([[8.0]]))
    assert noise.variance[0, 0] == pytest.approx(0.01)
    assert (noise.degrees[0, 0], noise.limit[0]) == (8.0, 8.0)


def test_a_point_is_worth_no_more_than_its_kernel():
    """Kernels differ among themselves, their points do not: a point borrows from its own kernel only."""
    sigma = 0.5 / 5.0 ** np.arange(4)[:, None] * np.ones(4)
    noise = moderated_noise(4 * sigma**2, np.full((4, 4), 4.0))
    assert np.allclose(noise.variance, sigma**2, rtol=0.25)
    assert np.allclose(noise.limit, 16 + common_variance(sigma[:, 0] ** 2, np.full(4, 16.0))[1])
    assert (noise.degrees == noise.limit[:, None]).all()


def test_no_kernel_is_worth_more_than_all_that_was_measured():
    noise = moderated_noise(np.full((6, 2), 0.04), np.full((6, 2), 4.0))
    assert np.allclose(noise.limit, 48.0)
    assert np.allclose(noise.degrees, 48.0)


def test_the_profile_over_points_is_shrunk_towards_one():
    squares = np.array([[1.0, 4.0]]) * 0.04 * np.ones((3, 1))
    noise = moderated_noise(squares, np.full((3, 2), 4.0))
    ratio = np.sqrt(noise.variance[0, 1] / noise.variance[0, 0])
    assert 1.15 < ratio < 1.6  # 2 as measured, 1 by the prior of 20 degrees of freedom against 12


def test_without_repetitions_nothing_is_known():
    noise = moderated_noise(np.zeros((3, 4)), np.zeros((3, 4)))
    assert (noise.degrees == 0).all()


def test_identical_repetitions_leave_the_least_noise():
    noise = moderated_noise(np.zeros((5, 4)), np.full((5, 4), 2.0))
    assert np.allclose(noise.variance, LEAST_NOISE**2)
    assert LEAST_NOISE == 1e-3
    assert (noise.degrees <= CERTAIN).all()
