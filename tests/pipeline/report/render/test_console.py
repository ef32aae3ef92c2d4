"""Where output goes: width and colours follow the terminal and the environment."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.render.console import PIPED_WIDTH, console
from pipeline.wording.lines import wrapped


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


def printed(stream):
    console(stream).print("12 [red]words[/red]")
    return stream.getvalue()


def test_a_pipe_gets_plain_text_of_a_fixed_width():
    assert printed(io.StringIO()) == "12 words\n"
    assert console(io.StringIO()).width == PIPED_WIDTH == 120


def test_a_terminal_gets_colours_but_no_guesses_about_numbers():
    assert printed(Terminal()) == "12 \x1b[31mwords\x1b[0m\n"


def test_the_environment_forces_and_forbids_colours(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[31m" in printed(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[31m" not in printed(io.StringIO())
    assert "\x1b[31m" not in printed(Terminal())


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_the_environment_sets_the_width(monkeypatch, stream):
    monkeypatch.setenv("COLUMNS", "63")
    assert console(stream).width == 63
    monkeypatch.setenv("COLUMNS", "wide")
    assert console(io.StringIO()).width == PIPED_WIDTH


def test_standard_output_is_the_default(capsys):
    console().print("x")
    assert capsys.readouterr().out == "x\n"


WORDS = st.sampled_from(["p = 32", "12,300 core-s", "(2.0 to 2.9)", "90 %", "takes", "5.6 million", "a"])


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
