"""Timers that simulations print on their way: NWChem, SPECFEM3D, Cactus."""

import pytest

from ingest.errors import InputError

from .simulation_logs import (
    CACTUS_HEAD,
    NWCHEM_DFT,
    NWCHEM_HEAD,
    NWCHEM_TASK,
    SPECFEM_HEAD,
    cactus,
    cactus_table,
    nwchem,
    specfem,
)
from .timer_profiles import effort, reconciled, settings, times

FORMAT, FILE = "timer table", "x.out"
CUT = "the log ends before the run: these are its timers up to there"


def test_tasks_of_nwchem_are_called_after_their_modules_and_hold_their_solutions(read):
    profile = read(nwchem())
    assert times(profile) == {
        "DFT": 4.5 + 2.5 - 3.0 - 2.0,
        ("DFT", "DFT iterations"): 5.0,
        "SCF, CCSD": 8.0 - 1.5,
        ("SCF, CCSD", "SCF solution"): 1.5,
        "NWPW BAND": 2.0,
        "(outside all timers)": 3.0,
    }
    assert effort(profile) == 8 * 20.0
    assert reconciled(profile)[""] == "timers 136 s = 85.00 % of the stated 160 s"


def test_iterations_of_dft_are_counted(read):
    profile = read(nwchem())
    visits = dict(zip(profile.tree.paths(profile.regions.name), profile.values("visits")[:, 0], strict=True))
    assert visits[("DFT", "DFT iterations")] == 4
    assert visits[("DFT",)] == 2


def test_nwchem_states_processes_threads_and_revision(read):
    profile = read(nwchem())
    assert len(profile.locations) == 8
    assert {name: settings(profile)[name] for name in ("version", "threads", "commit")} == {
        "version": "7.0.1",
        "threads": "2",
        "commit": "v7.0.1",
    }


def test_a_solution_that_took_longer_than_its_task_is_left_out(read):
    text = NWCHEM_HEAD + NWCHEM_DFT.format(seconds="9.0") + NWCHEM_TASK.format(cpu="9.5", wall="5.0")
    assert times(read(text)) == {"DFT": 5.0}


def test_a_run_of_nwchem_that_was_cut_off_says_so(read):
    assert CUT in read(nwchem(total=False)).notices
    assert CUT not in read(nwchem()).notices


def test_a_run_of_nwchem_without_a_task_is_refused(read):
    with pytest.raises(InputError, match="NWChem, 8 processes, stopped before the end"):
        read(NWCHEM_HEAD)


def test_specfem_counts_what_it_printed_last(read):
    profile = read(specfem())
    assert times(profile) == {"time loop": 20.25, "preparation": 0.5}
    assert effort(profile) == 4 * 20.75
    assert settings(profile)["steps"] == "1000"
    assert CUT not in profile.notices


def test_specfem_that_was_cut_off_has_the_steps_up_to_there(read):
    profile = read(specfem(ended=False))
    assert times(profile)["time loop"] == 20.0
    assert CUT in profile.notices


def test_specfem_of_the_globe_is_read(read):
    globe = specfem().replace("Specfem 3-D Solver - MPI version f90", "Specfem3D MPI Solver")
    assert times(read(globe))["time loop"] == 20.25


def test_specfem_without_a_time_is_refused(read):
    with pytest.raises(InputError, match="SPECFEM3D, 4 processes, stopped before the end"):
        read(SPECFEM_HEAD.format(processes=4).replace("Elapsed", "elapsed"))


def test_cactus_has_routines_below_their_bins_as_printed_last(read):
    profile = read(cactus())
    routine = "ML_BSSN: evaluate the right hand side of the equa"
    assert times(profile) == {
        ("CCTK_STARTUP", "IOUtil: Startup routine"): 0.5,
        "CCTK_EVOL": 1.0,
        ("CCTK_EVOL", "MoL: Initialise RHS"): 2.0,
        ("CCTK_EVOL", routine): 5.0,
        "(outside all timers)": 1.5,
    }
    assert effort(profile) == 4 * 10.0
    assert reconciled(profile)[""] == "timers 34 s = 85.00 % of the stated 40 s"
    assert settings(profile)["threads"] == "2"


def test_cactus_is_read_by_the_clock_of_the_wall_in_any_column(read):
    text = CACTUS_HEAD + cactus_table(1.0, columns=("getrusage", "gettimeofday"))
    assert times(read(text)) == times(read(CACTUS_HEAD + cactus_table(1.0)))


def test_clocks_of_cactus_that_are_not_known_are_refused(read):
    with pytest.raises(InputError, match="a header of Cactus that is not known"):
        read(CACTUS_HEAD + cactus_table(1.0, columns=("PAPI_TOT_CYC",)))
