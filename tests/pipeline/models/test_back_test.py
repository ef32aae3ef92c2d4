"""What back-tests find out about formulas and trends."""

import numpy as np
import pytest

from pipeline.models.back_test import FORMULA_ERROR, TREND_ERROR, back_test, enough, splits
from pipeline.models.fit import fit
from pipeline.models.observations import observe

P = 2.0 ** np.arange(2, 9)[:, None]


def test_scales_within_a_factor_of_2_and_4_of_the_largest_are_hidden():
    assert [inner.tolist() for _, inner in splits(P[:5])] == [[True] * 4 + [False], [True] * 3 + [False] * 2]
    assert [inner.tolist() for _, inner in splits(P[:4])] == [[True] * 3 + [False]]
    assert list(splits(P[:3])) == []


def test_the_largest_alone_is_hidden_if_too_little_were_left():
    close = np.array([[10.0], [11], [12], [13]])
    assert [inner.tolist() for _, inner in splits(close)] == [[True, True, True, False]]


def test_each_parameter_in_turn():
    grid = np.array([(p, n) for p in (1.0, 2, 4, 8) for n in (10.0, 20, 30)])
    found = list(splits(grid))
    assert {parameter for parameter, _ in found} == {0}  # of n too little would be left
    assert all((grid[~inner, 0] == 8).all() for _, inner in found)
    assert enough(grid, np.array([True, True])) and not enough(grid[:, 1:], np.array([False]))


def noisy(truth, noise=0.02, kernels=60, seed=5):
    random = np.random.default_rng(seed)
    exact = np.broadcast_to(truth, (kernels, len(P)))[:, :, None]
    return exact * (1 + noise * random.standard_normal((kernels, len(P), 4)))


def errors_of(values):
    return fit(("p",), P, values).trend.errors


def test_formulas_hold_on_many_kernels_that_follow_them():
    found = errors_of(noisy(10 + P[:, 0]))
    assert found.formulas_hold > 0.99
    assert found.formula[0] < 0.05


def test_formulas_do_not_hold_where_behaviour_wanders():
    random = np.random.default_rng(3)
    steps = np.exp(0.3 * random.standard_normal((60, len(P))).cumsum(axis=1))
    found = errors_of(noisy(P[:, 0]) * steps[:, :, None])
    assert found.formulas_hold < 0.01
    assert found.trend[0] > 0.1


def test_one_kernel_decides_little_unless_runs_were_repeated():
    repeated = noisy(10 + P[:, 0], kernels=1)
    assert errors_of(repeated).formulas_hold > 0.99
    assert errors_of(repeated * np.exp(0.1 * np.sin(P[:, 0]))[:, None]).formulas_hold < 0.01
    found = errors_of(repeated[..., :1])
    assert found.formulas_hold < 0.5
    assert 0.5 * FORMULA_ERROR < found.formula[0] <= FORMULA_ERROR
    assert found.trend[0] > 0.5 * TREND_ERROR


def test_without_anything_to_hide_the_errors_are_those_of_other_programs():
    found = fit(("p",), P[:3], noisy(P[:, 0])[:, :3]).trend.errors
    assert (found.formula[0], found.trend[0]) == pytest.approx((FORMULA_ERROR, TREND_ERROR))
    assert found.formulas_hold == pytest.approx(1e-3)


def test_one_wild_kernel_does_not_outweigh_many_that_follow_formulas():
    values = noisy(10 + P[:, 0])
    values[0, -1] *= 3
    assert errors_of(values).formulas_hold > 0.99


def test_formulas_that_fit_to_rounding_errors_hold():
    exact = (200 + 10 * P[:, 0] ** 1.5)[None, :, None]
    assert errors_of(exact).formulas_hold == 1.0


def test_nothing_measured_changes_nothing():
    data = observe(P, np.zeros((2, len(P), 1)))

    def formulas(part):
        return fit(("p",), part.points, part.mean[:, :, None])

    found = back_test(formulas, data, formulas(data))
    assert found.formula[0] == pytest.approx(FORMULA_ERROR)
