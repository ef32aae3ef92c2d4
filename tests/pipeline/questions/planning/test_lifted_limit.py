"""Which limit of a campaign to lift when nothing that it allows helps."""

import numpy as np
import pytest

from pipeline.questions.planning.plan import answer, relative_width
from pipeline.questions.planning.rounds import End, limit_to_lift, next_round
from tests.pipeline.questions.planning.test_rounds import FIVE, SCALES, progress, question, study

STUDY = study(repetitions=5)
WIDTH = relative_width(answer(STUDY, question()))


def price(points):
    """Ten core-seconds a run up to 16 processes, in proportion to them beyond."""
    return 10.0 * np.maximum(points[:, 0] / 16, 1)


def lifted(known, width):
    return limit_to_lift(known, question(width), STUDY, price)


@pytest.mark.slow
def test_a_scale_beyond_those_allowed_with_its_price_and_gain():
    known = progress([5] * 5, FIVE)
    assert next_round(known, question(0.01), STUDY).end is End.NOTHING_HELPS
    found = lifted(known, 0.01)
    assert (found.limit, found.point, found.runs, found.cost) == ("scales", {"p": 256.0}, 2, 320.0)
    assert 0.01 < found.width < 0.5 * WIDTH


@pytest.mark.slow
def test_the_cheapest_scale_that_is_enough_is_preferred_to_the_narrowest():
    most = lifted(progress([5] * 5, FIVE), 0.01)
    found = lifted(progress([5] * 5, FIVE), 0.8 * WIDTH)
    assert found.limit == "scales" and found.point["p"] < 256.0
    assert found.cost == 2 * price(np.array([[found.point["p"]]]))[0] < most.cost
    assert most.width < found.width <= 0.8 * WIDTH


@pytest.mark.slow
def test_a_scale_that_is_allowed_but_not_affordable_needs_a_larger_budget():
    known = progress([5] * 5, SCALES, cost=np.array([10.0] * 5 + [20.0, 40.0]), budget=15.0)
    found = lifted(known, 0.8 * WIDTH)
    assert (found.limit, found.point, found.runs, found.cost) == ("budget", {"p": 32.0}, 1, 20.0)


def test_within_the_range_only_a_wider_interval_is_left():
    known = progress([5] * 5, FIVE)
    inside = question(1e-4)
    inside = type(inside)(at=np.array([16.0]), quantity="efficiency", width=inside.width)
    found = limit_to_lift(known, inside, STUDY, price)
    assert (found.limit, found.runs, found.point) == ("width", 0, {})
    assert found.width == relative_width(answer(STUDY, inside))
