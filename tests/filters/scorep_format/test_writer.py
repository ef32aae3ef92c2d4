import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.evidence import evidence_from_profile
from filters.regions import unite_regions
from filters.scorep_format.matcher import kept as kept_by
from filters.scorep_format.parser import parse
from filters.scorep_format.writer import BEGIN_MARK, END_MARK, merge_filters, write_filter
from ingest.errors import FilterError
from tests.profiles import profile_from_rows

BY_HAND = "# mine\nSCOREP_REGION_NAMES_BEGIN\n  EXCLUDE b\n  INCLUDE c\nSCOREP_REGION_NAMES_END\n"


ROWS = [(0, "main", 1, 0.0), *((1, name, 1, 1.0) for name in "abcd")]
REGIONS = unite_regions([evidence_from_profile(profile_from_rows(ROWS))])


def generated(*names):
    return write_filter(REGIONS, np.array([name in names for name in REGIONS.table.name]))


def merge(existing, written):
    return merge_filters(existing, written.text, REGIONS.table, written.plan.intended)


def test_rules_by_hand_stay_and_have_the_last_word():
    written = generated("main", "a", "b")
    merged = merge(BY_HAND, written)
    assert merged.text.endswith(BY_HAND)
    decided = dict(zip(REGIONS.table.name, merged.decided.tolist(), strict=True))
    assert decided == {"main": True, "a": True, "b": False, "c": True, "d": False}
    overruled = [n for n, hit in zip(REGIONS.table.name, merged.overruled, strict=True) if hit]
    assert overruled == ["b", "c"]


def test_merging_again_changes_nothing_and_a_new_decision_only_the_generated_part():
    first = merge(BY_HAND, generated("main", "a")).text
    again = merge(first, generated("main", "a")).text
    assert again == first
    other = merge(first, generated("main", "d")).text
    assert other.split(END_MARK)[1] == first.split(END_MARK)[1]
    assert kept_by(parse(other), REGIONS.table)[REGIONS.table.name.index("d")]


@given(st.lists(st.sampled_from(["# note\n", "\n", BY_HAND]), max_size=4), st.sets(st.sampled_from("abcd")))
def test_merging_is_idempotent(parts, names):
    written = generated("main", *names)
    once = merge("".join(parts), written).text
    assert merge(once, written).text == once


def test_damaged_marks_and_broken_files_are_refused():
    written = generated("main")
    with pytest.raises(FilterError, match="marks of the generated part are damaged"):
        merge(f"{BEGIN_MARK}\n{BEGIN_MARK}\n{END_MARK}\n", written)
    with pytest.raises(FilterError, match="unexpected 'foo'"):
        merge("foo\n", written)
