"""Which files are one run: each process of a run under likwid-perfctr writes its own output.

Files of a folder that are called alike but for a number (``proc_0.out``, ``proc_1.out``) are the processes
of one run if the name says so, or if each was measured on cores of its own; otherwise they are repetitions.
"""

import re
from pathlib import Path

from ingest.readers.likwid.tables import is_output, read_tables
from ingest.readers.numbered_files import numbered_files
from ingest.readers.timer_tables.log import ends_of_log

_PROCESS = re.compile(r"(?:^|[^a-z])(?:proc|process|rank|task|pe|mpi)[._-]?$", re.IGNORECASE)


def matches(path: Path) -> bool:
    """Return whether a file has tables of likwid-perfctr, or a folder those of the processes of one run."""
    return _is_file(path) if not path.is_dir() else len(files(path)) > 1


def files(path: Path) -> list[Path]:
    """Return the files of a run in the order of its processes: a file itself, those of a folder, or none."""
    if not path.is_dir():
        return [path]
    try:
        before, found = numbered_files([file for file in path.iterdir() if not file.name.startswith(".")])
    except OSError:
        return []
    if not all(map(_is_file, found)):
        return []
    return found if _PROCESS.search(before) or _are_on_different_cores(found) else []


def _is_file(path: Path) -> bool:
    """Return whether the beginning or the end of a file has a title of a table."""
    if not path.is_file():
        return False
    content = ends_of_log(path).content
    return b"RDTSC" in content and is_output(content.decode("utf-8", "replace"))


def _are_on_different_cores(found: list[Path]) -> bool:
    known: set[str] = set()
    for path in found:
        tables = read_tables(ends_of_log(path).content.decode("utf-8", "replace"))
        cores = {core for table in tables for core in table.cores}
        if not cores or not known.isdisjoint(cores):
            return False
        known |= cores
    return True
