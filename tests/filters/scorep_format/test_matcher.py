import numpy as np
import pytest

from filters.scorep_format.matcher import EXCLUDED, INCLUDED, UNTOUCHED, filterable, kept, last_match
from filters.scorep_format.parser import parse
from ingest.profile import RegionTable


def table(*rows):
    name, mangled, paradigm, file = zip(*rows, strict=True)
    return RegionTable(name=name, mangled=mangled, paradigm=paradigm, file=file, line=np.full(len(rows), -1))


REGIONS = table(
    ("int main()", "main", "compiler", "/a/main.cc"),
    ("void foo()", "_Z3foov", "compiler", "/lib/foo.cc"),
    ("void bar()", "_Z3barv", "compiler", "/a/bar.cc"),
    ("phase", "phase", "user", "/a/main.cc"),
    ("MPI_Send", "MPI_Send", "mpi", "MPI"),
    ("MEASUREMENT OFF", "MEASUREMENT OFF", "user", ""),
)


def block(*lines, kind="REGION"):
    return f"SCOREP_{kind}_NAMES_BEGIN\n" + "\n".join(lines) + f"\nSCOREP_{kind}_NAMES_END\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [1, 1, 1, 1, 1, 1]),
        (block("EXCLUDE *"), [0, 0, 0, 0, 1, 1]),
        (block("EXCLUDE *", "INCLUDE MANGLED main _Z3*"), [1, 1, 1, 0, 1, 1]),
        (block("EXCLUDE *", "INCLUDE void*"), [0, 1, 1, 0, 1, 1]),
        (block("INCLUDE *", "EXCLUDE MANGLED _Z3ba?v", "INCLUDE phase"), [1, 1, 0, 1, 1, 1]),
        (block("EXCLUDE */lib/*", kind="FILE") + block("INCLUDE *"), [1, 0, 1, 1, 1, 1]),
        (block("EXCLUDE /a/*", "INCLUDE */main.cc", kind="FILE"), [1, 1, 0, 1, 1, 1]),
    ],
)
def test_the_last_match_wins_and_files_come_first(text, expected):
    assert kept(parse(text), REGIONS).astype(int).tolist() == expected


def test_only_compiler_and_user_regions_can_be_filtered():
    assert filterable(REGIONS).tolist() == [True, True, True, True, False, False]


def test_rules_that_say_nothing_leave_names_untouched():
    rules = parse(block("EXCLUDE a b", "INCLUDE b")).regions
    assert last_match(rules, ("a", "b", "c"), ("a", "b", "c")).tolist() == [EXCLUDED, INCLUDED, UNTOUCHED]


def test_a_mangled_rule_falls_back_to_the_displayed_name_where_there_is_no_other():
    assert kept(parse(block("EXCLUDE MANGLED phase")), REGIONS).tolist()[3] is False


def test_rules_of_both_kinds_of_names_take_turns():
    rules = parse(
        block("EXCLUDE *", "INCLUDE MANGLED _Z3*", "EXCLUDE void*", "INCLUDE MANGLED _Z3foov")
    ).regions
    found = last_match(rules, ("void foo()", "void bar()", "int x()"), ("_Z3foov", "_Z3barv", "_Z3xv"))
    assert found.tolist() == [INCLUDED, EXCLUDED, INCLUDED]
    assert last_match(rules, (), ()).tolist() == []


def test_a_region_without_a_file_is_not_excluded_by_files():
    regions = table(("a", "a", "compiler", ""), ("b", "b", "compiler", "x"), ("", "", "compiler", "x"))
    assert kept(parse(block("EXCLUDE *", kind="FILE")), regions).tolist() == [True, False, True]
    assert filterable(regions).tolist() == [True, True, False]


def test_an_empty_table_of_regions_has_an_answer():
    nothing = RegionTable(name=(), mangled=(), paradigm=(), file=(), line=np.zeros(0, dtype=np.int64))
    assert kept(parse(block("EXCLUDE *")), nothing).tolist() == []
    assert filterable(nothing).dtype == np.bool_
