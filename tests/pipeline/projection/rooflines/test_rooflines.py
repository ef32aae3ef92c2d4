"""The roofline of a machine, and the points of regions in it."""

import numpy as np
import pytest

from ingest.errors import UsageError
from ingest.units import TIME_DIMENSION, Quantity
from pipeline.projection.machines.machine_values import load_machine
from pipeline.projection.rooflines.bandwidth_projection import Group
from pipeline.projection.rooflines.rooflines import RooflinePoint, points_of, roofline
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.rooflines.test_region_verdicts import machine


def point(name, level, intensity, rate, run=""):
    return RooflinePoint(name=name, run=run, level=level, intensity=intensity, flop_rate=rate)


def group(kind="threaded", seconds=10.0, **counters):
    time = Quantity(value=seconds, dimension=TIME_DIMENSION)
    return Group(name="g", time=time, share=None, kind=kind, counters=counters)


def test_roofline_of_a_shipped_machine():
    shipped = load_machine("blue-waters-xe6")
    points = [point("U/VLL", "L2", 0.1, 1e9)]
    found = roofline(shipped.name, shipped.values, points)
    assert found.machine == "Cray XE6 node (Blue Waters)"
    flows = [("bw_l1", 833.1e9), ("bw_l2", 383e9), ("bw_node", 59.6e9), ("bw_numa", 14.9e9)]
    assert list(found.bandwidths.items()) == flows
    assert found.peaks == {"peak_dp": 313.6e9}
    assert found.points == tuple(points)
    assert found.attainable(np.array([0.1, 100.0]), "bw_node", "peak_dp") == pytest.approx([5.96e9, 313.6e9])
    assert found.attainable(np.array([1.0]), "bw_numa", "peak_dp") == pytest.approx([14.9e9])


def test_the_fastest_ceiling_comes_first():
    slow_first = machine(
        bw_a="1 GB/s",
        bw_b="9 GB/s",
        peak_x="2 Gflop/s",
        peak_y="5 Gflop/s",
        bw_c="3 s",
        peak_z="3",
        bw_network="25 GB/s",
    )
    found = roofline("node", slow_first.values)
    assert list(found.bandwidths) == ["bw_b", "bw_a"]
    assert list(found.peaks) == ["peak_y", "peak_x"]
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
    assert (
        refused(lambda: roofline("node", machine(**values).values), raises=UsageError)
        == f"node: no {lacking} for a roofline; add it to the machine's [values]"
    )


def points(*groups, run=""):
    return list(points_of(((one.name, one.work, one.time.value) for one in groups), run))


def test_points_of_regions_with_operations():
    idle = group(PAPI_FP_OPS=0, PAPI_L3_TCM=1e9)
    busy = group(PAPI_FP_OPS=1e9, PAPI_L1_DCA=1e9, PAPI_L1_DCM=1e7)
    assert points(idle, group(), group(PAPI_L3_TCM=1)) == []
    assert points(idle, busy, run="64 ranks") == [
        point("g", "L2", 1e9 / 64e7, 1e8, "64 ranks"),
        point("g", "L1", 1 / 16, 1e8, "64 ranks"),
    ]
