from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filters.decision import Motive, override_notices
from filters.evidence import evidence_from_profile, unite_regions
from filters.explanation import costly_at_largest_scale, filter_evidence
from filters.filter_effect import predict
from filters.filter_options import Budget, Form, Layout, Overrides, PaperRule
from filters.overhead_budget import decide_by_budget
from filters.paper_rule import decide_by_paper
from filters.scorep_format.rule_files import FilterRules, parse
from filters.scorep_format.writer import prove, write_filter
from ingest.calltree import CallTree
from ingest.errors import FilterError, UsageError
from ingest.profile import LocationTable, Metric, Profile, RegionTable, ValuesInMemory
from ingest.record_codec import document
from tests.profiles import profile_from_rows

ROWS = [
    (0, "main", 1, 0.1),
    (1, "setup", 1, 8.0),
    (1, "step", 10, 0.2),
    (2, "solve", 10, 9.0),
    (3, "tool", 100000, 1.0),
    (1, "USER phase", 7, 0.0),
    (2, "tool", 1, 20.0),
    (2, "MPI_Wait", 3, 1.0),
]


@pytest.fixture
def decision(make_profile):
    return decide_by_paper([evidence_from_profile(make_profile(ROWS))])


def kept_names(decision):
    return {decision.regions.table.name[i] for i in np.flatnonzero(decision.kept)}


def test_a_region_is_kept_if_any_of_its_call_paths_is(decision):
    assert "tool" in kept_names(decision)
    entry = next(e for e in filter_evidence(decision).regions if e.region == "tool")
    assert (entry.callpaths, entry.callpaths_kept, entry.callpaths_overlapped) == (2, 1, 1)
    assert decision.overlapped(0).tolist() == [False, False, False, False, True, False, False, False]


def test_user_regions_and_main_are_always_kept_and_mpi_is_left_alone(decision):
    assert {"main", "USER phase"} <= kept_names(decision)
    assert "MPI_Wait" not in decision.regions.table.name
    assert decision.recorded(0)[7]


def test_a_profile_without_compiler_regions_gives_a_filter_that_filters_nothing(make_profile):
    run = evidence_from_profile(make_profile([(0, "USER a", 1, 1.0), (1, "MPI_Init", 1, 1.0)]))
    found = decide_by_paper([run])
    assert "nothing to filter" in found.notices[0]
    text = write_filter(found.regions, found.kept).text
    assert parse(text) == FilterRules()


def test_the_decisions_of_several_runs_are_united_with_their_reasons(make_profile):
    small = evidence_from_profile(make_profile(ROWS, source="small"))
    rows = [(0, "main", 1, 0.1), (1, "setup", 1, 0.1), (1, "late", 1, 50.0), (1, "step", 10, 0.2)]
    large = evidence_from_profile(make_profile(rows, source="large"))
    found = decide_by_paper([small, large])
    assert {"setup", "late"} <= kept_names(found)
    runs = {entry.region: entry.runs for entry in filter_evidence(found).regions}
    assert runs["late"] == ("large",) and runs["setup"] == ("small",)


@pytest.mark.parametrize("form", list(Form))
def test_every_form_is_proven(decision, form):
    first, second = (
        write_filter(decision.regions, decision.kept, Layout(form), ("made\nby test",)) for _ in range(2)
    )
    prove(first.text, decision.regions.table, first.plan.intended)
    assert first.text == second.text
    assert form in (Form.SHORTER, first.plan.form)


def hostile_profile(names):
    count = len(names)
    nothing = ("",) * count
    regions = RegionTable(
        name=tuple(names),
        mangled=tuple(names),
        paradigm=("compiler",) * count,
        file=nothing,
        line=np.full(count, -1),
    )
    tree = CallTree(np.where(np.arange(count) == 0, -1, 0), np.arange(count))
    zero = np.zeros(1, dtype=np.int64)
    metrics = (Metric("visits", "occ"), Metric("time", "sec"))
    values = np.arange(1.0, count + 1)[:, None]
    location = LocationTable.of_threads(zero, zero)
    return Profile(
        source="hostile",
        tree=tree,
        regions=regions,
        locations=location,
        metrics=metrics,
        load=ValuesInMemory(tree, {"visits": values, "time": values}),
    )


NAMES = st.text(st.characters(exclude_characters="\n\r\0"), min_size=1)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(NAMES, min_size=1, unique=True, max_size=8),
    st.lists(st.booleans(), min_size=8, max_size=8),
    st.sampled_from(list(Form)),
)
def test_a_written_filter_decides_hostile_names_as_intended(names, choice, form):
    regions = unite_regions([evidence_from_profile(hostile_profile(names))])
    kept = np.array(choice[: len(regions)])
    written = write_filter(regions, kept, Layout(form, whole_files=True))
    prove(written.text, regions.table, written.plan.intended)
    assert (written.plan.intended == kept).all()


def test_reasons_have_their_order():
    assert [reason.name for reason in sorted(Motive)] == [
        "DROPPED",
        "NEVER_CALLED",
        "TOO_COSTLY",
        "OUT_OF_PROPORTION",
        "ASKED_TO_DROP",
        "PREFIX",
        "STRUCTURE",
        "TOTAL_TIME",
        "TIME_PER_VISIT",
        "TIME",
        "GROWING",
        "PROTECTED",
        "USER_REGION",
        "ENTRY_POINT",
    ]
    assert [reason.name for reason in Motive if not reason.keeps] == [
        "DROPPED",
        "NEVER_CALLED",
        "TOO_COSTLY",
        "OUT_OF_PROPORTION",
        "ASKED_TO_DROP",
    ]
    assert len({reason.sentence for reason in Motive}) == len(Motive)


def reasons_of(decision):
    names = decision.regions.table.name
    return {name: Motive(int(code)).name for name, code in zip(names, decision.reason, strict=True)}


def test_a_region_has_the_strongest_reason_of_its_call_paths(decision):
    assert reasons_of(decision) == {
        "USER phase": "USER_REGION",
        "main": "ENTRY_POINT",
        "setup": "TIME_PER_VISIT",
        "solve": "DROPPED",
        "step": "DROPPED",
        "tool": "TIME_PER_VISIT",
    }


def test_what_is_protected_wins_over_what_is_dropped_and_the_entry_point_over_both(make_profile):
    run = evidence_from_profile(make_profile(ROWS))
    both = decide_by_paper([run], overrides=Overrides(protect=("solve", "USER*"), drop=("*",)))
    assert reasons_of(both) == {
        "USER phase": "PROTECTED",
        "main": "ENTRY_POINT",
        "setup": "ASKED_TO_DROP",
        "solve": "PROTECTED",
        "step": "ASKED_TO_DROP",
        "tool": "ASKED_TO_DROP",
    }
    by_linker_name = decide_by_paper([run], overrides=Overrides(drop=("_Z5setup",)))
    assert reasons_of(by_linker_name)["setup"] == "ASKED_TO_DROP"


def test_a_region_that_is_not_called_has_a_reason_of_its_own(make_profile):
    profile = make_profile(ROWS)
    profile.tree.region[1] = profile.regions.name.index("step")
    found = decide_by_paper([evidence_from_profile(profile)])
    assert reasons_of(found)["setup"] == "NEVER_CALLED"
    assert not found.kept[found.regions.table.name.index("setup")]


def test_recorded_call_paths_are_those_of_kept_regions_and_of_what_cannot_be_filtered(decision):
    assert decision.recorded_regions(0).tolist() == [True, True, False, False, True, True, True]
    dropped = replace(decision, reason=np.full(len(decision.regions), Motive.ASKED_TO_DROP))
    assert dropped.recorded_regions(0).tolist() == [False] * 6 + [True]
    assert dropped.recorded(0).tolist() == [False] * 7 + [True]
    assert not dropped.overlapped(0).any()


def test_without_filterable_regions_everything_is_recorded(make_profile):
    found = decide_by_paper([evidence_from_profile(make_profile([(0, "MPI_Init", 1, 1.0)]))])
    assert len(found.regions) == 0
    assert found.recorded_regions(0).tolist() == [True]


def test_a_filter_that_excludes_nothing_says_so(make_profile):
    run = evidence_from_profile(make_profile(ROWS))
    everything = decide_by_paper([run], PaperRule(per_visit=1.0))
    assert everything.notices == ("every filterable region is kept, so the filter excludes nothing",)
    assert decide_by_paper([run], overrides=Overrides(drop=("tool",))).notices == ()


def test_expensive_is_from_one_per_cent_of_the_plain_time(make_profile):
    small = evidence_from_profile(make_profile(ROWS, source="small"))
    rows = [(d, n, v, 1e-3 if n == "setup" else t) for d, n, v, t in ROWS]
    large = evidence_from_profile(make_profile([*rows, (1, "late", 1, 1.0)], source="large"))
    both = decide_by_paper([small, large])
    prediction = predict(large, both.recorded(1))
    cost = 0.01 * prediction.plain.total

    def reported(setup_cost):
        plain = replace(prediction.plain, cost=(setup_cost, setup_cost, setup_cost))
        return costly_at_largest_scale(both, replace(prediction, plain=plain))

    assert reported(0.999 * cost) == ()
    assert reported(cost * (1 + 1e-9)) == (
        "'setup' is kept for smaller runs only, but at the largest scale recording it takes 1.0 % of the "
        "plain computing time",
    )
    large.visits[large.visits > 1] = 1.0
    exact = replace(prediction.plain, cost=(1.0, 1.0, 1.0), total=100.0)
    assert len(costly_at_largest_scale(both, replace(prediction, plain=exact))) == 1
    nothing = replace(prediction, plain=replace(prediction.plain, total=0.0))
    assert costly_at_largest_scale(both, nothing) == ()
    protected = decide_by_paper([small, large], overrides=Overrides(protect=("setup",)))
    plain = replace(prediction.plain, cost=(cost, cost, cost))
    assert costly_at_largest_scale(protected, replace(prediction, plain=plain)) == ()


def test_the_evidence_of_every_region_by_number(make_profile):
    run = evidence_from_profile(make_profile(ROWS, source="a.cubex"))
    found = decide_by_paper([run], overrides=Overrides(drop=("step", "solve")))
    evidence = document(filter_evidence(found, [predict(run, found.recorded(0))]))
    assert evidence["method"] == found.method and evidence["runs"] == ["a.cubex"]
    entries = {entry["region"]: entry for entry in evidence["regions"]}
    assert list(entries) == ["USER phase", "main", "setup", "solve", "step", "tool"]
    tool = {
        key: entries["tool"][key]
        for key in ("visits", "time", "time_per_visit", "paradigm", "file", "mangled")
    }
    assert tool == {
        "visits": 100001.0,
        "time": 21.0,
        "time_per_visit": 21.0 / 100001.0,
        "paradigm": "compiler",
        "file": "code.cc",
        "mangled": "_Z4tool",
    }
    assert (entries["tool"]["callpaths"], entries["tool"]["callpaths_kept"]) == (2, 1)
    step = entries["step"]
    assert (step["kept"], step["reason"], step["why"]) == (False, "asked_to_drop", "dropped on request")
    assert (step["callpaths"], step["callpaths_kept"], step["callpaths_overlapped"]) == (1, 0, 0)
    assert "runs" not in step
    assert sum(entry["plain_time"] for entry in entries.values()) == pytest.approx(38.3, rel=1e-3)
    assert [lost["region"] for lost in evidence["given_up"]] == ["solve", "step"]
    assert len(evidence["predictions"]) == 1


def test_a_region_without_visits_has_no_time_per_visit(make_profile):
    run = evidence_from_profile(make_profile([(0, "main", 1, 1.0), (1, "a", 0, 0.0)]))
    entry = filter_evidence(decide_by_paper([run])).regions[0]
    assert (entry.region, entry.visits, entry.time_per_visit) == ("a", 0.0, None)


def test_a_wrong_filter_is_named_by_its_verb(decision):
    regions = decision.regions.table
    nothing = np.zeros(len(decision.regions), dtype=np.bool_)
    only_solve = nothing.copy()
    only_solve[regions.name.index("solve")] = True
    everything_but_solve = ~only_solve
    text = write_filter(decision.regions, everything_but_solve).text
    with pytest.raises(FilterError, match=r"a.filter: the filter drops 'solve' against the decision$"):
        prove(text, regions, ~nothing, where="a.filter")
    with pytest.raises(FilterError, match="the filter keeps 'USER phase' against the decision and 1 more"):
        intended = everything_but_solve.copy()
        intended[:2] = False
        prove(text, regions, intended)


def test_regions_kept_only_to_lead_to_others_count_as_kept(make_profile):
    rows = [(0, "main", 1, 0.1), (1, "way", 10, 0.1), (2, "goal", 1, 9.0)]
    run = evidence_from_profile(make_profile(rows))
    found = decide_by_paper([run])
    assert reasons_of(found) == {"goal": "TIME_PER_VISIT", "main": "ENTRY_POINT", "way": "PREFIX"}
    assert found.notices == ("every filterable region is kept, so the filter excludes nothing",)


REQUESTED = [
    (0, "main", 1, 0.1),
    (1, "solve", 10, 6.0),
    (2, "get", 5_000_000, 0.5),
    (1, "setup", 1, 2.0),
    (1, "USER phase", 5, 0.5),
]


def budget(runs, overrides):
    return decide_by_budget(runs, Budget(0.01), overrides=overrides)[0]


def paper(runs, overrides):
    return decide_by_paper(runs, overrides=overrides)


@pytest.fixture(params=[paper, budget])
def notices(request):
    def of(runs=1, **options):
        overrides = Overrides(**options)
        decision = request.param([evidence_from_profile(profile_from_rows(REQUESTED))] * runs, overrides)
        return decision, override_notices(decision, overrides)

    return of


@pytest.mark.parametrize("runs", [1, 3])
def test_requests_win_in_every_rule_and_are_named(notices, runs):
    decision, said = notices(runs, protect=("get",), drop=("s*",), growing=("setup",))
    kept = dict(zip(decision.regions.table.name, decision.kept.tolist(), strict=True))
    assert kept == {"USER phase": True, "get": True, "main": True, "setup": False, "solve": False}
    assert said == ("kept on request (--protect): get", "dropped on request (--drop): setup, solve")


def test_protect_wins_over_drop_and_that_is_said(notices):
    decision, said = notices(protect=("solve",), drop=("solve", "setup"))
    assert decision.kept[decision.regions.table.name.index("solve")]
    assert said == (
        "kept on request: --protect and --drop both match, and --protect wins: solve",
        "dropped on request (--drop): setup",
    )


def test_what_cannot_be_done_is_said(notices):
    _, said = notices(drop=("main",))
    assert said == ("kept in spite of --drop, as the entry point of the program: main",)
    assert notices()[1] == ()


def test_a_pattern_that_matches_nothing_is_refused(notices):
    with pytest.raises(UsageError, match=r"--protect 'nothing\*': matches no region .*with or without"):
        notices(protect=("nothing*",), drop=("main",))
    with pytest.raises(UsageError, match=r"--drop 'solv': matches no region .*solve"):
        notices(drop=("main", "solv"))


@pytest.mark.parametrize("pattern", ["Mesh::calc*", "double Mesh::calcVolumes(int)", "Mesh::calcVolumes"])
def test_patterns_match_names_as_they_are_printed(pattern):
    rows = [(0, "main", 1, 0.1), (1, "double Mesh::calcVolumes(int)", 10, 6.0), (1, "solve", 1, 2.0)]
    decision = paper([evidence_from_profile(profile_from_rows(rows))], Overrides(drop=(pattern,)))
    assert decision.kept[list(decision.regions.table.name).index("solve")]
    assert not decision.kept[list(decision.regions.table.name).index("double Mesh::calcVolumes(int)")]


def test_regions_instrumented_by_hand_are_dropped_at_run_time_only(notices):
    decision, said = notices(drop=("USER*",))
    assert not decision.kept[decision.regions.table.name.index("USER phase")]
    assert said == (
        "dropped on request (--drop): USER phase",
        "regions instrumented by hand are dropped at run time only; a filter at compile time leaves them",
    )
