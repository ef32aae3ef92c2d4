"""Tables at a path: which files are tables, and all of them read as one study."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.errors import InputError, RunNameError
from ingest.profile_search import Skipped
from ingest.reading.csv_files import CSV_ENDINGS, Frame, csv_header, is_parquet, read_csv, read_parquet
from ingest.reading.files import entries
from ingest.reading.packed import plain_name
from ingest.run_names import RunName, parse_run_name
from ingest.run_proposal import numbering_words
from ingest.table_mapping import TableMapping
from ingest.tables.benchmark_results import is_benchmark, read_benchmark
from ingest.tables.message_benchmarks import is_message_benchmark, read_messages
from ingest.tables.slurm_jobs import is_job_table, read_jobs
from ingest.tables.table_columns import find_columns
from ingest.tables.table_rows import TableRows, read_rows
from ingest.tables.table_study import TableStudy, make_study

DEPTH = 4  # folders below the directory: ReFrame has perflogs/<system>/<partition>
MAX_FILES = 10_000


@dataclass(frozen=True, kw_only=True)
class TableSource:
    """Tables that are read as one study.

    Attributes:
        skipped: files beside them that look like tables and are not read.
        only: metadata and its value, if only runs that state it are read.
    """

    path: Path
    files: tuple[Path, ...]
    mapping: TableMapping
    skipped: tuple[Skipped, ...] = ()
    only: tuple[str, str] | None = None

    def read(self) -> TableStudy:
        """Read all files.

        Raises:
            InputError: one of them cannot be read, or they do not fit together.
        """
        names = [_names(path, self.path) for path in self.files]
        counting = numbering_words(["/".join(parts) for parts in names])
        tables = [
            _rows(path, parts, counting, self.mapping) for path, parts in zip(self.files, names, strict=True)
        ]
        source = str(self.files[0] if len(self.files) == 1 else self.path)
        mapping = tables[0][1]
        study = make_study([rows for rows, _ in tables], mapping, source, self.only)
        counted = [f"'{name}' in the names only counts the files: it is no parameter" for name in counting]
        return replace(study, notices=(*study.notices, *counted))


def find_tables(path: Path, mapping: TableMapping) -> TableSource | None:
    """Find the tables at a path: a file that is one, the files of the mapping, or those in a directory.

    Returns:
        None if there is none.

    Raises:
        InputError: a file of the mapping does not exist.
    """
    if mapping.file:
        missing = next((file for file in mapping.file if not file.is_file()), None)
        if missing:
            raise InputError(
                "no such file", where=str(missing), hint="correct file in [table] of pipeline.toml"
            )
        return TableSource(path=path, files=mapping.file, mapping=mapping)
    if path.is_file():
        named = plain_name(path).suffix.lower() in CSV_ENDINGS or matches(path, mapping)
        return TableSource(path=path, files=(path,), mapping=mapping) if named else None
    found: list[Path] = []
    skipped: list[Skipped] = []
    for file in _files_below(path, DEPTH):
        if matches(file, mapping):
            found.append(file)
        elif plain_name(file).suffix.lower() in CSV_ENDINGS:
            skipped.append(Skipped(file, "no column of times is recognised"))
        if len(found) == MAX_FILES:
            break
    return (
        TableSource(path=path, files=tuple(found), mapping=mapping, skipped=tuple(skipped)) if found else None
    )


def matches(path: Path, mapping: TableMapping) -> bool:
    """Return whether a file is a table; a CSV file is one if its header has a column of times."""
    if is_parquet(path) or is_benchmark(path) or is_job_table(path) or is_message_benchmark(path):
        return True
    if plain_name(path).suffix.lower() not in CSV_ENDINGS or not path.is_file():
        return False
    if mapping.given:
        return True
    try:
        find_columns(csv_header(path), mapping, str(path))
    except InputError:
        return False
    return True


def _files_below(folder: Path, depth: int) -> Iterator[Path]:
    """Yield the files in a folder and those below it in order, without hidden ones."""
    for entry in (entry for entry in entries(folder) if not entry.name.startswith(".")):
        if entry.is_file():
            yield entry
        elif depth > 0 and entry.is_dir() and not entry.is_symlink():
            yield from _files_below(entry, depth - 1)


def _names(path: Path, top: Path) -> tuple[str, ...]:
    folders = path.parent.relative_to(top).parts if path.parent.is_relative_to(top) else ()
    return *folders, plain_name(path).stem


def _rows(
    path: Path, parts: Sequence[str], counting: Collection[str], mapping: TableMapping
) -> tuple[TableRows, TableMapping]:
    """Read a file; numbers in its names that only count the files are no parameters."""
    frame, mapping = _frame(path, mapping)
    names = list(map(_named, parts))
    parameters = {n: value for named in names for n, value in named.parameters if n not in counting}
    repetition = next((named.repetition for named in reversed(names) if named.repetition is not None), None)
    return read_rows(frame, mapping, parameters, repetition), mapping


def _named(name: str) -> RunName:
    """Read the name of a file or folder; nothing if it does not parse."""
    try:
        return parse_run_name(name)
    except RunNameError:
        return RunName(name, (), None)


def _frame(path: Path, mapping: TableMapping) -> tuple[Frame, TableMapping]:
    if is_benchmark(path):
        return read_benchmark(path, mapping)
    if is_job_table(path):
        return read_jobs(path, mapping)
    if is_message_benchmark(path):
        return read_messages(path, mapping)
    if is_parquet(path):
        return read_parquet(path), mapping
    try:
        columns = find_columns(csv_header(path), mapping, str(path))
    except InputError:
        return read_csv(path), mapping
    timed = [column.header for column in columns.times]
    return read_csv(path, numbers=(*timed, columns.visits, *columns.metrics)), mapping
