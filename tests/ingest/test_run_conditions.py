"""Conditions that choose runs."""

import numpy as np
import pytest

from ingest.errors import UsageError
from ingest.run_conditions import OPERATORS, read_condition
from tests.pipeline.questions.runtime.programs import experiment

STUDY = experiment([(p,) for p in (1, 2, 4, 8)], lambda at: {"solve": 8 / at[0]}, repetitions=3)


@pytest.mark.parametrize("text", ["p > 624", "p>624", "  p >624 ", "p > 6.24e2"])
def test_spaces_and_the_form_of_numbers_do_not_matter(text):
    found = read_condition(text)
    assert (found.name, found.operator, found.value, found.text) == ("p", ">", 624.0, text.strip())


def test_names_may_have_spaces():
    assert read_condition("mesh size >= 3").name == "mesh size"


@pytest.mark.parametrize("text", ["", "p", "p >", "> 3", "p = 3", "p > x", "p > 3 > 2", "p => 3", "p > 3 4"])
def test_everything_else_is_refused_with_an_example(text):
    with pytest.raises(UsageError, match=r"is no condition on runs.*write 'p > 624'"):
        read_condition(text)


@pytest.mark.parametrize(
    ("operator", "points"),
    [("==", [2]), ("!=", [0, 1, 3]), (">=", [2, 3]), ("<=", [0, 1, 2]), (">", [3]), ("<", [0, 1])],
)
def test_points_are_chosen_by_their_parameters(operator, points):
    chosen = read_condition(f"p {operator} 4").of(STUDY, "--hold-out")
    assert (
        np.flatnonzero(chosen.all(axis=1)).tolist() == np.flatnonzero(chosen.any(axis=1)).tolist() == points
    )
    assert operator in OPERATORS


def test_repetitions_count_from_one():
    chosen = read_condition("repetition == 3").of(STUDY, "--hold-out")
    assert chosen[:, 2].all() and not chosen[:, :2].any()


def test_an_unknown_parameter_is_refused_with_those_there_are():
    with pytest.raises(UsageError, match=r"--hold-out: no parameter 'n'; choose one of p, repetition"):
        read_condition("n > 3").of(STUDY, "--hold-out")
