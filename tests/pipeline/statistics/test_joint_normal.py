"""The joint probability of two normal variables, against draws and special cases."""

import numpy as np
import pytest
from scipy.special import ndtr

from pipeline.questions.choice import both_below


def one(first, second, correlation):
    return float(both_below(*(np.array([value], dtype=float) for value in (first, second, correlation)))[0])


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.7, 0.95])
@pytest.mark.parametrize(("first", "second"), [(0.0, 0.0), (1.3, 0.4), (-0.5, 1.5)])
def test_it_is_the_share_of_draws(first, second, correlation):
    draws = np.random.default_rng(3).multivariate_normal(
        [0, 0], [[1, correlation], [correlation, 1]], 400_000
    )
    share = ((draws[:, 0] < first) & (draws[:, 1] < second)).mean()
    assert one(first, second, correlation) == pytest.approx(share, abs=3e-3)


def test_unrelated_ones_are_multiplied_and_equal_ones_are_one():
    assert one(0.5, 1.0, 0.0) == pytest.approx(ndtr(0.5) * ndtr(1.0))
    assert one(0.5, 1.0, 1.0) == pytest.approx(ndtr(0.5), abs=2e-3)
    assert one(1.0, 0.5, 1.0) == pytest.approx(ndtr(0.5), abs=2e-3)


def test_bounds_may_be_infinitely_far_away_or_unknown():
    assert one(np.inf, 0.3, 0.6) == pytest.approx(ndtr(0.3), abs=1e-3)
    assert one(0.3, np.inf, 0.6) == pytest.approx(ndtr(0.3))
    assert one(-np.inf, 0.3, 0.6) == 0.0
    assert np.isnan(one(np.nan, 0.3, 0.6)) and np.isnan(one(0.3, np.nan, 0.6))
