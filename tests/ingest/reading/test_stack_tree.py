"""Call trees of many stacks at once are those that stacks make one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ingest.readers.pprof import StackTree
from ingest.reading.stacks import TIME_METRIC, Stacks

STACKS = st.lists(
    st.tuples(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.integers(-5, 9)),
    min_size=1,
    max_size=40,
)


@given(STACKS, st.integers(1, 7))
def test_the_tree_and_its_values_are_those_of_stacks_one_by_one(stacks, block):
    tree = StackTree(regions=4, metrics=2)
    single = Stacks()
    for first in range(0, len(stacks), block):
        frames, values = zip(*stacks[first : first + block], strict=True)
        tree.add(
            np.array([frame for stack in frames for frame in reversed(stack)]),
            np.array(list(map(len, frames))),
            np.array([(value, 1.0) for value in values], dtype=np.float64),
        )
    for stack, value in stacks:
        single.of(TIME_METRIC)[single.location(0, 0), single.callpaths.add(list(map(str, stack)))] += value
    profile = single.built("here").profile("test", "")
    built, values = tree.build()
    names = [str(region) for region in range(4)]
    assert built.paths(names) == profile.tree.paths(profile.regions.name)
    assert values[:, 0].tolist() == profile.values("time")[:, 0].tolist()
    assert values[:, 1].sum() == tree.stacks == len(stacks)
