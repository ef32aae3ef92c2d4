"""Logs of runs that did not come to their end: what their readers know of them."""

import pytest

from ingest.errors import InputError
from ingest.readers import find_profile_reader
from ingest.run_settings import STOPPED
from tests.ingest.readers import timer_logs

LAMMPS = "LAMMPS (4 Jan 2019)\n  2 by 2 by 4 MPI processor grid\nStep Temp\n       0         1.35\n"
TIME_LIMIT = "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2024-05-01T10:00:00 DUE TO TIME LIMIT ***\n"
FOAM = "Build  : v2312\nExec   : icoFoam -parallel\nnProcs : 8\n\nStarting time loop\n\nTime = 0.005\n\n"


def upto(log, mark):
    text = timer_logs.LOGS[log]()
    return text[: text.index(mark)]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (LAMMPS, "LAMMPS, 16 processes, stopped before the end"),
        (LAMMPS + TIME_LIMIT, "LAMMPS, 16 processes, stopped before the end (time limit)"),
        (
            LAMMPS + "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.0.\n",
            "LAMMPS, 16 processes, stopped before the end (out of memory)",
        ),
        (LAMMPS + "=>> PBS: job killed: walltime 3620 exceeded limit 3600\n", "(time limit)"),
        (LAMMPS + "MPI_ABORT was invoked on rank 3\n", "(crashed)"),
        (LAMMPS + "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2024-05-01 ***\n", "(cancelled)"),
        (upto("gromacs", "\tM E G A"), "GROMACS, 8 processes, stopped before the end"),
        (upto("quantum-espresso", " CPU"), "Quantum ESPRESSO, 4 processes, stopped before the end"),
        (upto("cp2k", "T I M I N G"), "CP2K, 8 processes, stopped before the end"),
        (upto("castep", "Total time"), "CASTEP, 16 processes, stopped before the end"),
        (
            " vasp.6.4.2 20Jul23\n running   64 mpi-ranks, with    4 threads/rank, on    2 nodes\n",
            "VASP, 64 pro",
        ),
        (upto("namd", "TIMING:"), "NAMD, 16 processes, stopped before the end"),
        ("          Amber 18 PMEMD                   2018\n", "AMBER, stopped before the end"),
        (FOAM, "OpenFOAM icoFoam, 8 processes, stopped before the end"),
    ],
)
def test_a_log_without_its_end_is_named(tmp_path, text, what):
    file = tmp_path / "run.out"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        find_profile_reader(file).read(file)
    assert what in error.value.what


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (upto("vasp", "    Total CPU time used"), "VASP, 4 processes, stopped before the end"),
        (upto("umt", "Total wall time"), "UMT, 4 processes, stopped before the end"),
        (upto("hypre", "Iterations ="), "hypre, 8 processes, stopped before the end"),
        (timer_logs.namd(finished=False), "NAMD, 16 processes, stopped before the end"),
        (
            timer_logs.LOGS["lammps"]()
            + "Per MPI rank memory allocation (min/avg/max) = 1 | 1 | 1 Mbytes\nStep\n",
            "LAMMPS, 4 processes, stopped before the end",
        ),
        (upto("lammps", "Other") + TIME_LIMIT, "LAMMPS, 4 processes, stopped before the end (time limit)"),
        (timer_logs.LOGS["lammps"]() + TIME_LIMIT, ""),
        (timer_logs.LOGS["namd"](), ""),
        (timer_logs.LOGS["lammps-runs"](), ""),
        (timer_logs.LOGS["vasp"](), ""),
    ],
)
def test_a_log_with_timers_up_to_where_it_stopped_says_so(tmp_path, text, what):
    file = tmp_path / "run.out"
    file.write_text(text)
    profile = find_profile_reader(file).read(file)
    assert profile.attributes.get(STOPPED, "") == what
    assert ("the log ends before the run: these are its timers up to there" in profile.notices) == bool(what)
