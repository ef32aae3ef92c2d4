"""The roofline of a machine, and the points of regions in it."""

import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align
from ingest.errors import UsageError
from ingest.reduction import reduce_profile
from ingest.scaling import Scaling
from ingest.units import TIME_DIMENSION, Quantity
from pipeline.models.kernels import callpath_kernels, region_kernels
from pipeline.projection.machines.machine_values import load_machine
from pipeline.projection.rooflines.bandwidth_projection import Group
from pipeline.projection.rooflines.region_verdicts import Bound
from pipeline.projection.rooflines.rooflines import (
    LEAST_SHARE,
    RooflinePoint,
    counted_kernels,
    kernel_verdicts,
    nodes_of,
    points_of,
    roofline,
    study_roofline,
)
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.rooflines.test_region_verdicts import machine
from tests.profiles import make_profile


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


NODE = machine(cores="16", bw_node="100 GB/s", bw_core="10 GB/s", peak_dp="800 Gflop/s")
STREAM, DGEMM, REDUCE = ("main", "stream"), ("main", "dgemm"), ("main", "MPI_Allreduce")


def study(processes=(8, 32), counters=("PAPI_FP_OPS", "PAPI_L3_TCM")):
    """Every process streams 4 GB/s for 10 s and computes 40 Gflop/s for 5 s, whatever their number."""
    runs = []
    for p in processes:
        for repetition in range(2):
            one = np.ones(p)
            values = {
                "time": {("main",): 0.01 * one, STREAM: 10 * one, DGEMM: 5 * one, REDUCE: 3 * one},
                "PAPI_FP_OPS": {("main",): 0 * one, STREAM: 1e9 * one, DGEMM: 200e9 * one, REDUCE: 9 * one},
                "PAPI_L3_TCM": {
                    ("main",): 5 * one,
                    STREAM: 40e9 / 64 * one,
                    DGEMM: 0.5e9 / 64 * one,
                    REDUCE: 9 * one,
                },
                "PAPI_TOT_CYC": dict.fromkeys((("main",), STREAM, DGEMM, REDUCE), one),
            }
            kept = ("time", *counters)
            profile = make_profile(
                {name: values[name] for name in kept}, source=f"app.p{p}.r{repetition + 1}"
            )
            runs.append(MeasuredRun((float(p),), repetition, reduce_profile(profile, kept)))
    return align(("p",), runs)


def test_regions_of_one_node():
    # 32 locations fill two nodes of 16 cores: a node streams 16 x 4 GB/s of 100, computes 16 x 40 of 800.
    found = {k.region: k for k in counted_kernels(study(), None, NODE, 1) if k}
    assert list(found) == ["main", "stream", "dgemm"]
    assert found["stream"].seconds == pytest.approx(10)
    assert found["stream"].share == pytest.approx(10 / 18.01)
    assert found["stream"].cores == 16
    assert found["stream"].work.bytes["DRAM"] == pytest.approx(16 * 40e9)
    assert found["dgemm"].work.flop == pytest.approx(16 * 200e9)


def test_verdicts_and_points():
    found = study_roofline(study(), NODE, 1)
    assert (found.runs, found.judged) == (("p = 8", "p = 32"), 1)
    assert [kernel.region for kernel in found.kernels] == ["stream", "dgemm"]
    stream, dgemm = found.verdicts
    assert (stream.bound, dgemm.bound) == (Bound.MEMORY, Bound.ARITHMETIC)
    assert stream.uses["DRAM"].fraction == pytest.approx(0.64)
    assert dgemm.uses["arithmetic"].fraction == pytest.approx(0.8)
    points = {(point.name, point.run): point for point in found.roofline.points}
    assert set(points) == {(name, run) for name in ("stream", "dgemm") for run in ("p = 8", "p = 32")}
    assert points["dgemm", "p = 8"].flop_rate == pytest.approx(8 * 40e9)
    assert points["dgemm", "p = 32"].flop_rate == pytest.approx(16 * 40e9)
    assert points["dgemm", "p = 32"].intensity == pytest.approx(200 / 0.5)


def test_a_run_on_some_cores_is_judged_by_their_ceilings():
    stream, dgemm = study_roofline(study(), NODE, 0).verdicts
    # 8 of 16 cores: 80 GB/s by the bandwidth of a core, and half of the peak.
    assert stream.uses["DRAM"].ceiling == pytest.approx(80e9)
    assert dgemm.uses["arithmetic"].ceiling == pytest.approx(400e9)


@pytest.mark.parametrize("by_region", [False, True])
def test_verdicts_of_call_paths_and_of_regions(by_region):
    experiment = study()
    kernels = callpath_kernels(experiment, "time", Scaling.STRONG)
    kernels = region_kernels(kernels) if by_region else kernels
    found = dict(zip(kernels.regions, kernel_verdicts(experiment, kernels, NODE, 1), strict=True))
    assert found["stream"] == study_roofline(experiment, NODE, 1).verdicts[0]
    assert found["dgemm"].bound is Bound.ARITHMETIC
    assert found["MPI_Allreduce"] is None
    assert found["main"].bound is Bound.LATENCY
    without = study(counters=("PAPI_TOT_CYC",))
    assert kernel_verdicts(without, kernels, NODE, 1) == [None] * 4


def test_short_regions_are_left_out():
    kept = {kernel.region: kernel.share for kernel in study_roofline(study(), NODE, 0).kernels}
    assert "main" not in kept
    assert min(kept.values()) > LEAST_SHARE


@pytest.mark.parametrize(
    ("locations", "nodes", "cores"), [(1, 1, 1), (16, 1, 16), (17, 2, 9), (32, 2, 16), (33, 3, 11)]
)
def test_as_few_nodes_as_hold_the_locations(locations, nodes, cores):
    assert nodes_of(locations, NODE) == (nodes, cores)
    assert nodes_of(locations, machine(bw_node="1 GB/s")) == (1, locations)


def test_a_study_without_counters():
    assert refused(lambda: study_roofline(study(counters=("PAPI_TOT_CYC",)), NODE, 0), raises=UsageError) == (
        "--from: the study has no hardware counters that are known; "
        "measure with counters, such as SCOREP_METRIC_PAPI=PAPI_FP_OPS,PAPI_L3_TCM"
    )


def test_operations_alone_make_no_points_but_a_verdict():
    found = study_roofline(study(counters=("PAPI_FP_OPS",)), NODE, 1)
    assert found.roofline.points == ()
    assert [one.bound for one in found.verdicts] == [Bound.ASSUMED, Bound.ARITHMETIC]
