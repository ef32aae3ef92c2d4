"""Caliper's sums over processes: Spot's and the reports' files, without single processes."""

import numpy as np
import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import read_profile
from ingest.reduction import reduce_profile

from .cali_files import LOOP, MAIN, OWN, WHOLE, Cali, report


def test_sums_stand_for_as_many_processes_as_are_stated(tmp_path):
    profile = read_profile(report(64).write(tmp_path / "a.cali"))
    assert (profile.processes, profile.cpu_locations, len(profile.locations)) == (64, 64, 1)
    assert profile.values("time").sum() == 7 * 64
    run = reduce_profile(profile, ["time"])
    assert run.process.tolist() == list(range(64))
    of_each = run.class_time.sum(axis=0)
    assert of_each.sum() == pytest.approx(7 * 64)
    assert of_each.max() == pytest.approx(8)  # the longest, as the file states it
    time = run.values["time"]
    assert (time.mean.tolist(), time.min.tolist(), time.max.tolist()) == ([1, 4, 2], [0.5, 3, 1], [2, 5, 3])


def test_processes_that_did_not_visit_a_call_path_spent_nothing_there(tmp_path):
    extra = [("sum#" + OWN, 8), ("min#" + OWN, 2), ("max#" + OWN, 6), ("avg.count#" + OWN, 2)]
    file = Cali().record(MAIN, extra=extra).globals(**{"mpi.world.size": "4"})
    time = reduce_profile(read_profile(file.write(tmp_path / "a.cali")), ["time"]).values["time"]
    assert [part.tolist() for part in (time.sum, time.mean, time.min, time.max)] == [[8], [2], [0], [6]]


def test_inclusive_sums_alone_say_how_long_the_longest_process_took(tmp_path):
    file = Cali()
    for path, whole, most in ((MAIN, 40, 12), (LOOP, 30, 11)):
        file.record(path, extra=[("sum#" + WHOLE, whole), ("max#" + WHOLE, most)])
    profile = read_profile(file.globals(jobsize="4").write(tmp_path / "a.cali"))
    run = reduce_profile(profile, ["time"])
    assert run.values["time"].sum.tolist() == [10, 30]
    assert run.values["time"].max.tolist() == [2.5, 7.5]
    assert run.class_time.sum(axis=0).tolist() == pytest.approx([12, 28 / 3, 28 / 3, 28 / 3])


def averages(count=None, **globals_):
    file = Cali()
    for path, seconds in ((MAIN, 2.0), (LOOP, 6.0)):
        extra = [("avg#" + OWN, seconds), ("max#" + OWN, 8), ("avg#sum#region.count", 3)]
        file.record(path, extra=extra + ([("avg.count#" + OWN, count)] if count else []))
    return file.globals(**{"cluster": "a", **globals_})


def test_averages_alone_are_taken_as_sums_over_the_processes_that_are_stated(tmp_path):
    profile = read_profile(averages(jobsize="4").write(tmp_path / "a.cali"))
    assert (profile.processes, profile.values("time").sum(axis=1).tolist()) == (4, [8, 24])
    assert profile.values("visits").sum() == 24
    assert profile.notices == (
        "values are averages over the processes, taken as sums over all of them: those of regions on"
        " some of them cannot be summed; single processes are not available",
    )
    alone = read_profile(averages().write(tmp_path / "b.cali"))
    assert (alone.processes, alone.values("time").sum(axis=1).tolist()) == (1, [2, 6])
    (notice,) = alone.notices
    assert "whose number is not stated: times are those of an average process" in notice


def test_averages_are_of_the_processes_that_visited_a_call_path(tmp_path):
    profile = read_profile(averages(count=3, jobsize="4").write(tmp_path / "a.cali"))
    assert profile.values("time").sum(axis=1).tolist() == [6, 18]


@pytest.mark.parametrize(
    ("ranks", "what"),
    [
        ((0, 1, 3), ("process 2 of 4 is missing: values are those of the others",)),
        ((1, 2, 3), ("process 0 of 4 is missing: values are those of the others",)),
        ((0,), ("process 1 of 4 is missing, as are 2 more: values are those of the others",)),
        ((0, 1, 2, 3), ()),
    ],
)
def test_a_missing_rank_is_named(tmp_path, ranks, what):
    file = Cali().globals(**{"mpi.world.size": "4"})
    for rank in ranks:
        file.record(MAIN, extra=[(OWN, 2.0), ("mpi.rank", rank)])
    assert read_profile(file.write(tmp_path / "a.cali")).notices == what


INCLUSIVE = "avg#inclusive#" + OWN


@pytest.mark.parametrize(
    ("processes", "seconds", "expected"),
    [
        (2, {"main": 10.0, "solve": 9.0, "halo": 4.0, "root": 22.5}, {"main": 2, "halo": 8, "root": 10}),
        (16, {"main": 10.0, "solve": 9.0, "halo": 4.0, "root": 1.0}, None),
        (2, {"main": 10.0, "solve": 30.0, "halo": 40.0, "root": 50.0}, {"halo": 10, "root": 10}),
        (
            2,
            {"main": 10.0, "solve": 9.0, "halo": 1.0, "root": 1.0},
            {"main": 2, "solve": 14, "halo": 2, "root": 2},
        ),
    ],
)
def test_a_call_path_takes_no_more_than_its_caller(tmp_path, processes, seconds, expected):
    solve = [("function", "main"), ("function", "solve")]
    paths = {"main": solve[:1], "solve": solve} | {n: [*solve, ("function", n)] for n in ("halo", "root")}
    file = Cali().globals(**{"mpi.world.size": str(processes)})
    for name, took in seconds.items():
        file.record(paths[name], extra=[(INCLUSIVE, took)])
    profile = read_profile(file.write(tmp_path / "a.cali"))
    own = dict(
        zip([profile.regions.name[r] for r in profile.tree.region], profile.values("time")[:, 0], strict=True)
    )
    assert sum(own.values()) == pytest.approx(processes * seconds["main"])
    expected = expected or {"main": 16, "solve": 64, "halo": 64, "root": 16}
    assert {name: value for name, value in own.items() if value} == pytest.approx(expected)
    assert "cannot be summed" in profile.notices[0]


def test_averages_of_ranks_are_no_times(tmp_path):
    file = Cali().record(MAIN, extra=[("avg#" + OWN, 2.0), ("mpi.rank", 1)])
    with pytest.raises(InputError, match="it contains no sum of times"):
        read_profile(file.write(tmp_path / "a.cali"))


def test_values_by_rank_are_no_sums(tmp_path):
    file = Cali().globals(**{"mpi.world.size": "2"})
    for rank in (0, 1):
        file.record(MAIN, extra=[("sum#sum#time.duration", 3.0), ("mpi.rank", rank)])
    profile = read_profile(file.write(tmp_path / "a.cali"))
    assert (profile.processes, profile.notices) == (2, ())


def test_more_processes_than_any_run_has_are_refused(tmp_path):
    file = report(4).globals(**{"mpi.world.size": "9" * 12})
    with pytest.raises(InputError, match="999999999999 processes: more than any run has"):
        read_profile(file.write(tmp_path / "a.cali"))


def test_files_of_any_name_state_their_processes(tmp_path):
    for i, processes in enumerate((16, 4)):
        report(processes).write(tmp_path / f"24010{i}-xYz{7 - i}.cali")
    found = discover(tmp_path)
    assert found.parameters == ("mpi.world.size",)
    assert np.array([run.parameters for run in found.runs]).tolist() == [[4], [16]]
