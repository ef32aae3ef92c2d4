"""GPU-seconds: kernels, copies and idle time of accelerators, apart from the core-seconds of hosts."""

import numpy as np
import pytest

from ingest.profile import CPU, MetricKind
from ingest.reduction import reduce_profile
from ingest.region_class import GPU_COPY, GPU_IDLE, GPU_KERNEL
from tests.profiles import make_profile

MAIN, LAUNCH, KERNEL, COPY = ("main",), ("main", "cuLaunchKernel"), ("main", "axpy"), ("copy",)
PARADIGMS = {"cuLaunchKernel": "cuda", "axpy": GPU_KERNEL, "copy": GPU_COPY}
TIME = {  # a thread, two streams of device 5, one of device 2
    MAIN: [6.0, 0.0, 0.0, 0.0],
    LAUNCH: [4.0, 0.0, 0.0, 0.0],
    KERNEL: [0.0, 3.0, 1.0, 2.0],
    COPY: [0.0, 0.5, 0.0, 0.0],
}
VISITS = {MAIN: [1, 0, 0, 0], LAUNCH: [9, 0, 0, 0], KERNEL: [0, 3, 2, 4], COPY: [0, 7, 0, 0]}


def reduced(time=TIME, paradigm=PARADIGMS, device=(CPU, 5, 5, 2), **more):
    profile = make_profile(
        {"time": time, **more}, paradigm=paradigm, device=device, process=[0] * len(device)
    )
    return reduce_profile(profile, ["time", *more])


def by_path(found, metric, part="sum"):
    paths = found.tree.paths(found.regions.name)
    return dict(zip(paths, getattr(found.values[metric], part).tolist(), strict=True))


def test_time_of_devices_is_in_no_core_second():
    found = reduced()
    assert by_path(found, "time") == {MAIN: 6.0, LAUNCH: 4.0, KERNEL: 0.0, COPY: 0.0, ("GPU idle",): 0.0}
    assert by_path(found, "gpu_time") == {MAIN: 0, LAUNCH: 0, KERNEL: 6.0, COPY: 0.5, ("GPU idle",): 13.5}


def test_the_streams_of_a_device_are_one_location():
    found = reduced()
    assert by_path(found, "gpu_time", "max")[KERNEL] == 4.0
    assert by_path(found, "gpu_time", "min")[KERNEL] == 2.0
    assert by_path(found, "gpu_time", "mean")[KERNEL] == 3.0
    assert found.device_time.tolist() == [[2.0, 4.0], [0.0, 0.5], [8.0, 5.5]]


def test_idle_time_fills_the_run_on_every_device():
    found = reduced()
    assert found.device_time.sum(axis=0).tolist() == [10.0, 10.0]
    idle = ("GPU idle",)
    of_devices = [by_path(found, "gpu_time", part)[idle] for part in ("min", "mean", "max")]
    assert of_devices == [5.5, 6.75, 8.0]
    assert found.regions.paradigm[-1] == GPU_IDLE


def test_idle_time_that_was_measured_stays():
    time = {MAIN: [6.0, 0.0], KERNEL: [0.0, 2.0], ("idle",): [0.0, 1.5]}
    found = reduced(time, {"axpy": GPU_KERNEL, "idle": GPU_IDLE}, (CPU, 0))
    assert found.device_time.tolist() == [[2.0], [0.0], [1.5]]
    assert ("GPU idle",) not in by_path(found, "gpu_time")


@pytest.mark.parametrize("name", ["COMPUTE IDLE", "PURE COMPUTE IDLE"])
def test_idle_regions_of_score_p(name):
    time = {MAIN: [6.0, 0.0], KERNEL: [0.0, 2.0], (name,): [0.0, 1.5]}
    found = reduced(time, {"axpy": "cuda", name: "cuda"}, (CPU, 0))
    assert found.device_time.tolist() == [[2.0], [0.0], [1.5]]


def test_kernels_that_overlap_leave_no_idle_time():
    found = reduced({MAIN: [1.0, 0.0, 0.0], KERNEL: [0.0, 1.0, 0.5]}, {"axpy": GPU_KERNEL}, (CPU, 0, 0))
    assert found.device_time.tolist() == [[1.5], [0.0], [0.0]]


def test_launches_are_counted_apart_from_visits():
    found = reduced(visits=VISITS)
    assert by_path(found, "visits")[KERNEL] == 0 and by_path(found, "visits")[LAUNCH] == 9
    assert by_path(found, "gpu_visits")[KERNEL] == 9 and by_path(found, "gpu_visits")[COPY] == 7


def test_other_metrics_are_kept_only_if_devices_have_them():
    flops = {path: [5.0, 0.0, 0.0, 0.0] for path in TIME}
    assert "gpu_flops" not in reduced(flops=flops).values
    assert not {"gpu_visits", "gpu_time"} & reduced(device=(CPU, CPU, CPU, CPU)).values.keys()


def test_extremes_of_visits_are_those_of_cores():
    profile = make_profile(
        {"max_time": {MAIN: [3.0, 9.0]}}, kinds={"max_time": MetricKind.MAXIMUM}, device=[CPU, 0]
    )
    found = reduce_profile(profile, ["max_time"])
    assert found.values.keys() == {"max_time"} and np.array_equal(found.values["max_time"].max, [3.0])
