"""Nsight Compute's CSV in both forms: times and sums of kernels by process and stream."""

import pytest

from ingest.errors import InputError
from ingest.readers import find_profile_reader
from ingest.readers.gpu import nsight_compute
from tests.ingest.readers import gpu_files
from tests.ingest.readers.gpu_files import NCU, by_path, nanoseconds

FORMAT, FILE = "Nsight Compute", "x.csv"

GEMM = "void gemm<float, 2>(float*)"


@pytest.mark.parametrize("form", NCU)
def test_launches_are_summed_by_kernel_and_stream(read, form):
    profile = read(NCU[form])
    assert profile.locations.process.tolist() == [0, 0, 1]
    assert profile.locations.device.tolist() == [0, 0, 0]
    assert nanoseconds(by_path(profile)) == {(GEMM,): [20_000, 0, 0], ("axpy",): [0, 1_250_000, 1000]}
    assert by_path(profile, "visits") == {(GEMM,): [2, 0, 0], ("axpy",): [0, 1, 1]}
    assert by_path(profile, "dram__bytes_read.sum") == {(GEMM,): [2e6, 0, 0], ("axpy",): [0, 4e6, 4e6]}
    assert by_path(profile, "smsp__inst_executed.sum") == {(GEMM,): [3000, 0, 0], ("axpy",): [0, 0, 5]}
    units = {metric.name: metric.unit for metric in profile.metrics}
    assert (units["dram__bytes_read.sum"], units["smsp__inst_executed.sum"]) == ("byte", "inst")
    assert set(profile.regions.paradigm) == {"gpu kernel"}
    assert profile.notices == (
        nsight_compute.NOT_TOGETHER,
        "not read: metrics that are not sums over launches (2)",
    )


def test_summaries_by_kernel_are_means_of_their_launches(read):
    profile = read(
        '"Process ID","Kernel Name","Block Size","Grid Size","Device","Invocations",'
        '"Section Name","Metric Name","Metric Unit","Minimum","Maximum","Average"\n'
        '"7","axpy","(256, 1, 1)","(4, 1, 1)","0","10","S","Duration","us","100.00","2,000.00","1,500.00"\n'
        '"7","axpy","(256, 1, 1)","(4, 1, 1)","0","10","S","Duration","us","100.00","2,000.00","1,500.00"\n'
        '"7","axpy","(256, 1, 1)","(4, 1, 1)","0","10","S","dram__bytes_read.sum","Kbyte","1","3","2"\n'
        '"7","axpy","(256, 1, 1)","(8, 1, 1)","0","2","S","Duration","us","1.00","9.00","5.00"\n'
    )
    assert nanoseconds(by_path(profile)) == {("axpy",): [15_010_000]}
    assert by_path(profile, "visits") == {("axpy",): [12]}
    assert by_path(profile, "dram__bytes_read.sum") == {("axpy",): [20_000]}


def test_units_are_those_stated(read):
    in_ms = gpu_files.ncu_wide().replace('"us"', '"msecond"')
    assert read(in_ms).values("time").sum() == pytest.approx(1e-3 * (12.5 + 7.5 + 1250 + 1))
    with pytest.raises(InputError, match="no times of kernels in it"):
        read(gpu_files.ncu_wide().replace('"us"', '"fortnight"'))
    with pytest.raises(InputError, match="line 2: not a row of the table"):
        read(gpu_files.ncu_wide(units=False))


def test_lines_that_are_not_rows_are_skipped_and_said(read):
    profile = read(
        NCU["long"] + '"5","70"\n"6","70","a","b","axpy","1","7","0","S","gpu__time_duration.sum","us","x"\n'
    )
    assert profile.notices[-1] == "2 lines are skipped: not a row of the table (line 25 is the first)"
    assert profile.values("visits").sum() == 4


def test_other_tables_are_not_taken_for_it(tmp_path):
    file = tmp_path / "x.csv"
    for text in ("", "Kernel Name,Count\n", '"ID","Kernel Name","Metric Name"\n'):
        file.write_text(text)
        assert not nsight_compute.matches(file)
        with pytest.raises(InputError, match="no table of Nsight Compute in it"):
            nsight_compute.read(file)


def test_reports_that_were_not_exported_say_what_to_do(tmp_path):
    file = tmp_path / "x.ncu-rep"
    file.write_bytes(b"\0")
    assert find_profile_reader(file).name == "Nsight Compute"
    with pytest.raises(InputError, match=r"export it: ncu --import x\.ncu-rep --csv --page raw > x\.csv"):
        nsight_compute.read(file)
    (tmp_path / "x.csv").write_text(NCU["wide"])
    assert not nsight_compute.matches(file)
