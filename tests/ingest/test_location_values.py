"""The largest kernels of a run on each of its locations, found while the run is reduced."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ingest.reduction as module
from ingest.calltree import CallTree
from ingest.profile import CPU, LocationTable, ValuesInMemory
from ingest.reduction import IDLE, reduce_profile
from tests.profiles import make_profile

MAIN, SOLVE, SEND, OTHER = ("main",), ("main", "solve"), ("main", "solve", "MPI_Send"), ("main", "MPI_Send")


class InSmallBlocks(ValuesInMemory):
    """Values that come three call paths at a time, the last ones first."""

    def exclusive_blocks(self, metric, rows):
        values = self(metric)
        for first in range(len(values) - 1, -1, -3):
            nodes = np.arange(max(first - 2, 0), first + 1)
            yield nodes, values[nodes]


def by_kernel(found):
    names = zip(found.region, found.callpath.tolist(), strict=True)
    return dict(zip(names, found.values.tolist(), strict=True))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(data=st.data(), kept=st.integers(1, 40), many=st.sampled_from([1, 512]), held=st.integers(1, 200))
def test_kept_kernels_are_the_largest_and_add_up_to_their_sums(data, kept, many, held):
    count, locations = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 4))
    depths, last = [0], 0
    for _ in range(count - 1):
        last = data.draw(st.integers(0, last + 1))
        depths.append(last)
    open_nodes, parent = {}, []
    for node, depth in enumerate(depths):
        parent.append(open_nodes[depth - 1] if depth else -1)
        open_nodes[depth] = node
    region = data.draw(st.lists(st.integers(0, 5), min_size=count, max_size=count))
    numbers = st.lists(st.integers(0, 1000), min_size=locations, max_size=locations)
    values = np.array(data.draw(st.lists(numbers, min_size=count, max_size=count)), dtype=np.float64)
    names = ("a", "b", "c", "d", "a", "e")  # two regions of one name: siblings of them are merged
    template = make_profile({"time": {(name,): [0.0] * locations for name in "abcdxe"}})
    tree = CallTree(np.array(parent), np.array(region))
    profile = replace(
        template,
        tree=tree,
        regions=replace(template.regions, name=names),
        load=InSmallBlocks(tree, {"time": values}),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LOCATED_CALL_PATHS", kept)
        patch.setattr(module, "_MANY_LOCATIONS", many)
        patch.setattr(module, "_MOST_HELD", held)
        reduced = reduce_profile(profile, ["time"])
    found, sums = reduced.largest["time"], reduced.values["time"].sum
    of_region = [reduced.regions.name[r] for r in reduced.tree.region.tolist()]
    regions = {name: sums[[other == name for other in of_region]].sum() for name in set(of_region)}
    several = {name for name in regions if of_region.count(name) > 1}
    for name, callpath, shared, row in zip(
        found.region, found.callpath.tolist(), found.shared.tolist(), found.values, strict=True
    ):
        assert shared == (name in several)
        assert callpath < 0 or of_region[callpath] == name
        assert row.sum() == pytest.approx(sums[callpath] if callpath >= 0 else regions[name])
    callpaths = found.callpath[found.callpath >= 0]
    assert sorted(sums[callpaths]) == sorted(sums[sums > 0])[-kept:]
    shared = [regions[n] for n, c in zip(found.region, found.callpath.tolist(), strict=True) if c < 0]
    assert sorted(shared) == sorted(regions[name] for name in several if regions[name] > 0)[-kept:]


def test_each_location_has_its_value():
    profile = make_profile(
        {"time": {MAIN: [1.0, 2.0], SOLVE: [5.0, 3.0], SEND: [0.5, 4.0], OTHER: [1.0, 0.0]}}
    )
    assert by_kernel(reduce_profile(profile, ["time"]).largest["time"]) == {
        ("main", 0): [1.0, 2.0],
        ("solve", 1): [5.0, 3.0],
        ("MPI_Send", 2): [0.5, 4.0],
        ("MPI_Send", 3): [1.0, 0.0],
        ("MPI_Send", -1): [1.5, 4.0],
    }


@pytest.mark.parametrize("held", [4, 100])
def test_kernels_that_come_late_may_be_among_the_largest(monkeypatch, held):
    monkeypatch.setattr(module, "LOCATED_CALL_PATHS", 2)
    monkeypatch.setattr(module, "_MOST_HELD", held)
    time = {("main", str(i)): [float(v)] for i, v in enumerate((1, 7.5, 1, 1, 1, 1, 5, 1, 7, 8))}
    profile = make_profile({"time": {MAIN: [0.0], **time}})
    blocks = InSmallBlocks(profile.tree, profile.load.values)
    found = reduce_profile(replace(profile, load=blocks), ["time"]).largest["time"]
    assert sorted(found.values.ravel().tolist()) == [7.5, 8.0]


def test_only_the_metric_asked_for_is_kept():
    profile = make_profile({"time": {MAIN: [1.0, 2.0]}, "visits": {MAIN: [3.0, 4.0]}})
    assert list(reduce_profile(profile, ["time", "visits"]).largest) == ["time"]
    found = reduce_profile(profile, ["time", "visits"], "visits").largest
    assert list(found) == ["visits"] and found["visits"].values.tolist() == [[3.0, 4.0]]
    assert reduce_profile(profile, ["time"], "visits").largest == {}


def test_timers_that_overlap_others_are_not_kept():
    profile = make_profile(
        {
            "time": {
                MAIN: [1.0],
                ("main", "x"): [9.0],
                ("main", "x", "solve"): [9.0],
                SOLVE: [2.0],
                (*SOLVE, "solve"): [4.0],
            }
        },
        paradigm={"x": "overlapping"},
    )
    assert by_kernel(reduce_profile(profile, ["time"]).largest["time"]) == {
        ("main", 0): [1.0],
        ("solve", 1): [2.0],
        ("solve", 2): [4.0],
        ("solve", -1): [6.0],
    }


def test_accelerators_are_locations_of_their_own():
    profile = make_profile(
        {"time": {MAIN: [4.0, 5.0, 0.0, 0.0, 0.0], ("main", "axpy"): [0.0, 0.0, 1.0, 2.0, 1.5]}},
        device=[CPU, CPU, 7, 7, 3],
        process=[0, 1, 0, 0, 1],
    )
    profile = replace(profile, locations=replace(profile.locations, node=("n0", "n1", "n0", "n0", "n1")))
    found = reduce_profile(profile, ["time"]).largest
    assert by_kernel(found["time"]) == {("main", 0): [4.0, 5.0]}
    assert by_kernel(found["gpu_time"]) == {("axpy", 1): [1.5, 3.0], (IDLE, 2): [3.5, 2.0]}
    table = found["gpu_time"].locations
    assert (table.process.tolist(), table.thread.tolist()) == ([1, 0], [0, 0])
    assert (table.device.tolist(), table.node) == ([3, 7], ("n1", "n0"))


def test_regions_are_left_out_with_a_notice_if_they_have_too_many_values(monkeypatch):
    monkeypatch.setattr(module, "MOST_SUMS", 1)
    profile = make_profile(
        {"time": {MAIN: [1.0, 2.0], SEND[:2]: [0.0, 0.0], SEND: [1.0, 4.0], OTHER: [1.0, 0.0]}}
    )
    reduced = reduce_profile(profile, ["time"])
    assert set(by_kernel(reduced.largest["time"])) == {("main", 0), ("MPI_Send", 2), ("MPI_Send", 3)}
    assert reduced.notices[0].endswith("so their values per location are not kept")


def test_a_table_of_some_locations_has_their_nodes():
    table = LocationTable.of_threads(np.arange(3), np.zeros(3, dtype=np.int64))
    assert table.take(np.array([2, 0])).process.tolist() == [2, 0]
    assert table.take(np.array([2])).node == ()
    assert replace(table, node=("a", "b", "c")).take(np.array([2, 0])).node == ("c", "a")
