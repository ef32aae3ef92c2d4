"""Reports of mpiP: times of tasks and of their MPI calls."""

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import mpip
from ingest.reduction import reduce_profile

from . import profiler_files
from .profiler_files import MPIP

FORMAT, FILE = "mpiP", "app.2.mpiP"


def by_path(profile, metric="time"):
    paths = profile.tree.paths(profile.regions.name)
    values = profile.values(metric).tolist()
    return {path: pytest.approx(row) for path, row in zip(paths, values, strict=True) if any(row)}


ALLREDUCE = ("application", "main", "solve", "MPI_Allreduce")
SEND = ("application", "[unknown]", "MPI_Send")
NOT_LISTED = ("application", "MPI calls that are not listed")


@pytest.mark.parametrize("name", ["full", "page", "version 2"])
def test_times_of_tasks_by_call_site(read, name):
    profile = read(MPIP[name])
    assert by_path(profile) == {
        ("application",): [9, 8],
        ALLREDUCE: [0.8, 1.8],
        SEND: [0.1, 0],
        NOT_LISTED: [0.1, 0.2],
    }
    assert by_path(profile, "visits") == {ALLREDUCE: [2, 2], SEND: [1, 0]}
    assert profile.attributes["reconciled: "] == (
        "tasks 20 s = 100.00 % of the stated 20 s; in MPI 3 s, 2.7 s of them by call site"
    )
    assert profile.attributes["generator"] == "mpiP 3.5.0"
    assert profile.notices == ()


def test_mpi_time_is_communication(read):
    reduced = reduce_profile(read(MPIP["full"]), ["time"])
    times = dict(
        zip((c.value for c in reduced.classes), reduced.class_time.sum(axis=1).tolist(), strict=True)
    )
    assert times["computation"] == pytest.approx(17)
    assert sum(times.values()) == pytest.approx(20)


def test_call_sites_without_single_tasks_are_shared_out(read):
    profile = read(MPIP["concise"])
    found = by_path(profile)
    assert found[ALLREDUCE] == [2.6 / 3, 2.6 * 2 / 3]
    assert profile.values("time").sum(axis=0) == pytest.approx([10, 10])
    assert profile.notices == (
        "call sites have no times of single tasks: they are given to tasks in proportion to their MPI time",
    )


def test_without_call_sites_the_whole_mpi_time_is_left(read):
    profile = read(MPIP["tasks"])
    assert by_path(profile) == {("application",): [9, 8, 7], NOT_LISTED: [1, 2, 3]}
    assert "only the whole MPI time" in profile.notices[0]


def test_concise_reports_have_the_mean_of_the_tasks(read):
    profile = read(MPIP["option -c"])
    assert by_path(profile) == {
        ("application",): [8.5, 8.5],
        ("application", "solve", "MPI_Allreduce"): [1.3, 1.3],
        SEND: [0.05, 0.05],
        NOT_LISTED: [0.15, 0.15],
    }
    assert by_path(profile, "visits") == {}
    assert profile.notices == (mpip.CONCISE + mpip.NO_CALLS,)


def test_concise_reports_without_tasks_have_the_sum_over_the_mean_of_them(read):
    profile = read(MPIP["totals"])
    in_mpi = {("application", "MPI_Allreduce"): [1.0] * 4, ("application", "MPI_Send"): [0.375] * 4}
    thirds = [25 / 3 - 1.5] * 2
    rest = {("application",): [thirds[0], 9.5, *thirds], NOT_LISTED: [0.125] * 4}
    assert by_path(profile) == in_mpi | rest
    assert profile.values("time").sum(axis=0).tolist() == pytest.approx([25 / 3, 11, 25 / 3, 25 / 3])
    assert profile.values("visits").sum() == 500
    assert profile.notices == (mpip.CONCISE,)


@pytest.mark.parametrize(
    ("before", "after", "times"),
    [
        ("      Count\n", "\n", [25 / 3, 11, 25 / 3, 25 / 3]),  # version 3.4
        ("Max           11.000000   2.000000                1         2\n", "", [9.0] * 4),
        ("                1         2\n", "               64         2\n", [25 / 3, 25 / 3, 25 / 3, 11]),
        ("Max           11.000000", "Max            9.000000", [9.0] * 4),
    ],
)
def test_other_concise_reports(read, before, after, times):
    assert before in MPIP["totals"]
    profile = read(MPIP["totals"].replace(before, after))
    assert profile.values("time").sum(axis=0).tolist() == pytest.approx(times)


def test_processes_are_the_tasks(tmp_path):
    for name in ("one", "three"):
        (tmp_path / name).mkdir()
        tasks = 1 if name == "one" else 3
        (tmp_path / name / "x.mpiP").write_text(profiler_files.mpip(tasks=tasks))
    found = discover(tmp_path)
    assert [(found.parameters, run.parameters) for run in found.runs] == [(("p",), (1,)), (("p",), (3,))]


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        (
            "AppTime    MPITime",
            "AppTime    IOTime ",
            "line 10: a header of mpiP that is not known: Task AppTime IO",
        ),
        ("   0         10          1", "   0         10          x", "line 11: not a number: x"),
        ("   0         10          1", "   0        -10          1", "line 11: not a time: -10"),
        ("   0         10          1", "   x         10          1", "line 11: not a number: x"),
        ("Allreduce           1    1", "Allreduce           1    7", "rank 7 has calls, but no time"),
        ("  2   0 0x40c18b", "  2", "a row of 3 columns"),
    ],
)
def test_damaged_rows_are_named(read, before, after, error):
    assert before in MPIP["full"]
    with pytest.raises(InputError, match=error):
        read(MPIP["full"].replace(before, after, 1))


def test_cut_and_other_files(read, tmp_path):
    with pytest.raises(InputError, match="no times of tasks in it; is the file truncated"):
        read(MPIP["full"][: MPIP["full"].index("Task    AppTime")])
    file = tmp_path / "x.txt"
    for text in ("", "@ mpiP report\n", profiler_files.folded()):
        file.write_text(text)
        assert not mpip.matches(file)
