"""Rates that logs state, and the work that they mean."""

import pytest

from ingest.run_settings import SETTING
from ingest.units import RATE_METRIC, UNITS_OF_WORK

from . import timer_logs
from .benchmark_logs import HPL
from .timer_logs import GROMACS_ROWS

FORMAT, FILE = "timer table", "x.log"
PAIR = [("Pair", 0.75), ("Other", 0.25)]


def work(profile):
    return float(profile.attributes[UNITS_OF_WORK]), profile.attributes[SETTING + RATE_METRIC]


def test_a_rate_times_the_wall_time_is_the_work_of_a_run(read):
    units, unit = work(read(timer_logs.lammps((1.0, 100, PAIR))))
    assert unit == "tau/day" and units == pytest.approx(100 * 0.005)  # steps of 0.005 tau
    units, unit = work(read(timer_logs.gromacs(GROMACS_ROWS)))
    assert unit == "ns/day" and units == pytest.approx(3.818 * (50 / 8) / 86400)
    assert work(read(HPL)) == (pytest.approx(666.67 * 64), "Gflops")


def test_work_of_several_runs_in_a_log_is_added(read):
    units, _ = work(read(timer_logs.lammps((1.0, 100, PAIR), (2.0, 100, [("Pair", 1.5), ("Other", 0.5)]))))
    assert units == pytest.approx(200 * 0.005)


def test_many_runs_that_are_added_to_one_have_no_rate(read):
    many = [(1.0, 10, [("Pair", 0.5 + 0.01 * i), ("Other", 0.25)]) for i in range(20)]
    assert UNITS_OF_WORK not in read(timer_logs.lammps(*many)).attributes


def test_steps_per_second_are_units_where_no_time_is_simulated(read):
    text = timer_logs.lammps((1.0, 100, PAIR)).replace("43200.000 tau/day, ", "")
    assert work(read(text)) == (pytest.approx(100), "timesteps/s")


def test_a_rate_that_contradicts_the_steps_is_said(read):
    text = timer_logs.lammps((1.0, 100, PAIR)).replace("100.000 timesteps/s", "250.000 timesteps/s")
    assert "the stated 250 steps/s are 250 steps, but 100 are stated" in read(text).notices
    assert not read(timer_logs.lammps((1.0, 100, PAIR))).notices


def test_a_rate_of_nothing_is_none(read):
    text = timer_logs.gromacs(GROMACS_ROWS).replace("3.818", "0.000")
    assert UNITS_OF_WORK not in read(text).attributes


@pytest.mark.parametrize(
    "line",
    [
        "Info: Benchmark time: 16 CPUs 0.2 s/step 2.5 days/ns 498.074 MB memory",
        "Info: Benchmark time: 16 CPUs 0.2 s/step 0.4 ns/day 498.074 MB memory",
        "PERFORMANCE: 500  averaging 0.4 ns/day, 0.2 sec/step with standard deviation 0.001",
    ],
)
def test_the_rate_of_namd_is_that_of_the_steps(read, line):
    profile = read(timer_logs.namd().replace("TIMING: 500", f"{line}\nTIMING: 500"))
    assert work(profile) == (pytest.approx(500 * 0.4 * 0.2 / 86400), "ns/day")
    assert profile.attributes["reconciled: "].endswith("; 0.4 ns/day stated for the steps alone")
