"""Tables of timers that libraries and frameworks print: GPTL, PETSc, AMReX, deal.II, Teuchos, Kokkos."""

import numpy as np
import pytest

from ingest.run_settings import STATISTIC

from . import timer_logs
from .timer_logs import AMREX_ROWS, DEALII_STATISTICS, GPTL_ROWS, KOKKOS, LOGS, SERIAL_TEUCHOS, TEUCHOS
from .timer_profiles import effort, overlapping, reconciled, settings, times

FORMAT, FILE = "timer table", "x.log"


def test_gptl_sums_over_ranks_and_known_roots(read):
    profile = read(timer_logs.gptl(GPTL_ROWS))
    assert times(profile) == {"CPL:INIT": 10.0, "CPL:RUN_LOOP": 100.0, "CPL:FINAL": 1.0}
    assert effort(profile) == 444.0
    assert overlapping(profile) == {"a:cam_run1": 75.0, "a:bc physics 2": 50.0}
    assert profile.values("visits")[0, 0] == 10.0
    assert reconciled(profile) == {
        "": "timers 444 s, no total is stated (CPL:INIT, CPL:RUN_LOOP, CPL:FINAL);"
        " 2 more timers lie inside them (the sum of all rows, 944 s, is not a total)"
    }


def test_gptl_columns_are_found_by_the_header(read):
    profile = read(timer_logs.gptl(GPTL_ROWS, on=False).replace('"a:cam_run1"', "a:cam_run1  "))
    assert effort(profile) == 444.0
    assert overlapping(profile)["a:cam_run1"] == 75.0
    assert profile.notices == ("1 of 5 names of timers stand without quotes",)


def test_gptl_copies_count_once_and_other_runs_of_the_program_in_no_sum(read):
    profile = read(LOGS["gptl-runs"]())
    assert {path[0] for path, seconds in times(profile).items() if seconds} == {"run 1"}
    assert effort(profile) == 444.0
    assert set(reconciled(profile)) == {"run 1", "run 2"} and "440 s" in reconciled(profile)["run 2"]
    assert (
        "2 runs of the program in one log: run 1 is the one that counts, a log of each would be a run of"
        in (" ".join(profile.notices))
    )
    assert overlapping(profile)["CPL:RUN_LOOP"] == 100.0


@pytest.mark.parametrize(("runs", "told"), [(16, "16 runs"), (40, "more than 16 runs")])
def test_of_many_runs_of_the_program_the_first_counts(read, runs, told):
    texts = (timer_logs.gptl([(name, seconds + run) for name, seconds in GPTL_ROWS]) for run in range(runs))
    profile = read("".join(texts))
    assert effort(profile) == 444.0
    assert profile.notices[0].startswith(f"{told} of the program in one log: run 1 is the one that counts")


def test_gptl_without_known_roots_takes_the_longest(read):
    profile = read(timer_logs.gptl([("a", 8.0), ("b", 40.0)]))
    assert times(profile) == {"(whole run)": 10.0}
    text = "no total is stated, the longest stands for it: 40 s (sum of all rows 48 s, 120.00 % of it)"
    assert reconciled(profile)[""] == f"timers may lie inside each other (2); {text}"


def test_what_is_known_of_the_driver_of_gptl_is_a_tree(read):
    rows = [
        ("CPL:RUN_LOOP", 400.0),
        ("CPL:COMM", 40.0),
        ("CPL:C2A", 30.0),
        ("CPL:ATM_RUN", 300.0),
        ("a:CAM_run1", 200.0),
        ("a:unheard of", 250.0),
    ]
    profile = read(timer_logs.gptl(rows))
    assert times(profile) == {
        "CPL:RUN_LOOP": 15.0,
        ("CPL:RUN_LOOP", "CPL:ATM_RUN"): 25.0,
        ("CPL:RUN_LOOP", "CPL:ATM_RUN", "a:CAM_run1"): 50.0,
        ("CPL:RUN_LOOP", "CPL:COMM"): 2.5,
        ("CPL:RUN_LOOP", "CPL:COMM", "CPL:C2A"): 7.5,
    }
    assert effort(profile) == 400.0
    assert overlapping(profile) == {"a:unheard of": 62.5}
    assert reconciled(profile)[""].endswith(
        "1 more timers lie inside them, which of them in which is not known"
    )


def test_a_timer_that_does_not_fit_into_its_caller_stays_apart(read):
    profile = read(timer_logs.gptl([("CPL:RUN_LOOP", 400.0), ("CPL:ATM_RUN", 300.0), ("a:CAM_run1", 330.0)]))
    assert times(profile) == {"CPL:RUN_LOOP": 25.0, ("CPL:RUN_LOOP", "CPL:ATM_RUN"): 75.0}
    assert overlapping(profile) == {"a:CAM_run1": 82.5}
    assert "do not fit into what should hold them are in no sum: a:CAM_run1" in profile.notices[0]


def test_rounding_makes_no_time_negative(read):
    rows = [("CPL:RUN_LOOP", 400.0), ("CPL:ATM_RUN", 300.0), ("CPL:LND_RUN", 104.0)]
    profile = read(timer_logs.gptl(rows))
    assert times(profile) == {("CPL:RUN_LOOP", "CPL:ATM_RUN"): 75.0, ("CPL:RUN_LOOP", "CPL:LND_RUN"): 25.0}
    assert effort(profile) == 400.0


def test_petsc_stages_are_the_total_and_known_events_lie_in_them(read):
    profile = read(timer_logs.petsc())
    assert times(profile) == {
        "0: Main Stage": 9.0,
        "1: P(#, #) Warm solve": 2.0,
        ("1: P(#, #) Warm solve", "KSPSolve"): 1.5,
        ("1: P(#, #) Warm solve", "KSPSolve", "PCApply"): 2.5,
    }
    assert effort(profile) == 120.0
    assert overlapping(profile) == {"Mesh Partition": 0.5, "CreateFunctionSpace": 1.0}
    assert "maximum of processes, a bound" in profile.attributes[STATISTIC]


def test_the_mean_of_a_petsc_event_is_at_most_what_its_percents_allow(read):
    profile = read(timer_logs.petsc().replace("  0  0  0  0  0  42", "  0  0  0  0  0  30"))
    assert times(profile)["1: P(#, #) Warm solve", "KSPSolve", "PCApply"] == pytest.approx(0.305 * 6)
    assert np.nanmax(profile.values("max_time")) == 4.0
    assert effort(profile) == 120.0


@pytest.mark.parametrize(("beside", "known"), [("VecNorm", True), ("MGSmooth Level 0", False)])
def test_products_of_multigrid_are_in_the_preconditioner_too(read, beside, known):
    text = timer_logs.petsc()
    row = next(line for line in text.splitlines() if line.startswith("Mesh Partition"))
    more = [row.replace(f"{'Mesh Partition':<16}", f"{name:<16}") for name in ("MatMult", beside)]
    solve = next(line for line in text.splitlines() if line.startswith("KSPSolve"))
    profile = read(text.replace(solve, "\n".join([solve, *more])))
    assert (("1: P(#, #) Warm solve", "KSPSolve", "MatMult") in times(profile)) == known
    assert effort(profile) == 120.0


def test_stages_of_different_meshes_have_one_name(read):
    one, other = read(timer_logs.petsc(mesh=35)), read(timer_logs.petsc(mesh=44, gpu=True))
    assert times(one) == times(other)


def test_a_stage_whose_name_fills_its_line_has_its_numbers_on_the_next(read):
    broken = timer_logs.petsc().replace(") Warm solve", ") Warm solve\n")
    assert " 1: P(4, 35) Warm solve\n: 6.0000e+00" in broken
    whole, profile = read(timer_logs.petsc()), read(broken)
    assert times(profile) == times(whole)
    assert overlapping(profile) == overlapping(whole)
    assert reconciled(profile)[""] == "timers 120 s = 100.00 % of the stated 120 s"


def test_amrex_exclusive_table_and_the_rest(read):
    profile = read(timer_logs.amrex(AMREX_ROWS, total=12.0, region=True))
    assert times(profile) == {
        "FillBoundary_finish()": 4.0,
        "FabArray::setVal(val, thecmd, scomp, ncomp)": 2.0,
        "amr-wind::incflo::advance": 3.0,
        "(timers below the print threshold)": 0.5,
        "(outside all timers)": 2.5,
    }
    assert effort(profile) == 16 * 12.0
    assert settings(profile)["steps"] == "100"


def test_dealii_sections_may_nest(read):
    profile = read(timer_logs.dealii([("Assemble", 2.0), ("Solve: (I-X)", 5.0)], total=10.0, digits=".3e"))
    assert times(profile) == {"(whole run)": 10.0}
    assert overlapping(profile) == {"Assemble": 2.0, "Solve: (I-X)": 5.0}
    text = "the stated total is 10 s (sum of all rows 7 s, 70.00 % of it)"
    assert reconciled(profile) == {"": f"timers may lie inside each other (2); {text}"}


def test_dealii_cumulative_tables_are_not_added(read):
    one = timer_logs.dealii([("Assemble", 2.0)], total=4.0)
    other = timer_logs.dealii([("Assemble", 3.0), ("Solve", 2.0)], total=9.0)
    profile = read(one + other)
    assert times(profile) == {"(whole run)": 9.0}
    assert profile.notices[0].startswith("the number of processes")


def test_dealii_tables_that_were_reset_are_added(read):
    one = timer_logs.dealii([("Assemble", 2.0), ("Setup", 1.0)], total=4.0)
    other = timer_logs.dealii([("Assemble", 1.0)], total=2.0)
    profile = read(one + other)
    assert times(profile) == {"(whole run)": 6.0}
    assert overlapping(profile) == {"Assemble": 3.0, "Setup": 1.0}


def test_dealii_tables_of_another_run_are_not_read(read):
    one = timer_logs.dealii([("Assemble", 2.0), ("Setup", 1.0)], total=4.0)
    profile = read(one + timer_logs.dealii([("Assemble", 30.0)], total=50.0))
    assert times(profile) == {"(whole run)": 4.0}
    assert "other runs" in profile.notices[0]


def test_dealii_wall_time_is_preferred_and_statistics_are_means(read):
    cpu = timer_logs.dealii([("Assemble", 7.0)], total=8.0, kind="CPU")
    assert times(read(cpu)) == {"(whole run)": 8.0}
    assert times(read(cpu + timer_logs.dealii([("Assemble", 2.0)], total=4.0))) == {"(whole run)": 4.0}
    statistics = read(DEALII_STATISTICS)
    assert overlapping(statistics) == {"Assemble": 2.0, "Solve": 5.0}
    assert times(statistics) == {"(whole run)": 10.0}
    assert statistics.values("max_time").max() == 6.0 or np.nanmax(statistics.values("max_time")) == 6.0


def test_teuchos_means_and_a_single_process(read):
    profile = read(TEUCHOS)
    assert overlapping(profile) == {"Belos: Op*x": 1.0, "Belos: Solve total": 4.0}
    assert effort(profile) == 16.0
    assert overlapping(read(SERIAL_TEUCHOS)) == {"Belos: Op*x": 1.5, "Belos: Solve total": 4.0}


def test_kokkos_kernels_and_regions(read):
    profile = read(KOKKOS)
    assert times(profile) == {"Axpy<double, Space>": 4.0, "Dot": 1.0, "(outside all timers)": 3.0}
    assert overlapping(profile) == {"time loop": 6.0}
