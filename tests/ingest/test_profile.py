"""Values of a profile: inclusive and exclusive, whole and in blocks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import profile as module
from ingest.errors import InputError
from ingest.profile import LARGEST, MetricKind, RegionTable, SummedOver, require_summable
from tests.profiles import make_profile

MAIN, SOLVE, DEEP = ("main",), ("main", "solve"), ("main", "solve", "dot")
STORED = {MAIN: [10.0, 20.0], SOLVE: [7.0, 8.0], DEEP: [2.0, 1.0]}
OWN, ALL = [[3.0, 12.0], [5.0, 7.0], [2.0, 1.0]], [[19.0, 29.0], [9.0, 9.0], [2.0, 1.0]]


def profile_of(kind):
    return make_profile({"time": STORED}, kinds={"time": kind})


@pytest.mark.parametrize(
    ("kind", "exclusive", "inclusive"),
    [
        (MetricKind.EXCLUSIVE, list(STORED.values()), ALL),
        (MetricKind.INCLUSIVE, OWN, list(STORED.values())),
        (MetricKind.SIMPLE, list(STORED.values()), list(STORED.values())),
        (MetricKind.MINIMUM, list(STORED.values()), list(STORED.values())),
        (MetricKind.MAXIMUM, list(STORED.values()), list(STORED.values())),
    ],
)
def test_values_of_every_kind(kind, exclusive, inclusive):
    profile = profile_of(kind)
    assert profile.values("time").tolist() == exclusive
    assert profile.values("time", inclusive=True).tolist() == inclusive
    assert kind.additive == (kind in (MetricKind.EXCLUSIVE, MetricKind.INCLUSIVE))


@pytest.mark.parametrize("kind", [MetricKind.EXCLUSIVE, MetricKind.INCLUSIVE])
def test_blocks_are_the_exclusive_values_of_the_locations_wanted(kind):
    profile = profile_of(kind)
    for wanted in ([True, True], [False, True]):
        found = np.full((3, sum(wanted)), np.nan)
        for nodes, values in profile.exclusive_blocks("time", np.array(wanted)):
            found[nodes] = values
        assert found.tolist() == profile.values("time")[:, wanted].tolist()


@pytest.mark.parametrize(("most", "rows"), [(8, 4), (7, 3), (1, 1)])
def test_blocks_are_asked_for_by_the_number_of_values_they_hold(monkeypatch, most, rows):
    profile = profile_of(MetricKind.EXCLUSIVE)
    asked = []

    class Loader:
        def exclusive_blocks(self, metric, rows):
            asked.append((metric.name, rows))
            return iter(())

    object.__setattr__(profile, "load", Loader())
    monkeypatch.setattr(module, "_VALUES_PER_BLOCK", most)
    assert list(profile.exclusive_blocks("time", np.array([True, True]))) == []
    assert asked == [("time", rows)]


def test_a_metric_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(InputError, match=r"made\.cubex: no metric 'visits'; metrics here: time"):
        profile_of(MetricKind.EXCLUSIVE).values("visits")
    with pytest.raises(InputError, match="metrics here: none"):
        replace(profile_of(MetricKind.EXCLUSIVE), metrics=()).values("visits")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, LARGEST, -LARGEST])
def test_values_that_would_spoil_a_sum_are_refused(bad):
    with pytest.raises(InputError, match="a value of x is not finite, or too large"):
        require_summable(np.array([1.0, bad]), "x", "file")
    require_summable(np.array([0.99 * LARGEST, -0.99 * LARGEST]), "x", "file")
    require_summable(np.zeros(0), "x", "file")


def test_sources_are_files_with_lines_where_they_are_known():
    places = [("a.cpp", 73), ("b.c", -1), ("", -1), ("MPI", -1)]
    table = RegionTable.named(("f", "g", "h", "MPI_Send"), ("compiler", "", "user", "mpi"), places)
    assert table.source == {"f": "a.cpp:73", "g": "b.c"}


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
