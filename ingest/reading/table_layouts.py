"""Tables of text in any layout as CSV: bars, columns of blanks, comments, titles, ``sep=;``, decimal commas.

Lines stay where they are, so that messages name those of the file: what is no row becomes an empty line.
"""

import csv
import io
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ingest.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

DELIMITERS = ",;\t|"
HEAD = 1 << 14  # bytes in which the layout shows

_RULE = re.compile(r"[\s|+:=-]*[-=]{2}[\s|+:=-]*")
_COUNTED = re.compile(r"# ?(?=of\b)")  # as in "# of cores"
_COMMENT = re.compile(rb"(?m)^#[^\n]*")
_BLANKS = (r"\s{2,}|\t", r"\s+(?![\[(])")
_GROUPS = re.compile(r"(?<=\d)[ '’\u00a0\u202f](?=\d{3}(?:\D|$))")
_NUMBER = re.compile(r"\s*[+-]?\d[\d.,' ’\u00a0\u202f]*(?:[eE][+-]?\d+)?\s*")
_FORMS = {  # of numbers that show what is between them and their decimals
    ",": r"[+-]?(?:\d+,(?!\d{3}$)\d+|0,\d+|\d{1,3}(?:\.\d{3})+,\d+)(?:[eE][+-]?\d+)?",
    ".": r"[+-]?(?:\d*\.(?!\d{3}$)\d+|0\.\d+|\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:,\d{3}){2,})(?:[eE][+-]?\d+)?",
}


def utf8(content: bytes) -> bytes:
    """Return a text in UTF-8 that a spreadsheet may have written in Latin letters; `packed` knows marks."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace").encode()
    return content


def as_csv(content: bytes, source: str) -> tuple[bytes, str]:
    """Return a table as CSV, and what separates its cells.

    Raises:
        InputError: it holds several tables.
    """
    if content.startswith(b"sep="):
        return b"\n" + content.partition(b"\n")[2], chr(content[4])
    lines = [line.rstrip("\r") for line in content[:HEAD].decode("utf-8", "replace").split("\n")]
    rule = next((i for i, line in enumerate(lines) if _RULE.fullmatch(line)), None)
    if rule is not None and "|" in "".join(lines[max(rule - 1, 0) : rule + 2]):
        return _written(_barred(content.decode("utf-8", "replace").split("\n"), source)), "\t"
    place = _header(lines)
    line = _uncommented(lines[place])
    delimiter = max(DELIMITERS, key=line.count)
    if delimiter in line or not line.strip():
        return _delimited(content, place, delimiter.encode()), delimiter
    return _written(_in_columns(content.decode("utf-8", "replace").split("\n"), place)), "\t"


def _uncommented(line: str) -> str:
    """Return a line without the sign of a comment, but for one that stands for a number."""
    return f"number {line[1:]}" if _COUNTED.match(line) else line.removeprefix("#")


def _header(lines: Sequence[str]) -> int:
    """Return the line that names the columns: the first, or a comment above numbers, or one below titles."""
    shown = [i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    first = shown[0] if shown else 0
    above = next((i for i in range(first - 1, -1, -1) if lines[i].startswith("#")), first)
    if (
        above < first
        and not _has_letters(lines[first])
        and _alike(lines[above].removeprefix("#"), lines[first])
    ):
        return above
    filled = [sum(map(bool, map(str.strip, re.split(f"[{DELIMITERS}]", lines[i])))) > 1 for i in shown]
    if filled[:1] != [False]:
        return first
    pairs = zip(pairwise(shown), filled, strict=False)
    return next((one for (one, two), cells in pairs if cells and _alike(lines[one], lines[two])), first)


def _has_letters(line: str) -> bool:
    return any(character.isalpha() for character in line)


def _alike(header: str, row: str) -> bool:
    """Return whether a line may name the columns of a row."""
    signs = [sign for sign in DELIMITERS if sign in row] or [""]
    counts = [(len(_cells([header, row], sign)[0]), len(_cells([header, row], sign)[1])) for sign in signs]
    return _has_letters(header) and any(one == two > 1 for one, two in counts)


def _cells(lines: Sequence[str], sign: str = "") -> list[list[str]]:
    """Split lines at a sign, or at blanks so that all have as many cells, or the header one less."""
    for pattern in [re.escape(sign)] if sign else _BLANKS:
        found = [re.split(pattern, line.strip()) for line in lines]
        counts = {len(cells) for cells in found[1:]}
        if len(counts) == 1 and (size := counts.pop()) > 1 and size - len(found[0]) in (0, 1):
            break
    return [
        ["", *found[0]] if not sign and len(found) > 1 and len(found[0]) < len(found[1]) else found[0],
        *found[1:],
    ]


def _delimited(content: bytes, place: int, sign: bytes) -> bytes:
    """Return CSV without titles and comments, its header with as many cells as the first row."""
    *above, header, rest = (content + b"\n").split(b"\n", place + 1)
    row = rest.lstrip().partition(b"\n")[0].rstrip()
    if row.endswith(sign) and row.count(sign) == header.count(sign) + 1:
        header = header.rstrip() + sign
    elif not any(above) and not header.startswith(b"#") and b"\n#" not in content:
        return content
    rest = rest if b'"' in rest else _COMMENT.sub(b"", rest)
    return b"\n" * place + _uncommented(header.decode("utf-8", "replace")).encode() + b"\n" + rest


def _in_columns(lines: Sequence[str], place: int) -> list[list[str]]:
    kept = [place] + [
        i
        for i in range(place + 1, len(lines))
        if lines[i].strip(" \r") and not _RULE.fullmatch(lines[i]) and lines[i][0] != "#"
    ]
    rows = dict(zip(kept, _cells([_uncommented(lines[i]) for i in kept]), strict=True))
    return [rows.get(i, []) for i in range(len(lines))]


def _barred(lines: Sequence[str], source: str) -> list[list[str]]:
    """Return the rows between bars, without rules."""
    inside = ["|" in line or bool(_RULE.fullmatch(line)) for line in lines]
    tables = sum(one and not before for before, one in pairwise([False, *inside]))
    if tables > 1:
        raise InputError(f"{tables} tables are in it", where=source, hint="keep one in a file of its own")
    rows = ([cell.strip(" *`\r") for cell in line.strip().strip("|").split("|")] for line in lines)
    return [
        cells if "|" in line and not _RULE.fullmatch(line) else []
        for cells, line in zip(rows, lines, strict=True)
    ]


def _written(rows: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def with_points(table: "pd.DataFrame", delimiter: str) -> "pd.DataFrame":
    """Write the numbers in columns of texts with decimal points and without separators of thousands.

    What a comma is shows in a column, else in the others; if nowhere, semicolons between cells mean decimal
    commas, and commas those of thousands.
    """
    columns = {
        str(name): column.cat.categories.str.strip().str.replace(_GROUPS, "", regex=True)
        for name, column in table.items()
        if column.dtype == "category"
    }
    signs = {
        name: [sign for sign in _FORMS if texts.str.fullmatch(_FORMS[sign]).any()]
        for name, texts in columns.items()
    }
    shown = {sign for found in signs.values() for sign in found}
    usual = shown.pop() if len(shown) == 1 else ""
    changed = {}
    for name, texts in columns.items():
        sign = signs[name][0] if len(signs[name]) == 1 else usual
        turned = texts.str.replace({",": ".", ".": ","}.get(sign, "\0"), "", regex=False)
        if sign == "," or (not sign and delimiter == ";"):
            turned = turned.str.replace(",", ".", n=1, regex=False)
        elif not sign and delimiter == ",":
            turned = turned.str.replace(",", "", regex=False)
        before = table[name].cat.categories
        if not turned.equals(before):
            known = {
                old: new if _NUMBER.fullmatch(old) else old for old, new in zip(before, turned, strict=True)
            }
            changed[name] = table[name].map(known)
    return table.assign(**changed)
