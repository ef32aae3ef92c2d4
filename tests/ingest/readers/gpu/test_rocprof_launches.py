"""Tables of launches: each launch once, on its device, whichever version wrote the table."""

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import find_profile_reader
from ingest.readers.gpu import rocprof
from tests.ingest.readers import gpu_files
from tests.ingest.readers.gpu_files import by_path, nanoseconds
from tests.ingest.readers.gpu_outputs import ROCPROF_LAUNCHES


@pytest.mark.parametrize("form", ROCPROF_LAUNCHES)
def test_launches_are_kernels_on_their_devices(tmp_path, form):
    path = tmp_path / "results.csv"
    path.write_text(ROCPROF_LAUNCHES[form], encoding="utf-8")
    assert find_profile_reader(path).name == "rocprof launches"
    profile = rocprof.read_launches(path)
    assert profile.locations.device.tolist() == [-1, 4, 5]
    assert nanoseconds(by_path(profile)) == {
        ("<program>",): [10_000, 0, 0],
        ("f(float*, int) [clone .kd]",): [0, 3000, 2500],
        ("g",): [0, 5000, 0],
        ("GPU idle",): [0, 2000, 7500],
    }
    assert by_path(profile, "visits")["f(float*, int) [clone .kd]",] == [0, 1, 1]
    assert rocprof.ONLY_KERNELS in profile.notices


def test_sums_beside_launches_have_copies_too_and_are_read(tmp_path):
    run = gpu_files.summary_tables(tmp_path / "app.p1.r1")
    (run / "results.csv").write_text(ROCPROF_LAUNCHES["version 1"], encoding="utf-8")
    assert {run.reader.name for run in discover(tmp_path).runs} == {"GPU summary tables"}


def test_a_table_without_times_is_of_another_reader(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text('"Index","KernelName","gpu-id","Wavefronts"\n0,"f",4,100\n', encoding="utf-8")
    assert find_profile_reader(path) is None


def test_a_damaged_row_is_an_error_with_the_file(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text(ROCPROF_LAUNCHES["version 2"].replace("1000,4000", "soon,4000"), encoding="utf-8")
    with pytest.raises(InputError, match=r"results\.csv"):
        rocprof.read_launches(path)
