"""Tables of sums: those of one run are one profile; kernels, copies and calls are distinguished."""

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import find_profile_reader
from ingest.readers.gpu import summary_tables
from tests.ingest.readers import gpu_files
from tests.ingest.readers.gpu_files import SUMMARY_TABLES, by_path, nanoseconds


@pytest.fixture
def read(tmp_path):
    gpu_files.summary_tables(tmp_path)

    def read_table(name):
        assert find_profile_reader(tmp_path / name).name == "GPU summary tables"
        return summary_tables.read(tmp_path / name)

    return read_table


@pytest.mark.parametrize("name", [name for name in SUMMARY_TABLES if name.startswith("results.")])
def test_the_tables_of_a_run_are_one_profile_whichever_is_given(read, name):
    profile = read(name)
    assert profile.locations.device.tolist() == [-1, 0]
    assert nanoseconds(by_path(profile)) == {
        ("hipMemcpy",): [20_000, 0],
        ("f<int, 2>(float*, int)",): [0, 9000],
        ("g",): [0, 500],
        ("CopyHostToDevice",): [0, 7000],
    }
    assert by_path(profile, "visits")["f<int, 2>(float*, int)",] == [0, 3]
    assert summary_tables.WITHIN_HIP in profile.notices
    paradigms = dict(zip(profile.regions.name, profile.regions.paradigm, strict=True))
    assert paradigms == {
        "hipMemcpy": "hip",
        "f<int, 2>(float*, int)": "gpu kernel",
        "g": "gpu kernel",
        "CopyHostToDevice": "gpu copy",
    }


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("77_kernel_stats.csv", {("f",): [7000], ("MEMORY_COPY_HOST_TO_DEVICE",): [100]}),
        (
            "r_cuda_gpu_kern_sum.csv",
            {
                ("cudaMemcpy",): [6000, 0],
                ("void f<double, (int)0>(double*)",): [0, 5_850_000],
                ("g",): [0, 650_000],
                ("[CUDA memcpy Host-to-Device]",): [0, 3000],
            },
        ),
    ],
)
def test_tables_of_rocprofv3_and_nsys_are_read(read, name, times):
    assert nanoseconds(by_path(read(name))) == times


def test_omniperf_is_read_with_its_machine_and_a_warning(read):
    profile = read("pmc_kernel_top.csv")
    assert by_path(profile) == {("a<1, 2>(int)",): [pytest.approx(4358.5e-9)]}
    assert profile.notices == (summary_tables.ONE_DEVICE, summary_tables.REPLAYED)
    assert profile.attributes["metadata: GPU"] == "MI300X"
    assert profile.attributes["system.node"] == "node1"


def test_a_run_counts_once_and_tables_of_something_else_do_not(tmp_path):
    run = gpu_files.summary_tables(tmp_path / "app.n1")
    for name in ("77_domain_stats.csv", "r_osrt_sum.csv", "sysinfo.csv"):
        assert not summary_tables.matches(run / name)
    for name in SUMMARY_TABLES:
        if not name.startswith("results."):
            (run / name).unlink()
    (only,) = discover(tmp_path).runs
    assert only.path.name == "results.copy_stats.csv"
    others = {run / f"results.{kind}.csv" for kind in ("stats", "hip_stats", "hsa_stats")}
    assert set(summary_tables.beside(only.path)) == others
    (run / "sysinfo.csv").write_text("hostname\n")
    assert set(summary_tables.beside(only.path)) == {*others, run / "sysinfo.csv"}


@pytest.mark.parametrize("row", ['"f",1', '"f",x,5,5,5', '"f",1,-5,5,5', '"f",1,nan,5,5'])
def test_damage_is_named(tmp_path, row):
    file = tmp_path / "x.stats.csv"
    file.write_text(gpu_files.statistics({"g": (1, 1)}) + row + "\n")
    with pytest.raises(InputError, match="line 3: not a row of its table"):
        summary_tables.read(file)
    with pytest.raises(InputError, match="no sums of kernels, copies or calls"):
        summary_tables.read(tmp_path / "y.csv")


@pytest.mark.parametrize(
    ("first", "paradigm", "device"),
    [("f(int)", "gpu kernel", 0), ("hipMemcpy", "hip", -1), ("CopyHostToDevice", "gpu copy", 0)],
)
def test_tables_of_rocprof_with_other_names_are_known_by_their_rows(tmp_path, first, paradigm, device):
    path = tmp_path / "top.csv"
    path.write_text(gpu_files.statistics({first: (3, 9000)}), encoding="utf-8")
    assert find_profile_reader(path).name == "GPU summary tables"
    profile = summary_tables.read(path)
    assert nanoseconds(by_path(profile)) == {(first,): [9000]}
    assert profile.regions.paradigm == (paradigm,)
    assert profile.locations.device.tolist() == [device]
