import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.evidence import evidence_from_profile
from filters.options import Form, Layout
from filters.regions import unite_regions
from filters.scorep_format.layout import abridge
from filters.scorep_format.parser import parse
from filters.scorep_format.patterns import compile_pattern
from filters.scorep_format.writer import prove, write_filter


@given(
    st.lists(st.text("ab*[\\", min_size=1, max_size=9), unique=True),
    st.lists(st.text("ab*[\\", max_size=9), unique=True),
)
def test_abridged_patterns_match_what_they_must_and_nothing_else(wanted, others):
    forbidden = [name for name in others if name not in wanted]
    found = abridge(wanted, forbidden)
    assert sorted(name for rule in found for name in rule.names) == sorted(wanted)
    for rule in found:
        pattern = compile_pattern(rule.pattern)
        assert all(pattern.matches(name) for name in rule.names)
        assert not any(pattern.matches(name) for name in forbidden)


def test_names_with_a_common_beginning_share_a_pattern():
    wanted = ["_ZN4Foam3fooEv", "_ZN4Foam3fobEv", "_ZN4Foam3foaEv", "_ZN4Foam7bar", "main"]
    found = {rule.pattern: len(rule.names) for rule in abridge(wanted, ["_ZN4Foam7barn"])}
    assert found == {"_ZN4Foam3fo*": 3, "_ZN4Foam7bar": 1, "main": 1}


@pytest.fixture
def regions(make_profile):
    names = ["main", "lib one", "lib two", "lib three", "work"]
    rows = [(0, "main", 1, 0.0), *((1, name, 1, 1.0) for name in names[1:])]
    profile = make_profile(rows, files={name: "lib/all.cc" for name in names if name.startswith("lib")})
    return unite_regions([evidence_from_profile(profile)])


def keep(regions, *names):
    return np.array([name in names for name in regions.table.name])


def test_a_whole_file_goes_by_one_rule(regions):
    written = write_filter(regions, keep(regions, "main", "work"), Layout(Form.EXCLUDE, whole_files=True))
    rules = parse(written.text)
    assert [rule.pattern for rule in rules.files] == ["lib/all.cc"] and not rules.regions


def test_a_file_with_a_kept_region_stays(regions):
    kept = keep(regions, "main", "work", "lib one")
    written = write_filter(regions, kept, Layout(Form.EXCLUDE, whole_files=True))
    assert not parse(written.text).files and len(written.plan.rules) == 2


def test_the_shorter_list_is_written(regions):
    few = write_filter(regions, keep(regions, "main"))
    many = write_filter(regions, keep(regions, "main", "work", "lib one", "lib two"))
    assert (few.plan.form, many.plan.form) == (Form.INCLUDE, Form.EXCLUDE)
    assert "# lib three" in many.text


def test_the_two_forms_differ_only_in_what_nobody_called(make_profile):
    run = evidence_from_profile(make_profile([(0, "main", 1, 1.0), (1, "a", 1, 1.0)]))
    regions = unite_regions([run])
    regions.called[regions.table.name.index("a")] = False
    kept = keep(regions, "main")
    for form in (Form.INCLUDE, Form.EXCLUDE):
        written = write_filter(regions, kept, Layout(form))
        prove(written.text, regions.table, written.plan.intended)
        assert written.plan.intended[regions.table.name.index("a")] == (form is Form.EXCLUDE)
