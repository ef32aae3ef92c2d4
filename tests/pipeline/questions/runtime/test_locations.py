"""The number of locations at points that were not measured."""

import numpy as np
import pytest

from pipeline.questions.locations import location_rule
from tests.pipeline.questions.runtime.programs import experiment


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (lambda at: 6, [6, 6]),
        (lambda at: int(at[0]), [32, 7]),
        (lambda at: 48 * int(at[0]), [48 * 32, 48 * 7]),
        (lambda at: int(at[0] * at[1]), [32 * 8, 7 * 3]),
        (lambda at: int(at[1]), [8, 3]),
    ],
)
def test_they_follow_the_parameters_that_they_are_proportional_to(count, expected):
    points = [(p, t) for p in (2, 4, 8) for t in (1, 2, 4)]
    runs = experiment(points, lambda at: {"work": 1.0}, names=["p", "t"], locations=count, repetitions=1)
    factor, parameters = location_rule(runs)
    assert factor * np.array([[32.0, 8.0], [7.0, 3.0]])[:, parameters].prod(axis=1) == pytest.approx(expected)


def test_others_are_unknown():
    runs = experiment([(2,), (4,), (8,)], lambda at: {"work": 1.0}, locations=lambda at: int(at[0]) + 3)
    assert np.isnan(location_rule(runs)[0])
