import numpy as np
import pytest

from filters.evidence import evidence_from_profile, unite_regions
from ingest.errors import InputError
from ingest.profile import CPU, RegionTable
from tests.profiles import make_profile, profile_from_rows, with_longest

MAIN, SOLVE = ("main",), ("main", "solve")


def test_visits_and_time_are_summed_over_cpu_locations():
    profile = make_profile(
        {
            "visits": {MAIN: [1.0, 1.0, 9.0], SOLVE: [10.0, 30.0, 90.0]},
            "time": {MAIN: [4.0, 1.0, 9.0], SOLVE: [3.0, 5.0, 90.0]},
        },
        device=[CPU, CPU, 0],
        source="a.cubex",
    )
    run = evidence_from_profile(profile)
    assert run.source == "a.cubex"
    assert run.visits.tolist() == [2.0, 40.0]
    assert run.time.tolist() == [5.0, 8.0]
    assert (run.busiest, run.wall) == (31.0, 7.0)


def test_negative_values_count_as_nothing():
    values = {MAIN: [-1.0, 2.0], SOLVE: [3.0, -4.0]}
    run = evidence_from_profile(make_profile({"visits": values, "time": values}))
    assert run.visits.tolist() == run.time.tolist() == [2.0, 3.0]
    assert (run.busiest, run.wall) == (3.0, 3.0)


def test_siblings_of_one_mangled_name_are_one_call_path():
    other = ("main", "other")
    values = {MAIN: [1.0], SOLVE: [2.0], other: [4.0]}
    profile = make_profile({"visits": values, "time": values})
    object.__setattr__(profile.regions, "mangled", ("main", "_Z1f", "_Z1f"))
    run = evidence_from_profile(profile)
    assert run.tree.parent.tolist() == [-1, 0]
    assert run.visits.tolist() == run.time.tolist() == [1.0, 6.0]


def test_a_run_on_accelerators_only_has_no_time():
    values = {MAIN: [1.0]}
    run = evidence_from_profile(make_profile({"visits": values, "time": values}, device=[0]))
    assert run.time.tolist() == [0.0] and (run.busiest, run.wall) == (0.0, 0.0)


@pytest.mark.parametrize("metric", ["visits", "time"])
def test_both_metrics_are_needed(metric):
    with pytest.raises(InputError, match="no metric"):
        evidence_from_profile(make_profile({metric: {MAIN: np.ones(1)}}))


def test_a_single_very_long_visit_of_a_tiny_function_is_an_interruption():
    rows = [(0, "main", 1, 1.0), (1, "loop", 200, 0.2), (2, "tiny", 10**6, 0.1 + 0.05)]
    run = evidence_from_profile(with_longest(rows, [1.4, 0.052, 0.0500001]))
    assert run.interrupted == pytest.approx(0.05, rel=0.02)
    assert run.time == pytest.approx([1.0, 0.2, 0.1], rel=0.02)  # the callee explains its caller's visit


def test_an_interruption_of_the_caller_itself_is_its_own():
    rows = [(0, "main", 1, 1.0), (1, "loop", 200, 0.25), (2, "tiny", 10**6, 0.1)]
    run = evidence_from_profile(with_longest(rows, [1.4, 0.052, 1e-6]))
    assert run.time == pytest.approx([1.0, 0.2, 0.1], rel=0.01)


@pytest.mark.parametrize(
    ("visits", "longest"), [(99, 0.05), (10**6, 0.0009), (1000, 0.0019)], ids=["rare", "short", "usual"]
)
def test_other_long_visits_are_not_interruptions(visits, longest):
    rows = [(0, "main", 1, 1.0), (1, "f", visits, 0.1)]
    run = evidence_from_profile(with_longest(rows, [1.1, longest]))
    assert run.interrupted == 0.0 and run.time.tolist() == [1.0, 0.1]


def test_communication_and_profiles_without_longest_visits_have_no_interruptions():
    rows = [(0, "main", 1, 1.0), (1, "MPI_Send", 10**6, 0.1)]
    assert evidence_from_profile(with_longest(rows, [1.1, 0.09])).interrupted == 0.0
    assert evidence_from_profile(profile_from_rows(rows)).interrupted == 0.0


@pytest.mark.parametrize(
    "rare",
    [[(2, "write", 1, 0.3)], [(2, "write", 5, 0.15), (2, "flush", 5, 0.15)], [(2, "MPI_Wait", 1, 0.3)]],
)
def test_callees_that_are_called_rarely_explain_the_longest_visit_of_their_caller(rare):
    rows = [(0, "main", 1, 1.0), (1, "step", 1000, 0.5), *rare]
    each = [one[3] for one in rare]
    assert evidence_from_profile(with_longest(rows, [2.0, 0.3006, *each])).interrupted < 1e-3
    assert evidence_from_profile(with_longest(rows, [2.0, 0.41, *each])).interrupted == pytest.approx(
        0.11, rel=0.01
    )


def test_a_visit_longer_than_the_exclusive_time_is_not_the_time_of_the_call_path():
    rows = [(0, "main", 1, 1.0), (1, "step", 1000, 0.02), (2, "solve", 10**6, 1.0)]
    assert evidence_from_profile(with_longest(rows, [2.0, 0.5, 1e-5])).time.tolist() == [1.0, 0.02, 1.0]


def run_of(rows, **columns):
    profile = profile_from_rows(rows)
    if columns:
        names = profile.regions.name
        table = RegionTable(
            name=columns.get("name", names),
            mangled=columns.get("mangled", profile.regions.mangled),
            paradigm=columns.get("paradigm", profile.regions.paradigm),
            file=columns.get("file", profile.regions.file),
            line=np.array(columns.get("line", [-1] * len(names))),
        )
        object.__setattr__(profile, "regions", table)
    return evidence_from_profile(profile)


ROWS = [(0, "main", 1, 1.0), (1, "b", 2, 2.0), (1, "a", 3, 4.0), (2, "MPI_Send", 5, 8.0), (2, "b", 7, 16.0)]


def test_regions_come_in_the_order_of_their_names_with_what_leads_to_them():
    run = run_of(ROWS)
    regions = unite_regions([run])
    assert regions.table.name == ("a", "b", "main")
    assert len(regions) == 3
    assert regions.of_run[0].tolist() == [2, 1, 0, -1]
    assert regions.of_callpaths(0, run).tolist() == [2, 1, 0, -1, 1]
    assert regions.total(0, run, run.time).tolist() == [4.0, 18.0, 1.0]
    assert regions.called.all()


def test_regions_of_several_runs_are_united_and_some_may_not_be_called():
    small = run_of([(0, "main", 1, 1.0), (1, "c", 1, 1.0)])
    regions = unite_regions([run_of(ROWS), small])
    assert regions.table.name == ("a", "b", "c", "main")
    assert [entries.tolist() for entries in regions.of_run] == [[3, 1, 0, -1], [3, 2]]
    uncalled = unite_regions([run_of(ROWS, paradigm=("compiler", "compiler", "mpi", "compiler"))])
    assert uncalled.table.name == ("MPI_Send", "b", "main")
    assert uncalled.called.tolist() == [True, True, True]
    tree = profile_from_rows(ROWS)
    tree.tree.region[tree.tree.region == 1] = 0
    assert unite_regions([evidence_from_profile(tree)]).called.tolist() == [True, False, True]


def test_regions_of_one_mangled_name_are_one_entry():
    names, mangled = ("main", "f(int)", "f(int)", "g()"), ("main", "_Z1fi", "_Z1fi", "_Z1gv")
    run = run_of(
        ROWS,
        name=names,
        mangled=mangled,
        paradigm=("compiler", "compiler", "user", "compiler"),
        file=("a.c", "a.c", "b.c", "c.c"),
        line=[1, 2, 3, 4],
    )
    table = unite_regions([run]).table
    assert table.mangled == ("_Z1fi", "_Z1gv", "main")
    assert table.paradigm == ("user", "compiler", "compiler")
    assert table.file == ("", "c.c", "a.c")
    assert table.line.tolist() == [2, 4, 1]
    same = run_of(ROWS, name=names, mangled=mangled, paradigm=("compiler",) * 4, file=("a.c",) * 4)
    assert unite_regions([same]).table.file == ("a.c",) * 3


def test_equal_displayed_names_are_ordered_by_their_mangled_ones():
    run = run_of(
        ROWS, name=("main", "f", "f", "f"), mangled=("main", "_Z9", "_Z1", "_Z5"), paradigm=("compiler",) * 4
    )
    assert unite_regions([run]).table.mangled == ("_Z1", "_Z5", "_Z9", "main")


def test_user_regions_and_entry_points_are_pinned():
    names = ("main", "MAIN__", "mainly", "USER x")
    run = run_of(ROWS, name=names, mangled=names, paradigm=("compiler", "compiler", "compiler", "user"))
    regions = unite_regions([run])
    assert dict(zip(regions.table.name, regions.pinned.tolist(), strict=True)) == {
        "main": True,
        "MAIN__": True,
        "mainly": False,
        "USER x": True,
    }
