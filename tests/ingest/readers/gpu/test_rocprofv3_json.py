"""rocprofv3's JSON: names by number, devices by agent, the run as it is stated."""

import json

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import find_profile_reader
from ingest.readers.gpu import rocprof
from tests.ingest.readers import gpu_outputs
from tests.ingest.readers.gpu_files import by_path, nanoseconds


@pytest.fixture
def write(tmp_path):
    def write_file(text, name="77_results.json"):
        file = tmp_path / "app.p1.r1" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    return write_file


def test_kernels_copies_and_calls_of_a_process(write):
    file = write(gpu_outputs.rocprofv3_json())
    assert find_profile_reader(file).name == "rocprofv3 JSON"
    profile = rocprof.read_results(file)
    assert profile.locations.device.tolist() == [-1, 4, 4, 5]
    assert nanoseconds(by_path(profile)) == {
        ("<program>",): [18_300, 0, 0, 0],
        ("<program>", "hipLaunchKernel"): [200, 0, 0, 0],
        ("<program>", "hipMemcpy"): [1500, 0, 0, 0],
        ("f(float*)",): [0, 0, 3000, 1000],
        ("g",): [0, 0, 1000, 0],
        ("MEMORY_COPY_DEVICE_TO_HOST",): [0, 500, 0, 0],
        ("GPU idle",): [0, 15_500, 0, 19_000],
    }
    assert by_path(profile, "bytes") == {("MEMORY_COPY_DEVICE_TO_HOST",): [0, 4096, 0, 0]}
    assert profile.notices == ()


def test_processes_in_a_folder_are_one_run_if_they_overlap(write):
    write(gpu_outputs.rocprofv3_json())
    run = write(gpu_outputs.rocprofv3_json(78, later=5000), "78_results.json").parent
    (found,) = discover(run.parent).runs
    assert found.path == run
    profile = rocprof.read_results(run)
    assert set(profile.locations.process.tolist()) == {0, 1}
    on_host = profile.values("time")[:, profile.locations.cpu]
    assert nanoseconds({("host",): on_host.sum(axis=0).tolist()}) == {("host",): [25_000, 25_000]}
    write(gpu_outputs.rocprofv3_json(78, later=50_000), "78_results.json")
    with pytest.raises(InputError, match="they are of several runs"):
        rocprof.read_results(run)


def test_without_a_stated_time_the_run_is_that_of_its_activities(write):
    content = json.loads(gpu_outputs.rocprofv3_json())
    del content["rocprofiler-sdk-tool"][0]["metadata"]["fini_time"]
    profile = rocprof.read_results(write(json.dumps(content)))
    assert nanoseconds(by_path(profile))["<program>",][0] == 7500 - 1700
    assert profile.notices == (rocprof.NO_DURATION,)


def test_damaged_files_are_errors(write):
    text = gpu_outputs.rocprofv3_json()
    for damaged in (text[:-50], text.replace("start_timestamp", "start"), '{"rocprofiler-sdk-tool": []}'):
        with pytest.raises(InputError, match="77_results"):
            rocprof.read_results(write(damaged))
