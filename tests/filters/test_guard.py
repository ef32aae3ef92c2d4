"""The guard of the paper's rule: regions whose visits, in all call paths, cost more than they show."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filters.cost import EventCost
from filters.decision import Reason
from filters.evidence import evidence_from_profile
from filters.evidence_file import evidence_json
from filters.explanation import explain
from filters.guard import NEGLIGIBLE
from filters.options import Overrides, PaperRule
from filters.overhead import predict
from filters.paper_rule import decide_by_paper
from filters.plain_time import KnownPlain
from filters.scorep_format.parser import parse
from filters.scorep_format.writer import write_filter
from filters.simulation import simulate
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
    (2, "get", 3_000_000, 0.3),
    (2, "wrap", 4_000_000, 0.4),
    *((2, f"small{i}", 100, 1e-4) for i in range(12)),
]
EXACT = PaperRule(paper_exact=True)


def decided(rows=ROWS, rule=None, **options):
    return decide_by_paper([evidence_from_profile(profile_from_rows(rows))], rule, **options)


def reasons(decision):
    pairs = zip(decision.regions.table.name, decision.reason.tolist(), strict=True)
    return {name: Reason(reason) for name, reason in pairs}


def test_a_region_kept_for_a_rare_call_path_does_not_drag_in_its_other_visits():
    exact, guarded = reasons(decided(rule=EXACT)), reasons(decided())
    assert (exact["get"], exact["wrap"]) == (Reason.TIME_PER_VISIT, Reason.PREFIX)
    changed = {name for name in exact if guarded[name] is not exact[name]}
    assert changed == {"get", "wrap"}
    assert {guarded[name] for name in changed} == {Reason.OUT_OF_PROPORTION}


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
    assert reasons(decided(rows))["get"] is Reason.TIME_PER_VISIT
    cheap = decided(cost=EventCost(1e-9, 1e-9))
    assert not cheap.guard.dropped.any()


def test_what_costs_next_to_nothing_stays():
    decision = decided()
    i = decision.regions.table.name.index("get")
    factor = 0.9 * NEGLIGIBLE / decision.guard.cost[i]
    rows = [(d, name, max(1, round(v * factor)) if v > 1000 else v, t) for d, name, v, t in ROWS]
    assert reasons(decided(rows))["get"].keeps


def test_the_user_wins_over_the_guard():
    assert reasons(decided(overrides=Overrides(protect=("get",))))["get"] is Reason.PROTECTED
    assert reasons(decided(overrides=Overrides(growing=("wrap",))))["wrap"] is Reason.GROWING
    assert not decided(rule=EXACT).notices and decided(rule=EXACT).guard is None


def test_a_plain_time_that_is_known_counts():
    run = evidence_from_profile(profile_from_rows(ROWS))
    assert not decide_by_paper([run], known=KnownPlain(run.time.sum() * (1 - 1e-9))).guard.dropped.any()


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
    entry = next(entry for entry in evidence_json(decision)["regions"] if entry["region"] == "get")
    assert (entry["kept"], entry["reason"], entry["callpaths_kept"]) == (False, "out_of_proportion", 0)
    sentence = (
        "the rule keeps 1 call path of 1 visit; its other call paths have 3.00 million visits; recording all "
        "of them takes "
    )
    assert sentence in entry["why"]
    told = explain(decision, predict(decision.runs[0], decision.recorded(0)), "get")
    assert told[0].startswith("get: dropped, the rule keeps it, but recording all its visits costs more")
    assert any(line.startswith(f"  {sentence}") for line in told)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.sampled_from("abcde"),
            st.integers(1, 5_000_000),
            st.floats(0.0, 2.0),
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
