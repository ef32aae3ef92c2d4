"""Logs among the runs that are found."""

import pytest

from ingest.discovery import discover
from ingest.errors import RunNameError
from tests.foam_cases import solver, write_profiling
from tests.ingest.readers.timer_logs import castep, dealii, namd


def case(folder, seconds=1.0):
    write_profiling(folder, "0.1", solver("c", seconds))
    return folder


def told(discovery):
    return [(run.path.name, run.parameters, run.repetition) for run in discovery.runs]


def logs(folder, **texts):
    """Write logs, each of which begins with the number of its job."""
    for job, (name, text) in enumerate(texts.items()):
        file = folder / name.replace("__", ".").replace("_in_", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"job {job}\n{text}")


def test_logs_are_found_in_folders_and_as_files(tmp_path):
    logs(tmp_path, md__p4__r1_in_md__log=namd(), run__p8__r1__log=castep(), run__p8__r2__out=castep())
    found = discover(tmp_path)
    assert found.parameters == ("p",)
    assert told(found) == [("md.log", (4.0,), 1), ("run.p8.r1.log", (8.0,), 1), ("run.p8.r2.out", (8.0,), 2)]


def test_what_looks_like_a_parameter_is_no_ending_of_a_log(tmp_path):
    logs(tmp_path, log__p4=castep(processes=4), log__p16=castep())
    assert told(discover(tmp_path)) == [("log.p4", (4.0,), 1), ("log.p16", (16.0,), 1)]


def test_processes_come_from_the_logs_if_names_have_none(tmp_path):
    logs(tmp_path, **{"job-4__out": castep(processes=4), "job-5__out": castep(), "job-6__out": castep()})
    (tmp_path / "notes.md").write_text("none of them")
    found = discover(tmp_path)
    assert told(found) == [("job-4.out", (4.0,), 1), ("job-5.out", (16.0,), 1), ("job-6.out", (16.0,), 2)]
    assert found.notices == (
        "parameters from the profiles, names do not give them: p is the number of processes in the profile;"
        " repetitions are numbered in the order of time; `pipeline inspect DIR --propose` lists the runs to"
        " change it",
    )
    assert [entry.path.name for entry in found.skipped] == ["notes.md"]


def test_names_that_state_more_than_the_logs_are_not_dropped(tmp_path):
    logs(tmp_path, run__p4__n8__log=castep(processes=4), **{"job-5__log": castep()})
    with pytest.raises(RunNameError, match="job-5"):
        discover(tmp_path)


def test_names_that_contradict_the_logs_are_not_dropped(tmp_path):
    logs(tmp_path, run__p5__log=castep(processes=4), **{"job-5__log": castep()})
    with pytest.raises(RunNameError, match="job-5"):
        discover(tmp_path)


def test_parameters_of_folders_too_deep_are_not_dropped_for_what_logs_state(tmp_path):
    logs(tmp_path, small_in_app__p4__n8_in_x__log=castep(processes=4))
    logs(tmp_path, large_in_app__p4__n16_in_x__log=castep(processes=4))
    with pytest.raises(RunNameError, match="one folder too deep"):
        discover(tmp_path)


def test_logs_that_state_no_processes_need_names(tmp_path):
    logs(tmp_path, **{"job-4__out": castep(), "job-5__out": dealii([("Solve", 1.0)], total=2.0)})
    with pytest.raises(RunNameError, match="job-4"):
        discover(tmp_path)


def test_a_damaged_log_without_a_name_is_set_aside(tmp_path):
    cut = castep().partition("Initialisation")[0]
    logs(tmp_path, **{"job-4__out": castep(processes=4), "job-5__out": castep(), "job-6__out": cut})
    found = discover(tmp_path)
    assert [run.path.name for run in found.runs] == ["job-4.out", "job-5.out"]
    assert [(entry.path.name, entry.damaged) for entry in found.skipped] == [("job-6.out", True)]


def test_a_log_that_was_printed_twice_is_one_run(tmp_path):
    logs(tmp_path, a__p4_in_log__lammps=castep(), a__p4_in_slurm__out="module load x\n" + castep())
    found = discover(tmp_path)
    assert told(found) == [("log.lammps", (4.0,), 1)]
    assert [entry.reason for entry in found.skipped] == ["the same measurement as log.lammps"]


def test_different_formats_are_reported(tmp_path):
    logs(tmp_path, a__p4__log=castep(processes=4))
    case(tmp_path / "b.p8")
    notice = "profiles of different formats are read as one study: timer table (1), OpenFOAM (1)"
    assert notice in discover(tmp_path).notices


def test_names_of_different_programs_may_have_digits(tmp_path):
    logs(tmp_path, cp2k__p4__log=castep(processes=4), gromacs__p8__log=castep(processes=8))
    assert told(discover(tmp_path)) == [("cp2k.p4.log", (4.0,), 1), ("gromacs.p8.log", (8.0,), 1)]


def test_a_log_beside_a_profile_is_not_another_run(tmp_path):
    logs(tmp_path, a__p4_in_slurm__out=castep(), **{"slurm-7__out": castep()})
    case(tmp_path / "a.p4" / "run", 2.0)
    case(tmp_path / "a.p8")
    found = discover(tmp_path)
    assert told(found) == [("run", (4.0,), 1), ("a.p8", (8.0,), 1)]
    assert [(entry.path.name, entry.reason) for entry in found.skipped] == [
        ("slurm-7.out", "a log beside profiles, without parameters in its name")
    ]


def test_a_single_profile_with_a_log_beside_it_needs_no_name(tmp_path):
    logs(tmp_path, md__log=castep())
    (tmp_path / "profile.cubex").write_bytes(b"")
    assert told(discover(tmp_path)) == [("profile.cubex", (), 1)]
