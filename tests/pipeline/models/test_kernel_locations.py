"""The largest kernels of a study on each location, at every measured point."""

from dataclasses import replace

import numpy as np
import pytest

import pipeline.models.kernel_locations as module
from ingest.alignment import MeasuredRun, align
from ingest.profile import CPU, LocationTable
from ingest.reduction import Reduction, reduce_profile
from pipeline.models.kernel_locations import kernel_locations, study_locations
from tests.profiles import make_profile

MAIN, SOLVE, SEND, OTHER = ("main",), ("main", "solve"), ("main", "solve", "MPI_Send"), ("main", "MPI_Send")


def run(p, time, repetition=0, metric="time", locations=None, **options):
    profile = make_profile({metric: time}, source=f"p{p}.r{repetition}", **options)
    profile = profile if locations is None else replace(profile, locations=locations)
    return MeasuredRun((float(p),), repetition, reduce_profile(profile, [metric], metric))


def study(*runs):
    return align(("p",), runs)


def rows(found, point=0):
    names = zip(found.region, found.callpath.tolist(), strict=True)
    return dict(zip(names, found.points[point].mean.tolist(), strict=True))


TWO = {MAIN: [1.0, 3.0], SOLVE: [8.0, 4.0], SEND: [1.0, 2.0], OTHER: [0.5, 0.25]}


def test_call_paths_and_regions_have_their_values_on_each_location():
    found = kernel_locations(study(run(2, TWO)), "time")
    assert rows(found) == {
        ("main", 0): [1.0, 3.0],
        ("solve", 1): [8.0, 4.0],
        ("MPI_Send", 2): [1.0, 2.0],
        ("MPI_Send", 3): [0.5, 0.25],
        ("MPI_Send", -1): [1.5, 2.25],
    }
    assert found.region[0] == "solve"  # the largest first
    alone = dict(zip(found.callpath.tolist(), found.alone.tolist(), strict=True))
    assert alone == {1: True, 0: True, -1: False, 2: False, 3: False}
    assert (found.metric, found.unit, found.on_accelerators) == ("time", "sec", False)
    assert not found.points[0].folded and found.points[0].count.tolist() == [1, 1]


def test_the_largest_are_those_of_all_scales(monkeypatch):
    monkeypatch.setattr(module, "_LARGEST", 2)
    small = {MAIN: [9.0, 8.0], SOLVE: [5.0, 5.0], ("main", "x"): [1.0, 2.0]}
    large = {MAIN: [1.0] * 4, SOLVE: [2.0] * 4, ("main", "x"): [7.0, 8.0, 9.0, 7.0]}
    found = kernel_locations(study(run(2, small), run(4, large)), "time")
    assert found.region == ("x", "main")
    assert rows(found, 0)["x", 2] == [1.0, 2.0]
    assert [point.point for point in found.points] == [0, 1]


def test_a_call_path_that_a_run_did_not_visit_is_zero_there():
    found = kernel_locations(study(run(2, TWO), run(4, {MAIN: [1.0, 2.0, 3.0, 4.0]})), "time")
    assert rows(found, 1)["solve", 1] == [0.0] * 4


def test_a_kernel_that_no_run_of_a_point_kept_is_unknown_there(monkeypatch):
    monkeypatch.setattr("ingest.reduction.LOCATED_CALL_PATHS", 1)
    runs = (
        run(2, {MAIN: [9.0, 8.0], SOLVE: [1.0, 2.0]}),
        run(4, {MAIN: [1.0] * 4, SOLVE: [9.0, 8.0, 7.0, 6.0]}),
    )
    found = kernel_locations(study(*runs), "time")
    assert np.isnan(rows(found, 0)["solve", 1]).all()
    assert rows(found, 1)["solve", 1] == [9.0, 8.0, 7.0, 6.0]


def test_a_region_that_a_run_has_one_call_path_of_is_that_call_path():
    one = {MAIN: [1.0, 3.0], SOLVE: [8.0, 4.0], SEND: [1.0, 2.0]}
    found = kernel_locations(study(run(2, TWO), run(4, one)), "time")
    assert rows(found, 1)["MPI_Send", -1] == [1.0, 2.0]


def test_call_paths_are_those_of_the_study_whatever_their_place_in_a_run():
    found = kernel_locations(study(run(2, {MAIN: [1.0, 3.0], OTHER: [0.5, 0.25]}), run(4, TWO)), "time")
    assert found.region[found.callpath.tolist().index(1)] == "MPI_Send"
    assert rows(found, 0)["MPI_Send", 1] == rows(found, 1)["MPI_Send", 1] == [0.5, 0.25]
    assert rows(found, 1)["MPI_Send", 3] == [1.0, 2.0]
    assert rows(found, 1)["solve", 2] == [8.0, 4.0]


def test_a_location_has_the_mean_of_its_repetitions():
    runs = [run(2, {MAIN: [1.0, 3.0]}), run(2, {MAIN: [3.0, 4.0]}, 1)]
    assert rows(kernel_locations(study(*runs), "time"))["main", 0] == [2.0, 3.5]


def test_repetitions_may_differ_in_their_locations():
    runs = [run(2, {MAIN: [1.0, 3.0]}, process=[0, 1]), run(2, {MAIN: [7.0, 5.0, 4.0]}, 1, process=[2, 0, 4])]
    found = kernel_locations(study(*runs), "time")
    assert found.points[0].process.tolist() == [0, 1, 2, 4]
    assert rows(found)["main", 0] == [3.0, 3.0, 7.0, 4.0]


def test_locations_are_in_the_order_of_nodes_processes_and_threads():
    table = LocationTable.of_threads(np.array([0, 0, 1, 2, 3]), np.array([1, 0, 0, 0, 0]))
    table = replace(table, node=("a", "a", "b", "a", "b"))
    moved = replace(table, node=("c",) * 5)  # where another repetition ran
    time = {MAIN: [1.0, 2.0, 3.0, 4.0, 5.0]}
    found = kernel_locations(study(run(4, time, locations=table), run(4, time, 1, locations=moved)), "time")
    point = found.points[0]
    assert point.node == ("a", "a", "a", "b", "b")
    assert (point.process.tolist(), point.thread.tolist()) == ([0, 0, 2, 1, 3], [0, 1, 0, 0, 0])
    assert rows(found)["main", 0] == [2.0, 1.0, 4.0, 3.0, 5.0]


def test_values_follow_the_sums_of_the_experiment():
    """As after a correction for overhead, per visit of a region or without kernels."""
    experiment = study(run(2, TWO))
    sums = experiment.values["time"].sum.copy()
    sums[:, 0, 0] = [12.0, 0.0, 1.5, 0.5]
    values = {"time": Reduction(sums, sums / 2, sums, sums)}
    found = rows(kernel_locations(replace(experiment, values=values), "time"))
    assert found["main", 0] == [3.0, 9.0]
    assert ("solve", 1) not in found
    assert found["MPI_Send", 2] == [0.5, 1.0]
    assert found["MPI_Send", -1] == pytest.approx([2.0 * 1.5 / 3.75, 2.0 * 2.25 / 3.75])


def test_how_time_spreads_that_was_attributed_to_a_caller_without_own_time_is_unknown():
    experiment = study(run(2, {MAIN: [0.0, 0.0], SOLVE: [1.0, 3.0]}))
    sums = np.array([3.0, 1.0]).reshape(2, 1, 1)
    values = {"time": Reduction(sums, sums / 2, sums, sums)}
    found = rows(kernel_locations(replace(experiment, values=values), "time"))
    assert np.isnan(found["main", 0]).all()
    assert found["solve", 1] == [0.25, 0.75]


def test_accelerators_are_of_their_own_metric():
    time = {MAIN: [4.0, 5.0, 0.0, 0.0], ("main", "axpy"): [0.0, 0.0, 1.0, 2.0]}
    found = study_locations(study(run(2, time, device=[CPU, CPU, 0, 1], process=[0, 1, 0, 1])), "time")
    assert [(one.metric, one.on_accelerators) for one in found] == [("time", False), ("gpu_time", True)]
    assert rows(found[1])["axpy", 1] == [1.0, 2.0]
    assert study_locations(study(run(2, time, device=[CPU] * 4)), "gpu_time")[0].metric == "time"


@pytest.mark.parametrize(
    ("time", "metric"),
    [
        ({MAIN: [1.0]}, "time"),  # one location
        ({MAIN: [1.0, 1.0], SOLVE: [3.0, 3.0]}, "time"),  # of a log, which has one value for all
        ({MAIN: [0.0, 0.0]}, "time"),
        (TWO, "visits"),  # not measured
    ],
)
def test_there_is_nothing_without_different_values_on_several_locations(time, metric):
    assert kernel_locations(study(run(2, time)), metric) is None
    assert study_locations(study(run(2, time)), metric) == ()


def test_values_beyond_float32_are_unknown():
    found = kernel_locations(
        study(run(2, TWO), run(4, {MAIN: [1e39] * 4, SOLVE: [1.0, 2.0, 3.0, 4.0]})), "time"
    )
    assert np.isnan(rows(found, 1)["main", 0]).all()
    assert rows(found, 1)["solve", 1] == [1.0, 2.0, 3.0, 4.0]
