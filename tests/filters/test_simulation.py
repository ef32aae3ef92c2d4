import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.instrumentation import UNFILTERED, digest, digest_of_run
from filters.scorep_format.rule_files import FilterRules, parse
from filters.simulation import fold, simulate
from ingest.calltree import CallTree
from ingest.profile import LocationTable, Metric, MetricKind, Profile, RegionTable, ValuesInMemory
from tests.profiles import make_profile as profile_of
from tests.profiles import profile_from_rows

#        main > solve > wrap > (dot, MPI_Wait, solve > dot), wrap > dot
ROWS = [
    (0, "main", [1, 1], [1.0, 2.0]),
    (1, "solve", [10, 11], [0.5, 0.5]),
    (2, "wrap", [20, 20], [0.25, 0.0]),
    (3, "dot", [30, 30], [3.0, 3.0]),
    (3, "MPI_Wait", [5, 5], [1.0, 1.0]),
    (2, "dot", [7, 7], [0.5, 0.5]),
    (1, "wrap", [2, 2], [0.125, 0.0]),
    (2, "dot", [1, 1], [0.0, 0.25]),
]


def exclude(*names):
    lines = "".join(f"EXCLUDE {name}\n" for name in names)
    return parse(f"SCOREP_REGION_NAMES_BEGIN\n{lines}SCOREP_REGION_NAMES_END\n")


def table(profile, metric):
    paths = profile.tree.paths(profile.regions.name)
    return dict(zip(paths, profile.values(metric).tolist(), strict=True))


def test_time_moves_to_recorded_callers_and_their_callees_meet(make_profile):
    seen = simulate(make_profile(ROWS), exclude("wrap"))
    assert table(seen, "visits") == {
        ("main",): [1, 1],
        ("main", "solve"): [10, 11],
        ("main", "solve", "dot"): [37, 37],
        ("main", "solve", "MPI_Wait"): [5, 5],
        ("main", "dot"): [1, 1],
    }
    time = table(seen, "time")
    assert time["main",] == [1.125, 2.0] and time["main", "solve"] == [0.75, 0.5]
    assert time["main", "solve", "dot"] == [3.5, 3.5]


def test_the_call_tree_stays_in_preorder(make_profile):
    seen = simulate(make_profile(ROWS), exclude("wrap", "solve"))
    assert list(table(seen, "visits")) == [("main",), ("main", "dot"), ("main", "MPI_Wait")]
    assert seen.tree.parent.tolist() == [-1, 0, 0]


def test_what_has_no_recorded_caller_is_lost_and_that_is_said(make_profile):
    seen = simulate(make_profile(ROWS), exclude("main"))
    paths = ["solve", "solve wrap", "solve wrap dot", "solve wrap MPI_Wait", "solve dot", "wrap", "wrap dot"]
    assert [" ".join(path) for path in table(seen, "visits")] == paths
    assert "1 call paths (3 s) have no recorded caller" in seen.notices[-1]


@given(st.sets(st.sampled_from(["solve", "wrap", "dot", "MPI_Wait"])))
def test_no_time_is_lost_while_main_is_recorded(names):
    profile = profile_from_rows(ROWS)
    seen = simulate(profile, exclude(*sorted(names)))
    assert seen.values("time").sum(axis=0) == pytest.approx(profile.values("time").sum(axis=0))
    assert seen.values("time", inclusive=True)[0] == pytest.approx(profile.values("time", inclusive=True)[0])
    left = [row for row in ROWS if row[1] not in names or row[1] == "MPI_Wait"]
    assert seen.values("visits").sum() == sum(sum(row[2]) for row in left)


def test_an_empty_filter_changes_nothing(make_profile):
    profile = make_profile(ROWS)
    seen = simulate(profile, FilterRules())
    assert table(seen, "time") == table(profile, "time")
    assert digest_of_run(seen.source, seen.attributes) == UNFILTERED


def test_inclusive_metrics_and_extremes():
    values = {
        "time": np.array([[10.0], [4.0], [3.0], [2.0], [1.0]]),
        "min": np.array([[9.0], [4.0], [0.5], [0.25], [1.0]]),
        "max": np.array([[9.0], [4.0], [0.5], [0.25], [1.0]]),
        "odd": np.ones((5, 1)),
    }
    kinds = (MetricKind.INCLUSIVE, MetricKind.MINIMUM, MetricKind.MAXIMUM, MetricKind.SIMPLE)
    metrics = tuple(Metric(name, "", kind) for name, kind in zip(values, kinds, strict=True))
    names = ("main", "wrap", "leaf")
    tree = CallTree(np.array([-1, 0, 1, 0, 0]), np.array([0, 1, 2, 2, 1]))
    profile = Profile(
        source="made",
        tree=tree,
        regions=RegionTable(
            name=names, mangled=names, paradigm=("compiler",) * 3, file=("",) * 3, line=np.full(3, -1)
        ),
        locations=LocationTable.of_threads(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)),
        metrics=metrics,
        load=ValuesInMemory(tree, values),
    )
    seen = simulate(profile, exclude("wrap"))
    assert [m.name for m in seen.metrics] == ["time", "min", "max"]
    assert seen.values("time", inclusive=True).tolist() == [[10.0], [5.0]]
    assert seen.values("time").tolist() == [[5.0], [5.0]]
    assert seen.values("min")[1] == 0.25 and seen.values("max")[1] == 0.5


def test_a_simulated_profile_is_read_in_blocks_like_any_other(make_profile):
    seen = simulate(make_profile(ROWS), exclude("wrap"))
    cpu = np.array([False, True])
    parts = list(seen.exclusive_blocks("time", cpu))
    nodes = np.concatenate([nodes for nodes, _ in parts])
    values = np.concatenate([values for _, values in parts])
    assert sorted(nodes.tolist()) == list(range(5))
    assert values.tolist() == seen.values("time")[nodes][:, cpu].tolist()


def test_what_a_profile_knows_beside_its_values_stays(make_profile):
    profile = make_profile(ROWS, source="a.cubex")
    object.__setattr__(profile, "attributes", {"machine": "x"})
    object.__setattr__(profile, "notices", ("first",))
    rules = exclude("wrap")
    seen = simulate(profile, rules)
    assert seen.attributes == {"machine": "x", "pipeline::filter": digest(rules)}
    assert seen.notices == ("first",)
    assert (seen.source, seen.regions) == ("a.cubex", profile.regions)
    lost = simulate(profile, exclude("main", "solve", "wrap"))
    assert lost.notices == (
        "first",
        "4 call paths (4.375 s) have no recorded caller and are not measured at all",
    )


def test_without_time_lost_call_paths_are_only_counted():
    values = {"visits": {("main",): [1.0], ("main", "a"): [2.0]}}
    seen = simulate(profile_of(values), exclude("main"))
    assert seen.notices == ("1 call paths have no recorded caller and are not measured at all",)
    assert seen.values("visits").tolist() == [[2.0]]


def test_folding_says_where_each_call_path_goes(make_profile):
    profile = make_profile(ROWS)
    kept = np.array([name not in ("main", "wrap") for name in profile.regions.name])
    folding = fold(profile, kept)
    assert folding.place.tolist() == [-1, 0, 0, 1, 2, 1, -1, 3]
    assert folding.recorded.tolist() == [False, True, False, True, True, True, False, True]
    assert folding.tree.paths(profile.regions.name) == [
        ("solve",),
        ("solve", "dot"),
        ("solve", "MPI_Wait"),
        ("dot",),
    ]


def test_counters_move_with_time_but_visits_and_extremes_do_not():
    values = {
        "visits": {("main",): [1.0], ("main", "a"): [5.0], ("main", "a", "b"): [7.0]},
        "time": {("main",): [1.0], ("main", "a"): [2.0], ("main", "a", "b"): [4.0]},
        "bytes": {("main",): [10.0], ("main", "a"): [20.0], ("main", "a", "b"): [40.0]},
        "least": {("main",): [3.0], ("main", "a"): [1.0], ("main", "a", "b"): [2.0]},
        "most": {("main",): [3.0], ("main", "a"): [9.0], ("main", "a", "b"): [2.0]},
    }
    kinds = {"least": MetricKind.MINIMUM, "most": MetricKind.MAXIMUM}
    seen = simulate(profile_of(values, kinds=kinds), exclude("a"))
    found = {metric.name: seen.values(metric.name)[:, 0].tolist() for metric in seen.metrics}
    assert found == {
        "visits": [1.0, 7.0],
        "time": [3.0, 4.0],
        "bytes": [30.0, 40.0],
        "least": [3.0, 2.0],
        "most": [3.0, 2.0],
    }
