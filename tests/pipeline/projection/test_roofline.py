"""The roofline of a machine, and what limits a group under it."""

from pathlib import Path

import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.projection.machine import Machine, load_machine
from pipeline.projection.profile import Group
from pipeline.projection.roofline import Bound, Ceiling, GroupBound, Point, bound_of, roofline
from pipeline.projection.units import TIME, Quantity, parse_quantity


def machine(**values):
    return Machine(
        name="node",
        path=Path("node.toml"),
        source="",
        values={name: parse_quantity(value) for name, value in values.items()},
        terms={},
        variant="expected",
        variants={},
    )


NODE = machine(bw_node="100 GB/s", bw_numa="50 GB/s", peak_dp="1000 Gflop/s")


def group(kind="threaded", seconds=10.0, **counters):
    time = Quantity(value=seconds, dimension=TIME)
    return Group(name="g", time=time, share=None, kind=kind, counters=counters)


def counted(flop, size, **given):
    return group(PAPI_FP_OPS=flop, PAPI_L3_TCM=size / 64, **given)


def test_roofline_of_a_shipped_machine():
    shipped = load_machine("blue-waters-xe6")
    points = [Point("U/VLL", "L2", 0.1, 1e9)]
    found = roofline(shipped.name, shipped.values, points)
    assert found.machine == "Cray XE6 node (Blue Waters)"
    assert found.bandwidths == (Ceiling("bw_node", 59.6e9), Ceiling("bw_numa", 14.9e9))
    assert found.peaks == (Ceiling("peak_dp", 313.6e9),)
    assert found.points == tuple(points)
    assert found.attainable(np.array([0.1, 100.0]), "bw_node", "peak_dp") == pytest.approx([5.96e9, 313.6e9])
    assert found.attainable(np.array([1.0]), "bw_numa", "peak_dp") == pytest.approx([14.9e9])


def test_the_fastest_ceiling_comes_first():
    slow_first = machine(
        bw_a="1 GB/s", bw_b="9 GB/s", peak_x="2 Gflop/s", peak_y="5 Gflop/s", bw_c="3 s", peak_z="3"
    )
    found = roofline("node", slow_first.values)
    assert [ceiling.name for ceiling in found.bandwidths] == ["bw_b", "bw_a"]
    assert [ceiling.name for ceiling in found.peaks] == ["peak_y", "peak_x"]
    assert found.points == ()
    assert found.attainable(np.array([4.0, 6.0]), "bw_a", "peak_y").tolist() == [4e9, 5e9]


@pytest.mark.parametrize(
    ("values", "lacking"),
    [
        ({"peak_dp": "1 Gflop/s"}, "bandwidth 'bw_...' in B/s"),
        ({"bw_node": "1 GB/s"}, "peak 'peak_...' in flop/s"),
    ],
)
def test_a_machine_without_ceilings_has_no_roofline(values, lacking):
    with pytest.raises(UsageError) as caught:
        roofline("node", machine(**values).values)
    assert str(caught.value) == f"node: no {lacking} for a roofline; add it to the machine's [values]"


@pytest.mark.parametrize(
    ("flop", "size", "kind", "bound"),
    [
        # The ridge is at 10 flop/B of a node, at 20 of a NUMA domain; 500 GB in 10 s are half of 100 GB/s.
        (1e9, 500e9, "threaded", Bound.MEMORY),
        (1e9, 499e9, "threaded", Bound.NEITHER),
        (1e9, 250e9, "serial", Bound.MEMORY),
        (1e9, 249e9, "serial", Bound.NEITHER),
        (5000e9, 500e9, "threaded", Bound.COMPUTE),
        (4999e9, 500e9, "threaded", Bound.MEMORY),
        (5000e9, 500e9, "serial", Bound.MEMORY),
        (10e9, 0.5e9, "serial", Bound.COMPUTE),
        (1e9, 0.0, "threaded", Bound.COMPUTE),
    ],
)
def test_what_limits_a_group(flop, size, kind, bound):
    found = bound_of(counted(flop, size, kind=kind), NODE)
    assert found.bound is bound
    assert found.group == "g"
    assert found.level == "DRAM"
    assert found.intensity == (flop / size if size else float("inf"))
    assert found.bandwidth == pytest.approx(size / 10)
    assert found.fraction == pytest.approx(size / 10 / (100e9 if kind == "threaded" else 50e9))


def test_the_level_nearest_to_memory_decides():
    found = bound_of(group(PAPI_FP_OPS=1e9, PAPI_L1_DCA=1e12, PAPI_L1_DCM=1e10), NODE)
    assert (found.level, found.bandwidth) == ("L2", 64e9)


def test_without_both_counters_memory_is_assumed():
    assumed = GroupBound(group="g", bound=Bound.ASSUMED)
    for counters in ({}, {"PAPI_FP_OPS": 1.0}, {"PAPI_L3_TCM": 1.0}):
        found = bound_of(group(**counters), machine(bw_node="1 GB/s"))
        assert (found.bound, found.level) == (assumed.bound, "")
        assert np.isnan([found.intensity, found.bandwidth, found.fraction]).all()
        assert found.sentence == "g: assumed to be memory-bound; no counters to confirm it"


def test_the_bound_in_words():
    sentences = [bound_of(counted(*work), NODE).sentence for work in ((1e9, 800e9), (1e9, 3e9), (1e13, 1e11))]
    assert sentences == [
        "g: limited by memory bandwidth (0.00125 flop/B at DRAM, 80 % of the bandwidth)",
        "g: limited by neither memory bandwidth nor compute (0.333 flop/B at DRAM, 0 % of the bandwidth)",
        "g: limited by compute (100 flop/B at DRAM, 10 % of the bandwidth)",
    ]


@pytest.mark.parametrize(
    ("values", "kind", "line"),
    [
        ({"peak_dp": "1 Gflop/s"}, "threaded", "node.toml: no value 'bw_node'; add it to [values]"),
        ({"bw_node": "1 GB/s"}, "serial", "node.toml: no value 'bw_numa'; add it to [values]"),
        ({"bw_node": "1 GB/s"}, "threaded", "node.toml: no value 'peak_dp'; add it to [values]"),
        (
            {"bw_node": "1 GB"},
            "threaded",
            "node.toml: unit mismatch: 'bw_node' has to be in B/s, it is in B; correct its unit",
        ),
        (
            {"bw_node": "1 GB/s", "peak_dp": "1 GHz"},
            "threaded",
            "'peak_dp' has to be in flop/s, it is in 1/s",
        ),
    ],
)
def test_machines_that_lack_a_value(values, kind, line):
    with pytest.raises(UsageError) as caught:
        bound_of(counted(1e9, 1e9, kind=kind), machine(**values))
    assert line in str(caught.value)
