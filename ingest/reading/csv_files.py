"""CSV and Parquet files as frames: every cell of a CSV file as its text, and the lines of rows."""

import contextlib
import csv
import io
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.errors import InputError
from ingest.reading.files import head, read_bytes
from ingest.reading.parquet_files import BombError, open_parquet
from ingest.reading.table_layouts import as_csv, utf8, with_points
from ingest.reading.workbooks import ENDINGS, workbook_csv

if TYPE_CHECKING:
    import pandas as pd

MAX_BYTES = 1 << 32
MAX_CELLS = 1 << 28
MAX_COLUMNS = 1 << 12
CSV_ENDINGS = frozenset((".csv", ".tsv", *ENDINGS))
PARQUET = b"PAR1"
UNNAMED = "Unnamed: "  # what pandas writes for a heading that is empty
NO_VALUE = ("", "NA", "N/A", "NaN", "nan", "null", "None", "-")


@dataclass(frozen=True, eq=False, kw_only=True)
class Frame:
    """A table as it lies.

    Attributes:
        source: the file, or what a DataFrame is called.
        table: its columns, as texts or numbers.
        place: where a row stands, such as ``line 7``, by its number from 0.
        said: what was left out of it.
    """

    source: str
    table: "pd.DataFrame"
    place: Callable[[int], str]
    said: tuple[str, ...] = ()


def is_unnamed(header: str) -> bool:
    """Return whether a heading is empty, or what stands for one."""
    return not header.strip() or header.startswith(UNNAMED)


def is_parquet(path: Path) -> bool:
    """Return whether a file begins as Parquet files do."""
    return head(path).startswith(PARQUET)


def csv_header(path: Path) -> list[str]:
    """Return the names of the columns of a CSV file; none if its beginning is not one."""
    try:
        content, delimiter = as_csv(_content(path, only_head=True), str(path))
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
    """Read a table whose first line names the columns: CSV, or what `table_layouts` makes it of.

    Args:
        delimiter: what separates cells; by default the layout shows it.
        numbers: columns that should hold numbers only; they are parsed at once if they do.

    Raises:
        InputError: it is not text, or a row has more or fewer cells than the header.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow

    content = _content(path)
    if b"\0" in content:
        raise InputError("binary data where text is expected", where=str(path))
    given = delimiter
    content, delimiter = (content, given) if given else as_csv(content, str(path))
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
        frame = with_points(frame, delimiter)
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


def _content(path: Path, *, only_head: bool = False) -> bytes:
    if path.suffix.lower() in ENDINGS:
        return workbook_csv(path, MAX_BYTES)
    return utf8(head(path) if only_head else read_bytes(path, MAX_BYTES))


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
    if len(names) > MAX_COLUMNS:
        raise InputError(f"{len(names)} columns: more than any table has", where=source)
    names = [name or f"{UNNAMED}{place}" for place, name in enumerate(names)]
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
