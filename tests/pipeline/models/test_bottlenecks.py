import numpy as np
import pytest

from pipeline.models.bottlenecks import crossovers, flags, ranking, shares


def test_shares_sum_to_one_and_take_nan_as_nothing():
    values = np.array([[1.0, 0.0], [3.0, 0.0], [np.nan, 0.0]])
    assert shares(values).tolist() == [[0.25, 0.0], [0.75, 0.0], [0.0, 0.0]]


def test_ranking_puts_the_largest_at_the_target_first():
    assert ranking(np.array([1.0, 5.0, 1.0]), np.array([0.0, 1.0, 2.0])).tolist() == [1, 2, 0]


def test_a_growing_kernel_overtakes_a_constant_one():
    (found,) = crossovers(lambda p: np.array([np.full(len(p), 100.0), p]), 1.0, 64.0, 1000.0)
    assert (found.overtakes, found.overtaken) == (1, 0)
    assert found.at == pytest.approx(100.0, rel=1e-3)
    assert not found.measured


def test_kernels_that_never_lead_are_not_overtaken():
    found = crossovers(lambda p: np.array([p * 0 + 100.0, p * 0 + 1.0, p / 50]), 1.0, 64.0, 1000.0)
    assert found == ()


def test_crossings_of_next_to_nothing_are_nobodys_concern():
    found = crossovers(lambda p: np.array([p * 0 + 100.0, p**2 / 1000, p / 1000]), 0.5, 64.0, 1000.0)
    assert [(c.overtakes, c.overtaken) for c in found] == [(1, 0)]


@pytest.mark.parametrize(("first", "last", "horizon"), [(0.0, 8.0, 32.0), (4.0, 4.0, 4.0)])
def test_a_range_without_extent_has_no_crossovers(first, last, horizon):
    assert crossovers(lambda p: np.ones((2, len(p))), first, last, horizon) == ()


def test_flags():
    found = flags(
        np.array([0.99, 0.2, 0.99]),
        np.array([4.0, 1.0, 4.0]),
        np.array([0.3, 0.7, 0.0]),
        np.array([0.8, 0.2, 0.001]),
    )
    assert found == [
        ["growing", "coming_bottleneck", "dominant_at_target"],
        ["dominant_measured"],
        ["growing"],
    ]
