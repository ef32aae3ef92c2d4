"""The regions that filters name, united over runs."""

import numpy as np

from filters.evidence import evidence_from_profile
from filters.regions import unite_regions
from ingest.profile import RegionTable
from tests.profiles import profile_from_rows


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
