"""Call paths made on demand: the same as in full, and folded where they are written."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.calltree import MOST_NAMES, CallPaths, CallTree, folded, last_names

NAMES = ("main", "solve", "a->b", "f")


@st.composite
def trees(draw: st.DrawFn) -> CallTree:
    """Trees in preorder: every node is called by the one before it or by one of its callers."""
    parent = [-1]
    for node in range(1, draw(st.integers(1, 30))):
        callers, above = [-1], node - 1
        while above >= 0:
            callers.append(above)
            above = parent[above]
        parent.append(draw(st.sampled_from(callers)))
    region = draw(st.lists(st.integers(0, len(NAMES) - 1), min_size=len(parent), max_size=len(parent)))
    return CallTree(np.array(parent), np.array(region))


def chain(length: int) -> CallPaths:
    return CallPaths.of(CallTree(np.arange(length) - 1, np.arange(length) % len(NAMES)), NAMES)


@given(trees(), st.data())
def test_they_are_those_of_the_tree(tree: CallTree, data: st.DataObject) -> None:
    full, paths = tree.paths(NAMES), CallPaths.of(tree, NAMES)
    assert paths == full == list(paths)
    assert [paths[i] for i in range(len(paths))] == full
    assert last_names(paths) == [path[-1] for path in full] == last_names(full)
    assert list(folded(paths)) == full == folded(full)
    some = np.array(data.draw(st.lists(st.booleans(), min_size=len(full), max_size=len(full))))
    taken = [path for path, wanted in zip(full, some, strict=True) if wanted]
    assert paths.take(some) == taken
    assert last_names(paths.take(some)) == [path[-1] for path in taken]
    assert all(full.index(path) == paths.index(path) for path in full)


def test_others_are_not_equal() -> None:
    paths = chain(3)
    assert paths != [("main",), ("main", "solve")]
    assert paths != [("main",), ("main", "solve"), ("main", "solve", "f")]
    assert paths != 3
    assert paths == chain(3)
    assert ("main", "f") not in paths
    with pytest.raises(ValueError, match="no call path"):
        paths.index(("main", "f"))


def test_a_slice_keeps_their_order() -> None:
    assert chain(4)[1:3] == [("main", "solve"), ("main", "solve", "a->b")]
    assert chain(4)[-1] == NAMES


def test_up_to_the_limit_they_are_written_in_full() -> None:
    paths = chain(MOST_NAMES + 2)
    written = folded(paths)
    assert written[MOST_NAMES - 1] == paths[MOST_NAMES - 1]
    assert [len(path) for path in written[MOST_NAMES - 1 :]] == [MOST_NAMES] * 3
    for node, hidden in ((MOST_NAMES, 2), (MOST_NAMES + 1, 3)):
        path, middle = written[node], f"<{hidden} names left out, call path #{node + 1}>"
        place = path.index(middle)
        assert path[:place] == paths[node][:place]
        assert path[place + 1 :] == paths[node][place + hidden :]
        assert place + hidden + len(path[place + 1 :]) == len(paths[node])


def test_folded_call_paths_can_be_distinguished() -> None:
    """Two chains that differ in a middle name only."""
    length = 2 * MOST_NAMES
    region = np.zeros(2 * length, dtype=np.int64)
    region[length // 2] = 1
    parent = np.arange(2 * length) - 1
    parent[length] = -1
    paths = folded(CallPaths.of(CallTree(parent, region), NAMES))
    assert len(set(paths)) == len(paths) - length // 2  # the same down to that name
