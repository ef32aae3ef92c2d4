"""Figures and remarks about models, by hand."""

import numpy as np
import pytest

from pipeline.models.observations import observe
from pipeline.models.quality import Note, correlation_of_errors, note_texts, notes, smape


def test_smape_is_the_mean_over_measured_points_from_0_to_200():
    predicted = np.array([[1.0, 3.0, 7.0], [0.0, 5.0, 0.0], [1.0, 1.0, 1.0]])
    mean = np.array([[1.0, 1.0, 0.0], [0.0, -5.0, 0.0], [0.0, 0.0, 0.0]])
    measured = np.array([[True, True, False], [True, True, True], [False] * 3])
    expected = [200 * (0 + 2 / 4) / 2, 200 * 10 / 10 / 3, 0.0]
    assert smape(predicted, mean, measured) == pytest.approx(expected)


def test_correlation_lies_between_independent_errors_and_equal_ones():
    error = np.array([[1.0, -2.0, 3.0], [0.5, 1.0, 100.0]])
    measured = np.array([[True, True, True], [True, True, False]])
    misfit = np.array([0.5, 0.25])
    squares = 1 + 4 + 9 + 0.25 + 1
    together = 1.5**2 + 3**2 + 3**2
    found = 1.5**2 + 1**2 + 3**2
    estimate = np.clip((found - squares) / (together - squares), 0, 1)
    prior = 3 * (6 * 0.5 + 1.5 * 0.25) / 7.5
    expected = (3 * estimate + prior) / (3 + prior)
    assert correlation_of_errors(error, measured, misfit) == pytest.approx(expected)
    assert correlation_of_errors(-error, measured, misfit) == pytest.approx(expected)


def test_a_single_kernel_or_no_error_correlates_with_itself():
    assert correlation_of_errors(np.ones((1, 4)), np.ones((1, 4), dtype=bool), np.zeros(1)) == 1.0
    assert correlation_of_errors(np.zeros((3, 4)), np.ones((3, 4), dtype=bool), np.zeros(3)) == 1.0
    against = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert correlation_of_errors(against, np.ones((2, 2), dtype=bool), np.zeros(2)) == 0.0


def test_remarks_follow_from_points_and_repetitions():
    values = np.full((5, 5, 2), 1.0)
    values[1, 4] = np.nan
    values[2, :, 1] = np.nan
    values[3] = np.nan
    values[4, 1:, 1] = np.nan
    found = notes(observe(np.arange(1.0, 6.0)[:, None], values))
    few, single, nothing = Note.FEW_POINTS, Note.SINGLE_REPETITION, Note.NOTHING_MEASURED
    assert found.tolist() == [0, few, single, few | nothing, 0]


def test_remarks_in_words():
    assert note_texts(0) == ()
    assert note_texts(Note.FEW_POINTS | Note.LAST_SEGMENT) == (
        "fewer than 5 points",
        "behaviour changes within the range: model of the last segment",
    )
    assert len(set(note_texts(255))) == 8
