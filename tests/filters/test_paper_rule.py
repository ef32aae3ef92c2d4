import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filters.decision import Motive
from filters.event_cost import EventCost
from filters.evidence import evidence_from_profile, filterable
from filters.explanation import explain, filter_evidence
from filters.filter_effect import predict
from filters.filter_options import Overrides, PaperRule
from filters.filter_verification import simulate
from filters.known_plain import KnownPlain
from filters.paper_rule import NEGLIGIBLE, apply_paper_rule, decide_by_paper
from filters.scorep_format.rule_files import parse
from filters.scorep_format.writer import write_filter
from tests.profiles import profile_from_rows

# get is called once in setup, for long enough to be kept, and three million times in solve; wrap leads to a
# kept kernel once and is called four million times beside it
ROWS = [
    (0, "main", 1, 0.1),
    (1, "setup", 1, 2.0),
    (2, "get", 1, 1.0e-2),
    (1, "run", 1, 1.0),
    (2, "wrap", 1, 1.0e-5),
    (3, "kernel", 2, 1.5),
    (1, "solve", 10, 7.0),
    (2, "get", 3_000_000, 0.15),
    (2, "wrap", 4_000_000, 0.2),
    *((2, f"small{i}", 100, 1e-4) for i in range(12)),
]
EXACT = PaperRule(paper_exact=True)


def decided(rows=ROWS, rule=None, **options):
    return decide_by_paper([evidence_from_profile(profile_from_rows(rows))], rule, **options)


def reasons(decision):
    pairs = zip(decision.regions.table.name, decision.reason.tolist(), strict=True)
    return {name: Motive(reason) for name, reason in pairs}


def test_a_region_kept_for_a_rare_call_path_does_not_drag_in_its_other_visits():
    exact, guarded = reasons(decided(rule=EXACT)), reasons(decided())
    assert (exact["get"], exact["wrap"]) == (Motive.TIME_PER_VISIT, Motive.PREFIX)
    changed = {name for name in exact if guarded[name] is not exact[name]}
    assert changed == {"get", "wrap"}
    assert {guarded[name] for name in changed} == {Motive.OUT_OF_PROPORTION}


def test_callers_of_a_dropped_region_stay_and_get_its_time():
    profile = profile_from_rows(ROWS)
    decision = decided()
    seen = simulate(profile, parse(write_filter(decision.regions, decision.kept).text))
    paths = seen.tree.paths(seen.regions.name)
    time = dict(zip(paths, seen.values("time")[:, 0].tolist(), strict=True))
    assert time["main", "setup"] == pytest.approx(2.01)
    assert time["main", "run"] == pytest.approx(1.00001)
    assert time["main", "run", "kernel"] == 1.5  # what is kept below a dropped prefix hangs on its caller
    visits = decision.runs[0].visits[decision.recorded(0)]
    assert (
        seen.values("visits").sum() == visits.sum() == 15.0
    )  # main, setup, run, two of kernel, ten of solve


def test_what_is_in_proportion_to_its_visits_stays():
    rows = [(depth, name, visits, 1.0 if name == "get" else time) for depth, name, visits, time in ROWS]
    assert reasons(decided(rows))["get"] is Motive.TIME_PER_VISIT
    cheap = decided(cost=EventCost(1e-9, 1e-9))
    assert not cheap.guard.dropped.any()


def test_what_costs_next_to_nothing_stays():
    decision = decided()
    i = decision.regions.table.name.index("get")
    factor = 0.5 * NEGLIGIBLE / decision.guard.cost[i]
    rows = [(d, name, max(1, round(v * factor)) if v > 1000 else v, t) for d, name, v, t in ROWS]
    assert reasons(decided(rows))["get"].keeps


def test_the_user_wins_over_the_guard():
    assert reasons(decided(overrides=Overrides(protect=("get",))))["get"] is Motive.PROTECTED
    assert reasons(decided(overrides=Overrides(growing=("wrap",))))["wrap"] is Motive.GROWING
    assert not decided(rule=EXACT).notices and decided(rule=EXACT).guard is None


def test_a_plain_time_that_is_known_counts():
    run = evidence_from_profile(profile_from_rows(ROWS))
    times = (0.2, 0.6)  # of the measured one: recording takes more or less of it than its visits show
    costs = [decide_by_paper([run], known=KnownPlain.of(t * run.time.sum())).guard.cost.sum() for t in times]
    assert costs[0] > 1.2 * costs[1]


def test_of_several_runs_the_largest_cost_counts():
    small = [(depth, name, min(visits, 1000), time) for depth, name, visits, time in ROWS]
    both = [evidence_from_profile(profile_from_rows(rows)) for rows in (small, ROWS)]
    assert reasons(decide_by_paper(both[:1]))["get"].keeps
    assert not reasons(decide_by_paper(both))["get"].keeps
    assert not reasons(decide_by_paper(both[::-1]))["get"].keeps


def test_notices_evidence_and_explanation_say_what_the_guard_drops():
    decision = decided()
    assert decision.notices == (
        "dropped although the rule of the paper keeps them, since recording all their visits costs more than "
        "they show: get, wrap; --paper-exact keeps them",
    )
    assert decision.method.endswith("all callers of what is kept; nothing that costs more than it shows")
    entry = next(entry for entry in filter_evidence(decision).regions if entry.region == "get")
    assert (entry.kept, entry.reason, entry.callpaths_kept) == (False, "out_of_proportion", 0)
    sentence = (
        "the rule keeps 1 call path of 1 visit; its other call paths have 3.00 million visits; recording all "
        "of them takes "
    )
    assert sentence in entry.why
    told = explain(decision, predict(decision.runs[0], decision.recorded(0)), "get")
    assert told[0].startswith("get: dropped, the rule keeps it, but recording all its visits costs more")
    assert any(line.startswith(f"  {sentence}") for line in told)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 3), st.sampled_from("abcde"), st.integers(1, 5_000_000), st.floats(0.0, 2.0)
        ),
        min_size=1,
        max_size=12,
    )
)
def test_the_guard_only_drops_and_recorded_visits_are_those_of_the_simulation(drawn):
    rows, depth = [(0, "main", 1, 0.5)], 0
    for deeper, name, visits, time in drawn:
        depth = min(deeper, depth) + 1
        rows.append((depth, name, visits, time))
    exact, guarded = decided(rows, EXACT), decided(rows)
    assert not (guarded.kept & ~exact.kept).any()
    taken = guarded.guard.cost[guarded.kept & ~guarded.regions.pinned]
    shown = guarded.guard.shown[guarded.kept & ~guarded.regions.pinned]
    assert (taken <= np.maximum(shown, NEGLIGIBLE)).all()
    seen = simulate(profile_from_rows(rows), parse(write_filter(guarded.regions, guarded.kept).text))
    assert seen.values("visits").sum() == guarded.runs[0].visits[guarded.recorded(0)].sum()


# depth, region, visits, exclusive time: eight filterable call paths, so two are the top quarter
PAPER_ROWS = [
    (0, "main", 1, 0.1),
    (1, "setup", 1, 8.0),  # longest per visit
    (1, "step", 10, 0.2),
    (2, "solve", 10, 9.0),  # second per visit and by total time
    (3, "dot", 100000, 10.0),  # most total time, far too many visits
    (3, "MPI_Allreduce", 10, 50.0),
    (2, "small", 10, 0.01),
    (2, "tiny", 1000, 0.01),
    (1, "never", 0, 0.0),
    (1, "finish", 1, 0.001),
]


def outcome(rows, make_profile, rule=None):
    run = evidence_from_profile(make_profile(rows))
    able = filterable(run.regions)[run.tree.region]
    return apply_paper_rule(run, able, rule or PaperRule())


def reason_names(result):
    return [Motive(int(code)).name for code in result.reason]


def test_the_rule_of_the_paper(make_profile):
    result = outcome(PAPER_ROWS, make_profile)
    assert reason_names(result) == [
        "PREFIX",
        "TIME_PER_VISIT",
        "PREFIX",
        "TIME_PER_VISIT",
        "DROPPED",
        "DROPPED",
        "DROPPED",
        "DROPPED",
        "DROPPED",
        "DROPPED",
    ]
    assert result.visits == 10.0  # the median of 1 1 10 10 100000 10 1000 1
    assert result.represented_by[4] == 3  # dot is represented by solve
    assert (result.represented_by >= 0).sum() == 1


def test_a_heavy_call_path_with_few_visits_represents_itself(make_profile):
    rows = [(0, "main", 1, 0.0), (1, "a", 1, 5.0), (1, "b", 4, 9.0), (1, "c", 8, 0.1), (1, "d", 9, 0.1)]
    result = outcome(rows, make_profile)
    assert reason_names(result) == ["PREFIX", "TIME_PER_VISIT", "TIME_PER_VISIT", "DROPPED", "DROPPED"]
    single = outcome(rows, make_profile, PaperRule(per_visit=0.2, total=0.2))
    assert reason_names(single)[2] == "TOTAL_TIME"


def test_a_region_that_no_filter_touches_can_represent_others(make_profile):
    rows = [(0, "main", 1, 0.0), (1, "!$omp parallel", 1, 0.1), (2, "hot", 1000, 9.0), (1, "once", 1, 8.0)]
    result = outcome(rows, make_profile)
    assert result.represented_by[2] == 1
    assert reason_names(result) == ["PREFIX", "TOTAL_TIME", "DROPPED", "TIME_PER_VISIT"]


def test_ties_are_kept_and_nothing_is_kept_for_no_time(make_profile):
    rows = [
        (0, "main", 1, 0.0),
        *((1, name, 1, 1.0) for name in "abc"),
        *((1, name, 1, 0.0) for name in "de"),
    ]
    result = outcome(rows, make_profile)
    assert reason_names(result) == ["PREFIX", *["TIME_PER_VISIT"] * 3, "DROPPED", "DROPPED"]


@pytest.mark.parametrize("rows", [[], [(0, "main", 0, 0.0)], [(0, "MPI_Init", 1, 1.0)]])
def test_profiles_with_nothing_to_decide(rows, make_profile):
    if not rows:
        rows = [(0, "main", 0, 0.0), (1, "a", 0, 0.0)]
    result = outcome(rows, make_profile)
    assert np.isinf(result.time_per_visit) and (result.represented_by == -1).all()


def test_the_numbers_of_the_rule(make_profile):
    result = outcome(PAPER_ROWS, make_profile)
    assert result.time_per_visit == 0.9  # of solve, the second longest of eight
    assert result.total_time == 9.0
    wider = outcome(PAPER_ROWS, make_profile, PaperRule(per_visit=0.26, total=0.126, visits=1.0))
    assert wider.time_per_visit == pytest.approx(0.1)  # ceil(0.26 * 8) = 3: that of main
    assert wider.total_time == 9.0
    assert wider.visits == 100000.0
    assert wider.represented_by[4] == 4  # dot may represent itself now
    assert reason_names(wider)[4] == "TOTAL_TIME"


def test_no_share_keeps_nothing_but_entry_points(make_profile):
    result = outcome(PAPER_ROWS, make_profile, PaperRule(per_visit=0.0, total=0.0))
    assert reason_names(result) == ["PREFIX", *["DROPPED"] * 9]
    assert result.time_per_visit == result.total_time == np.inf
    everything = outcome(PAPER_ROWS, make_profile, PaperRule(per_visit=1.0))
    kept = [name for name in reason_names(everything) if name != "DROPPED"]
    assert len(kept) == 8 and set(kept) == {"TIME_PER_VISIT"}


def test_a_call_path_represents_itself_up_to_the_quantile_of_visits(make_profile):
    rows = [(0, "main", 1, 0.0), (1, "a", 4, 1.0), (2, "b", 4, 9.0), (2, "c", 5, 8.0), (1, "d", 1, 50.0)]
    result = outcome(rows, make_profile, PaperRule(per_visit=0.2, total=0.6, visits=0.5))
    assert result.visits == 4.0
    assert result.represented_by.tolist() == [-1, -1, 2, 1, -1]
    assert reason_names(result) == ["PREFIX", "TOTAL_TIME", "TOTAL_TIME", "DROPPED", "TIME_PER_VISIT"]


def test_if_no_caller_has_few_visits_the_root_represents(make_profile):
    rows = [(0, "main", 9, 0.1), (1, "a", 9, 0.1), (2, "b", 9, 9.0), (1, "c", 1, 0.3), (1, "d", 1, 50.0)]
    result = outcome(rows, make_profile, PaperRule(per_visit=0.2, total=0.4, visits=0.25))
    assert result.visits == 1.0
    assert result.represented_by.tolist() == [-1, -1, 0, -1, -1]
    assert reason_names(result)[:3] == ["TOTAL_TIME", "DROPPED", "DROPPED"]


def test_the_method_names_the_rule_and_its_numbers(make_profile):
    run = evidence_from_profile(make_profile(PAPER_ROWS))
    decision = decide_by_paper([run], PaperRule(per_visit=0.1, total=0.2, visits=0.75))
    assert decision.method == (
        "paper rule: top 10 % by time per visit, top 20 % by total time, visits up to the 75 % quantile, "
        "all callers of what is kept; nothing that costs more than it shows"
    )
    exact = decide_by_paper([run], PaperRule(paper_exact=True))
    assert exact.method.endswith("all callers of what is kept")
    assert len(decision.outcomes) == 1
