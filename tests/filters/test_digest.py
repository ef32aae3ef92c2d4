"""Which filter a run was measured with."""

import hashlib
from dataclasses import replace

import pytest

from filters.digest import FILTER_ATTRIBUTE, UNFILTERED, digest, digest_of_run, mixed_filters
from filters.scorep_format.parser import FilterRule, FilterRules, parse
from ingest.errors import FilterError

ROWS = [(0, "main", 1, 1.0)]
TEXT = "SCOREP_REGION_NAMES_BEGIN EXCLUDE a\nSCOREP_REGION_NAMES_END\n"


def test_a_digest_is_sixteen_digits_that_do_not_change_between_versions():
    assert digest(parse(TEXT)) == "43306a51d4069c36"
    assert digest(FilterRules()) == UNFILTERED == "none"


def test_every_part_of_a_rule_counts():
    rule = FilterRule(False, "a")
    rules = [
        FilterRules((), (rule,)),
        FilterRules((rule,), ()),
        FilterRules((rule,), (rule,)),
        FilterRules((), (replace(rule, include=True),)),
        FilterRules((), (replace(rule, mangled=True),)),
        FilterRules((), (replace(rule, pattern="b"),)),
        FilterRules((), (rule, rule)),
    ]
    assert len({digest(one) for one in rules}) == len(rules)


def test_names_that_are_not_utf_8_have_digests():
    broken = b"EXCLUDE \xff\n".decode(errors="surrogateescape")
    text = f"SCOREP_REGION_NAMES_BEGIN {broken}SCOREP_REGION_NAMES_END\n"
    assert len(digest(parse(text))) == 16


def test_what_is_given_comes_before_what_is_stored_and_that_before_what_scorep_says(make_profile, tmp_path):
    (tmp_path / "scorep.filter").write_bytes(TEXT.replace("a\n", "\udcff\n").encode(errors="surrogateescape"))
    profile = make_profile(ROWS, source=str(tmp_path / "profile.cubex"))
    copy = digest_of_run(profile)
    assert copy == digest(FilterRules((), (FilterRule(False, "\udcff"),)))
    by_scorep = replace(profile, attributes={"SCOREP_FILTERING_FILE": "x", "Filter mode": "y", "other": "z"})
    named = digest_of_run(by_scorep)
    assert named == hashlib.sha256(b"y\nx").hexdigest()[:16]
    empty = replace(profile, attributes={"SCOREP_FILTERING_FILE": "", "other": "z"})
    assert digest_of_run(empty) == copy
    stored = replace(profile, attributes={**by_scorep.attributes, FILTER_ATTRIBUTE: "stored"})
    assert digest_of_run(stored) == "stored"
    assert digest_of_run(stored, TEXT) == digest(parse(TEXT))
    (tmp_path / "scorep.filter").write_text("EXCLUDE a\n")
    with pytest.raises(FilterError, match=r"scorep\.filter, line 1: unexpected 'EXCLUDE'"):
        digest_of_run(profile)


def test_runs_under_different_filters_are_told_apart_with_an_example_each():
    told = mixed_filters({"a": "2", "b": "1", "c": None, "d": "2", "e": "2"})
    assert told == (
        "the runs were measured under 2 filters, so their kernels are not comparable "
        "(1: b and 0 more; 2: a and 2 more)"
    )
    assert mixed_filters({}) is None
    assert mixed_filters({"a": None, "b": None}) is None
