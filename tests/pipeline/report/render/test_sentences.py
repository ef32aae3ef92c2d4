"""Sentences break between words, never inside a quantity."""

import re

from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.render.sentences import wrapped

WORDS = st.sampled_from(["p = 32", "12,300 core-s", "[1.97 .. 2.93]", "90 %", "takes", "5.6 million", "a"])


def test_later_lines_are_indented():
    assert wrapped("one two three", 8) == ["one two", "  three"]
    assert wrapped("  one two three", 9) == ["  one two", "    three"]


@given(st.lists(WORDS, min_size=1, max_size=12), st.integers(18, 60))
def test_quantities_stay_on_one_line(words, width):
    lines = wrapped(" ".join(words), width)
    assert max(map(len, lines)) <= width
    assert re.sub(r"\n  ", " ", "\n".join(lines)) == " ".join(words)
    for quantity in set(words):
        assert sum(line.count(quantity) for line in lines) >= words.count(quantity)
