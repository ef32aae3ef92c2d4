"""The bare logs of OpenFOAM's solvers."""

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import find_profile_reader, openfoam
from ingest.run_settings import METADATA, RECONCILED, SETTING, STEPS, is_log, stated
from tests.ingest.readers.openfoam.foam_logs import ESI, EXTEND, FOUNDATION, STEP, log

FORMAT, FILE = "OpenFOAM log", "log.simpleFoam"


def values(profile, metric):
    """Values of the first process by region; they are the same on all."""
    found = profile.values(metric)
    assert (found == found[:, :1]).all()
    return {
        profile.regions.name[r]: v for r, v in zip(profile.tree.region, found[:, 0].tolist(), strict=True)
    }


@pytest.mark.parametrize(("header", "unit"), [(ESI, ""), (FOUNDATION, "s"), (EXTEND, "")])
def test_start_up_and_steps_of_every_fork(read, header, unit):
    profile = read(log(header=header, unit=unit))
    assert values(profile, "time") == {"start-up and first step": 3.0, "time steps": 4.5}
    assert values(profile, "visits") == {"start-up and first step": 1.0, "time steps": 2.0}
    assert values(profile, "time_per_step")["time steps"] == 2.25
    assert len(profile.locations) == 4
    assert stated(profile.attributes, SETTING)["program"] == "OpenFOAM simpleFoam"
    assert profile.attributes[STEPS] == "3"
    assert is_log(profile.attributes)


def test_iterations_are_those_of_the_steps_that_are_timed(read):
    profile = read(log())
    assert values(profile, "iterations")["time steps"] == 2 + 2 + 6 + 9
    assert values(profile, "iterations_p") == {"start-up and first step": 0.0, "time steps": 15.0}
    assert values(profile, "iterations_Ux")["time steps"] == 4.0
    assert stated(profile.attributes, SETTING)["linear solvers"] == "smoothSolver: Ux; GAMG: p"
    assert "does not tell what single linear solvers took" in profile.notices[0]


def test_residuals_and_both_clocks_are_shown(read):
    shown = stated(read(log()).attributes, RECONCILED)[""]
    assert shown == (
        "wall time 7.5 s (ExecutionTime 7.5 s, ClockTime 8 s); last initial residuals: Ux 0.2, p 0.3"
    )


@pytest.mark.parametrize(
    ("cpu", "clock", "wall"),
    [(7.25, 8, 7.25), (7.25, 7, 7.25), (5.0, 17, 16.0), (30.0, 8, 9.0), (100.5, 100.25, 100.5)],
)
def test_wall_time_is_that_of_the_processor_as_far_as_the_clock_allows(read, cpu, clock, wall):
    profile = read(log(((1.0, 1), (cpu, clock))))
    assert profile.values("time").sum() == pytest.approx(4 * wall)


def test_without_a_clock_processor_time_is_all_there_is(read):
    profile = read(log(clock="ExecutionTime = {0} s\n\n"))
    assert profile.values("time").sum() == 4 * 7.5
    assert "no ClockTime" in stated(profile.attributes, RECONCILED)[""]


def test_times_in_days_hours_and_minutes(read):
    first, last = (
        "ExecutionTime = 00:12.5 ClockTime = 13\n",
        "ExecutionTime = 1-02:03:04.5 ClockTime = 1-02:03:05\n",
    )
    profile = read(log(((first,), (last,)), clock="{0}"))
    assert values(profile, "time")["start-up and first step"] == 12.5
    assert profile.values("time").sum() == pytest.approx(4 * (26 * 3600 + 3 * 60 + 4.5))


def test_times_that_are_printed_twice_in_a_step_are_one_step(read):
    line = "ExecutionTime = {0} s  ClockTime = {1} s\n"
    profile = read(log(clock=2 * line))
    assert profile.attributes[STEPS] == "3"


def test_all_components_in_one_line(read):
    text = log().replace("No Iterations 2\n", "No Iterations (1 2 3)\n").replace("for Ux", "for U")
    assert values(read(text), "iterations_U")["time steps"] == 12.0


def test_a_run_that_was_cut_or_failed_says_so(read):
    assert "the log ends before the run: 3 steps up to there" in read(log(end="")).notices
    failed = read(log(end="--> FOAM FATAL ERROR:\nMaximum number of iterations exceeded\n"))
    assert "the solver gave up with an error: 3 steps up to there" in failed.notices


def test_of_a_log_of_a_whole_job_the_solver_is_read(read):
    mesh = ESI.format(program="decomposePar", processes=1) + "\n".join(
        f"Processor {p}\n    Number of cells = {1000 + p}\n" for p in range(4)
    )
    potential = log(((1.0, 1),), program="potentialFoam", processes=2)
    profile = read(mesh + potential + log(), "slurm-1.out")
    assert len(profile.locations) == 4
    assert profile.values("time").sum() == 4 * 7.5
    assert stated(profile.attributes, SETTING)["cells"] == "4006"


def test_of_two_runs_of_a_solver_the_last_is_read(read):
    profile = read(log(processes=2) + log(((1.0, 1), (2.0, 2))))
    assert len(profile.locations) == 4
    assert profile.values("time").sum() == 8.0
    assert profile.notices[0] == "2 runs of solvers in it: the last is read"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("log.checkMesh", "Mesh stats\n    points:           882\n    cells:            12225\n"),
        ("log.blockMesh", "  nPoints: 882\n  nCells: 12225\n"),
        ("snappyHexMesh.log", "Snapped mesh : cells:99  faces:1\nLayer mesh : cells:12225  faces:9\n"),
        (
            "log.decomposePar",
            "    Number of cells = 12000\n    Number of cells = 225\nMax number of cells = 12000\n",
        ),
        ("constant/polyMesh/owner", 'FoamFile\n{\n note "nPoints:882 nCells:12225 nFaces:24170";\n}\n'),
    ],
)
def test_cells_are_those_of_the_files_beside_it(read, tmp_path, name, text):
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text)
    profile = read(log())
    assert stated(profile.attributes, SETTING)["cells"] == "12225"
    assert stated(profile.attributes, METADATA)["cells per process"] == "3056.25"
    reader = find_profile_reader(tmp_path / FILE)
    assert tmp_path / name in list(reader.beside(tmp_path / FILE))


@pytest.mark.parametrize("header", [ESI, FOUNDATION, EXTEND])
def test_nodes_are_counted(read, header):
    assert stated(read(log(header=header)).attributes, SETTING)["nodes"] == "2"


def test_processes_make_the_study_where_names_do_not(tmp_path):
    for processes, name in ((2, "first"), (4, "second")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "log.simpleFoam").write_text(log(processes=processes))
        (tmp_path / name / "log.blockMesh").write_text("  nCells: 400\n")
    found = discover(tmp_path)
    assert found.parameters == ("p",)
    assert [run.parameters for run in found.runs] == [(2.0,), (4.0,)]


@pytest.mark.parametrize(
    "text",
    [
        ESI.format(program="blockMesh", processes=1) + "  nCells: 400\n\nEnd\n",
        log(((1.0, 1),), program="potentialFoam"),
        STEP.format(time=1, step=1, u=1, p=1) + "ExecutionTime = 1 s\nTime = 2\nExecutionTime = 2 s\n",
    ],
)
def test_logs_of_other_programs_are_not_runs(tmp_path, text):
    (tmp_path / "log").write_text(text)
    assert find_profile_reader(tmp_path / "log") is None
    with pytest.raises(InputError, match="fewer than 2 time steps"):
        openfoam.read_solver_log(tmp_path / "log")


def test_an_impossible_number_of_processes_is_refused(read):
    with pytest.raises(InputError, match="9999999 processes"):
        read(log(processes=9999999))


def test_a_missing_number_of_processes_is_noted(read):
    profile = read(log().replace("nProcs : 4\n", ""))
    assert len(profile.locations) == 1
    assert "the number of processes is not stated" in profile.notices[0]
