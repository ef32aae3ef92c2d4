from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.gate.repetition_noise import (
    FEWEST_KERNELS,
    log_means,
    robust_log_means,
    run_factors,
    typical_runs,
)
from tests.pipeline.gate.studies import many, study


def logs(kernels=20, points=4, repetitions=5, noise=0.02, seed=1):
    return noise * np.random.default_rng(seed).normal(size=(kernels, points, repetitions))


def factors(values):
    return run_factors(values, np.ones(len(values), dtype=bool))


def test_the_factor_of_a_run_is_estimated_over_all_kernels():
    truth = 0.1 * np.random.default_rng(2).normal(size=(4, 5))
    found = factors(np.exp(logs() + truth)).log_factor
    expected = truth - truth.mean(axis=1, keepdims=True)
    assert found == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("kernels", [2, FEWEST_KERNELS - 1, FEWEST_KERNELS, 40])
def test_an_outlying_run_is_recognised_whatever_the_number_of_kernels(kernels):
    values = np.exp(logs(kernels))
    values[:, 2, 3] *= 1.8
    found = factors(values)
    assert np.argwhere(found.outlying).tolist() == [[2, 3]]
    assert found.log_factor[2, 3] == pytest.approx(np.log(1.8), abs=0.08)
    if kernels < FEWEST_KERNELS:
        assert np.count_nonzero(found.log_factor) == 1


def test_a_slow_kernel_is_not_a_slow_run():
    for kernels in (3, 20):
        values = np.exp(logs(kernels))
        values[1, 2, 3] *= 3.0
        assert not factors(values).outlying.any()


def test_two_slow_runs_of_five_do_not_become_the_typical_ones():
    values = np.exp(logs())
    values[:, 1, :2] *= np.array([1.7, 2.5])
    found = factors(values)
    assert np.argwhere(found.outlying).tolist() == [[1, 0], [1, 1]]
    assert found.log_factor[1, 2:] == pytest.approx(0.0, abs=0.02)


def test_runs_that_were_not_made_and_single_runs_have_no_factor():
    values = np.exp(logs())
    values[:, 3, 4] = np.nan
    found = factors(values)
    assert np.isnan(found.log_factor[3, 4]) and not found.outlying[3, 4]
    once = factors(values[:, :, :1])
    assert np.nan_to_num(once.log_factor).tolist() == np.zeros((4, 1)).tolist()
    assert once.degrees == 0
    assert not factors(np.empty((0, 4, 5))).outlying.any()


def test_a_typical_study_keeps_its_sums_and_names_its_slow_runs():
    whole = study(many(), seed=3)
    values = whole.values.copy()
    values[:, 1, 2] *= 2.0
    slow = replace(whole, values=values, repetitions=np.full((5, 5), 7))
    typical = typical_runs(slow, 0.01)
    assert typical.measured.values is slow.values
    assert typical.measurements.values[1:21].sum(axis=0) == pytest.approx(typical.measurements.values[0])
    (notice,) = typical.notices("the baseline")
    assert "p = 16 repetition 7 (2" in notice
    assert typical_runs(whole, 0.01).notices("x") == ()


def test_slow_values_count_for_little_and_others_in_full():
    values = np.exp(logs())
    values[3, 1, 0] *= 2.0
    (robust,) = robust_log_means(values)
    plain = log_means(values)
    assert robust.mean[3, 1] == pytest.approx(0.0, abs=0.03)
    assert robust.count[3, 1] == pytest.approx(4, abs=0.01)
    others = np.ones(robust.mean.shape, dtype=bool)
    others[3, 1] = False
    assert np.allclose(robust.mean[others], plain.mean[others], atol=0.01)
    assert robust.count[others].min() > 4.5


def test_three_slow_values_of_five_do_not_decide():
    values = np.exp(logs())
    values[3, 1, :3] *= np.array([1.6, 2.0, 2.9])
    (robust,) = robust_log_means(values)
    assert robust.mean[3, 1] == pytest.approx(0.0, abs=0.05)


def test_a_kernel_of_two_modes_is_noisy_rather_than_disturbed():
    values = np.exp(logs())
    values[3] *= np.where(np.random.default_rng(4).random((4, 5)) < 0.45, 1.6, 1.0)
    (robust,) = robust_log_means(values)
    plain = log_means(values)
    assert np.allclose(robust.mean[3], plain.mean[3])
    assert np.allclose(robust.squares[3], plain.squares[3])


@given(st.floats(-3, 3), st.integers(1, 6))
def test_means_move_with_the_values(shift, repetitions):
    values = logs(repetitions=repetitions)
    (one,), (two,) = robust_log_means(np.exp(values)), robust_log_means(np.exp(values + shift))
    assert np.allclose(two.mean, one.mean + shift)
    assert np.allclose(two.count, one.count)
