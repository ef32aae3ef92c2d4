import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.evidence import evidence_from_profile, unite_regions
from filters.filter_options import Form, Layout
from filters.scorep_format.rule_files import kept as kept_by
from filters.scorep_format.rule_files import parse
from filters.scorep_format.writer import BEGIN_MARK, END_MARK, comment, merge_filters, prove, write_filter
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


def test_a_file_word_for_word():
    written = write_filter(
        REGIONS,
        np.array([name in ("main", "a") for name in REGIONS.table.name]),
        header=("made by test", "with\tcontrol\x07characters"),
    )
    assert written.plan.form is Form.INCLUDE
    assert written.text == (
        f"{BEGIN_MARK}\n# made by test\n# with control characters\n"
        "SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE *\n  # a\n  INCLUDE MANGLED _Z1a\n  INCLUDE MANGLED main\n"
        f"SCOREP_REGION_NAMES_END\n{END_MARK}\n"
    )


def test_an_exclude_list_has_files_first_and_does_not_exclude_all():
    rows = [(0, "main", 1, 0.0), *((1, name, 1, 1.0) for name in ("x 1", "x 2", "y"))]
    profile = profile_from_rows(rows, files={"x 1": "lib dir/x.cc", "x 2": "lib dir/x.cc"})
    regions = unite_regions([evidence_from_profile(profile)])
    kept = np.array([name == "main" for name in regions.table.name])
    text = write_filter(regions, kept, Layout(Form.EXCLUDE, whole_files=True)).text
    assert text == (
        f"{BEGIN_MARK}\nSCOREP_FILE_NAMES_BEGIN\n  EXCLUDE lib\\ dir/x.cc\nSCOREP_FILE_NAMES_END\n"
        f"SCOREP_REGION_NAMES_BEGIN\n  # y\n  EXCLUDE MANGLED _Z1y\nSCOREP_REGION_NAMES_END\n{END_MARK}\n"
    )


def test_comments_are_cut_in_the_middle():
    assert comment("x" * 300) == "# " + "x" * 300
    assert comment("a" * 150 + "b" + "c" * 150) == "# " + "a" * 150 + " ... " + "c" * 150


def test_an_existing_file_without_a_last_line_break_gets_one():
    first = "# first\n\n# last"
    merged = merge(first, generated("main")).text
    assert merged == generated("main").text + "# first\n\n# last\n"
    assert merge("", generated("main")).text == generated("main").text


def test_what_stands_before_the_generated_part_stays_before_it():
    above = "SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE b\nSCOREP_REGION_NAMES_END\n"
    written = generated("main", "b")
    merged = merge(above + written.text + "# below\n", written)
    assert merged.text == above + written.text + "# below\n"
    assert merged.decided[REGIONS.table.name.index("b")]


def test_what_people_write_before_the_generated_part_has_not_the_last_word():
    above = "SCOREP_REGION_NAMES_BEGIN\n  INCLUDE c\nSCOREP_REGION_NAMES_END\n"
    merged = merge(above + generated("main").text, generated("main"))
    assert not merged.overruled.any()


@pytest.mark.parametrize(
    "marks", [(BEGIN_MARK,), (END_MARK,), (END_MARK, BEGIN_MARK), (BEGIN_MARK, END_MARK, END_MARK)]
)
def test_marks_come_in_one_pair(marks):
    with pytest.raises(
        FilterError, match="my filter: the markers of the generated part are damaged; keep one"
    ):
        merge_filters(
            "".join(f"{mark}\n" for mark in marks),
            generated("main").text,
            REGIONS.table,
            generated("main").plan.intended,
            where="my filter",
        )


def test_a_decision_that_only_the_merge_changes_is_an_error():
    written = generated("main")
    intended = written.plan.intended.copy()
    intended[REGIONS.table.name.index("c")] = True
    with pytest.raises(FilterError, match="my filter: merging would change the decision about 'c'"):
        merge_filters("", written.text, REGIONS.table, intended, where="my filter")
    by_hand = "SCOREP_REGION_NAMES_BEGIN EXCLUDE c\nSCOREP_REGION_NAMES_END\n"
    merged = merge_filters(by_hand, written.text, REGIONS.table, intended)
    assert [REGIONS.table.name[i] for i in np.flatnonzero(merged.overruled)] == ["c"]
    by_file = "SCOREP_FILE_NAMES_BEGIN EXCLUDE *.cc\nSCOREP_FILE_NAMES_END\n"
    assert merge_filters(by_file, written.text, REGIONS.table, intended).overruled.sum() == 2
    including = by_file.replace("EXCLUDE", "INCLUDE")
    with pytest.raises(FilterError, match="filter: merging would change the decision about 'c'"):
        merge_filters(including, written.text, REGIONS.table, intended)


@pytest.mark.parametrize(
    ("existing", "line"),
    [
        ("SCOREP_REGION_NAMES_BEGIN\nfoo\n", 2),
        (f"foo\n{BEGIN_MARK}\n{END_MARK}\n", 1),
        (f"{BEGIN_MARK}\n{END_MARK}\n\nfoo\n", 4),
    ],
)
def test_an_error_in_an_existing_file_names_it(existing, line):
    written = generated("main")
    with pytest.raises(FilterError, match=rf"my\.filter, line {line}: unexpected 'foo'"):
        merge_filters(existing, written.text, REGIONS.table, written.plan.intended, where="my.filter")
    with pytest.raises(FilterError, match=rf"my\.filter, line {line}: unexpected 'foo'"):
        prove(existing, REGIONS.table, written.plan.intended, where="my.filter")


def test_marks_inside_of_a_block_are_refused_with_the_name_of_the_file():
    written = generated("main")
    block = f"SCOREP_REGION_NAMES_BEGIN\n{BEGIN_MARK}\n{END_MARK}\nSCOREP_REGION_NAMES_END\n"
    with pytest.raises(FilterError, match=r"my\.filter, line \d+: unexpected 'SCOREP_REGION_NAMES_BEGIN'"):
        merge_filters(block, written.text, REGIONS.table, written.plan.intended, where="my.filter")
