"""Ranges of locations in place of single ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.models.kernel_locations import KernelLocations, PointLocations, fold_point, folded


def point_of(threads, nodes=None, values=None):
    """A point with so many threads of each process, which are on the given nodes."""
    process = np.repeat(np.arange(len(threads)), threads)
    thread = np.concatenate([np.arange(count) for count in threads])
    node = tuple("" if nodes is None else nodes[p] for p in process.tolist())
    mean = np.array([range(len(process))] if values is None else values, dtype=np.float32)
    return PointLocations(
        point=0,
        node=node,
        process=process,
        thread=thread,
        last_process=process,
        last_thread=thread,
        count=np.ones(len(process), dtype=np.int64),
        mean=mean,
        low=mean,
        high=mean,
    )


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(data=st.data(), most=st.integers(1, 12), twice=st.booleans())
def test_ranges_keep_sums_and_extremes(data, most, twice):
    threads = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=20))
    nodes = [f"n{i * data.draw(st.integers(1, 4)) // 4}" for i in range(len(threads))]
    values = data.draw(st.lists(st.integers(0, 100), min_size=sum(threads), max_size=sum(threads)))
    whole = point_of(threads, nodes, [values])
    found = fold_point(fold_point(whole, 2 * most) if twice else whole, most)
    assert len(found) <= most or len(found) == len(whole) <= most
    assert found.count.sum() == len(values)
    assert float((found.count * found.mean).sum()) == pytest.approx(sum(values), rel=1e-5)
    assert (found.low.min(), found.high.max()) == (min(values), max(values))
    starts = np.cumsum(found.count) - found.count
    for first, count, node, low, high, p, t, last_p, last_t in zip(
        *(starts.tolist(), found.count.tolist(), found.node, found.low[0], found.high[0]),
        *(found.process, found.thread, found.last_process, found.last_thread),
        strict=True,
    ):
        inside = slice(first, first + count)
        assert (low, high) == (min(values[inside]), max(values[inside]))
        assert (p, t) == (whole.process[first], whole.thread[first])
        assert (last_p, last_t) == (whole.process[first + count - 1], whole.thread[first + count - 1])
        assert node == "" or set(whole.node[inside]) == {node}


def test_threads_are_folded_first_then_processes_within_nodes():
    point = point_of([4] * 8, [f"n{p // 3}" for p in range(8)])
    assert fold_point(point, 32) is point
    assert fold_point(point, 16).count.tolist() == [2] * 16
    assert fold_point(point, 8).count.tolist() == [4] * 8
    by_node = fold_point(point, 6)  # three, three and two processes
    assert by_node.count.tolist() == [8, 4, 8, 4, 8]
    assert by_node.node == ("n0", "n0", "n1", "n1", "n2")
    assert fold_point(point, 2).node == ("", "")


def test_unknown_values_stay_unknown():
    point = point_of([1] * 4, values=[[1, 2, 3, 4], [np.nan] * 4])
    found = fold_point(point, 2)
    assert found.mean[0].tolist() == [1.5, 3.5]
    assert all(np.isnan(part[1]).all() for part in (found.mean, found.low, found.high))


def test_every_point_of_a_study_is_folded_by_itself():
    points = (point_of([1] * 2), point_of([1] * 8))
    whole = KernelLocations(
        metric="time", unit="s", region=("a",), callpath=np.array([0]), alone=np.array([True]), points=points
    )
    found = folded(whole, 4)
    assert found.points[0] is points[0]
    assert found.points[1].count.tolist() == [2] * 4 and found.points[1].folded
