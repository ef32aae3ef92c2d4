"""Reader for databases of HPCToolkit: directories that hpcprof and hpcprof-mpi write.

- binary_database: those since 2022 (``meta.db``, ``profile.db``), as a `Profile` with sparse values
- profile_db: the values of threads, read one thread at a time, and which locations they belong to
- metric_db: those until 2021 (``*.metric-db``) as a `Profile` and their document
"""

from pathlib import Path

from ingest.profile import Profile
from ingest.readers import ProfileReader
from ingest.readers.hpctoolkit import binary_database as database
from ingest.readers.hpctoolkit import metric_db
from ingest.readers.hpctoolkit.profile_db import MAGIC
from ingest.reading.files import head, is_folder

__all__ = ["files", "matches", "read"]


def matches(path: Path) -> bool:
    """Return whether a directory is a database of HPCToolkit; others may have a ``meta.db``, too."""
    if not is_folder(path):
        return False
    binary = (head(path / name, len(MAGIC)) for name in (database.META, database.PROFILES))
    return (path / metric_db.EXPERIMENT).is_file() or MAGIC in binary


def files(path: Path) -> list[Path]:
    """Return the files of a database that are read, without the copies of source files next to them."""
    named = [path / name for name in (database.META, database.PROFILES, metric_db.EXPERIMENT)]
    return [file for file in named if file.is_file()] + metric_db.metric_files(path)


def read(path: Path) -> Profile:
    """Read a database: a call tree of functions and loops, values by thread and accelerator.

    Lines and instructions are counted with the function or loop they belong to.
    """
    old = (path / metric_db.EXPERIMENT).is_file() and not (path / database.META).is_file()
    return metric_db.read(path) if old else database.read(path)


READER = ProfileReader(
    name="HPCToolkit", pattern="<database>/meta.db, experiment.xml", matches=matches, read=read, files=files
)
