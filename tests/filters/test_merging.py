import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.evidence import evidence_from_profile
from filters.language import parse
from filters.matching import kept as kept_by
from filters.merging import merge_filters
from filters.regions import unite_regions
from filters.writer import BEGIN_MARK, END_MARK, write_filter
from ingest.errors import FilterError

BY_HAND = "# mine\nSCOREP_REGION_NAMES_BEGIN\n  EXCLUDE b\n  INCLUDE c\nSCOREP_REGION_NAMES_END\n"


@pytest.fixture(name="regions")
def _regions(make_profile):
    rows = [(0, "main", 1, 0.0), *((1, name, 1, 1.0) for name in "abcd")]
    return unite_regions([evidence_from_profile(make_profile(rows))])


def generated(regions, *names):
    return write_filter(regions, np.array([name in names for name in regions.table.name]))


def merge(existing, written, regions):
    return merge_filters(existing, written.text, regions.table, written.plan.intended)


def test_rules_by_hand_stay_and_have_the_last_word(regions):
    written = generated(regions, "main", "a", "b")
    merged = merge(BY_HAND, written, regions)
    assert merged.text.endswith(BY_HAND)
    decided = dict(zip(regions.table.name, merged.decided.tolist(), strict=True))
    assert decided == {"main": True, "a": True, "b": False, "c": True, "d": False}
    overruled = [n for n, hit in zip(regions.table.name, merged.overruled, strict=True) if hit]
    assert overruled == ["b", "c"]


def test_merging_again_changes_nothing_and_a_new_decision_only_the_generated_part(regions):
    first = merge(BY_HAND, generated(regions, "main", "a"), regions).text
    again = merge(first, generated(regions, "main", "a"), regions).text
    assert again == first
    other = merge(first, generated(regions, "main", "d"), regions).text
    assert other.split(END_MARK)[1] == first.split(END_MARK)[1]
    assert kept_by(parse(other), regions.table)[regions.table.name.index("d")]


@given(st.lists(st.sampled_from(["# note\n", "\n", BY_HAND]), max_size=4), st.sets(st.sampled_from("abcd")))
def test_merging_is_idempotent(parts, names):
    regions = _REGIONS
    written = generated(regions, "main", *names)
    once = merge("".join(parts), written, regions).text
    assert merge(once, written, regions).text == once


def test_damaged_marks_and_broken_files_are_refused(regions):
    written = generated(regions, "main")
    with pytest.raises(FilterError, match="marks of the generated part are damaged"):
        merge(f"{BEGIN_MARK}\n{BEGIN_MARK}\n{END_MARK}\n", written, regions)
    with pytest.raises(FilterError, match="unexpected 'foo'"):
        merge("foo\n", written, regions)


def _tiny():
    from ingest.calltree import CallTree
    from ingest.profile import LocationTable, Metric, Profile, RegionTable

    names = ("main", *"abcd")
    table = RegionTable(names, names, ("compiler",) * 5, ("",) * 5, np.full(5, -1))
    zero = np.zeros(1, dtype=np.int64)
    ones = np.ones((5, 1))
    return Profile(
        "tiny",
        CallTree(np.array([-1, 0, 0, 0, 0]), np.arange(5)),
        table,
        LocationTable(zero, zero, np.ones(1, dtype=np.bool_)),
        (Metric("visits", "occ"), Metric("time", "sec")),
        lambda metric: ones,
    )


_REGIONS = unite_regions([evidence_from_profile(_tiny())])
