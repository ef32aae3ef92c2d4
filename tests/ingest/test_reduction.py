import numpy as np
import pytest

from ingest.profile import MetricKind
from ingest.reduction import reduce_profile
from ingest.region_class import RegionClass
from tests.profiles import make_profile

MAIN, SOLVE, SEND = ("main",), ("main", "solve"), ("main", "solve", "MPI_Send")


def test_time_is_summed_over_cpu_locations_only():
    profile = make_profile(
        {"time": {MAIN: [1.0, 2.0, 50.0], SOLVE: [3.0, 5.0, 60.0]}}, cpu=[True, True, False]
    )
    time = reduce_profile(profile, ["time"]).values["time"]
    assert time.sum.tolist() == [3.0, 8.0]
    assert time.mean.tolist() == [1.5, 4.0]
    assert time.min.tolist() == [1.0, 3.0]
    assert time.max.tolist() == [2.0, 5.0]


def test_inclusive_metrics_become_exclusive():
    profile = make_profile(
        {"time": {MAIN: [10.0], SOLVE: [7.0], SEND: [2.0]}}, kinds={"time": MetricKind.INCLUSIVE}
    )
    assert reduce_profile(profile, ["time"]).values["time"].sum.tolist() == [3.0, 5.0, 2.0]


def test_minima_and_maxima_are_never_summed():
    profile = make_profile(
        {"time": {MAIN: [1.0]}, "min_time": {MAIN: [1.0]}}, kinds={"min_time": MetricKind.MINIMUM}
    )
    assert list(reduce_profile(profile, ["time", "min_time"]).values) == ["time"]


def test_metrics_the_profile_has_not_are_left_out():
    profile = make_profile({"time": {MAIN: [1.0]}})
    assert list(reduce_profile(profile, ["time", "visits"]).values) == ["time"]


def test_siblings_with_the_same_callee_are_summed_with_their_subtrees():
    first, second = ("main", "a"), ("main", "b")
    profile = make_profile(
        {
            "time": {
                MAIN: [0.0, 0.0],
                first: [1.0, 10.0],
                (*first, "x"): [5.0, 5.0],
                second: [3.0, 4.0],
                (*second, "x"): [7.0, 7.0],
            }
        }
    )
    names = tuple("a" if name == "b" else name for name in profile.regions.name)
    object.__setattr__(profile.regions, "name", names)
    reduced = reduce_profile(profile, ["time"])
    assert reduced.tree.paths(names) == [MAIN, first, (*first, "x")]
    time = reduced.values["time"]
    assert time.sum.tolist() == [0.0, 18.0, 24.0]
    assert time.max.tolist() == [0.0, 14.0, 12.0]


def test_time_per_class_and_location():
    reduced = reduce_profile(
        make_profile({"time": {MAIN: [1.0, 2.0], SOLVE: [3.0, 4.0], SEND: [0.5, 0.25]}}), ["time"]
    )
    assert reduced.classes == (RegionClass.COMPUTATION, RegionClass.POINT_TO_POINT)
    assert reduced.class_time.tolist() == [[4.0, 6.0], [0.5, 0.25]]


@pytest.mark.parametrize("locations", [1, 3])
def test_a_profile_without_cpu_locations_has_no_effort(locations):
    profile = make_profile({"time": {MAIN: [1.0] * locations}}, cpu=[False] * locations)
    time = reduce_profile(profile, ["time"]).values["time"]
    assert np.array_equal(time.sum, [0.0]) and np.array_equal(time.max, [0.0])
