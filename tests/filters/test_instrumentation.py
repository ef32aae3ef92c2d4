import hashlib
from dataclasses import replace

import numpy as np
import pytest

from filters.instrumentation import (
    FILTER_ATTRIBUTE,
    OFTEN,
    UNFILTERED,
    digest,
    digest_of_run,
    instrumentations,
    mixed_filters,
)
from filters.scorep_format.rule_files import FilterRule, FilterRules, parse
from ingest.alignment import MeasuredRun
from ingest.errors import FilterError
from ingest.reduction import reduce_profile
from tests.profiles import make_profile

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
    copy = digest_of_run(profile.source, profile.attributes)
    assert copy == digest(FilterRules((), (FilterRule(False, "\udcff"),)))
    by_scorep = replace(profile, attributes={"SCOREP_FILTERING_FILE": "x", "Filter mode": "y", "other": "z"})
    named = digest_of_run(by_scorep.source, by_scorep.attributes)
    assert named == hashlib.sha256(b"y\nx").hexdigest()[:16]
    empty = replace(profile, attributes={"SCOREP_FILTERING_FILE": "", "other": "z"})
    assert digest_of_run(empty.source, empty.attributes) == copy
    stored = replace(profile, attributes={**by_scorep.attributes, FILTER_ATTRIBUTE: "stored"})
    assert digest_of_run(stored.source, stored.attributes) == "stored"
    assert digest_of_run(stored.source, stored.attributes, TEXT) == digest(parse(TEXT))
    (tmp_path / "scorep.filter").write_text("EXCLUDE a\n")
    with pytest.raises(FilterError, match=r"scorep\.filter, line 1: unexpected 'EXCLUDE'"):
        digest_of_run(profile.source, profile.attributes)


def test_runs_under_different_filters_are_told_apart_with_an_example_each():
    told = mixed_filters({"a": "2", "b": "1", "c": None, "d": "2", "e": "2"})
    assert told == (
        "the runs were measured under 2 filters, so their kernels are not comparable "
        "(1: b and 0 more; 2: a and 2 more)"
    )
    assert mixed_filters({}) is None
    assert mixed_filters({"a": None, "b": None}) is None


SCOREP = {"Creator": "Score-P 8.4"}


def run(point, visits, *, idle=(), seconds=1.0, paradigm=None, **attributes):
    """A run whose functions, called from main, have these visits; `idle` ones are listed and not called."""
    paths = {("main",): 1.0, **{("main", name): float(n) for name, n in visits.items()}}
    values = {"time": {path: [seconds] for path in paths}, "visits": {path: [n] for path, n in paths.items()}}
    profile = make_profile(values, paradigm=paradigm)
    table = profile.regions
    regions = replace(
        table,
        name=(*table.name, *idle),
        mangled=(*table.mangled, *idle),
        paradigm=(*table.paradigm, *("compiler" for _ in idle)),
        file=(*table.file, *("" for _ in idle)),
        line=np.append(table.line, [-1] * len(idle)),
    )
    profile = replace(profile, regions=regions, attributes=attributes)
    return MeasuredRun((float(point),), 1, reduce_profile(profile, ["time", "visits"]))


def groups(*runs):
    return [group.runs for group in instrumentations(runs)]


def test_runs_that_list_the_same_are_one_group():
    (group,) = instrumentations([run(1, {"a": 5, "MPI_Send": 1}), run(2, {"a": 9, "MPI_Recv": 1})])
    assert (group.runs, group.recorded, group.complete) == ((0, 1), {"main", "a"}, False)


def test_a_run_without_functions_is_a_group_beside_those_with_some():
    """Such is one measured under a filter that excludes all."""
    full = [run(p, {"a": 5}, idle=["never"], **SCOREP) for p in (1, 2)]
    empty = run(4, {"MPI_Init": 1}, paradigm={"main": "measurement"}, **SCOREP)
    assert groups(*full, empty) == [(0, 1), (2,)]


def test_what_scorep_does_not_list_was_not_recorded_even_at_another_point():
    full = [run(p, {"a": 5, "b": 1}, idle=["never"], **SCOREP) for p in (1, 2)]
    filtered = [run(p, {"a": 5}, **SCOREP) for p in (4, 8, 16)]
    first, second = instrumentations([*full, *filtered])
    assert (first.runs, first.recorded, first.complete) == ((2, 3, 4), {"main", "a"}, True)
    assert (second.runs, second.recorded) == ((0, 1), {"main", "a", "b", "never"})


def test_what_is_listed_and_not_called_was_recorded():
    runs = [run(p, {"a": 5}, idle=["large", "never"], **SCOREP) for p in (1, 2)]
    assert groups(*runs, run(4, {"a": 5, "large": 1000}, idle=["never"], **SCOREP)) == [(0, 1, 2)]


@pytest.mark.parametrize("large", [{}, SCOREP])
def test_a_function_of_larger_points_is_not_called_at_smaller_ones_if_functions_are_defined_by_calls(large):
    assert groups(run(1, {"a": 5}, **large), run(2, {"a": 5, "large": 1000}, **large)) == [(0, 1)]


@pytest.mark.parametrize("system", [{"Creator": "Score-P 7.0"}, {"Creator": "TAU"}, {}])
def test_only_the_same_version_of_scorep_says_that_all_instrumented_functions_are_listed(system):
    idle = run(
        2, {"a": 5, "b": 1000}, idle=["never"], **(SCOREP if system.get("Creator") != "TAU" else system)
    )
    assert groups(run(1, {"a": 5}, **system), idle) == [(0, 1)]


def test_at_one_point_other_runs_that_often_call_a_function_show_that_it_was_not_recorded():
    often, rare = {"a": 5, "b": OFTEN}, {"a": 5, "b": OFTEN - 1}
    without = run(1, {"a": 5})
    assert groups(without, run(1, often), run(1, often)) == [(0,), (1, 2)]
    assert groups(without, run(1, often), run(1, rare)) == [(0, 1, 2)]
    assert groups(without, run(2, often)) == [(0, 1)]
    everywhere = [run(2, {"a": 5}), run(1, often), run(2, often)]
    assert groups(without, *everywhere) == [(0, 1), (2, 3)]


def test_functions_that_the_compiler_did_not_instrument_are_no_sign_without_a_known_filter():
    often = {"a": 5, "b": 1000}
    user, other = {"paradigm": {"b": "user"}}, {"paradigm": {"b": "mpi"}}
    for kind in (user, other):
        assert groups(run(1, {"a": 5}), run(1, often, **kind)) == [(0, 1)]
    one, two = {FILTER_ATTRIBUTE: "1"}, {FILTER_ATTRIBUTE: "2"}
    assert groups(run(1, {"a": 5}, **one), run(1, often, **user, **two)) == [(0,), (1,)]
    assert groups(run(1, {"a": 5}, **one), run(1, often, **other, **two)) == [(0, 1)]


def test_known_filters_decide_unless_a_run_under_the_same_filter_lists_the_function():
    one, two = {FILTER_ATTRIBUTE: "1"}, {FILTER_ATTRIBUTE: "2"}
    without, with_it = run(1, {"a": 5}, **one), run(2, {"a": 5, "b": 1}, **two)
    assert sorted(groups(without, with_it)) == [(0,), (1,)]
    assert groups(without, run(2, {"a": 5, "b": 1})) == [(0, 1)]
    assert groups(without, with_it, run(4, {"a": 5, "b": 1}, **one)) == [(0, 1, 2)]


def test_most_points_come_first_then_fewest_visits_per_second():
    many, few = {"a": 5, "b": 1000}, {"a": 5}
    both = [run(p, few) for p in (1, 2)] + [run(p, many) for p in (1, 2)]
    assert groups(*both) == [(0, 1), (2, 3)]
    slow = [run(p, few, seconds=0.001) for p in (1, 2)] + [run(p, many) for p in (1, 2)]
    assert groups(*slow) == [(2, 3), (0, 1)]
    longer = [*both, run(4, many)]
    assert groups(*longer) != [(0, 1), (2, 3, 4)]
