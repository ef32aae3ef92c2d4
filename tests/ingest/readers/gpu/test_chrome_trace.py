"""Traces of PyTorch's profiler, and of other programs in Chrome's format."""

import json

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import find_profile_reader
from ingest.readers.gpu import chrome_trace
from ingest.readers.gpu.timeline import NO_DURATION
from tests.ingest.readers import gpu_files, gpu_outputs
from tests.ingest.readers.gpu_files import TRACES, by_path, event, kineto, kineto_events, nanoseconds

FORMAT, FILE = "Chrome trace", "x.pt.trace.json"

COPY = "Memcpy DtoH (Device -> Pinned)"


@pytest.mark.parametrize("name", ["x.pt.trace.json", "x.pt.trace.json.gz"])
def test_kernels_are_on_streams_and_operations_nest_by_time(read, name):
    profile = read(TRACES["kineto"], name)
    assert profile.locations.device.tolist() == [-1, -1, 0, 0]
    assert nanoseconds(by_path(profile)) == {
        ("<program>",): [20_000, 0, 0, 0],
        ("<program>", "ProfilerStep"): [80_000 - 30_250, 0, 0, 0],
        ("<program>", "ProfilerStep", "aten::mm"): [30_250 - 3_000 - 18_000, 0, 0, 0],
        ("<program>", "ProfilerStep", "aten::mm", "cudaLaunchKernel"): [3_000, 0, 0, 0],
        ("<program>", "ProfilerStep", "aten::mm", "hipMemcpy"): [18_000, 0, 0, 0],
        ("<program>", "MmBackward0"): [0, 5_000, 0, 0],
        ("gemm<float>",): [0, 0, 10_500, 10_000],
        (COPY,): [0, 0, 4_000, 0],
        ("Memset (Device)",): [0, 0, 1_000, 0],
        ("GPU idle",): [0, 0, 100_000 - 15_000 - 5_000, 0],
    }
    assert by_path(profile, "visits")["<program>", "ProfilerStep"] == [2, 0, 0, 0]
    assert by_path(profile, "bytes") == {(COPY,): [0, 0, 4096, 0], ("Memset (Device)",): [0, 0, 64, 0]}


def test_regions_say_what_they_do_and_what_is_known_is_kept(read):
    profile = read(TRACES["kineto"])
    paradigms = dict(zip(profile.regions.name, profile.regions.paradigm, strict=True))
    assert (paradigms["gemm<float>"], paradigms[COPY]) == ("gpu kernel", "gpu copy")
    assert (paradigms["cudaLaunchKernel"], paradigms["hipMemcpy"], paradigms["aten::mm"]) == (
        "cuda",
        "hip",
        "",
    )
    assert profile.attributes["metadata: GPU"] == "1 x NVIDIA H200"
    assert profile.attributes["system.node"] == "node1"
    assert profile.notices == (chrome_trace.RECORDED,)
    assert NO_DURATION in read(TRACES["no span"]).notices


def test_traces_of_ranks_are_one_run_of_several_processes(tmp_path):
    for rank in range(2):
        (tmp_path / f"node1_{7 - rank}.123.pt.trace.json").write_text(gpu_files.kineto_rank(rank))
    assert find_profile_reader(tmp_path).name == "Chrome trace"
    profile = chrome_trace.read(tmp_path)
    assert profile.locations.process.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]
    assert profile.locations.device.tolist() == [-1, -1, -1, -1, 0, 0, 1, 1]
    assert nanoseconds(by_path(profile))["GPU idle",] == [0, 0, 0, 0, 100_000, 0, 100_000, 0]
    assert profile.attributes["metadata: GPU"] == "2 x NVIDIA H200"
    assert len(discover(tmp_path).runs) == 1
    file = tmp_path / "node1_7.123.pt.trace.json"
    file.write_text(file.read_text().replace('"world_size": 2', '"world_size": 4'))
    other = tmp_path / "node1_6.123.pt.trace.json"
    other.write_text(other.read_text().replace('"world_size": 2', '"world_size": 4'))
    said = "rank 2 of 4 is missing, as is 1 more: values are those of the others"
    assert said in chrome_trace.read(tmp_path).notices
    (tmp_path / "again.pt.trace.json").write_text(gpu_files.kineto_rank(1))
    assert not chrome_trace.matches(tmp_path)


@pytest.mark.parametrize("name", ["list", "not closed"])
def test_begins_and_ends_of_other_programs_nest(read, name):
    profile = read(TRACES[name])
    assert nanoseconds(by_path(profile)) == {("main",): [30_000, 5_000], ("main", "solve"): [20_000, 0]}
    assert profile.locations.device.tolist() == [-1, -1]
    assert profile.attributes["generator"] == "Chrome trace"
    assert profile.notices == (
        "not read: counters (1)",
        "not read: begins and ends of events without the other end (1)",
    )


def test_children_that_outlast_their_caller_by_rounding_stay_below_it(read):
    profile = read(kineto([event("f", 0, 10), event("g", 4, 7), event("h", 20, 1)]))
    times = nanoseconds(by_path(profile))
    assert times["<program>", "f", "g"] == [6_000] and times["<program>", "f"] == [4_000]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"ts": "soon"}, "an event is not understood"),
        ({"ts": None}, "an event is not understood"),
        ({"ts": 1e300}, "an event is not understood"),
        ({"dur": -5}, "1 activities end before they start"),
        ({"cat": ["x"]}, "an event is not understood"),
        ({"pid": {}}, "an event is not understood"),
        ({"args": {"bytes": "many"}}, "an event is not understood"),
    ],
)
def test_damage_is_named(read, change, error):
    events = kineto_events()
    events.append(event("x", 1, 1, cat="gpu_memcpy") | change)
    with pytest.raises(InputError, match=error):
        read(kineto(events))


def test_truncated_and_other_files(read, tmp_path):
    with pytest.raises(InputError, match=r"damaged JSON .*; is the file truncated\?"):
        read(TRACES["kineto"][:-20])
    with pytest.raises(InputError, match="a list of trace events is missing"):
        read('{"traceEvents": {}}')
    with pytest.raises(InputError, match="no kernel, copy or call in it"):
        read(kineto([]))
    file = tmp_path / "y.json"
    for text in ("", "[]", json.dumps({"events": []}), "traceEvents"):
        file.write_text(text)
        assert not chrome_trace.matches(file)


def test_processes_of_devices_have_streams_and_threads_that_repeat_them(tmp_path):
    path = tmp_path / "x.trace.json"
    path.write_text(gpu_outputs.tensorflow(), encoding="utf-8")
    profile = chrome_trace.read(path)
    assert profile.locations.device.tolist() == [-1, 0, 0]
    assert nanoseconds(by_path(profile)) == {
        ("train",): [50_000, 0, 0],
        ("sgemm",): [0, 19_500, 0],
        ("MemcpyH2D",): [0, 0, 3000],
    }
    paradigms = dict(zip(profile.regions.name, profile.regions.paradigm, strict=True))
    assert (paradigms["sgemm"], paradigms["MemcpyH2D"]) == ("gpu kernel", "gpu copy")
    path.write_text(gpu_outputs.tensorflow(streams=False), encoding="utf-8")
    assert nanoseconds(by_path(chrome_trace.read(path))) == {("train",): [50_000, 0], ("dot.1",): [0, 20_000]}


def test_kernels_of_old_versions_of_pytorch_are_on_a_device(tmp_path):
    path = tmp_path / "trace.json"
    common = {"ph": "X", "tid": 1, "args": {}}
    events = [
        {**common, "pid": "CPU functions", "name": "mm", "ts": 10.0, "dur": 100.0},
        {**common, "pid": "CUDA functions", "name": "gemm", "ts": 120.0, "dur": 33.0},
    ]
    path.write_text(json.dumps(events), encoding="utf-8")
    assert nanoseconds(by_path(chrome_trace.read(path))) == {("mm",): [100_000, 0], ("gemm",): [0, 33_000]}
