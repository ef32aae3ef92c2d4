import ctypes
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from filters.scorep_format.patterns import (
    KEYWORDS,
    Literal,
    PatternSet,
    Prefix,
    Wildcards,
    compile_pattern,
    escape,
)

HOSTILE = [
    "main",
    "operator()",
    "Foam::operator->(int)",
    "void run(A, B)::{lambda(int)#1}::operator()(int) const",
    "T* Allocate(size_t) [with T = double]",
    "a\\",
    "a\\ b",
    "\\\\",
    "*?[]#",
    "[!a]",
    "tab\there",
    "größe<ß>",
    "EXCLUDE",
    "SCOREP_REGION_NAMES_END",
    "Foo<" + "std::pair<int, " * 700 + ">",
    "two\nlines",
]
ALPHABET = "ab-!^\\*?[]:. "


@pytest.mark.parametrize("name", HOSTILE)
def test_an_escaped_name_matches_itself_and_nothing_near(name):
    pattern = compile_pattern(escape(name))
    assert pattern.matches(name)
    assert not pattern.matches(name + "x") and not pattern.matches("x" + name)
    assert pattern == Literal(name) or "\n" in name


@pytest.mark.slow
@given(st.text(min_size=1))
def test_every_name_survives_its_escape(name):
    assert compile_pattern(escape(name)).matches(name)
    assert escape(name) not in KEYWORDS


@given(st.text(ALPHABET, max_size=8), st.text(ALPHABET, max_size=8))
def test_matching_agrees_with_the_c_library(pattern, name):
    undefined = r"\[:|\[\.|\[[!^]?\]?[^]]*-[^]]*$"  # half-written classes and ranges
    assume(not re.search(undefined, pattern))
    fnmatch = ctypes.CDLL(None).fnmatch
    assert compile_pattern(pattern).matches(name) == (fnmatch(pattern.encode(), name.encode(), 0) == 0)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("[[:digit:]]x", "7x", "ax"),
        ("[[.-.]-z]", "a", "+"),
        ("[[=a=]]", "a", "b"),
        ("a[]b]c", "a]c", "a[c"),
        ("[^a]", "b", "a"),
        ("a[b", "a[b", "ab"),
        ("*/x", "a/b/x", "a/b/y"),
        ("?", "a", ""),
        ("?", "\n", "ab"),
        ("a?", "ab", "a"),
        ("?*", "a", ""),
        ("*?", "ab", ""),
        ("a?c", "a/c", "ac"),
        ("**", "", None),
        ("", "", "a"),
        ("[[:alpha:][:digit:]_]", "_", "-"),
        ("[[:nonsense:]]", None, "a"),
        ("[z-a]", None, "m"),
        ("[!z-a]", "m", ""),
        ("[a-]", "-", "b"),
        ("[\\]]", "]", "\\"),
        ("a\\*", "a*", "ab"),
        ("a\\", None, "a"),
        ("a\\", None, "a\\"),
        ("[\\", None, "[\\"),
        ("[a\\]", "[a]", "a"),
        ("[a-]x", "-x", "bx"),
        ("[a-]x", "ax", "]x"),
        ("[a-c]x", "bx", "-x"),
        ("[a-a]", "a", "-"),
        ("[a-\\]]", None, "a"),
        ("[+-\\]]", "A", "a"),
        ("[\\+-.]", "-", "\\"),
        ("[ab", "[ab", "a"),
        ("[]", "[]", "]"),
        ("[]]", "]", "["),
        ("[!]]", "[", "]"),
        ("[!]", "[!]", "a"),
        ("[!", "[!", "!"),
        ("[^", "[^", "^"),
        ("[!a]b", "cb", "ab"),
        ("[!a][b]", "!b", "ab"),
        ("[[:]", "[", "x"),
        ("[[:]", ":", "]"),
        ("[[:digit:]-]", "-", "a"),
        ("[x[:digit:]]", "x", "d"),
        ("[[:digit:][:upper:]]", "A", ":"),
        ("[![:digit:]]", "a", "5"),
        ("[[.a.]]", "a", "."),
        ("[[.a.]b]", "b", "."),
        ("[a-[.c.]]", "b", "."),
        ("x[[=a=]]y", "xay", "xby"),
        ("[a][b]", "ab", "ba"),
        ("[a]*", "abc", "ba"),
        ("[.]", ".", "x"),
        ("[\\.]", ".", "x"),
        ("[!.]", "x", "."),
        ("[^.]x", "^x", ".x"),
        ("[a^]", "^", "b"),
        ("a*b*c", "a1b2c", "a1c2b"),
        ("a*b*c", "abcbc", "abcb"),
        ("*ab*", "xaby", "xba"),
        ("*a?b*", "xacby", "xab"),
        ("a**b", "ab", "a"),
        ("a*", "a", "ba"),
        ("*", "", None),
        ("*a", "a", "ab"),
        ("?*?", "ab", "a"),
        ("\\*", "*", "a"),
        ("\\a", "a", "\\a"),
        ("\\\\", "\\", "\\\\"),
    ],
)
def test_brackets_and_stars(pattern, yes, no):
    assert yes is None or compile_pattern(pattern).matches(yes)
    assert no is None or not compile_pattern(pattern).matches(no)


def test_many_stars_do_not_explode():
    assert not compile_pattern("*a" * 40 + "*b").matches("a" * 5000)


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [
        ("abc", Literal("abc")),
        ("", Literal("")),
        ("[a]bc", Literal("abc")),
        ("[\\*]", Literal("*")),
        ("a\\*", Literal("a*")),
        ("abc*", Prefix("abc")),
        ("[E]XCLUDE*", Prefix("EXCLUDE")),
        ("*", Prefix("")),
    ],
)
def test_patterns_that_can_be_looked_up_are_recognised(pattern, kind):
    assert compile_pattern(pattern) == kind


@pytest.mark.parametrize("pattern", ["a?", "*a", "a**", "[ab]", "[!a]", "a\\", "[[:digit:]]", "a*b"])
def test_all_other_patterns_are_tried_one_by_one(pattern):
    assert isinstance(compile_pattern(pattern), Wildcards)


def test_what_score_p_reads_is_escaped_once():
    for char in "*?[]# \t\\":
        assert escape(f"a{char}b") == f"a\\{char}b"
    assert escape("ends\\") == "ends[\\\\]"
    assert escape("two\nlines\r\0") == "two?lines??"
    assert escape("MANGLED") == "[M]ANGLED"
    assert escape("SCOREP_FILE_NAMES_END") == "[S]COREP_FILE_NAMES_END"
    assert len(KEYWORDS) == 9


@given(st.lists(st.text(ALPHABET, max_size=5), max_size=6), st.text(ALPHABET, max_size=5))
def test_a_set_of_patterns_matches_what_one_of_them_matches(patterns, name):
    expected = any(compile_pattern(pattern).matches(name) for pattern in patterns)
    assert PatternSet.of(patterns).matches(name) == expected


def test_sets_sort_their_patterns_by_how_they_are_tried():
    found = PatternSet.of(["abc", "ab*", "x*", "cd*", "?", "abc"])
    assert found.literals == {"abc"}
    assert found.prefixes == {1: {"x"}, 2: {"ab", "cd"}}
    assert found.others == (compile_pattern("?"),)
