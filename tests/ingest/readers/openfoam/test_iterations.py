"""Iterations of linear solvers from the log beside OpenFOAM's profiling."""

import pytest

from ingest.readers import openfoam
from ingest.readers.openfoam import iterating_region, solver_iterations
from tests.foam_cases import write_profiling
from tests.ingest.readers.texts import text_of

LOG = text_of("openfoam_log.txt")


@pytest.fixture
def case(tmp_path):
    triggers = [
        (0, None, "application::main", 1, 9.0, 8.0),
        (1, 0, "fvMatrix::solve.U", 2, 2.0, 1.5),
        (2, 1, "lduMatrix::solver.Ux", 2, 1.5, 1.0),
        (3, 2, "lduMatrix::smoother.Ux", 2, 1.0, 0.0),
        (4, 0, "fvMatrix::solve.p", 2, 6.0, 5.0),
        (5, 4, "lduMatrix::solver.p", 2, 5.0, 0.0),
    ]
    for process in range(2):
        write_profiling(tmp_path / f"processor{process}", "1", triggers)
    return tmp_path


def test_iterations_are_those_of_the_innermost_region_of_each_solver(case):
    (case / "log.icoFoam").write_text(LOG)
    profile = openfoam.read(case)
    values = profile.values("iterations")
    found = {
        profile.regions.name[region]: row
        for region, row in zip(profile.tree.region.tolist(), values.tolist(), strict=True)
        if any(row)
    }
    assert found == {"lduMatrix::smoother.Ux": [13, 13], "lduMatrix::solver.p": [27, 27]}


def test_the_log_is_a_file_of_the_run(case):
    (case / "icoFoam.log").write_text(LOG)
    assert case / "icoFoam.log" in openfoam.files(case)


def test_without_a_log_there_are_no_iterations(case):
    (case / "log.blockMesh").write_text("Creating block mesh\n")
    assert "iterations" not in {metric.name for metric in openfoam.read(case).metrics}


def test_of_two_logs_none_is_read_and_that_is_said(case):
    for name in ("log.icoFoam", "log.again"):
        (case / name).write_text(LOG)
    profile = openfoam.read(case)
    assert "iterations" not in {metric.name for metric in profile.metrics}
    assert profile.notices == ("2 logs have solver iterations (log.again, log.icoFoam), so none is read",)


def test_a_log_that_cannot_be_read_is_named(case):
    (case / "log.icoFoam").write_bytes(b"\xff\xfe\x00bad" * 3)
    profile = openfoam.read(case)
    assert all("log.icoFoam is not read" in notice for notice in profile.notices)


def test_a_solver_with_several_call_paths_has_no_iterations(case):
    (case / "log").write_text(LOG)
    triggers = [
        (0, None, "application::main", 1, 9.0, 8.0),
        (1, 0, "first", 1, 4.0, 3.0),
        (2, 1, "lduMatrix::solver.p", 1, 3.0, 0.0),
        (3, 0, "second", 1, 4.0, 3.0),
        (4, 3, "lduMatrix::solver.p", 1, 3.0, 0.0),
    ]
    for process in range(2):
        (case / f"processor{process}" / "1" / "uniform" / "profiling").unlink()
        (case / f"processor{process}" / "1" / "uniform").rmdir()
        (case / f"processor{process}" / "1").rmdir()
        write_profiling(case / f"processor{process}", "1", triggers)
    assert "iterations" not in {metric.name for metric in openfoam.read(case).metrics}


def test_numbers_of_all_components_in_one_line_are_added(tmp_path):
    (tmp_path / "log").write_text(
        "GAMG:  Solving for U, Initial residual = (1 1 1), Final residual = (0 0 0), No Iterations (3 4 5)\n"
    )
    assert solver_iterations(tmp_path) == ({"U": 12}, ())


@pytest.mark.parametrize(
    ("field", "regions", "found"),
    [
        ("p", ["fvMatrix::solve.p", "lduMatrix::solver.p"], "lduMatrix::solver.p"),
        ("Ux", ["fvMatrix::solve.U"], "fvMatrix::solve.U"),
        ("x", ["fvMatrix::solve."], "fvMatrix::solve."),
        ("T", ["fvMatrix::solve.p"], None),
    ],
)
def test_the_region_of_a_field(field, regions, found):
    assert iterating_region(field, regions) == found
