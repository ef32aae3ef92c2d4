"""Memory of processes and nodes, and joules, by whatever names and in whatever units tools state them."""

from dataclasses import replace

import numpy as np
import pytest

from ingest.profile import Metric, MetricKind, SummedOver
from ingest.resource_use import (
    MEMORY,
    NODE_MEMORY,
    bytes_per,
    energy_factor,
    energy_metric,
    memory_factor,
    memory_of,
    recorded_memory,
    stated_memory,
)
from tests.profiles import make_profile

MAIN, SOLVE = ("main",), ("main", "solve")
HEAP = "maximum_heap_memory_allocated"
RESIDENT = "ru_maxrss"


@pytest.mark.parametrize(
    ("unit", "size"),
    [
        ("B", 1),
        ("bytes", 1),
        ("kB", 1024),
        ("kBytes", 1024),
        ("Mbytes", 2**20),
        ("GiB", 2**30),
        ("Tb", 2**40),
    ],
)
def test_units_of_sizes(unit, size):
    assert bytes_per(unit) == size


@pytest.mark.parametrize("unit", ["", "s", "occ", "J", "MB/s"])
def test_what_is_no_size(unit):
    assert bytes_per(unit) is None


@pytest.mark.parametrize(
    ("name", "unit", "factor"),
    [
        (HEAP, "bytes", 1),
        (RESIDENT, "kB", 1024),
        ("max_rss", "B", 1),
        ("max#max#alloc.region.highwatermark", "", 1),
        ("Mem HWM MB", "MB", 1e6),
        ("VmRSS", "pages", 4096),
        ("peak_rss", "MiB", 2**20),
        ("peak_rss", "", None),
        ("bytes_sent", "bytes", None),
        ("ALLOCATION_SIZE", "bytes", None),
    ],
)
def test_names_of_memory(name, unit, factor):
    assert memory_factor(Metric(name, unit)) == factor


@pytest.mark.parametrize(
    ("name", "unit", "factor"),
    [
        ("energy", "J", 1),
        ("hdeem/BLADE/E", "mJ", 1e-3),
        ("site", "MJ", 1e6),
        ("bill", "kWh", 3.6e6),
        ("PWR_PKG_ENERGY", "occ", 1),
        ("rapl:::PACKAGE_ENERGY:PACKAGE0", "#", 1e-9),
        ("instructions", "occ", None),
        ("power", "W", None),
    ],
)
def test_what_is_energy_and_how_many_joules(name, unit, factor):
    assert energy_factor(Metric(name, unit)) == factor


def test_the_energy_of_nodes_counts_before_that_of_processors():
    metrics = [Metric(name, "J") for name in ("DRAM", "PWR_PKG_ENERGY", "node/E")]
    assert energy_metric(metrics) == "node/E"
    assert energy_metric(metrics[:2]) == "PWR_PKG_ENERGY"
    assert energy_metric(metrics[:1]) == "DRAM"
    assert energy_metric([Metric("time", "s"), Metric("most", "J", MetricKind.MAXIMUM)]) is None


def profile_of(metric, kind, values, nodes=()):
    """Two processes with two threads each."""
    profile = make_profile({metric: values}, kinds={metric: kind}, process=[0, 0, 1, 1])
    return replace(profile, locations=replace(profile.locations, node=nodes))


VALUES = {MAIN: [10.0, 0.0, 20.0, 5.0], SOLVE: [30.0, 15.0, 0.0, 25.0]}


@pytest.mark.parametrize(("nodes", "of_a_node"), [(("a",) * 4, 55), (("a", "a", "b", "b"), 30)])
def test_memory_is_the_highest_of_call_paths_and_threads_and_nodes_add_up_their_processes(nodes, of_a_node):
    found = recorded_memory(profile_of(HEAP, MetricKind.MAXIMUM, VALUES, nodes))
    assert stated_memory(found, MEMORY) == 30
    assert stated_memory(found, NODE_MEMORY) == of_a_node


def test_without_names_of_nodes_a_node_has_its_part_of_all_processes():
    found = recorded_memory(profile_of(HEAP, MetricKind.MAXIMUM, VALUES))
    assert stated_memory(found, NODE_MEMORY, nodes=5) == 11
    assert not stated_memory(found, NODE_MEMORY) > 0


def test_growth_is_added_over_call_paths_in_the_unit_of_the_metric():
    profile = profile_of(RESIDENT, MetricKind.EXCLUSIVE, VALUES)
    assert memory_of(profile) == (40 * 1024, RESIDENT)


def test_values_that_files_hold_as_sums_are_of_no_node():
    profile = profile_of(HEAP, MetricKind.MAXIMUM, VALUES, ("a",) * 4)
    found = recorded_memory(replace(profile, summed=SummedOver(count=8)))
    assert stated_memory(found, MEMORY) == 30
    assert not stated_memory(found, NODE_MEMORY, nodes=2) > 0


def test_nothing_is_known_of_other_profiles():
    assert memory_of(make_profile({"time": {MAIN: [1.0]}})) is None
    assert recorded_memory(profile_of(HEAP, MetricKind.MAXIMUM, {MAIN: [0.0] * 4})) == {}


def test_what_stands_for_no_value_is_none():
    values = {MAIN: [1.7e308, -1.7e308, 20.0, 5.0], SOLVE: [np.nan, 15.0, np.inf, 25.0]}
    assert memory_of(profile_of(HEAP, MetricKind.MAXIMUM, values)) == (25, HEAP)
