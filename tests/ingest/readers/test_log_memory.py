"""Memory that programs print into their logs."""

import numpy as np
import pytest

from ingest.readers import timer_tables
from ingest.reduction import reduce_profile
from ingest.resource_use import MEMORY, MEMORY_SOURCE, NODE_MEMORY, memory_of, stated_memory

from . import timer_logs

MIB = 2.0**20
LINES = {
    "lammps": "Per MPI rank memory allocation (min/avg/max) = 3.5 | 4.25 | {} Mbytes",
    "lammps-old": "Memory usage per processor = {} Mbytes",
    "quantum-espresso": "     Estimated max dynamical RAM per process >     {}MB",
    "cp2k": " MEMORY| Estimated peak process memory [MiB]                     {:.0f}",
    "castep": "Peak Memory Use     = {kib:.0f} kB",
    "vasp": "                   Maximum memory used (kb):      {kib:.0f}.",
    "umt": "Current CPU memory use (rank 0): {}MB",
    "petsc": "Maximum (over computational time) process memory:  total {total:.4e} max {bytes:.4e} min 1e+03",
    "namd": "WallClock: 120.5  CPUTime: 119.0  Memory: {} MB",
}


def line(program, mib):
    return LINES[program].format(mib, kib=mib * 1024, bytes=mib * MIB, total=8 * mib * MIB)


@pytest.fixture
def read(tmp_path):
    def read_text(text):
        file = tmp_path / "x.log"
        file.write_text(text)
        return timer_tables.read(file)

    return read_text


@pytest.mark.parametrize("program", LINES)
def test_memory_of_the_process_that_takes_most_is_the_largest_that_is_stated(read, program):
    text = timer_logs.LOGS[program]().replace("Memory: 507.238281 MB", "")
    assert memory_of(read(text)) is None
    profile = read(f"{text}{line(program, 96)}\n{line(program, 512)}\n{line(program, 128)}\n")
    bytes_, source = memory_of(profile)
    assert bytes_ == pytest.approx(512 * MIB, rel=1e-4)
    assert source in LINES[program]


@pytest.mark.parametrize("program", LINES)
def test_times_and_kernels_are_the_same_with_and_without_memory(read, program):
    plain = read(timer_logs.LOGS[program]())
    profile = read(timer_logs.LOGS[program]() + line(program, 96) + "\n")
    assert profile.metrics == plain.metrics
    assert profile.tree.paths(profile.regions.name) == plain.tree.paths(plain.regions.name)
    for metric in plain.metrics:
        np.testing.assert_array_equal(profile.values(metric.name), plain.values(metric.name))


@pytest.mark.parametrize(
    ("program", "more", "of_a_node"),
    [
        ("lammps", "", 4 * 4.25 * MIB),
        ("petsc", "", 8 * 96 * MIB),
        ("quantum-espresso", "     Estimated total dynamical RAM >       1.50GB\n", 1.5 * 1024 * MIB),
        ("cp2k", "", np.nan),
    ],
)
def test_a_node_takes_its_part_of_what_all_processes_take(read, program, more, of_a_node):
    attributes = read(f"{timer_logs.LOGS[program]()}{line(program, 96)}\n{more}").attributes
    found = stated_memory(attributes, NODE_MEMORY, nodes=2)
    assert found == pytest.approx(of_a_node / 2, rel=1e-4, nan_ok=True)


def test_vasp_says_less_without_the_operating_system(read):
    line = " total amount of memory used by VASP MPI-rank0   {}. kBytes\n"
    text = timer_logs.vasp() + line.format(1000) + line.format(3000)
    assert memory_of(read(text))[0] == 3000 * 1024
    assert memory_of(read(text + LINES["vasp"].format(kib=2000) + "\n"))[0] == 2000 * 1024


def test_what_is_no_number_is_left_out(read):
    text = timer_logs.LOGS["lammps"]()
    broken = read(text + LINES["lammps"].format("********") + "\n")
    assert stated_memory(broken.attributes, NODE_MEMORY, nodes=1) == 4 * 4.25 * MIB
    assert not stated_memory(broken.attributes, MEMORY) > 0
    assert memory_of(broken) is None


def test_reduced_runs_keep_it(read):
    reduced = reduce_profile(read(timer_logs.LOGS["lammps"]() + line("lammps", 96) + "\n"), ["time"])
    assert stated_memory(reduced.attributes, MEMORY) == 96 * MIB
    assert reduced.attributes[MEMORY_SOURCE] == "Per MPI rank memory allocation"
