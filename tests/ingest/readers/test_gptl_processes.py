"""GPTL's files of single processes."""

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import find_profile_reader
from ingest.reduction import reduce_profile

from .by_path import sums_by_path
from .gptl_files import HEAD, process, thread

FORMAT, FILE = "GPTL process", "timing.0"


def write(folder, *scales, threads=1):
    folder.mkdir(exist_ok=True)
    for number, scale in enumerate(scales):
        (folder / f"timing.{number}").write_text(process(scale, threads=threads))
    return folder


def test_each_process_is_a_location_and_timers_keep_what_those_below_them_leave(tmp_path):
    reader = find_profile_reader(write(tmp_path / "run", 1.0, 2.0))
    profile = reader.read(tmp_path / "run")
    assert reader.name == "GPTL processes" and reader.processes(tmp_path / "run") == 2
    assert profile.values("time").sum(axis=0) == pytest.approx([10.5, 20.5])
    found = sums_by_path(profile, "time")
    assert found[("total",)] == pytest.approx(3 * (10 - 6 - 1.5))
    assert found[("total", "solve")] == pytest.approx(3 * 6)
    assert profile.attributes["reconciled: "] == "timers 31 s = 100.00 % of the stated 31 s"


def test_timers_with_several_parents_are_in_no_sum(read):
    profile = read(process())
    place = profile.tree.paths(profile.regions.name).index(
        ("total", "solve", "(overlapping timers)", "reduce sum")
    )
    assert profile.values("overlapping_time")[place, 0] == 5.0
    assert profile.values("time")[place, 0] == 0.0
    assert any("several parents are in no sum: reduce sum" in notice for notice in profile.notices)


def test_what_lies_below_a_timer_with_several_parents_is_in_no_sum_either(read):
    tree = [("  total", 1, 10.0), ("*   reduce", 9, 5.0), ("      copy", 9, 4.0), ("    solve", 1, 2.0)]
    profile = read(HEAD + thread(0, tree))
    assert profile.values("time").sum() == pytest.approx(10.0)
    assert profile.values("overlapping_time").sum() == pytest.approx(9.0)


def test_threads_are_locations(tmp_path):
    profile = find_profile_reader(write(tmp_path / "run", 1.0, 1.0, threads=2)).read(tmp_path / "run")
    assert profile.locations.process.tolist() == [0, 0, 1, 1]
    assert profile.locations.thread.tolist() == [0, 1, 0, 1]


def test_the_column_of_e3sm_is_passed_over(read):
    assert sums_by_path(read(process(on=True)), "time") == sums_by_path(read(process()), "time")


def test_communication_is_told_from_computing(tmp_path):
    profile = find_profile_reader(write(tmp_path / "run", 1.0, 1.0)).read(tmp_path / "run")
    reduced = reduce_profile(profile, ["time"])
    assert "MPI_Barrier" in profile.regions.name and reduced is not None


def test_folders_of_processes_are_runs_by_their_number(tmp_path):
    write(tmp_path / "a", 1.0, 1.0)
    write(tmp_path / "b", 0.5, 0.5, 0.5, 0.5)
    (tmp_path / "b" / "timing.summary").write_text("Total ranks in communicator=4\n")
    assert sorted(run.parameters for run in discover(tmp_path).runs) == [(2.0,), (4.0,)]


def test_a_process_that_is_missing_is_named(tmp_path):
    folder = write(tmp_path / "run", 1.0, 1.0, 1.0)
    (folder / "timing.1").unlink()
    with pytest.raises(InputError, match="process 1 of 3 is missing"):
        find_profile_reader(folder).read(folder)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (HEAD + thread(0, []), "no timer in it"),
        (HEAD + thread(0, [("  total", 1, 1.0), ("    solve", 1, 9.0)]), "'total' took less than the timers"),
        (HEAD + thread(0, [("  total", 1, 1e16)]), "line 8: not the values of a timer"),
    ],
)
def test_damage_is_named(read, content, error):
    with pytest.raises(InputError, match=error):
        read(content)
