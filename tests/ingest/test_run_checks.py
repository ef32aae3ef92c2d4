"""Runs that contradict their names or are of another program."""

import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align, experiment_from_series
from ingest.errors import InputError
from ingest.profile import Metric
from ingest.reduction import reduce_profile
from ingest.run_checks import (
    doubts,
    foreign_runs,
    misnamed_runs,
    unlike_repetitions,
    unusable_runs,
    worst_share,
)
from ingest.run_settings import METADATA, RECONCILED, REMAINDER, SETTING, STOPPED
from ingest.series import MeasuredSeries
from tests.profiles import make_profile


def measured(point, processes, *, threads=1, source="", attributes=None):
    profile = make_profile(
        {"time": {("main",): [1.0] * processes * threads}},
        process=[i // threads for i in range(processes * threads)],
        source=source or f"{point}",
    )
    profile.attributes.update(attributes or {})
    return MeasuredRun(point, 1, reduce_profile(profile, ["time"]))


def misnamed(named, processes, parameter="p"):
    runs = [
        measured((float(n),), p, source=f"run{i}")
        for i, (n, p) in enumerate(zip(named, processes, strict=True))
    ]
    return misnamed_runs([parameter], runs)


def test_a_run_named_for_other_processes_than_it_has_is_found():
    assert misnamed((1, 2, 4, 16), (1, 2, 4, 8)) == {3: "p = 16 by its name, but the profile has 8 processes"}
    assert misnamed((1, 2, 4, 8), (1, 2, 4, 8)) == {}


def test_any_parameter_may_count_processes_if_it_does_so_at_two_numbers():
    assert list(misnamed((1, 2, 4, 16), (1, 2, 4, 8), "x")) == [3]
    # one process throughout: n = 1 is no number of processes
    assert misnamed((1, 1, 1, 2), (1, 1, 1, 1), "n") == {}
    assert misnamed((1, 1, 1, 2), (1, 1, 1, 1), "p") == {}
    assert misnamed((1, 2, 16, 32, 64), (1, 2, 4, 8, 16), "n") == {}
    assert list(misnamed((8, 8, 8, 16), (8, 8, 8, 8), "p")) == [3]


def test_swapped_names_are_found_and_named():
    found = misnamed((8, 2, 4, 1), (1, 2, 4, 8))
    assert found[0] == "p = 8 by its name, but the profile has 1 process (swapped with run3?)"
    assert found[3] == "p = 1 by its name, but the profile has 8 processes (swapped with run0?)"
    assert list(misnamed((8, 1), (1, 8))) == [0, 1]


def test_threads_that_make_up_for_fewer_processes_are_no_swapped_names():
    assert misnamed((1, 2, 4), (4, 2, 1), "t") == {}


def test_a_parameter_that_counts_locations_is_compared_with_them():
    runs = [measured((float(c),), p, threads=2) for c, p in ((2, 1), (4, 2), (8, 4), (32, 8))]
    assert misnamed_runs(["cores"], runs) == {3: "cores = 32 by its name, but the profile has 16 locations"}


def test_another_parameter_may_equal_the_processes_by_chance():
    runs = [measured((float(p), float(n)), p) for p, n in ((1, 1), (2, 2), (4, 4), (4, 8))]
    assert misnamed_runs(["p", "n"], runs) == {}
    assert misnamed_runs([], [measured((), 4)]) == {}


def test_processes_are_as_the_metadata_state_them():
    def summed(n, jobsize):
        return measured((n,), 1, attributes={"jobsize": jobsize})

    runs = [summed(1.0, "1"), summed(8.0, "8"), summed(64.0, "27")]
    assert misnamed_runs(["p"], runs) == {2: "p = 64 by its name, but the profile has 27 processes"}


def program(point, names, source, paradigm=None):
    times = {("main",): [1.0]} | {("main", name): [1.0] for name in names}
    profile = make_profile({"time": times}, source=source, paradigm=paradigm)
    return MeasuredRun((point,), 1, reduce_profile(profile, ["time"]))


ONE = [f"a{i}" for i in range(8)]
OTHER = [f"b{i}" for i in range(8)]


def test_a_run_of_another_program_is_found():
    runs = [program(1.0, ONE, "1"), program(2.0, ONE, "2"), program(4.0, OTHER, "4")]
    found = foreign_runs(align(["p"], runs))
    assert list(found) == ["4"] and "shares less than 20 % of its call paths" in found["4"]


def test_library_functions_do_not_make_programs_alike():
    mpi = [f"MPI_{i}" for i in range(4)]
    runs = [program(float(p), [*ONE, *mpi], f"{p}") for p in (1, 2)]
    runs.append(program(4.0, [*OTHER, *mpi], "4"))
    assert list(foreign_runs(align(["p"], runs))) == ["4"]


def test_a_filter_does_not_make_another_program():
    deep = {("main",): [1.0], ("main", "lib"): [1.0]} | {("main", "lib", name): [1.0] for name in ONE}
    full = [
        MeasuredRun((float(p),), 1, reduce_profile(make_profile({"time": deep}, source=f"{p}"), ["time"]))
        for p in (1, 2)
    ]
    assert foreign_runs(align(["p"], [*full, program(4.0, ONE, "4")])) == {}


def test_few_call_paths_say_nothing():
    runs = [program(1.0, ["a"], "1"), program(2.0, ["a"], "2"), program(4.0, ["b", "c"], "4")]
    assert foreign_runs(align(["p"], runs)) == {}
    renamed = [{(root,): [1.0], (root, f"{root}1"): [1.0]} for root in ("a", "a", "b")]
    profiles = [reduce_profile(make_profile({"time": times}), ["time"]) for times in renamed]
    runs = [MeasuredRun((float(i),), 1, profile) for i, profile in enumerate(profiles)]
    assert foreign_runs(align(["p"], runs)) == {}


def test_two_programs_of_as_many_runs_are_refused():
    runs = [program(1.0, ONE, "one"), program(2.0, OTHER, "two")]
    with pytest.raises(InputError, match="the runs are of 2 programs: one and two"):
        foreign_runs(align(["p"], runs))


def study(*attributes, times=(), threads=1):
    """One run per attributes, at p = 1, 2, ...; or repetitions of one point with the given times."""
    runs = []
    for i, given in enumerate(attributes):
        values = times[i] if times else {("main",): [1.0] * threads}
        profile = make_profile({"time": values}, source=f"run{i}", process=[0] * threads)
        profile.attributes.update(given)
        point = (1.0,) if times else (float(i + 1),)
        runs.append(MeasuredRun(point, i, reduce_profile(profile, ["time"])))
    return align(["p"], runs)


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        (
            [{"Creator": "Score-P 8.0"}, {"Creator": "Score-P 8.0"}, {"Creator": "Score-P 7.1"}],
            "the runs were measured with different versions: 2 with Score-P 8.0, 1 with Score-P 7.1 (run2)",
        ),
        (
            [{"TAU Version": "2.29"}, {"Creator": "Score-P 7.1"}],
            "the runs were measured with different versions: 1 with TAU 2.29, 1 with Score-P 7.1 (run1)",
        ),
        (
            [{"Hostname": "nid01045"}, {"Hostname": "nid00001"}, {"Hostname": "login1.site"}],
            "the runs were measured on different machines: 2 with nid*, 1 with login* (run2)",
        ),
        (
            [{"hosts": "n1, n2", "CPU Type": "A"}, {"hosts": "n7", "CPU Type": "B"}],
            "the runs were measured on different machines: 1 with n*, A, 1 with n*, B (run1)",
        ),
    ],
)
def test_different_versions_and_machines_are_one_line_each(attributes, text):
    assert doubts(study(*attributes)) == (text,)


def test_equal_and_unknown_versions_and_machines_are_no_doubt():
    assert doubts(study({"Creator": "Score-P 8.0", "cluster": "a"}, {}, {"Creator": "Score-P 8.0"})) == ()
    assert doubts(study({"system.node": "n1"}, {"system.node": "n12"})) == ()


def scaled(factor, solve=1.0):
    return {
        ("main",): [1.0 * factor],
        ("main", "solve"): [8.0 * factor * solve],
        ("main", "b"): [9.0 * factor],
    }


def test_a_repetition_that_is_slower_in_all_kernels_is_named():
    (text,) = doubts(study({}, {}, {}, times=[scaled(1.0), scaled(1.02), scaled(1.6)]))
    assert text.startswith("run2 took 1.6 times as long as its repetitions, over all kernels together")
    assert doubts(study({}, {}, times=[scaled(1.0), scaled(1.45)])) == ()
    assert len(doubts(study({}, {}, times=[scaled(1.0), scaled(1.55)]))) == 1


def test_one_slow_kernel_makes_no_outlier():
    assert doubts(study({}, {}, {}, times=[scaled(1.0), scaled(1.0), scaled(1.0, solve=2.0)])) == ()


@pytest.mark.parametrize(
    ("attributes", "threads", "text"),
    [
        ({"system.cores": "2"}, 8, "run1 (8 locations on 2 cores)"),
        ({"cores_per_node": "2", "numhosts": "3"}, 8, "run1 (8 locations on 6 cores)"),
        ({"OMP_NUM_PROCS": "4"}, 8, "run1 (8 threads of a process on 4 processors)"),
        ({"system.cores": "8"}, 8, None),
        ({"cores_per_node": "4", "system.nodes": "2"}, 8, None),
        ({"OMP_NUM_PROCS": "many"}, 8, None),
    ],
)
def test_more_locations_than_cores_are_said_if_cores_are_known(attributes, threads, text):
    found = doubts(study({}, attributes, threads=threads))
    assert found == (
        () if text is None else (f"more locations than cores, so that they waited for each other: {text}",)
    )


def unlike(*attributes, times=()):
    found = unlike_repetitions(study(*attributes, times=times or [scaled(1.0)] * len(attributes)))
    return "" if found is None else str(found)


def sizes(name, *values):
    return unlike(*({SETTING + name: str(value)} for value in values))


@pytest.mark.parametrize(
    ("stated", "what"),
    [
        (("atoms", 1000, 64_000, "16,000,000"), "3 runs of p = 1 are no repetitions: they differ in atoms"),
        (
            ("k-points", 8, 64),
            "they differ in k-points (8 to 64); name it in the runs, or use --parameter k-points",
        ),
        (("grid", "64 x 64", "64 x 128"), "they differ in grid (4,096 to 8,192)"),
    ],
)
def test_runs_that_state_different_sizes_are_no_repetitions(stated, what):
    found = sizes(*stated)
    assert what in found and len(found) <= 200


def test_the_size_that_differs_most_is_named_with_its_ends():
    found = unlike(
        {SETTING + "atoms": "1000", SETTING + "bands": "10"},
        {SETTING + "atoms": "16000000", SETTING + "bands": "20"},
    )
    assert (
        "they differ in atoms (1,000 to 16.0 million); name it in the runs, or use --parameter atoms" in found
    )
    assert "cells (10 to 20)" in unlike({METADATA + "cells": "10"}, {METADATA + "cells": "20"})


def test_equal_sizes_and_other_settings_make_repetitions():
    assert sizes("atoms", 32_000, 32_001) == sizes("steps", 100, 200) == sizes("seed", 1, 99) == ""
    assert sizes("atoms", 32_000) == unlike({SETTING + "atoms": "32000"}, {}) == ""


@pytest.mark.parametrize(
    ("factors", "alike"),
    [
        ((1.0, 2.9), True),
        ((1.0, 3.1), False),
        ((1.0, 1.02, 4.0), True),  # one was disturbed
        ((1.0, 2.0, 4.0), False),
        ((1.0, 1.1, 1.0, 1.05, 4.0), True),
        ((1.0, 1.1, 1.0, 4.0, 4.1), False),  # two groups
        ((1.0, 4.0, 4.1, 4.0, 4.2), True),
        ((1.0, 1.1, 1.0, 4.0, 4.1, 1.0, 1.0, 1.1, 1.0, 1.0), True),
    ],
)
def test_times_of_repetitions_are_alike_but_for_a_disturbed_one_in_five(factors, alike):
    found = unlike(*[{}] * len(factors), times=[scaled(factor) for factor in factors])
    assert (found == "") is alike
    if not alike:
        times = f"{max(factors) / min(factors):.1f}"
        assert found.startswith(
            f"{len(factors)} runs of p = 1 are no repetitions: the slowest takes {times} times"
        )


def test_repetitions_of_series_are_checked_where_all_kernels_have_them():
    values = np.array([[[1.0, 9.0], [2.0, np.nan]], [[1.0, 9.0], [2.0, 2.0]]])
    series = MeasuredSeries(
        source="made",
        parameters=("p",),
        points=np.array([[1.0], [2.0]]),
        callpaths=(("a",), ("b",)),
        metrics=(Metric("time", ""),),
        values={"time": values},
    )
    assert "2 runs of p = 1 are no repetitions" in str(unlike_repetitions(experiment_from_series(series)))
    values[:, 0, 1] = 1.0
    assert unlike_repetitions(experiment_from_series(series)) is None


def stating(share, phase=""):
    return {RECONCILED + phase: f"timers 1 s = {share:.2f} % of the stated 9 s; 3 ns/day stated"}


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (24.9, "the timers are 24.9 % of the total that the file states, so one is wrong"),
        (0.26, "the timers are 0.3 % of the total that the file states, so one is wrong"),
        (0.0, "the timers are <0.1 % of the total that the file states, so one is wrong"),
        (151, "the timers are 151.0 % of the total that the file states, so one is wrong"),
        (26, ""),
        (149, ""),
    ],
)
def test_a_run_whose_timers_contradict_its_total_by_a_factor_is_left_out(share, text):
    assert unusable_runs([stating(100), stating(share)]) == ({1: text} if text else {})
    assert (
        unusable_runs([stating(100), {**stating(100, "run 1"), **stating(share, "run 2")}]).get(1, "") == text
    )


def test_few_timers_with_a_region_for_the_remainder_are_only_doubtful():
    assert unusable_runs([{**stating(1), REMAINDER: "(outside all timers)"}]) == {}
    assert list(unusable_runs([{**stating(160), REMAINDER: "(outside all timers)"}])) == [0]


def test_a_total_that_is_not_stated_is_not_compared():
    assert worst_share([{}, {RECONCILED: "timers 1 s, no total is stated"}]) == 1.0


@pytest.mark.parametrize("share", [43.94, 102.1, 140])
def test_timers_that_are_not_the_stated_total_are_doubtful(share):
    runs = [
        measured((n,), 1, source=f"run{n}", attributes=stating(100 if n == 1 else share)) for n in (1, 2, 3)
    ]
    (doubt,) = doubts(align(["p"], runs))
    assert doubt == f"the timers are {share:.1f} % of the total that the file states: run2 and 1 more"


def test_a_run_that_stopped_is_left_out_if_others_came_to_their_end():
    stopped = {STOPPED: "VASP, 4 processes, stopped before the end"}
    assert unusable_runs([{}, stopped]) == {1: "VASP, 4 processes, stopped before the end"}
    assert unusable_runs([stopped, stopped]) == {}
