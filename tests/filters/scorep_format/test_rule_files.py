from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.evidence import filterable
from filters.scorep_format.patterns import KEYWORDS, escape
from filters.scorep_format.rule_files import (
    EXCLUDED,
    INCLUDED,
    UNTOUCHED,
    FilterRule,
    FilterRules,
    kept,
    last_match,
    parse,
)
from ingest.errors import FilterError
from ingest.profile import RegionTable

BOTH_BLOCKS = """
# a comment
SCOREP_FILE_NAMES_BEGIN
  EXCLUDE */lib/*   # not ours
SCOREP_FILE_NAMES_END
SCOREP_REGION_NAMES_BEGIN EXCLUDE * INCLUDE MANGLED _Z3foov
    _Z3barv
  INCLUDE main DEMANGLED
SCOREP_REGION_NAMES_END
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE a\\ b\\#1
"""


def test_blocks_rules_and_modifiers():
    assert parse(BOTH_BLOCKS) == FilterRules(
        (FilterRule(False, "*/lib/*"),),
        (
            FilterRule(False, "*"),
            FilterRule(True, "_Z3foov", True),
            FilterRule(True, "_Z3barv", True),
            FilterRule(True, "main"),
            FilterRule(False, "a\\ b\\#1"),
        ),
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("EXCLUDE *\n", 1),
        ("SCOREP_REGION_NAMES_BEGIN\nfoo\n", 2),
        ("SCOREP_REGION_NAMES_BEGIN\nSCOREP_FILE_NAMES_BEGIN\n", 2),
        ("SCOREP_REGION_NAMES_BEGIN\nSCOREP_FILE_NAMES_END\n", 2),
        ("SCOREP_FILE_NAMES_BEGIN\nEXCLUDE MANGLED x\n", 2),
        ("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE foo\\\n", 2),
    ],
)
def test_what_scorep_refuses_is_refused_with_its_line(text, line):
    with pytest.raises(FilterError) as problem:
        parse(text, where="my.filter")
    assert str(problem.value).startswith(f"my.filter, line {line}:")


@given(st.lists(st.text(min_size=1), min_size=1))
def test_escaped_names_come_back_token_by_token(names):
    lines = "".join(f"  EXCLUDE MANGLED {escape(name)}\n" for name in names)
    rules = parse(f"SCOREP_REGION_NAMES_BEGIN\n{lines}SCOREP_REGION_NAMES_END\n").regions
    assert [rule.pattern for rule in rules] == [escape(name) for name in names]


PIECES = [*sorted(KEYWORDS), "*", "[", "\\", "#", " ", "\t", "\n", "a", "é", "\r"]


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_no_text_breaks_the_parser(pieces):
    with suppress(FilterError):
        parse("".join(pieces))


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("SCOREP_REGION_NAMES_BEGIN MANGLED a", "MANGLED"),
        ("SCOREP_REGION_NAMES_END", "SCOREP_REGION_NAMES_END"),
        ("SCOREP_FILE_NAMES_BEGIN SCOREP_REGION_NAMES_END", "SCOREP_REGION_NAMES_END"),
        ("SCOREP_REGION_NAMES_BEGIN EXCLUDE FORTRAN a", "FORTRAN"),
        ("SCOREP_FILE_NAMES_BEGIN EXCLUDE DEMANGLED a", "DEMANGLED"),
        ("INCLUDE a", "INCLUDE"),
        ("SCOREP_REGION_NAMES_BEGIN EXCLUDE a SCOREP_REGION_NAMES_END b", "b"),
        ("SCOREP_REGION_NAMES_BEGIN EXCLUDE a SCOREP_REGION_NAMES_END SCOREP_FILE_NAMES_BEGIN b", "b"),
    ],
)
def test_words_in_the_wrong_place_are_named(text, token):
    with pytest.raises(FilterError, match=f"filter, line 1: unexpected '{token}'; "):
        parse(text)


def test_mangled_holds_until_the_next_verb():
    rules = parse("SCOREP_REGION_NAMES_BEGIN EXCLUDE MANGLED a b EXCLUDE c INCLUDE MANGLED d DEMANGLED e")
    assert [(rule.include, rule.pattern, rule.mangled) for rule in rules.regions] == [
        (False, "a", True),
        (False, "b", True),
        (False, "c", False),
        (True, "d", True),
        (True, "e", False),
    ]


@pytest.mark.parametrize(
    ("line", "patterns"),
    [
        ("a#b", ["a"]),
        ("a\\#b", ["a\\#b"]),
        ("#a", []),
        ("a\tb\rc d", ["a", "b", "c", "d"]),
        ("a\\\tb\\ c", ["a\\\tb\\ c"]),
        ("  a  ", ["a"]),
        ("a\x0bb", ["a\x0bb"]),
        ("\\", []),
        ("a[\\\\]", ["a[\\\\]"]),
    ],
)
def test_lines_are_split_as_scorep_splits_them(line, patterns):
    text = f"SCOREP_FILE_NAMES_BEGIN EXCLUDE\n{line}\n"
    if line == "\\":
        with pytest.raises(
            FilterError, match="line 2: a backslash before the end of the line; write a final"
        ):
            parse(text)
    else:
        assert [rule.pattern for rule in parse(text).files] == patterns


def test_a_backslash_before_the_last_character_before_a_comment_is_refused_as_scorep_does():
    with pytest.raises(FilterError, match="line 2: a backslash before the end of the line"):
        parse("SCOREP_FILE_NAMES_BEGIN EXCLUDE\n\\a# c\n")
    assert parse("SCOREP_FILE_NAMES_BEGIN EXCLUDE\n\\ab# c\n").files == (FilterRule(False, "\\ab"),)
    assert parse("SCOREP_FILE_NAMES_BEGIN EXCLUDE\na# c\n").files == (FilterRule(False, "a"),)


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
