import numpy as np
import pytest

from filters.decision import Reason
from filters.evidence import evidence_from_profile
from filters.options import PaperRule
from filters.paper_rule import apply_paper_rule, decide_by_paper
from filters.scorep_format.matcher import filterable

# depth, region, visits, exclusive time: eight filterable call paths, so two are the top quarter
ROWS = [
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


def reasons(result):
    return [Reason(int(code)).name for code in result.reason]


def test_the_rule_of_the_paper(make_profile):
    result = outcome(ROWS, make_profile)
    assert reasons(result) == [
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
    assert reasons(result) == ["PREFIX", "TIME_PER_VISIT", "TIME_PER_VISIT", "DROPPED", "DROPPED"]
    single = outcome(rows, make_profile, PaperRule(per_visit=0.2, total=0.2))
    assert reasons(single)[2] == "TOTAL_TIME"


def test_a_region_that_no_filter_touches_can_represent_others(make_profile):
    rows = [(0, "main", 1, 0.0), (1, "!$omp parallel", 1, 0.1), (2, "hot", 1000, 9.0), (1, "once", 1, 8.0)]
    result = outcome(rows, make_profile)
    assert result.represented_by[2] == 1
    assert reasons(result) == ["PREFIX", "TOTAL_TIME", "DROPPED", "TIME_PER_VISIT"]


def test_ties_are_kept_and_nothing_is_kept_for_no_time(make_profile):
    rows = [
        (0, "main", 1, 0.0),
        *((1, name, 1, 1.0) for name in "abc"),
        *((1, name, 1, 0.0) for name in "de"),
    ]
    result = outcome(rows, make_profile)
    assert reasons(result) == ["PREFIX", *["TIME_PER_VISIT"] * 3, "DROPPED", "DROPPED"]


@pytest.mark.parametrize("rows", [[], [(0, "main", 0, 0.0)], [(0, "MPI_Init", 1, 1.0)]])
def test_profiles_with_nothing_to_decide(rows, make_profile):
    if not rows:
        rows = [(0, "main", 0, 0.0), (1, "a", 0, 0.0)]
    result = outcome(rows, make_profile)
    assert np.isinf(result.time_per_visit) and (result.represented_by == -1).all()


def test_the_numbers_of_the_rule(make_profile):
    result = outcome(ROWS, make_profile)
    assert result.time_per_visit == 0.9  # of solve, the second longest of eight
    assert result.total_time == 9.0
    wider = outcome(ROWS, make_profile, PaperRule(per_visit=0.26, total=0.126, visits=1.0))
    assert wider.time_per_visit == pytest.approx(0.1)  # ceil(0.26 * 8) = 3: that of main
    assert wider.total_time == 9.0
    assert wider.visits == 100000.0
    assert wider.represented_by[4] == 4  # dot may represent itself now
    assert reasons(wider)[4] == "TOTAL_TIME"


def test_no_share_keeps_nothing_but_entry_points(make_profile):
    result = outcome(ROWS, make_profile, PaperRule(per_visit=0.0, total=0.0))
    assert reasons(result) == ["PREFIX", *["DROPPED"] * 9]
    assert result.time_per_visit == result.total_time == np.inf
    everything = outcome(ROWS, make_profile, PaperRule(per_visit=1.0))
    kept = [name for name in reasons(everything) if name != "DROPPED"]
    assert len(kept) == 8 and set(kept) == {"TIME_PER_VISIT"}


def test_a_call_path_represents_itself_up_to_the_quantile_of_visits(make_profile):
    rows = [(0, "main", 1, 0.0), (1, "a", 4, 1.0), (2, "b", 4, 9.0), (2, "c", 5, 8.0), (1, "d", 1, 50.0)]
    result = outcome(rows, make_profile, PaperRule(per_visit=0.2, total=0.6, visits=0.5))
    assert result.visits == 4.0
    assert result.represented_by.tolist() == [-1, -1, 2, 1, -1]
    assert reasons(result) == ["PREFIX", "TOTAL_TIME", "TOTAL_TIME", "DROPPED", "TIME_PER_VISIT"]


def test_if_no_caller_has_few_visits_the_root_represents(make_profile):
    rows = [(0, "main", 9, 0.1), (1, "a", 9, 0.1), (2, "b", 9, 9.0), (1, "c", 1, 0.3), (1, "d", 1, 50.0)]
    result = outcome(rows, make_profile, PaperRule(per_visit=0.2, total=0.4, visits=0.25))
    assert result.visits == 1.0
    assert result.represented_by.tolist() == [-1, -1, 0, -1, -1]
    assert reasons(result)[:3] == ["TOTAL_TIME", "DROPPED", "DROPPED"]


def test_the_method_names_the_rule_and_its_numbers(make_profile):
    run = evidence_from_profile(make_profile(ROWS))
    decision = decide_by_paper([run], PaperRule(per_visit=0.1, total=0.2, visits=0.75))
    assert decision.method == (
        "paper rule: top 10 % by time per visit, top 20 % by total time, visits up to the 75 % quantile, "
        "all callers of what is kept; nothing that costs more than it shows"
    )
    exact = decide_by_paper([run], PaperRule(paper_exact=True))
    assert exact.method.endswith("all callers of what is kept")
    assert len(decision.outcomes) == 1
