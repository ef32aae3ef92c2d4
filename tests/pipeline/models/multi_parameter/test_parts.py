"""The parts that the fit of several parameters is made of."""

import numpy as np
import pytest

from pipeline.models.multi_parameter.added_term import WeightedMeans, chi_squared, orthogonal
from pipeline.models.multi_parameter.search import examine, log_slopes, make_factors
from pipeline.models.multi_parameter.several_parameters import fit_exactly, representative_rivals
from pipeline.models.options import ModelOptions

RNG = np.random.default_rng(4)
POINTS = np.array([(x, y) for x in (2.0, 4.0, 8.0, 16.0) for y in (1.0, 2.0, 3.0, 5.0)])
FACTORS = make_factors(POINTS, np.ones((1, 2)), ModelOptions())


def means(nonnegative):
    mean = RNG.uniform(0.5, 1.0, (3, len(POINTS)))
    return WeightedMeans(mean, RNG.uniform(1, 9, mean.shape), np.full((3, 1, 1), 16.0), nonnegative)


def chi2_by_lstsq(data, kernel, columns):
    root = np.sqrt(data.weight[kernel])
    design = np.column_stack([np.ones(len(POINTS)), *columns])
    coefficients = np.linalg.lstsq(design * root[:, None], data.mean[kernel] * root, rcond=None)[0]
    residual = (data.mean[kernel] - design @ coefficients) * root
    return (residual**2).sum(), coefficients


@pytest.mark.parametrize("size", [0, 1, 2])
def test_candidates_are_judged_as_least_squares_would(size):
    data = means(nonnegative=False)
    picks = np.array([[[1, 0], [0, 8]]] * 3)[:, None, :size]
    terms = FACTORS.columns(picks) if size else np.empty((3, 1, 0, len(POINTS)))
    others = orthogonal(data.weight[:, None], terms)
    rest = FACTORS.columns(np.array([[[5, 0]]] * 3))
    got = chi_squared(data, others, rest, FACTORS.values[1])
    for kernel, candidate in ((0, 3), (1, 11), (2, 20)):
        columns = [*terms[kernel, 0], rest[kernel, 0] * FACTORS.values[1][candidate]]
        assert got[kernel, 0, candidate] == pytest.approx(chi2_by_lstsq(data, kernel, columns)[0], rel=1e-6)


def test_negative_coefficients_are_not_admitted():
    data = means(nonnegative=True)
    none = orthogonal(data.weight[:, None], np.empty((3, 1, 0, len(POINTS))))
    got = chi_squared(data, none, None, FACTORS.columns(FACTORS.coarse))
    for kernel in range(3):
        for h, column in enumerate(FACTORS.columns(FACTORS.coarse)):
            chi2, (constant, slope) = chi2_by_lstsq(data, kernel, [column])
            if slope < 0:
                assert np.isinf(got[kernel, 0, h])
            elif constant > 0:
                assert got[kernel, 0, h] == pytest.approx(chi2, rel=1e-6)


def test_left_out_points_are_predicted_as_if_fitted_without_them():
    data = means(nonnegative=False)
    picks = np.array([[[[9, 1], [0, 9]]]] * 3)
    fits = fit_exactly(data, FACTORS, picks)
    columns = FACTORS.columns(picks[0, 0])
    design = np.column_stack([np.ones(len(POINTS)), *columns])
    press = 0.0
    for left in range(len(POINTS)):
        keep = np.arange(len(POINTS)) != left
        root = np.sqrt(data.weight[0, keep])
        solution = np.linalg.lstsq(design[keep] * root[:, None], data.mean[0, keep] * root, rcond=None)[0]
        press += data.weight[0, left] * (data.mean[0, left] - design[left] @ solution) ** 2
    assert fits.press[0, 0] == pytest.approx(press, rel=1e-6)


def test_rivals_kept_have_the_weight_and_spread_of_all():
    weight = RNG.dirichlet(np.full(30, 0.3), 20)
    far = RNG.uniform(1, 100, (20, 30))
    rows, kept = representative_rivals(weight, far, 8)
    assert rows.shape == kept.shape == (20, 8)
    largest = np.sort(weight, axis=1)[:, ::-1][:, :4]
    assert kept[:, :4] == pytest.approx(largest)
    assert all(len(set(chosen)) == 8 for chosen in rows.tolist())
    assert kept.sum(axis=1) == pytest.approx(1)
    assert (rows[:, 0] == weight.argmax(axis=1)).all()
    mean, mean_kept = (weight * far).sum(axis=1), (kept * np.take_along_axis(far, rows, axis=1)).sum(axis=1)
    assert np.abs(mean_kept - mean).max() < 10


def test_designs_that_confound_parameters():
    line = np.array([(100 * q, q) for q in (1.0, 2.0, 4.0, 8.0)])
    assert examine(line).confounded.all()
    assert not examine(POINTS).confounded.any()
    curve = np.array([(1.0, 1.0), (2.0, 3.0), (3.0, 4.0), (4.0, 7.0)])
    assert examine(curve).confounded.all()
    product = np.array([(p, n, p * n) for p in (1.0, 2.0, 4.0) for n in (3.0, 5.0, 9.0)])
    assert examine(product).confounded.all()
    partly = np.column_stack([POINTS, POINTS[:, 0] * 3])
    assert examine(partly).confounded.tolist() == [True, False, True]


def test_designs_with_few_values():
    few = examine(np.array([(p, n, 7.0) for p in (1.0, 2.0, 4.0) for n in (3.0, 5.0)]))
    assert few.few_values.tolist() == [False, True, True]


def test_slopes_of_products_of_powers():
    mean = np.stack([POINTS[:, 0] ** 2 / POINTS[:, 1], np.ones(len(POINTS))])
    assert log_slopes(POINTS, mean, mean > 0) == pytest.approx(np.array([[2, -1], [0, 0]]), abs=0.01)
