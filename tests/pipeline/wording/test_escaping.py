"""Names that try to be more than names, in every kind of output."""

import csv
import io
import json
import unicodedata
import xml.etree.ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.wording.escaping import (
    csv_text,
    github_data,
    github_property,
    json_line,
    latex,
    markdown,
    matplotlib,
    shown_name,
    visible,
    without_controls,
    xml,
)

HOSTILE = st.text(
    st.one_of(
        st.sampled_from(
            "\x00\x07\x1b\x7f\x85\x9b\u2028\u202e\u2066\u200b\ufeff\r\n\t=+-@#:%|<>&$`*_\\'\"{}[]"
        ),
        st.characters(),
    ),
    max_size=20,
)
CONTROLS = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co"}


def controls(text):
    return {character for character in text if unicodedata.category(character) in CONTROLS}


@given(HOSTILE)
@example("evil\x1b[31m\n::error::x")
@example("\u202eabc")
def test_nothing_controls_terminals_or_the_direction_of_writing(name):
    assert not controls(visible(name)) and not controls(latex(name)) and not controls(shown_name(name))
    assert not controls(markdown(name))
    assert controls(without_controls(name)) <= {"\n"}
    assert controls(matplotlib(name)) <= {"\n"}


@given(HOSTILE)
@example("\n::error::pwned")
def test_a_workflow_command_stays_one_command(name):
    assert "\n" not in github_data(name) and "\r" not in github_data(name)
    assert not controls(github_data(name))
    assert not {":", ",", "\n"} & set(github_property(name))


@given(HOSTILE)
def test_xml_gives_what_it_can_hold(name):
    element = ET.Element("a", name=xml(name))
    element.text = xml(name)
    ET.fromstring(ET.tostring(element, encoding="unicode"))
    assert not controls(xml(name).replace("\n", ""))


@given(HOSTILE)
@example("=cmd|' /C calc'!A0")
@example("@SUM(1)")
def test_no_spreadsheet_takes_a_name_for_a_formula(name):
    text = csv_text(name)
    assert not text.startswith(("=", "+", "-", "@", "\t", "\r"))
    seen = visible(name).replace("##[", r"#\x23[")
    assert text in (seen, f"'{seen}") and not controls(text)
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow([text])
    assert next(csv.reader(io.StringIO(line.getvalue(), newline=""))) == [text]


@pytest.mark.parametrize(
    "name",
    [
        "::error::boo",
        "::warning file=a.c,line=1::boo",
        "::error file=C:/a.c::boo",
        "::Error title=a:b::boo",
        " ::error::boo",
        "::error title=the rest is in the next cell",
        "a\n::error::boo",
        "##[error]boo",
        "a ##[error]boo",
        "a##vso[task.complete result=Failed]",
    ],
)
def test_no_ci_server_takes_a_name_in_a_table_for_a_command(name):
    text = csv_text(name)
    assert "\n" not in text and not text.startswith("::")
    assert "##[" not in text and "##vso[" not in text
    assert csv_text("std::vector::push_back") == "std::vector::push_back"
    assert csv_text("::MPI_Send") == "::MPI_Send"


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("a|b", r"a\|b"),
        ("<b>", "&lt;b&gt;"),
        ("a\n\tb", "a b"),
        ("@team #12 https://x", r"@&#8203;team #&#8203;12 https\://x"),
        ("\\", r"\\"),
    ],
)
def test_names_are_escaped_for_markdown(name, escaped):
    assert markdown(name) == escaped


@pytest.mark.parametrize("special", "_%&#${}")
def test_latex_takes_no_character_as_its_own(special):
    assert latex(f"a{special}b") == f"a\\{special}b"


def test_matplotlib_reads_no_mathematics_into_a_title():
    assert matplotlib("f$x$\ng") == "f\\$x\\$\ng"


def test_json_has_no_controls_that_a_terminal_obeys():
    assert json_line({"a": "\x1b\x7f\x9bé"}) == '{"a": "\\u001b\\u007f\\u009bé"}'
    assert json.loads(json_line(["\x9b"])) == ["\x9b"]
