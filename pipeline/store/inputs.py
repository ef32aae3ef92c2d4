"""The files that a result was made from: which they are, and the digests by which a change is noticed."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import InputError
from ingest.readers import ProfileReader

DIGEST_BLOCK = 1 << 20


@dataclass(frozen=True)
class InputFile:
    """A file that was read: its path, size in bytes and SHA-256 digest."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class FileState:
    """What the file system tells of a file without reading it; a change of content changes it.

    Attributes:
        size: in bytes.
        modified: time of the last change of the content, in nanoseconds; programs can set it back.
        changed: time of the last change of the content or of what is told here; programs cannot set it.
    """

    size: int
    modified: int
    changed: int


def files_of(path: Path, reader: ProfileReader) -> list[Path]:
    """Return the files of a run in order: itself, or those in its directory that its reader reads."""
    if path.is_file():
        return [path]
    try:
        found = reader.files(path) if reader.files else path.rglob("*")
        return sorted(file for file in found if file.is_file())
    except OSError:  # reading it will tell
        return []


def state_of(path: Path) -> FileState:
    """Return what the file system tells of a file; all zero where the file may not be looked at."""
    try:
        told = path.stat()
    except OSError:
        return FileState(0, 0, 0)
    return FileState(told.st_size, told.st_mtime_ns, told.st_ctime_ns)


def describe_input(path: Path) -> InputFile:
    """Return a file's size and digest, read in blocks.

    Raises:
        InputError: where the file cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(DIGEST_BLOCK):
                digest.update(block)
            return InputFile(str(path), file.tell(), digest.hexdigest())
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from error
