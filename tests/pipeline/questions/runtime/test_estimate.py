import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pipeline.models.prediction import Prediction
from pipeline.questions.runtime.estimate import SINGLE_RUN, Estimate, from_prediction, from_repetitions


def test_repetitions_give_the_interval_of_students_t_for_the_mean_logarithm():
    values = np.array([[2.0, 2.2, 1.9], [5.0, np.nan, 6.0]])
    found = from_repetitions(values)
    assert found.value == pytest.approx([6.1 / 3, 5.5])
    logs = np.log(values[0])
    half = stats.t.ppf(0.95, 2) * logs.std(ddof=1) / np.sqrt(3)
    assert found.upper[0] / found.value[0] == pytest.approx(np.exp(half))
    assert found.lower[0] / found.value[0] == pytest.approx(np.exp(-half))
    half = stats.t.ppf(0.95, 1) * np.log(values[1, [0, 2]]).std(ddof=1) / np.sqrt(2)
    assert found.above[1] == pytest.approx(half)


def test_a_point_measured_once_has_the_deviation_of_the_others():
    values = np.array([[2.0, 2.2], [5.0, 5.1], [7.0, np.nan]])
    pooled = np.log(values[:2]).var(axis=1, ddof=1).mean()
    expected = stats.t.ppf(0.95, 2) * np.sqrt(pooled)
    assert from_repetitions(values).above[2] == pytest.approx(expected)


def test_without_any_repetition_the_interval_is_that_of_public_programs():
    found = from_repetitions(np.array([[2.0], [np.nan]]))
    assert found.value[0] == 2.0 and np.isnan(found.value[1])
    assert found.below[0] == found.above[0] == SINGLE_RUN
    assert np.isnan(found.lower[1]) and np.isnan(found.upper[1])


def test_a_ratio_adds_the_sides_that_face_each_other():
    one = Estimate(np.array([6.0]), np.array([0.3]), np.array([0.4]))
    other = Estimate(np.array([2.0]), np.array([0.1]), np.array([0.2]))
    ratio = one.over(other)
    assert ratio.value[0] == 3.0
    assert ratio.below[0] == pytest.approx(np.hypot(0.3, 0.2))
    assert ratio.above[0] == pytest.approx(np.hypot(0.4, 0.1))
    assert np.isnan(one.over(Estimate(np.zeros(1), np.zeros(1), np.zeros(1))).value[0])


@given(st.floats(1e-3, 1e3), st.floats(0, 1), st.floats(0, 3))
def test_a_prediction_keeps_its_ends(value, below, above):
    ends = (value, value * np.exp(-below), value * np.exp(above))
    found = from_prediction(Prediction(*(np.array([[end]]) for end in ends)))
    assert (found.value[0], found.lower[0], found.upper[0]) == pytest.approx(ends)


def test_a_common_error_widens_both_sides():
    found = Estimate(np.array([2.0]), np.array([0.3]), np.array([0.0])).widened(0.4)
    assert (found.below[0], found.above[0]) == pytest.approx((0.5, 0.4))


def test_a_lower_end_of_zero_stays_zero():
    found = from_prediction(Prediction(np.array([[2.0, 0.0]]), np.zeros((1, 2)), np.array([[3.0, 0.0]])))
    assert found.lower.tolist() == [0.0, 0.0] and found.upper == pytest.approx([3.0, 0.0])


def test_scores_are_of_the_side_that_a_bound_lies_on():
    found = Estimate(np.array([10.0]), np.array([0.1]), np.array([0.4]))
    assert found.score_at_most(found.upper) == pytest.approx([1.645])
    assert found.score_at_most(found.lower) == pytest.approx([-1.645])
    assert found.score_at_least(found.lower) == pytest.approx([1.645])
    assert found.score_at_least(found.upper) == pytest.approx([-1.645])
    exact = Estimate(np.array([10.0]), np.zeros(1), np.zeros(1))
    assert exact.score_at_most(10.0)[0] == np.inf == exact.score_at_least(10.0)[0]
    assert exact.score_at_most(9.9)[0] == -np.inf
    assert np.isnan(Estimate(np.array([10.0]), np.full(1, np.nan), np.zeros(1)).score_at_most(9.0)[0])
