"""SQLite databases of profilers, read only and bounded: files come from anywhere."""

import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ingest.arrays import IntArray
from ingest.errors import InputError
from ingest.reading.files import head
from ingest.reading.packed import inflation_limit, is_packed_file, open_plain, open_regular

_MAGIC = b"SQLite format 3\0"
_MAX_BYTES = 1 << 37
_MAX_UNPACKED_BYTES = 1 << 33
_STEPS_PER_BYTE = 20  # of SQLite's machine, twice what rows of numbers take; damage may make trees endless
_LEAST_STEPS = 1 << 22
_STEPS = 1 << 16  # between two looks at their number
_LONG = 200  # bytes of texts that are kept once: shorter ones are many, and as large as the number of rows

Tables = Mapping[str, frozenset[str]]


def tables_of(path: Path) -> Tables | None:
    """Return the tables of a database and their columns; none if it is not one, None if it is damaged."""
    if head(path, len(_MAGIC)) != _MAGIC:
        return {}
    try:
        with opened(path) as connection:
            return tables_in(connection)
    except InputError:
        return None


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database; errors of SQLite and of numbers in it become one of ours."""
    if is_packed_file(path):  # SQLite reads files only
        with TemporaryDirectory() as folder:
            plain = Path(folder, "plain.sqlite")
            try:
                with open_plain(path, _MAX_UNPACKED_BYTES) as packed, plain.open("wb") as file:
                    shutil.copyfileobj(packed, file)
            except OSError as error:
                raise InputError(f"cannot be unpacked: {error}", where=str(path)) from error
            with _opened(plain, str(path)) as connection:
                yield connection
    else:
        with _opened(path, str(path)) as connection:
            yield connection


@contextmanager
def _opened(path: Path, where: str) -> Iterator[sqlite3.Connection]:
    try:
        with open_regular(path) as file:  # SQLite would wait for the writer of a pipe
            size = file.seek(0, 2)
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    except (OSError, sqlite3.Error) as error:
        raise InputError(f"cannot be opened: {error}", where=where) from error
    try:
        if size > _MAX_BYTES:
            raise InputError(f"larger than {_MAX_BYTES >> 30} GiB, the limit for databases", where=where)
        connection.text_factory = _Texts(inflation_limit(size, _MAX_BYTES), where)
        left = iter(range((_LEAST_STEPS + _STEPS_PER_BYTE * size) // _STEPS))
        connection.set_progress_handler(lambda: int(next(left, None) is None), _STEPS)
        yield connection
    except sqlite3.Error as error:
        raise InputError(f"damaged database ({error})", where=where, hint="export it again") from error
    except (OverflowError, TypeError, ValueError) as error:
        raise InputError(f"an entry of the database is not a number ({error})", where=where) from error
    finally:
        connection.close()


def tables_in(connection: sqlite3.Connection) -> Tables:
    """Return the tables and their columns; views, which may compute anything, are left out."""
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {
        str(name): frozenset(str(row[1]) for row in connection.execute(f"PRAGMA table_info({quoted(name)})"))
        for (name,) in rows
    }


def columns_of(connection: sqlite3.Connection, query: str, number: int) -> Sequence[IntArray]:
    """Return the columns of a query for whole numbers, int64[n] each."""
    return integers(connection.execute(query), number)


def integers(rows: Iterator[tuple[object, ...]] | sqlite3.Cursor, number: int) -> Sequence[IntArray]:
    """Return columns of rows of whole numbers, int64[n] each, without keeping the rows."""
    kind = np.dtype([(f"c{i}", np.int64) for i in range(number)])
    table = np.fromiter(rows, dtype=kind)
    return [np.ascontiguousarray(table[name]) for name in kind.names or ()]


def quoted(name: str) -> str:
    """Return a name of a table or column as SQL has it."""
    return '"' + str(name).replace('"', '""') + '"'


def text_of(column: str) -> str:
    """Return an expression for a column as a text, whatever its values are: only texts are bounded."""
    return f"CAST({column} AS TEXT)"


class _Texts:
    """Makes texts of a database from their bytes: equal long ones lie in memory once, all have a bound.

    All rows written before a column was added share its default, and rows of a damaged file their pages, so a
    small file may hold any number of long texts. `most`: bytes of all texts together.
    """

    def __init__(self, most: int, where: str) -> None:
        self._most = self._left = most
        self._where = where
        self._known: dict[bytes, str] = {}

    def __call__(self, value: bytes) -> str:
        """Return a text; InputError if the database holds too many."""
        self._left -= len(value)
        if self._left < 0:
            what = f"refused as a decompression bomb: its texts have more than {self._most} bytes"
            raise InputError(what, where=self._where, hint="export it again")
        if len(value) < _LONG:
            return value.decode("utf-8", "replace")
        if value not in self._known:
            self._known[value] = value.decode("utf-8", "replace")
        return self._known[value]
