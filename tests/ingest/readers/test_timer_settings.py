"""What logs state about themselves: version, compiler, commit, steps."""

import pytest

from ingest.readers import find_profile_reader, timer_tables
from ingest.run_settings import SETTING, stated, stated_sizes

from . import timer_logs


def settings_of(folder, text):
    file = folder / "x.log"
    file.write_text(text)
    return stated(timer_tables.read(file).attributes, SETTING)


@pytest.mark.parametrize(
    ("log", "line", "name", "value"),
    [
        ("gromacs", "C++ compiler:       /usr/bin/mpicxx GNU 12.2.0", "compiler", "GNU 12.2.0"),
        ("gromacs", "C compiler:         /opt/cray/bin/cc Cray clang 15", "compiler", "Cray clang 15"),
        ("castep", " Compiler: Cray Fortran 12.0.3; Optimisation: fast", "compiler", "Cray Fortran 12.0.3"),
        ("castep", " from code version 7d4405a8a+  HEAD  Sat Nov 27 2021", "commit", "7d4405a8a+"),
        ("cp2k", " CP2K| source code revision number:          git:e635599", "commit", "git:e635599"),
        ("amrex", "  C++ compiler     :: IntelLLVM 2023.2.0", "compiler", "IntelLLVM 2023.2.0"),
        ("amrex", "  AMR-Wind Git SHA :: 32811b18af31e7b", "commit", "32811b18af31e7b"),
    ],
)
def test_compiler_and_commit(tmp_path, log, line, name, value):
    text = timer_logs.LOGS[log]()
    assert name not in settings_of(tmp_path, text)
    assert settings_of(tmp_path, f"{line}\n{text}")[name] == value


def test_flags_of_a_compiler_are_not_its_name(tmp_path):
    flags = "C++ compiler flags: -O3 -DNDEBUG\nC compiler flags:   -O3 -g\n"
    assert "compiler" not in settings_of(tmp_path, flags + timer_logs.LOGS["gromacs"]())


def test_steps_of_nalu_wind_are_those_of_this_part_of_the_run(tmp_path):
    steps = [f"Time Step Count: {step} Current Time: 0.5\n" for step in range(2881, 2881 + 120)]
    overview = timer_logs.NALU_WIND.partition("\n")[2]
    found = settings_of(tmp_path, "".join(steps) + overview)
    assert (found["steps"], found["last step"]) == ("120", "3000")
    cut = settings_of(tmp_path, steps[-1] + overview)
    assert "steps" not in cut
    assert cut["last step"] == "3000"


@pytest.mark.parametrize(
    ("log", "line", "sizes"),
    [
        ("lammps", "", {"atoms": 8000.0}),
        ("gromacs", "There are: 1403180 Atoms", {"atoms": 1403180.0}),
        ("namd", "Info: 92224 ATOMS", {"atoms": 92224.0}),
        ("quantum-espresso", "     number of atoms/cell      =           24", {"atoms": 24.0}),
        (
            "quantum-espresso",
            "     number of k points=     9  smearing\n     number of Kohn-Sham states=  115",
            {"kpoints": 9.0, "bands": 115.0},
        ),
        ("cp2k", "                             - Atoms:               192", {"atoms": 192.0}),
        (
            "vasp",
            "   k-points           NKPTS =      2   k-points in BZ     NKDIM =      8   bands  NBANDS=  640\n"
            "   number of dos      NEDOS =    301   number of ions     NIONS =     65",
            {"atoms": 65.0, "kpoints": 2.0},
        ),
        ("castep", "              Total number of ions in cell =  270", {"atoms": 270.0}),
        ("sander", " NATOM  =     638 NTYPES =      14", {"atoms": 638.0}),
        ("amrex", "  Level 0   4096 grids  134217728 cells  100 % of domain", {"cells": 134217728.0}),
        ("dealii", "   Number of degrees of freedom: 18,531 (8,450+1,089)", {"dofs": 18531.0}),
        ("dealii", "Number of active cells: 256 (on 5 levels)", {"cells": 256.0}),
        ("hpcg", "Global Problem Dimensions::Number of Equations=1124864", {"equations": 104.0**3}),
        ("hpl", "", {"N": 40000.0}),
        ("hypre", "", {"size": 152.0 * 76 * 38}),
    ],
)
def test_sizes_of_the_problem_that_logs_state(tmp_path, log, line, sizes):
    file = tmp_path / "x.log"
    text = timer_logs.LOGS[log]()
    first, _, rest = text.partition("\n")
    file.write_text(f"{first}\n{line}\n{rest}" if line else text)
    reader = find_profile_reader(file)
    found = reader.stated_sizes(file)
    assert found == pytest.approx(sizes)
    assert stated_sizes(reader.read(file).attributes) == found
