import struct

import numpy as np
import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.profile import CPU
from ingest.readers import read_profile, tau
from ingest.reduction import reduce_profile
from ingest.region_class import GPU_COPY

from .tau_files import CPI, WHOLE, counted, packed, text, write_packed, write_text

APPLICATION = (".TAU application",)


def test_text_profiles_of_two_processes(tmp_path):
    write_text(tmp_path, "1.0.0", [(*row[:2], 2 * row[2], 2 * row[3], row[4]) for row in CPI])
    write_text(tmp_path, "0.0.0", CPI)
    profile = read_profile(tmp_path)
    assert profile.tree.paths(profile.regions.name) == [
        APPLICATION,
        (*APPLICATION, "MPI_Init()"),
        (*APPLICATION, "int work(int) C"),
    ]
    np.testing.assert_allclose(
        profile.values("time"), np.array([[400, 800], [1000, 2000], [100, 200]]) * 1e-6
    )
    np.testing.assert_allclose(profile.values("time", inclusive=True)[0], [1500e-6, 3000e-6])
    np.testing.assert_array_equal(profile.values("visits"), [[1, 1], [1, 1], [5, 5]])
    assert profile.regions.paradigm == ("compiler", "mpi", "compiler")
    assert profile.regions.file == ("", "", "a.c")
    assert profile.regions.line.tolist() == [-1, -1, 30]
    assert profile.locations.process.tolist() == [0, 1]
    assert profile.attributes["CPU Type"] == "A & B"
    assert profile.notices == ()


def test_threads_belong_to_their_process(tmp_path):
    for thread in ("0.0.0", "0.0.1", "1.0.0"):
        write_text(tmp_path, thread, CPI)
    locations = read_profile(tmp_path).locations
    assert locations.process.tolist() == [0, 0, 1]
    assert locations.thread.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("threads", "what"),
    [
        (("0.0.0", "1.0.0", "3.0.0"), "process 2 of 4 is missing"),
        (("1.0.0", "2.0.0"), "process 0 of 3 is missing"),
        (("0.0.0", "0.0.1", "1.0.0", "1.0.2"), "of process 1, thread 1 of 3 is missing"),
    ],
)
def test_a_missing_process_or_thread_is_named(tmp_path, threads, what):
    for thread in threads:
        write_text(tmp_path, thread, CPI)
    with pytest.raises(InputError, match=what):
        read_profile(tmp_path)


def test_several_metrics(tmp_path):
    write_text(tmp_path / "MULTI__TIME", "0.0.0", CPI, "TIME")
    write_text(tmp_path / "MULTI__PAPI_TOT_INS", "0.0.0", CPI, "PAPI_TOT_INS")
    profile = read_profile(tmp_path)
    assert {metric.name: metric.unit for metric in profile.metrics} == {
        "PAPI_TOT_INS": "occ",
        "time": "s",
        "visits": "occ",
    }
    assert profile.values("PAPI_TOT_INS").sum() == pytest.approx(1500)
    assert profile.values("time").sum() == pytest.approx(1500e-6)
    write_text(tmp_path / "MULTI__TIME", "1.0.0", CPI)
    with pytest.raises(InputError, match="its threads are not those"):
        read_profile(tmp_path)


def test_a_flat_profile_and_functions_on_one_thread_only(tmp_path):
    write_text(tmp_path, "0.0.0", [("a", 1, 10, 10, "TAU_USER")])
    write_text(tmp_path, "1.0.0", [("b", 2, 20, 20, "OpenMP")])
    profile = read_profile(tmp_path)
    np.testing.assert_allclose(profile.values("time"), [[10e-6, 0], [0, 20e-6]])
    assert profile.regions.paradigm == ("compiler", "openmp")


def test_what_call_paths_do_not_account_for_is_a_root(tmp_path):
    rows = [
        ("main", 1, 5, 100, "TAU_USER"),
        ("f", 3, 60, 60, "TAU_USER"),  # called twice by main, and once by nobody
        ("main => f", 2, 50, 50, "TAU_CALLPATH|TAU_USER"),
    ]
    write_text(tmp_path, "0.0.0", rows)
    profile = read_profile(tmp_path)
    assert profile.tree.paths(profile.regions.name) == [("main",), ("main", "f"), ("f",)]
    np.testing.assert_allclose(profile.values("time")[:, 0], [5e-6, 50e-6, 10e-6])
    np.testing.assert_array_equal(profile.values("visits")[:, 0], [1, 2, 1])


def test_cut_call_paths_throttling_and_sampling_are_reported(tmp_path):
    rows = [
        ("main", 1, 1, 3, "TAU_USER"),
        ("f", 1, 1, 2, "TAU_USER"),
        ("main => f", 1, 1, 2, "TAU_CALLPATH"),
        ("g [THROTTLED]", 1, 1, 1, "TAU_DISABLE"),
        ("f => g [THROTTLED]", 1, 1, 1, "TAU_CALLPATH"),
        ("main => [CONTEXT] main => [SAMPLE] x [{a.c} {3}]", 1, 3, 3, "TAU_SAMPLE"),
    ]
    write_text(tmp_path, "0.0.0", rows)
    profile = read_profile(tmp_path)
    assert profile.tree.paths(profile.regions.name) == [("main",), ("main", "f"), ("f",), ("f", "g")]
    assert profile.values("time").sum() == pytest.approx(3e-6)
    sampled, throttled, cut = profile.notices
    assert "1 sampled functions" in sampled
    assert "throttled" in throttled
    assert "TAU_CALLPATH_DEPTH" in cut


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("5 templated", "five templated", "line 1: not the header"),
        ("5 templated", "12 templated", "line 8: not a row"),
        ("5 templated", "99999 templated", "not a row"),
        ('" 1 0 1000', '" 1 0 x', "line 4: not a row"),
        ('" 1 0 1000', '" 1 0 nan', "line 4: not a row"),
        ('" 1 0 1000', '" 1 0 1e308', "a value of TIME is not finite, or too large"),
        ("", None, "empty"),
    ],
)
def test_wrong_text_profiles(tmp_path, old, new, told):
    file = write_text(tmp_path, "0.0.0", CPI)
    file.write_text("" if new is None else file.read_text().replace(old, new))
    with pytest.raises(InputError) as caught:
        read_profile(tmp_path)
    assert told in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_text_profiles_lie_in_the_folders_of_runs(tmp_path):
    for run in ("cpi.p2.r1", "cpi.p4.r1"):
        file = write_text(tmp_path / run, "0.0.0", CPI)
        file.write_text(file.read_text().replace("<value>", f"<value>{run}", 1))
    assert [run.reader.name for run in discover(tmp_path).runs] == ["TAU", "TAU"]


@pytest.mark.parametrize("repeated", [" ", "[{", "[{a} {1}", '" 1 ', "GROUP=", "[THROTTLED"])
def test_what_is_repeated_without_end_takes_no_time(tmp_path, repeated):
    file = write_text(tmp_path, "0.0.0", CPI)
    text = file.read_text()
    for old in ("MPI_Init()", '" 1 0 1000 '):
        file.write_text(text.replace(old, old + repeated * 50_000))
        try:
            assert len(read_profile(tmp_path).tree)
        except InputError as error:
            assert "not a row" in str(error)
    file.write_text(text.replace("<attribute>", "<attribute><name>" * 50_000))
    assert len(read_profile(tmp_path).tree)


@pytest.mark.parametrize("other", ["TIME", "time", "visits"])
def test_two_metrics_of_one_name_are_refused(tmp_path, other):
    for folder, metric in (("MULTI__a", "TIME"), ("MULTI__b", other)):
        write_text(tmp_path / folder, "0.0.0", CPI, metric)
    with pytest.raises(InputError, match="two metrics have the same name"):
        read_profile(tmp_path)


def test_a_folder_that_may_not_be_listed_is_not_a_profile(tmp_path, monkeypatch):
    def forbidden(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.iterdir", forbidden)
    assert not tau.matches(tmp_path)


def test_a_truncated_file_and_one_of_samples_only_are_refused(tmp_path):
    file = write_text(tmp_path, "0.0.0", CPI[:2])
    lines = file.read_text().split("\n")
    file.write_text("\n".join(lines[:3]))
    with pytest.raises(InputError, match="contains 1 of its 2 functions: it is truncated"):
        read_profile(tmp_path)
    write_text(tmp_path, "0.0.0", [("[SAMPLE] x [{a.c} {3}]", 1, 3, 3, "TAU_SAMPLE")])
    with pytest.raises(InputError, match="contains no instrumented function"):
        read_profile(tmp_path)


def test_a_file_without_comment_line_and_metric(tmp_path):
    file = write_text(tmp_path, "0.0.0", CPI)
    lines = file.read_text().split("\n")
    file.write_text("\n".join(["5 templated_functions", *lines[2:]]))
    profile = read_profile(tmp_path)
    assert [metric.name for metric in profile.metrics] == ["time", "visits"]
    assert profile.values("time").sum() == pytest.approx(1500e-6)
    assert profile.attributes == {"generator": "TAU"}


def test_the_metric_may_be_named_in_the_metadata(tmp_path):
    file = write_text(tmp_path, "0.0.0", CPI)
    text = (
        file.read_text()
        .replace("_MULTI_TIME", "")
        .replace("CPU Type", "Metric Name")
        .replace("A &amp; B", "CYCLES")
    )
    file.write_text(text)
    assert [(m.name, m.unit) for m in read_profile(tmp_path).metrics] == [
        ("CYCLES", "occ"),
        ("visits", "occ"),
    ]


def test_too_many_values_are_refused(tmp_path, monkeypatch):
    for thread in ("0.0.0", "0.0.1"):
        write_text(tmp_path / "a", thread, CPI)
    packed_file = write_packed(tmp_path / "a.ppk", WHOLE)
    monkeypatch.setattr(tau, "_MAX_VALUES", 10)
    assert len(read_profile(tmp_path / "a").locations) == 2
    monkeypatch.setattr(tau, "_MAX_VALUES", 9)
    with pytest.raises(InputError, match="too large for memory: 5 functions on 2 threads"):
        read_profile(tmp_path / "a")
    monkeypatch.setattr(tau, "_MAX_VALUES", 12)
    assert len(read_profile(packed_file).locations) == 2
    monkeypatch.setattr(tau, "_MAX_VALUES", 11)
    with pytest.raises(InputError, match="too large for memory: 3 functions on 2 threads"):
        read_profile(packed_file)


def test_metadata_are_bounded(tmp_path, monkeypatch):
    file = write_text(tmp_path, "0.0.0", CPI)
    more = "<attribute><name>B</name><value>2</value></attribute></metadata>"
    file.write_text(file.read_text().replace("</metadata>", more))
    assert read_profile(tmp_path).attributes == {"generator": "TAU", "CPU Type": "A & B", "B": "2"}
    monkeypatch.setattr(tau, "_MAX_ATTRIBUTES", 1)
    assert read_profile(tmp_path).attributes == {"generator": "TAU", "CPU Type": "A & B"}
    monkeypatch.setattr(tau, "_MAX_ATTRIBUTES", 0)
    assert read_profile(write_packed(tmp_path / "a.ppk", WHOLE)).attributes == {"generator": "TAU"}


def test_metadata_of_threads_are_skipped(tmp_path):
    start = len(b"\0P\0P\0K") + 8
    size = struct.unpack(">i", WHOLE[start : start + 4])[0]
    threads = struct.pack(">3i", 0, 0, 0) + counted([text("a") + text("b"), text("c") + text("d")])
    header = counted([text("CPU Type") + text("A")]) + counted([threads, threads])
    data = WHOLE[:start] + struct.pack(">2i", len(header), 3) + b"xyz" + header + WHOLE[start + 11 + size :]
    profile = read_profile(write_packed(tmp_path / "a.ppk", data))
    np.testing.assert_allclose(profile.values("time"), [[1, 3], [2, 5]])


@pytest.mark.parametrize(
    ("group", "paradigm"),
    [
        ("TAU_CALLPATH|MPI", "mpi"),
        ("OpenMP", "openmp"),
        ("OMPT", "openmp"),
        ("PTHREAD", "pthread"),
        ("CUDA", "cuda"),
        ("TAU_CUPTI", "cuda"),
        ("ROCM", "hip"),
        ("OpenCL", "opencl"),
        ("TAU_USER", "compiler"),
    ],
)
def test_paradigms_follow_from_groups(tmp_path, group, paradigm):
    write_text(tmp_path, "0.0.0", [("f", 1, 10, 10, group)])
    assert read_profile(tmp_path).regions.paradigm == (paradigm,)


@pytest.mark.parametrize(("rest", "kept"), [(0.9e-6, False), (1.1e-6, True)])
def test_what_rounding_leaves_is_not_a_root(tmp_path, rest, kept):
    own = 1e6
    rows = [("main", 1, 0, 0, "A"), ("f", 2, own, own, "A"), ("main => f", 2, own * (1 - rest), 0, "A")]
    data = {f: (calls, value) for f, (_, calls, value, _, _) in enumerate(rows)}
    file = write_packed(tmp_path / "a.ppk", packed([(name, [1]) for name, *_ in rows], {(0, 0, 0): data}))
    paths = read_profile(file).tree.paths(read_profile(file).regions.name)
    assert (("f",) in paths) == kept


def test_regions_know_their_own_group_before_that_of_a_call_path(tmp_path):
    rows = [
        ("main => f", 1, 5, 5, "TAU_CALLPATH"),
        ("f [{f.c} {2,1}-{3,1}]", 1, 6, 6, "MPI"),
        ("g => main", 1, 1, 1, "TAU_CALLPATH"),
    ]
    write_text(tmp_path, "0.0.0", rows)
    profile = read_profile(tmp_path)
    of = dict(
        zip(
            profile.regions.name,
            zip(profile.regions.paradigm, profile.regions.file, strict=True),
            strict=True,
        )
    )
    assert of == {"main": ("compiler", ""), "f": ("mpi", "f.c"), "g": ("compiler", "")}


def test_a_name_that_is_only_marks_stays(tmp_path):
    write_text(tmp_path, "0.0.0", [("[{a.c} {3,1}]", 1, 1, 1, "A"), (" ", 1, 1, 1, "A")])
    assert read_profile(tmp_path).regions.name == ("[{a.c} {3,1}]", "<unnamed>")


@pytest.mark.parametrize(
    ("source", "place"), [("[{a.c} {3,1}-{9,1}]", ("a.c", 3)), ("[{a.c}]", ("a.c", -1)), ("", ("", -1))]
)
def test_functions_know_their_file_and_line_if_told(tmp_path, source, place):
    write_text(tmp_path, "0.0.0", [(f"f {source}", 1, 1, 1, "A")])
    regions = read_profile(tmp_path).regions
    assert (regions.name[0], regions.file[0], regions.line[0]) == ("f", *place)


STREAM = [
    (".TAU application", 1, 9000, 12000, "TAU_USER"),
    ("axpy(double*)", 20, 2000, 2000, "TAU_USER"),
    ("Memory copy Host to Device", 5, 1000, 1000, "TAU_USER"),
]


def test_streams_of_accelerators_are_known_by_their_metadata(tmp_path):
    """What a stream takes in the whole program is time in which nothing runs there."""
    write_text(tmp_path, "0.0.0", CPI)
    for thread, device in (("0.0.1", "0"), ("0.0.2", "1"), ("1.0.0", "0")):
        write_text(tmp_path, thread, STREAM, metadata={"CUDA Device": device})
    profile = read_profile(tmp_path)
    assert profile.locations.device.tolist() == [CPU, 0, 1, 2]
    assert profile.locations.process.tolist() == [0, 0, 0, 1]
    paths = profile.tree.paths(profile.regions.name)
    time = dict(zip(paths, profile.values("time").tolist(), strict=True))
    assert time[APPLICATION] == pytest.approx([400e-6, 0, 0, 0])
    assert time[("axpy(double*)",)] == pytest.approx([0, 2e-3, 2e-3, 2e-3])
    paradigms = dict(zip(profile.regions.name, profile.regions.paradigm, strict=True))
    assert paradigms["Memory copy Host to Device"] == GPU_COPY
    assert reduce_profile(profile, ["time"]).device_time.tolist() == [
        pytest.approx([2e-3] * 3),
        pytest.approx([1e-3] * 3),
        [0.0] * 3,  # longer than the only thread
    ]


def test_packed_streams_are_known_by_their_metadata(tmp_path):
    start = len(b"\0P\0P\0K") + 8
    size = struct.unpack(">i", WHOLE[start : start + 4])[0]
    threads = struct.pack(">3i", 1, 0, 0) + counted([text("CUDA Device") + text("3")])
    header = counted([text("CPU Type") + text("A")]) + counted([threads])
    data = WHOLE[:start] + struct.pack(">2i", len(header), 3) + b"xyz" + header + WHOLE[start + 11 + size :]
    assert read_profile(write_packed(tmp_path / "a.ppk", data)).locations.device.tolist() == [CPU, 0]
