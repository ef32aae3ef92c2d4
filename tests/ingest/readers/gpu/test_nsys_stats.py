"""What nsys stats prints: the same sums from every form, calls of the operating system in none of them."""

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import find_profile_reader
from ingest.readers.gpu import summary_tables
from tests.ingest.readers import gpu_files, timer_logs
from tests.ingest.readers.gpu_files import by_path, nanoseconds
from tests.ingest.readers.gpu_outputs import NSYS_OUTPUT


@pytest.mark.parametrize("form", NSYS_OUTPUT)
def test_every_form_has_the_same_sums(tmp_path, form):
    path = tmp_path / "stats.txt"
    path.write_text(NSYS_OUTPUT[form], encoding="utf-8")
    assert find_profile_reader(path).name == "nsys stats"
    profile = summary_tables.read_printed(path)
    assert profile.locations.device.tolist() == [-1, 0]
    assert nanoseconds(by_path(profile)) == {
        ("cudaMemcpy",): [6000, 0],
        ("f<(int)2, 3>(float*, int)",): [0, 9000],
        ("g",): [0, 1000],
        ("[CUDA memcpy HtoD]",): [0, 700],
    }
    assert by_path(profile, "visits")["f<(int)2, 3>(float*, int)",] == [0, 3]
    paradigms = dict(zip(profile.regions.name, profile.regions.paradigm, strict=True))
    assert (paradigms["cudaMemcpy"], paradigms["g"]) == ("cuda", "gpu kernel")
    assert paradigms["[CUDA memcpy HtoD]"] == "gpu copy"


def test_kernels_whose_names_are_cut_are_noted(tmp_path):
    path = tmp_path / "stats.txt"
    path.write_text(NSYS_OUTPUT["columns"].replace("float*, int)", "float*, in…"), encoding="utf-8")
    assert summary_tables.CUT_NAMES in summary_tables.read_printed(path).notices


def test_a_log_with_timers_of_its_own_stays_one(tmp_path):
    path = tmp_path / "job.log"
    log = timer_logs.LOGS["gromacs"]()
    path.write_text(f"{log}\n{NSYS_OUTPUT['columns']}", encoding="utf-8")
    assert find_profile_reader(path).name == "timer table"


def test_the_capture_itself_is_read_rather_than_what_was_printed_of_it(tmp_path):
    run = tmp_path / "app.p1.r1"
    run.mkdir()
    gpu_files.nsys(run / "report.sqlite")
    (run / "stats.txt").write_text(NSYS_OUTPUT["csv"], encoding="utf-8")
    assert [found.reader.name for found in discover(tmp_path).runs] == ["Nsight Systems"]


def test_a_damaged_row_is_an_error_with_its_line(tmp_path):
    path = tmp_path / "stats.txt"
    path.write_text(NSYS_OUTPUT["framed"].replace("9000", "much"), encoding="utf-8")
    with pytest.raises(InputError, match="line 12: not a sum: much"):
        summary_tables.read_printed(path)
