"""Tables of timers that applications print: what is read of each, what it sums to, what is said about it."""

import pytest

from ingest.alignment import MeasuredRun, align
from ingest.errors import InputError
from ingest.profile import NODES, SYSTEM_CORES, MetricKind
from ingest.reduction import reduce_profile
from ingest.run_settings import STATISTIC

from . import timer_logs
from .timer_logs import GROMACS_ROWS, NALU_WIND, OLD_QUANTUM_ESPRESSO, OLD_VASP, PMEMD, SANDER
from .timer_profiles import effort, overlapping, reconciled, settings, times

FORMAT, FILE = "timer table", "x.log"


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
    assert reconciled(profile) == {"": "timers 50 s = 100.00 % of the stated 50 s; 3.818 ns/day stated"}
    assert settings(profile) == {
        "program": "GROMACS",
        "version": "2018.2",
        "pme ranks": "2",
        "steps": "101",
        "threads": "1",
        "rate": "ns/day",
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
    assert reconciled(profile) == {"": "timers 50 s = 98.04 % of the stated 51 s; 3.818 ns/day stated"}


def test_nodes_and_their_cores_are_not_settings(read):
    line = "Running on 2 nodes with total 6 cores, 12 logical cores"
    text = timer_logs.gromacs(GROMACS_ROWS).replace("Using 8 MPI", f"{line}\nUsing 8 MPI")
    profile = read(text)
    assert (profile.attributes[NODES], profile.attributes[SYSTEM_CORES]) == ("2", "6")
    assert not {"nodes", "cores"}.intersection(settings(profile))
    (run,) = align(["p"], [MeasuredRun((8.0,), 1, reduce_profile(profile, ["time"]))]).runs
    assert (run.cores.used, run.cores.nodes) == (6, 2)  # two hardware threads of each of two cores
    assert read(timer_logs.vasp()).attributes[NODES] == "1"


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
    with pytest.raises(
        InputError, match="GROMACS, 8 processes, stopped before the end: no table of timers in it"
    ):
        read(text[: text.index("R E A L")])
    with pytest.raises(InputError, match="GROMACS, 8 processes, stopped before the end"):
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
        "run 1": "timers 4 s = 100.00 % of the stated 4 s; 43200 tau/day stated",
        "run 2": "timers 9 s = 90.00 % of the stated 10 s; 34560 tau/day stated",
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
        "times are those of processes with 3 threads: a run holds 3 times as many cores",
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
        ("1d 2h 3m", 93780),
        ("2d 0h 3m 2.50s", 172982.5),
    ],
)
def test_quantum_espresso_times(read, total, seconds):
    assert effort(read(timer_logs.quantum_espresso(total=total))) == 4 * seconds


@pytest.mark.parametrize(
    ("total", "version", "seconds"),
    [
        ("6h27m CPU       27h 6m WALL\n\n      35h", "6.3", 23700.0),
        ("1h 5m CPU        5h 1m WALL\n\n       9h", "6.3MaX", 4140.0),
        ("6h27m CPU       27h 6m WALL", "6.3", 23220.0),  # the line is lost: as the processor says
        ("57m10.00s CPU       58m20.00s WALL", "6.3", 3500.0),
        ("6h27m CPU       27h 6m WALL", "6.4", 97560.0),
    ],
)
def test_wall_times_of_quantum_espresso_6_3(read, total, version, seconds):
    text = timer_logs.quantum_espresso().replace("v.6.1", f"v.{version}")
    profile = read(text.replace("1m50.00s CPU  2m 3.50s WALL", total))
    assert effort(profile) == 4 * seconds
    corrected = "wall times from one hour on, which pw.x 6.3 prints wrongly, are corrected"
    assert (corrected in profile.notices) == (version.startswith("6.3") and seconds > 3600)


@pytest.mark.parametrize(
    ("log", "before", "after", "name"),
    [
        ("quantum-espresso", "10.00s WALL (       5", "*****s WALL (       5", "sum_band"),
        ("cp2k", "   4.000    5.000    4.000", "******** 5.000    4.000", "qs_forces"),
        ("castep", "Finalisation time   =      2.00 s", "Finalisation time   =  ******** s", "Finalisation"),
        ("vasp", "real time      0.5000", "real time **********", "INWAV"),
    ],
)
def test_a_time_too_large_for_its_column_is_unknown_and_named(read, log, before, after, name):
    text = timer_logs.LOGS[log]()
    assert before in text
    profile = read(text.replace(before, after, 1))
    assert f"times too large for their columns, ****, are unknown: {name}" in profile.notices
    assert name not in profile.regions.name or log == "quantum-espresso"


@pytest.mark.parametrize(
    ("log", "before", "after"),
    [
        ("quantum-espresso", "2m 3.50s WALL", "*****s WALL"),
        ("cp2k", " 6.000    7.000\n", " ******** 7.000\n"),
        ("castep", "Total time          =     45.00 s", "Total time          =  ******** s"),
        ("vasp", "Elapsed time (sec):      100.000", "Elapsed time (sec):   **********"),
        ("specfem", "seconds = ", "seconds = ****** "),
    ],
)
def test_a_total_too_large_for_its_column_is_refused(read, log, before, after):
    text = timer_logs.LOGS[log]()
    assert before in text
    with pytest.raises(InputError, match="the total is unknown: a time is too large for its column"):
        read(text.replace(before, after))


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
    assert times(profile) == {"INWAV": 0.5, "POTLOK": 1.5, "(outside all timers)": 98.0}
    assert "times too large for their columns, ****, are unknown: TRIAL" in profile.notices


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


def test_castep_without_its_total_was_interrupted(read):
    with pytest.raises(InputError, match="CASTEP, 16 processes, stopped before the end"):
        read(timer_logs.castep().replace("Total time", "Other time"))


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
    assert profile.notices == ("the log ends before the run: these are its timers up to there",)
    assert reconciled(profile) == {"": "timers 1608 s, no total is stated"}


def test_nalu_wind_by_equation(read):
    profile = read(NALU_WIND, "nalu.p8.log")
    assert times(profile) == {
        ("MomentumEQS", "init"): 0.5,
        ("MomentumEQS", "assemble"): 300.0,
        ("IO", "io output fields"): 0.75,
    }
    assert len(profile.locations) == 8


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
