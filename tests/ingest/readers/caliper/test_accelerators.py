"""Kernels and copies in Caliper's profiles: what runs on accelerators stands apart from the host."""

import numpy as np
import pytest

from ingest.errors import InputError
from ingest.readers import read_profile
from ingest.reduction import reduce_profile
from ingest.region_class import GPU_COPY, GPU_KERNEL
from tests.ingest.readers.by_path import values_by_path

from .cali_files import DEVICE, DOUBLE, HOST, LAUNCH, MAIN, VALUE, Cali, on_devices
from .json_split_files import JSON_SPLIT


def test_kernels_and_copies_are_below_the_path_that_launched_them(tmp_path):
    profile = read_profile(on_devices().write(tmp_path / "a.cali"))
    assert values_by_path(profile) == {
        ("<outside>",): [0.25, 0.25, 0, 0],
        ("<outside>", "axpy"): [0, 0, 0.125, 0.125],
        ("main",): [4, 4, 0, 0],
        ("main", "cudaLaunchKernel"): [0.5, 0.5, 0, 0],
        ("main", "cudaLaunchKernel", "axpy"): [0, 0, 2, 3],
        ("main", "cudaMemcpy"): [1, 1, 0, 0],
        ("main", "cudaMemcpy", "memcpy"): [0, 0, 0.75, 0.75],
    }
    assert profile.locations.process.tolist() == [0, 1, 0, 1]
    assert profile.locations.thread.tolist() == [0, 0, 1, 1]
    assert profile.locations.device.tolist() == [-1, -1, 0, 1]
    assert dict(zip(profile.regions.name, profile.regions.paradigm, strict=True)) == {
        "<outside>": "user",
        "main": "user",
        "cudaLaunchKernel": "cuda",
        "cudaMemcpy": "cuda",
        "axpy": GPU_KERNEL,
        "memcpy": GPU_COPY,
    }
    assert profile.notices == ()


def test_sums_over_ranks_make_one_location_of_each_kind(tmp_path):
    inclusive, device = "inclusive#scale#sum#cupti.host.duration", "sum#scale#cupti.activity.duration"
    file = Cali().globals(**{"mpi.world.size": "4"})
    file.record(MAIN, extra=[(inclusive, 9.0)]).record(LAUNCH, extra=[(inclusive, 4.0), (device, 3.0)])
    profile = read_profile(file.write(tmp_path / "a.cali"))
    assert values_by_path(profile) == {
        ("main",): [5, 0],
        ("main", "cudaLaunchKernel"): [4, 0],
        ("main", "cudaLaunchKernel", "GPU activities"): [0, 3],
    }
    assert profile.notices == ("values are sums over the processes; single processes are not available",)
    run = reduce_profile(profile, ["time"])
    assert (len(run.process), run.device_time.shape[1]) == (4, 4)
    assert run.device_time.sum(axis=0) == pytest.approx([9 / 4] * 4)  # 3 s of kernels, the others idle
    assert run.values["gpu_time"].mean.sum() == pytest.approx(9 / 4)


def test_inclusive_times_on_devices_become_exclusive_for_each_kernel(tmp_path):
    name, host = "iscale#sum#rocm.activity.duration", "sum#time.duration"
    file = Cali().record(MAIN, extra=[(host, 9.0)])
    for path, kernel, seconds in ((MAIN, "a", 5.0), (LAUNCH, "a", 2.0), (MAIN, "b", 4.0)):
        file.record(path, extra=[(name, seconds), ("rocm.kernel.name", kernel)])
    found = values_by_path(read_profile(file.write(tmp_path / "a.cali")))
    assert found["main", "a"] == [0, 3]
    assert found["main", "cudaLaunchKernel", "a"] == [0, 2]
    assert found["main", "b"] == [0, 4]


def test_devices_that_are_stated_are_locations(tmp_path):
    file = tmp_path / "x.json"
    file.write_text(JSON_SPLIT["devices"])
    profile = read_profile(file)
    assert values_by_path(profile) == {
        ("main",): [3.5, 0, 0],
        ("main", "hipLaunchKernel"): [0.5, 0, 0],
        ("main", "hipLaunchKernel", "axpy"): [0, 1.25, 0.25],
        ("main", "CopyHostToDevice"): [0, 0, 0.125],
    }
    assert profile.locations.device.tolist() == [-1, 0, 1]
    assert profile.locations.thread.tolist() == [0, 1, 2]
    paradigms = dict(zip(profile.regions.name, profile.regions.paradigm, strict=True))
    assert (paradigms["hipLaunchKernel"], paradigms["CopyHostToDevice"]) == ("hip", GPU_COPY)


def test_nanoseconds_unless_scaled(tmp_path):
    file = Cali().record(MAIN, extra=[("sum#rocm.host.duration", 3e9), ("sum#rocm.activity.duration", 2e9)])
    values = read_profile(file.write(tmp_path / "a.cali")).values("time")
    np.testing.assert_allclose(values, [[3, 0], [0, 2]])


def test_timers_are_preferred_to_times_of_the_interface(tmp_path):
    file = Cali().record(MAIN, extra=[("sum#cupti.host.duration", 9e9), ("sum#time.duration", 2.0)])
    assert read_profile(file.write(tmp_path / "a.cali")).values("time").tolist() == [[2.0]]


def test_a_kernel_called_like_a_function_of_the_host_is_another_region(tmp_path):
    file = Cali().record(MAIN, extra=[(HOST, 1.0)])
    file.record(MAIN, extra=[(DEVICE, 2.0), ("cupti.kernel.name", "main")])
    assert values_by_path(read_profile(file.write(tmp_path / "a.cali"))) == {
        ("main",): [1, 0],
        ("main", "main (GPU)"): [0, 2],
    }


def test_without_times_of_the_host_there_is_no_profile(tmp_path):
    file = Cali()
    file.attribute(DEVICE, DOUBLE, VALUE)
    with pytest.raises(InputError, match="it contains no sum of times"):
        read_profile(file.record(MAIN, extra=[(DEVICE, 2.0)]).write(tmp_path / "a.cali"))
