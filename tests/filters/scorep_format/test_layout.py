import numpy as np
import pytest

from filters.evidence import evidence_from_profile, unite_regions
from filters.filter_options import Form, Layout
from filters.scorep_format.rule_files import parse
from filters.scorep_format.writer import prove, write_filter


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
    assert not parse(written.text).files and len(written.plan.names) == 2


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


def test_the_include_list_wins_if_the_lists_are_of_one_length(make_profile):
    run = evidence_from_profile(make_profile([(0, "main", 1, 1.0), (1, "a", 1, 1.0)]))
    regions = unite_regions([run])
    one = write_filter(regions, keep(regions, "main"))
    assert (one.plan.form, len(one.plan)) == (Form.INCLUDE, 1)
    all_kept = write_filter(regions, keep(regions, "main", "a"))
    assert (all_kept.plan.form, len(all_kept.plan)) == (Form.EXCLUDE, 0)
    none = write_filter(regions, keep(regions))
    assert (none.plan.form, len(none.plan)) == (Form.INCLUDE, 0)
    forced = write_filter(regions, keep(regions), Layout(Form.EXCLUDE))
    assert (forced.plan.form, len(forced.plan)) == (Form.EXCLUDE, 2)
    included = write_filter(regions, keep(regions, "main", "a"), Layout(Form.INCLUDE))
    assert (included.plan.form, len(included.plan)) == (Form.INCLUDE, 2)


def test_whole_files_count_as_patterns(regions):
    written = write_filter(regions, keep(regions, "main", "work"), Layout(whole_files=True))
    assert written.plan.form is Form.EXCLUDE  # one file against two regions
    assert len(written.plan) == 1 and written.plan.files == ("lib/all.cc",)


def test_regions_without_a_file_and_single_ones_are_named(make_profile):
    names = ["a", "b", "c", "d"]
    rows = [(0, "main", 1, 0.0), *((1, name, 1, 1.0) for name in names)]
    profile = make_profile(
        rows, files={"a": "", "b": "", "c": "single.cc", "d": "main.cc", "main": "main.cc"}
    )
    regions = unite_regions([evidence_from_profile(profile)])
    written = write_filter(regions, keep(regions, "main"), Layout(Form.EXCLUDE, whole_files=True))
    assert written.plan.files == () and len(written.plan.names) == 4


def test_what_is_in_an_excluded_file_without_being_called_is_not_measured(make_profile):
    rows = [(0, "main", 1, 0.0), *((1, name, 1, 1.0) for name in ("a", "b", "c"))]
    profile = make_profile(rows, files=dict.fromkeys("abc", "lib.cc"))
    profile.tree.region[3] = 0
    regions = unite_regions([evidence_from_profile(profile)])
    written = write_filter(regions, keep(regions, "main"), Layout(Form.EXCLUDE, whole_files=True))
    assert written.plan.files == ("lib.cc",)
    assert dict(zip(regions.table.name, written.plan.intended.tolist(), strict=True)) == {
        "a": False,
        "b": False,
        "c": False,
        "main": True,
    }
