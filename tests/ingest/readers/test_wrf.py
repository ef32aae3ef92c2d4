"""WRF's log of the first process."""

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import find_profile_reader
from ingest.readers.timer_tables import wrf
from tests.ingest.readers.by_path import sums_by_path

from .wrf_files import BEGIN, END, NESTED, ONE_DOMAIN, WRF, boundary, step, written

FORMAT, FILE = "WRF", "rsl.error.0000"


def seconds(profile):
    """Return the time of each timer on one process."""
    return {path[-1]: value / 6 for path, value in sums_by_path(profile, "time").items()}


def test_what_a_step_wrote_and_read_is_taken_out_of_it(read):
    profile = read(ONE_DOMAIN)
    assert seconds(profile) == pytest.approx(
        {
            "input and first step": 1.5 + 5.0 - 0.75,
            "steps of domain 1": 2.0 + 3.0 - 1.0,
            "lateral boundaries": 0.25,
            "output wrfout": 1.0,
            "output wrfrst": 1.0,
        }
    )
    assert (
        profile.attributes["reconciled: "] == "timers 72 s = 100.00 % of the stated 72 s"
    )  # 6 x (1.5+10+0.5)
    assert len(profile.notices) == 1  # on threads


def test_steps_of_nests_lie_in_those_of_the_domain_around_them(read):
    profile = read(NESTED)
    assert seconds(profile) == pytest.approx(
        {
            "input and first step": 1.5 + 5.0 - 2.0,
            "steps of domain 1": 3.625 - 2.5 - 0.125,
            "steps of domain 2": 2 * 0.5 + 1.0 + 1.0,
            "steps of domain 3": 1.0,
            "output wrfout": 1.125,
        }
    )
    assert profile.attributes["reconciled: "].endswith("100.00 % of the stated 63.75 s")


def test_the_header_states_processes_threads_and_settings(read, tmp_path):
    attributes = read(ONE_DOMAIN).attributes
    assert wrf.READER.processes(tmp_path / FILE) == 6
    assert attributes["statistic"].endswith("(6 processes x 4 threads)")
    settings = {
        name: attributes[f"setting: {name}"] for name in ("version", "grid", "steps", "I/O processes")
    }
    assert settings == {
        "version": "4.4.1",
        "grid": "75 x 61",
        "steps": "3",
        "I/O processes": "2 beside those that compute",
    }


def test_steps_of_adapted_length_are_steps(read):
    assert seconds(read(WRF["adaptive steps"]))["steps of domain 1"] == pytest.approx(2.0)


def test_processes_that_are_not_stated_come_from_the_name(tmp_path):
    for name in ("wrf.p4.r1", "wrf.p8.r1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rsl.out.0000").write_text(f"{name}\n{WRF['one process']}")
    found = discover(tmp_path)
    assert [run.parameters for run in found.runs] == [(4.0,), (8.0,)]
    assert len(found.runs[0].reader.read(found.runs[0].path).locations) == 4


def test_a_folder_with_the_logs_of_all_processes_is_one_run(tmp_path):
    for name in ("rsl.error.0000", "rsl.out.0000"):
        (tmp_path / name).write_text(ONE_DOMAIN)
    (tmp_path / "rsl.error.0001").write_text("taskid: 1 hostname: n0001\n WRF V4.4.1 MODEL\n")
    reader = find_profile_reader(tmp_path)
    assert reader.name == FORMAT and not find_profile_reader(tmp_path / "rsl.error.0001")
    assert [file.name for file in reader.files(tmp_path)] == ["rsl.error.0000"]
    assert reader.content(tmp_path / "rsl.out.0000") == reader.content(tmp_path)


def test_steps_beside_the_first_are_counted(read):
    profile = read(ONE_DOMAIN)
    visits = dict(zip(profile.regions.name, profile.values("visits")[:, 0].tolist(), strict=True))
    assert (visits["input and first step"], visits["steps of domain 1"], visits["output wrfout"]) == (1, 2, 2)


def test_input_that_is_read_later_lies_in_its_step(read):
    later = "Timing for processing restart file for domain        1:    0.50000 elapsed seconds\n"
    profile = read(BEGIN + step(1, 5.0) + later + step(1, 2.0) + END)
    assert seconds(profile) == pytest.approx({"input and first step": 6.5, "steps of domain 1": 2.0})


def test_a_page_that_quotes_a_log_is_no_run(tmp_path):
    (tmp_path / "README.md").write_text(ONE_DOMAIN)
    assert find_profile_reader(tmp_path / "README.md") is None


def test_a_run_that_was_cut_off_says_so(read):
    profile = read(BEGIN + step(1, 5.0) + written("wrfout", 1, 0.5) + step(1, 2.0)[:-20])
    assert profile.notices[0] == "the log ends before the run: 1 steps up to there"
    assert seconds(profile)["output wrfout"] == pytest.approx(0.5)


def test_a_run_without_a_step_is_refused(read):
    with pytest.raises(InputError, match="stopped before the end: no time step in it"):
        read(BEGIN)


def test_steps_that_took_less_than_what_lies_in_them_are_named(read):
    profile = read(BEGIN + boundary(9.0) + step(1, 5.0) + step(1, 2.0) + END)
    assert profile.notices[0] == "1 steps took less than what lies in them: is the log damaged?"
