"""Terminal, Markdown and CSV say the same of any table: all are written from its columns."""

import csv
import html
import io
import re

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from pipeline.columns.column import ESTIMATE, EXACT, FIGURE, PROBABILITY, QUANTITY, SHARE, Column, filled
from pipeline.report.render.terminal_tables import terminal_table
from pipeline.report.render.text_formats import csv_text, markdown_text
from pipeline.wording.quantities import number

WIDE = 400
KINDS = {"a": FIGURE, "b": QUANTITY, "c": SHARE, "d": EXACT, "e": PROBABILITY}
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
    out = Console(file=io.StringIO(), width=WIDE)
    out.print(terminal_table(table, WIDE))
    head, *lines = out.file.getvalue().splitlines()
    return [re.split(r"\s{2,}", line.strip()) for line in (head, *lines)]


def markdown_cells(table):
    head, _, *lines = markdown_text(table).splitlines()
    rows = (re.split(r"(?<!\\)\|", line)[1:-1] for line in (head, *lines))
    return [[html.unescape(re.sub(r"\\(.)", r"\1", cell.strip())) for cell in row] for row in rows]


def read_again(text):
    """Return the rows that a file of comma-separated values holds."""
    rows = []
    for row in csv.DictReader(io.StringIO(text)):
        values = {key: float(row[key]) if row[key] else None for key in KINDS}
        ends = {end: row[f"{end} [core-s]"] for end in ("value", "lower", "upper")}
        value = {end: float(text) for end, text in ends.items()} if ends["value"] else None
        rows.append({"name": row["name"], **values, "value": value})
    return rows


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_terminal_markdown_and_csv_cannot_differ(rows):
    table = filled(COLUMNS, rows)
    shown = [cells for cells in table.on_screen if any(value is not None for value in cells.values)]
    left_out = [cells.heading for cells in table.on_screen if cells not in shown]
    head, *lines = markdown_cells(table)
    kept = [place for place, heading in enumerate(head) if heading not in left_out]
    if not left_out:
        assert terminal_cells(table) == [[row[place] for place in kept] for row in (head, *lines)]
    again = filled(COLUMNS, read_again(csv_text(table)))
    assert [cells.texts for cells in again.on_screen] == [cells.texts for cells in table.on_screen]
