"""Files that appear complete or not at all."""

import errno
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ingest.errors import UsageError
from pipeline.wording.escaping import json_line

PARTIAL = ".partial"


def write_atomically(path: Path, write: Callable[[Path], None], *, durable: bool = True) -> None:
    """Let `write` fill a temporary file next to `path`, then move it into place.

    What is neither file nor directory, such as /dev/null, is written itself. `durable` brings the content to
    the disk first, so that a power failure leaves the old or the new file. UsageError if the directory cannot
    be written, or the disk is full.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            write(path)
            return
        temporary = _temporary(path)
        try:
            write(temporary)
            if durable:
                synchronise(temporary)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise not_writable(path, error) from error


def require_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before the work whose result it is to hold.

    UsageError if the directory cannot be written, or the file is a directory.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.is_file() or not path.exists():
            _temporary(path).unlink()
    except OSError as error:
        raise not_writable(path, error) from error


def _temporary(path: Path) -> Path:
    """Return a new empty file next to another, whose directory is made if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PARTIAL}")
    temporary.open("xb").close()
    return temporary


def synchronise(path: Path) -> None:
    """Bring a file or the names in a directory to the disk, if its file system can."""
    if os.name == "nt" and path.is_dir():
        return  # cannot be opened there
    handle = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise
    finally:
        os.close(handle)


def not_writable(path: Path, error: OSError) -> UsageError:
    """Return the error for what cannot be written, with the reason."""
    reason = error.strerror or str(error)
    return UsageError(
        f"cannot be written ({reason})", where=str(path), hint="choose another file or directory"
    )


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8 atomically."""
    write_bytes(path, text_bytes(text))


def write_json(path: Path, value: Any) -> None:  # noqa: ANN401
    """Write JSON atomically, readable, with a newline at the end."""

    def write(temporary: Path) -> None:
        with temporary.open("w", errors="backslashreplace", encoding="utf-8", newline="\n") as file:
            file.writelines(_json_parts(value))

    write_atomically(path, write)


def write_bytes(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write bytes atomically; durable as in `write_atomically`."""

    def write(temporary: Path) -> None:
        temporary.write_bytes(content)

    write_atomically(path, write, durable=durable)


def text_bytes(text: str) -> bytes:
    """Return text as UTF-8; bytes of names that are not UTF-8 come out as they were read."""
    return text.encode(errors="surrogateescape")


def json_bytes(value: Any) -> bytes:  # noqa: ANN401
    """Return JSON as UTF-8; bytes of names that are not UTF-8 become JSON's escapes of lone surrogates."""
    return json_text(value).encode(errors="backslashreplace")


def json_text(value: Any) -> str:  # noqa: ANN401
    """Return JSON as written to files and to standard output: one line per entry of an object or list.

    The indentation of the json module is pure Python, which takes seconds for a summary of 20,000 call paths.
    """
    return "".join(_json_parts(value))


def _json_parts(value: Any) -> Iterator[str]:  # noqa: ANN401
    if not isinstance(value, dict):
        yield json_line(value) + "\n"
        return
    for place, (key, entry) in enumerate(value.items()):
        yield f"{',' if place else '{'}\n{json_line(str(key))}: "
        if isinstance(entry, list | tuple) and entry and isinstance(entry[0], dict):
            for row, one in enumerate(entry):
                yield f"{',' if row else '['}\n {json_line(one)}"
            yield "\n]"
        else:
            yield json_line(entry)
    yield "\n}\n" if value else "{\n\n}\n"
