"""What the output says about regions that the user decided on."""

import pytest

from filters.budget import decide_by_budget
from filters.evidence import evidence_from_profile
from filters.options import Budget, Overrides
from filters.override_notices import override_notices
from filters.paper_rule import decide_by_paper
from tests.profiles import profile_from_rows

ROWS = [
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
        decision = request.param([evidence_from_profile(profile_from_rows(ROWS))] * runs, overrides)
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
    _, said = notices(protect=("nothing*",), drop=("main", "MPI_*"))
    ending = (
        "matches no region that a filter can name; a pattern must match the whole displayed or mangled name"
    )
    assert said == (
        "kept in spite of --drop, as the entry point of the program: main",
        f"--protect 'nothing*' {ending}",
        f"--drop 'MPI_*' {ending}",
    )
    assert notices()[1] == ()


def test_regions_instrumented_by_hand_are_dropped_at_run_time_only(notices):
    decision, said = notices(drop=("USER*",))
    assert not decision.kept[decision.regions.table.name.index("USER phase")]
    assert said == (
        "dropped on request (--drop): USER phase",
        "regions instrumented by hand are dropped at run time only; a filter at compile time leaves them",
    )
