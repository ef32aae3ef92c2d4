import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filters.evidence import evidence_from_profile
from filters.evidence_file import evidence_json
from filters.explanation import costly_at_largest_scale
from filters.options import Form, Layout, Overrides
from filters.overhead import predict
from filters.paper_rule import decide_by_paper
from filters.regions import unite_regions
from filters.scorep_format.parser import Filter, parse
from filters.scorep_format.writer import prove, write_filter
from ingest.calltree import CallTree
from ingest.errors import FilterError
from ingest.profile import LocationTable, Metric, Profile, RegionTable, ValuesInMemory

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
    entry = next(e for e in evidence_json(decision)["regions"] if e["region"] == "tool")
    assert (entry["callpaths"], entry["callpaths_kept"], entry["callpaths_overlapped"]) == (2, 1, 1)
    assert decision.overlapped(0).tolist() == [False, False, False, False, True, False, False, False]


def test_user_regions_and_main_are_always_kept_and_mpi_is_left_alone(decision):
    assert {"main", "USER phase"} <= kept_names(decision)
    assert "MPI_Wait" not in decision.regions.table.name
    assert decision.recorded(0)[7]


def test_the_evidence_is_plain_data(decision):
    entry = evidence_json(decision)["regions"][0]
    assert json.loads(json.dumps(entry)) == entry
    assert {"region", "mangled", "visits", "time", "time_per_visit", "reason", "why", "kept"} <= set(entry)


def test_overrides_win_over_the_rule(make_profile):
    run = evidence_from_profile(make_profile(ROWS))
    found = decide_by_paper([run], overrides=Overrides(protect=("st*",), drop=("s*", "USER*")))
    assert kept_names(found) == {"main", "step", "tool"}


def test_a_profile_without_compiler_regions_gives_a_filter_that_filters_nothing(make_profile):
    run = evidence_from_profile(make_profile([(0, "USER a", 1, 1.0), (1, "MPI_Init", 1, 1.0)]))
    found = decide_by_paper([run])
    assert "nothing to filter" in found.notices[0]
    text = write_filter(found.regions, found.kept).text
    assert parse(text) == Filter()


def test_the_decisions_of_several_runs_are_united_with_their_reasons(make_profile):
    small = evidence_from_profile(make_profile(ROWS, source="small"))
    rows = [(0, "main", 1, 0.1), (1, "setup", 1, 0.1), (1, "late", 1, 50.0), (1, "step", 10, 0.2)]
    large = evidence_from_profile(make_profile(rows, source="large"))
    found = decide_by_paper([small, large])
    assert {"setup", "late"} <= kept_names(found)
    runs = {entry["region"]: entry["runs"] for entry in evidence_json(found)["regions"]}
    assert runs["late"] == ["large"] and runs["setup"] == ["small"]


def test_regions_kept_for_small_runs_but_expensive_in_the_largest_are_reported(make_profile):
    small = evidence_from_profile(make_profile(ROWS, source="small"))
    rows = [(d, n, 10**7 if n == "setup" else v, 1e-3 if n == "setup" else t) for d, n, v, t in ROWS]
    large = evidence_from_profile(make_profile([*rows, (1, "late", 1, 1.0)], source="large"))
    both = decide_by_paper([small, large])
    (told,) = costly_at_largest_scale(both, predict(large, both.recorded(1)))
    assert "'setup' is kept for smaller runs only" in told
    alone = decide_by_paper([large])
    assert costly_at_largest_scale(alone, predict(large, alone.recorded(0))) == ()


@pytest.mark.parametrize("form", list(Form))
def test_every_form_is_proven(decision, form):
    first, second = (
        write_filter(decision.regions, decision.kept, Layout(form), ("made\nby test",)) for _ in range(2)
    )
    prove(first.text, decision.regions.table, first.plan.intended)
    assert first.text == second.text
    assert form in (Form.SHORTER, first.plan.form)


def test_a_wrong_filter_is_caught(decision):
    with pytest.raises(FilterError, match="keeps 'USER phase' against the decision and 5 more"):
        prove("", decision.regions.table, np.zeros(len(decision.regions), dtype=np.bool_))


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
    location = LocationTable(zero, zero, np.ones(1, dtype=np.bool_))
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
    st.booleans(),
)
def test_a_written_filter_decides_hostile_names_as_intended(names, choice, form, abridged):
    regions = unite_regions([evidence_from_profile(hostile_profile(names))])
    kept = np.array(choice[: len(regions)])
    written = write_filter(regions, kept, Layout(form, abridged, True))
    prove(written.text, regions.table, written.plan.intended)
    assert (written.plan.intended == kept).all()
