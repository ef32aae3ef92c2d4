"""Names of any kind and numbers survive every form of a table."""

import csv
import html
import io
import json
import math
import re

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.errors import one_line
from pipeline.columns.column import ANSWER, FIGURE, PATH, Column, filled
from pipeline.report.render.text_formats import WRITERS, csv_text, json_text, latex_text, markdown_text

HOSTILE = st.text(st.sampled_from(list("ab ,;\"'\n\r|\\/_%&#$<>{}[]*^~`-:@!…› \t")), min_size=1, max_size=12)
NAMES = st.lists(st.one_of(HOSTILE, st.text(min_size=1, max_size=8)), min_size=1, max_size=4)
LATEX = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textasciigrave{}": "`",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\char34{}": '"',
    r"$\rangle$": "›",
    r"$\rightarrow$": "→",
    r"\ldots{}": "…",
    r"$\infty$": "∞",
    r"$\pm$": "±",
    r"$\times$": "×",
    r"$\mu$": "µ",
    **{f"\\{character}": character for character in "{}_%&#$"},
    "{}": "",
}
ZERO_WIDTH = "\u200b"
FORMULA = ("=", "+", "-", "@")
COMMAND = re.compile("|".join(map(re.escape, LATEX)))


def table(names):
    rows = [{"name": name, "value": 0.1234567891 * n, "behind": name} for n, name in enumerate(names)]
    value = Column(key="value", kind=FIGURE, unit="core-s")
    return filled([Column(key="name"), value, Column(key="behind")], rows)


def markdown_cells(line):
    cells = re.split(r"(?<!\\)\|", line)[1:-1]
    plain = (re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", cell.strip()) for cell in cells)
    return [html.unescape(cell).replace(ZERO_WIDTH, "") for cell in plain]


def latex_cells(line):
    cells = re.split(r"(?<!\\)&", line.removesuffix("\\\\"))
    return [COMMAND.sub(lambda found: LATEX[found[0]], cell.strip()) for cell in cells]


@given(NAMES)
@example(["operator->", "a\r\nb", 'say "so"', "A, B", "=1+1"])
def test_csv_gives_names_and_numbers_back(names):
    rows = list(csv.reader(io.StringIO(csv_text(table(names)), newline="")))
    assert rows[0] == ["name", "value [core-s]", "behind"]
    safe = [f"'{name}" if name.startswith(FORMULA) else name for name in map(one_line, names)]
    assert [row[0] for row in rows[1:]] == safe == [row[2] for row in rows[1:]]
    assert [float(row[1]) for row in rows[1:]] == [0.1234567891 * n for n in range(len(names))]


@given(NAMES)
def test_json_gives_names_and_numbers_back(names):
    records = json.loads(json_text(table(names)))
    assert [record["name"] for record in records] == names
    assert [record["value [core-s]"] for record in records] == [0.1234567891 * n for n in range(len(names))]


@given(NAMES)
@example(["a\\|b", "~A<B>::f", "a--b", "\\"])
def test_markdown_gives_names_back_on_one_line(names):
    head, rule, *rows = markdown_text(table(names)).splitlines()
    assert markdown_cells(head) == ["name", "value [core-s]", "behind"]
    assert rule == "| --- | ---: | --- |"
    assert [markdown_cells(row)[::2] for row in rows] == [[one_line(name)] * 2 for name in names]


@given(NAMES)
@example(["[]", "*", "a---b", "50 % & more", "x_1^{2}", "\\\\"])
def test_latex_gives_names_back_on_one_line(names):
    lines = latex_text(table(names)).split("\n")
    assert lines[0] == r"\begin{tabular}{lrl} % \usepackage{booktabs}"
    assert (lines[1], lines[3], *lines[-3:]) == (
        "\\toprule",
        "\\midrule",
        "\\bottomrule",
        "\\end{tabular}",
        "",
    )
    assert all(line.endswith(" \\\\") for line in (lines[2], *lines[4:-3]))
    assert [latex_cells(line)[::2] for line in lines[4:-3]] == [[one_line(name)] * 2 for name in names]


@given(NAMES)
def test_latex_reads_nothing_into_a_row(names):
    """No row starts with an option of the line break before it, no two hyphens become a dash."""
    for line in latex_text(table(names)).split("\n")[4:-3]:
        assert not line.startswith(("[", "*"))
        assert "--" not in line


def test_pandas_reads_csv_with_numbers_and_missing_values():
    columns = [
        Column(key="kernel", kind=PATH),
        Column(key="value", kind=FIGURE, unit="s"),
        Column(key="measured", kind=ANSWER),
    ]
    rows = [("main", "a,b"), 1.5, True], [("main",), None, False]
    found = filled(columns, [dict(zip(("kernel", "value", "measured"), row, strict=True)) for row in rows])
    frame = pd.read_csv(io.StringIO(csv_text(found)))
    assert list(frame["kernel"]) == ["main/a,b", "main"]
    assert frame["value [s]"][0] == 1.5 and math.isnan(frame["value [s]"][1])
    assert frame["measured"].dtype == bool


def test_json_has_call_paths_as_lists_too():
    columns = [Column(key="kernel", kind=PATH), Column(key="value", kind=FIGURE)]
    found = filled(columns, [{"kernel": ("main", "a/b"), "value": None}])
    assert json.loads(json_text(found)) == [
        {"kernel": "main/a/b", "value": None, "callpath": ["main", "a/b"]}
    ]


def test_names_that_are_not_utf_8_are_escapes_of_json():
    text = json_text(filled([Column(key="name")], [{"name": "caf\udce9"}]))
    assert text.isascii() and json.loads(text) == [{"name": "caf\udce9"}]


@pytest.mark.parametrize("form", WRITERS)
def test_a_table_without_rows_has_its_header(form):
    text = WRITERS[form](filled([Column(key="name"), Column(key="value", kind=FIGURE, unit="s")], []))
    assert (
        text
        == {
            "csv": "name,value [s]\n",
            "md": "| name | value \\[s\\] |\n| --- | ---: |\n",
            "json": "[]\n",
            "latex": "\\begin{tabular}{lr} % \\usepackage{booktabs}\n\\toprule\nname & value [s] \\\\\n"
            "\\midrule\n\\bottomrule\n\\end{tabular}\n",
        }[form]
    )
