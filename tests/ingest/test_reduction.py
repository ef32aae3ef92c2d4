from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.calltree import CallTree
from ingest.profile import CPU, NOWHERE, MetricKind, RegionTable
from ingest.reduction import reduce_profile
from ingest.region_class import RegionClass
from tests.profiles import make_profile

MAIN, SOLVE, SEND = ("main",), ("main", "solve"), ("main", "solve", "MPI_Send")


def test_time_is_summed_over_cpu_locations_only():
    profile = make_profile({"time": {MAIN: [1.0, 2.0, 50.0], SOLVE: [3.0, 5.0, 60.0]}}, device=[CPU, CPU, 0])
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


@pytest.mark.parametrize(("kind", "overall"), [(MetricKind.MINIMUM, 1.0), (MetricKind.MAXIMUM, 5.0)])
def test_extremes_of_visits_are_never_summed(kind, overall):
    callee, never = ("main", "a"), ("main", "b")
    values = {MAIN: [2.0, 0.0, 4.0], callee: [5.0, 1.0, 0.0], never: [0.0, 0.0, 0.0]}
    reduced = reduce_profile(make_profile({"extreme": values}, kinds={"extreme": kind}), ["extreme"])
    found = reduced.values["extreme"]
    assert found.min.tolist() == [2.0, 1.0, 0.0]  # a location without a visit does not count
    assert found.max.tolist() == [4.0, 5.0, 0.0]
    assert found.mean.tolist() == [3.0, 3.0, 0.0]
    assert np.isnan(found.sum[:2]).all()
    assert found.overall(kind)[1] == overall


def test_extremes_of_merged_siblings_are_those_of_all():
    profile = make_profile(
        {"most": {MAIN: [9.0], ("main", "a"): [5.0], ("main", "b"): [7.0]}},
        kinds={"most": MetricKind.MAXIMUM},
    )
    names = tuple("a" if name == "b" else name for name in profile.regions.name)
    merged = replace(profile, regions=replace(profile.regions, name=names))
    assert reduce_profile(merged, ["most"]).values["most"].max.tolist() == [9.0, 7.0]


def test_metrics_that_are_no_sums_and_no_extremes_are_left_out():
    profile = make_profile({"time": {MAIN: [1.0]}, "rate": {MAIN: [1.0]}}, kinds={"rate": MetricKind.SIMPLE})
    assert list(reduce_profile(profile, ["time", "rate"]).values) == ["time"]


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
    assert time.mean.tolist() == [0.0, 9.0, 12.0]
    assert time.min.tolist() == [0.0, 4.0, 12.0]
    assert time.max.tolist() == [0.0, 14.0, 12.0]


def test_time_per_class_and_location():
    reduced = reduce_profile(
        make_profile({"time": {MAIN: [1.0, 2.0], SOLVE: [3.0, 4.0], SEND: [0.5, 0.25]}}), ["time"]
    )
    assert reduced.classes == (RegionClass.COMPUTATION, RegionClass.POINT_TO_POINT)
    assert reduced.class_time.tolist() == [[4.0, 6.0], [0.5, 0.25]]


@st.composite
def profiles(draw):
    """(profile with siblings of one name, in blocks of some rows; values per call path and location)."""
    parent, depth = [-1], [0]
    for node in range(1, draw(st.integers(1, 14))):
        above = node - 1
        for _ in range(draw(st.integers(0, depth[-1] + 1))):
            above = parent[above] if above >= 0 else -1
        parent.append(above)
        depth.append(depth[above] + 1 if above >= 0 else 0)
    region = [draw(st.integers(0, 2)) for _ in parent]
    locations = draw(st.integers(1, 4))
    device = [draw(st.sampled_from((CPU, CPU, NOWHERE, 0, 3))) for _ in range(locations)]
    rows = st.lists(st.integers(-4, 9), min_size=locations, max_size=locations)
    values = np.array([draw(rows) for _ in parent], dtype=np.float64)
    return parent, region, np.array(device), values, draw(st.integers(1, 5))


class InBlocks:
    """Loads values a few rows at a time, call paths with nothing but zeros never, the last ones first."""

    def __init__(self, values, rows):
        self.stored, self.rows = values, rows

    def __call__(self, metric):
        return self.stored

    def exclusive_blocks(self, metric, rows):
        nodes = np.flatnonzero(self.stored.any(axis=1))[::-1]
        for first in range(0, len(nodes), self.rows):
            some = nodes[first : first + self.rows]
            yield some, self.stored[some]


@settings(deadline=None)
@given(profiles())
def test_every_reduction_is_that_of_the_summed_siblings(drawn):
    parent, region, device, values, rows = drawn
    tree, names = CallTree(np.array(parent), np.array(region)), ("a", "b", "a")
    made = make_profile({"time": {("a",): [0.0] * len(device)}}, device=device, process=range(len(device)))
    table = RegionTable(
        name=names, mangled=names, paradigm=("compiler", "mpi", "user"), file=("",) * 3, line=np.full(3, -1)
    )
    profile = replace(made, tree=tree, regions=table, load=InBlocks(values, rows))
    reduced = reduce_profile(profile, ["time"])
    cpu, devices = device == CPU, sorted(set(device[device >= 0].tolist()))
    on_devices = np.stack([values[:, device == one].sum(axis=1) for one in devices] or [values[:, 0]], axis=1)
    assert ("gpu_time" in reduced.values) == bool(devices)
    assert ("time" in reduced.values) == (cpu.any() or not devices)
    paths = tree.paths(names)
    for metric, columns in (("time", values[:, cpu]), ("gpu_time", on_devices)):
        if metric in reduced.values:
            check_reductions(reduced, reduced.values[metric], paths, columns)
    mpi = np.array([region[i] == 1 for i in range(len(region))])
    assert reduced.classes == (RegionClass.COMPUTATION, RegionClass.MANAGEMENT)
    assert reduced.class_time.tolist() == [
        values[~mpi][:, cpu].sum(axis=0).tolist(),
        values[mpi][:, cpu].sum(axis=0).tolist(),
    ]
    assert reduced.process.tolist() == np.flatnonzero(cpu).tolist()
    busy = on_devices.sum(axis=0) if devices else np.zeros(0)
    wall = values[:, cpu].sum(axis=0).max(initial=0.0)
    assert reduced.device_time.tolist() == [
        busy.tolist(),
        [0.0] * len(devices),
        np.maximum(wall - busy, 0.0).tolist(),
    ]


def check_reductions(reduced, found, paths, columns):
    """Check a metric against its values per call path of the profile and location."""
    expected = {}
    for path, row in zip(paths, columns, strict=True):
        expected[path] = expected.get(path, 0.0) + row
    reduced_paths = reduced.tree.paths(reduced.regions.name)
    assert set(reduced_paths) - {("GPU idle",)} == set(expected)
    assert len(reduced_paths) == len(set(reduced_paths))
    for i, path in enumerate(reduced_paths):
        if path != ("GPU idle",):
            row = expected[path]
            values = (found.sum[i], found.mean[i], found.min[i], found.max[i])
            assert values == ((row.sum(), row.mean(), row.min(), row.max()) if len(row) else (0.0,) * 4)


@pytest.mark.parametrize("locations", [1, 3])
def test_a_profile_of_accelerators_alone_has_no_effort(locations):
    profile = make_profile({"time": {MAIN: [1.0] * locations}}, device=[0] * locations)
    reduced = reduce_profile(profile, ["time"])
    assert [metric.name for metric in reduced.metrics] == ["gpu_time"]
    assert reduced.values["gpu_time"].sum.tolist() == [float(locations)]
    assert reduced.class_time.shape == (1, 0)


def test_a_profile_of_neither_has_no_effort():
    time = reduce_profile(make_profile({"time": {MAIN: [1.0]}}, device=[NOWHERE]), ["time"]).values["time"]
    assert time.sum.tolist() == [0.0] and time.max.tolist() == [0.0]
