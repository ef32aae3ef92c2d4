"""Tables of timers as other versions and other options of the programs print them."""

import numpy as np
import pytest

from . import timer_logs
from .timer_logs import GPTL_SUMMARY, GROMACS_ON_GPU, KOKKOS_STACK, PH
from .timer_profiles import effort, overlapping, reconciled, settings, times

FORMAT, FILE = "timer table", "x.log"


def test_gromacs_with_pme_on_a_gpu(read):
    profile = read(GROMACS_ON_GPU)
    assert times(profile) == pytest.approx(
        {
            "Force": 78 / 8 / 2,
            "PME GPU mesh": 78 / 8 * 0.2,
            ("PME GPU mesh", "Wait PME GPU gather"): 78 / 8 * 0.1,
            "Write traj.": 78 / 8 * 0.1,
            "Rest": 78 / 8 * 0.1,
        }
    )
    assert reconciled(profile) == {"": "timers 78 s = 100.00 % of the stated 78 s"}


def test_threads_of_gromacs_are_those_stated_if_cores_idled(read):
    assert len(read(GROMACS_ON_GPU).locations) == 8
    assert len(read(GROMACS_ON_GPU.replace("780.0", "510.0")).locations) == 8


def test_gromacs_4_6_has_parts_of_pme_without_a_heading(read):
    profile = read("""     R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G

 Computing:         Nodes   Th.     Count  Wall t (s)     G-Cycles       %
-----------------------------------------------------------------------------
 Force                 3    1        101      10.000       60.000    60.0
 PME mesh              2    1        101       4.000       16.000    16.0
 PME wait for PP       2                       6.000       24.000    24.0
-----------------------------------------------------------------------------
 Total                 5                      10.000      100.000   100.0
-----------------------------------------------------------------------------
-----------------------------------------------------------------------------
 PME spread/gather     2    1        101       3.000       12.000    12.0
 PME 3D-FFT            2    1        101       0.500        2.000     2.0
-----------------------------------------------------------------------------

               Core t (s)   Wall t (s)        (%)
       Time:       50.000       10.000      500.0
""")
    assert times(profile) == pytest.approx(
        {
            "Force": 6.0,
            "PME mesh": 0.2,
            ("PME mesh", "PME spread/gather"): 1.2,
            ("PME mesh", "PME 3D-FFT"): 0.2,
            "PME wait for PP": 2.4,
        }
    )
    assert len(profile.locations) == 5
    assert effort(profile) == 50.0


def test_gromacs_before_4_6_sums_seconds_over_ranks(read):
    profile = read("""     R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G

 Computing:         Nodes     Number     G-Cycles    Seconds     %
-----------------------------------------------------------------------
 Force                 4        101       60.000       24.0    60.0
 PME mesh              4        101       30.000       12.0    30.0
 Rest                  4                  10.000        4.0    10.0
-----------------------------------------------------------------------
 Total                 4                 100.000       40.0   100.0
-----------------------------------------------------------------------

               NODE (s)   Real (s)      (%)
       Time:     10.000     10.000    100.0
""")
    assert effort(profile) == 40.0
    assert times(profile) == pytest.approx({"Force": 6.0, "PME mesh": 3.0, "Rest": 1.0})


def test_namd_without_times_of_steps(read):
    profile = read("""Info: NAMD 2.14 for Linux-x86_64-multicore
Info: Initial time: 8 CPUs 0.1 s/step 1.1 days/ns 8715.45 MB memory
WallClock: 70.500000  CPUTime: 70.212631  Memory: 8764.273438 MB
""")
    assert times(profile) == {"(whole run)": 70.5}
    assert effort(profile) == 8 * 70.5


def test_lammps_of_2013_counts_processes_as_tasks_times_threads(read):
    profile = read("""Loop time of 10 on 8 procs (4 MPI x 2 OpenMP) for 100 steps with 8000 atoms
Pair  time (%) = 7 (70)
Comm  time (%) = 2 (20)
Other time (%) = 1 (10)
Gffft time (%) = 0.5 (5)
""")
    assert effort(profile) == 40.0
    assert times(profile) == {"Pair": 7.0, "Comm": 2.0, "Other": 1.0}
    assert settings(profile)["threads"] == "2"


def test_lammps_with_full_timers(read):
    profile = read("""LAMMPS (29 Aug 2024)
Loop time of 10 on 4 procs for 100 steps with 8000 atoms
99.7% CPU use with 4 MPI tasks x 2 OpenMP threads

MPI task timing breakdown:
Section |  min time  |  avg time  |  max time  |%varavg|  %CPU | %total
-----------------------------------------------------------------------
Pair    | 6.5        | 7          | 7.5        |   7.6 | 199.5 | 70.00
Comm    | 2          | 2          | 2          |   0.0 | 100.0 | 20.00
Other   |            | 1          |            |       |       | 10.00

Nlocal:    2000 ave 2010 max 1990 min
""")
    assert times(profile) == {"Pair": 7.0, "Comm": 2.0, "Other": 1.0}
    assert np.nanmin(profile.values("min_time")) == 2.0


def test_cp2k_with_the_rank_of_the_maximum(read):
    text = timer_logs.cp2k([("CP2K", 1.0), ("mp_sum_d", 3.0)], total=5.0)
    old = times(read(text))
    lines = [f"{row}       3" if row.count(".") == 5 else row for row in text.splitlines()]
    new = "\n".join(lines).replace("TOTAL TIME", "TOTAL TIME MAXRANK")
    assert new.count("       3\n") == 2
    assert times(read(new)) == old


@pytest.mark.parametrize(
    "unit", [" nodes", " MPI task", " nodes\n| Number of openmp threads per MPI task:     2"]
)
def test_amber_processes(read, unit):
    text = f"| Running AMBER/MPI version on   16{unit}\n" + timer_logs.PMEMD
    stated = [line for line in timer_logs.PMEMD.splitlines() if "AMBER/MPI" in line]
    profile = read(text.replace("\n".join(stated), "") if stated else text)
    assert len(profile.locations) == 16
    assert settings(profile)["threads"] == ("2" if "openmp" in unit else "1")


def test_amrex_total_without_blanks_and_an_indented_table(read):
    text = timer_logs.amrex(timer_logs.AMREX_ROWS, total=12.0)
    packed = text.replace("12.0 ... 12.0 ... 12.0", "12.0...12.0...12.0").replace("Max %", "Max  %")
    assert packed != text
    assert times(read(packed)) == times(read(text))
    indented = "\n".join(f"    {line}" if line else "" for line in packed.splitlines()).replace(
        "    MPI", "MPI"
    )
    assert times(read(indented)) == times(read(text))


def test_dealii_cpu_and_wall_times_in_one_table(read):
    border = "+-----------------------+------------+------------+------------+------------+"
    profile = read(f"""Running with 4 MPI processes
{border}
| Total CPU/wall time elapsed since start     |      40.1s |            |10.5s |            |
|                                             |            |            |            |            |
| Section                         | no. calls |  CPU time  | % of total |  wall time | % of total |
{border}
| Assemble                        |         3 |      20.4s |        48% |     5.12s |        48% |
| Solve                           |         3 |      10.4s |        25% |     3.01s |        28% |
{border}
""")
    assert times(profile) == {"(whole run)": 10.5}
    assert overlapping(profile) == {"Assemble": 5.12, "Solve": 3.01}
    assert effort(profile) == 42.0


def test_clocks_of_ph_are_headed_by_one_that_is_printed_again(read):
    profile = read(PH)
    top = "PHONON"
    assert times(profile) == pytest.approx(
        {
            top: 10.0,
            (top, "phq_setup"): 1.0,
            (top, "phq_init"): 4.0,
            (top, "phq_init", "init_vloc"): 3.0,
            (top, "dynmat0"): 2.0,
            (top, "phqscf"): 10.0,
            (top, "phqscf", "solve_linter"): 20.0,
            (top, "phqscf", "solve_linter", "cgsolve"): 60.0,
        }
    )
    assert overlapping(profile) == {"calbec": 5.0}
    assert effort(profile) == 220.0


def test_clocks_of_which_nothing_says_how_they_nest_count_in_no_sum(read):
    profile = read("""     Program CP v.6.4 starts on 14Jul2020 at 15:51: 3
     Parallel version (MPI), running on     2 processors

     initialize   :      2.00s CPU      3.00s WALL (       1 calls)
     main_loop    :     70.00s CPU     90.00s WALL (     100 calls)
     cpr_total    :     70.00s CPU     91.00s WALL (       1 calls)
     rhoofr       :     30.00s CPU     40.00s WALL (     101 calls)

     CP           :  1m20.00s CPU     1m40.00s WALL
""")
    assert times(profile) == {"CP": 100.0}
    assert overlapping(profile)["main_loop"] == 90.0
    assert profile.notices == (
        "the clocks below 'CP' took longer than it did: they are also called elsewhere",
    )


def test_castep_of_2008_calls_processes_nodes(read):
    text = timer_logs.castep(processes=32)
    old = text.replace("32 processes", "32 nodes")
    assert old != text
    assert len(read(old).locations) == 32


def test_teuchos_before_2011_has_other_titles(read):
    profile = read(
        """
==================================================================================

                                 TimeMonitor Results

Timer Name                  Min over procs    Avg over procs    Max over procs
----------------------------------------------------------------------------------
Data I/O                    4.5 (1)           5.25 (1)          5.5 (1)
inner product               0.005 (2)         0.0625 (2)        0.25 (2)
==================================================================================
""",
        "app.p8/x.log",
    )
    assert overlapping(profile) == {"Data I/O": 5.25, "inner product": 0.0625}
    assert effort(profile) == 8 * 5.25


def test_petsc_of_2026(read):
    text = timer_logs.petsc().replace("Using Petsc", "Using PETSc").replace("Using petsc", "Using PETSc")
    assert "Using PETSc" in text
    assert settings(read(text))["version"] == settings(read(timer_logs.petsc()))["version"]


def test_summary_of_the_gptl_library_has_means_of_the_ranks_that_called(read):
    profile = read(GPTL_SUMMARY)
    assert times(profile) == {"(whole run)": 10.0}
    assert overlapping(profile) == {"total": 10.0, "write output": 1.5}
    assert effort(profile) == 40.0
    assert np.nanmax(profile.values("max_time")) == 11.0
    assert profile.notices[0] == "timers that were running, without values: 1"


def test_old_amber_has_no_section_of_timings(read):
    tree = timer_logs.SANDER.partition("TIMINGS\n")[2].partition("\n")[2]
    profile = read(
        f" Amber 7  SANDER  Scripps/UCSF 2002\n|\n|>>>>>>>>PROFILE of TIMES>>>>>>>>>>>>>>>>>  \n|\n{tree}"
    )
    assert times(profile) == times(read(timer_logs.SANDER))
    single, average = (
        "|>>>>>>>>PROFILE of TIMES  for process    0\n",
        "|>>>>>>>>PROFILE of Average TIMES>>>>>>>>> \n",
    )
    parallel = (
        "|  Running AMBER/MPI version on    4 nodes\n"
        + single
        + tree.replace("10.00", "11.00")
        + average
        + tree
    )
    assert effort(read(parallel)) == 40.0


def test_space_time_stack_of_kokkos_is_a_tree(read):
    profile = read(KOKKOS_STACK, "app.p4/x.log")
    top = "(whole run)"
    assert times(profile) == pytest.approx(
        {
            top: 2.0,
            (top, "time loop"): 2.0,
            (top, "time loop", "axpy"): 3.0,
            (top, "time loop", "dot"): 1.0,
            (top, "axpy"): 2.0,
        }
    )
    assert effort(profile) == 40.0


def test_threads_of_serial_quantum_espresso(read):
    serial = "     Serial multi-threaded version, running on    8 processor cores"
    text = PH.replace("     Parallel version (MPI), running on     2 processors", serial)
    profile = read(text)
    assert len(profile.locations) == 1
    assert settings(profile)["threads"] == "8"
