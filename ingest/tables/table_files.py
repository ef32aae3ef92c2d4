"""Tables at a path: which files are tables, and all of them read as one study."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
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
from ingest.tables.benchmark_tools import read_results, tool_of
from ingest.tables.headings import read_headings
from ingest.tables.message_benchmarks import is_message_benchmark, read_messages
from ingest.tables.slurm_jobs import is_job_table, read_jobs
from ingest.tables.table_columns import find_columns
from ingest.tables.table_rows import FileName, read_rows
from ingest.tables.table_study import TableStudy, make_study

DEPTH = 4  # folders below the directory: ReFrame has perflogs/<system>/<partition>
MAX_FILES = 10_000
TEXT_ENDINGS = frozenset((".txt", ".dat", ".md", ".tab", ".prn", ".asc", ".data"))


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
        frames = [_frame(path, self.mapping) for path in self.files]
        named = _file_names(names, counting)
        tables = [read_rows(frame, own, name) for (frame, own), name in zip(frames, named, strict=True)]
        source = str(self.files[0] if len(self.files) == 1 else self.path)
        study = make_study(tables, frames[0][1], source, self.only)
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
        named = plain_name(path).suffix.lower() in CSV_ENDINGS or matches(path, mapping) or _is_text(path)
        return TableSource(path=path, files=(path,), mapping=mapping) if named else None
    files = list(_files_below(path, DEPTH))
    found = list(islice((file for file in files if matches(file, mapping)), MAX_FILES))
    others = [file for file in files if file not in set(found)]
    skipped = tuple(
        Skipped(file, "no column of times is recognised")
        for file in others
        if plain_name(file).suffix.lower() in CSV_ENDINGS
    )
    tables = tuple(found or filter(_is_text, others))
    return TableSource(path=path, files=tables, mapping=mapping, skipped=skipped) if tables else None


def matches(path: Path, mapping: TableMapping) -> bool:
    """Return whether a file is a table; a CSV file is one if its header has a column of times."""
    if any(is_one(path) for is_one, _ in _KINDS):
        return True
    if plain_name(path).suffix.lower() not in CSV_ENDINGS or not path.is_file():
        return False
    return mapping.given or _has_times(path)


def _has_times(path: Path, least_parameters: int = 0) -> bool:
    try:
        columns = find_columns(csv_header(path), TableMapping(), str(path))
    except InputError:
        return False
    (heading,) = read_headings([columns.times[0].header])
    certain = heading.seconds or heading.named or heading.clock or columns.times[0].rate
    return len(columns.parameters) >= (least_parameters if certain else 1)


def _is_text(path: Path) -> bool:
    """Return whether a text that may hold anything is a table with a parameter, a time and rows."""
    try:
        known = plain_name(path).suffix.lower() in TEXT_ENDINGS and _has_times(path, 1)
        return known and len(read_csv(path).table) > 1
    except InputError:
        return False


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


def _file_names(names: Sequence[Sequence[str]], counting: Collection[str]) -> list[FileName]:
    """Read the names of files and folders; beside columns only those count that differ between all tables."""
    parsed = [list(map(_named, parts)) for parts in names]
    found = [
        {n: value for part in parts for n, value in part.parameters if n not in counting} for parts in parsed
    ]
    differing = [n for n in found[0] if len({of.get(n) for of in found}) > 1 and all(n in of for of in found)]
    repetitions = [[p.repetition for p in reversed(parts) if p.repetition is not None] for parts in parsed]
    return [
        FileName(of, {n: of[n] for n in differing}, next(iter(numbers), None) if len(names) > 1 else None)
        for of, numbers in zip(found, repetitions, strict=True)
    ]


def _named(name: str) -> RunName:
    """Read the name of a file or folder; nothing if it does not parse."""
    try:
        return parse_run_name(name)
    except RunNameError:
        return RunName(name, (), None)


def _frame(path: Path, mapping: TableMapping) -> tuple[Frame, TableMapping]:
    for is_one, read in _KINDS:
        if is_one(path):
            return read(path, mapping)
    try:
        columns = find_columns(csv_header(path), mapping, str(path))
    except InputError:
        return read_csv(path), mapping
    timed = [column.header for column in columns.times]
    return read_csv(path, numbers=(*timed, columns.visits, *columns.metrics)), mapping


_KINDS: Sequence[
    tuple[Callable[[Path], object], Callable[[Path, TableMapping], tuple[Frame, TableMapping]]]
] = (
    (is_parquet, lambda path, mapping: (read_parquet(path), mapping)),
    (is_benchmark, read_benchmark),
    (tool_of, read_results),
    (is_job_table, read_jobs),
    (is_message_benchmark, read_messages),
)
