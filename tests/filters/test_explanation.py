from dataclasses import replace
from pathlib import Path

import pytest

from filters.decision import Motive
from filters.event_cost import EventCost
from filters.evidence import evidence_from_profile
from filters.explanation import dropped_regions, explain, filter_evidence, next_commands
from filters.filter_effect import TraceMemory, predict
from filters.filter_options import Application, Budget, Overrides
from filters.overhead_budget import decide_by_budget
from filters.paper_rule import decide_by_paper
from ingest.errors import UsageError
from ingest.record_codec import document

ROWS = [
    (0, "main", 1, 0.1),
    (1, "setup", 1, 8.0),
    (1, "step", 10, 9.0),
    (2, "tool", 100_000, 12.0),
    (2, "MPI_Wait", 3, 1.0),
    (1, "small", 20, 0.001),
    (1, "rest", 20, 0.001),
]


@pytest.fixture
def made(make_profile):
    run = evidence_from_profile(make_profile(ROWS))
    decision = decide_by_paper([run])
    return decision, predict(run, decision.recorded(0))


def test_the_next_commands_name_the_file_by_its_absolute_path():
    path = Path("my filters/app.filter")
    run_time, enough = next_commands(path, Application.RUN_TIME, MEMORY, ())
    assert enough == "export SCOREP_TOTAL_MEMORY=5M"
    assert run_time == f"export SCOREP_FILTERING_FILE='{path.absolute()}'"
    *lines, last = next_commands(path, Application.COMPILE_TIME, MEMORY, ())
    assert all(str(path.absolute()) in line for line in lines) and last == enough


# short runs: all times are far below a second
CALLERS = [
    (0, "main", 1, 0.05),
    (1, "int step(double)", 10, 0.02),
    (2, "tool", 40, 0.1),
    (2, "MPI_Wait", 3, 0.5),
    (1, "setup", 1, 0.2),
    (2, "tool", 4, 0.4),
    (1, "rest", 20, 0.01),
    (2, "tool", 5000, 0.005),
    (1, "odd", 1, 0.0),
    (2, "tool", 100, 0.0003),
    (1, "even", 1, 0.0),
    (2, "tool", 100, 0.0004),
]
COST = EventCost(1e-6, 1e-8, 1e-6)
MEMORY = TraceMemory(max_buf=100, total_memory=(4 << 20) + 1)


def decided(rows, profile_of, **asked):
    run = evidence_from_profile(profile_of(rows, source="a"))
    decision = decide_by_paper([run], overrides=Overrides(**asked))
    return decision, predict(run, decision.recorded(0), COST)


def test_an_explanation_line_by_line(make_profile):
    assert explain(*decided(CALLERS, make_profile, drop=("tool",)), "tool") == (
        "tool: dropped, dropped on request",
        "  5244 visits, 0.506 core-s, 96.4 µs each; about 0.503 core-s unmeasured",
        "  recording its visits takes about 0.00516 core-s (0.7 % of the plain computing time)",
        "  the rule keeps call paths of at least 50,000 µs per visit; those of at least 0.100 core-s are "
        "represented by call paths of at most 10 visits",
        "  main > setup > tool: 4 visits, 0.400 core-s; its time is attributed to setup",
        "  main > step > tool: 40 visits, 0.100 core-s; its time is attributed to step, represented by step",
        "  main > rest > tool: 5000 visits, 0.00500 core-s; its time is attributed to main",
        "  main > even > tool: 100 visits, 0.000400 core-s; its time is attributed to main",
        "  main > odd > tool: 100 visits, 0.000300 core-s; its time is attributed to main",
    )


def test_call_paths_beyond_the_fifth_are_counted(make_profile):
    rows = [*CALLERS, (1, "late", 1, 0.0), (2, "tool", 100, 0.0002)]
    *_, fifth, last = explain(*decided(rows, make_profile), "tool")
    assert fifth.startswith("  main > odd > tool: ")
    assert last == "  and 1 more call paths"


def test_a_kept_region_is_explained_with_the_reasons_of_its_call_paths(make_profile):
    told = explain(*decided(CALLERS, make_profile), "tool")
    assert told[0] == "tool: kept, its time per visit is among the longest"
    assert [line.rpartition("; ")[2] for line in told[4:]] == [
        "its time per visit is among the longest",
        *["recorded because its region is kept elsewhere"] * 4,
    ]


@pytest.mark.parametrize("asked", ["step", "int step(double)", "_Z16int step(double)", "*ste*", "_Z*step*"])
def test_regions_are_found_by_any_of_their_names(make_profile, asked):
    made = decided(CALLERS, make_profile)
    assert [line for line in explain(*made, asked) if not line.startswith("  ")] == [
        "int step(double): kept, it represents call paths with much total time, at or below it"
    ]


def test_a_region_that_is_not_called_has_no_explanation(make_profile):
    profile = make_profile(CALLERS)
    profile.tree.region[profile.tree.region == profile.regions.name.index("odd")] = 0
    run = evidence_from_profile(profile)
    decision = decide_by_paper([run])
    with pytest.raises(
        UsageError, match="--explain: 'odd' matches no filterable region that is called; give a name from the"
    ):
        explain(decision, predict(run, decision.recorded(0)), "odd")


@pytest.mark.parametrize("asked", ["tool", "to*", "int tool*", "_Zt*"])
def test_regions_are_named_as_the_tables_show_them_or_in_full(make_profile, asked):
    profile = make_profile([(0, "app", 1, 1.0), (1, "int tool(double)", 10, 0.5)])
    mangled = tuple("_Ztool" if "tool" in name else name for name in profile.regions.name)
    regions = replace(profile.regions, mangled=mangled)
    run = evidence_from_profile(replace(profile, regions=regions))
    decision = decide_by_paper([run])
    told = explain(decision, predict(run, decision.recorded(0)), asked)
    assert told[0].startswith("int tool(double): ")


def test_a_budget_has_no_thresholds_to_tell_of(make_profile):
    run = evidence_from_profile(make_profile(CALLERS))
    decision, _ = decide_by_budget([run], Budget(0.001), cost=COST)
    told = explain(decision, predict(run, decision.recorded(0), COST), "tool")
    assert len(told) == 3 + 5
    assert told[0] == f"tool: dropped, {Motive.TOO_COSTLY.sentence}"
    assert told[3] == "  main > setup > tool: 4 visits, 0.400 core-s; its time is attributed to setup"


def test_time_without_a_recorded_caller_goes_to_no_region(make_profile):
    rows = [(0, "app", 1, 0.1), (1, "work", 10, 0.3), (1, "never", 0, 0.0)]
    made = decided(rows, make_profile, drop=("*",))
    told = explain(*made, "work")
    assert told[-1] == ("  app > work: 10 visits, 0.300 core-s; its time is attributed to no region")
    never = explain(*made, "never")
    assert never[1] == "  0 visits, 0 core-s; about 0 core-s unmeasured"
    work, app = dropped_regions(*made)
    assert (work.region, work.attributed_to) == ("work", None)
    assert (app.region, app.attributed_to) == ("app", None)
    assert work.share + app.share == pytest.approx(1.0)
    nothing = replace(made[1], plain=replace(made[1].plain, total=0.0))
    assert explain(made[0], nothing, "work")[2] == "  recording its visits takes about 1.01e-05 core-s"
    assert {lost.share for lost in dropped_regions(made[0], nothing)} == {0.0}


def test_dropped_regions_come_by_time_with_the_caller_that_gets_most(make_profile):
    made = decided(CALLERS, make_profile, drop=("tool", "int step(double)"))
    tool, step, rest = dropped_regions(*made)
    assert [(lost.region, lost.attributed_to, lost.visits) for lost in (tool, step, rest)] == [
        ("tool", "setup", 5244.0),
        ("int step(double)", "main", 10.0),
        ("rest", "main", 20.0),
    ]
    assert tool.share == pytest.approx(0.65, rel=1e-2)
    assert dropped_regions(*made, 2) == (tool, step)
    rows = [(d, n, v, 0.08 if (n, v) == ("tool", 4) else t) for d, n, v, t in CALLERS]
    (first, *_) = dropped_regions(*decided(rows, make_profile, drop=("tool",)))
    assert first.attributed_to == "int step(double)"


def test_dropped_regions_are_ten_at_most(make_profile):
    rows = [(0, "main", 1, 0.1), *((1, f"f{i:02}", 1, 0.1 + 0.001 * i) for i in range(12))]
    found = dropped_regions(*decided(rows, make_profile, drop=("*",)))
    assert [lost.region for lost in found] == [f"f{i:02}" for i in range(11, 1, -1)]


def test_the_last_run_is_the_one_explained(make_profile):
    small = evidence_from_profile(make_profile([(0, "main", 1, 5.0), (1, "tool", 7, 5.0)], source="small"))
    large = evidence_from_profile(make_profile(CALLERS, source="large"))
    both = decide_by_paper([small, large], overrides=Overrides(drop=("tool",)))
    made = both, predict(large, both.recorded(1), COST)
    assert explain(*made, "tool")[1].startswith("  5244 visits, 0.506 core-s")
    assert dropped_regions(*made)[0].visits == 5244.0


def test_the_compile_time_commands_work_in_any_folder(make_profile):
    first, second, _ = next_commands(Path("my filters/app.filter"), Application.COMPILE_TIME, MEMORY, ())
    path = Path("my filters/app.filter").absolute()
    assert first.startswith(f"scorep --instrument-filter='{path}' g++ ...    # instead of g++")
    assert second.startswith(f"make SCOREP_WRAPPER_INSTRUMENTER_FLAGS='--instrument-filter={path}'    # if")
    run = evidence_from_profile(make_profile([(0, "main", 1, 5.0), (1, "MPI_Send", 7, 5.0)]))
    first, *_ = next_commands(path, Application.COMPILE_TIME, MEMORY, [run])
    assert " mpicxx ...    # instead of mpicxx" in first


@pytest.mark.parametrize("names", [("hydro_", "__mesh_MOD_volumes"), ("mesh.volumes_", "MAIN__")])
def test_fortran_is_compiled_as_fortran(make_profile, names):
    run = evidence_from_profile(make_profile([(0, "main", 1, 5.0), *((1, name, 7, 5.0) for name in names)]))
    run = replace(run, regions=replace(run.regions, mangled=("main", *names)))
    first, *_ = next_commands(Path("a.filter"), Application.COMPILE_TIME, MEMORY, [run])
    assert " gfortran ...    # instead of gfortran" in first


def test_equally_large_dropped_regions_come_in_their_order(make_profile):
    rows = [(0, "main", 1, 0.1), *((1, f"f{i:02}", 1, 0.1) for i in range(40))]
    found = dropped_regions(*decided(rows, make_profile, drop=("f*",)), 40)
    assert [lost.region for lost in found] == [f"f{i:02}" for i in range(40)]


def test_without_filterable_regions_there_is_nothing_to_explain(make_profile):
    made = decided([(0, "MPI_Init", 1, 1.0)], make_profile)
    with pytest.raises(UsageError, match="'f' matches no filterable region that is called"):
        explain(*made, "f")


EVIDENCE_ROWS = [
    (0, "main", 1, 0.1),
    (1, "solve", 10, 9.0),
    (2, "tool", 100_000, 1.0),
    (1, "tool", 1, 20.0),
    (1, "MPI_Wait", 3, 1.0),
]
LARGER = [
    (0, "main", 1, 0.1),
    (1, "MPI_Wait", 9, 1.0),
    (1, "solve", 10, 80.0),
    (1, "late", 1, 90.0),
    (2, "tool", 9, 0.001),
    (2, "more", 9, 0.001),
    (2, "other", 9, 0.001),
    (2, "third", 9, 0.001),
]


@pytest.fixture
def runs(make_profile):
    pairs = (("small", EVIDENCE_ROWS), ("large", LARGER))
    return [evidence_from_profile(make_profile(rows, source=source)) for source, rows in pairs]


def test_counts_and_times_are_those_of_the_last_run_and_runs_are_named(runs):
    decision = decide_by_paper(runs)
    evidence = document(filter_evidence(decision))
    assert set(evidence) == {"method", "runs", "notices", "regions"}
    assert evidence["runs"] == ["small", "large"] and evidence["notices"] == []
    regions = {entry["region"]: entry for entry in evidence["regions"]}
    assert regions["tool"] == {
        "region": "tool",
        "mangled": "_Z4tool",
        "paradigm": "compiler",
        "file": "code.cc",
        "kept": True,
        "reason": "time_per_visit",
        "why": "its time per visit is among the longest",
        "visits": 9.0,
        "time": 0.001,
        "time_per_visit": 0.001 / 9.0,
        "callpaths": 1,
        "callpaths_kept": 0,
        "callpaths_overlapped": 1,
        "runs": ["small"],
    }
    assert {name: entry["runs"] for name, entry in regions.items()} == {
        "late": ["large"],
        "main": ["small", "large"],
        "more": [],
        "other": [],
        "solve": ["large"],
        "third": [],
        "tool": ["small"],
    }
    assert not regions["more"]["kept"] and regions["more"]["callpaths_overlapped"] == 0


def test_predictions_and_dropped_regions_of_the_last_run(runs):
    decision = decide_by_paper(runs)
    predictions = [predict(run, decision.recorded(i), EventCost(spread=1e-6)) for i, run in enumerate(runs)]
    evidence = document(filter_evidence(decision, predictions))
    assert evidence["predictions"] == [document(prediction, exact=True) for prediction in predictions]
    plain = {entry["region"]: entry["plain_time"] for entry in evidence["regions"]}
    assert plain["late"] == pytest.approx(90.0, rel=1e-3) and plain["tool"] == pytest.approx(0.001, rel=1e-2)
    lost = evidence["given_up"]
    assert [entry["region"] for entry in lost] == ["more", "other", "third"]
    assert lost[0] == {
        "region": "more",
        "share": pytest.approx(0.001 / 170.1, rel=1e-2),
        "visits": 9.0,
        "told_of": "late",
    }


def test_the_budget_with_its_bound(runs):
    decision, outcome = decide_by_budget(runs, Budget(1e-6, Application.COMPILE_TIME))
    assert document(filter_evidence(decision, (), outcome))["budget"] == {
        "overhead": 1e-6,
        "applied": "compile time",
        "met": True,
        "predicted": list(outcome.predicted),
        "value": outcome.value,
        "bound": outcome.bound,
        "gap": outcome.gap,
    }
