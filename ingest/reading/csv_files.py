"""CSV and Parquet files as frames: every cell of a CSV file as its text, and the lines of rows."""

import contextlib
import csv
import io
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.errors import InputError
from ingest.reading.files import head, read_bytes
from ingest.reading.parquet_files import BombError, open_parquet

if TYPE_CHECKING:
    import pandas as pd

MAX_BYTES = 1 << 32
MAX_CELLS = 1 << 28
MAX_COLUMNS = 1 << 12
CSV_ENDINGS = frozenset((".csv", ".tsv"))
PARQUET, BOM = b"PAR1", b"\xef\xbb\xbf"
DELIMITERS = ",;\t|"
NO_VALUE = ("", "NA", "N/A", "NaN", "nan", "null", "None", "-")


@dataclass(frozen=True, eq=False, kw_only=True)
class Frame:
    """A table as it lies.

    Attributes:
        source: the file, or what a DataFrame is called.
        table: its columns, as texts or numbers.
        place: where a row stands, such as ``line 7``, by its number from 0.
    """

    source: str
    table: "pd.DataFrame"
    place: Callable[[int], str]


def is_parquet(path: Path) -> bool:
    """Return whether a file begins as Parquet files do."""
    return head(path).startswith(PARQUET)


def csv_header(path: Path) -> list[str]:
    """Return the names of the columns of a CSV file; none if its beginning is not one."""
    lines = head(path).decode("utf-8-sig", errors="replace").splitlines()
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    return [cell.strip() for cell in csv_cells(first, _delimiter(first))]


def csv_cells(line: str, delimiter: str = ",") -> list[str]:
    """Return the cells of a line of CSV; none if it is not one."""
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def read_csv(path: Path, delimiter: str = "", numbers: Collection[str] = ()) -> Frame:
    """Read a CSV file whose first line names the columns; lines before it that begin with ``#`` are skipped.

    Args:
        delimiter: what separates cells; by default the most frequent of comma, semicolon, tab and bar in the
            first line. With semicolons, numbers may have decimal commas.
        numbers: columns that should hold numbers only; they are parsed at once if they do.

    Raises:
        InputError: it is not text, or a row has more or fewer cells than the header.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow

    content = read_bytes(path, MAX_BYTES).removeprefix(BOM)
    if b"\0" in content:
        raise InputError("binary data where text is expected", where=str(path))
    start, end = _header(content)
    first, begin = content[start:end].decode("utf-8", errors="replace"), min(end + 1, len(content))
    delimiter = delimiter or _delimiter(first)
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
            return read_csv(path, delimiter)
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
    if delimiter == ";":
        frame = frame.apply(_with_decimal_points)
    return Frame(source=str(path), table=frame, place=place)


def read_parquet(path: Path) -> Frame:
    """Read a Parquet file.

    Raises:
        InputError: it is damaged, too large or has columns of nested values.
    """
    import pyarrow as pa

    content = read_bytes(path, MAX_BYTES)
    try:
        file = open_parquet(content)
        if file.metadata.num_rows * max(file.metadata.num_columns, 1) > MAX_CELLS:
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


def _delimiter(line: str) -> str:
    counts = Counter(line)
    return max(DELIMITERS, key=lambda character: counts[character])


def _names(line: str, delimiter: str, source: str) -> list[str]:
    try:
        names = [name.strip() for name in next(csv.reader([line.rstrip("\r")], delimiter=delimiter), [])]
    except csv.Error as error:
        raise InputError(f"the first line does not name columns: {error}", where=source) from error
    if len(names) > MAX_COLUMNS:
        raise InputError(f"{len(names)} columns: more than any table has", where=source)
    for number, name in enumerate(names, start=1):
        if not name:
            raise InputError(
                f"the column {number} has no name", where=source, hint="name it in the first line"
            )
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


def _with_decimal_points(column: "pd.Series[str]") -> "pd.Series[str]":
    """Turn decimal commas of a column into points if all its cells are numbers then."""
    texts = column.cat.categories
    turned = texts.str.replace(",", ".", n=1, regex=False)
    try:
        [float(text) for text in turned if text.strip()]
    except ValueError:
        return column
    return column.map(dict(zip(texts, turned, strict=True)))
