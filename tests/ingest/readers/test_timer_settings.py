"""What logs state about themselves: version, compiler, commit, steps."""

import pytest

from ingest.readers import timer_tables
from ingest.run_settings import SETTING, stated

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
