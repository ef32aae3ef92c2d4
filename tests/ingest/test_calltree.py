import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.calltree import CallTree, add_callees, callee_rounds, subtract_callees


@st.composite
def trees(draw):
    size = draw(st.integers(1, 30))
    parent, stack = [-1], [0]
    for node in range(1, size):
        depth = draw(st.integers(0, len(stack)))
        del stack[depth:]
        parent.append(stack[-1] if stack else -1)
        stack.append(node)
    return CallTree(np.array(parent), np.zeros(size, dtype=np.int64))


def brute_force_inclusive(tree, values):
    total = values.copy()
    for node in range(len(tree) - 1, -1, -1):
        if tree.parent[node] >= 0:
            total[tree.parent[node]] += total[node]
    return total


@given(trees(), st.integers(0, 2**32 - 1))
def test_inclusive_sums_subtrees_and_exclusive_undoes_it(tree, seed):
    values = np.random.default_rng(seed).integers(0, 1000, (len(tree), 2)).astype(float)
    inclusive = tree.inclusive(values)
    assert np.array_equal(inclusive, brute_force_inclusive(tree, values))
    assert np.array_equal(tree.exclusive(inclusive), values)


@given(trees())
def test_extents_and_depths(tree):
    for node in range(len(tree)):
        path = tree.path(node)
        assert tree.depth[node] == len(path) - 1
        inside = [other for other in range(len(tree)) if node in tree.path(other)]
        assert inside == list(range(node, tree.end[node]))


def test_short_call_paths_keep_their_digits_in_long_programs():
    tree = CallTree(np.array([-1, 0, 0, 2]), np.arange(4))
    values = np.array([[1e9], [1e9], [1e-7], [1e-7]])
    assert tree.inclusive(values)[2, 0] == 2e-7


def test_a_chain_of_five_thousand_calls_needs_no_recursion():
    tree = CallTree(np.arange(-1, 4999), np.zeros(5000, dtype=np.int64))
    assert tree.inclusive(np.ones((5000, 1)))[0, 0] == 5000
    assert tree.depth[-1] == 4999


@pytest.mark.parametrize("locations", [3, 300])
@pytest.mark.parametrize("callees", [0, 1, 63, 64, 65, 200])
def test_the_result_is_that_of_a_loop_to_the_last_bit(callees, locations):
    random = np.random.default_rng(callees)
    caller = np.concatenate([[-1, -1], random.integers(0, 2, callees)])
    values = random.random((len(caller), locations))
    expected = values.copy()
    for callee, above in enumerate(caller):
        if above >= 0:
            expected[above] -= values[callee]
    own = values.copy()
    subtract_callees(values, caller, own)
    np.testing.assert_array_equal(own, expected)
    expected[:] = 0.0
    np.add.at(expected, caller[2:], values[2:])
    own[:] = 0.0
    add_callees(values, caller, own)
    np.testing.assert_array_equal(own, expected)


def test_no_caller_occurs_twice_in_a_turn():
    turns = callee_rounds(np.array([-1, 0, 0, 1, 0, 1]))
    assert [callee.tolist() for callee, _ in turns] == [[1, 3], [2, 5], [4]]
    assert [caller.tolist() for _, caller in turns] == [[0, 1], [0, 1], [0]]


def test_a_part_of_a_tree_keeps_its_callers():
    tree = CallTree(np.array([-1, 0, 1, 0, -1]), np.array([0, 1, 2, 3, 4]))
    part = tree.take(np.array([True, False, False, True, True]))
    assert part.parent.tolist() == [-1, 0, -1]
    assert part.region.tolist() == [0, 3, 4]
