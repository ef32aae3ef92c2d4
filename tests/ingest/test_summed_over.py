"""What single locations of a sum took: they add up to it, whatever is known of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.summed_over import SummedOver

SECONDS = st.floats(0, 1e6)


def test_each_location_stands_for_as_many_of_its_process():
    summed = SummedOver(count=2)
    assert summed.processes(np.array([7, 7, 9])).tolist() == [0, 0, 1, 2, 2, 3]
    assert summed.spread(np.array([[2.0, 4.0, 6.0]])).tolist() == [[1, 2, 3, 1, 2, 3]]
    assert SummedOver().processes(np.array([7])).tolist() == [7]


@given(st.lists(SECONDS, min_size=1, max_size=4), st.integers(2, 9), st.floats(0.5, 20))
def test_single_times_add_up_to_the_sum_with_the_stated_longest(of_class, count, factor):
    times = np.array(of_class)[:, None]
    mean = times.sum() / count
    longest = min(factor, count) * mean
    single = SummedOver(count=count, longest=longest).spread(times)
    assert single.shape == (len(of_class), count)
    assert single.sum(axis=1) == pytest.approx(times[:, 0], rel=1e-6, abs=1e-6)
    assert single.sum(axis=0).max() == pytest.approx(max(longest, mean), rel=1e-6, abs=1e-6)
