import ctypes
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from filters.scorep_format.patterns import KEYWORDS, Literal, compile_pattern, escape

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


@given(st.text(min_size=1))
def test_every_name_survives_its_escape(name):
    assert compile_pattern(escape(name)).matches(name)
    assert escape(name) not in KEYWORDS


@given(st.text(ALPHABET, max_size=8), st.text(ALPHABET, max_size=8))
def test_matching_agrees_with_the_c_library(pattern, name):
    undefined = r"\[:|\[\.|\[[^]]*-[^]]*$"  # half-written classes and ranges
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
    ],
)
def test_brackets_and_stars(pattern, yes, no):
    assert yes is None or compile_pattern(pattern).matches(yes)
    assert no is None or not compile_pattern(pattern).matches(no)


def test_many_stars_do_not_explode():
    assert not compile_pattern("*a" * 40 + "*b").matches("a" * 5000)
