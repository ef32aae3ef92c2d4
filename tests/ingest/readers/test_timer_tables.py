"""Tables of timers: what is read of each kind, what it sums to, and what is said about it."""

from contextlib import suppress
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

from ingest.errors import InputError
from ingest.profile import MetricKind
from ingest.readers import find_profile_reader, timer_tables
from ingest.reduction import reduce_profile
from ingest.run_settings import RECONCILED, SETTING, STATISTIC, stated

from . import timer_logs
from .timer_logs import (
    AMREX_ROWS,
    DEALII_STATISTICS,
    GPTL_ROWS,
    GROMACS_ROWS,
    KOKKOS,
    LOGS,
    NALU_WIND,
    OLD_QUANTUM_ESPRESSO,
    OLD_VASP,
    PMEMD,
    SANDER,
    SERIAL_TEUCHOS,
    TEUCHOS,
)


@pytest.fixture
def read(tmp_path):
    def write_and_read(text, name="x.log"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        assert timer_tables.matches(file)
        return timer_tables.read(file)

    return write_and_read


def times(profile):
    """Exclusive seconds of one location by call path, without what takes none."""
    paths = profile.tree.paths(profile.regions.name)
    values = profile.values("time")
    assert (values == values[:, :1]).all()
    return {
        path[0] if len(path) == 1 else path: value
        for path, value in zip(paths, values[:, 0].tolist(), strict=True)
        if abs(value) > 1e-12
    }


def overlapping(profile):
    values = profile.values("overlapping_time")[:, 0].tolist()
    return {profile.regions.name[r]: v for r, v in zip(profile.tree.region, values, strict=True) if v}


def effort(profile):
    return pytest.approx(float(profile.values("time").sum()))


def settings(profile):
    return stated(profile.attributes, SETTING)


def reconciled(profile):
    return stated(profile.attributes, RECONCILED)


def test_each_kind_is_recognised_by_its_content(tmp_path):
    for name, log in LOGS.items():
        file = tmp_path / name
        file.write_text(log())
        assert find_profile_reader(file).name == "timer table", name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing of the kind\n",
        "the table `R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G` is printed at the end\n",
        "`Loop time of 73.561 on 4 procs for 2500 steps with 3072 atoms`\n",
        "after TinyProfiler total time across processes comes a table\n",
        " vasp.6.4.2 20Jul23 (build Nov  3 2023 12:13:40) complex\n running on 4 total cores\n",
    ],
)
def test_other_texts_are_not_recognised(tmp_path, text):
    file = tmp_path / "README.md"
    file.write_text(text)
    assert not timer_tables.matches(file)
    assert not timer_tables.matches(tmp_path)
    with pytest.raises(InputError, match=r"no table of timers|empty"):
        timer_tables.read(file)


def test_a_page_is_recognised_if_the_table_in_it_has_values(tmp_path):
    page = tmp_path / "README.md"
    table = timer_logs.dealii([("Assemble", 2.0), ("Solve", 5.0)], total=10.0)
    page.write_text(f"The output is\n```\n{table}```\n")
    assert timer_tables.matches(page)
    page.write_text(f"The output is\n```\n{table.replace('2s', '...s').replace('5s', '...s')}```\n")
    assert not timer_tables.matches(page)


def test_a_binary_file_is_not_recognised(tmp_path):
    file = tmp_path / "x.log"
    file.write_bytes(timer_logs.namd().encode() + b"\0")
    assert not timer_tables.matches(file)


def test_gromacs_cycles_become_seconds_of_cores(read):
    profile = read(timer_logs.gromacs(GROMACS_ROWS))
    assert len(profile.locations) == 8
    assert effort(profile) == 50.0
    assert times(profile) == pytest.approx(
        {
            "Domain decomp.": 4 / 16,
            "Force": 80 / 16,
            "PME mesh": (10 - 8) / 16,
            ("PME mesh", "PME spread"): 6 / 16,
            ("PME mesh", "PME 3D-FFT Comm."): 2 / 16,
            "PME wait for PP": 6 / 16,
        }
    )
    assert reconciled(profile) == {"": "timers 50 s = 100.00 % of the stated 50 s"}
    assert settings(profile) == {
        "program": "GROMACS",
        "version": "2018.2",
        "pme ranks": "2",
        "steps": "101",
        "threads": "1",
    }
    paradigm = dict(zip(profile.regions.name, profile.regions.paradigm, strict=True))
    assert (paradigm["PME 3D-FFT Comm."], paradigm["PME wait for PP"], paradigm["Force"]) == (
        "mpi",
        "mpi",
        "user",
    )


def test_gromacs_with_threads_a_rest_and_a_table_of_the_gpu(read):
    profile = read(timer_logs.gromacs(GROMACS_ROWS, threads=2, header="Activity:", gpu=True, rest=2.0))
    assert len(profile.locations) == 16
    assert profile.locations.thread[:3].tolist() == [0, 1, 0]
    assert effort(profile) == 51.0
    assert times(profile)["(outside all timers)"] * 16 == pytest.approx(1.0)
    assert "Pair list H2D" not in profile.regions.name
    assert reconciled(profile) == {"": "timers 50 s = 98.04 % of the stated 51 s"}


def test_gromacs_with_an_unknown_header_is_refused_with_its_line(read):
    text = timer_logs.gromacs(GROMACS_ROWS).replace(
        "Num   Num      Call    Wall", "Rnk   Thr      Call    Wall"
    )
    with pytest.raises(InputError, match=r"line 14: a header of GROMACS that is not known: Computing: *Rnk"):
        read(text)


def test_of_several_tables_the_last_is_read(read):
    first = timer_logs.gromacs([("Force", 20.0)])
    profile = read(first + timer_logs.gromacs([("Force", 30.0)]))
    assert effort(profile) == 15.0
    assert profile.notices == ("2 tables of timers in it: the last is read",)


def test_a_log_without_its_end_is_refused(read):
    text = timer_logs.gromacs(GROMACS_ROWS)
    with pytest.raises(InputError, match="no table of timers of GROMACS in it; was the run interrupted"):
        read(text[: text.index("R E A L")])
    with pytest.raises(InputError, match="no table of timers of GROMACS"):
        read(text[: text.index(" Total  ")])


def test_lammps_runs_are_kept_apart(read):
    sections = [("Pair", 0.75), ("Comm", 0.125), ("Other", 0.125)]
    profile = read(timer_logs.lammps((1.0, 100, sections), (2.5, 200, [("Pair", 2.0), ("Other", 0.25)])))
    assert times(profile) == {
        ("run 1", "Pair"): 0.75,
        ("run 1", "Comm"): 0.125,
        ("run 1", "Other"): 0.125,
        ("run 2", "Pair"): 2.0,
        ("run 2", "Other"): 0.25,
    }
    assert effort(profile) == 4 * 3.25
    assert reconciled(profile) == {
        "run 1": "timers 4 s = 100.00 % of the stated 4 s",
        "run 2": "timers 9 s = 90.00 % of the stated 10 s",
    }
    assert settings(profile)["steps"] == "100, 200"
    assert profile.values("time_per_step").sum() == pytest.approx(4 * 3.25 / 300)
    assert profile.metric("min_time").kind is MetricKind.MINIMUM
    pair = profile.tree.paths(profile.regions.name).index(("run 1", "Pair"))
    assert profile.values("min_time")[pair, 0] == 0.375
    assert profile.values("max_time")[pair, 0] == 1.5


def test_lammps_with_many_runs_is_added(read):
    profile = read(timer_logs.lammps(*[(1.0, 10, [("Pair", i + 1.0), ("Other", 0.5)]) for i in range(20)]))
    assert times(profile) == {"Pair": 210.0, "Other": 10.0}
    assert reconciled(profile)[""].endswith("of the stated 80 s")


def test_the_same_run_printed_twice_counts_once(read):
    profile = read(timer_logs.lammps(*[(1.0, 100, [("Pair", 0.5), ("Other", 0.5)])] * 2))
    assert times(profile) == {"Pair": 0.5, "Other": 0.5}


def test_lammps_threads_and_the_old_format(read):
    profile = read(timer_logs.lammps((1.0, 10, [("Pair", 1.0), ("Other", 0.5)]), threads="3"))
    assert len(profile.locations) == 4
    assert profile.notices == (
        "times are those of processes with 3 threads: core-seconds are 3 times as many",
    )
    old = read(timer_logs.old_lammps())
    assert times(old) == {"Pair": 11.0, "Kspace": 4.0, "Output": 0.5, "Other": 1.0}
    assert effort(old) == 66.0


def test_cp2k_remainder(read):
    profile = read(timer_logs.cp2k([("CP2K", 0.5), ("qs_forces", 4.0), ("mp_bcast_i", 1.0)], total=6.0))
    assert times(profile) == {"CP2K": 0.5, "qs_forces": 4.0, "mp_bcast_i": 1.0, "(outside all timers)": 0.5}
    assert effort(profile) == 48.0
    assert reconciled(profile) == {"": "timers 44 s = 91.67 % of the stated 48 s"}
    assert profile.attributes[STATISTIC] == "mean of processes (8 processes x 2 threads)"
    assert profile.values("visits")[1].tolist() == [11.0] * 8
    assert profile.regions.paradigm[2] == "mpi"


def test_cp2k_remainder_may_be_slightly_negative(read):
    profile = read(timer_logs.cp2k([("CP2K", 1.001), ("qs_forces", 5.0)], total=6.0))
    assert times(profile)["(outside all timers)"] == pytest.approx(-0.001)
    assert effort(profile) == 48.0


def test_quantum_espresso_tree_by_headings(read):
    profile = read(timer_logs.quantum_espresso())
    top = "PWSCF"
    assert times(profile) == pytest.approx(
        {
            top: 123.5 - 103.0,
            (top, "init_run"): 1.5,
            (top, "init_run", "wfcinit"): 1.5,
            (top, "electrons"): 10.0,
            (top, "electrons", "c_bands"): 10.0,
            (top, "electrons", "c_bands", "cegterg"): 20.0,
            (top, "electrons", "c_bands", "cegterg", "h_psi"): 1.0,
            (top, "electrons", "c_bands", "cegterg", "h_psi", "h_psi:pot"): 4.0,
            (top, "electrons", "c_bands", "cegterg", "h_psi", "h_psi:pot", "h_psi:calbec"): 5.0,
            (top, "electrons", "c_bands", "cegterg", "h_psi", "h_psi:pot", "vloc_psi"): 40.0,
            (top, "electrons", "sum_band"): 9.8,
            (top, "electrons", "sum_band", "sum_band:bec"): 0.2,
        }
    )
    assert overlapping(profile) == {"calbec": 6.0, "fftw": 39.0, "fft_scatter": 10.0}
    assert effort(profile) == 4 * 123.5
    assert reconciled(profile) == {"": "timers 412 s = 83.40 % of the stated 494 s"}
    assert settings(profile)["pools"] == "2"
    assert profile.attributes[STATISTIC] == "one process: an estimate (4 processes)"


@pytest.mark.parametrize(
    ("total", "seconds"),
    [
        ("59.50s", 59.5),
        ("2m 3.50s", 123.5),
        ("1m56.25s", 116.25),
        ("0h58m", 3480),
        ("1h 2m", 3720),
        ("1d 3h", 97200),
    ],
)
def test_quantum_espresso_times(read, total, seconds):
    assert effort(read(timer_logs.quantum_espresso(total=total))) == 4 * seconds


def test_quantum_espresso_prints_repeatedly(read):
    assert times(read(timer_logs.quantum_espresso(repeated=True))) == times(
        read(timer_logs.quantum_espresso())
    )


def test_quantum_espresso_before_4_1(read):
    profile = read(OLD_QUANTUM_ESPRESSO)
    assert times(profile) == pytest.approx(
        {
            "PWSCF": 1.0,
            ("PWSCF", "init_run"): 0.5,
            ("PWSCF", "electrons"): 1.0,
            ("PWSCF", "electrons", "c_bands"): 3.0,
        }
    )


def test_quantum_espresso_clocks_that_are_longer_than_their_caller(read):
    text = timer_logs.quantum_espresso().replace(
        "c_bands      :     70.00s CPU     80.00s", "c_bands : 1s CPU 3.00s"
    )
    profile = read(text)
    assert effort(profile) == 4 * 123.5
    assert overlapping(profile)["cegterg"] == 70.0
    assert profile.notices == (
        "the clocks below 'c_bands' took longer than it did: they are also called elsewhere",
    )


def test_vasp_sums_calls_and_sets_loops_aside(read):
    profile = read(timer_logs.vasp())
    assert times(profile) == {"INWAV": 0.5, "POTLOK": 1.5, "TRIAL": 50.0, "(outside all timers)": 48.0}
    assert overlapping(profile) == {"LOOP": 53.0, "LOOP+": 60.0}
    assert profile.values("visits")[2, 0] == 2
    assert effort(profile) == 400.0
    assert reconciled(profile) == {"": "timers 208 s = 52.00 % of the stated 400 s"}
    expected = {
        "steps": "2",
        "ionic steps": "1",
        "NCORE": "1",
        "KPAR": "2",
        "threads": "2",
        "version": "6.4.2",
    }
    assert settings(profile) == expected | {"program": "VASP"}


def test_vasp_4(read):
    assert times(read(OLD_VASP)) == {"POTLOK": 1.25, "EDDAV": 2.5, "(outside all timers)": 1.25}


def test_vasp_times_that_did_not_fit(read):
    profile = read(timer_logs.vasp().replace("real time     30.0000", "real time**********"))
    assert times(profile)["TRIAL"] == 20.0
    assert "times that were too large for their columns are missing: 1" in profile.notices


def test_castep_iterations_lie_in_the_calculation(read):
    profile = read(timer_logs.castep())
    assert times(profile) == {
        "Initialisation": 3.0,
        "Calculation": 13.0,
        ("Calculation", "before the first SCF iteration"): 2.0,
        ("Calculation", "SCF iterations"): 25.0,
        "Finalisation": 2.0,
    }
    assert effort(profile) == 16 * 45.0
    assert settings(profile)["steps"] == "2"


def test_castep_appended_runs_count_once(read):
    profile = read(timer_logs.castep(processes=8) + timer_logs.castep())
    assert effort(profile) == 16 * 45.0
    assert profile.notices == ("2 tables of timers in it: the last is read",)


def test_sander_tree_has_callers_below_their_callees(read):
    top = ("Total time", "Runmd Time", "Force time")
    assert times(read(SANDER)) == pytest.approx(
        {
            "Total time": 0.05,
            ("Total time", "Read coords time"): 0.25,
            (*top, "Nonbond force", "List time"): 1.0,
            (*top, "Nonbond force", "Other (Nonbond force)"): 4.0,
            (*top, "Other (Force time)"): 3.0,
            ("Total time", "Other (Total time)"): 1.7,
        }
    )
    assert reconciled(read(SANDER)) == {"": "timers 9.95 s = 99.50 % of the stated 10 s"}


def test_pmemd_major_routines(read):
    profile = read(PMEMD)
    assert times(profile) == {"DataDistrib": 2.0, "Nonbond": 7.0, "Other": 1.0, "Setup": 0.5}
    assert effort(profile) == 42.0


def test_namd_steps_and_the_rest(read):
    profile = read(timer_logs.namd())
    assert times(profile) == {"time steps": 100.5, "(outside all timers)": 20.0}
    assert effort(profile) == 16 * 120.5
    assert settings(profile)["steps"] == "500"


def test_namd_that_was_interrupted(read):
    profile = read(timer_logs.namd(finished=False))
    assert effort(profile) == 16 * 100.5
    assert profile.notices == ("the log ends before the run: steps up to there",)
    assert reconciled(profile) == {"": "timers 1608 s, no total is stated"}


def test_nalu_wind_by_equation(read):
    profile = read(NALU_WIND, "nalu.p8.log")
    assert times(profile) == {
        ("MomentumEQS", "init"): 0.5,
        ("MomentumEQS", "assemble"): 300.0,
        ("IO", "io output fields"): 0.75,
    }
    assert len(profile.locations) == 8


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


def test_gptl_copies_count_once_and_other_runs_are_kept_apart(read):
    profile = read(LOGS["gptl-runs"]())
    assert {path[0] for path in times(profile)} == {"run 1", "run 2"}
    assert effort(profile) == 444.0 + 440.0


def test_gptl_without_known_roots_takes_the_longest(read):
    profile = read(timer_logs.gptl([("a", 8.0), ("b", 40.0)]))
    assert times(profile) == {"(whole run)": 10.0}
    assert reconciled(profile)[""].startswith("timers may lie inside each other (2); no total is stated")


def test_petsc_stages_are_the_total_and_events_overlap(read):
    profile = read(timer_logs.petsc())
    assert times(profile) == {"0: Main Stage": 9.0, "1: P(#, #) Warm solve": 6.0}
    assert effort(profile) == 120.0
    assert overlapping(profile) == {
        "KSPSolve": 4.0,
        "PCApply": 2.5,
        "Mesh Partition": 0.5,
        "CreateFunctionSpace": 1.0,
    }
    assert "maximum of processes, a bound" in profile.attributes[STATISTIC]


def test_stages_of_different_meshes_have_one_name(read):
    one, other = read(timer_logs.petsc(mesh=35)), read(timer_logs.petsc(mesh=44, gpu=True))
    assert times(one) == times(other)


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


def test_processes_are_taken_from_another_part_of_the_log(read, tmp_path):
    (tmp_path / "app_header.log").write_text("MPI initialized with 32 MPI processes\n")
    profile = read(timer_logs.amrex(AMREX_ROWS, total=12.0, stated=False), "app_footer.log")
    assert len(profile.locations) == 32
    assert [*timer_tables.beside(tmp_path / "app_footer.log")] == [tmp_path / "app_header.log"]


def test_processes_of_another_run_are_not_taken(read, tmp_path):
    (tmp_path / "app_1.log").write_text(timer_logs.amrex(AMREX_ROWS, total=12.0))
    profile = read(timer_logs.amrex(AMREX_ROWS, total=12.0, stated=False), "app_2.log")
    assert len(profile.locations) == 1
    assert profile.notices == (
        "the number of processes is not stated: values of one are read; name runs like app.p64.r1",
    )


@pytest.mark.parametrize("name", ["app.p24.r1/x.log", "run.p24.r1.log", "log.p24", "ranks24.n3/x.out"])
def test_processes_are_taken_from_names(read, name):
    profile = read(timer_logs.dealii([("Assemble", 2.0)], total=10.0), name)
    assert len(profile.locations) == 24


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


def test_parents_named_by_the_user_make_a_tree(read, tmp_path):
    (tmp_path / "timers.toml").write_text(
        '[parents]\nKSPSolve = ""\nPCApply = "KSPSolve"\nother = ""\n'
        '"Mesh Partition" = "CreateFunctionSpace"\n'
    )
    profile = read(timer_logs.petsc())
    assert times(profile) == {
        "0: Main Stage": 9.0,
        "1: P(#, #) Warm solve": 2.0,
        ("1: P(#, #) Warm solve", "KSPSolve"): 1.5,
        ("1: P(#, #) Warm solve", "KSPSolve", "PCApply"): 2.5,
    }
    assert effort(profile) == 120.0
    assert overlapping(profile) == {"Mesh Partition": 0.5, "CreateFunctionSpace": 1.0}
    assert profile.notices == ("timers.toml names timers that are not in the table: other",)


def test_all_timers_may_be_put_below_the_whole_run(read, tmp_path):
    (tmp_path / "timers.toml").write_text('[parents]\n"*" = ""\n')
    profile = read(timer_logs.dealii([("Assemble", 2.0), ("Solve", 5.0)], total=10.0), "app.p2.r1/x.log")
    expected = {"(whole run)": 3.0, ("(whole run)", "Assemble"): 2.0, ("(whole run)", "Solve"): 5.0}
    assert times(profile) == expected
    assert timer_tables.beside(tmp_path / "app.p2.r1" / "x.log")


@pytest.mark.parametrize("text", ["[parents", "x = 1", "[parents]\na = 1", "parents = 3"])
def test_a_wrong_file_of_parents_is_refused(read, tmp_path, text):
    (tmp_path / "timers.toml").write_text(text)
    with pytest.raises(InputError, match=r"timers\.toml"):
        read(timer_logs.petsc())


def test_circles_of_parents_stay_overlapping(read, tmp_path):
    (tmp_path / "timers.toml").write_text('[parents]\nKSPSolve = "PCApply"\nPCApply = "KSPSolve"\n')
    profile = read(timer_logs.petsc())
    assert set(overlapping(profile)) >= {"KSPSolve", "PCApply"}
    assert effort(profile) == 120.0


def test_overlapping_timers_are_no_call_paths_of_a_reduced_profile(read):
    reduced = reduce_profile(read(timer_logs.petsc()), ["time", "visits"])
    assert [reduced.regions.name[r] for r in reduced.tree.region] == [
        "0: Main Stage",
        "1: P(#, #) Warm solve",
    ]
    assert reduced.values["time"].sum.tolist() == [72.0, 48.0]


@pytest.mark.parametrize("processes", ["99999999", "999999999999"])
def test_too_many_processes_are_refused(read, processes):
    text = timer_logs.castep().replace("over   16 processes", f"over {processes} processes")
    with pytest.raises(InputError, match="more than any run has"):
        read(text)


def test_names_may_be_in_any_encoding(read):
    text = timer_logs.gptl([("Total", 8.0), ("na\u00efve", 4.0)]).encode("latin-1")
    assert overlapping(read(text)) == {"na\ufffdve": 1.0}


@pytest.mark.parametrize("newline", ["\r\n", "\n"])
def test_line_ends_of_either_kind(read, newline):
    for name, log in LOGS.items():
        plain = read(log(), f"{name}.log")
        other = read(log().replace("\n", newline), f"{name}.other")
        assert times(other) == times(plain), name


def test_a_large_log_is_searched_for_its_table(tmp_path):
    file = tmp_path / "big.log"
    filler = "   DENS    -1.93514e+01   -2.19424e+00   -3.08296e+00 and more of it\n" * 60_000
    head, _, tail = timer_logs.gromacs(GROMACS_ROWS).partition("\tM E G A")
    file.write_text(head + filler + "\tM E G A" + tail + filler[: 1 << 19])
    assert timer_tables.matches(file)
    assert timer_tables.read(Path(file)).values("time").sum() == pytest.approx(50.0)


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("filler", [" ", "0 ", "0.0  ", "a ", "a  1 ", "|", "(", '"', "-- ", "1 (1) "])
def test_rows_that_are_hard_to_refuse_take_no_time(tmp_path, name, filler):
    text = LOGS[name]()
    middle = text.index("\n", len(text) // 2)
    file = tmp_path / "x.log"
    file.write_text(text[: middle + 1] + (filler * 1000)[:999] + "?\n" + text[middle + 1 :])
    begin = perf_counter()
    with suppress(InputError):
        timer_tables.read(file)
    assert perf_counter() - begin < 2.0


def test_pmemd_on_gpus_times_no_routines(read):
    text = PMEMD[: PMEMD.index("|  NonSetup CPU Time in")] + PMEMD[PMEMD.index("|  Setup CPU time") :]
    assert times(read(text.replace("Running AMBER/MPI", "Running"))) == {"Setup": 0.5, "NonSetup": 10.0}


def test_quantum_espresso_with_threads_and_gpus(read):
    text = timer_logs.quantum_espresso(processes=16).replace("WALL (", "WALL      0.50s GPU  (")
    text = text.replace(
        " processors\n",
        " processor cores\n     Number of MPI processes:    4\n     Threads/MPI process:   4\n",
    )
    profile = read(text)
    assert (len(profile.locations), settings(profile)["threads"]) == (4, "4")
    assert times(profile) == times(read(timer_logs.quantum_espresso()))


@pytest.mark.parametrize(
    ("log", "parallel", "serial"),
    [
        (
            timer_logs.castep(),
            "Calculation parallelised over   16 processes.",
            "Calculation not parallelised.",
        ),
        (
            timer_logs.quantum_espresso(),
            "Parallel version (MPI), running on     4 processors",
            "Serial version",
        ),
    ],
)
def test_serial_runs_say_so(read, log, parallel, serial):
    profile = read(log.replace(f"     {parallel}", f"     {serial}").replace(parallel, serial))
    assert len(profile.locations) == 1
    assert profile.notices == ()
