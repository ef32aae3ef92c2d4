"""A measurement under a filter, beside the simulation of the filter."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filters.filter_verification import TOLERANCE, PredictedAndMeasured, simulate, verify
from filters.instrumentation import UNFILTERED, digest, digest_of_run
from filters.rejected_visits import fold
from filters.scorep_format.rule_files import FilterRules, parse
from ingest.calltree import CallTree
from ingest.profile import LocationTable, Metric, MetricKind, Profile, RegionTable, ValuesInMemory
from tests.ingest.readers.by_path import values_by_path
from tests.profiles import make_profile as profile_of
from tests.profiles import profile_from_rows

ROWS = [
    (0, "main", 1, 1.0),
    (1, "solve", 100, 5.0),
    (2, "get", 9_000, 0.2),
    (3, "MPI_Wait", 10, 0.1),
    (1, "get", 1_000, 0.1),
    (1, "USER phase", 5, 0.5),
]


def exclude(*names):
    lines = "".join(f"EXCLUDE {name}\n" for name in names)
    return parse(f"SCOREP_REGION_NAMES_BEGIN\n{lines}SCOREP_REGION_NAMES_END\n")


def changed(rows, **visits):
    return [(d, name, visits.get(name, v), t) for d, name, v, t in rows]


def test_a_measurement_under_the_filter_agrees_to_the_visit():
    reduced = profile_from_rows([ROWS[0], ROWS[1], (2, "MPI_Wait", 10, 0.1), ROWS[5]], source="second")
    found = verify(profile_from_rows(ROWS, source="first"), reduced, exclude("get"))
    assert (found.full, found.reduced) == ("first", "second")
    assert found.visits == PredictedAndMeasured(predicted=116.0, measured=116.0)
    assert found.callpaths == PredictedAndMeasured(predicted=4, measured=4)
    assert found.agrees and found.deviation == 0.0
    assert found.differences == () and found.reasons == () and found.at_compile_time is None


def test_a_measurement_without_the_filter_is_recognised():
    full = profile_from_rows(ROWS)
    found = verify(full, full, exclude("get"))
    assert not found.agrees
    first, second, *others = found.differences
    assert (first.callpath, first.kind) == (("main", "solve", "get"), "not dropped")
    assert (first.predicted, first.measured, first.share) == (0.0, 9_000.0, 9_000 / 10_116)
    assert (second.callpath, second.kind) == (("main", "get"), "not dropped")
    assert {(one.callpath[-1], one.kind) for one in others} == {
        ("MPI_Wait", "missing"),
        ("MPI_Wait", "extra"),
    }
    assert found.reasons == ("98.9 % of the visits are in regions that the filter drops (get)",)


def test_regions_that_were_lost_are_named():
    reduced = profile_from_rows([ROWS[0], ROWS[5]])
    found = verify(profile_from_rows(ROWS), reduced, exclude("get"))
    assert [one.kind for one in found.differences] == ["missing", "missing"]
    (reason,) = found.reasons
    assert reason.startswith("regions that the filter keeps were not recorded (solve, MPI_Wait), because of")


def test_another_input_has_the_same_regions_with_other_visits():
    rows = changed(ROWS, solve=200)
    rows[3] = (3, "MPI_Wait", 8, 0.1)
    found = verify(profile_from_rows(ROWS), simulate(profile_from_rows(rows), exclude("get")), exclude("get"))
    kinds = [(one.callpath[-1], one.kind) for one in found.differences]
    assert kinds == [("solve", "visits"), ("MPI_Wait", "visits")]
    assert found.reasons == (
        "the same regions were recorded, but 47.7 % of the visits differ: another input, number of steps or "
        "number of processes",
    )


def test_a_profile_that_lost_visits_is_named_whichever_it_is():
    full, rules = profile_from_rows(ROWS, source="full"), exclude("get")
    poorer = profile_from_rows(changed(ROWS, solve=60), source="full")
    reduced, poor = (replace(simulate(one, rules), source="reduced") for one in (full, poorer))
    for found, lost in ((verify(poorer, reduced, rules), "full"), (verify(full, poor, rules), "reduced")):
        assert found.incomplete == lost and not found.agrees
        (reason,) = found.reasons
        assert reason.startswith(f"34.5 % of the visits are missing in 1 of 4 call paths of {lost}, and all")
        assert "SCOREP_TOTAL_MEMORY" in reason


def test_a_region_that_only_the_second_profile_has_is_not_taken_for_lost_visits():
    seen = simulate(profile_from_rows([*ROWS, (1, "inlined", 500, 0.1)]), exclude("get"))
    found = verify(profile_from_rows(ROWS), seen, exclude("get"))
    (reason,) = found.reasons
    assert found.incomplete == "" and "not in the profile without the filter (inlined)" in reason


def test_visits_agree_up_to_the_tolerance():
    rows = [(0, "main", 1, 1.0), (1, "poll", 999, 1.0)]
    full = profile_from_rows(rows)
    most = round(1000 * TOLERANCE)
    for fewer, agrees in ((most, True), (most + 1, False)):
        found = verify(full, profile_from_rows(changed(rows, poll=999 - fewer)), exclude("none"))
        assert found.deviation == pytest.approx(fewer / 1000) and found.agrees is agrees


def test_regions_instrumented_by_hand_show_where_the_filter_was_applied():
    full, rules = profile_from_rows(ROWS), exclude("get", "USER*")
    compiled = simulate(full, rules, at_compile_time=True)
    assert "USER phase" in {path[-1] for path in compiled.tree.paths(compiled.regions.name)}
    found = verify(full, compiled, rules)
    assert found.at_compile_time is True and found.deviation == 0.0
    at_run_time = verify(full, simulate(full, rules), rules)
    assert at_run_time.at_compile_time is False and at_run_time.deviation == 0.0


@settings(deadline=None)
@given(st.sets(st.sampled_from(["solve", "get", "MPI_Wait", "USER*"])), st.booleans())
def test_what_is_simulated_is_verified(names, at_compile_time):
    full, rules = profile_from_rows(ROWS), exclude(*sorted(names))
    found = verify(full, simulate(full, rules, at_compile_time=at_compile_time), rules)
    assert found.agrees and found.differences == ()


#        main > solve > wrap > (dot, MPI_Wait, solve > dot), wrap > dot
NESTED = [
    (0, "main", [1, 1], [1.0, 2.0]),
    (1, "solve", [10, 11], [0.5, 0.5]),
    (2, "wrap", [20, 20], [0.25, 0.0]),
    (3, "dot", [30, 30], [3.0, 3.0]),
    (3, "MPI_Wait", [5, 5], [1.0, 1.0]),
    (2, "dot", [7, 7], [0.5, 0.5]),
    (1, "wrap", [2, 2], [0.125, 0.0]),
    (2, "dot", [1, 1], [0.0, 0.25]),
]


def test_time_moves_to_recorded_callers_and_their_callees_meet(make_profile):
    seen = simulate(make_profile(NESTED), exclude("wrap"))
    assert values_by_path(seen, "visits") == {
        ("main",): [1, 1],
        ("main", "solve"): [10, 11],
        ("main", "solve", "dot"): [37, 37],
        ("main", "solve", "MPI_Wait"): [5, 5],
        ("main", "dot"): [1, 1],
    }
    time = values_by_path(seen, "time")
    assert time["main",] == [1.125, 2.0] and time["main", "solve"] == [0.75, 0.5]
    assert time["main", "solve", "dot"] == [3.5, 3.5]


def test_the_call_tree_stays_in_preorder(make_profile):
    seen = simulate(make_profile(NESTED), exclude("wrap", "solve"))
    assert list(values_by_path(seen, "visits")) == [("main",), ("main", "dot"), ("main", "MPI_Wait")]
    assert seen.tree.parent.tolist() == [-1, 0, 0]


def test_what_has_no_recorded_caller_is_lost_and_that_is_said(make_profile):
    seen = simulate(make_profile(NESTED), exclude("main"))
    paths = ["solve", "solve wrap", "solve wrap dot", "solve wrap MPI_Wait", "solve dot", "wrap", "wrap dot"]
    assert [" ".join(path) for path in values_by_path(seen, "visits")] == paths
    assert "1 call paths (3.00 s) have no recorded caller" in seen.notices[-1]


@given(st.sets(st.sampled_from(["solve", "wrap", "dot", "MPI_Wait"])))
def test_no_time_is_lost_while_main_is_recorded(names):
    profile = profile_from_rows(NESTED)
    seen = simulate(profile, exclude(*sorted(names)))
    assert seen.values("time").sum(axis=0) == pytest.approx(profile.values("time").sum(axis=0))
    assert seen.values("time", inclusive=True)[0] == pytest.approx(profile.values("time", inclusive=True)[0])
    left = [row for row in NESTED if row[1] not in names or row[1] == "MPI_Wait"]
    assert seen.values("visits").sum() == sum(sum(row[2]) for row in left)


def test_an_empty_filter_changes_nothing(make_profile):
    profile = make_profile(NESTED)
    seen = simulate(profile, FilterRules())
    assert values_by_path(seen, "time") == values_by_path(profile, "time")
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
    seen = simulate(make_profile(NESTED), exclude("wrap"))
    cpu = np.array([False, True])
    parts = list(seen.exclusive_blocks("time", cpu))
    nodes = np.concatenate([nodes for nodes, _ in parts])
    values = np.concatenate([values for _, values in parts])
    assert sorted(nodes.tolist()) == list(range(5))
    assert values.tolist() == seen.values("time")[nodes][:, cpu].tolist()


def test_what_a_profile_knows_beside_its_values_stays(make_profile):
    profile = make_profile(NESTED, source="a.cubex")
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
        "4 call paths (4.38 s) have no recorded caller and are not measured at all",
    )


def test_without_time_lost_call_paths_are_only_counted():
    values = {"visits": {("main",): [1.0], ("main", "a"): [2.0]}}
    seen = simulate(profile_of(values), exclude("main"))
    assert seen.notices == ("1 call paths have no recorded caller and are not measured at all",)
    assert seen.values("visits").tolist() == [[2.0]]


def test_folding_says_where_each_call_path_goes(make_profile):
    profile = make_profile(NESTED)
    kept = np.array([name not in ("main", "wrap") for name in profile.regions.name])
    folding = fold(profile.tree, profile.regions, kept)
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
