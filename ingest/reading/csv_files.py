"""CSV and Parquet files as frames: every cell of a CSV file as its text, and the lines of rows."""

import contextlib
import csv
import io
import re
import warnings
import zipfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.errors import InputError
from ingest.reading.files import head, read_bytes
from ingest.reading.packed import inflation_limit, open_regular
from ingest.reading.parquet_files import BombError, open_parquet

if TYPE_CHECKING:
    import pandas as pd

_DELIMITERS = ",;\t|"
_HEAD = 1 << 14  # bytes in which the layout shows

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
_ENDINGS = (".xlsx", ".xlsm")
_SAVE = "save the sheet as CSV"
_MAX_BYTES = 1 << 32
_MAX_CELLS = 1 << 28
_MAX_COLUMNS = 1 << 12
CSV_ENDINGS = frozenset((".csv", ".tsv", *_ENDINGS))
_PARQUET = b"PAR1"
_UNNAMED = "Unnamed: "  # what pandas writes for a heading that is empty
NO_VALUE = ("", "NA", "N/A", "NaN", "nan", "null", "None", "-")


@dataclass(frozen=True, eq=False, kw_only=True)
class Frame:
    """A table as it lies."""

    source: str  # the file, or what a DataFrame is called
    table: "pd.DataFrame"  # its columns, as texts or numbers
    place: Callable[[int], str]  # where a row stands, such as ``line 7``, by its number from 0
    said: tuple[str, ...] = ()  # what was left out of it


def is_unnamed(header: str) -> bool:
    """Return whether a heading is empty, or what stands for one."""
    return not header.strip() or header.startswith(_UNNAMED)


def is_parquet(path: Path) -> bool:
    """Return whether a file begins as Parquet files do."""
    return head(path).startswith(_PARQUET)


def csv_header(path: Path) -> list[str]:
    """Return the names of the columns of a CSV file; none if its beginning is not one."""
    try:
        content, delimiter = _as_csv(_content(path, only_head=True), str(path))
    except InputError:
        return []
    start, end = _header(content)
    return [cell.strip() for cell in csv_cells(content[start:end].decode("utf-8", "replace"), delimiter)]


def csv_cells(line: str, delimiter: str = ",") -> list[str]:
    """Return the cells of a line of CSV; none if it is not one."""
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def read_csv(path: Path, delimiter: str = "", numbers: Collection[str] = ()) -> Frame:
    """Read a table whose first line names the columns: CSV, or what `_as_csv` makes it of.

    The layout shows what separates cells, unless it is given; columns of `numbers` are parsed at once if they
    hold numbers only.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow

    content = _content(path)
    if b"\0" in content:
        raise InputError("binary data where text is expected", where=str(path))
    given = delimiter
    content, delimiter = (content, given) if given else _as_csv(content, str(path))
    start, end = _header(content)
    first, begin = content[start:end].decode("utf-8", errors="replace"), min(end + 1, len(content))
    names = _names(first, delimiter, str(path))
    if not content[end:].strip():
        raise InputError("it has no rows", where=str(path), hint="was the measurement interrupted?")
    bad: list[arrow.InvalidRow] = []
    types = dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string()))
    if delimiter != ";":
        types |= {name: pa.float64() for name in names if name in numbers}
    try:
        table = arrow.read_csv(
            pa.BufferReader(pa.py_buffer(content).slice(begin)),
            read_options=arrow.ReadOptions(column_names=names, use_threads=False, block_size=1 << 24),
            parse_options=arrow.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=b'"' in content,
                invalid_row_handler=lambda row: bad.append(row) or "skip",  # type: ignore[func-returns-value]
            ),
            convert_options=arrow.ConvertOptions(
                column_types=types, strings_can_be_null=False, null_values=list(NO_VALUE)
            ),
        )
    except pa.ArrowInvalid as error:
        if numbers:
            return read_csv(path, given)
        raise InputError(f"cannot be read as CSV: {error}", where=str(path)) from error
    except (pa.ArrowException, ValueError, OverflowError) as error:
        raise InputError(f"cannot be read as CSV: {error}", where=str(path)) from error
    skipped = content.count(b"\n", 0, start) + 1

    lines = cache(lambda: _line_numbers(content[begin:].decode("utf-8", errors="replace"), delimiter))

    def place(row: int) -> str:
        return f"line {skipped + lines()[min(row, len(lines()) - 1)]}"

    if bad:
        where = f"line {skipped + bad[0].number}" if bad[0].number else "a row"
        raise InputError(
            f"{where}: {bad[0].actual_columns} cells, but {bad[0].expected_columns} columns",
            where=str(path),
            hint="put quotes around cells that contain the separator",
        )
    frame = table.unify_dictionaries().to_pandas()
    if delimiter != "," or b'"' in content:
        frame = _with_points(frame, delimiter)
    return Frame(source=str(path), table=frame, place=place)


def read_parquet(path: Path) -> Frame:
    """Read a Parquet file; InputError if it is damaged, too large or has columns of nested values."""
    import pyarrow as pa

    content = read_bytes(path, _MAX_BYTES)
    try:
        file = open_parquet(content)
        if file.metadata.num_rows * max(file.metadata.num_columns, 1) > _MAX_CELLS:
            raise InputError("too large for memory", where=str(path), hint="split the file")
        if nested := next((f.name for f in file.schema_arrow if pa.types.is_nested(f.type)), None):
            raise InputError(f"the column '{nested}' holds nested values", where=str(path))
        frame = file.read(use_threads=False).to_pandas(ignore_metadata=True)
    except BombError as error:
        raise InputError(str(error), where=str(path), hint="split the file") from error
    except (pa.ArrowException, OSError, LookupError, ValueError, OverflowError, MemoryError) as error:
        raise InputError(f"cannot be read as Parquet: {error}", where=str(path)) from error
    frame.columns = [str(name) for name in frame.columns]
    return Frame(source=str(path), table=frame, place=lambda row: f"row {row + 1}")


def _content(path: Path, *, only_head: bool = False) -> bytes:
    if path.suffix.lower() in _ENDINGS:
        return _workbook_csv(path, _MAX_BYTES)
    return _utf8(head(path) if only_head else read_bytes(path, _MAX_BYTES))


def _header(content: bytes) -> tuple[int, int]:
    """Return where the first line that is neither empty nor a comment begins and ends."""
    start = 0
    while start < len(content):
        found = content.find(b"\n", start)
        end = found if found >= 0 else len(content)
        line = content[start:end]
        if line.strip() and not line.startswith(b"#"):
            return start, end
        start = end + 1
    return len(content), len(content)


def _names(line: str, delimiter: str, source: str) -> list[str]:
    try:
        names = [name.strip() for name in next(csv.reader([line.rstrip("\r")], delimiter=delimiter), [])]
    except csv.Error as error:
        raise InputError(f"the first line does not name columns: {error}", where=source) from error
    if len(names) > _MAX_COLUMNS:
        raise InputError(f"{len(names)} columns: more than any table has", where=source)
    names = [name or f"{_UNNAMED}{place}" for place, name in enumerate(names)]
    for number, name in enumerate(names, start=1):
        if name in names[: number - 1]:
            raise InputError(f"two columns are called '{name}'", where=source, hint="rename one")
    return names


def _line_numbers(body: str, delimiter: str) -> list[int]:
    """Return the line on which each row below the header ends, from 1; empty lines are not rows."""
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter)
    lines: list[int] = []
    with contextlib.suppress(csv.Error):
        lines.extend(reader.line_num for cells in reader if cells)
    return lines or [1]


def _workbook_csv(path: Path, most: int) -> bytes:
    """Return the cells of the only sheet with a table as CSV: values of formulas, times with colons."""
    try:
        import openpyxl
    except ModuleNotFoundError as error:
        hint = f"pip install 'callpath-pipeline[excel]', or {_SAVE}"
        raise InputError("openpyxl is not installed", where=str(path), hint=hint) from error
    tables: dict[str, list[list[str]]] = {}
    try:
        with open_regular(path) as packed, warnings.catch_warnings():
            with zipfile.ZipFile(packed) as archive:
                plain = sum(file.file_size for file in archive.infolist())
            if plain > inflation_limit(packed.seek(0, 2), most):
                raise InputError("a decompression bomb", where=str(path), hint=_SAVE)
            warnings.simplefilter("ignore")  # of what openpyxl does not keep, such as charts
            for sheet in openpyxl.load_workbook(packed, read_only=True, data_only=True).worksheets:
                cells = sheet.iter_rows(values_only=True)
                rows = [["" if value is None else str(value) for value in row] for row in cells]
                if sum(len(list(filter(None, row))) > 1 for row in rows) > 1:
                    tables[sheet.title] = rows
    except InputError:
        raise
    except Exception as error:  # openpyxl raises whatever a damaged file leads to
        raise InputError(f"cannot be read as a workbook: {error}", where=str(path), hint=_SAVE) from error
    if len(tables) != 1:
        what = (
            f"{len(tables)} sheets with tables ({', '.join(tables)})" if tables else "no sheet with a table"
        )
        raise InputError(what, where=str(path), hint=_SAVE)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(tables.popitem()[1])
    return text.getvalue().encode()


# Tables of text in any layout as CSV: bars, columns of blanks, comments, titles, ``sep=;``, decimal commas.
#
# Lines stay where they are, so that messages name those of the file: what is no row becomes an empty line.


def _utf8(content: bytes) -> bytes:
    """Return a text in UTF-8 that a spreadsheet may have written in Latin letters; `packed` knows marks."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace").encode()
    return content


def _as_csv(content: bytes, source: str) -> tuple[bytes, str]:
    """Return a table as CSV, and what separates its cells."""
    if content.startswith(b"sep="):
        return b"\n" + content.partition(b"\n")[2], chr(content[4])
    lines = [line.rstrip("\r") for line in content[:_HEAD].decode("utf-8", "replace").split("\n")]
    rule = next((i for i, line in enumerate(lines) if _RULE.fullmatch(line)), None)
    if rule is not None and "|" in "".join(lines[max(rule - 1, 0) : rule + 2]):
        return _written(_barred(content.decode("utf-8", "replace").split("\n"), source)), "\t"
    place = _header_place(lines)
    line = _uncommented(lines[place])
    delimiter = max(_DELIMITERS, key=line.count)
    if delimiter in line or not line.strip():
        return _delimited(content, place, delimiter.encode()), delimiter
    return _written(_in_columns(content.decode("utf-8", "replace").split("\n"), place)), "\t"


def _uncommented(line: str) -> str:
    """Return a line without the sign of a comment, but for one that stands for a number."""
    return f"number {line[1:]}" if _COUNTED.match(line) else line.removeprefix("#")


def _header_place(lines: Sequence[str]) -> int:
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
    filled = [sum(map(bool, map(str.strip, re.split(f"[{_DELIMITERS}]", lines[i])))) > 1 for i in shown]
    if filled[:1] != [False]:
        return first
    pairs = zip(pairwise(shown), filled, strict=False)
    return next((one for (one, two), cells in pairs if cells and _alike(lines[one], lines[two])), first)


def _has_letters(line: str) -> bool:
    return any(character.isalpha() for character in line)


def _alike(header: str, row: str) -> bool:
    """Return whether a line may name the columns of a row."""
    signs = [sign for sign in _DELIMITERS if sign in row] or [""]
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


def _with_points(table: "pd.DataFrame", delimiter: str) -> "pd.DataFrame":
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
