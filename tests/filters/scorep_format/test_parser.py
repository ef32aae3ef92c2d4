from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.scorep_format.parser import FilterRule, FilterRules, parse
from filters.scorep_format.patterns import KEYWORDS, escape
from ingest.errors import FilterError

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


def test_a_comment_close_after_a_backslash_is_refused():
    with pytest.raises(FilterError, match="backslash"):
        parse("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE foo\\*# comment\n")


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
