"""Tables as CSV, JSON, Markdown and LaTeX.

CSV and JSON hold full values, Markdown and LaTeX the texts that people read.
"""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence

from pipeline.columns.cells import Cells, DataTable, Value
from pipeline.wording.escaping import csv_text as csv_field
from pipeline.wording.escaping import json_line, latex, markdown

_CSV_END = "\r\n"


def csv_text(table: DataTable) -> str:
    """Return a header of names with units and one line per row; what is not available is empty.

    Fields are quoted as in RFC 4180, a row is a line, and texts are as `escaping.csv_text` makes them.
    """
    return "".join(map(_csv_line, [table.keys, *_rows(table)]))


def _csv_line(fields: Sequence[Value]) -> str:
    """Return a line that ends as the csv module expects, so that it quotes both kinds of line breaks."""
    text = io.StringIO()
    safe = [csv_field(field) if isinstance(field, str) else field for field in fields]
    csv.writer(text, lineterminator=_CSV_END).writerow(safe)
    return text.getvalue().removesuffix(_CSV_END) + "\n"


def json_text(table: DataTable) -> str:
    """Return a list of one object per row; kernels have their call path as a list, too, as ``callpath``."""
    records: list[dict[str, object]] = [dict(zip(table.keys, row, strict=True)) for row in _rows(table)]
    for column in table.for_programs:
        for record, path in zip(records, column.paths, strict=bool(column.paths)):
            record["callpath"] = list(path)
    lines = (json_line(record) for record in records)
    text = "[\n " + ",\n ".join(lines) + "\n]\n" if records else "[]\n"
    return text.encode(errors="backslashreplace").decode()


def markdown_text(table: DataTable) -> str:
    """Return a table of GitHub's Markdown."""
    columns, rows = _for_people(table)
    lines = [
        [markdown(column.file_heading) for column in columns],
        ["---:" if column.is_number else "---" for column in columns],
        *(list(map(markdown, row)) for row in rows),
    ]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def latex_text(table: DataTable) -> str:
    """Return a ``tabular`` with the rules of the package booktabs."""
    columns, rows = _for_people(table)
    sides = "".join("r" if column.is_number else "l" for column in columns)
    lines = [
        f"\\begin{{tabular}}{{{sides}}} % \\usepackage{{booktabs}}",
        "\\toprule",
        _latex_row([column.file_heading for column in columns]),
        "\\midrule",
        *map(_latex_row, rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "".join(f"{line}\n" for line in lines)


WRITERS: Mapping[str, Callable[[DataTable], str]] = {
    "csv": csv_text,
    "md": markdown_text,
    "json": json_text,
    "latex": latex_text,
}
"""The writer of every value of ``--format`` but ``table``, which is what the terminal shows."""


def _latex_row(cells: Sequence[str]) -> str:
    row = " & ".join(map(latex, cells))
    guard = "{}" if row.startswith(("[", "*")) else ""  # after a line break LaTeX reads them as its options
    return f"{guard}{row} \\\\"


def _rows(table: DataTable) -> Iterator[tuple[Value, ...]]:
    return zip(*(column.values for column in table.for_programs), strict=True)


def _for_people(table: DataTable) -> tuple[list[Cells], list[tuple[str, ...]]]:
    columns = table.for_readers
    return columns, list(zip(*(column.texts for column in columns), strict=True))
