"""Models of several parameters: known truths, sparse designs, and what cannot be distinguished."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from ingest.errors import ModelError
from pipeline.models.fit import fit
from pipeline.models.forms import term
from pipeline.models.options import ModelOptions
from pipeline.models.quality import Note
from tests.pipeline.models.made import grid_of

X, Y, Z = (20.0, 30.0, 40.0, 50.0, 60.0), (1.0, 2.0, 3.0, 4.0, 5.0), (10.0, 20.0, 30.0, 40.0, 50.0)
GRID = np.array(list(itertools.product(X, Y)))
CROSS = np.array([p for p in itertools.product(X, Y) if p[0] == 30 or p[1] == 2 or p in {(60, 5), (50, 4)}])


def noisy(truth, points, noise, kernels=12, repetitions=5, seed=1):
    rng = np.random.default_rng(seed)
    values = truth(*points.T)[None, :, None]
    return values * (1 + noise * rng.standard_normal((kernels, len(points), repetitions)))


def formulas(models):
    """What the formulas predict alone: that a formula is found again shows in them."""
    return replace(models, trend=None)


def two_parameters(x, y):
    return 1 + 0.2 * x**2 * np.log2(y)


def three_parameters(x, y, z):
    return 1 + 0.2 * x**2 * np.log2(y) + 0.1 * x * y**2 * z


@pytest.mark.parametrize("points", [GRID, CROSS, GRID[::2]], ids=["grid", "cross", "every other point"])
@pytest.mark.parametrize("noise", [0.01, 0.05])
def test_product_of_two_parameters_extrapolates(points, noise):
    models = fit(("x", "y"), points, noisy(two_parameters, points, noise))
    far = points.max(axis=0) * 16
    error = formulas(models).predict(far[None]).value[:, 0] / two_parameters(*far) - 1
    assert np.median(np.abs(error)) < 0.02
    assert (np.abs(error) < 0.1).mean() >= 0.9
    assert models.hypothesis(0) == (term((2, 0), (0, 1)),)


def test_sum_of_products_of_three_parameters_extrapolates():
    points = np.array(list(itertools.product(X, Y, Z)))
    models = fit(("x", "y", "z"), points, noisy(three_parameters, points, 0.05, kernels=4))
    far = points.max(axis=0) * 16
    prediction = formulas(models).predict(far[None])
    assert np.abs(prediction.value[:, 0] / three_parameters(*far) - 1).max() < 0.1
    assert set(models.hypothesis(0)) == {term((2, 0), (0, 1), (0, 0)), term((1, 0), (2, 0), (1, 0))}


def test_four_parameters():
    points = np.array(
        list(itertools.product((2.0, 4.0, 8.0), (1.0, 2.0, 3.0), (3.0, 5.0, 9.0), (10.0, 20.0, 30.0)))
    )
    models = fit(
        tuple("abcd"), points, noisy(lambda a, b, c, d: 3 + a * b + 0.1 * c**2 * d, points, 0.02, kernels=2)
    )
    expected = {term((1, 0), (1, 0), (0, 0), (0, 0)), term((0, 0), (0, 0), (2, 0), (1, 0))}
    assert all(set(models.hypothesis(k)) == expected for k in range(2))


def test_a_parameter_that_does_not_matter_is_dropped():
    models = fit(("x", "y"), GRID, noisy(lambda x, y: 5 + 0.3 * x**2, GRID, 0.05))
    growths = [models.formula(k).growth for k in range(len(models))]
    assert growths.count("x^2") >= 11
    assert "does not depend on y" in models.notes(growths.index("x^2"))
    assert models.quality.probability_growing.min() > 0.99


def test_constants_stay_constants():
    models = fit(("x", "y"), GRID, noisy(lambda x, y: 7 + 0 * x, GRID, 0.1, kernels=40))
    assert sum(models.formula(k).growth != "1" for k in range(40)) <= 1
    assert np.median(models.quality.probability_growing) < 0.1


def test_what_falls_along_one_parameter_and_rises_along_the_other():
    models = fit(("p", "n"), GRID, noisy(lambda p, n: 1000 * n**2 / p, GRID, 0.02, kernels=3))
    assert models.hypothesis(0) == (term((-1, 0), (2, 0)),)


def test_missing_values_are_left_out():
    values = noisy(lambda x, y: 3 + x * y, GRID, 0.01, kernels=3)
    values[np.random.default_rng(3).random(values.shape) < 0.4] = np.nan
    values[1, 4] = np.nan
    models = fit(("x", "y"), GRID, values)
    assert formulas(models).predict(np.array([[640.0, 10.0]])).value == pytest.approx(6403, rel=0.02)
    assert models.quality.points.tolist() == [25, 24, 25]


def test_noise_free_data_give_the_exact_form():
    models = fit(
        ("x", "y"),
        GRID,
        noisy(lambda x, y: 1e-6 + 1e6 * x**1.5 * y**0.5, GRID, 0.0, kernels=1, repetitions=1),
    )
    assert models.formula(0).growth == "x^(3/2) * y^(1/2)"
    assert models.predict(np.array([[960.0, 80.0]])).value[0, 0] == pytest.approx(
        1e6 * 960**1.5 * 80**0.5, rel=1e-3
    )


def test_intervals_hold_the_truth_about_as_often_as_they_promise():
    models = fit(("x", "y"), GRID, noisy(lambda x, y: 10 + 0.3 * x * y, GRID, 0.05, kernels=100, seed=5))
    far = np.array([[240.0, 20.0], [960.0, 80.0]])
    prediction = models.predict(far)
    truth = 10 + 0.3 * far.prod(axis=1)
    inside = ((prediction.lower <= truth) & (truth <= prediction.upper)).mean(axis=0)
    assert (inside > 0.8).all()


def test_confounded_parameters_are_said_and_the_interval_shows_it():
    points = np.array([(100 * q, q) for q in (10.0, 20.0, 40.0, 80.0, 160.0)])
    models = fit(("p", "q"), points, noisy(lambda p, q: q**2, points, 0.02, kernels=2))
    assert all(int(n) & Note.CONFOUNDED for n in models.quality.note)
    assert models.dropped(0) == ()
    on, off = models.predict(np.array([[32000.0, 320.0]])), models.predict(np.array([[32000.0, 20.0]]))
    assert (on.upper < 1.5 * on.lower).all()
    assert (off.upper > 5 * off.lower).all()


def test_kernels_are_independent_of_their_order_and_unit():
    values = np.concatenate(
        [
            noisy(two_parameters, GRID, 0.03, kernels=3),
            noisy(lambda x, y: 4 + 2 * x + y, GRID, 0.03, kernels=3),
        ]
    )
    unit = 2.0 ** np.array([-30, 0, 30, 10, 0, -10])
    order = np.array([5, 0, 3, 1, 4, 2])
    plain = formulas(fit(("x", "y"), GRID, values))
    moved = formulas(fit(("x", "y"), GRID, (values * unit[:, None, None])[order]))
    far = np.array([[240.0, 20.0]])
    assert moved.predict(far).value == pytest.approx(
        (plain.predict(far).value * unit[:, None])[order], rel=1e-6
    )


def test_a_users_exponents_are_the_only_ones_tried():
    options = ModelOptions(exponents=(term((1, 0))[0], term((3, 0))[0]))
    models = fit(("x", "y"), GRID, noisy(two_parameters, GRID, 0.02, kernels=2), options)
    assert {i for t in models.hypotheses.terms for i, _ in t} <= {0, 1, 3}


@pytest.mark.parametrize(
    ("points", "values"),
    [
        (GRID, np.zeros((2, 25, 3))),
        (GRID, np.full((2, 25, 3), 4.0)),
        (GRID, np.full((2, 25, 3), np.nan)),
        (GRID[:1], np.ones((2, 1, 1))),
        (GRID[:2], np.array([[[1.0], [2.0]]])),
        (GRID[[0, 1, 5]], np.array([[[1.0], [2.0], [3.0]]])),
        (GRID / 100, 1 + GRID.prod(axis=1)[None, :, None]),
        (GRID * 1e9, 1e-12 + 1e12 * (GRID[:, 0] / 60)[None, :, None] ** 3),
        (GRID, -3 - GRID.prod(axis=1)[None, :, None]),
        (np.column_stack([GRID[:5, 1], np.full(5, 3.0)]), GRID[:5, 1][None, :, None] ** 2),
    ],
    ids=["zeros", "equal", "nan", "one", "two", "three", "below 1", "12 decades", "negative", "fixed"],
)
def test_degenerate_input_gives_finite_models(points, values):
    models = fit(("x", "y"), points, values)
    prediction = models.predict(points.max(axis=0)[None] * 4)
    for array in (
        grid_of(models).weight,
        grid_of(models).coefficients,
        grid_of(models).covariance,
        models.quality.smape,
        models.quality.cv_smape,
    ):
        assert np.isfinite(array).all()
    assert np.isfinite([prediction.value, prediction.lower, prediction.upper]).all()
    assert grid_of(models).weight.sum(axis=1) == pytest.approx(1)


def test_parameters_that_are_not_positive_are_refused():
    with pytest.raises(ModelError, match="positive"):
        fit(("x", "y"), GRID - 1, np.ones((1, 25, 1)))


def test_a_parameter_that_was_not_varied_is_said_to_be_unknown_not_irrelevant():
    points = np.column_stack([GRID[:5, 1], np.full(5, 3.0)])
    models = fit(("x", "y"), points, noisy(lambda x, y: 1 + x**2, points, 0.01, kernels=1))
    assert int(models.quality.note[0]) & Note.FEW_VALUES
    assert models.dropped(0) == ()


def test_behaviour_that_no_formula_has_widens_the_interval():
    points = np.array(list(itertools.product(2.0 ** np.arange(2, 7), 2.0 ** np.arange(2, 7))))
    odd = noisy(lambda x, y: x * y * (1 + 0.3 * np.sin(2 * np.log2(x) + 1)), points, 0.01)
    even = noisy(lambda x, y: x * y, points, 0.01)
    far = points.max(axis=0)[None] * 4
    wide, narrow = (fit(("x", "y"), points, values).predict(far) for values in (odd, even))
    assert (narrow.upper < 1.1 * narrow.lower).all()
    assert (wide.upper > 1.3 * wide.lower).all()


def test_values_a_little_below_zero_do_not_allow_negative_predictions():
    values = noisy(lambda x, y: 0.5 * x * y, GRID, 0.02, kernels=3)
    values[0, 0] = -0.1
    models = fit(("x", "y"), GRID, values)
    assert models.nonnegative
    assert models.predict(np.array([[1.0, 1.0]])).lower.min() >= 0
