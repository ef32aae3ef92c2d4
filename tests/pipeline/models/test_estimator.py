"""The scikit-learn regressor."""

import itertools

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import LeaveOneOut, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from pipeline.models.estimator import NormalFormRegressor

P = np.array([4.0, 8.0, 16.0, 32.0, 64.0, 128.0])[:, None]
GRID = np.array(list(itertools.product([2.0, 4.0, 8.0, 16.0], [1.0, 2.0, 3.0, 5.0])))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([NormalFormRegressor()])
def test_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def test_extrapolates_one_parameter():
    regressor = NormalFormRegressor().fit(P, 5 + 0.2 * P[:, 0] ** 1.5)
    assert regressor.predict([[2048.0]]) == pytest.approx(5 + 0.2 * 2048**1.5, rel=0.01)


def test_extrapolates_two_parameters_and_several_targets_at_once():
    targets = np.column_stack([3 + GRID.prod(axis=1), 2 * GRID[:, 0] ** 2])
    regressor = NormalFormRegressor().fit(GRID, targets)
    assert regressor.predict([[64.0, 20.0]]) == pytest.approx(np.array([[1283.0, 8192.0]]), rel=0.01)
    assert "x0 * x1" in regressor.formulas()[0]


def test_equal_rows_are_repetitions():
    rng = np.random.default_rng(1)
    X = np.repeat(GRID, 5, axis=0)
    y = (3 + X.prod(axis=1)) * (1 + 0.05 * rng.standard_normal(len(X)))
    regressor = NormalFormRegressor().fit(X, y)
    assert regressor.models_.quality.repetitions.tolist() == [5]
    assert regressor.models_.quality.points.tolist() == [16]


def test_intervals_enclose_the_prediction_and_grow_with_the_level():
    rng = np.random.default_rng(2)
    y = (3 + GRID.prod(axis=1)) * (1 + 0.05 * rng.standard_normal(16))
    regressor = NormalFormRegressor().fit(GRID, y)
    value, lower, upper = regressor.predict(GRID * 4, return_interval=True)
    assert ((lower <= value) & (value <= upper)).all()
    _, lower99, upper99 = regressor.predict(GRID * 4, return_interval=True, level=0.99)
    assert ((lower99 <= lower) & (upper <= upper99)).all()


def test_works_in_cross_validation_and_pipelines():
    y = 3 + GRID.prod(axis=1)
    model = make_pipeline(FunctionTransformer(np.abs), NormalFormRegressor(prior="simple"))
    assert cross_val_predict(clone(model), GRID, y, cv=LeaveOneOut()) == pytest.approx(y, rel=0.02)
    assert cross_val_score(model, GRID, y, cv=4).min() > 0.9


def test_features_that_are_not_positive_are_shifted_or_refused():
    X = GRID - 2
    regressor = NormalFormRegressor().fit(X, 3 + GRID.prod(axis=1))
    assert regressor.shift_.tolist() == [1.0, 2.0]
    lowest = regressor.predict([[1e-9, -1.0 + 1e-9]])
    assert regressor.predict([[-100.0, -100.0]]) == pytest.approx(lowest)
    assert regressor.predict([[0.0, -100.0]]) == pytest.approx(lowest)
    assert regressor.predict([[14.0, -100.0]]) == pytest.approx(regressor.predict([[14.0, -1.0 + 1e-9]]))
    assert NormalFormRegressor().fit(GRID, GRID.prod(axis=1)).shift_.tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="feature 0 of X is not positive"):
        NormalFormRegressor(nonpositive="raise").fit(X, 3 + GRID.prod(axis=1))
    strict = NormalFormRegressor(nonpositive="raise").fit(GRID, 3 + GRID.prod(axis=1))
    with pytest.raises(ValueError, match="feature 1 of X is not positive"):
        strict.predict([[1.0, 0.0]])


def test_negative_targets_have_negative_coefficients():
    regressor = NormalFormRegressor().fit(GRID, -3 - GRID.prod(axis=1))
    assert regressor.predict([[64.0, 20.0]]) == pytest.approx(-1283, rel=0.01)
