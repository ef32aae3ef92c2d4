"""Callees are added to their callers or taken off one after the other, however many there are."""

import numpy as np
import pytest

from ingest.calltree import add_callees, callee_rounds, subtract_callees


@pytest.mark.parametrize("callees", [0, 1, 63, 64, 65, 200])
def test_the_result_is_that_of_a_loop_to_the_last_bit(callees):
    random = np.random.default_rng(callees)
    caller = np.concatenate([[-1, -1], random.integers(0, 2, callees)])
    values = random.random((len(caller), 3))
    expected = values.copy()
    for callee, above in enumerate(caller):
        if above >= 0:
            expected[above] -= values[callee]
    own = values.copy()
    subtract_callees(values, callee_rounds(caller), own)
    np.testing.assert_array_equal(own, expected)
    expected[:] = 0.0
    np.add.at(expected, caller[2:], values[2:])
    own[:] = 0.0
    add_callees(values, callee_rounds(caller), own)
    np.testing.assert_array_equal(own, expected)


def test_no_caller_occurs_twice_in_a_turn():
    turns = callee_rounds(np.array([-1, 0, 0, 1, 0, 1]))
    assert [callee.tolist() for callee, _ in turns] == [[1, 3], [2, 5], [4]]
    assert [caller.tolist() for _, caller in turns] == [[0, 1], [0, 1], [0]]
