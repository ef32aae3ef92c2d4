"""What there is to read at a path: runs, tables that hold them, or a file of a whole series."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.discovery import Discovery, discover
from ingest.profile_search import search_profiles
from ingest.readers import SeriesReader, find_profile_reader, find_series_reader
from ingest.run_names import RunSpec
from ingest.table_mapping import TableMapping
from ingest.tables.table_files import TableSource, find_tables


@dataclass(frozen=True)
class Located:
    """What there is to read at a path."""

    path: Path
    # the runs, tables that hold them, or the reader of the file if it holds a whole series
    found: Discovery | TableSource | SeriesReader


def locate(
    path: Path,
    explicit: Sequence[RunSpec] = (),
    table: TableMapping | None = None,
    stated: Sequence[str] = (),
) -> Located:
    """Find the runs, tables or the series file at a path, without reading values.

    A file that `table` names replaces discovery, too; `stated` sizes of runs are to be parameters.
    """
    mapping = table or TableMapping()
    is_file = path.is_file() and find_profile_reader(path) is None
    if (is_file or mapping.file) and not explicit and (tables := find_tables(path, mapping)):
        return Located(path, tables)
    searched = search_profiles(path) if path.is_dir() and not explicit else None
    if searched and not searched[0] and (tables := find_tables(path, mapping)):
        return Located(path, tables)
    series = find_series_reader(path) if is_file else None
    return Located(path, series or discover(path, explicit or None, stated, searched))
