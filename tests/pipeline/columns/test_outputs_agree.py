"""Terminal, Markdown, CSV and JSON say the same of any table, and pages the same of kernels."""

import csv
import html
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from pipeline.columns.column import ESTIMATE, EXACT_KIND, FIGURE, PROBABILITY, QUANTITY, SHARE, Column, filled
from pipeline.columns.kernels import kernel_columns
from pipeline.report.page import report_html
from pipeline.report.render.terminal_tables import terminal_table
from pipeline.report.render.text_formats import csv_text, json_text, markdown_text
from pipeline.report.summary import summarise
from pipeline.wording.quantities import figure, number
from tests.pipeline.report.page.studies import answered, carried, floats, study
from tests.terminal_output import shown as on_terminal

WIDE = 400
KINDS = {"a": FIGURE, "b": QUANTITY, "c": SHARE, "d": EXACT_KIND, "e": PROBABILITY}
NUMBERS = st.one_of(st.none(), st.floats(0, 1e12).map(number))
COLUMNS = [
    Column(key="name"),
    *(Column(key=key, kind=kind) for key, kind in KINDS.items()),
    Column(key="value", kind=ESTIMATE, unit="core-s"),
]


def intervals(ends):
    lower, value, upper = sorted(ends)
    return {"value": value, "lower": lower, "upper": upper}


ROWS = st.fixed_dictionaries(
    {
        "name": st.text("abc", min_size=1, max_size=5),
        **dict.fromkeys(KINDS, NUMBERS),
        "value": st.one_of(st.none(), st.tuples(*[st.floats(0, 1e12).map(number)] * 3).map(intervals)),
    }
)


def terminal_cells(table):
    lines = on_terminal(Console.print, terminal_table(table, WIDE), width=WIDE)
    return [re.split(r"\s{2,}", line.strip()) for line in lines]


def markdown_cells(table):
    head, _, *lines = markdown_text(table).splitlines()
    rows = (re.split(r"(?<!\\)\|", line)[1:-1] for line in (head, *lines))
    return [[html.unescape(re.sub(r"\\(.)", r"\1", cell.strip())) for cell in row] for row in rows]


def read_again(table, of_csv=True):
    """Return the rows that a file of a table holds."""
    found = csv.DictReader(io.StringIO(csv_text(table))) if of_csv else json.loads(json_text(table))
    rows = []
    for row in found:
        values = {key: known(row[key]) for key in KINDS}
        ends = {end: known(row[f"{end} [core-s]"]) for end in ("value", "lower", "upper")}
        rows.append({"name": row["name"], **values, "value": None if ends["value"] is None else ends})
    return rows


def known(value):
    return None if value in ("", None) else float(value)


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_terminal_markdown_csv_and_json_cannot_differ(rows):
    table = filled(COLUMNS, rows)
    shown = [cells for cells in table.on_screen if any(value is not None for value in cells.values)]
    left_out = [cells.heading for cells in table.on_screen if cells not in shown]
    head, *lines = markdown_cells(table)
    kept = [place for place, heading in enumerate(head) if heading not in left_out]
    if not left_out:
        assert terminal_cells(table) == [[row[place] for place in kept] for row in (head, *lines)]
    for of_csv in (True, False):
        again = filled(COLUMNS, read_again(table, of_csv))
        assert [cells.texts for cells in again.on_screen] == [cells.texts for cells in table.on_screen]


@pytest.mark.parametrize(("by", "level"), [("regions", "regions"), ("kernels", "callpaths")])
def test_a_page_carries_the_kernels_of_the_tables(by, level):
    report = answered(study())
    data = carried(report_html(report))
    page, target = data["levels"][level], data["scales"].index(report.ahead.targets[-1, 0])
    summary = summarise(report.ahead)
    by_path = {tuple(row["callpath"]): row for row in summary.rows(by)}
    rows = [by_path[path] for path in carried_paths(page, [one["name"] for one in data["regions"]])]
    growth, *quality = (
        column.filled(rows)[0]
        for column in kernel_columns(
            "growth_class", "probability_growing", "quality.smape", "quality.cv_smape"
        )
    )
    assert page["growthClass"] == growth.values
    for cells, name in zip(quality, ("growing", "smape", "cvSmape"), strict=True):
        assert figures(floats(page[name])) == figures(cells.values)
    for mean, row in zip(floats(page["mean"], len(data["points"])), rows, strict=True):
        assert figures(mean) == figures(row["measured"])
    values = floats(page["value"], len(data["scales"]))[:, target]
    assert figures(values) == figures(row["predictions"][-1]["value"] for row in rows)


def figures(values):
    return list(map(figure, values))


def carried_paths(page, names):
    """Return the call paths of a page's kernels; regions have no callers."""
    paths = []
    for region, parent in zip(page["region"], page["parent"], strict=True):
        paths.append((*(paths[parent] if parent >= 0 else ()), names[region]))
    return paths
