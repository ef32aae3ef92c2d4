"""Timers of benchmarks and frameworks: UMT, hypre's drivers, CarpetX, HPL, HPCG."""

import pytest

from ingest.errors import InputError
from ingest.readers import find_profile_reader

from .benchmark_logs import HPCG, HPL, carpetx, hypre, umt
from .timer_profiles import effort, reconciled, settings, times

FORMAT, FILE = "timer table", "x.out"


def test_umt_counts_the_last_minutes_and_the_parts_of_a_step(read):
    profile = read(umt())
    assert times(profile) == {
        "RADTR": 60 - 30 - 7.5,
        ("RADTR", "Sweep(CPU)"): 30.0,
        ("RADTR", "Initialization"): 7.5,
        "(outside all timers)": 2.5,
    }
    assert effort(profile) == 4 * 62.5
    assert settings(profile)["threads"] == "2"
    assert settings(profile)["steps"] == "2"
    assert settings(profile)["iterations"] == "33"
    assert reconciled(profile)[""].endswith("; 450000000 unknowns/s stated")


def test_phases_of_hypre_have_the_names_above_them_and_the_grid_of_processes(read):
    profile = read(hypre())
    assert times(profile) == {"Spatial Operator": 0.25, "PCG Setup": 2.0, "PCG Solve": 3.0}
    assert effort(profile) == 8 * 5.25
    assert settings(profile)["iterations"] == "12"
    assert settings(profile)["figure of merit"] == "8.802245e+09"


def test_of_two_problems_of_hypre_the_last_is_read(read):
    profile = read(hypre(solver="GMRES") + hypre(grid="2, 2, 1"))
    assert len(profile.locations) == 4
    assert times(profile)["PCG Solve"] == 3.0
    assert profile.notices[0] == "2 tables of timers in it: the last is read"


def test_carpetx_counts_what_was_printed_last(read):
    profile = read(carpetx())
    assert times(profile) == {"evolution compute": 6.0, "evolution output": 1.0, "(outside all timers)": 1.0}
    assert effort(profile) == 8 * 8.0
    assert settings(profile)["steps"] == "32"


def test_a_job_of_carpetx_that_failed_is_no_run(tmp_path):
    file = tmp_path / "stdout.txt"
    file.write_text(carpetx(reports=0))
    with pytest.raises(InputError, match="CarpetX, 8 processes, stopped before the end: no table"):
        find_profile_reader(file).read(file)


def test_hpl_reads_the_last_problem_and_its_grid(read):
    profile = read(HPL)
    assert times(profile) == {"WR11C2R4": 64.0}
    assert effort(profile) == 8 * 64.0
    assert settings(profile)["N"] == "40000"
    assert reconciled(profile)[""].endswith("; 666.67 Gflops stated")


def test_hpcg_has_the_kernels_of_its_report(read):
    profile = read(HPCG)
    assert times(profile)["MG"] == 48.0
    assert times(profile)["(outside all timers)"] == 1.5
    assert effort(profile) == 16 * 60.0
    assert settings(profile)["threads"] == "2"
    assert reconciled(profile)[""] == "timers 936 s = 97.50 % of the stated 960 s; 12.5 GFLOP/s stated"
