"""What a result was made from: the input files with their digests, and the software with its versions."""

import hashlib
import platform
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from ingest.errors import InputError
from ingest.formats import ProfileReader

DIGEST_BLOCK = 1 << 20
LIBRARIES = ("callpath-pipeline", "numpy", "pandas", "scipy", "scikit-learn", "pyarrow")

installed_version = cache(version)  # of a package; a lookup parses the package's metadata


@dataclass(frozen=True)
class InputFile:
    """A file that was read: its path, size in bytes and SHA-256 digest."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class FileState:
    """What the file system knows of a file without reading it; it changes whenever the content does.

    Attributes:
        size: in bytes.
        modified: time of the last change of the content, in nanoseconds; programs can set it back.
        changed: time of the last change of the content or of its attributes; programs cannot set it.
    """

    size: int
    modified: int
    changed: int


def files_of(path: Path, reader: ProfileReader) -> list[Path]:
    """Return the files of a run in order: itself and what is read beside it, or those in its directory."""
    if path.is_file():
        return sorted({path, *(reader.beside(path) if reader.beside else ())})
    try:
        found = reader.files(path) if reader.files else path.rglob("*")
        return sorted(file for file in found if file.is_file())
    except OSError:  # reading it raises the error
        return []


def state_of(path: Path) -> FileState:
    """Return what the file system knows of a file; all zero if it may not be looked at."""
    try:
        found = path.stat()
    except OSError:
        return FileState(0, 0, 0)
    return FileState(found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def describe_input(path: Path) -> InputFile:
    """Return a file's size and digest, read in blocks.

    Raises:
        InputError: the file cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(DIGEST_BLOCK):
                digest.update(block)
            return InputFile(str(path), file.tell(), digest.hexdigest())
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from error


def software() -> dict[str, str]:
    """Return the versions of the software that computes results."""
    return {"python": platform.python_version(), **{name: installed_version(name) for name in LIBRARIES}}
