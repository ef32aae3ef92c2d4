"""rocprofv3's traces: those of a process are one profile, those of overlapping processes one run."""

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import find_profile_reader
from ingest.readers.gpu import rocprof
from tests.ingest.readers import gpu_files
from tests.ingest.readers.gpu_files import by_path, nanoseconds

KERNEL, IN, OUT = "add(float*, int)", "MEMORY_COPY_HOST_TO_DEVICE", "MEMORY_COPY_DEVICE_TO_HOST"


def read(path):
    assert find_profile_reader(path).name == "rocprofv3"
    return rocprof.read_traces(path)


@pytest.mark.parametrize("name", ["", "77_kernel_trace.csv", "77_hip_api_trace.csv"])
@pytest.mark.parametrize("agent", ["Agent 4", "4", "GPU 4"])
def test_the_traces_of_a_process_are_one_profile(tmp_path, name, agent):
    profile = read(gpu_files.rocprofv3(tmp_path, agent=agent) / name)
    assert profile.locations.device.tolist() == [-1, 4, 4]
    assert nanoseconds(by_path(profile)) == {
        ("<program>",): [10_000 - 6000 - 1000, 0, 0],
        ("<program>", "step"): [2500, 0, 0],
        ("<program>", "step", "hipMemcpy"): [3500, 0, 0],
        ("<program>", "hipFree"): [1000, 0, 0],
        (IN,): [0, 2500, 0],
        (OUT,): [0, 100, 0],
        (KERNEL,): [0, 0, 3000],
        ("GPU idle",): [0, 10_000 - 5600, 0],
    }
    paradigms = dict(zip(profile.regions.name, profile.regions.paradigm, strict=True))
    assert [paradigms[name] for name in (KERNEL, IN, "hipMemcpy", "step")] == [
        "gpu kernel",
        "gpu copy",
        "hip",
        "",
    ]


def test_processes_that_overlap_are_one_run(tmp_path):
    run = tmp_path / "app.p2" / "node"
    gpu_files.rocprofv3(run, 77, agent="Agent 4")
    gpu_files.rocprofv3(run, 78, agent="Agent 5", later=100)
    (run / "77_kernel_stats.csv").write_text(gpu_files.statistics({KERNEL: (1, 3000)}))
    (only,) = discover(tmp_path).runs
    assert (only.path, only.reader.name) == (run, "rocprofv3")
    profile = read(run)
    assert profile.locations.process.tolist() == [0, 1, 0, 0, 1, 1]
    assert profile.locations.device.tolist() == [-1, -1, 4, 4, 5, 5]
    assert nanoseconds(by_path(profile))["GPU idle",] == [0, 0, 4500, 0, 4500, 0]


def test_processes_of_several_runs_are_not_mixed(tmp_path):
    gpu_files.rocprofv3(tmp_path, 77)
    gpu_files.rocprofv3(tmp_path, 78, later=1_000_000)
    with pytest.raises(InputError, match="do not overlap in time"):
        read(tmp_path)
    assert read(tmp_path / "78_kernel_trace.csv").values("visits").sum() == 6
    (tmp_path / "77_kernel_trace.csv").rename(tmp_path / "old_kernel_trace.csv")
    assert not rocprof.is_trace(tmp_path)


def test_damage_is_named(tmp_path):
    file = gpu_files.rocprofv3(tmp_path) / "77_kernel_trace.csv"
    file.write_text(file.read_text().replace("6150", "soon"))
    with pytest.raises(InputError, match=r"77_kernel_trace\.csv: an event is not understood"):
        read(tmp_path)
    with pytest.raises(InputError, match="no traces of rocprofv3 in it"):
        rocprof.read_traces(tmp_path / "nothing.csv")
