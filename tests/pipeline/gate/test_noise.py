import numpy as np
import pytest

from pipeline.gate.noise import CERTAIN, LEAST, common_variance, moderated_noise


def sums_of_squares(sigma, degrees, rng):
    return sigma**2 * rng.chisquare(degrees, size=np.shape(sigma))


def test_equal_variances_are_recognised_as_one():
    rng = np.random.default_rng(0)
    variance = sums_of_squares(np.full(400, 0.1), 8, rng) / 8
    center, weight = common_variance(variance, np.full(400, 8.0))
    assert center == pytest.approx(0.01, rel=0.1)
    assert weight > 50


def test_the_spread_of_true_variances_is_recovered():
    rng = np.random.default_rng(1)
    true = 0.01 * 6 / rng.chisquare(6, 4000)
    variance = true * rng.chisquare(10, 4000) / 10
    center, weight = common_variance(variance, np.full(4000, 10.0))
    assert (center, weight) == (pytest.approx(0.01, rel=0.1), pytest.approx(6, rel=0.2))


def test_noise_per_point_follows_kernels_and_points():
    rng = np.random.default_rng(2)
    sigma = np.array([0.01, 0.1])[np.arange(40) % 2][:, None] * np.array([1.0, 1.0, 3.0])
    noise = moderated_noise(sums_of_squares(sigma, 8, rng), np.full(sigma.shape, 8.0))
    ratio = np.sqrt(noise.variance) / sigma
    assert np.median(ratio) == pytest.approx(1, abs=0.1)
    assert (ratio > 0.6).all() and (ratio < 1.6).all()
    assert (noise.degrees >= 8).all()


def test_without_repetitions_nothing_is_known():
    noise = moderated_noise(np.zeros((3, 4)), np.zeros((3, 4)))
    assert (noise.degrees == 0).all()


def test_identical_repetitions_leave_the_least_noise():
    noise = moderated_noise(np.zeros((5, 4)), np.full((5, 4), 2.0))
    assert np.allclose(noise.variance, LEAST**2)
    assert (noise.degrees <= CERTAIN).all()
