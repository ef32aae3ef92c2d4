"""What limits the regions of a study with hardware counters."""

import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align
from ingest.errors import UsageError
from ingest.reduction import reduce_profile
from ingest.scaling import Scaling
from pipeline.models.kernels import callpath_kernels, region_kernels
from pipeline.projection.rooflines.region_verdicts import Bound
from pipeline.projection.rooflines.rooflines import (
    LEAST_SHARE,
    counted_kernels,
    kernel_verdicts,
    nodes_of,
    study_roofline,
)
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.rooflines.test_region_verdicts import machine
from tests.profiles import make_profile

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
